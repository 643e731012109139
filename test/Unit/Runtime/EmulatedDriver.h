//===- EmulatedDriver.h - Tests of the emulated driver ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated driver with a context of its own for each test.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_RUNTIME_EMULATEDDRIVER_H
#define TC_TEST_UNIT_RUNTIME_EMULATEDDRIVER_H

#include "Kernels.h"

#include "tc-runtime/Driver.h"

#include "gtest/gtest.h"

namespace tc::runtime::test {

class EmulatedDriver : public testing::Test {
protected:
  void SetUp() override {
    std::string error;
    driver = openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
    ASSERT_NE(driver, nullptr) << error;
    ASSERT_EQ(driver->cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(driver->cuCtxDestroy_v2(context), CUDA_SUCCESS);
  }
  CUmodule load() {
    CUmodule module = nullptr;
    EXPECT_EQ(driver->cuModuleLoadData(&module, kernels), CUDA_SUCCESS)
        << driver->lastReport();
    return module;
  }
  CUfunction get(CUmodule module, const char *name) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver->cuModuleGetFunction(&function, module, name),
              CUDA_SUCCESS);
    return function;
  }
  CUresult launch(CUfunction function, unsigned threads, void **parameters,
                  void **extra = nullptr) {
    return driver->cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr,
                                  parameters, extra);
  }
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver->cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS);
    return address;
  }
  std::string report() { return driver->lastReport(); }

  const Driver *driver = nullptr;
  CUcontext context = nullptr;
};

/// A number that is no handle, as one of any type.
template <typename Handle>
Handle bad() {
  return reinterpret_cast<Handle>(uintptr_t(0x1234));
}

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_RUNTIME_EMULATEDDRIVER_H
