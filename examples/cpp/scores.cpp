// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention scores from C++, with dynamic lengths:
// S[b][q][k] = sum over d of Q[b][q][d] * K[b][k][d].
//
//   tc-compile --einsum='bqd,bkd->bqk' --sizes='b=4,q=?,k=?,d=32' --name=scores
//   \
//     --emit=package -o scores
//   cmake -B build -DCMAKE_PREFIX_PATH=$PWD/scores && cmake --build build

#include "tc_scores.h"

#include "tc-runtime/tc_runtime.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void check(int status) {
  if (status != TC_OK)
    throw std::runtime_error(std::string(tcErrorString(status)) + ": " +
                             tcLastError());
}

namespace {
/// Numbers in the memory of a device.
class Buffer {
public:
  Buffer(tcDevice *device, size_t count) : device(device), count(count) {
    check(tcAllocate(device, count * sizeof(float) + 1, &address));
  }
  Buffer(tcDevice *device, const std::vector<float> &values)
      : Buffer(device, values.size()) {
    check(tcCopyIn(device, address, values.data(), count * sizeof(float)));
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { tcFree(device, address); }

  float *data() const { return reinterpret_cast<float *>(address); }
  std::vector<float> toHost() const {
    std::vector<float> values(count);
    check(tcCopyOut(device, values.data(), address, count * sizeof(float)));
    return values;
  }

private:
  tcDevice *device;
  size_t count;
  tcAddress address = 0;
};
} // namespace

static void computeScores(tcDevice *device, int64_t q, int64_t k) {
  const size_t batch = 4, depth = 32;
  std::vector<float> queries(batch * q * depth), keys(batch * k * depth);
  for (size_t i = 0; i != queries.size(); ++i)
    queries[i] = static_cast<float>(i % 7);
  for (size_t i = 0; i != keys.size(); ++i)
    keys[i] = static_cast<float>(i % 5);

  size_t bytes = 0;
  check(tc_scores_workspace_size(q, k, &bytes));
  Buffer onQ(device, queries), onK(device, keys), onS(device, batch * q * k);
  Buffer workspace(device, bytes / sizeof(float));
  check(tc_scores(onQ.data(), onK.data(), onS.data(), q, k, workspace.data(),
                  bytes, /*stream=*/nullptr));

  std::vector<float> scores = onS.toHost(), onCpu(batch * q * k);
  std::vector<char> room(bytes);
  check(tc_scores_cpu(queries.data(), keys.data(), onCpu.data(), q, k,
                      room.data(), room.size()));
  if (scores != onCpu)
    throw std::runtime_error("the device and the CPU disagree");
  std::printf("%lld queries, %lld keys: last score %g\n",
              static_cast<long long>(q), static_cast<long long>(k),
              scores.back());
}

int main() {
  try {
    tcDevice *device = nullptr;
    check(tcDeviceOpen(nullptr, nullptr, 0, &device));
    computeScores(device, 16, 24);
    computeScores(device, 33, 7);
    check(tcDeviceClose(device));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
