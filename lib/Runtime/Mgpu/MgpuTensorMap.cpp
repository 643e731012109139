//===- MgpuTensorMap.cpp - Tensor maps for MLIR's programs ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nvgpu.tma.create.descriptor calls. The map goes to device memory, where
// kernels read it; as MLIR has no op that gives it back, nothing frees it.
//
//===----------------------------------------------------------------------===//

#include "Mgpu/MgpuState.h"

#include <cstdint>

using namespace tc::runtime;
using mgpu::run;

namespace {

constexpr int64_t maxRank = 5;

/// The head of a memref descriptor; sizes and strides of each dimension follow.
struct MemRef {
  char *allocated, *aligned;
  int64_t offset;
  int64_t sizesAndStrides[2 * maxRank];
};

struct alignas(64) TensorMap {
  char bytes[128];
};

/// By CUtensorMapDataType.
constexpr unsigned elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

} // namespace

extern "C" {

/// Dimensions of a memref go from the outermost one inwards, those of a map the
/// other way.
void *mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor,
                                     unsigned type, unsigned interleave,
                                     unsigned swizzle, unsigned promotion,
                                     unsigned fill, int64_t *box) {
  if (rank < 1 || rank > maxRank || type >= std::size(elementBytes)) {
    mgpu::report("expected a tensor of 1 to 5 dimensions and a type from 0 to "
                 "12 for a tensor map");
    return nullptr;
  }
  const auto &memref = *static_cast<const MemRef *>(descriptor);
  uint64_t extents[maxRank] = {}, strides[maxRank] = {};
  unsigned boxes[maxRank] = {}, steps[maxRank] = {};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = rank - 1 - i;
    extents[i] = memref.sizesAndStrides[from];
    boxes[i] = unsigned(box[from]);
    steps[i] = 1;
    if (i + 1 < rank)
      strides[i] = memref.sizesAndStrides[rank + from - 1] * elementBytes[type];
  }
  char *address = memref.aligned + memref.offset * elementBytes[type];
  CUdeviceptr place = 0;
  TensorMap map;
  run("cuTensorMapEncodeTiled", [&](const Driver &driver) {
    if (!driver.cuTensorMapEncodeTiled)
      return CUDA_ERROR_NOT_SUPPORTED;
    return driver.cuTensorMapEncodeTiled(&map, type, unsigned(rank), address,
                                         extents, strides, boxes, steps,
                                         interleave, swizzle, promotion, fill);
  });
  run("cuMemAlloc", [&](const Driver &driver) {
    return driver.cuMemAlloc_v2(&place, sizeof(map));
  });
  run("cuMemcpyHtoD", [&](const Driver &driver) {
    return driver.cuMemcpyHtoD_v2(place, &map, sizeof(map));
  });
  return reinterpret_cast<void *>(place);
}
}
