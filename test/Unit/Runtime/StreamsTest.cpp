//===- StreamsTest.cpp - Streams of the emulated driver -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that wait for each other, for copies, events and the host; and the
// order that streams keep all the same.
//
//===----------------------------------------------------------------------===//

#include "EmulatedDriver.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

const char waiters[] = R"(
.version 7.0
.target sm_80
.address_size 64

// Adds 1 to *p, then waits until it is n at least.
.visible .entry meet(.param .u64 meet_p, .param .u32 meet_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [meet_p];
  ld.param.u32 %r1, [meet_n];
  atom.global.add.u32 %r2, [%rd1], 1;
WAIT:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra WAIT;
  ret;
}

// In n rounds: waits until *p is 2i + odd, then adds 1 to it.
.visible .entry alternate(.param .u64 alternate_p, .param .u32 alternate_odd,
                          .param .u32 alternate_n)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [alternate_p];
  ld.param.u32 %r1, [alternate_odd];
  ld.param.u32 %r2, [alternate_n];
ROUND:
  atom.acquire.gpu.global.add.u32 %r3, [%rd1], 0;
  setp.ne.u32 %p1, %r3, %r1;
  @%p1 bra ROUND;
  atom.release.gpu.global.add.u32 %r4, [%rd1], 1;
  add.u32 %r1, %r1, 2;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra ROUND;
  ret;
}

// *q = 2 * *q + 1.
.visible .entry next(.param .u64 next_q)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [next_q];
  ld.global.u32 %r1, [%rd1];
  mad.lo.u32 %r2, %r1, 2, 1;
  st.global.u32 [%rd1], %r2;
  ret;
}

// A long loop of atomics that waits for nobody.
.visible .entry work(.param .u64 work_p, .param .u32 work_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [work_p];
  ld.param.u32 %r1, [work_n];
AGAIN:
  red.global.add.u32 [%rd1], 1;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  ret;
}
)";

class Streams : public EmulatedDriver {
protected:
  void SetUp() override {
    EmulatedDriver::SetUp();
    ASSERT_EQ(driver->cuModuleLoadData(&module, waiters), CUDA_SUCCESS)
        << report();
    flag = allocate(4);
    value = allocate(4);
    unsigned zero = 0;
    ASSERT_EQ(driver->cuMemcpyHtoD_v2(flag, &zero, 4), CUDA_SUCCESS);
    ASSERT_EQ(driver->cuMemcpyHtoD_v2(value, &zero, 4), CUDA_SUCCESS);
    first = makeStream();
    second = makeStream();
  }
  CUstream makeStream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_EQ(driver->cuStreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }
  CUevent record(CUstream stream) {
    CUevent event = nullptr;
    EXPECT_EQ(driver->cuEventCreate(&event, 0), CUDA_SUCCESS);
    EXPECT_EQ(driver->cuEventRecord(event, stream), CUDA_SUCCESS);
    return event;
  }
  void run(const char *kernel, CUstream stream, void **parameters) {
    EXPECT_EQ(driver->cuLaunchKernel(get(module, kernel), 1, 1, 1, 1, 1, 1, 0,
                                     stream, parameters, nullptr),
              CUDA_SUCCESS)
        << report();
  }
  /// Waits in `stream` until the flag is `count`, after adding 1 to it.
  void meet(CUstream stream, unsigned count) {
    void *parameters[] = {&flag, &count};
    run("meet", stream, parameters);
  }
  void next(CUstream stream) {
    void *parameters[] = {&value};
    run("next", stream, parameters);
  }
  /// What is in device memory now, whatever streams do.
  static unsigned peek(CUdeviceptr address) {
    return *reinterpret_cast<volatile unsigned *>(uintptr_t(address));
  }

  CUmodule module = nullptr;
  CUdeviceptr flag = 0, value = 0;
  CUstream first = nullptr, second = nullptr;
};

} // namespace

TEST_F(Streams, TwoKernelsWaitForEachOther) {
  meet(first, 2);
  EXPECT_EQ(driver->cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver->cuStreamQuery(second), CUDA_SUCCESS);
  meet(second, 2);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuStreamSynchronize(second), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(flag), 2u);
}

TEST_F(Streams, ManyKernelsWaitForEachOther) {
  for (unsigned i = 0; i < 8; ++i)
    meet(makeStream(), 8);
  EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(flag), 8u);
}

TEST_F(Streams, KernelsTakeTurnsManyTimes) {
  unsigned rounds = 100, even = 0, odd = 1;
  void *left[] = {&flag, &even, &rounds}, *right[] = {&flag, &odd, &rounds};
  run("alternate", first, left);
  run("alternate", second, right);
  EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(flag), 200u);
}

