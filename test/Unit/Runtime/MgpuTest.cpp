//===- MgpuTest.cpp - The functions that MLIR calls -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mgpu* functions as MLIR's host code calls them, on the emulator.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "tc-runtime/tc_mgpu.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <string>

using namespace tc::runtime::test;

extern "C" {
void *mgpuModuleLoad(void *data, size_t bytes);
void *mgpuModuleLoadJIT(void *data, int optimizationLevel);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t dynamicShared, void *stream,
                      void **parameters, void **extra, size_t count);
void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t dynamicShared, void *stream,
                             void **parameters, void **extra, size_t count);
void *mgpuStreamCreate();
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate();
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);
void *mgpuMemAlloc(uint64_t bytes, void *stream, bool isHostShared);
void mgpuMemFree(void *pointer, void *stream);
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream);
void mgpuMemset32(void *to, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *to, unsigned short value, size_t count, void *stream);
void mgpuMemHostRegisterMemRef(int64_t rank, void *memref,
                               int64_t elementBytes);
void mgpuMemHostUnregisterMemRef(int64_t rank, void *memref,
                                 int64_t elementBytes);
void mgpuSetDefaultDevice(int32_t ordinal);
}

namespace {

std::string lastError() { return tcMgpuLastError(); }

bool says(const std::string &part) {
  return lastError().find(part) != std::string::npos;
}

class Mgpu : public testing::Test {
protected:
  void SetUp() override {
    tcMgpuClearError();
    ASSERT_EQ(tcMgpuOpen("emulator", TC_EMULATOR_PATH), 0) << lastError();
  }
  void TearDown() override { mgpuSetDefaultDevice(0); }

  void *load() { return mgpuModuleLoadJIT(const_cast<char *>(kernels), 2); }
  void launchTwice(void *module, void *address, uint32_t count, void *stream) {
    void *parameters[] = {&address, &count};
    mgpuLaunchKernel(mgpuModuleGetFunction(module, "twice"), 1, 1, 1, count, 1,
                     1, 0, stream, parameters, nullptr, 2);
  }
};

} // namespace

TEST_F(Mgpu, RunsAKernelEndToEnd) {
  EXPECT_STREQ(tcMgpuKind(), "emulator");
  float values[4] = {1, 2, 3, 4};
  void *module = load();
  void *stream = mgpuStreamCreate();
  void *address = mgpuMemAlloc(16, stream, false);
  ASSERT_NE(address, nullptr) << lastError();
  mgpuMemcpy(address, values, 16, stream);
  launchTwice(module, address, 3, stream);
  mgpuMemcpy(values, address, 16, stream);
  mgpuStreamSynchronize(stream);
  mgpuMemFree(address, stream);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
  EXPECT_EQ(lastError(), "");
  const float expected[4] = {2, 4, 6, 4};
  EXPECT_EQ(memcmp(values, expected, 16), 0);
}

TEST_F(Mgpu, LoadsTextThroughTheBinaryEntryToo) {
  EXPECT_NE(mgpuModuleLoad(const_cast<char *>(kernels), sizeof(kernels)),
            nullptr);
  EXPECT_EQ(lastError(), "");
}

TEST_F(Mgpu, OrdersByEvents) {
  void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
  void *event = mgpuEventCreate();
  mgpuEventRecord(event, first);
  mgpuStreamWaitEvent(second, event);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  mgpuStreamDestroy(first);
  mgpuStreamDestroy(second);
  EXPECT_EQ(lastError(), "");
  mgpuEventSynchronize(event);
  EXPECT_TRUE(says("CUDA_ERROR_INVALID_HANDLE")) << lastError();
}

/// As host code from LLVM 22's gpu-to-llvm has it.
TEST_F(Mgpu, AStreamMayStandForItsEvent) {
  void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
  for (int i = 0; i < 2; ++i) {
    mgpuStreamWaitEvent(second, first);
    mgpuEventDestroy(first);
  }
  mgpuEventSynchronize(first);
  mgpuStreamDestroy(first);
  EXPECT_EQ(lastError(), "");
  mgpuStreamWaitEvent(second, first);
  EXPECT_TRUE(says("CUDA_ERROR_INVALID_HANDLE")) << lastError();
}

