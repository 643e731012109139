//===- Graphs.h - Tests of CUDA graphs --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two streams, a log that kernels and host functions write their numbers to,
// and short names for the calls that make graphs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_RUNTIME_GRAPHS_H
#define TC_TEST_UNIT_RUNTIME_GRAPHS_H

#include "EmulatedDriver.h"

#include <dlfcn.h>
#include <vector>

namespace tc::runtime::test {

/// Appends `number` to the log at p: a count, and as many numbers.
inline const char loggers[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry append(.param .u64 p, .param .u32 number)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [number];
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r1;
  ret;
}
// *p = 2 * *p + n.
.visible .entry next(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.global.u32 %r2, [%rd1];
  mad.lo.u32 %r3, %r2, 2, %r1;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

class Graphs : public EmulatedDriver {
protected:
  using Nodes = std::vector<CUgraphNode>;

  void SetUp() override {
    EmulatedDriver::SetUp();
    ASSERT_EQ(driver->cuModuleLoadData(&module, loggers), CUDA_SUCCESS)
        << report();
    append = get(module, "append");
    next = get(module, "next");
    log = allocate(256);
    value = allocate(4);
    clear();
    for (CUstream *stream : {&first, &second})
      ASSERT_EQ(driver->cuStreamCreate(stream, CU_STREAM_NON_BLOCKING),
                CUDA_SUCCESS);
    ASSERT_EQ(driver->cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    schedule("deterministic");
    EXPECT_EQ(driver->cuGraphDestroy(graph), CUDA_SUCCESS);
    EmulatedDriver::TearDown();
  }
  void clear() {
    ASSERT_EQ(driver->cuMemsetD32_v2(log, 0, 64), CUDA_SUCCESS);
    ASSERT_EQ(driver->cuMemsetD32_v2(value, 0, 1), CUDA_SUCCESS);
    // Other streams do not wait for fills.
    ASSERT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS);
  }
  static void schedule(const char *order) {
    void *library = dlopen(TC_EMULATOR_PATH, RTLD_NOW | RTLD_NOLOAD);
    auto set = reinterpret_cast<int (*)(const char *, const char *)>(
        dlsym(library, "tcEmuSetOption"));
    EXPECT_EQ(set("schedule", order), 0);
    dlclose(library);
  }

  /// A node that appends `number` to the log.
  CUgraphNode add(unsigned number, const Nodes &after = {}) {
    return addKernel(append, log, number, after);
  }
  CUgraphNode addKernel(CUfunction function, CUdeviceptr address,
                        unsigned number, const Nodes &after = {}) {
    CUgraphNode node = nullptr;
    void *values[] = {&address, &number};
    CUDA_KERNEL_NODE_PARAMS_v2 parameters = makeKernel(function, values);
    EXPECT_EQ(driver->cuGraphAddKernelNode_v2(&node, graph, after.data(),
                                              after.size(), &parameters),
              CUDA_SUCCESS)
        << report();
    return node;
  }
  static CUDA_KERNEL_NODE_PARAMS_v2 makeKernel(CUfunction function,
                                               void **values) {
    return {function, 1, 1, 1, 1, 1, 1, 0, values, nullptr, nullptr, nullptr};
  }
  CUgraphExec instantiate(CUgraph of = nullptr, uint64_t flags = 0) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(
        driver->cuGraphInstantiateWithFlags(&exec, of ? of : graph, flags),
        CUDA_SUCCESS)
        << report();
    return exec;
  }
  /// Launches it, and waits.
  CUresult run(CUgraphExec exec) {
    if (CUresult bad = driver->cuGraphLaunch(exec, first))
      return bad;
    return driver->cuStreamSynchronize(first);
  }
  /// Launches a fresh instance.
  void runOnce(CUgraph of = nullptr) {
    CUgraphExec exec = instantiate(of);
    EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
    EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  }
  void launchIn(CUstream stream, unsigned number) {
    void *values[] = {&log, &number};
    EXPECT_EQ(driver->cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream,
                                     values, nullptr),
              CUDA_SUCCESS)
        << report();
  }
  CUevent makeEvent() {
    CUevent event = nullptr;
    EXPECT_EQ(driver->cuEventCreate(&event, 0), CUDA_SUCCESS);
    return event;
  }
  /// What the log has by now.
  std::vector<unsigned> read() {
    const auto *words =
        reinterpret_cast<const volatile unsigned *>(uintptr_t(log));
    return {words + 1, words + 1 + words[0]};
  }
  unsigned peek() {
    return *reinterpret_cast<const volatile unsigned *>(uintptr_t(value));
  }

  CUmodule module = nullptr;
  CUfunction append = nullptr, next = nullptr;
  CUdeviceptr log = 0, value = 0;
  CUstream first = nullptr, second = nullptr;
  CUgraph graph = nullptr;
};

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_RUNTIME_GRAPHS_H
