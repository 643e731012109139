//===- driver_api.h - Calls of the CUDA driver API --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of driver calls. The launcher makes its table of function
// pointers from it, and the emulator its exports, so the two cannot disagree on
// a signature.
//
//   X(name, symbol, since, need, parameters)
//
// name        as documented, and as cuGetProcAddress is asked for
// symbol      as the library exports it
// since       the first CUDA version with this form (1000*major + 10*minor)
// need        Required: a driver without it is refused; Optional: the table
//             holds null
// parameters  of the call, which returns CUresult
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DRIVER_API_H
#define TC_RUNTIME_DRIVER_API_H

#include "tc-runtime/driver_types.h"

// clang-format off

/// The driver itself and its devices.
#define TC_DRIVER_DEVICE_CALLS(X) \
  X(cuInit, cuInit, 2000, Required, (unsigned flags)) \
  X(cuDriverGetVersion, cuDriverGetVersion, 2020, Required, (int *version)) \
  X(cuGetErrorName, cuGetErrorName, 6000, Required, (CUresult error, const char **name)) \
  X(cuGetErrorString, cuGetErrorString, 6000, Required, (CUresult error, const char **text)) \
  X(cuGetProcAddress, cuGetProcAddress, 11030, Optional, (const char *symbol, void **function, int version, uint64_t flags)) \
  X(cuGetProcAddress, cuGetProcAddress_v2, 12000, Optional, (const char *symbol, void **function, int version, uint64_t flags, CUdriverProcAddressQueryResult *status)) \
  X(cuDeviceGet, cuDeviceGet, 2000, Required, (CUdevice *device, int ordinal)) \
  X(cuDeviceGetCount, cuDeviceGetCount, 2000, Required, (int *count)) \
  X(cuDeviceGetName, cuDeviceGetName, 2000, Required, (char *name, int length, CUdevice device)) \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, Required, (int *value, CUdevice_attribute attribute, CUdevice device)) \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, Required, (size_t *bytes, CUdevice device)) \
  X(cuDeviceGetUuid, cuDeviceGetUuid, 9020, Optional, (CUuuid *uuid, CUdevice device)) \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, Optional, (CUuuid *uuid, CUdevice device)) \
  X(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, Optional, (int *major, int *minor, CUdevice device))

/// Contexts.
#define TC_DRIVER_CONTEXT_CALLS(X) \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, Required, (CUcontext *context, CUdevice device)) \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, Required, (CUdevice device)) \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, Optional, (CUdevice device)) \
  X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, Optional, (CUdevice device, unsigned flags)) \
  X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, Optional, (CUdevice device, unsigned *flags, int *active)) \
  X(cuCtxCreate, cuCtxCreate_v2, 3020, Optional, (CUcontext *context, unsigned flags, CUdevice device)) \
  X(cuCtxCreate, cuCtxCreate_v3, 11040, Optional, (CUcontext *context, void *affinity, int affinities, unsigned flags, CUdevice device)) \
  X(cuCtxCreate, cuCtxCreate_v4, 12050, Optional, (CUcontext *context, void *parameters, unsigned flags, CUdevice device)) \
  X(cuCtxDestroy, cuCtxDestroy_v2, 4000, Optional, (CUcontext context)) \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, Required, (CUcontext context)) \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, Required, (CUcontext *context)) \
  X(cuCtxSetCurrent, cuCtxSetCurrent, 4000, Optional, (CUcontext context)) \
  X(cuCtxGetCurrent, cuCtxGetCurrent, 4000, Optional, (CUcontext *context)) \
  X(cuCtxGetDevice, cuCtxGetDevice, 2000, Optional, (CUdevice *device)) \
  X(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, Optional, (CUcontext context, unsigned *version)) \
  X(cuCtxSynchronize, cuCtxSynchronize, 2000, Required, ())

/// Streams and events.
#define TC_DRIVER_STREAM_CALLS(X) \
  X(cuStreamCreate, cuStreamCreate, 2000, Required, (CUstream *stream, unsigned flags)) \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, Optional, (CUstream *stream, unsigned flags, int priority)) \
  X(cuStreamDestroy, cuStreamDestroy_v2, 4000, Required, (CUstream stream)) \
  X(cuStreamSynchronize, cuStreamSynchronize, 2000, Required, (CUstream stream)) \
  X(cuStreamQuery, cuStreamQuery, 2000, Optional, (CUstream stream)) \
  X(cuStreamWaitEvent, cuStreamWaitEvent, 3020, Required, (CUstream stream, CUevent event, unsigned flags)) \
  X(cuEventCreate, cuEventCreate, 2000, Required, (CUevent *event, unsigned flags)) \
  X(cuEventDestroy, cuEventDestroy_v2, 4000, Required, (CUevent event)) \
  X(cuEventRecord, cuEventRecord, 2000, Required, (CUevent event, CUstream stream)) \
  X(cuEventSynchronize, cuEventSynchronize, 2000, Required, (CUevent event)) \
  X(cuEventQuery, cuEventQuery, 2000, Optional, (CUevent event)) \
  X(cuEventElapsedTime, cuEventElapsedTime, 2000, Required, (float *milliseconds, CUevent start, CUevent end)) \
  X(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, Optional, (float *milliseconds, CUevent start, CUevent end))

