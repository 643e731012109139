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

#include <iterator>

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

/// By place in a LaunchShape; a device has a limit on each of the first six.
static constexpr const char *axisNames[] = {
    "grid x",  "grid y",    "grid z",    "block x",  "block y",
    "block z", "cluster x", "cluster y", "cluster z"};
static constexpr CUdevice_attribute axisLimits[] = {
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};

/// That extent `axis` of `shape` is not one that there can be.
static std::string describeExtent(const LaunchShape &shape, size_t axis,
                                  int most) {
  return std::string("expected ") + axisNames[axis] + " from 1 to " +
         std::to_string(most) + ", got " + std::to_string(shape[axis]);
}

/// The first extent of `shape` that this device does not have; empty where it
/// has all, or does not say.
static std::string describeShape(const Driver &driver, CUfunction function,
                                 const LaunchShape &shape) {
  CUdevice device = 0;
  if (!driver.cuCtxGetDevice || driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
    return "";
  int most = 0;
  for (size_t i = 0; i != std::size(axisLimits); ++i)
    if (driver.cuDeviceGetAttribute(&most, axisLimits[i], device) ==
            CUDA_SUCCESS &&
        (shape[i] < 1 || shape[i] > most))
      return describeExtent(shape, i, most);
  int64_t threads = shape[3] * shape[4] * shape[5];
  if (driver.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                function) == CUDA_SUCCESS &&
      threads > most)
    return "expected at most " + std::to_string(most) +
           " threads in a block, got " + std::to_string(threads);
  return "";
}

CUresult tc::runtime::launchKernel(const Driver &driver, CUfunction function,
                                   const LaunchShape &shape,
                                   unsigned dynamicShared, CUstream stream,
                                   void **parameters, std::string &error,
                                   void **extra, bool overlaps) {
  bool hasClusters = shape[6] != 0 || shape[7] != 0 || shape[8] != 0;
  std::array<unsigned, 9> extents = {};
  for (size_t i = 0; i != (hasClusters ? 9 : 6); ++i) {
    // The driver judges the rest, but takes fewer bits.
    if (shape[i] < 0 || shape[i] > UINT32_MAX) {
      error = describeExtent(shape, i, INT32_MAX);
      return CUDA_ERROR_INVALID_VALUE;
    }
    extents[i] = static_cast<unsigned>(shape[i]);
  }
  overlaps &= driver.cuLaunchKernelEx != nullptr;
  bool isExtended = hasClusters || overlaps;
  const char *call = isExtended ? "cuLaunchKernelEx" : "cuLaunchKernel";
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  auto [gridX, gridY, gridZ, blockX, blockY, blockZ, x, y, z] = extents;
  if (!isExtended) {
    result =
        driver.cuLaunchKernel(function, gridX, gridY, gridZ, blockX, blockY,
                              blockZ, dynamicShared, stream, parameters, extra);
  } else if (driver.cuLaunchKernelEx) {
    CUlaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (hasClusters) {
      attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attributes[count++].value.clusterDim = {x, y, z};
    }
    if (overlaps) {
      attributes[count].id =
          CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attributes[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    CUlaunchConfig config = {gridX,  gridY,         gridZ,  blockX,     blockY,
                             blockZ, dynamicShared, stream, attributes, count};
    result = driver.cuLaunchKernelEx(&config, function, parameters, extra);
  }
  if (result == CUDA_SUCCESS)
    return result;
  error = driver.describe(call, result);
  std::string limit = describeShape(driver, function, shape);
  if (error.find(limit) == std::string::npos) // the emulator says it, too
    error += "\n" + limit;
  return result;
}
