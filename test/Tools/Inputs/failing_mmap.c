//===- failing_mmap.c - mmap as where address space runs out --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call for memory without a file of number MMAP_FAILS, from 0, fails. The C
// library's own calls are not seen here.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *at, size_t bytes, int protection, int flags, int file,
           off_t offset) {
  static int count;
  const char *fails = getenv("MMAP_FAILS");
  if ((flags & MAP_ANONYMOUS) && fails &&
      __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) == atoi(fails)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
