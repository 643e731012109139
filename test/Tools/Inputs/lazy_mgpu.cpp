//===- lazy_mgpu.cpp - A device that computes nothing ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mgpu library whose device keeps memory in the host and launches nothing.

#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
int tcMgpuOpen(const char *, const char *) { return 0; }
const char *tcMgpuKind() { return "lazy"; }
const char *tcMgpuLastError() { return ""; }
void tcMgpuClearError() {}
int64_t tcMgpuLeaveOutLaunch(int64_t) { return 0; }
void *mgpuModuleLoadJIT(void *, int) { return nullptr; }
void *mgpuModuleLoad(void *, size_t) { return nullptr; }
void mgpuModuleUnload(void *) {}
void *mgpuModuleGetFunction(void *, const char *) { return nullptr; }
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                      intptr_t, int32_t, void *, void **, void **, size_t) {}
void *mgpuStreamCreate() { return nullptr; }
void mgpuStreamDestroy(void *) {}
void mgpuStreamSynchronize(void *) {}
void *mgpuMemAlloc(uint64_t bytes, void *, bool) { return malloc(bytes); }
void mgpuMemFree(void *address, void *) { free(address); }
void mgpuMemcpy(void *to, void *from, size_t bytes, void *) {
  memcpy(to, from, bytes);
}
}
