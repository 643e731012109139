//===- Device.cpp - The device, as the runtime tells of it ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties are the driver's attributes by other names.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

#include <cstddef>
#include <cstring>

using namespace tc::cudart;

namespace {

/// cudaDeviceProp of CUDA 13.
struct Properties {
  char name[256], uuid[16], luid[8];
  unsigned luidMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int textures[25], surfaces[14];
  size_t surfaceAlignment;
  int concurrentKernels, eccEnabled, pciBusID, pciDeviceID, pciDomainID,
      tccDriver, asyncEngineCount, unifiedAddressing, memoryBusWidth,
      l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard,
      multiGpuBoardGroupID, hostNativeAtomicSupported, pageableMemoryAccess,
      concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported,
      hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
      unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled,
      hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported, reserved[56];
};

/// Where the value of an attribute of the driver goes.
struct IntProperty {
  CUdevice_attribute attribute;
  int Properties::*place;
};
struct SizeProperty {
  CUdevice_attribute attribute;
  size_t Properties::*place;
};

constexpr IntProperty ints[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &Properties::regsPerBlock},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &Properties::warpSize},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
     &Properties::maxThreadsPerBlock},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &Properties::major},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &Properties::minor},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
     &Properties::multiProcessorCount},
    {18, &Properties::integrated},
    {19, &Properties::canMapHostMemory},
    {31, &Properties::concurrentKernels},
    {40, &Properties::asyncEngineCount},
    {41, &Properties::unifiedAddressing},
    {37, &Properties::memoryBusWidth},
    {38, &Properties::l2CacheSize},
    {108, &Properties::persistingL2CacheMaxSize},
    {39, &Properties::maxThreadsPerMultiProcessor},
    {78, &Properties::streamPrioritiesSupported},
    {79, &Properties::globalL1CacheSupported},
    {80, &Properties::localL1CacheSupported},
    {82, &Properties::regsPerMultiprocessor},
    {83, &Properties::managedMemory},
    {88, &Properties::pageableMemoryAccess},
    {89, &Properties::concurrentManagedAccess},
    {91, &Properties::canUseHostPointerForRegisteredMem},
    {95, &Properties::cooperativeLaunch},
    {99, &Properties::hostRegisterSupported},
    {106, &Properties::maxBlocksPerMultiProcessor},
    {109, &Properties::accessPolicyMaxWindowSize},
    {115, &Properties::memoryPoolsSupported},
    {120, &Properties::clusterLaunch},
};

constexpr SizeProperty sizes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
     &Properties::sharedMemPerBlock},
    {11, &Properties::memPitch},
    {9, &Properties::totalConstMem},
    {14, &Properties::textureAlignment},
    {81, &Properties::sharedMemPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     &Properties::sharedMemPerBlockOptin},
    {111, &Properties::reservedSharedMemPerBlock},
};

Error fill(const Driver &d, Properties &to, int device) {
  to = {};
  CUuuid uuid = {};
  if (CUresult bad = d.cuDeviceGetName(to.name, sizeof(to.name), device))
    return bad;
  if (CUresult bad = d.cuDeviceTotalMem_v2(&to.totalGlobalMem, device))
    return bad;
  if (d.cuDeviceGetUuid_v2 && !d.cuDeviceGetUuid_v2(&uuid, device))
    std::memcpy(to.uuid, uuid.bytes, sizeof(to.uuid));
  auto get = [&](CUdevice_attribute attribute) {
    int value = 0;
    return d.cuDeviceGetAttribute(&value, attribute, device) ? 0 : value;
  };
  for (const IntProperty &one : ints)
    to.*one.place = get(one.attribute);
  for (const SizeProperty &one : sizes)
    to.*one.place = size_t(get(one.attribute));
  for (int i = 0; i < 3; ++i) {
    to.maxThreadsDim[i] = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
    to.maxGridSize[i] = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
  }
  return 0;
}

} // namespace

// As driver_types.h of CUDA 13 has it.
static_assert(offsetof(Properties, surfaceAlignment) == 552 &&
              offsetof(Properties, sharedMemPerBlockOptin) == 672 &&
              sizeof(Properties) == 1008);

extern "C" {

Error cudaGetDeviceCount(int *count) {
  return call([=](const Driver &d) { return d.cuDeviceGetCount(count); });
}

Error cudaSetDevice(int device) {
  return call([=](const Driver &) -> Error {
    return device == 0 ? 0 : CUDA_ERROR_INVALID_DEVICE;
  });
}

Error cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
}

Error cudaSetValidDevices(int *, int) { return 0; }

Error cudaGetDevice(int *device) {
  return call([=](const Driver &) -> Error {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return 0;
  });
}

Error cudaChooseDevice(int *device, const void *) {
  return cudaGetDevice(device);
}

Error cudaGetDeviceProperties(void *place, int device) {
  return call([=](const Driver &d) -> Error {
    if (!place)
      return CUDA_ERROR_INVALID_VALUE;
    return fill(d, *static_cast<Properties *>(place), device);
  });
}

Error cudaDeviceGetAttribute(int *value, int attribute, int device) {
  return call([=](const Driver &d) {
    return d.cuDeviceGetAttribute(value, attribute, device);
  });
}

Error cudaDeviceSynchronize() {
  return call([](const Driver &d) { return d.cuCtxSynchronize(); });
}

/// What is still allocated is freed, so that leaks show at the end alone.
Error cudaDeviceReset() {
  return call([](const Driver &d) { return d.cuCtxSynchronize(); });
}

Error cudaDeviceSetLimit(int limit, size_t value) {
  return call([=](const Driver &d) { return d.cuCtxSetLimit(limit, value); });
}

Error cudaDeviceGetLimit(size_t *value, int limit) {
  return call([=](const Driver &d) { return d.cuCtxGetLimit(value, limit); });
}

Error cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return call([=](const Driver &d) {
    return d.cuCtxGetStreamPriorityRange(least, greatest);
  });
}

Error cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return call([=](const Driver &d) {
    return d.cuDeviceGetPCIBusId(text, length, device);
  });
}

Error cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return call(
      [=](const Driver &d) { return d.cuDeviceGetByPCIBusId(device, text); });
}

/// There is one device.
Error cudaDeviceCanAccessPeer(int *can, int, int) {
  if (can)
    *can = 0;
  return 0;
}
Error cudaDeviceEnablePeerAccess(int, unsigned) {
  return keep(CUDA_ERROR_INVALID_DEVICE);
}
Error cudaDeviceDisablePeerAccess(int) {
  return keep(CUDA_ERROR_INVALID_DEVICE);
}

// Preferences, on which nothing hangs.
Error cudaSetDeviceFlags(unsigned) { return 0; }
Error cudaGetDeviceFlags(unsigned *flags) {
  if (flags)
    *flags = 0;
  return 0;
}
Error cudaDeviceSetCacheConfig(int) { return 0; }
Error cudaDeviceGetCacheConfig(int *config) {
  if (config)
    *config = 0;
  return 0;
}
Error cudaDeviceSetSharedMemConfig(int) { return 0; }
Error cudaDeviceGetSharedMemConfig(int *config) {
  if (config)
    *config = 0;
  return 0;
}
Error cudaCtxResetPersistingL2Cache() { return 0; }
Error cudaProfilerStart() { return 0; }
Error cudaProfilerStop() { return 0; }
}
