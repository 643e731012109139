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
  size_t bytes = llvm::SaturatingMultiply(width, sizeof(Value));
  if (to % sizeof(Value) != 0 || pitch % sizeof(Value) != 0 ||
      (height > 1 && pitch < bytes))
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "expected an address and a pitch aligned to " +
            llvm::Twine(sizeof(Value)) + ", and rows apart, got address 0x" +
            llvm::Twine::utohexstr(to) + " and pitch " + llvm::Twine(pitch));
  size_t all = llvm::SaturatingMultiplyAdd(height - 1, pitch, bytes);
  if (CUresult bad = checkEnd(call, onDevice(to), all))
    return bad;
  return doInOrder(call, stream, onDevice(to), [=](State &state) {
    for (size_t y = 0; y != height; ++y) {
      auto *row = reinterpret_cast<Value *>(to + y * pitch);
      std::fill_n(row, width, value);
      state.memory.markInitialized(row, bytes);
    }
  });
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
