//===- EmulatedDriverTest.cpp - The driver API of the emulator ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver API call by call on the emulator: what each returns when it is
// used rightly, and the documented code when it is not.
//
//===----------------------------------------------------------------------===//

#include "EmulatedDriver.h"

#include "Runtime/Kernels.h"

#include <cstring>
#include <thread>
#include <vector>

using namespace tc::runtime;
using namespace tc::runtime::test;

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, HasTheLimitsOfAnH100) {
  auto ask = [&](CUdevice_attribute attribute) {
    int value = -1;
    EXPECT_EQ(driver->cuDeviceGetAttribute(&value, attribute, 0), CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 132);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), 65535);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 232448);
  int value = 0;
  EXPECT_EQ(driver->cuDeviceGetAttribute(&value, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuDeviceGetAttribute(&value, 1, 1),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(EmulatedDriver, NamesItsErrors) {
  const char *text = nullptr;
  ASSERT_EQ(driver->cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text),
            CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_EQ(driver->cuGetErrorString(CUDA_SUCCESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "no error");
  EXPECT_EQ(driver->cuGetErrorName(static_cast<CUresult>(12345), &text),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

TEST_F(EmulatedDriver, LooksUpTheFormOfAVersion) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status = -1;
  auto ask = [&](const char *name, int version) {
    EXPECT_EQ(driver->cuGetProcAddress_v2(name, &found, version, 0, &status),
              CUDA_SUCCESS);
    return found;
  };
  EXPECT_EQ(ask("cuMemAlloc", 12000),
            reinterpret_cast<void *>(driver->cuMemAlloc_v2));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_EQ(ask("cuCtxCreate", 11000),
            reinterpret_cast<void *>(driver->cuCtxCreate_v2));
  EXPECT_EQ(ask("cuCtxCreate", 11040),
            reinterpret_cast<void *>(driver->cuCtxCreate_v3));
  EXPECT_EQ(ask("cuCtxCreate", 13000),
            reinterpret_cast<void *>(driver->cuCtxCreate_v4));
  EXPECT_EQ(ask("cuMemAlloc", 3010), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(ask("cuNothing", 13000), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(driver->cuGetProcAddress("cuNothing", &found, 13000, 0),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(EmulatedDriver, ContextsAreStackedPerThread) {
  CUcontext second = nullptr, current = nullptr;
  ASSERT_EQ(driver->cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, second);
  std::thread([&] {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(driver->cuCtxSetCurrent(second), CUDA_SUCCESS);
    EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
  }).join();
  ASSERT_EQ(driver->cuCtxDestroy_v2(second), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(driver->cuCtxPushCurrent_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver->cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(EmulatedDriver, ThePrimaryContextIsCounted) {
  CUcontext first = nullptr, second = nullptr;
  unsigned flags = 0;
  int active = -1;
  ASSERT_EQ(driver->cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDevicePrimaryCtxRetain(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  ASSERT_EQ(driver->cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuCtxDestroy_v2(first), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(driver->cuDevicePrimaryCtxGetState(0, &flags, &active),
            CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  ASSERT_EQ(driver->cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDevicePrimaryCtxGetState(0, &flags, &active),
            CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(driver->cuDevicePrimaryCtxRelease_v2(0),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(EmulatedDriver, AContextTakesItsObjectsAlong) {
  CUcontext second = nullptr;
  CUstream stream = nullptr;
  ASSERT_EQ(driver->cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
  CUmodule module = load();
  CUfunction function = get(module, "count");
  CUdeviceptr address = allocate(16);
  ASSERT_EQ(driver->cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(function, 1, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, BadHandlesAreInvalid) {
  auto stream = bad<CUstream>();
  auto event = bad<CUevent>();
  float time = 0;
  int value = 0;
  CUfunction function = nullptr;
  EXPECT_EQ(driver->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuStreamWaitEvent(nullptr, event, 0),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuEventElapsedTime(&time, event, event),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuModuleUnload(bad<CUmodule>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuModuleGetFunction(&function, bad<CUmodule>(), "f"),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuFuncGetAttribute(&value, 0, bad<CUfunction>()),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(bad<CUfunction>(), 1, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuMemcpyAsync(0, 0, 0, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuCtxPushCurrent_v2(bad<CUcontext>()),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(EmulatedDriver, AHandleIsNotTakenForAnother) {
  CUstream stream = nullptr;
  ASSERT_EQ(driver->cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuEventSynchronize(reinterpret_cast<CUevent>(stream)),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(driver->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  CUstream next = nullptr;
  ASSERT_EQ(driver->cuStreamCreate(&next, CU_STREAM_NON_BLOCKING),
            CUDA_SUCCESS);
  EXPECT_NE(next, stream);
  EXPECT_EQ(driver->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuStreamSynchronize(next), CUDA_SUCCESS);
}

TEST_F(EmulatedDriver, EventsWithoutTimingHaveNoTime) {
  CUevent timed = nullptr, untimed = nullptr;
  float time = -1;
  ASSERT_EQ(driver->cuEventCreate(&timed, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuEventRecord(timed, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuEventRecord(untimed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuEventElapsedTime(&time, timed, untimed),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver->cuEventElapsedTime(&time, timed, timed), CUDA_SUCCESS);
  EXPECT_EQ(time, 0.0f);
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, FillsTheErrorLog) {
  char log[256] = "untouched", small[5] = "????";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUmodule module = bad<CUmodule>();
  EXPECT_EQ(driver->cuModuleLoadDataEx(&module, notPtx, 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(module, nullptr);
  EXPECT_NE(std::string(log).find("nonsense"), std::string::npos) << log;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), strlen(log));
  EXPECT_NE(report().find(log), std::string::npos) << report();
  // A log that is too small is cut, and still ends with a zero.
  void *tight[] = {small, reinterpret_cast<void *>(sizeof(small))};
  EXPECT_EQ(driver->cuModuleLoadDataEx(&module, notPtx, 2, options, tight),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::string(small), std::string(log).substr(0, 4));
}

TEST_F(EmulatedDriver, RefusesMachineCode) {
  CUmodule module = nullptr;
  EXPECT_EQ(driver->cuModuleLoadData(&module, cubin),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("got a cubin"), std::string::npos) << report();
  EXPECT_EQ(driver->cuModuleLoadData(&module, fatbin),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("got a fatbin"), std::string::npos) << report();
  EXPECT_EQ(driver->cuModuleLoadData(&module, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuModuleLoad(&module, "/nowhere/kernel.ptx"),
            CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(EmulatedDriver, TellsAKernelsAttributes) {
  CUmodule module = load();
  CUfunction limited = get(module, "limited");
  EXPECT_EQ(get(module, "limited"), limited);
  auto ask = [&](CUfunction_attribute attribute) {
    int value = -1;
    EXPECT_EQ(driver->cuFuncGetAttribute(&value, attribute, limited),
              CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(ask(CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
  EXPECT_EQ(ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_EQ(ask(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 49152);
  const int dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(driver->cuFuncSetAttribute(limited, dynamic, 232448), CUDA_SUCCESS);
  EXPECT_EQ(ask(dynamic), 232448);
  EXPECT_EQ(driver->cuFuncSetAttribute(limited, dynamic, 232449),
            CUDA_ERROR_INVALID_VALUE);
  int blocks = 0;
  ASSERT_EQ(driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks,
                                                                limited, 64, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(blocks, 32);
  ASSERT_EQ(driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &blocks, limited, 64, 100 * 1024),
            CUDA_SUCCESS);
  EXPECT_EQ(blocks, 2);
}

TEST_F(EmulatedDriver, VariablesOfAModuleCanBeCopied) {
  CUmodule module = load();
  CUdeviceptr address = 0;
  size_t bytes = 0;
  ASSERT_EQ(driver->cuModuleGetGlobal_v2(&address, &bytes, module, "counter"),
            CUDA_SUCCESS)
      << report();
  ASSERT_EQ(bytes, 4u);
  unsigned value = 0;
  ASSERT_EQ(driver->cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 5u);
  ASSERT_EQ(launch(get(module, "count"), 1, nullptr), CUDA_SUCCESS) << report();
  ASSERT_EQ(driver->cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 6u);
  EXPECT_EQ(driver->cuModuleGetGlobal_v2(&address, &bytes, module, "absent"),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(driver->cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemcpyDtoH_v2(&value, address, 4),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, TakesPackedParameters) {
  CUfunction twice = get(load(), "twice");
  struct {
    CUdeviceptr address;
    unsigned count;
  } packed = {allocate(8), 2};
  float values[2] = {1.5f, -3.0f};
  ASSERT_EQ(driver->cuMemcpyHtoD_v2(packed.address, values, 8), CUDA_SUCCESS);
  size_t size = 12;
  auto key = [](LaunchExtra k) { return reinterpret_cast<void *>(k); };
  void *extra[] = {key(LaunchExtra::BufferPointer), &packed,
                   key(LaunchExtra::BufferSize), &size, key(LaunchExtra::End)};
  ASSERT_EQ(launch(twice, 2, nullptr, extra), CUDA_SUCCESS) << report();
  ASSERT_EQ(driver->cuMemcpyDtoH_v2(values, packed.address, 8), CUDA_SUCCESS);
  EXPECT_EQ(values[0], 3.0f);
  EXPECT_EQ(values[1], -6.0f);
  size = 11;
  EXPECT_EQ(launch(twice, 2, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("12 bytes"), std::string::npos) << report();
  EXPECT_EQ(launch(twice, 2, extra, extra), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, LaunchesRecordTheirEvents) {
  CUfunction count = get(load(), "count");
  CUevent event = nullptr;
  ASSERT_EQ(driver->cuEventCreate(&event, 0), CUDA_SUCCESS);
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY; // no more than a hint
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attributes[1].value.programmaticEvent.event = event;
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, attributes, 2};
  float milliseconds = 0;
  EXPECT_EQ(driver->cuEventElapsedTime(&milliseconds, event, event),
            CUDA_ERROR_INVALID_HANDLE); // never recorded
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_SUCCESS)
      << report();
  EXPECT_EQ(driver->cuEventElapsedTime(&milliseconds, event, event),
            CUDA_SUCCESS)
      << report();
  EXPECT_EQ(driver->cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(EmulatedDriver, LaunchesByConfiguration) {
  CUfunction count = get(load(), "count");
  CUlaunchAttribute attribute = {};
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {1, 1, 1};
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_SUCCESS)
      << report();
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_NE(report().find("whole clusters of (2,1,1) blocks, got (1,1,1)"),
            std::string::npos)
      << report();
  config.gridDimX = 2;
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_SUCCESS)
      << report();
  // More than 8 blocks are asked for by name.
  config.gridDimX = attribute.value.clusterDim.x = 16;
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  const auto nonPortable = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  EXPECT_EQ(driver->cuFuncSetAttribute(count, nonPortable, 1), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(driver->cuFuncGetAttribute(&value, nonPortable, count),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_SUCCESS)
      << report();
  config.attrs = nullptr;
  EXPECT_EQ(driver->cuLaunchKernelEx(&config, count, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuLaunchKernelEx(nullptr, count, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, AFaultStaysWithItsContext) {
  CUmodule module = load();
  CUdeviceptr address = allocate(16);
  void *parameters[] = {&address};
  // As on a GPU, the launch itself succeeds.
  EXPECT_EQ(launch(get(module, "outside"), 1, parameters), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(report().find("outside"), std::string::npos) << report();
  EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch(get(module, "count"), 1, nullptr),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  // Another context is untouched.
  CUcontext second = nullptr;
  ASSERT_EQ(driver->cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch(get(load(), "count"), 1, nullptr), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuCtxDestroy_v2(second), CUDA_SUCCESS);
}

TEST_F(EmulatedDriver, ReportsAreOfTheThread) {
  EXPECT_EQ(driver->cuMemFree_v2(1), CUDA_ERROR_INVALID_VALUE);
  std::string mine = report(), other = "?";
  std::thread([&] { other = driver->lastReport(); }).join();
  EXPECT_NE(mine, "");
  EXPECT_EQ(other, "");
}

TEST_F(EmulatedDriver, ThreadsShareTheDevice) {
  CUmodule module = load();
  CUfunction twice = get(module, "twice");
  auto work = [&](float seed) {
    ASSERT_EQ(driver->cuCtxSetCurrent(context), CUDA_SUCCESS);
    for (int round = 0; round < 20; ++round) {
      CUdeviceptr address = allocate(4);
      unsigned count = 1;
      float value = seed;
      void *parameters[] = {&address, &count};
      EXPECT_EQ(driver->cuMemcpyHtoD_v2(address, &value, 4), CUDA_SUCCESS);
      EXPECT_EQ(launch(twice, 1, parameters), CUDA_SUCCESS);
      EXPECT_EQ(driver->cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
      EXPECT_EQ(value, 2 * seed);
      EXPECT_EQ(driver->cuMemFree_v2(address), CUDA_SUCCESS);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i)
    threads.emplace_back(work, float(i));
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, FreesOnlyWhatItGave) {
  CUdeviceptr address = allocate(64);
  EXPECT_EQ(driver->cuMemFree_v2(address + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemFreeHost(reinterpret_cast<void *>(address)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemFree_v2(address), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemFree_v2(0), CUDA_SUCCESS);
}

TEST_F(EmulatedDriver, CountsMemory) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(driver->cuMemGetInfo_v2(&before, &total), CUDA_SUCCESS);
  allocate(1 << 20);
  ASSERT_EQ(driver->cuMemGetInfo_v2(&after, &total), CUDA_SUCCESS);
  EXPECT_EQ(before - after, size_t(1) << 20);
  EXPECT_LE(before, total);
}

TEST_F(EmulatedDriver, FillsByElementWidth) {
  CUdeviceptr address = allocate(16);
  unsigned words[4] = {};
  ASSERT_EQ(driver->cuMemsetD32_v2(address, 0x01020304, 4), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemsetD16_v2(address + 4, 0xabcd, 3), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemsetD8_v2(address + 15, 0xff, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemcpyDtoH_v2(words, address, 16), CUDA_SUCCESS);
  EXPECT_EQ(words[0], 0x01020304u);
  EXPECT_EQ(words[1], 0xabcdabcdu);
  EXPECT_EQ(words[2], 0x0102abcdu);
  EXPECT_EQ(words[3], 0xff020304u);
  EXPECT_EQ(driver->cuMemsetD32_v2(address + 2, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemsetD32_v2(address, 0, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemsetD32_v2(address, 0, SIZE_MAX / 2),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, KernelsReachRegisteredHostMemory) {
  CUfunction twice = get(load(), "twice");
  std::vector<float> values = {1, 2, 3};
  void *address = values.data();
  unsigned count = 3;
  void *parameters[] = {&address, &count};
  ASSERT_EQ(driver->cuMemHostRegister_v2(address, 12, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemHostRegister_v2(&values[1], 4, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  ASSERT_EQ(launch(twice, 3, parameters), CUDA_SUCCESS) << report();
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
  ASSERT_EQ(driver->cuMemHostUnregister(address), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemHostUnregister(address),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(launch(twice, 3, parameters), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(EmulatedDriver, TellsWhatAnAddressIs) {
  CUdeviceptr address = allocate(64), start = 0, managed = 0;
  unsigned type = 0;
  size_t bytes = 0;
  bool isManaged = true;
  ASSERT_EQ(driver->cuMemAllocManaged(&managed, 8, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuPointerGetAttribute(
                &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + 63),
            CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  ASSERT_EQ(driver->cuPointerGetAttribute(
                &isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, address),
            CUDA_SUCCESS);
  EXPECT_FALSE(isManaged);
  ASSERT_EQ(driver->cuPointerGetAttribute(
                &isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed),
            CUDA_SUCCESS);
  EXPECT_TRUE(isManaged);
  ASSERT_EQ(driver->cuMemGetAddressRange_v2(&start, &bytes, address + 5),
            CUDA_SUCCESS);
  EXPECT_EQ(start, address);
  EXPECT_EQ(bytes, 64u);
  int local = 0;
  EXPECT_EQ(
      driver->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    reinterpret_cast<CUdeviceptr>(&local)),
      CUDA_ERROR_INVALID_VALUE);
  void *pinned = nullptr;
  ASSERT_EQ(driver->cuMemAllocHost_v2(&pinned, 16), CUDA_SUCCESS);
  ASSERT_EQ(
      driver->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    reinterpret_cast<CUdeviceptr>(pinned)),
      CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(driver->cuMemFreeHost(pinned), CUDA_SUCCESS);
}

// NVIDIA's driver says no more than that a value is invalid.
TEST_F(EmulatedDriver, ALaunchNamesTheExtentThatTheDeviceDoesNotHave) {
  Driver silent = *driver;
  silent.lastReport = nullptr;
  CUfunction count = get(load(), "count");
  auto getError = [&](const LaunchShape &shape) {
    std::string error;
    EXPECT_EQ(launchKernel(silent, count, shape, 0, nullptr, nullptr, error),
              CUDA_ERROR_INVALID_VALUE);
    return error.substr(error.find('\n') + 1);
  };
  EXPECT_EQ(getError({1, 70000, 1, 1, 1, 1}),
            "expected grid y from 1 to 65535, got 70000");
  EXPECT_EQ(getError({1, 1, 1, 1, 1, 65}),
            "expected block z from 1 to 64, got 65");
  EXPECT_EQ(getError({1, 1, 1, 32, 33, 1}),
            "expected at most 1024 threads in a block, got 1056");
  EXPECT_EQ(getError({int64_t(1) << 32, 1, 1, 1, 1, 1}),
            "expected grid x from 1 to 2147483647, got 4294967296");
}
