//===- Fill.cpp - Fills of the emulated driver ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fill is one of rows; memory that is not pitched is one row.
//
//===----------------------------------------------------------------------===//

#include "Memory/Memory.h"

#include "llvm/Support/MathExtras.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

CUresult driver::checkFill(Call &call, const CUDA_MEMSET_NODE_PARAMS_v1 &fill) {
  unsigned size = fill.elementSize;
  if (size != 1 && size != 2 && size != 4)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected elements of 1, 2 or 4 bytes, got " +
                         llvm::Twine(size));
  if (fill.width == 0 || fill.height == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a fill of at least 1 element, got 0");
  size_t bytes = llvm::SaturatingMultiply<size_t>(fill.width, size);
  bool hasRows = fill.height > 1;
  if (fill.dst % size != 0 ||
      (hasRows && (fill.pitch % size != 0 || fill.pitch < bytes)))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an address and a pitch aligned to " +
                         llvm::Twine(size) +
                         ", and rows apart, got address 0x" +
                         llvm::Twine::utohexstr(fill.dst) + " and pitch " +
                         llvm::Twine(fill.pitch));
  size_t all = llvm::SaturatingMultiplyAdd(fill.height - 1, fill.pitch, bytes);
  return checkEnd(call, onDevice(fill.dst), all);
}

template <typename Value>
static void fillRow(void *row, unsigned value, size_t width) {
  std::fill_n(static_cast<Value *>(row), width, Value(value));
}

std::string driver::runFill(State &state,
                            const CUDA_MEMSET_NODE_PARAMS_v1 &fill) {
  size_t bytes = fill.width * fill.elementSize;
  size_t all = (fill.height - 1) * fill.pitch + bytes;
  if (!isThere(state, fill.dst, all))
    return ("a fill of " + llvm::Twine(all) + " bytes at 0x" +
            llvm::Twine::utohexstr(fill.dst) +
            ", which is in no live allocation")
        .str();
  auto *fillOne = fill.elementSize == 1   ? fillRow<uint8_t>
                  : fill.elementSize == 2 ? fillRow<uint16_t>
                                          : fillRow<uint32_t>;
  for (size_t y = 0; y != fill.height; ++y) {
    auto *row = reinterpret_cast<void *>(fill.dst + y * fill.pitch);
    fillOne(row, fill.value, fill.width);
    state.memory.markInitialized(row, bytes);
  }
  return "";
}

/// `pitch` is in bytes, `width` in values.
template <typename Value>
static CUresult fill(const char *name, CUdeviceptr to, size_t pitch,
                     Value value, size_t width, size_t height,
                     MaybeStream stream = std::nullopt) {
  Call call(name, stream.value_or(nullptr));
  if (!call)
    return call.status();
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  CUDA_MEMSET_NODE_PARAMS_v1 step = {
      to, pitch, unsigned(value), sizeof(Value), width, height};
  if (CUresult bad = checkFill(call, step))
    return bad;
  return doInOrder(call, stream, onDevice(to), FillStep{step});
}

namespace tc::runtime {
extern "C" {

/// The fills with one type of value.
#define TC_FILL(type, Value)                                                   \
  CUresult cuMemset##type##_v2(CUdeviceptr to, Value value, size_t count) {    \
    return fill("cuMemset" #type, to, 0, value, count, 1);                     \
  }                                                                            \
  CUresult cuMemset##type##Async(CUdeviceptr to, Value value, size_t count,    \
                                 CUstream stream) {                            \
    return fill("cuMemset" #type "Async", to, 0, value, count, 1, stream);     \
  }                                                                            \
  CUresult cuMemsetD2##type##_v2(CUdeviceptr to, size_t pitch, Value value,    \
                                 size_t width, size_t height) {                \
    return fill("cuMemsetD2" #type, to, pitch, value, width, height);          \
  }                                                                            \
  CUresult cuMemsetD2##type##Async(CUdeviceptr to, size_t pitch, Value value,  \
                                   size_t width, size_t height,                \
                                   CUstream stream) {                          \
    return fill("cuMemsetD2" #type "Async", to, pitch, value, width, height,   \
                stream);                                                       \
  }
TC_FILL(D8, unsigned char)
TC_FILL(D16, unsigned short)
TC_FILL(D32, unsigned)
#undef TC_FILL
}
} // namespace tc::runtime
