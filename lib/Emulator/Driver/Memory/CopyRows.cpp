//===- CopyRows.cpp - Copies of rows --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory seen as slices of rows. A copy is checked as one stretch of memory
// from its first to its last byte.
//
//===----------------------------------------------------------------------===//

#include "Memory/Memory.h"

#include "llvm/Support/MathExtras.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

/// Slices of rows of bytes at one end of a copy.
struct Rows {
  unsigned type; ///< of the memory
  const void *host;
  CUdeviceptr device;
  size_t x, y, z; ///< of the first byte
  size_t pitch;   ///< bytes from row to row
  size_t height;  ///< rows from slice to slice

  size_t getSlice() const { return height * pitch; }
};

/// What is copied: bytes of a row, rows, slices.
struct Box {
  size_t width, height, depth;
};

} // namespace

/// Finds the first byte of `rows`, and checks that the box fits there.
static CUresult place(const Call &call, Rows rows, Box box, End &end) {
  if (rows.type == CU_MEMORYTYPE_HOST)
    end = onHost(rows.host);
  else if (rows.type == CU_MEMORYTYPE_DEVICE)
    end = onDevice(rows.device);
  else if (rows.type == CU_MEMORYTYPE_UNIFIED)
    end = onEither(rows.device);
  else
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected host or device memory, got an array");
  if (box.height * box.depth > 1 && rows.pitch < rows.x + box.width)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a pitch of at least " +
                         llvm::Twine(rows.x + box.width) + " bytes, got " +
                         llvm::Twine(rows.pitch));
  end.address += (rows.z * rows.height + rows.y) * rows.pitch + rows.x;
  size_t bytes = llvm::SaturatingMultiplyAdd(
      box.depth - 1, llvm::SaturatingMultiply(rows.height, rows.pitch),
      llvm::SaturatingMultiplyAdd(box.height - 1, rows.pitch, box.width));
  return checkEnd(call, end, bytes);
}

static CUresult copyRows(const char *name, Rows to, Rows from, Box box,
                         MaybeStream stream) {
  Call call(name, stream.value_or(nullptr));
  if (!call)
    return call.status();
  if (box.width == 0 || box.height == 0 || box.depth == 0)
    return CUDA_SUCCESS;
  End target, source;
  if (CUresult bad = place(call, to, box, target))
    return bad;
  if (CUresult bad = place(call, from, box, source))
    return bad;
  return doInOrder(call, stream, {target, source}, [=](State &state) {
    for (size_t z = 0; z != box.depth; ++z)
      for (size_t y = 0; y != box.height; ++y)
        transfer(state, target.address + z * to.getSlice() + y * to.pitch,
                 source.address + z * from.getSlice() + y * from.pitch,
                 box.width);
  });
}

static CUresult copyRows(const char *name, const CUDA_MEMCPY3D *c,
                         MaybeStream stream = std::nullopt) {
  if (!c) {
    Call call(name, Needs::Driver);
    return checkPlace(call, c);
  }
  return copyRows(name,
                  {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes,
                   c->dstY, c->dstZ, c->dstPitch, c->dstHeight},
                  {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes,
                   c->srcY, c->srcZ, c->srcPitch, c->srcHeight},
                  {c->WidthInBytes, c->Height, c->Depth}, stream);
}

static CUresult copyRows(const char *name, const CUDA_MEMCPY2D *c,
                         MaybeStream stream = std::nullopt) {
  if (!c) {
    Call call(name, Needs::Driver);
    return checkPlace(call, c);
  }
  return copyRows(name,
                  {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes,
                   c->dstY, 0, c->dstPitch, 0},
                  {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes,
                   c->srcY, 0, c->srcPitch, 0},
                  {c->WidthInBytes, c->Height, 1}, stream);
}

namespace tc::runtime {
extern "C" {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return copyRows("cuMemcpy2D", copy);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return copyRows("cuMemcpy2DUnaligned", copy);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copyRows("cuMemcpy2DAsync", copy, stream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return copyRows("cuMemcpy3D", copy);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copyRows("cuMemcpy3DAsync", copy, stream);
}
}
} // namespace tc::runtime
