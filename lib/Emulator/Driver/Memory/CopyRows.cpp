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

#include <cstring>
#include <tuple>

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

  bool isOnHost() const { return type == CU_MEMORYTYPE_HOST; }
  size_t getSlice() const { return height * pitch; }
  uintptr_t getStart() const {
    uintptr_t base = isOnHost() ? reinterpret_cast<uintptr_t>(host) : device;
    return base + (z * height + y) * pitch + x;
  }
};

/// What is copied: bytes of a row, rows, slices.
struct Box {
  size_t width, height, depth;

  bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
  /// Bytes from the first to the last, at one end.
  size_t countBytes(const Rows &rows) const {
    return llvm::SaturatingMultiplyAdd(
        depth - 1, llvm::SaturatingMultiply(rows.height, rows.pitch),
        llvm::SaturatingMultiplyAdd(height - 1, rows.pitch, width));
  }
};

} // namespace

static Rows getTarget(const CUDA_MEMCPY3D &c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes,
          c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
}
static Rows getSource(const CUDA_MEMCPY3D &c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes,
          c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
}
static Box getBox(const CUDA_MEMCPY3D &c) {
  return {c.WidthInBytes, c.Height, c.Depth};
}

/// Checks that the box fits at one end.
static CUresult checkRows(const Call &call, const Rows &rows, Box box,
                          End &end) {
  if (rows.type == CU_MEMORYTYPE_HOST)
    end = onHost(reinterpret_cast<const void *>(rows.getStart()));
  else if (rows.type == CU_MEMORYTYPE_DEVICE)
    end = onDevice(rows.getStart());
  else if (rows.type == CU_MEMORYTYPE_UNIFIED)
    end = onEither(rows.getStart());
  else
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected host or device memory, got an array");
  if (box.height * box.depth > 1 && rows.pitch < rows.x + box.width)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a pitch of at least " +
                         llvm::Twine(rows.x + box.width) + " bytes, got " +
                         llvm::Twine(rows.pitch));
  return checkEnd(call, end, box.countBytes(rows));
}

/// Finds out what unified addresses are.
static CUresult checkEnds(const Call &call, CUDA_MEMCPY3D &copy, End &to,
                          End &from) {
  if (CUresult bad = checkRows(call, getTarget(copy), getBox(copy), to))
    return bad;
  if (CUresult bad = checkRows(call, getSource(copy), getBox(copy), from))
    return bad;
  for (auto [end, type, host, device] :
       {std::tuple(to, &copy.dstMemoryType,
                   const_cast<const void **>(&copy.dstHost), &copy.dstDevice),
        std::tuple(from, &copy.srcMemoryType, &copy.srcHost,
                   &copy.srcDevice)}) {
    if (*type != CU_MEMORYTYPE_UNIFIED)
      continue;
    *type = countKnown(call.state, end.address) ? CU_MEMORYTYPE_DEVICE
                                                : CU_MEMORYTYPE_HOST;
    *host = reinterpret_cast<const void *>(*device);
  }
  return CUDA_SUCCESS;
}

CUresult driver::checkCopy(Call &call, CUDA_MEMCPY3D &copy) {
  if (getBox(copy).isEmpty())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a copy of at least 1 byte, got 0");
  End to, from;
  return checkEnds(call, copy, to, from);
}

void driver::forRows(
    const CUDA_MEMCPY3D &copy,
    llvm::function_ref<void(uintptr_t, uintptr_t, size_t)> body) {
  Rows to = getTarget(copy), from = getSource(copy);
  Box box = getBox(copy);
  for (size_t z = 0; z != box.depth; ++z)
    for (size_t y = 0; y != box.height; ++y)
      body(to.getStart() + z * to.getSlice() + y * to.pitch,
           from.getStart() + z * from.getSlice() + y * from.pitch, box.width);
}

/// Device addresses are host addresses.
std::string driver::runCopy(State &state, const CUDA_MEMCPY3D &copy) {
  Rows to = getTarget(copy), from = getSource(copy);
  Box box = getBox(copy);
  for (const Rows *rows : {&to, &from})
    if (!rows->isOnHost() &&
        !isThere(state, rows->getStart(), box.countBytes(*rows)))
      return ("a copy of " + llvm::Twine(box.countBytes(*rows)) + " bytes " +
              (rows == &to ? "to" : "from") + " 0x" +
              llvm::Twine::utohexstr(rows->getStart()) +
              ", which is in no live allocation")
          .str();
  forRows(copy, [&](uintptr_t rowTo, uintptr_t rowFrom, size_t bytes) {
    auto *row = reinterpret_cast<void *>(rowTo);
    memmove(row, reinterpret_cast<const void *>(rowFrom), bytes);
    state.memory.markInitialized(row, bytes);
  });
  return "";
}

CUresult driver::copyRows(const char *name, const CUDA_MEMCPY3D &given,
                          MaybeStream stream) {
  Call call(name, stream.value_or(nullptr));
  if (!call)
    return call.status();
  CUDA_MEMCPY3D copy = given;
  if (getBox(copy).isEmpty())
    return CUDA_SUCCESS;
  End to, from;
  if (CUresult bad = checkEnds(call, copy, to, from))
    return bad;
  return doInOrder(call, stream, {to, from}, CopyStep{copy});
}

static CUresult copyRows(const char *name, const CUDA_MEMCPY3D *copy,
                         MaybeStream stream = std::nullopt) {
  if (copy)
    return driver::copyRows(name, *copy, stream);
  Call call(name, Needs::Driver);
  return checkPlace(call, copy);
}

static CUresult copyRows(const char *name, const CUDA_MEMCPY2D *c,
                         MaybeStream stream = std::nullopt) {
  if (!c) {
    Call call(name, Needs::Driver);
    return checkPlace(call, c);
  }
  CUDA_MEMCPY3D copy = {};
  copy.dstMemoryType = c->dstMemoryType;
  copy.dstHost = c->dstHost;
  copy.dstDevice = c->dstDevice;
  copy.dstXInBytes = c->dstXInBytes;
  copy.dstY = c->dstY;
  copy.dstPitch = c->dstPitch;
  copy.srcMemoryType = c->srcMemoryType;
  copy.srcHost = c->srcHost;
  copy.srcDevice = c->srcDevice;
  copy.srcXInBytes = c->srcXInBytes;
  copy.srcY = c->srcY;
  copy.srcPitch = c->srcPitch;
  copy.WidthInBytes = c->WidthInBytes;
  copy.Height = c->Height;
  copy.Depth = 1;
  return driver::copyRows(name, copy, stream);
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
