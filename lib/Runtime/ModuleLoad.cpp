//===- ModuleLoad.cpp - Load an image and keep the compiler's log ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of PTX or a cubin with the driver's error log.
//
//===----------------------------------------------------------------------===//

#include "ModuleLoad.h"

using namespace tc::runtime;

CUresult tc::runtime::loadModule(const Driver &driver, const void *image,
                                 int optimizationLevel, CUmodule &module,
                                 std::string &log) {
  char buffer[8192] = {};
  // The driver reads numbers from the pointers of the value list.
  auto number = [](uintptr_t value) { return reinterpret_cast<void *>(value); };
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {buffer, number(sizeof(buffer)),
                    number(optimizationLevel < 0 ? 0 : optimizationLevel)};
  unsigned count = optimizationLevel < 0 ? 2 : 3;
  CUresult result =
      driver.cuModuleLoadDataEx(&module, image, count, options, values);
  buffer[sizeof(buffer) - 1] = '\0';
  if (result != CUDA_SUCCESS)
    log = buffer;
  return result;
}
