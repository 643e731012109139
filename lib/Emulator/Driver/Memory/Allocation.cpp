//===- Allocation.cpp - Memory of the emulated driver ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device, managed and pinned memory all come from the emulator's memory, at
// host addresses. Registered host memory keeps its place.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Memory/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// Allocates in the call's context.
static CUresult allocate(Call &call, uintptr_t &address, size_t bytes,
                         Owner owner, CUmemoryPool pool = nullptr) {
  if (bytes == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected at least 1 byte, got 0");
  size_t left = getTotalMemory() - call.state.memory.used();
  if (bytes > left)
    return call.fail(CUDA_ERROR_OUT_OF_MEMORY,
                     "expected at most " + llvm::Twine(left) +
                         " bytes, which are left, got " + llvm::Twine(bytes));
  // Memory that the host can reach it may write without a call.
  auto contents = owner == Owner::Device ? Memory::Contents::Fresh
                                         : Memory::Contents::Known;
  llvm::Expected<void *> memory = call.state.memory.allocate(bytes, contents);
  if (!memory)
    return call.fail(CUDA_ERROR_OUT_OF_MEMORY,
                     llvm::toString(memory.takeError()));
  address = reinterpret_cast<uintptr_t>(*memory);
  call.state.ranges[address] = {bytes,
                                owner,
                                call.handle,
                                nullptr,
                                pool,
                                ++call.state.allocations,
                                call.state.noteCaller()};
  count(call.state, pool, bytes, /*isFreed=*/false);
  return CUDA_SUCCESS;
}

CUresult driver::allocateDevice(Call &call, CUdeviceptr *address, size_t bytes,
                                Owner owner, CUmemoryPool pool) {
  if (CUresult bad = checkPlace(call, address))
    return bad;
  uintptr_t allocated = 0;
  CUresult result = allocate(call, allocated, bytes, owner, pool);
  if (result == CUDA_SUCCESS)
    *address = allocated;
  if (result == CUDA_SUCCESS && pool && call.state.races.isOn())
    call.submit([=](const Turn &turn) {
      turn.state.races.tellAllocated(turn, allocated, bytes);
      return true;
    });
  return result;
}

static CUresult allocateHost(const char *name, void **address, size_t bytes) {
  Call call(name, Needs::Quiet);
  if (CUresult bad = checkPlace(call, address))
    return bad;
  uintptr_t allocated = 0;
  CUresult result = allocate(call, allocated, bytes, Owner::PinnedHost);
  if (result == CUDA_SUCCESS)
    *address = reinterpret_cast<void *>(allocated);
  return result;
}

/// The same of memory that a node of a graph has allocated.
static CUresult releaseReserved(Call &call, uintptr_t address,
                                bool isInStream) {
  if (isInStream)
    call.submit(makeWork(FreeStep{address}, call.handle, /*callers=*/{}));
  else
    freeReserved(call.state, address);
  return CUDA_SUCCESS;
}

/// Frees what one of the `owners` begins at `address`: in the order of the
/// stream that was entered, or once all work of the context is done.
static CUresult release(Call &call, uintptr_t address,
                        std::initializer_list<Owner> owners, bool isInStream) {
  State &state = call.state;
  if (!isInStream)
    if (CUresult bad = checkMayWait(call))
      return bad;
  auto known = state.ranges.find(address);
  if (!isInStream && known != state.ranges.end())
    call.waitForAll(known->second.context);
  auto range = state.ranges.find(address);
  if (range == state.ranges.end() ||
      !llvm::is_contained(owners, range->second.owner))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected the start of a live allocation, got address 0x" +
                         llvm::utohexstr(address));
  if (isReserved(state, address))
    return releaseReserved(call, address, isInStream);
  size_t bytes = range->second.bytes;
  count(state, range->second.pool, bytes, /*isFreed=*/true);
  state.ranges.erase(range);
  auto giveBack = [address](State &state) {
    // The range was the driver's, so a refusal has nothing to tell.
    llvm::consumeError(state.memory.release(reinterpret_cast<void *>(address)));
  };
  if (!isInStream) {
    state.races.forget(address, bytes);
    giveBack(state);
  } else
    call.submit([giveBack, address, bytes](const Turn &turn) {
      turn.state.races.tellFreed(turn, address, bytes);
      giveBack(turn.state);
      return true;
    });
  return CUDA_SUCCESS;
}

