//===- ForeignTest.cpp - Streams and memory of other libraries ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tc_runtime.h that takes streams of the caller, on the emulator.
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/Driver.h"
#include "tc-runtime/tc_runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace tc::runtime;

namespace {
class Foreign : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(tcDeviceOpen("emulator", TC_EMULATOR_PATH, 0, &device), TC_OK)
        << tcLastError();
    std::string error;
    driver = openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
    ASSERT_NE(driver, nullptr) << error;
  }
  void TearDown() override { EXPECT_EQ(tcDeviceClose(device), TC_OK); }

  tcDevice *device = nullptr;
  const Driver *driver = nullptr;
};

/// The beginning of a DLManagedTensor.
struct Tensor {
  void *data;
  int32_t deviceType, deviceNumber, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
  void *owner;
  void (*deleter)(Tensor *);
};
} // namespace

TEST_F(Foreign, MakesAContextCurrent) {
  CUcontext before = nullptr, inside = nullptr, after = nullptr;
  driver->cuCtxGetCurrent(&before);
  ASSERT_EQ(tcDeviceEnter(device), TC_OK);
  driver->cuCtxGetCurrent(&inside);
  ASSERT_EQ(tcDeviceLeave(device), TC_OK);
  driver->cuCtxGetCurrent(&after);
  EXPECT_NE(inside, nullptr);
  EXPECT_EQ(before, after);
  EXPECT_EQ(tcDeviceEnter(nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcDeviceLeave(nullptr), TC_INVALID_ARGUMENT);
}

TEST_F(Foreign, OrdersStreams) {
  ASSERT_EQ(tcDeviceEnter(device), TC_OK);
  CUstream first = nullptr, second = nullptr;
  ASSERT_EQ(driver->cuStreamCreate(&first, /*non-blocking*/ 1), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuStreamCreate(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(tcStreamWait(device, second, first), TC_OK) << tcLastError();
  EXPECT_EQ(tcStreamWait(device, second, second), TC_OK) << tcLastError();
  EXPECT_EQ(tcStreamWait(device, second, nullptr), TC_OK) << tcLastError();
  EXPECT_EQ(tcStreamSynchronize(device, second), TC_OK) << tcLastError();
  EXPECT_EQ(tcStreamWait(nullptr, second, first), TC_INVALID_ARGUMENT);
  driver->cuStreamDestroy_v2(first);
  driver->cuStreamDestroy_v2(second);
  EXPECT_EQ(tcDeviceLeave(device), TC_OK);
}

TEST_F(Foreign, AllocatesOnAStream) {
  tcAddress address = 0;
  ASSERT_EQ(tcAllocateOn(device, 64, nullptr, &address), TC_OK);
  int number = -2;
  EXPECT_EQ(tcAddressDevice(device, address, &number), TC_OK) << tcLastError();
  EXPECT_EQ(number, 0);
  EXPECT_EQ(tcFill(device, address, 7, 64), TC_OK);
  EXPECT_EQ(tcFreeOn(device, address, nullptr), TC_OK) << tcLastError();
  EXPECT_EQ(tcFreeOn(device, 0, nullptr), TC_OK);
  EXPECT_NE(tcFreeOn(device, address, nullptr), TC_OK);
  EXPECT_EQ(tcAllocateOn(device, 64, nullptr, nullptr), TC_INVALID_ARGUMENT);
}

TEST_F(Foreign, RefusesAddressesThatNobodyKnows) {
  int value = 0, number = 7;
  for (tcAddress address : {tcAddress(0), tcAddress(0x1234560),
                            reinterpret_cast<tcAddress>(&value)})
    EXPECT_EQ(tcAddressDevice(device, address, &number), TC_INVALID_ARGUMENT);
  EXPECT_THAT(tcLastError(),
              testing::HasSubstr("expected an address in memory that"));
  EXPECT_EQ(number, 7);
}

TEST_F(Foreign, MakesTensors) {
  const int64_t shape[] = {2, 3, 4};
  void *opaque = nullptr;
  ASSERT_EQ(tcTensorCreate(device, /*float*/ 2, 32, 3, shape, &opaque), TC_OK)
      << tcLastError();
  auto *tensor = static_cast<Tensor *>(opaque);
  EXPECT_EQ(tensor->deviceType, 2);
  EXPECT_EQ(tensor->deviceNumber, 0);
  EXPECT_EQ(tensor->rank, 3);
  EXPECT_EQ(tensor->bits, 32);
  EXPECT_EQ(std::vector<int64_t>(tensor->shape, tensor->shape + 3),
            std::vector<int64_t>({2, 3, 4}));
  EXPECT_EQ(std::vector<int64_t>(tensor->strides, tensor->strides + 3),
            std::vector<int64_t>({12, 4, 1}));
  auto address = reinterpret_cast<tcAddress>(tensor->data);
  EXPECT_EQ(tcFill(device, address, 0, 96), TC_OK) << tcLastError();
  tensor->deleter(tensor);
  EXPECT_NE(tcFill(device, address, 0, 96), TC_OK);
}

TEST_F(Foreign, RefusesTensors) {
  const int64_t negative[] = {2, -1}, huge[] = {int64_t(1) << 40, 1 << 30};
  const int64_t none[] = {0, 5};
  void *tensor = nullptr;
  EXPECT_EQ(tcTensorCreate(device, 2, 32, 2, negative, &tensor),
            TC_WRONG_EXTENT);
  EXPECT_EQ(tcTensorCreate(device, 2, 32, 2, huge, &tensor), TC_WRONG_EXTENT);
  EXPECT_EQ(tcTensorCreate(device, 2, 4, 2, none, &tensor),
            TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcTensorCreate(device, 2, 32, 2, nullptr, &tensor),
            TC_INVALID_ARGUMENT);
  ASSERT_EQ(tcTensorCreate(device, 2, 32, 2, none, &tensor), TC_OK);
  EXPECT_EQ(static_cast<Tensor *>(tensor)->data, nullptr);
  static_cast<Tensor *>(tensor)->deleter(static_cast<Tensor *>(tensor));
}
