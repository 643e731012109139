//===- Pool.cpp - Memory pools of the emulated driver ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools count what is allocated from them. Memory that is freed is given back
// at once, whatever a pool's threshold says.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Memory/Memory.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// The device's own pool.
static CUmemoryPool getDefaultPool(State &state) {
  if (!state.defaultPool)
    state.defaultPool = state.currentPool = state.pools.add({});
  return state.defaultPool;
}

void driver::count(State &state, CUmemoryPool handle, size_t bytes,
                   bool isFreed) {
  Pool *pool = state.pools.find(handle);
  if (!pool)
    return;
  uint64_t used = pool->attributes[CU_MEMPOOL_ATTR_USED_MEM_CURRENT] +
                  (isFreed ? uint64_t(0) - bytes : bytes);
  // Reserved and used are the same, each with its highest value behind it.
  for (int current : {CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                      CU_MEMPOOL_ATTR_USED_MEM_CURRENT}) {
    pool->attributes[current] = used;
    uint64_t &high = pool->attributes[current + 1];
    high = std::max(high, used);
  }
}

/// A pool of the device, for `place`.
static CUresult givePool(Call &call, CUmemoryPool *place, CUdevice device,
                         bool wantsCurrent) {
  if (CUresult bad = checkPlace(call, place))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  *place = getDefaultPool(call.state);
  if (wantsCurrent)
    *place = call.state.currentPool;
  return CUDA_SUCCESS;
}

/// The first three attributes are ints, the others 64 bits.
static bool isInt(CUmemPool_attribute attribute) {
  return attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

static CUresult access(Call &call, CUmemoryPool handle,
                       CUmemPool_attribute attribute, void *value,
                       bool isWrite) {
  if (CUresult bad = checkPlace(call, value))
    return bad;
  Pool *pool = call.find(&State::pools, handle);
  if (!pool)
    return call.status();
  if (attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute from 1 to 8, got " +
                         llvm::Twine(attribute));
  uint64_t &place = pool->attributes[attribute];
  if (isWrite)
    place = isInt(attribute) ? *static_cast<const int *>(value)
                             : *static_cast<const uint64_t *>(value);
  else if (isInt(attribute))
    *static_cast<int *>(value) = int(place);
  else
    *static_cast<uint64_t *>(value) = place;
  return CUDA_SUCCESS;
}

static CUresult allocateFrom(Call &call, CUdeviceptr *address, size_t bytes,
                             CUmemoryPool pool) {
  if (!call.find(&State::pools, pool))
    return call.status();
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  if (capture)
    return captureAllocation(call, *capture, bytes, address);
  return allocateDevice(call, address, bytes, Owner::Device, pool);
}

namespace tc::runtime {
extern "C" {

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  Call call("cuDeviceGetDefaultMemPool", Needs::Driver);
  return givePool(call, pool, device, /*wantsCurrent=*/false);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  Call call("cuDeviceGetMemPool", Needs::Driver);
  return givePool(call, pool, device, /*wantsCurrent=*/true);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  Call call("cuDeviceSetMemPool", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  if (!call.find(&State::pools, pool))
    return call.status();
  getDefaultPool(call.state);
  call.state.currentPool = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  Call call("cuMemPoolCreate", Needs::Driver);
  if (CUresult bad = checkPlace(call, properties ? pool : nullptr))
    return bad;
  *pool = call.state.pools.add({});
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  Call call("cuMemPoolDestroy", Needs::Driver);
  if (!call.find(&State::pools, pool))
    return call.status();
  if (pool == call.state.defaultPool)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a pool of cuMemPoolCreate, got the device's");
  if (pool == call.state.currentPool)
    call.state.currentPool = call.state.defaultPool;
  call.state.pools.erase(pool);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  Call call("cuMemPoolSetAttribute", Needs::Driver);
  return access(call, pool, attribute, value, /*isWrite=*/true);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  Call call("cuMemPoolGetAttribute", Needs::Driver);
  return access(call, pool, attribute, value, /*isWrite=*/false);
}

/// Freed memory is given back at once.
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  Call call("cuMemPoolTrimTo", Needs::Driver);
  call.find(&State::pools, pool);
  return call.status();
}

/// The one device may access every pool.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *,
                            size_t) {
  Call call("cuMemPoolSetAccess", Needs::Driver);
  call.find(&State::pools, pool);
  return call.status();
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  Call call("cuMemAllocAsync", stream);
  getDefaultPool(call.state);
  return allocateFrom(call, address, bytes, call.state.currentPool);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  Call call("cuMemAllocFromPoolAsync", stream);
  return allocateFrom(call, address, bytes, pool);
}
}
} // namespace tc::runtime
