//===- Stack.cpp - Threads with stack enough for CPU kernels --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"

#include <signal.h>

using namespace tc::runtime;

/// What a thread of ours has, and what a kernel may take, with something to
/// spare for what it calls.
static constexpr size_t kThreadStack = size_t(4) << 20;
static constexpr size_t kKernelStack = size_t(9) << 18;

int tc::runtime::startThread(pthread_t &thread, ThreadEntry entry,
                             void *argument) {
  pthread_attr_t attributes;
  if (int error = pthread_attr_init(&attributes))
    return error;
  pthread_attr_setstacksize(&attributes, kThreadStack);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, &attributes, entry, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

namespace {
/// Where the stack lies that the system gave this thread; nothing if unknown.
struct Bounds {
  uintptr_t begin = 0, end = 0;

  Bounds() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      return;
    void *base = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &base, &size) == 0) {
      begin = reinterpret_cast<uintptr_t>(base);
      end = begin + size;
    }
    pthread_attr_destroy(&attributes);
  }
};

struct KernelCall {
  void (*kernel)(void *call, const int64_t *words);
  const int64_t *words;

  void run() const { kernel(/*call=*/nullptr, words); }
};
} // namespace

/// A coroutine runs on a stack of its own, of which nothing is known.
static bool hasStack() {
  // To ask takes a while: for the first thread, the system reads a file.
  thread_local const Bounds bounds;
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return bounds.begin <= here && here < bounds.end &&
         here - bounds.begin >= kKernelStack;
}

bool tc::runtime::callWithStack(void (*kernel)(void *call,
                                               const int64_t *words),
                                const int64_t *words) {
  KernelCall call{kernel, words};
  if (hasStack()) {
    call.run();
    return true;
  }
  pthread_t thread;
  auto enter = [](void *opaque) -> void * {
    static_cast<const KernelCall *>(opaque)->run();
    return nullptr;
  };
  if (startThread(thread, enter, &call) != 0)
    return false;
  pthread_join(thread, nullptr);
  return true;
}
