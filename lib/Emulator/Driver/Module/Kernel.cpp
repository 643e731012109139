//===- Kernel.cpp - Kernels of the emulated driver ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and occupancy of a kernel.
//
//===----------------------------------------------------------------------===//

#include "Module/Kernel.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

CUresult driver::checkExtent(const Call &call, const char *what,
                             unsigned extent, int limit) {
  if (extent >= 1 && extent <= static_cast<unsigned>(limit))
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_INVALID_VALUE,
                   llvm::Twine("expected ") + what + " from 1 to " +
                       llvm::Twine(limit) + ", got " + llvm::Twine(extent));
}

/// Where an attribute of a kernel is kept, or 0 for what has no meaning here.
static int getAttribute(const Kernel &kernel, CUfunction_attribute attribute) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return std::min<uint32_t>(kernel.info.maxThreads, limits::threadsPerBlock);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return kernel.info.sharedBytes;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return 90;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return kernel.maxDynamicShared;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return -1; // the driver's choice
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    return kernel.info.needsCluster;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    return kernel.info.cluster.x;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    return kernel.info.cluster.y;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    return kernel.info.cluster.z;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    return kernel.mayBeNonPortable;
  default:
    return 0; // registers, local memory: the emulator has none
  }
}

namespace tc::runtime {
extern "C" {

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  Call call("cuFuncGetAttribute", Needs::Driver);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  const int last = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  if (attribute < 0 || attribute > last)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute from 0 to 14, got " +
                         llvm::Twine(attribute));
  *value = getAttribute(*kernel, attribute);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  Call call("cuFuncSetAttribute", Needs::Driver);
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return CUDA_SUCCESS; // a hint
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    kernel->mayBeNonPortable = value != 0;
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected attribute 8, 9 or 14, got " +
                         llvm::Twine(attribute));
  int64_t limit =
      int64_t(limits::sharedPerBlockOptIn) - kernel->info.sharedBytes;
  if (value < 0 || value > limit)
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "kernel '" + kernel->name + "': expected 0 to " + llvm::Twine(limit) +
            " bytes of dynamic shared memory, got " + llvm::Twine(value));
  kernel->maxDynamicShared = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  Call call("cuFuncSetCacheConfig", Needs::Driver);
  call.find(&State::kernels, function);
  return call.status();
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  Call call("cuFuncGetModule", Needs::Driver);
  if (CUresult bad = checkPlace(call, module))
    return bad;
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  *module = kernel->module;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  Call call("cuFuncGetName", Needs::Driver);
  if (CUresult bad = checkPlace(call, name))
    return bad;
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  *name = kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *bytes) {
  Call call("cuFuncGetParamInfo", Needs::Driver);
  if (CUresult bad = checkPlace(call, offset))
    return bad;
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  size_t count = kernel->info.parameters.size();
  if (index >= count)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "kernel '" + kernel->name + "': expected an index below " +
                         llvm::Twine(count) + ", got " + llvm::Twine(index));
  auto [at, size] = kernel->info.parameters[index];
  *offset = at;
  if (bytes)
    *bytes = size;
  return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  Call call("cuFuncIsLoaded", Needs::Driver);
  if (CUresult bad = checkPlace(call, state))
    return bad;
  *state = 1;
  call.find(&State::kernels, function);
  return call.status();
}

CUresult cuFuncLoad(CUfunction function) {
  return cuFuncSetCacheConfig(function, 0);
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return cuFuncSetCacheConfig(function, 0);
}
}
} // namespace tc::runtime
