//===- StridedCopy.cpp - Copies between strided buffers -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions are merged as far as both ends allow. What is left are stretches
// of bytes, in rows of a pitch where the driver has such a copy, and loops over
// the other dimensions.
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace tc::runtime;

namespace {
/// In bytes.
struct Dim {
  int64_t extent, to, from;
};

/// A copy as the driver takes it: `rows` of so many bytes.
struct Rows {
  int64_t bytes;
  Dim rows;
};

class Copier {
public:
  Copier(const Driver &driver, CUstream stream)
      : driver(driver), stream(stream) {}

  CUresult run(const StridedCopy &copy);

private:
  void splitOffRows(std::vector<Dim> &dims, int64_t elementBytes);
  CUresult copyRows(char *to, const char *from);
  CUresult copyDims(const Dim *begin, const Dim *end, char *to,
                    const char *from);

  const Driver &driver;
  CUstream stream;
  Rows rows = {};
};
} // namespace

/// The dimensions of more than one element, the one of the largest strides
/// first.
static std::vector<Dim> getDims(const StridedCopy &copy) {
  std::vector<Dim> dims;
  for (int64_t i = 0; i != copy.rank; ++i)
    if (const int64_t *at = copy.shape + i; *at != 1)
      dims.push_back({*at, at[copy.rank] * copy.elementBytes,
                      at[2 * copy.rank] * copy.elementBytes});
  std::sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.to) > std::abs(b.to);
  });
  return dims;
}

/// Merges each dimension with the one outside of it, where that goes on where
/// it ends.
static std::vector<Dim> mergeDims(const std::vector<Dim> &dims) {
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().to == dim.extent * dim.to &&
        merged.back().from == dim.extent * dim.from)
      merged.back() = {merged.back().extent * dim.extent, dim.to, dim.from};
    else
      merged.push_back(dim);
  }
  return merged;
}

/// The most bytes between rows that the driver takes on any device
/// (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
static constexpr int64_t mostPitch = INT32_MAX;

/// Takes from the inner end of `dims` what one call copies.
void Copier::splitOffRows(std::vector<Dim> &dims, int64_t elementBytes) {
  rows = {elementBytes, {1, 0, 0}};
  if (!dims.empty() && dims.back().to == elementBytes &&
      dims.back().from == elementBytes) {
    rows.bytes *= dims.back().extent;
    dims.pop_back();
  }
  auto isPitch = [&](int64_t stride) {
    return stride >= rows.bytes && stride <= mostPitch;
  };
  if (!dims.empty() && isPitch(dims.back().to) && isPitch(dims.back().from) &&
      driver.cuMemcpy2DAsync_v2) {
    rows.rows = dims.back();
    dims.pop_back();
  }
}

CUresult Copier::copyRows(char *to, const char *from) {
  auto toAddress = [](const void *pointer) {
    return reinterpret_cast<CUdeviceptr>(pointer);
  };
  if (rows.rows.extent == 1)
    return driver.cuMemcpyAsync(toAddress(to), toAddress(from),
                                static_cast<size_t>(rows.bytes), stream);
  CUDA_MEMCPY2D copy = {};
  copy.dstMemoryType = copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = toAddress(to);
  copy.srcDevice = toAddress(from);
  copy.dstPitch = static_cast<size_t>(rows.rows.to);
  copy.srcPitch = static_cast<size_t>(rows.rows.from);
  copy.WidthInBytes = static_cast<size_t>(rows.bytes);
  copy.Height = static_cast<size_t>(rows.rows.extent);
  return driver.cuMemcpy2DAsync_v2(&copy, stream);
}

CUresult Copier::copyDims(const Dim *begin, const Dim *end, char *to,
                          const char *from) {
  if (begin == end)
    return copyRows(to, from);
  for (int64_t i = 0; i != begin->extent; ++i)
    if (CUresult result = copyDims(begin + 1, end, to + i * begin->to,
                                   from + i * begin->from))
      return result;
  return CUDA_SUCCESS;
}

CUresult Copier::run(const StridedCopy &copy) {
  if (std::count(copy.shape, copy.shape + copy.rank, 0) != 0)
    return CUDA_SUCCESS;
  std::vector<Dim> dims = mergeDims(getDims(copy));
  splitOffRows(dims, copy.elementBytes);
  return copyDims(dims.data(), dims.data() + dims.size(),
                  static_cast<char *>(copy.to),
                  static_cast<const char *>(copy.from));
}

CUresult tc::runtime::copyStrided(const Driver &driver, const StridedCopy &copy,
                                  CUstream stream) {
  return Copier(driver, stream).run(copy);
}
