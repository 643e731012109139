//===- Copy.cpp - Copies and fills of the emulated driver -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device addresses are host addresses, so a copy is a memmove once its device
// side is known to lie inside one allocation.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

/// What one end of a copy must be.
enum class Side {
  Device, ///< inside one allocation
  Host,   ///< not null
  Either  ///< inside one allocation if it begins in one, else host memory
};

struct End {
  uintptr_t address;
  Side side;
};

} // namespace

static End device(CUdeviceptr address) {
  return {static_cast<uintptr_t>(address), Side::Device};
}
static End either(CUdeviceptr address) {
  return {static_cast<uintptr_t>(address), Side::Either};
}
static End host(const void *address) {
  return {reinterpret_cast<uintptr_t>(address), Side::Host};
}

/// Checks that `bytes` (>= 1) may be touched at one end.
static CUresult checkEnd(const Call &call, End end, size_t bytes) {
  if (end.address == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected an address, got null");
  auto range = call.state.findRange(end.address);
  if (range == call.state.ranges.end()) {
    if (end.side != Side::Device)
      return CUDA_SUCCESS;
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an address in a live allocation, got 0x" +
                         llvm::utohexstr(end.address));
  }
  size_t left = range->first + range->second.bytes - end.address;
  if (bytes <= left)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_INVALID_VALUE,
                   "expected at most " + llvm::Twine(left) +
                       " bytes from address 0x" + llvm::utohexstr(end.address) +
                       " to the end of its allocation, got " +
                       llvm::Twine(bytes));
}

static CUresult copy(const char *name, End to, End from, size_t bytes,
                     CUstream stream = nullptr) {
  Call call(name, Needs::Driver);
  if (!call)
    return call.status();
  if (CUresult bad = call.enter(stream))
    return bad;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (CUresult bad = checkEnd(call, to, bytes))
    return bad;
  if (CUresult bad = checkEnd(call, from, bytes))
    return bad;
  memmove(reinterpret_cast<void *>(to.address),
          reinterpret_cast<const void *>(from.address), bytes);
  return CUDA_SUCCESS;
}

template <typename Value>
static CUresult fill(const char *name, CUdeviceptr to, Value value,
                     size_t count, CUstream stream = nullptr) {
  Call call(name, Needs::Driver);
  if (!call)
    return call.status();
  if (CUresult bad = call.enter(stream))
    return bad;
  if (count == 0)
    return CUDA_SUCCESS;
  if (to % sizeof(Value) != 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an address aligned to " +
                         llvm::Twine(sizeof(Value)) + ", got 0x" +
                         llvm::utohexstr(to));
  size_t bytes =
      count > SIZE_MAX / sizeof(Value) ? SIZE_MAX : count * sizeof(Value);
  if (CUresult bad = checkEnd(call, device(to), bytes))
    return bad;
  std::fill_n(reinterpret_cast<Value *>(static_cast<uintptr_t>(to)), count,
              value);
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpy", either(to), either(from), bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return copy("cuMemcpyAsync", either(to), either(from), bytes, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD", device(to), host(from), bytes);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoH", host(to), device(from), bytes);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoD", device(to), device(from), bytes);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyHtoDAsync", device(to), host(from), bytes, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyDtoHAsync", host(to), device(from), bytes, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyDtoDAsync", device(to), device(from), bytes, stream);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fill("cuMemsetD8", to, value, count);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return fill("cuMemsetD16", to, value, count);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fill("cuMemsetD32", to, value, count);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return fill("cuMemsetD8Async", to, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return fill("cuMemsetD16Async", to, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return fill("cuMemsetD32Async", to, value, count, stream);
}
}
} // namespace tc::runtime
