//===- LauncherTest.cpp - The C launcher ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc_runtime.h from opening a device to reading a result, on the emulator.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "tc-runtime/tc_runtime.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace tc::runtime::test;

extern "C" int doubleOnDevice(const char *library, const char *ptx,
                              float *values, unsigned count);

namespace {

const unsigned one[3] = {1, 1, 1};

std::string lastError() { return tcLastError(); }

bool says(const std::string &part) {
  return lastError().find(part) != std::string::npos;
}

class Launcher : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(tcDeviceOpen("emulator", TC_EMULATOR_PATH, 0, &device), TC_OK)
        << lastError();
  }
  void TearDown() override {
    // After a fault only what gives back succeeds.
    EXPECT_EQ(tcModuleUnload(module), TC_OK) << lastError();
    EXPECT_EQ(tcDeviceClose(device), TC_OK) << lastError();
  }
  void load() {
    ASSERT_EQ(tcModuleLoad(device, kernels, strlen(kernels), &module), TC_OK)
        << lastError();
  }
  tcFunction *get(const char *name) {
    tcFunction *function = nullptr;
    EXPECT_EQ(tcModuleFunction(module, name, &function), TC_OK) << lastError();
    return function;
  }
  tcAddress allocate(size_t bytes) {
    tcAddress address = 0;
    EXPECT_EQ(tcAllocate(device, bytes, &address), TC_OK) << lastError();
    return address;
  }
  /// Launches a kernel that takes one address.
  int launch(const char *name, tcAddress address, unsigned threads = 1,
             unsigned shared = 0) {
    const unsigned block[3] = {threads, 1, 1};
    void *parameters[] = {&address};
    return tcLaunch(get(name), one, block, shared, parameters);
  }

  tcDevice *device = nullptr;
  tcModule *module = nullptr;
};

} // namespace

TEST_F(Launcher, TellsItsDevice) {
  char name[64];
  ASSERT_EQ(tcDeviceName(device, name, sizeof(name)), TC_OK) << lastError();
  EXPECT_STREQ(name, "tc emulator (sm_90)");
  ASSERT_EQ(tcDeviceName(device, name, 3), TC_OK) << lastError();
  EXPECT_STREQ(name, "tc");
  EXPECT_STREQ(tcDeviceKind(device), "emulator");
  EXPECT_STREQ(tcDeviceLibrary(device), TC_EMULATOR_PATH);
  int warp = 0;
  ASSERT_EQ(tcDeviceAttribute(device, 10, &warp), TC_OK) << lastError();
  EXPECT_EQ(warp, 32);
}

TEST_F(Launcher, RunsAKernelEndToEnd) {
  load();
  // 100 elements in blocks of 32: the last block is cut.
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 1.0f);
  size_t bytes = values.size() * sizeof(float);
  tcAddress address = allocate(bytes);
  ASSERT_EQ(tcCopyIn(device, address, values.data(), bytes), TC_OK);
  unsigned count = 99;
  const unsigned grid[3] = {4, 1, 1}, block[3] = {32, 1, 1};
  void *parameters[] = {&address, &count};
  ASSERT_EQ(tcLaunch(get("twice"), grid, block, 0, parameters), TC_OK)
      << lastError();
  ASSERT_EQ(tcSynchronize(device), TC_OK) << lastError();
  ASSERT_EQ(tcCopyOut(device, values.data(), address, bytes), TC_OK);
  for (int i = 0; i < 99; ++i)
    EXPECT_EQ(values[i], 2.0f * (i + 1)) << "at " << i;
  EXPECT_EQ(values[99], 100.0f) << "behind the count";
  EXPECT_EQ(tcFree(device, address), TC_OK) << lastError();
}

TEST_F(Launcher, GivesDynamicSharedMemory) {
  load();
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  tcAddress address = allocate(256);
  ASSERT_EQ(tcCopyIn(device, address, values.data(), 256), TC_OK);
  ASSERT_EQ(launch("reverse", address, 64, 256), TC_OK) << lastError();
  ASSERT_EQ(tcCopyOut(device, values.data(), address, 256), TC_OK);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(values[i], 63 - i);
}

TEST_F(Launcher, AsksForMoreThan48KiBOfSharedMemory) {
  load();
  tcAddress address = allocate(256);
  EXPECT_EQ(launch("reverse", address, 64, 100 * 1024), TC_OK) << lastError();
  EXPECT_EQ(launch("reverse", address, 64, 228 * 1024), TC_INVALID_LAUNCH);
  EXPECT_TRUE(says("at most 232448 bytes of shared memory in a block, got "
                   "233472"))
      << lastError();
}

TEST_F(Launcher, FillsMemory) {
  tcAddress address = allocate(8);
  unsigned char bytes[8];
  ASSERT_EQ(tcFill(device, address, 0, 8), TC_OK) << lastError();
  ASSERT_EQ(tcFill(device, address + 2, 7, 4), TC_OK) << lastError();
  ASSERT_EQ(tcCopyOut(device, bytes, address, 8), TC_OK) << lastError();
  const unsigned char expected[8] = {0, 0, 7, 7, 7, 7, 0, 0};
  EXPECT_EQ(memcmp(bytes, expected, 8), 0);
}