/// Whether any range touches the bytes.
static bool touches(State &state, uintptr_t address, size_t bytes) {
  if (state.findRange(address) != state.ranges.end())
    return true;
  auto next = state.ranges.lower_bound(address);
  return next != state.ranges.end() && next->first - address < bytes;
}

/// An attribute of an address in a range; false for one that is not known.
static bool getAttribute(void *value, CUpointer_attribute attribute,
                         uintptr_t address, uintptr_t start,
                         const Range &range) {
  bool host =
      range.owner == Owner::PinnedHost || range.owner == Owner::RegisteredHost;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *static_cast<CUcontext *>(value) = range.context;
    return true;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) =
        host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<CUdeviceptr *>(value) = address;
    return true;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *static_cast<uintptr_t *>(value) = address;
    return host || range.owner == Owner::Managed;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *static_cast<bool *>(value) = range.owner == Owner::Managed;
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) = 0;
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<CUdeviceptr *>(value) = start;
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *static_cast<size_t *>(value) = range.bytes;
    return true;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    *static_cast<uint64_t *>(value) = range.number;
    return true;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: // all calls synchronise
  case CU_POINTER_ATTRIBUTE_MAPPED:
    *static_cast<bool *>(value) = true;
    return true;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    *static_cast<CUmemoryPool *>(value) = range.pool;
    return true;
  default:
    return false;
  }
}

namespace tc::runtime {
extern "C" {

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  Call call("cuMemAlloc", Needs::Quiet);
  return allocateDevice(call, address, bytes, Owner::Device);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned) {
  Call call("cuMemAllocManaged", Needs::Quiet);
  return allocateDevice(call, address, bytes, Owner::Managed);
}

/// Rows are a multiple of 512 bytes apart, as on a GPU.
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width,
                            size_t height, unsigned elementBytes) {
  Call call("cuMemAllocPitch", Needs::Quiet);
  if (CUresult bad = checkPlace(call, pitch))
    return bad;
  if (elementBytes != 4 && elementBytes != 8 && elementBytes != 16)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected elements of 4, 8 or 16 bytes, got " +
                         llvm::Twine(elementBytes));
  *pitch = llvm::alignTo(std::min(width, SIZE_MAX / 2), 512);
  size_t bytes = llvm::SaturatingMultiply<size_t>(*pitch, height);
  return allocateDevice(call, address, bytes, Owner::Device);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Call call("cuMemFree", Needs::Driver);
  if (!call || address == 0)
    return call.status();
  return release(call, address, {Owner::Device, Owner::Managed},
                 /*isInStream=*/false);
}

/// Memory can be given back even where a kernel has failed.
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Call call("cuMemFreeAsync", Needs::Driver);
  if (!call || address == 0)
    return call.status();
  CUresult bad = call.enter(stream);
  if (bad == CUDA_ERROR_INVALID_HANDLE)
    return bad;
  if (Capture *capture = nullptr; bad == CUDA_SUCCESS) {
    if (CUresult refused = findCapture(call, capture))
      return refused;
    if (capture)
      return captureFree(call, *capture, address);
  }
  return release(call, address, {Owner::Device, Owner::Managed},
                 /*isInStream=*/bad == CUDA_SUCCESS);
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call("cuMemGetInfo", Needs::Context);
  if (CUresult bad = checkPlace(call, free ? total : nullptr))
    return bad;
  *total = getTotalMemory();
  *free = *total - call.state.memory.used();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  return allocateHost("cuMemHostAlloc", address, bytes);
}

CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
  return allocateHost("cuMemAllocHost", address, bytes);
}

CUresult cuMemFreeHost(void *address) {
  Call call("cuMemFreeHost", Needs::Driver);
  if (!call)
    return call.status();
  return release(call, reinterpret_cast<uintptr_t>(address),
                 {Owner::PinnedHost}, /*isInStream=*/false);
}

CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned) {
  Call call("cuMemHostRegister", Needs::Quiet);
  if (!call)
    return call.status();
  if (!address || bytes == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected host memory of at least 1 byte, got null or 0");
  auto start = reinterpret_cast<uintptr_t>(address);
  if (touches(call.state, start, bytes))
    return call.fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                     "expected host memory that is not registered, got " +
                         llvm::Twine(bytes) + " bytes at 0x" +
                         llvm::utohexstr(start) + ", which are in part");
  if (llvm::Error error = call.state.memory.registerHost(address, bytes))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     llvm::toString(std::move(error)));
  call.state.ranges[start] = {bytes, Owner::RegisteredHost, call.handle};
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *address) {
  Call call("cuMemHostUnregister", Needs::Driver);
  if (!call)
    return call.status();
  if (CUresult bad = checkMayWait(call))
    return bad;
  auto start = reinterpret_cast<uintptr_t>(address);
  auto known = call.state.ranges.find(start);
  if (known != call.state.ranges.end())
    call.waitForAll(known->second.context);
  auto range = call.state.ranges.find(start);
  if (range == call.state.ranges.end() ||
      range->second.owner != Owner::RegisteredHost)
    return call.fail(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                     "expected the start of registered memory, got address 0x" +
                         llvm::utohexstr(start));
  call.state.ranges.erase(range);
  if (llvm::Error error = call.state.memory.unregisterHost(address))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     llvm::toString(std::move(error)));
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host,
                                      unsigned) {
  Call call("cuMemHostGetDevicePointer", Needs::Context);
  if (CUresult bad = checkPlace(call, device))
    return bad;
  auto address = reinterpret_cast<uintptr_t>(host);
  auto range = call.state.findRange(address);
  if (range == call.state.ranges.end())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected pinned or registered memory, got address 0x" +
                         llvm::utohexstr(address));
  *device = address;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Questions about an address
//===----------------------------------------------------------------------===//

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes,
                                 CUdeviceptr address) {
  Call call("cuMemGetAddressRange", Needs::Context);
  if (!call)
    return call.status();
  auto range = call.state.findRange(address);
  if (range == call.state.ranges.end())
    return call.fail(CUDA_ERROR_NOT_FOUND,
                     "expected an address in a live allocation, got 0x" +
                         llvm::utohexstr(address));
  if (base)
    *base = range->first;
  if (bytes)
    *bytes = range->second.bytes;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  Call call("cuPointerGetAttribute", Needs::Driver);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  auto range = call.state.findRange(address);
  if (range == call.state.ranges.end())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an address the driver knows, got 0x" +
                         llvm::utohexstr(address));
  if (!getAttribute(value, attribute, address, range->first, range->second))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute that this address has, got " +
                         llvm::Twine(attribute));
  return CUDA_SUCCESS;
}

/// Zero for every attribute that the address does not have.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **values, CUdeviceptr address) {
  Call call("cuPointerGetAttributes", Needs::Driver);
  if (CUresult bad = checkPlace(call, attributes ? values : nullptr))
    return bad;
  auto range = call.state.findRange(address);
  for (unsigned i = 0; i < count; ++i) {
    bool isInt = attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                 attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    bool isBool = attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                  attributes[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                  attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED;
    if (CUresult bad = checkPlace(call, values[i]))
      return bad;
    if (range == call.state.ranges.end() ||
        !getAttribute(values[i], attributes[i], address, range->first,
                      range->second))
      memset(values[i], 0, isInt ? 4 : isBool ? 1 : 8);
  }
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