TEST_F(Streams, OneStreamKeepsItsOrder) {
  meet(first, 2);
  next(first);
  unsigned ten = 10;
  ASSERT_EQ(driver->cuMemsetD32Async(value, ten, 1, first), CUDA_SUCCESS);
  next(first);
  CUdeviceptr copy = allocate(4);
  ASSERT_EQ(driver->cuMemcpyDtoDAsync_v2(copy, value, 4, first), CUDA_SUCCESS);
  next(first);
  int calls = 0;
  ASSERT_EQ(driver->cuLaunchHostFunc(
                first, [](void *data) { ++*static_cast<int *>(data); }, &calls),
            CUDA_SUCCESS);
  // Nothing of it was done.
  EXPECT_EQ(peek(value), 0u);
  EXPECT_EQ(calls, 0);
  meet(second, 2);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(copy), 21u);
  EXPECT_EQ(peek(value), 43u);
  EXPECT_EQ(calls, 1);
}

TEST_F(Streams, EventsOrderStreams) {
  meet(first, 2);
  CUevent event = record(first);
  EXPECT_EQ(driver->cuEventQuery(event), CUDA_ERROR_NOT_READY);
  CUstream third = makeStream();
  ASSERT_EQ(driver->cuStreamWaitEvent(third, event, 0), CUDA_SUCCESS);
  next(third);
  EXPECT_EQ(driver->cuStreamQuery(third), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(peek(value), 0u);
  CUevent end = record(third);
  float milliseconds = -1;
  EXPECT_EQ(driver->cuEventElapsedTime(&milliseconds, event, end),
            CUDA_ERROR_NOT_READY);
  meet(second, 2);
  EXPECT_EQ(driver->cuEventSynchronize(end), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuEventQuery(event), CUDA_SUCCESS);
  EXPECT_EQ(peek(value), 1u);
  EXPECT_EQ(driver->cuEventElapsedTime(&milliseconds, event, end),
            CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0.0f);
}

TEST_F(Streams, AStreamMayEndBeforeItsWork) {
  meet(first, 2);
  CUevent event = record(first);
  EXPECT_EQ(driver->cuStreamDestroy_v2(first), CUDA_SUCCESS);
  meet(second, 2);
  EXPECT_EQ(driver->cuEventSynchronize(event), CUDA_SUCCESS) << report();
}

TEST_F(Streams, TheDefaultStreamWaitsForStreamsThatBlock) {
  CUstream blocking = makeStream(/*flags=*/0);
  meet(blocking, 2);
  next(nullptr);  // waits for the kernel
  next(blocking); // waits for the default stream
  EXPECT_EQ(peek(value), 0u);
  meet(second, 2); // waits for nobody
  EXPECT_EQ(driver->cuStreamSynchronize(blocking), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(value), 3u);
}

TEST_F(Streams, ACopyOfTheDefaultStreamDoesNotWaitForOtherStreams) {
  meet(first, 2);
  unsigned two = 2, got = 0;
  // The copy is what the kernel waits for.
  EXPECT_EQ(driver->cuMemcpyHtoD_v2(flag, &two, 4), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuMemcpyDtoH_v2(&got, flag, 4), CUDA_SUCCESS);
  EXPECT_EQ(got, 2u);
}

TEST_F(Streams, AKernelWaitsForTheHost) {
  meet(nullptr, 7);
  EXPECT_EQ(driver->cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  *reinterpret_cast<volatile unsigned *>(uintptr_t(flag)) = 7;
  EXPECT_EQ(driver->cuStreamSynchronize(nullptr), CUDA_SUCCESS) << report();
}

TEST_F(Streams, AnotherThreadHelpsAKernelThatIsWaitedFor) {
  meet(first, 2);
  std::atomic<bool> waits{false};
  std::thread other([&] {
    ASSERT_EQ(driver->cuCtxSetCurrent(context), CUDA_SUCCESS);
    while (!waits)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    meet(second, 2);
  });
  waits = true;
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  other.join();
}

TEST_F(Streams, FreeingWaitsAndAsynchronousFreeingKeepsOrder) {
  CUdeviceptr target = allocate(4);
  meet(first, 2);
  ASSERT_EQ(driver->cuMemcpyDtoDAsync_v2(value, flag, 4, first), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemcpyDtoDAsync_v2(target, flag, 4, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFreeAsync(target, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFreeAsync(target, first), CUDA_ERROR_INVALID_VALUE);
  meet(second, 2);
  CUdeviceptr other = allocate(4);
  EXPECT_EQ(driver->cuMemFree_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(peek(value), 2u);
}

TEST_F(Streams, ADeadlockIsFoundWhereItIsWaitedFor) {
  meet(first, 3);
  meet(second, 3);
  next(second);
  EXPECT_EQ(driver->cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_NE(report().find("kernel 'meet'"), std::string::npos) << report();
  EXPECT_EQ(driver->cuStreamQuery(second), CUDA_ERROR_LAUNCH_TIMEOUT);
  // What came after it is dropped.
  EXPECT_EQ(peek(value), 0u);
}

TEST_F(Streams, AKernelOfManyAtomicsIsNoDeadlock) {
  unsigned count = 1 << 20;
  void *parameters[] = {&value, &count};
  run("work", first, parameters);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(value), count);
}

TEST_F(Streams, ALaunchIsDoneWhenItsCallReturns) {
  next(first);
  EXPECT_EQ(peek(value), 1u);
  EXPECT_EQ(driver->cuStreamQuery(first), CUDA_SUCCESS);
}
