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

#include "Memory/Memory.h"

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

CUresult driver::doInOrder(Call &call, MaybeStream stream,
                           llvm::ArrayRef<End> ends,
                           llvm::unique_function<void(State &)> work) {
  bool waits = llvm::any_of(ends, [&](End end) {
    auto range = call.state.findRange(end.address);
    if (range == call.state.ranges.end())
      return true;
    Owner owner = range->second.owner;
    return !stream && owner != Owner::Device && owner != Owner::Variable;
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
                     MaybeStream stream = std::nullopt) {
  Call call(name, stream.value_or(nullptr));
  if (!call)
    return call.status();
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (CUresult bad = checkEnd(call, to, bytes))
    return bad;
  if (CUresult bad = checkEnd(call, from, bytes))
    return bad;
  return doInOrder(call, stream, {to, from}, [=](State &state) {
    transfer(state, to.address, from.address, bytes);
  });
}

namespace tc::runtime {
extern "C" {

/// A copy and its asynchronous form.
#define TC_COPY(name, form, To, onTo, From, onFrom)                            \
  CUresult name##form(To to, From from, size_t bytes) {                        \
    return copy(#name, onTo(to), onFrom(from), bytes);                         \
  }                                                                            \
  CUresult name##Async##form(To to, From from, size_t bytes,                   \
                             CUstream stream) {                                \
    return copy(#name "Async", onTo(to), onFrom(from), bytes, stream);         \
  }
TC_COPY(cuMemcpy, , CUdeviceptr, onEither, CUdeviceptr, onEither)
TC_COPY(cuMemcpyHtoD, _v2, CUdeviceptr, onDevice, const void *, onHost)
TC_COPY(cuMemcpyDtoH, _v2, void *, onHost, CUdeviceptr, onDevice)
TC_COPY(cuMemcpyDtoD, _v2, CUdeviceptr, onDevice, CUdeviceptr, onDevice)
#undef TC_COPY

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                      size_t bytes) {
  return copy("cuMemcpyPeer", onDevice(to), onDevice(from), bytes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext, size_t bytes, CUstream stream) {
  return copy("cuMemcpyPeerAsync", onDevice(to), onDevice(from), bytes, stream);
}
}
} // namespace tc::runtime
