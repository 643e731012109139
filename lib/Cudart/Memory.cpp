//===- Memory.cpp - Memory of the runtime ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, and what is asked about an address.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

using namespace tc::cudart;

namespace {

/// cudaPitchedPtr and cudaExtent.
struct Pitched {
  void *pointer;
  size_t pitch, width, height;
};
struct Extent {
  size_t width, height, depth;
};

/// cudaPointerAttributes; the kinds are unregistered, host, device and managed.
struct PointerAttributes {
  int kind, device;
  void *devicePointer, *hostPointer;
  long reserved[8];
};

CUdeviceptr *toPlace(void **place) {
  return reinterpret_cast<CUdeviceptr *>(place);
}

} // namespace

extern "C" {

/// The driver refuses to allocate nothing, which the runtime does.
Error cudaMalloc(void **place, size_t bytes) {
  return call([=](const Driver &d) -> Error {
    if (place && !bytes) {
      *place = nullptr;
      return 0;
    }
    return d.cuMemAlloc_v2(toPlace(place), bytes);
  });
}

Error cudaFree(void *pointer) {
  return call(
      [=](const Driver &d) { return d.cuMemFree_v2(toDevice(pointer)); });
}

Error cudaMallocManaged(void **place, size_t bytes, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuMemAllocManaged(toPlace(place), bytes, flags);
  });
}

Error cudaMallocPitch(void **place, size_t *pitch, size_t width,
                      size_t height) {
  return call([=](const Driver &d) {
    return d.cuMemAllocPitch_v2(toPlace(place), pitch, width, height, 16);
  });
}

Error cudaMalloc3D(void *given, Extent extent) {
  auto *to = static_cast<Pitched *>(given);
  return call([=](const Driver &d) -> Error {
    if (!to)
      return CUDA_ERROR_INVALID_VALUE;
    *to = {nullptr, 0, extent.width, extent.height};
    size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return CUDA_ERROR_OUT_OF_MEMORY;
    return d.cuMemAllocPitch_v2(toPlace(&to->pointer), &to->pitch, extent.width,
                                rows, 16);
  });
}

Error cudaHostAlloc(void **place, size_t bytes, unsigned flags) {
  return call(
      [=](const Driver &d) { return d.cuMemHostAlloc(place, bytes, flags); });
}

Error cudaMallocHost(void **place, size_t bytes) {
  return cudaHostAlloc(place, bytes, 0);
}

Error cudaFreeHost(void *pointer) {
  return call([=](const Driver &d) -> Error {
    return pointer ? Error(d.cuMemFreeHost(pointer)) : 0;
  });
}

Error cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuMemHostRegister_v2(pointer, bytes, flags);
  });
}

Error cudaHostUnregister(void *pointer) {
  return call([=](const Driver &d) { return d.cuMemHostUnregister(pointer); });
}

Error cudaHostGetDevicePointer(void **place, void *pointer, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuMemHostGetDevicePointer_v2(toPlace(place), pointer, flags);
  });
}

Error cudaHostGetFlags(unsigned *flags, void *pointer) {
  return call(
      [=](const Driver &d) { return d.cuMemHostGetFlags(flags, pointer); });
}

Error cudaMemGetInfo(size_t *free, size_t *total) {
  return call([=](const Driver &d) { return d.cuMemGetInfo_v2(free, total); });
}

Error cudaMallocAsync(void **place, size_t bytes, CUstream stream) {
  return call([=](const Driver &d) {
    return d.cuMemAllocAsync(toPlace(place), bytes, stream);
  });
}

Error cudaMallocFromPoolAsync(void **place, size_t bytes, CUmemoryPool pool,
                              CUstream stream) {
  return call([=](const Driver &d) {
    return d.cuMemAllocFromPoolAsync(toPlace(place), bytes, pool, stream);
  });
}

Error cudaFreeAsync(void *pointer, CUstream stream) {
  return call([=](const Driver &d) {
    return d.cuMemFreeAsync(toDevice(pointer), stream);
  });
}

Error cudaMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return call(
      [=](const Driver &d) { return d.cuMemPoolCreate(pool, properties); });
}

Error cudaMemPoolDestroy(CUmemoryPool pool) {
  return call([=](const Driver &d) { return d.cuMemPoolDestroy(pool); });
}

Error cudaMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value) {
  return call([=](const Driver &d) {
    return d.cuMemPoolSetAttribute(pool, attribute, value);
  });
}

Error cudaMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value) {
  return call([=](const Driver &d) {
    return d.cuMemPoolGetAttribute(pool, attribute, value);
  });
}

Error cudaMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return call([=](const Driver &d) { return d.cuMemPoolTrimTo(pool, bytes); });
}

Error cudaMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access,
                           size_t count) {
  return call([=](const Driver &d) {
    return d.cuMemPoolSetAccess(pool, access, count);
  });
}

Error cudaDeviceGetDefaultMemPool(CUmemoryPool *pool, int device) {
  return call([=](const Driver &d) {
    return d.cuDeviceGetDefaultMemPool(pool, device);
  });
}

Error cudaDeviceGetMemPool(CUmemoryPool *pool, int device) {
  return call(
      [=](const Driver &d) { return d.cuDeviceGetMemPool(pool, device); });
}

Error cudaDeviceSetMemPool(int device, CUmemoryPool pool) {
  return call(
      [=](const Driver &d) { return d.cuDeviceSetMemPool(device, pool); });
}

Error cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                           CUmemLocation location, unsigned flags,
                           CUstream stream) {
  return call([=](const Driver &d) {
    return d.cuMemPrefetchAsync_v2(toDevice(pointer), bytes, location, flags,
                                   stream);
  });
}

Error cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                    CUmemLocation location) {
  return call([=](const Driver &d) {
    return d.cuMemAdvise_v2(toDevice(pointer), bytes, advice, location);
  });
}

/// Of any address: one that the driver does not know is the host's own.
Error cudaPointerGetAttributes(void *place, const void *pointer) {
  return call([=](const Driver &d) -> Error {
    auto *attributes = static_cast<PointerAttributes *>(place);
    if (!attributes)
      return CUDA_ERROR_INVALID_VALUE;
    *attributes = {0, -2, nullptr, const_cast<void *>(pointer), {}};
    unsigned kind = 0;
    bool isManaged = false;
    CUdeviceptr address = toDevice(pointer);
    if (d.cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                address))
      return 0;
    d.cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                            address);
    bool isHost = kind == CU_MEMORYTYPE_HOST;
    attributes->kind = isManaged ? 3 : isHost ? 1 : 2;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void *>(pointer);
    if (!isHost && !isManaged)
      attributes->hostPointer = nullptr;
    return 0;
  });
}
}