TEST_F(Launcher, TimesALaunch) {
  load();
  tcEvent *start = nullptr, *end = nullptr;
  ASSERT_EQ(tcEventCreate(device, &start), TC_OK) << lastError();
  ASSERT_EQ(tcEventCreate(device, &end), TC_OK) << lastError();
  double seconds = -1;
  EXPECT_NE(tcEventSeconds(start, end, &seconds), TC_OK);
  EXPECT_TRUE(says("not recorded")) << lastError();
  ASSERT_EQ(tcEventRecord(start), TC_OK) << lastError();
  ASSERT_EQ(tcLaunch(get("count"), one, one, 0, nullptr), TC_OK) << lastError();
  ASSERT_EQ(tcEventRecord(end), TC_OK) << lastError();
  ASSERT_EQ(tcEventSeconds(start, end, &seconds), TC_OK) << lastError();
  EXPECT_GE(seconds, 0);
  EXPECT_LT(seconds, 60);
  EXPECT_EQ(tcEventDestroy(start), TC_OK);
  EXPECT_EQ(tcEventDestroy(end), TC_OK);
}

TEST_F(Launcher, TellsWhereAKernelLeftItsMemory) {
  load();
  // As on a GPU, the next call tells, and the context is lost.
  EXPECT_EQ(launch("outside", allocate(16)), TC_OK);
  EXPECT_EQ(tcSynchronize(device), TC_KERNEL_FAULT);
  EXPECT_TRUE(says("CUDA_ERROR_ILLEGAL_ADDRESS")) << lastError();
  EXPECT_TRUE(says("outside")) << lastError();
  EXPECT_EQ(tcSynchronize(device), TC_KERNEL_FAULT);
}

TEST_F(Launcher, ADeviceThatIsOpenedAgainHasForgottenTheFault) {
  load();
  ASSERT_EQ(tcLaunch(get("fail"), one, one, 0, nullptr), TC_OK);
  ASSERT_EQ(tcSynchronize(device), TC_KERNEL_FAULT);
  ASSERT_EQ(tcModuleUnload(module), TC_OK) << lastError();
  module = nullptr;
  ASSERT_EQ(tcDeviceClose(device), TC_OK) << lastError();
  ASSERT_EQ(tcDeviceOpen("emulator", TC_EMULATOR_PATH, 0, &device), TC_OK);
  EXPECT_EQ(tcSynchronize(device), TC_OK) << lastError();
}

TEST_F(Launcher, TellsAMisalignedAccess) {
  load();
  EXPECT_EQ(launch("misaligned", allocate(16)), TC_OK);
  EXPECT_EQ(tcSynchronize(device), TC_KERNEL_FAULT);
  EXPECT_TRUE(says("CUDA_ERROR_MISALIGNED_ADDRESS")) << lastError();
}

TEST_F(Launcher, TellsATrap) {
  load();
  EXPECT_EQ(tcLaunch(get("fail"), one, one, 0, nullptr), TC_OK);
  EXPECT_EQ(tcSynchronize(device), TC_KERNEL_FAULT);
  EXPECT_TRUE(says("CUDA_ERROR_LAUNCH_FAILED")) << lastError();
}

TEST_F(Launcher, RefusesALaunchThatCannotBe) {
  load();
  const unsigned none[3] = {1, 0, 1}, large[3] = {1025, 1, 1};
  tcFunction *count = get("count");
  EXPECT_EQ(tcLaunch(count, none, one, 0, nullptr), TC_INVALID_LAUNCH);
  EXPECT_TRUE(says("expected grid y from 1 to 65535, got 0")) << lastError();
  EXPECT_EQ(tcLaunch(count, one, large, 0, nullptr), TC_INVALID_LAUNCH);
  EXPECT_TRUE(says("block x from 1 to 1024, got 1025")) << lastError();
  const unsigned wide[3] = {65, 1, 1};
  EXPECT_EQ(tcLaunch(get("limited"), one, wide, 0, nullptr), TC_INVALID_LAUNCH);
  EXPECT_TRUE(says("at most 64 threads")) << lastError();
  // Nothing was lost by asking.
  EXPECT_EQ(tcLaunch(count, one, one, 0, nullptr), TC_OK) << lastError();
}

TEST_F(Launcher, KeepsTheLogOfPtxThatDoesNotParse) {
  EXPECT_EQ(tcModuleLoad(device, notPtx, strlen(notPtx), &module),
            TC_INVALID_IMAGE);
  EXPECT_EQ(module, nullptr);
  EXPECT_TRUE(says("CUDA_ERROR_INVALID_PTX")) << lastError();
  EXPECT_TRUE(says("nonsense")) << lastError();
}

