/*===- tc_mgpu.h - Control of the mgpu library --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libtc-mgpu-runtime.so implements the mgpu* functions that MLIR's host code *|
|* calls, over NVIDIA's driver or the emulator. These functions choose which, *|
|* and read the errors, which the mgpu* functions have no way to return.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_RUNTIME_TC_MGPU_H
#define TC_RUNTIME_TC_MGPU_H

#include "tc-runtime/tc_product.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Chooses the driver: `kind` and `library` as for tcDeviceOpen. To be called
    before any mgpu* function. Where the driver is another one, or an error
    happened since the last call, it gives up the contexts held so far, with
    what was loaded and allocated there and a fault of a kernel; else it keeps
    them, as a context takes long to create. Never called, the first mgpu*
    function opens what the environment's TC_DRIVER says, else "auto". Returns
    0, or another number after an error, which tcMgpuLastError tells. */
int tcMgpuOpen(const char *kind, const char *library);

/** "cuda" or "emulator"; null before a driver is open. */
const char *tcMgpuKind(void);

/** The first error since the start or tcMgpuClearError, as text; "" if there
    was none. From an error on, the mgpu* functions launch and copy nothing and
    return null; host-shared memory alone is still handed out, from the host's
    own memory, so that the host code runs to its end. The text lives until
    this thread asks again. With TC_MGPU_REPORT=stderr in the environment the
    error is also printed when it happens. */
const char *tcMgpuLastError(void);

/** Forgets the error. A kernel's fault stays with its context until tcMgpuOpen
    is called again. */
void tcMgpuClearError(void);

/** Leaves out the launch of that number, counted from now on from 0; none where
    it is negative. Returns how many launches there were since the last call. It
    is there to test what judges results. */
int64_t tcMgpuLeaveOutLaunch(int64_t number);

/** Called by host code: copies a box of elements from one buffer to another, of
    the host or the device, in its turn on `stream`. `to` and `from` are its
    first element; `shape` holds `rank` extents, then as many strides of `to`
   and of `from`, in elements of `elementBytes` bytes. */
void tcMgpuCopy(void *to, const void *from, int64_t elementBytes, int64_t rank,
                const int64_t *shape, void *stream);

/** Called by host code: the kernel that this thread launches next waits itself
    for the one before it in its stream, and may begin before that has ended. */
void tcMgpuOverlap(void);

/** Called by host code: has a library compute a product, in memory of the
   device, waits for it, and gives 1. Where no library takes it nothing happens,
    tcMgpuLastRemark says why, and it gives 0; as it does after an error. */
int64_t tcMgpuProduct(const tcProduct *product, void *a, void *b, void *c,
                      void *d, void *workspace, int64_t workspaceBytes);

/** Why no library took the last product of this thread; empty if one did. */
const char *tcMgpuLastRemark(void);

#ifdef __cplusplus
}
#endif

#endif /* TC_RUNTIME_TC_MGPU_H */
