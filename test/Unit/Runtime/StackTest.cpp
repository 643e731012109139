//===- StackTest.cpp - Tests of CPU kernels on little stack ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/tc_package.h"

#include "gtest/gtest.h"

#include <climits>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <ucontext.h>
#include <vector>

/// As much as a CPU kernel may take.
static constexpr size_t kKernelStack = size_t(2) << 20;

static pthread_t ranOn;

static void takeStack(void *, const int64_t *) {
  char panels[kKernelStack];
  std::memset(panels, 1, sizeof panels);
  // The compiler shall not find out that nobody reads them.
  asm volatile("" : : "r"(panels) : "memory");
  ranOn = pthread_self();
}

static int runKernel() {
  void *state = nullptr;
  tcPackagedEntry entry = {};
  entry.abi = TC_PACKAGE_ABI;
  entry.name = "tc_deep";
  tcPackagedCpu cpu = {};
  cpu.launch = takeStack;
  cpu.workspace = [](const int64_t *) -> int64_t { return 0; };
  entry.cpus = &cpu;
  entry.numCpus = 1;
  entry.state = &state;
  int64_t values[1] = {};
  return tcPackageRunCpu(&entry, values, /*workspace=*/nullptr, 0);
}

static void *runInThread(void *status) {
  *static_cast<int *>(status) = runKernel();
  return nullptr;
}

TEST(StackTest, KernelRunsOnItsCallerWhereThatHasEnough) {
  ASSERT_EQ(runKernel(), TC_OK);
  EXPECT_TRUE(pthread_equal(ranOn, pthread_self()));
}

TEST(StackTest, ThreadWithLittleStackRunsKernel) {
  for (size_t bytes : {size_t(PTHREAD_STACK_MIN) + (32 << 10),
                       size_t(256) << 10, size_t(2) << 20}) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    pthread_t thread;
    int status = -1;
    ASSERT_EQ(pthread_create(&thread, &attributes, runInThread, &status), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, nullptr);
    EXPECT_EQ(status, TC_OK) << bytes;
  }
}

namespace {
/// A coroutine with a stack that the system knows nothing of.
struct Coroutine {
  ucontext_t caller, own;
  std::vector<char> stack = std::vector<char>(64 << 10);
  int status = -1;
};
} // namespace

static Coroutine *current;

TEST(StackTest, CoroutineRunsKernel) {
  auto coroutine = std::make_unique<Coroutine>();
  current = coroutine.get();
  ASSERT_EQ(getcontext(&current->own), 0);
  current->own.uc_stack.ss_sp = current->stack.data();
  current->own.uc_stack.ss_size = current->stack.size();
  current->own.uc_link = &current->caller;
  makecontext(&current->own, [] { current->status = runKernel(); }, 0);
  ASSERT_EQ(swapcontext(&current->caller, &current->own), 0);
  EXPECT_EQ(current->status, TC_OK);
  EXPECT_FALSE(pthread_equal(ranOn, pthread_self()));
}
