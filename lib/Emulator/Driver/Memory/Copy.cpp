//===- Copy.cpp - Copies and fills of the emulated driver -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ends of copies are on the device, and when a call waits for its copy.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Memory/Memory.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

std::optional<size_t> driver::countKnown(State &state, uintptr_t address) {
  auto range = state.findRange(address);
  if (range == state.ranges.end())
    return countReserved(state, address);
  return range->first + range->second.bytes - address;
}

CUresult driver::checkEnd(const Call &call, End end, size_t bytes) {
  if (end.address == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected an address, got null");
  std::optional<size_t> left = countKnown(call.state, end.address);
  if (!left && end.side != Side::Device)
    return CUDA_SUCCESS;
  if (!left)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an address in a live allocation, got 0x" +
                         llvm::utohexstr(end.address));
  if (bytes <= *left)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_INVALID_VALUE,
                   "expected at most " + llvm::Twine(*left) +
                       " bytes from address 0x" + llvm::utohexstr(end.address) +
                       " to the end of its allocation, got " +
                       llvm::Twine(bytes));
}

bool driver::isThere(State &state, uintptr_t address, size_t bytes) {
  if (state.memory.contains(reinterpret_cast<void *>(address), bytes))
    return true;
  auto range = state.findRange(address); // of a variable
  return range != state.ranges.end() &&
         range->second.owner == Owner::Variable &&
         bytes <= range->first + range->second.bytes - address;
}

CUresult driver::doInOrder(Call &call, MaybeStream stream,
                           llvm::ArrayRef<End> ends, Step step) {
  if (!stream)
    if (CUresult bad = checkMayWait(call))
      return bad;
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  if (capture)
    return captureStep(call, *capture, std::move(step));
  auto isAwaited = [&](End end) {
    auto range = call.state.findRange(end.address);
    if (range == call.state.ranges.end())
      return true;
    Owner owner = range->second.owner;
    return !stream && owner != Owner::Device && owner != Owner::Variable;
  };
  uint64_t ticket = call.submit(makeWork(step, call.handle, /*callers=*/{}));
  if (llvm::none_of(ends, isAwaited))
    return CUDA_SUCCESS;
  // Of an asynchronous copy from such memory, only what is read is done: the
  // target may be written later.
  bool isNoticed = !stream || isAwaited(ends.front());
  return isNoticed ? call.wait(ticket, call.handle)
                   : call.waitUnnoticed(ticket, call.handle);
}

static unsigned getType(Side side) {
  return side == Side::Device ? CU_MEMORYTYPE_DEVICE
         : side == Side::Host ? CU_MEMORYTYPE_HOST
                              : CU_MEMORYTYPE_UNIFIED;
}

/// One row.
static CUresult copy(const char *name, End to, End from, size_t bytes,
                     MaybeStream stream = std::nullopt) {
  CUDA_MEMCPY3D row = {};
  row.srcMemoryType = getType(from.side);
  row.srcHost = reinterpret_cast<const void *>(from.address);
  row.srcDevice = from.address;
  row.dstMemoryType = getType(to.side);
  row.dstHost = reinterpret_cast<void *>(to.address);
  row.dstDevice = to.address;
  row.srcPitch = row.dstPitch = row.WidthInBytes = bytes;
  row.Height = row.Depth = 1;
  return copyRows(name, row, stream);
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