/// Modules, kernels and launches.
#define TC_DRIVER_MODULE_CALLS(X) \
  X(cuModuleLoad, cuModuleLoad, 2000, Optional, (CUmodule *module, const char *path)) \
  X(cuModuleLoadData, cuModuleLoadData, 2000, Required, (CUmodule *module, const void *image)) \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, Required, (CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)) \
  X(cuModuleUnload, cuModuleUnload, 2000, Required, (CUmodule module)) \
  X(cuModuleGetFunction, cuModuleGetFunction, 2000, Required, (CUfunction *function, CUmodule module, const char *name)) \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020, Optional, (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)) \
  X(cuFuncGetAttribute, cuFuncGetAttribute, 2020, Required, (int *value, CUfunction_attribute attribute, CUfunction function)) \
  X(cuFuncSetAttribute, cuFuncSetAttribute, 9000, Required, (CUfunction function, CUfunction_attribute attribute, int value)) \
  X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, Optional, (CUfunction function, CUfunc_cache config)) \
  X(cuFuncGetModule, cuFuncGetModule, 11000, Optional, (CUmodule *module, CUfunction function)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, Optional, (int *blocks, CUfunction function, int threads, size_t dynamicShared)) \
  X(cuLaunchKernel, cuLaunchKernel, 4000, Required, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicShared, CUstream stream, void **parameters, void **extra)) \
  X(cuLaunchKernelEx, cuLaunchKernelEx, 11060, Optional, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))

/// Allocation.
#define TC_DRIVER_MEMORY_CALLS(X) \
  X(cuMemAlloc, cuMemAlloc_v2, 3020, Required, (CUdeviceptr *address, size_t bytes)) \
  X(cuMemFree, cuMemFree_v2, 3020, Required, (CUdeviceptr address)) \
  X(cuMemAllocAsync, cuMemAllocAsync, 11020, Optional, (CUdeviceptr *address, size_t bytes, CUstream stream)) \
  X(cuMemFreeAsync, cuMemFreeAsync, 11020, Optional, (CUdeviceptr address, CUstream stream)) \
  X(cuMemAllocManaged, cuMemAllocManaged, 6000, Required, (CUdeviceptr *address, size_t bytes, unsigned flags)) \
  X(cuMemHostAlloc, cuMemHostAlloc, 2020, Optional, (void **address, size_t bytes, unsigned flags)) \
  X(cuMemAllocHost, cuMemAllocHost_v2, 3020, Optional, (void **address, size_t bytes)) \
  X(cuMemFreeHost, cuMemFreeHost, 2000, Optional, (void *address)) \
  X(cuMemHostRegister, cuMemHostRegister_v2, 6050, Required, (void *address, size_t bytes, unsigned flags)) \
  X(cuMemHostUnregister, cuMemHostUnregister, 4000, Required, (void *address)) \
  X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, Optional, (CUdeviceptr *device, void *host, unsigned flags)) \
  X(cuMemGetInfo, cuMemGetInfo_v2, 3020, Optional, (size_t *free, size_t *total)) \
  X(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, Optional, (CUdeviceptr *base, size_t *bytes, CUdeviceptr address)) \
  X(cuPointerGetAttribute, cuPointerGetAttribute, 4000, Optional, (void *value, CUpointer_attribute attribute, CUdeviceptr address))

/// Copies and fills.
#define TC_DRIVER_COPY_CALLS(X) \
  X(cuMemcpy, cuMemcpy, 4000, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyAsync, cuMemcpyAsync, 4000, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, Required, (CUdeviceptr to, const void *from, size_t bytes)) \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, Required, (void *to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, Optional, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, Optional, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, Optional, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemsetD8, cuMemsetD8_v2, 3020, Required, (CUdeviceptr to, unsigned char value, size_t count)) \
  X(cuMemsetD16, cuMemsetD16_v2, 3020, Optional, (CUdeviceptr to, unsigned short value, size_t count)) \
  X(cuMemsetD32, cuMemsetD32_v2, 3020, Optional, (CUdeviceptr to, unsigned value, size_t count)) \
  X(cuMemsetD8Async, cuMemsetD8Async, 3020, Optional, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream)) \
  X(cuMemsetD16Async, cuMemsetD16Async, 3020, Required, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream)) \
  X(cuMemsetD32Async, cuMemsetD32Async, 3020, Required, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))

// clang-format on

/// All of them.
#define TC_DRIVER_CALLS(X)                                                     \
  TC_DRIVER_DEVICE_CALLS(X)                                                    \
  TC_DRIVER_CONTEXT_CALLS(X)                                                   \
  TC_DRIVER_STREAM_CALLS(X)                                                    \
  TC_DRIVER_MODULE_CALLS(X)                                                    \
  TC_DRIVER_MEMORY_CALLS(X)                                                    \
  TC_DRIVER_COPY_CALLS(X)

#endif // TC_RUNTIME_DRIVER_API_H
