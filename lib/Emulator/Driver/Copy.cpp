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

#include "Memory.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

CUresult driver::checkEnd(const Call &call, End end, size_t bytes) {
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

void driver::transfer(State &state, uintptr_t to, uintptr_t from,
                      size_t bytes) {
  auto *target = reinterpret_cast<void *>(to);
  memmove(target, reinterpret_cast<const void *>(from), bytes);
  state.memory.markInitialized(target, bytes);
}

CUresult driver::doInOrder(Call &call, Mode mode, llvm::ArrayRef<End> ends,
                           llvm::unique_function<void(State &)> work) {
  bool waits = llvm::any_of(ends, [&](End end) {
    auto range = call.state.findRange(end.address);
    if (range == call.state.ranges.end())
      return true;
    Owner owner = range->second.owner;
    return mode == Mode::Synchronous && owner != Owner::Device &&
           owner != Owner::Variable;
  });
  uint64_t ticket =
      call.submit([work = std::move(work)](const Turn &turn) mutable {
        if (!turn.fault)
          work(turn.state);
        return true;
      });
  return waits ? call.wait(ticket, call.handle) : CUDA_SUCCESS;
}

static CUresult copy(const char *name, End to, End from, size_t bytes,
                     Mode mode = Mode::Synchronous, CUstream stream = nullptr) {
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
  return doInOrder(call, mode, {to, from}, [=](State &state) {
    transfer(state, to.address, from.address, bytes);
  });
}

template <typename Value>
static CUresult fill(const char *name, CUdeviceptr to, Value value,
                     size_t count, Mode mode = Mode::Synchronous,
                     CUstream stream = nullptr) {
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
  if (CUresult bad = checkEnd(call, onDevice(to), bytes))
    return bad;
  return doInOrder(call, mode, onDevice(to),
                   [=](State &state) { fillValues(state, to, value, count); });
}

namespace tc::runtime {
extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpy", onEither(to), onEither(from), bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return copy("cuMemcpyAsync", onEither(to), onEither(from), bytes,
              Mode::Asynchronous, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD", onDevice(to), onHost(from), bytes);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoH", onHost(to), onDevice(from), bytes);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoD", onDevice(to), onDevice(from), bytes);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyHtoDAsync", onDevice(to), onHost(from), bytes,
              Mode::Asynchronous, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyDtoHAsync", onHost(to), onDevice(from), bytes,
              Mode::Asynchronous, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return copy("cuMemcpyDtoDAsync", onDevice(to), onDevice(from), bytes,
              Mode::Asynchronous, stream);
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
  return fill("cuMemsetD8Async", to, value, count, Mode::Asynchronous, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return fill("cuMemsetD16Async", to, value, count, Mode::Asynchronous, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return fill("cuMemsetD32Async", to, value, count, Mode::Asynchronous, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                      size_t bytes) {
  return copy("cuMemcpyPeer", onDevice(to), onDevice(from), bytes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext, size_t bytes, CUstream stream) {
  return copy("cuMemcpyPeerAsync", onDevice(to), onDevice(from), bytes,
              Mode::Asynchronous, stream);
}
}
} // namespace tc::runtime
