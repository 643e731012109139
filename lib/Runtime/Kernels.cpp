//===- Kernels.cpp - Modules loaded and kernels launched ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of PTX or a cubin with the driver's error log, and launches.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace tc::runtime;

CUresult tc::runtime::loadModule(const Driver &driver, const void *image,
                                 int optimizationLevel, CUmodule &module,
                                 std::string &error) {
  char log[8192] = {};
  // The driver reads numbers from the pointers of the value list.
  auto number = [](uintptr_t value) { return reinterpret_cast<void *>(value); };
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {log, number(sizeof(log)),
                    number(optimizationLevel < 0 ? 0 : optimizationLevel)};
  unsigned count = optimizationLevel < 0 ? 2 : 3;
  CUresult result =
      driver.cuModuleLoadDataEx(&module, image, count, options, values);
  if (result == CUDA_SUCCESS)
    return result;
  log[sizeof(log) - 1] = '\0';
  error = driver.describe("cuModuleLoadDataEx", result);
  if (error.find(log) == std::string::npos) // the emulator says it twice
    error += std::string("\n") + log;
  return result;
}

/// What a block of `function` can have of shared memory here, and what it would
/// have with `bytes` of dynamic one; empty where the driver does not say.
static std::string describeShared(const Driver &driver, CUfunction function,
                                  unsigned bytes) {
  CUdevice device = 0;
  int most = 0, fixed = 0;
  if (!driver.cuCtxGetDevice ||
      driver.cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      driver.cuDeviceGetAttribute(
          &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
          device) != CUDA_SUCCESS ||
      driver.cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                function) != CUDA_SUCCESS)
    return "";
  return "\nexpected at most " + std::to_string(most) +
         " bytes of shared memory in a block, got " +
         std::to_string(static_cast<uint64_t>(fixed) + bytes);
}

CUresult tc::runtime::allowDynamicShared(const Driver &driver,
                                         CUfunction function, unsigned bytes,
                                         std::string &error) {
  const int allowed = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int now = 0;
  CUresult result = driver.cuFuncGetAttribute(&now, allowed, function);
  const char *call = "cuFuncGetAttribute";
  if (result == CUDA_SUCCESS && bytes > static_cast<unsigned>(now)) {
    call = "cuFuncSetAttribute";
    result =
        driver.cuFuncSetAttribute(function, allowed, static_cast<int>(bytes));
  }
  if (result == CUDA_SUCCESS)
    return result;
  error = driver.describe(call, result);
  error += describeShared(driver, function, bytes);
  return result;
}

CUresult tc::runtime::launchKernel(const Driver &driver, CUfunction function,
                                   const LaunchShape &shape,
                                   unsigned dynamicShared, CUstream stream,
                                   void **parameters, void **extra) {
  if (shape[6] == 0)
    return driver.cuLaunchKernel(function, shape[0], shape[1], shape[2],
                                 shape[3], shape[4], shape[5], dynamicShared,
                                 stream, parameters, extra);
  if (!driver.cuLaunchKernelEx)
    return CUDA_ERROR_NOT_SUPPORTED;
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {shape[6], shape[7], shape[8]};
  CUlaunchConfig config = {shape[0],      shape[1], shape[2],
                           shape[3],      shape[4], shape[5],
                           dynamicShared, stream,   &cluster,
                           /*numAttrs=*/1};
  return driver.cuLaunchKernelEx(&config, function, parameters, extra);
}