TEST_F(Launcher, RefusesACubin) {
  EXPECT_EQ(tcModuleLoad(device, cubin, sizeof(cubin), &module),
            TC_INVALID_IMAGE);
  EXPECT_TRUE(says("expected PTX text, got a cubin")) << lastError();
}

TEST_F(Launcher, NamesAKernelThatIsNotThere) {
  load();
  tcFunction *function = nullptr;
  EXPECT_EQ(tcModuleFunction(module, "absent", &function), TC_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  EXPECT_TRUE(says("'absent'")) << lastError();
}

TEST_F(Launcher, TellsMissingMemory) {
  tcAddress address = 7;
  EXPECT_EQ(tcAllocate(device, SIZE_MAX / 2, &address), TC_OUT_OF_MEMORY);
  EXPECT_EQ(address, 7u);
  EXPECT_EQ(tcAllocate(device, 0, &address), TC_DRIVER_ERROR);
  EXPECT_EQ(tcFree(device, 12345), TC_DRIVER_ERROR);
  EXPECT_TRUE(says("0x3039")) << lastError();
}

TEST_F(Launcher, ACopyStaysInItsAllocation) {
  tcAddress address = allocate(16);
  char bytes[32] = {};
  EXPECT_EQ(tcCopyIn(device, address, bytes, 32), TC_DRIVER_ERROR);
  EXPECT_TRUE(says("at most 16 bytes")) << lastError();
  EXPECT_EQ(tcCopyOut(device, bytes, address + 8, 16), TC_DRIVER_ERROR);
  EXPECT_TRUE(says("at most 8 bytes")) << lastError();
  EXPECT_EQ(tcCopyOut(device, bytes, address + 8, 8), TC_OK) << lastError();
}

TEST_F(Launcher, NullIsAnError) {
  EXPECT_EQ(tcDeviceOpen("emulator", TC_EMULATOR_PATH, 0, nullptr),
            TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcSynchronize(nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcModuleLoad(nullptr, kernels, 1, &module), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcModuleLoad(device, nullptr, 1, &module), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcModuleLoad(device, kernels, 1, nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcModuleFunction(nullptr, "f", nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcLaunch(nullptr, one, one, 0, nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcEventRecord(nullptr), TC_INVALID_ARGUMENT);
  EXPECT_EQ(tcAllocate(device, 8, nullptr), TC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("expected a place for the address, got null"));
  EXPECT_NE(tcCopyIn(device, 0, "", 1), TC_OK);
  EXPECT_EQ(tcDeviceKind(nullptr), nullptr);
  load();
  EXPECT_EQ(tcLaunch(get("count"), nullptr, one, 0, nullptr),
            TC_INVALID_ARGUMENT);
  EXPECT_NE(tcLaunch(get("twice"), one, one, 0, nullptr), TC_OK);
  EXPECT_TRUE(says("a value for each of 2 parameters")) << lastError();
}

TEST(LauncherOpen, RefusesWhatItDoesNotKnow) {
  tcDevice *device = nullptr;
  EXPECT_EQ(tcDeviceOpen("rocm", nullptr, 0, &device), TC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("expected auto, cuda or emulator, got 'rocm'"))
      << lastError();
  EXPECT_EQ(tcDeviceOpen("cuda", "/nowhere/libcuda.so", 0, &device),
            TC_NO_DEVICE);
  EXPECT_TRUE(says("/nowhere/libcuda.so")) << lastError();
  EXPECT_EQ(tcDeviceOpen("emulator", TC_EMULATOR_PATH, 1, &device),
            TC_NO_DEVICE);
  EXPECT_TRUE(says("expected device 0, got 1")) << lastError();
  EXPECT_EQ(device, nullptr);
}

TEST(LauncherOpen, AnyDriverLibraryWillDo) {
  // The emulator in the place of libcuda: the same code path as on a GPU.
  tcDevice *device = nullptr;
  ASSERT_EQ(tcDeviceOpen("cuda", TC_EMULATOR_PATH, 0, &device), TC_OK)
      << lastError();
  EXPECT_EQ(tcDeviceClose(device), TC_OK);
}

TEST(LauncherOpen, AutoAlwaysFindsADevice) {
  tcDevice *device = nullptr;
  ASSERT_EQ(tcDeviceOpen("auto", TC_EMULATOR_PATH, 0, &device), TC_OK)
      << lastError();
  EXPECT_EQ(tcDeviceClose(device), TC_OK);
}

TEST(LauncherExample, RunsFromC) {
  std::vector<float> values(300, 1.5f);
  ASSERT_EQ(doubleOnDevice(TC_EMULATOR_PATH, kernels, values.data(), 300),
            TC_OK)
      << lastError();
  EXPECT_EQ(values, std::vector<float>(300, 3.0f));
  EXPECT_EQ(doubleOnDevice(TC_EMULATOR_PATH, notPtx, values.data(), 300),
            TC_INVALID_IMAGE);
}
