//===- Stack.h - Threads with stack enough for CPU kernels ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU kernels have their panels on the stack, up to 2 MiB in all. A caller may
// have less: a thread that was made with a small stack, or a coroutine.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_STACK_H
#define TC_LIB_RUNTIME_STACK_H

#include "tc-runtime/Driver.h"

#include <pthread.h>

namespace tc::runtime {

using ThreadEntry = void *(*)(void *argument);

/// Starts a thread with stack for a kernel, which is sent no signals: those are
/// for the program's threads. The caller joins it or detaches it. Returns what
/// pthread_create does.
int startThread(pthread_t &thread, ThreadEntry entry, void *argument);

/// Calls `kernel` with `words` in this thread, or in one of its own where this
/// one's stack has too little left. False where there is no thread to be had.
bool callWithStack(void (*kernel)(void *call, const int64_t *words),
                   const int64_t *words);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_STACK_H
