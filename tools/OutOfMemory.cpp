//===- OutOfMemory.cpp - Errors where memory runs out ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutOfMemory.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cstring>
#include <features.h>
#include <pthread.h>
#include <unistd.h>

// The name of the tool, a literal; null until it has asked for errors.
static const char *tool;

/// Ends the program without allocating anything: files that are half-written
/// are removed as they are when it is interrupted.
///
/// Memory runs out in several threads at once. The first ends the program, and
/// the others wait for that: who exits while it is removing files leaves them.
[[noreturn]] static void endWithError(const char *what) {
  static std::atomic<pthread_t> first{};
  pthread_t none{};
  if (!first.compare_exchange_strong(none, pthread_self()) &&
      !pthread_equal(none, pthread_self()))
    for (;;)
      pause();
  for (const char *part : {tool, ": error: ", what, "\n"})
    (void)!write(STDERR_FILENO, part, strlen(part));
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

void flags::exitWhenOutOfMemory(const char *name) {
  tool = name;
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithError("out of memory"); });
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    if (llvm::StringRef(reason).starts_with("pthread_create failed"))
      endWithError("cannot start a thread: out of memory or threads");
    // RuntimeDyld does, which has no other way to say so.
    if (llvm::StringRef(reason).starts_with("Unable to allocate"))
      endWithError("out of memory");
    // As LLVM does without a handler: then it aborts.
    for (const char *part : {"LLVM ERROR: ", reason, "\n"})
      (void)!write(STDERR_FILENO, part, strlen(part));
  });
}

// MLIR builds each operation in memory of malloc's, and does not look whether
// it got any; glibc aborts where it cannot note a destructor of a thread, in
// memory of calloc's. So these end the tool where there is not even a little;
// who asks for much may have something else to try. The sanitizers have a
// malloc of their own.
#if defined(__GLIBC__) && !LLVM_ADDRESS_SANITIZER_BUILD &&                     \
    !LLVM_THREAD_SANITIZER_BUILD && !LLVM_MEMORY_SANITIZER_BUILD
static constexpr size_t little = size_t(1) << 20;

extern "C" void *__libc_malloc(size_t bytes);
extern "C" void *__libc_calloc(size_t count, size_t bytes);

extern "C" void *malloc(size_t bytes) {
  void *memory = __libc_malloc(bytes);
  if (!memory && tool && bytes < little)
    endWithError("out of memory");
  return memory;
}

extern "C" void *calloc(size_t count, size_t bytes) {
  void *memory = __libc_calloc(count, bytes);
  if (!memory && tool && count < little && bytes < little / (count + 1))
    endWithError("out of memory");
  return memory;
}
#endif
