//===- slow_unlink.c - unlink as on a slow disk ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It takes long enough for another thread to end the program.
//
//===----------------------------------------------------------------------===//

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int unlink(const char *path) {
  usleep(300000);
  return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