TEST_F(Mgpu, KeepsStreamsForLater) {
  void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
  EXPECT_NE(first, second);
  mgpuStreamDestroy(first);
  EXPECT_EQ(mgpuStreamCreate(), first);
  EXPECT_NE(mgpuStreamCreate(), first);
  EXPECT_EQ(lastError(), "");
}

TEST_F(Mgpu, FillsMemory) {
  uint32_t words[3] = {};
  void *address = mgpuMemAlloc(12, nullptr, false);
  mgpuMemset32(address, 7, 3, nullptr);
  mgpuMemset16(static_cast<char *>(address) + 4, 0x0102, 2, nullptr);
  mgpuMemcpy(words, address, 12, nullptr);
  mgpuMemFree(address, nullptr);
  EXPECT_EQ(lastError(), "");
  EXPECT_EQ(words[0], 7u);
  EXPECT_EQ(words[1], 0x01020102u);
  EXPECT_EQ(words[2], 7u);
}

TEST_F(Mgpu, NothingHappensForEmptyMemory) {
  EXPECT_EQ(mgpuMemAlloc(0, nullptr, false), nullptr);
  mgpuMemcpy(nullptr, nullptr, 0, nullptr);
  mgpuMemset32(nullptr, 0, 0, nullptr);
  mgpuMemFree(nullptr, nullptr);
  EXPECT_EQ(lastError(), "");
}

