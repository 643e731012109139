//===- MgpuMemory.cpp - The mgpu functions: memory ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, copies and registration of host memory for MLIR's host code.
//
//===----------------------------------------------------------------------===//

#include "Mgpu/MgpuState.h"
#include "StridedCopy.h"
#include "tc-runtime/tc_mgpu.h"

#include <algorithm>
#include <cstdint>

using namespace tc::runtime;
using mgpu::call;
using mgpu::release;
using mgpu::run;

/// Managed memory that every stream may access (CU_MEM_ATTACH_GLOBAL).
static constexpr unsigned attachGlobal = 1;

static CUdeviceptr toAddress(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

extern "C" {

void *mgpuMemAlloc(uint64_t bytes, CUstream, bool isHostShared) {
  if (bytes == 0)
    return nullptr;
  CUdeviceptr address = 0;
  run("cuMemAlloc", [&](const Driver &driver) {
    return isHostShared
               ? driver.cuMemAllocManaged(&address, bytes, attachGlobal)
               : driver.cuMemAlloc_v2(&address, bytes);
  });
  if (!address && isHostShared)
    return mgpu::allocateSubstitute(bytes);
  return reinterpret_cast<void *>(address);
}

/// In its turn on the stream, for which the host waits.
void mgpuMemFree(void *pointer, CUstream stream) {
  if (!pointer || mgpu::freeSubstitute(pointer))
    return;
  if (stream)
    call("cuStreamSynchronize", &Driver::cuStreamSynchronize, stream);
  release("cuMemFree", &Driver::cuMemFree_v2, toAddress(pointer));
}

void mgpuMemcpy(void *to, void *from, size_t bytes, CUstream stream) {
  if (bytes != 0)
    call("cuMemcpyAsync", &Driver::cuMemcpyAsync, toAddress(to),
         toAddress(from), bytes, stream);
}

void tcMgpuCopy(void *to, const void *from, int64_t elementBytes, int64_t rank,
                const int64_t *shape, void *stream) {
  run("cuMemcpyAsync", [&](const Driver &driver) {
    return copyStrided(driver, {to, from, elementBytes, rank, shape},
                       static_cast<CUstream>(stream));
  });
}

void mgpuMemset32(void *to, unsigned value, size_t count, CUstream stream) {
  if (count != 0)
    call("cuMemsetD32Async", &Driver::cuMemsetD32Async, toAddress(to), value,
         count, stream);
}

void mgpuMemset16(void *to, unsigned short value, size_t count,
                  CUstream stream) {
  if (count != 0)
    call("cuMemsetD16Async", &Driver::cuMemsetD16Async, toAddress(to), value,
         count, stream);
}

void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  if (bytes != 0)
    call("cuMemHostRegister", &Driver::cuMemHostRegister_v2, pointer, bytes,
         /*flags=*/0);
}

void mgpuMemHostUnregister(void *pointer) {
  release("cuMemHostUnregister", &Driver::cuMemHostUnregister, pointer);
}
}

namespace {

/// A memref descriptor of any rank, up to its sizes; `rank` sizes and then
/// `rank` strides follow.
struct Descriptor {
  void *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes[1];
};

/// The bytes from the first to the last element of a memref, with holes.
struct Span {
  char *begin;
  uint64_t bytes;

  Span(int64_t rank, const Descriptor &memref, int64_t elementBytes) {
    int64_t first = memref.offset, last = memref.offset;
    bool empty = false;
    const int64_t *sizes = memref.sizes;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t reach = (sizes[i] - 1) * sizes[rank + i];
      empty |= sizes[i] == 0;
      first += std::min<int64_t>(reach, 0);
      last += std::max<int64_t>(reach, 0);
    }
    begin = memref.aligned + first * elementBytes;
    bytes = empty ? 0 : (last - first + 1) * elementBytes;
  }
};

} // namespace

extern "C" {

void mgpuMemHostRegisterMemRef(int64_t rank, Descriptor *memref,
                               int64_t elementBytes) {
  Span span(rank, *memref, elementBytes);
  mgpuMemHostRegister(span.begin, span.bytes);
}

void mgpuMemHostUnregisterMemRef(int64_t rank, Descriptor *memref,
                                 int64_t elementBytes) {
  Span span(rank, *memref, elementBytes);
  if (span.bytes != 0)
    mgpuMemHostUnregister(span.begin);
}

void mgpuSetDefaultDevice(int32_t ordinal) { mgpu::setDevice(ordinal); }
}
