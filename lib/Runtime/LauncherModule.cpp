//===- LauncherModule.cpp - The C launcher: modules and launches ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tc_runtime.h that loads and runs kernels.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "LauncherState.h"

using namespace tc::runtime;

int tcModuleLoad(tcDevice *device, const void *image, size_t size,
                 tcModule **module) {
  return withDevice(device, "tcModuleLoad", [&](const Driver &driver) {
    if (!image || size == 0 || !module)
      return fail(TC_INVALID_ARGUMENT,
                  "tcModuleLoad: expected an image and a place for the module, "
                  "got null or an empty image");
    *module = nullptr;
    CUmodule handle = nullptr;
    // The driver takes no size: text has to end with a zero.
    std::string terminated(static_cast<const char *>(image), size);
    std::string error;
    CUresult result = loadModule(driver, terminated.c_str(),
                                 /*optimizationLevel=*/-1, handle, error);
    if (result != CUDA_SUCCESS)
      return fail(classify(result), error);
    *module = new tcModule{device, handle, {}};
    return static_cast<int>(TC_OK);
  });
}

int tcModuleUnload(tcModule *module) {
  if (!module)
    return TC_OK;
  std::unique_ptr<tcModule> dying(module);
  return callDriver(module->device, "tcModuleUnload", "cuModuleUnload",
                    &Driver::cuModuleUnload, module->handle);
}

int tcModuleFunction(tcModule *module, const char *name,
                     tcFunction **function) {
  tcDevice *device = module ? module->device : nullptr;
  return withDevice(device, "tcModuleFunction", [&](const Driver &driver) {
    if (!name || !function)
      return fail(TC_INVALID_ARGUMENT, "tcModuleFunction: expected a name and "
                                       "a place for the function, got null");
    *function = nullptr;
    CUfunction handle = nullptr;
    int status =
        check(driver, "cuModuleGetFunction",
              driver.cuModuleGetFunction(&handle, module->handle, name));
    if (status == TC_NOT_FOUND)
      return fail(TC_NOT_FOUND, "expected a kernel '" + std::string(name) +
                                    "' in the module, got none of that name");
    if (status != TC_OK)
      return status;
    module->functions.push_back(
        std::make_unique<tcFunction>(tcFunction{device, handle, name}));
    *function = module->functions.back().get();
    return status;
  });
}

int tcFunctionAttribute(tcFunction *function, int attribute, int *value) {
  tcDevice *device = function ? function->device : nullptr;
  return withDevice(device, "tcFunctionAttribute", [&](const Driver &driver) {
    return check(driver, "cuFuncGetAttribute",
                 driver.cuFuncGetAttribute(value, attribute, function->handle));
  });
}

/// "kernel 'f', grid 1x2x3, block 4x5x6, 7 bytes of dynamic shared memory".
static std::string describeLaunch(const tcFunction &function,
                                  const unsigned grid[3],
                                  const unsigned block[3], unsigned shared) {
  auto extents = [](const unsigned dims[3]) {
    return std::to_string(dims[0]) + "x" + std::to_string(dims[1]) + "x" +
           std::to_string(dims[2]);
  };
  return "kernel '" + function.name + "', grid " + extents(grid) + ", block " +
         extents(block) + ", " + std::to_string(shared) +
         " bytes of dynamic shared memory: ";
}

int tcLaunch(tcFunction *function, const unsigned grid[3],
             const unsigned block[3], unsigned dynamicShared,
             void **parameters) {
  tcDevice *device = function && grid && block ? function->device : nullptr;
  return withDevice(device, "tcLaunch", [&](const Driver &driver) {
    std::string error;
    CUresult result =
        allowDynamicShared(driver, function->handle, dynamicShared, error);
    if (result == CUDA_SUCCESS) {
      result = launchKernel(
          driver, function->handle,
          {grid[0], grid[1], grid[2], block[0], block[1], block[2]},
          dynamicShared, /*stream=*/nullptr, parameters, error);
    }
    int status = classify(result);
    if (status == TC_OK)
      return status;
    // Both calls say "invalid value" of a launch that cannot be.
    if (result == CUDA_ERROR_INVALID_VALUE)
      status = TC_INVALID_LAUNCH;
    return fail(static_cast<tcStatus>(status),
                describeLaunch(*function, grid, block, dynamicShared) + error);
  });
}
