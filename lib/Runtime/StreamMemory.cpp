//===- StreamMemory.cpp - Device memory in a stream's order ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that a driver without pools of memory does not support have older ones
// that stand in.
//
//===----------------------------------------------------------------------===//

#include "StreamMemory.h"

#include "Status.h"

using namespace tc::runtime;

int tc::runtime::allocateOn(const Driver &driver, size_t bytes, CUstream stream,
                            CUdeviceptr &address) {
  CUdeviceptr allocated = 0;
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  if (driver.cuMemAllocAsync)
    result = driver.cuMemAllocAsync(&allocated, bytes, stream);
  if (result == CUDA_ERROR_NOT_SUPPORTED)
    result = driver.cuMemAlloc_v2(&allocated, bytes);
  if (result == CUDA_SUCCESS)
    address = allocated;
  return check(driver, "cuMemAllocAsync", result);
}

int tc::runtime::freeOn(const Driver &driver, CUdeviceptr address,
                        CUstream stream) {
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  if (driver.cuMemFreeAsync)
    result = driver.cuMemFreeAsync(address, stream);
  if (result != CUDA_ERROR_NOT_SUPPORTED)
    return check(driver, "cuMemFreeAsync", result);
  result = driver.cuStreamSynchronize(stream);
  if (result != CUDA_SUCCESS)
    return check(driver, "cuStreamSynchronize", result);
  return check(driver, "cuMemFree", driver.cuMemFree_v2(address));
}