TEST_F(Mgpu, KernelsReachARegisteredMemRef) {
  // A 2x3 view with rows of 4, the second row first: offset 4, strides -4, 1.
  float values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {values, values, 4, {2, 3}, {-4, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, sizeof(float));
  void *module = load();
  launchTwice(module, values, 7, nullptr);
  EXPECT_EQ(lastError(), "");
  EXPECT_EQ(values[0], 0.0f);
  EXPECT_EQ(values[6], 12.0f);
  EXPECT_EQ(values[7], 7.0f);
  mgpuMemHostUnregisterMemRef(2, &memref, sizeof(float));
  EXPECT_EQ(lastError(), "");
  // The element behind the last was never registered.
  mgpuMemHostRegisterMemRef(2, &memref, sizeof(float));
  launchTwice(module, values, 8, nullptr);
  mgpuStreamSynchronize(nullptr);
  EXPECT_TRUE(says("CUDA_ERROR_ILLEGAL_ADDRESS")) << lastError();
}

TEST_F(Mgpu, KeepsTheFirstErrorAndDoesNothingMore) {
  void *module = load();
  void *address = mgpuMemAlloc(16, nullptr, false);
  void *function = mgpuModuleGetFunction(module, "absent");
  EXPECT_EQ(function, nullptr);
  EXPECT_TRUE(says("'absent'")) << lastError();
  std::string first = lastError();
  uint32_t untouched = 42;
  mgpuMemcpy(&untouched, address, 4, nullptr);
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(mgpuMemAlloc(16, nullptr, false), nullptr);
  EXPECT_EQ(mgpuStreamCreate(), nullptr);
  mgpuStreamSynchronize(nullptr);
  mgpuMemFree(address, nullptr);
  EXPECT_EQ(untouched, 42u);
  EXPECT_EQ(lastError(), first);
  tcMgpuClearError();
  EXPECT_EQ(lastError(), "");
  address = mgpuMemAlloc(16, nullptr, false);
  EXPECT_NE(address, nullptr);
}

TEST_F(Mgpu, HostSharedMemoryIsThereAfterAnErrorToo) {
  mgpuModuleGetFunction(load(), "absent");
  ASSERT_NE(lastError(), "");
  char *shared = static_cast<char *>(mgpuMemAlloc(16, nullptr, true));
  ASSERT_NE(shared, nullptr);
  memset(shared, 1, 16); // as host code does
  mgpuMemFree(shared, nullptr);
}

TEST_F(Mgpu, HostSharedMemoryIsSeenByBoth) {
  auto *shared = static_cast<float *>(mgpuMemAlloc(8, nullptr, true));
  ASSERT_NE(shared, nullptr) << lastError();
  shared[0] = 1.0f;
  shared[1] = 2.0f;
  launchTwice(load(), shared, 2, nullptr);
  EXPECT_EQ(lastError(), "");
  EXPECT_EQ(shared[0], 2.0f);
  EXPECT_EQ(shared[1], 4.0f);
  mgpuMemFree(shared, nullptr);
}

TEST_F(Mgpu, TellsAFault) {
  void *address = mgpuMemAlloc(16, nullptr, false);
  void *parameters[] = {&address};
  mgpuLaunchKernel(mgpuModuleGetFunction(load(), "outside"), 1, 1, 1, 1, 1, 1,
                   0, nullptr, parameters, nullptr, 1);
  mgpuStreamSynchronize(nullptr);
  EXPECT_TRUE(says("CUDA_ERROR_ILLEGAL_ADDRESS")) << lastError();
}

TEST_F(Mgpu, KeepsTheLogOfPtxThatDoesNotParse) {
  EXPECT_EQ(mgpuModuleLoadJIT(const_cast<char *>(notPtx), 2), nullptr);
  EXPECT_TRUE(says("CUDA_ERROR_INVALID_PTX")) << lastError();
  EXPECT_TRUE(says("nonsense")) << lastError();
}

TEST_F(Mgpu, RefusesExtentsThatCannotBe) {
  void *function = mgpuModuleGetFunction(load(), "count");
  mgpuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  EXPECT_TRUE(says("from 1 to 2147483647, got 0")) << lastError();
  tcMgpuClearError();
  mgpuLaunchKernel(function, int64_t(1) << 32, 1, 1, 1, 1, 1, 0, nullptr,
                   nullptr, nullptr, 0);
  EXPECT_TRUE(says("got 4294967296")) << lastError();
}

TEST_F(Mgpu, LaunchesClusters) {
  void *function = mgpuModuleGetFunction(load(), "count");
  mgpuLaunchClusterKernel(function, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, nullptr,
                          nullptr, nullptr, 0);
  EXPECT_EQ(lastError(), "");
  mgpuLaunchClusterKernel(function, 2, 1, 1, 2, 1, 1, 1, 1, 1, 0, nullptr,
                          nullptr, nullptr, 0);
  EXPECT_EQ(lastError(), "");
  mgpuLaunchClusterKernel(function, 2, 1, 1, 3, 1, 1, 1, 1, 1, 0, nullptr,
                          nullptr, nullptr, 0);
  EXPECT_TRUE(says("expected a grid of whole clusters of (2,1,1) blocks, got "
                   "(3,1,1)"))
      << lastError();
}

TEST_F(Mgpu, OpensAnewOnlyAfterAnError) {
  float value = 3;
  void *address = mgpuMemAlloc(4, nullptr, false);
  mgpuMemcpy(address, &value, 4, nullptr);
  value = 0;
  ASSERT_EQ(tcMgpuOpen("emulator", TC_EMULATOR_PATH), 0) << lastError();
  mgpuMemcpy(&value, address, 4, nullptr);
  mgpuStreamSynchronize(nullptr);
  EXPECT_EQ(lastError(), "");
  EXPECT_EQ(value, 3);

  mgpuModuleGetFunction(load(), "none");
  EXPECT_NE(lastError(), "");
  tcMgpuClearError();
  ASSERT_EQ(tcMgpuOpen("emulator", TC_EMULATOR_PATH), 0) << lastError();
  mgpuMemFree(address, nullptr);
  EXPECT_NE(lastError(), "") << "expected the memory to be gone";
  tcMgpuClearError();
}

TEST_F(Mgpu, AMissingDeviceIsAnError) {
  mgpuSetDefaultDevice(5);
  EXPECT_EQ(mgpuMemAlloc(16, nullptr, false), nullptr);
  EXPECT_TRUE(says("expected device 0, got 5")) << lastError();
}

TEST_F(Mgpu, AMissingLibraryIsNamed) {
  EXPECT_NE(tcMgpuOpen("cuda", "/nowhere/libcuda.so"), 0);
  EXPECT_TRUE(says("/nowhere/libcuda.so")) << lastError();
  tcMgpuClearError();
  EXPECT_NE(tcMgpuOpen("rocm", nullptr), 0);
  EXPECT_TRUE(says("expected auto, cuda or emulator, got 'rocm'"))
      << lastError();
}
