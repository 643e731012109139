//===- launch.cpp - What a call of a packaged kernel costs ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times calls of the three packages that launch.py makes, over the stub driver.
//
//===----------------------------------------------------------------------===//

#include "tc_dynamic.h"
#include "tc_fixed.h"
#include "tc_parts.h"

#include "tc-runtime/tc_runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

static void check(int status) {
  if (status == TC_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", tcErrorString(status), tcLastError());
  std::exit(1);
}

/// Prints the median and the least of the nanoseconds that a call takes, of
/// batches of calls.
template <typename Call>
static void measure(const char *name, Call call) {
  constexpr int batches = 201, calls = 1000;
  double times[batches];
  for (double &time : times) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i != calls; ++i)
      check(call());
    std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    time = elapsed.count() / calls;
  }
  std::sort(times, times + batches);
  std::printf("%s %.0f %.0f\n", name, times[batches / 2], times[0]);
}

int main() {
  tcDevice *device = nullptr;
  check(tcDeviceOpen("cuda", nullptr, 0, &device));
  tcAddress places[4];
  for (tcAddress &place : places)
    check(tcAllocate(device, 16 << 20, &place));
  auto *a = reinterpret_cast<float *>(places[0]);
  auto *b = reinterpret_cast<float *>(places[1]);
  auto *c = reinterpret_cast<float *>(places[2]);
  auto *workspace = reinterpret_cast<void *>(places[3]);
  measure("fixed", [&] { return tc_fixed(a, b, c, nullptr, 0, nullptr); });
  measure("dynamic", [&] {
    return tc_dynamic(a, b, c, 128, 64, 96, nullptr, 0, nullptr);
  });
  measure("parts",
          [&] { return tc_parts(a, b, c, workspace, 16 << 20, nullptr); });
  return 0;
}
