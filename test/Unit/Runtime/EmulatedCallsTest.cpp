//===- EmulatedCallsTest.cpp - The rarer calls of the emulated driver -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows, pools, linking, fatbins, callbacks, occupancy and second names: what
// launchers call beside the calls of EmulatedDriverTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "EmulatedDriver.h"

#include <cstring>
#include <dlfcn.h>

using namespace tc::runtime;
using namespace tc::runtime::test;

TEST_F(EmulatedDriver, EveryCallHasItsNames) {
  void *library = dlopen(TC_EMULATOR_PATH, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  // The name in the documents is exported wherever the symbol differs from it.
#define TC_LOOK(name, symbol, since, need, parameters)                         \
  EXPECT_NE(dlsym(library, #symbol), nullptr) << #symbol;                      \
  EXPECT_NE(dlsym(library, #name), nullptr) << #name;
  TC_DRIVER_CALLS(TC_LOOK)
#undef TC_LOOK
  EXPECT_EQ(dlsym(library, "cuMemAlloc"), dlsym(library, "cuMemAlloc_v2"));
  EXPECT_EQ(dlsym(library, "cuLaunchKernel_ptsz"),
            dlsym(library, "cuLaunchKernel"));
  EXPECT_EQ(dlsym(library, "cuMemcpyHtoD_v2_ptds"),
            dlsym(library, "cuMemcpyHtoD_v2"));
  void *found = nullptr;
  ASSERT_EQ(
      driver->cuGetProcAddress_v2("cuMemAlloc_v2", &found, 13000, 0, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(found, dlsym(library, "cuMemAlloc_v2"));
  dlclose(library);
}

//===----------------------------------------------------------------------===//
// What stays in L2
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, KeepsWhatStreamsAreTold) {
  int window = 0, persisting = 0;
  ASSERT_EQ(driver->cuDeviceGetAttribute(&window, 109, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDeviceGetAttribute(&persisting, 108, 0), CUDA_SUCCESS);
  EXPECT_GT(window, 0);
  size_t limit = 0;
  EXPECT_EQ(driver->cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, SIZE_MAX),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuCtxGetLimit(&limit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE),
            CUDA_SUCCESS);
  EXPECT_EQ(limit, size_t(persisting));
  EXPECT_EQ(driver->cuCtxSetLimit(4, 1), CUDA_ERROR_NOT_SUPPORTED);
  CUstream streams[2];
  for (CUstream &stream : streams)
    ASSERT_EQ(driver->cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  const auto policy = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  CUlaunchAttributeValue value = {}, back = {};
  value.accessPolicyWindow = {&value, 4096, 0.5f, 2, 1};
  auto set = [&] {
    return driver->cuStreamSetAttribute(streams[0], policy, &value);
  };
  EXPECT_EQ(set(), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuStreamCopyAttributes(streams[1], streams[0]),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamGetAttribute(streams[1], policy, &back),
            CUDA_SUCCESS);
  EXPECT_EQ(back.accessPolicyWindow.num_bytes, 4096u);
  // Of another stream, and of the default one, nothing was said.
  EXPECT_EQ(driver->cuStreamGetAttribute(nullptr, policy, &back), CUDA_SUCCESS);
  EXPECT_EQ(back.accessPolicyWindow.num_bytes, 0u);
  value.accessPolicyWindow.hitRatio = 1.5f;
  EXPECT_EQ(set(), CUDA_ERROR_INVALID_VALUE);
  value.accessPolicyWindow = {&value, size_t(window) + 1, 1, 2, 1};
  EXPECT_EQ(set(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuStreamSetAttribute(
                streams[0], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
            CUDA_ERROR_INVALID_VALUE);
  for (CUstream stream : streams)
    EXPECT_EQ(driver->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamSetAttribute(streams[0], policy, &value),
            CUDA_ERROR_INVALID_HANDLE);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, CopiesABoxOfRows) {
  unsigned char host[24], back[6] = {};
  for (unsigned i = 0; i != sizeof(host); ++i)
    host[i] = static_cast<unsigned char>(i);
  CUdeviceptr address = 0;
  size_t pitch = 0;
  ASSERT_EQ(driver->cuMemAllocPitch_v2(&address, &pitch, 6, 4, 4),
            CUDA_SUCCESS);
  EXPECT_EQ(pitch, 512u);
  CUDA_MEMCPY2D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = host;
  in.srcPitch = 6;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = address;
  in.dstPitch = pitch;
  in.WidthInBytes = 6;
  in.Height = 4;
  ASSERT_EQ(driver->cuMemcpy2D_v2(&in), CUDA_SUCCESS) << report();
  // Rows 1 and 2, bytes 2 to 4, through a three-dimensional copy of one slice.
  CUDA_MEMCPY3D out = {};
  out.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  out.srcDevice = address;
  out.srcPitch = pitch;
  out.srcXInBytes = 2;
  out.srcY = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back;
  out.dstPitch = 3;
  out.WidthInBytes = 3;
  out.Height = 2;
  out.Depth = 1;
  ASSERT_EQ(driver->cuMemcpy3D_v2(&out), CUDA_SUCCESS) << report();
  const unsigned char expected[] = {8, 9, 10, 14, 15, 16};
  EXPECT_EQ(memcmp(back, expected, 6), 0);
  out.Height = 4; // one row beyond the allocation
  EXPECT_EQ(driver->cuMemcpy3D_v2(&out), CUDA_ERROR_INVALID_VALUE);
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(driver->cuMemcpy3D_v2(&out), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver->cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, FillsRows) {
  CUdeviceptr address = allocate(32);
  ASSERT_EQ(driver->cuMemsetD8_v2(address, 0, 32), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemsetD2D16_v2(address + 2, 16, 0x0102, 3, 2),
            CUDA_SUCCESS)
      << report();
  unsigned short values[16];
  ASSERT_EQ(driver->cuMemcpyDtoH_v2(values, address, 32), CUDA_SUCCESS);
  for (unsigned i = 0; i != 16; ++i)
    EXPECT_EQ(values[i], i % 8 >= 1 && i % 8 <= 3 ? 0x0102 : 0) << i;
  EXPECT_EQ(driver->cuMemsetD2D32_v2(address, 18, 0, 1, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemsetD2D32_v2(address, 16, 0, 4, 3),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemsetD2D8_v2(address, SIZE_MAX / 2, 0, 1, 4),
            CUDA_ERROR_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, APoolCountsWhatComesFromIt) {
  CUmemoryPool pool = nullptr, own = nullptr, current = nullptr;
  CUmemPoolProps properties = {};
  ASSERT_EQ(driver->cuMemPoolCreate(&own, &properties), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDeviceSetMemPool(0, own), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDeviceGetMemPool(&current, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, own);
  auto used = [&](int attribute) {
    uint64_t bytes = 0;
    EXPECT_EQ(driver->cuMemPoolGetAttribute(own, attribute, &bytes),
              CUDA_SUCCESS);
    return bytes;
  };
  CUdeviceptr first = 0, second = 0;
  ASSERT_EQ(driver->cuMemAllocAsync(&first, 100, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemAllocFromPoolAsync(&second, 50, own, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(used(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 150u);
  ASSERT_EQ(driver->cuMemFreeAsync(first, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(used(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 50u);
  EXPECT_EQ(used(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 150u);
  uint64_t threshold = 1 << 20;
  ASSERT_EQ(driver->cuMemPoolSetAttribute(
                own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            CUDA_SUCCESS);
  EXPECT_EQ(used(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), threshold);
  EXPECT_EQ(driver->cuMemFree_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemPoolDestroy(own), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemPoolDestroy(own), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemAllocFromPoolAsync(&first, 4, own, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, LinksOneText) {
  CUlinkState link = nullptr;
  void *image = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(driver->cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  auto add = [&](int type) {
    return driver->cuLinkAddData_v2(link, type, const_cast<char *>(kernels),
                                    sizeof(kernels), "k", 0, nullptr, nullptr);
  };
  EXPECT_EQ(add(/*cubin=*/0), CUDA_ERROR_NO_BINARY_FOR_GPU);
  ASSERT_EQ(add(CU_JIT_INPUT_PTX), CUDA_SUCCESS) << report();
  EXPECT_EQ(add(CU_JIT_INPUT_PTX), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(driver->cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(bytes, sizeof(kernels));
  CUmodule module = nullptr;
  ASSERT_EQ(driver->cuModuleLoadData(&module, image), CUDA_SUCCESS) << report();
  ASSERT_EQ(driver->cuLinkDestroy(link), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(get(module, "count"), 1, nullptr), CUDA_SUCCESS);
}

TEST_F(EmulatedDriver, ALibraryHasKernels) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(driver->cuLibraryLoadData(&library, kernels, nullptr, nullptr, 0,
                                      nullptr, nullptr, 0),
            CUDA_SUCCESS)
      << report();
  ASSERT_EQ(driver->cuLibraryGetKernel(&kernel, library, "twice"),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  const char *name = nullptr;
  size_t offset = 0, bytes = 0;
  ASSERT_EQ(driver->cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "twice");
  ASSERT_EQ(driver->cuFuncGetParamInfo(function, 1, &offset, &bytes),
            CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(driver->cuFuncGetParamInfo(function, 2, &offset, &bytes),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
}

/// One image of a fatbin, as CUDA 13's tool lays it out: of kind 1 PTX, of kind
/// 2 machine code.
static std::string makeEntry(const std::string &image, unsigned chip,
                             uint64_t flags, uint32_t compressed = 0,
                             uint64_t textBytes = 0, unsigned kind = 1) {
  std::string padded = image;
  padded.resize((image.size() + 7) / 8 * 8);
  std::string out;
  auto put = [&](uint64_t value, unsigned bytes) {
    out.append(reinterpret_cast<const char *>(&value), bytes);
  };
  put(kind, 2);
  put(0x101, 2);
  put(64, 4);
  put(padded.size(), 8);
  put(compressed, 4);
  put(0, 4);
  put(0, 4);
  put(chip, 4);
  put(0, 8);
  put(flags, 8);
  put(0, 8);
  put(textBytes, 8);
  return out + padded;
}

static std::string makeFatbin(const std::string &entries) {
  uint64_t bytes = entries.size();
  std::string out("\x50\xed\x55\xba\x01\0\x10\0", 8);
  out.append(reinterpret_cast<const char *>(&bytes), 8);
  return out + entries;
}

TEST_F(EmulatedDriver, TakesThePtxOfAFatbin) {
  CUmodule module = nullptr;
  std::string text(kernels, sizeof(kernels));
  std::string plain = makeFatbin(makeEntry(text, 80, 0x11));
  ASSERT_EQ(driver->cuModuleLoadFatBinary(&module, plain.data()), CUDA_SUCCESS)
      << report();
  EXPECT_EQ(launch(get(module, "count"), 1, nullptr), CUDA_SUCCESS);
  struct {
    uint32_t magic, version;
    const void *data, *rest;
  } wrapper = {0x466243b1, 1, plain.data(), nullptr};
  EXPECT_EQ(driver->cuModuleLoadData(&module, &wrapper), CUDA_SUCCESS)
      << report();
  // LZ4: 15 + 255 * n + m literals, and no match.
  std::string packed = "\xf0";
  size_t left = text.size() - 15;
  for (; left >= 255; left -= 255)
    packed += '\xff';
  packed += static_cast<char>(left);
  packed += text;
  std::string lz4 = makeFatbin(
      makeEntry(packed, 80, 0x2011, uint32_t(packed.size()), text.size()));
  EXPECT_EQ(driver->cuModuleLoadData(&module, lz4.data()), CUDA_SUCCESS)
      << report();
  std::string damaged = makeFatbin(
      makeEntry(packed, 80, 0x2011, uint32_t(packed.size()), text.size() + 1));
  EXPECT_EQ(driver->cuModuleLoadData(&module, damaged.data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("damaged"), std::string::npos) << report();
  std::string later = makeFatbin(makeEntry(text, 100, 0x11));
  EXPECT_EQ(driver->cuModuleLoadData(&module, later.data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/// nvcc -arch=sm_90a writes PTX for compute_90, machine code for sm_90a, and
/// PTX for compute_90a, in this order.
TEST_F(EmulatedDriver, PrefersPtxForTheFeaturesOfAChip) {
  std::string text(kernels, sizeof(kernels));
  std::string plain = makeEntry(text, 90, 0x11),
              features = makeEntry(text, 90, 0x100011),
              wrong = makeEntry("no PTX", 90, 0x11),
              older = makeEntry("no PTX", 80, 0x11),
              code = makeEntry("\x7f", 90, 0x100011, 0, 0, /*kind=*/2);
  auto load = [&](const std::string &entries) {
    CUmodule module = nullptr;
    std::string fatbin = makeFatbin(entries);
    testing::internal::CaptureStderr();
    EXPECT_EQ(driver->cuModuleLoadData(&module, fatbin.data()), CUDA_SUCCESS)
        << report();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(load(wrong + code + features), "");
  EXPECT_EQ(load(features + wrong), "");
  EXPECT_EQ(load(older + plain), "");
  std::string note = load(plain + code);
  EXPECT_NE(note.find("-gencode arch=compute_90a,code=compute_90a"),
            std::string::npos)
      << note;
  EXPECT_EQ(load(code + plain), ""); // It is said once.
}

//===----------------------------------------------------------------------===//
// Streams, contexts, occupancy
//===----------------------------------------------------------------------===//

TEST_F(EmulatedDriver, CallsTheHost) {
  CUstream stream = nullptr;
  ASSERT_EQ(driver->cuStreamCreateWithPriority(&stream, 1, -9), CUDA_SUCCESS);
  int calls = 0;
  ASSERT_EQ(
      driver->cuLaunchHostFunc(
          stream, [](void *data) { ++*static_cast<int *>(data); }, &calls),
      CUDA_SUCCESS);
  ASSERT_EQ(driver->cuStreamAddCallback(
                stream,
                [](CUstream, CUresult result, void *data) {
                  *static_cast<int *>(data) += result == CUDA_SUCCESS ? 10 : 0;
                },
                &calls, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(driver->cuLaunchHostFunc(stream, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  int priority = 0;
  unsigned flags = 0;
  CUcontext owner = nullptr;
  EXPECT_EQ(driver->cuStreamGetPriority(stream, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5); // the greatest there is
  EXPECT_EQ(driver->cuStreamGetFlags(stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(driver->cuStreamGetCtx(nullptr, &owner), CUDA_SUCCESS);
  EXPECT_EQ(owner, context);
}

TEST_F(EmulatedDriver, KeepsTheLimitsOfAContext) {
  size_t bytes = 0;
  ASSERT_EQ(driver->cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4096u);
  EXPECT_EQ(driver->cuCtxGetLimit(&bytes, 5), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(EmulatedDriver, FindsABlockSize) {
  CUmodule module = load();
  int grid = 0, block = 0;
  ASSERT_EQ(driver->cuOccupancyMaxPotentialBlockSize(
                &grid, &block, get(module, "limited"), nullptr, 0, 0),
            CUDA_SUCCESS);
  // 64 threads at most, 32 blocks a multiprocessor.
  EXPECT_EQ(block, 64);
  EXPECT_EQ(grid, 32 * 132);
  ASSERT_EQ(driver->cuOccupancyMaxPotentialBlockSize(
                &grid, &block, get(module, "twice"),
                [](int threads) { return size_t(threads) * 114; }, 0, 0),
            CUDA_SUCCESS);
  // 114 bytes a thread and a KiB a block of 228 KiB: two blocks have at most
  // 992 threads, 1984 in all; three have 672, and no more blocks do better.
  EXPECT_EQ(block, 672);
  EXPECT_EQ(grid, 3 * 132);
  size_t bytes = 0;
  ASSERT_EQ(driver->cuOccupancyAvailableDynamicSMemPerBlock(
                &bytes, get(module, "twice"), 2, 1024),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes, size_t(228 / 2 - 1) * 1024);
  EXPECT_EQ(driver->cuOccupancyAvailableDynamicSMemPerBlock(
                &bytes, get(module, "twice"), 3, 1024),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(EmulatedDriver, LaunchesCooperativeBlocks) {
  CUfunction count = get(load(), "count");
  auto launch = [&](unsigned blocks) {
    return driver->cuLaunchCooperativeKernel(count, blocks, 1, 1, 1, 1, 1, 0,
                                             nullptr, nullptr);
  };
  EXPECT_EQ(launch(1), CUDA_SUCCESS);
  EXPECT_EQ(launch(200), CUDA_SUCCESS);
  // As many as are resident at once: 32 on each multiprocessor.
  EXPECT_EQ(launch(132 * 32 + 1), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_NE(report().find("at most 4224 blocks, got 4225"), std::string::npos)
      << report();
  int isThere = 0;
  EXPECT_EQ(driver->cuDeviceGetAttribute(&isThere, 95, 0), CUDA_SUCCESS);
  EXPECT_EQ(isThere, 1);
}
