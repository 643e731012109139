//===- OutOfMemory.h - Tools that get no memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation that fails ends a tool with an error, not with a crash.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_OUTOFMEMORY_H
#define TC_TOOLS_OUTOFMEMORY_H

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstring>
#include <unistd.h>

namespace flags {

/// Reports and exits with status 1 when there is no memory left; files that are
/// half written are removed. Allocates nothing. `tool` is the name in the
/// message.
inline void exitWhenOutOfMemory(const char *tool) {
  llvm::install_bad_alloc_error_handler(
      [](void *name, const char *, bool) {
        for (const char *text :
             {static_cast<const char *>(name), ": error: out of memory\n"})
          if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
            break;
        llvm::sys::RunInterruptHandlers();
        _exit(1);
      },
      const_cast<char *>(tool));
}

} // namespace flags

#endif // TC_TOOLS_OUTOFMEMORY_H
