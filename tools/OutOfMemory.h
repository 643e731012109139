//===- OutOfMemory.h - Errors where memory runs out -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM aborts, with a stack dump, where it gets no memory and where it gets no
// thread. Neither is a fault of a tool, which says what is missing and ends.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_OUTOFMEMORY_H
#define TC_TOOLS_OUTOFMEMORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstring>
#include <unistd.h>

namespace flags {

/// Ends the program without allocating anything: files that are half-written
/// are removed as they are when it is interrupted.
[[noreturn]] inline void endWithError(const char *tool, const char *what) {
  for (const char *part : {tool, ": error: ", what, "\n"})
    (void)!write(STDERR_FILENO, part, strlen(part));
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

/// Makes errors of LLVM's aborts for want of memory; `tool` is a literal.
inline void exitWhenOutOfMemory(const char *tool) {
  void *data = const_cast<char *>(tool);
  llvm::install_bad_alloc_error_handler(
      [](void *name, const char *, bool) {
        endWithError(static_cast<const char *>(name), "out of memory");
      },
      data);
  llvm::install_fatal_error_handler(
      [](void *name, const char *reason, bool) {
        if (llvm::StringRef(reason).starts_with("pthread_create failed"))
          endWithError(static_cast<const char *>(name),
                       "cannot start a thread: out of memory or threads");
        // As LLVM does without a handler: then it aborts.
        for (const char *part : {"LLVM ERROR: ", reason, "\n"})
          (void)!write(STDERR_FILENO, part, strlen(part));
      },
      data);
}

} // namespace flags

#endif // TC_TOOLS_OUTOFMEMORY_H
