/*===- tc_runtime.h - Load and launch kernels ----------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A small launcher over the CUDA driver API, opened at run time: the same    *|
|* calls run a kernel on a GPU or on the emulator.                            *|
|*                                                                            *|
|* Every call returns a tcStatus. After one that is not TC_OK, tcLastError()  *|
|* says in words what went wrong. No call prints, exits or throws. A pointer  *|
|* to a handle that was not opened here, or was closed, is undefined; null is *|
|* an error.                                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_RUNTIME_TC_RUNTIME_H
#define TC_RUNTIME_TC_RUNTIME_H

#include "tc-runtime/tc_status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open device; a loaded module; a kernel of it; a point in time. */
typedef struct tcDevice tcDevice;
typedef struct tcModule tcModule;
typedef struct tcFunction tcFunction;
typedef struct tcEvent tcEvent;

/** An address in the memory of a device; 0 is never allocated. A kernel
    parameter of pointer type is one of these. */
typedef uint64_t tcAddress;

/** Opens device `ordinal` of a driver. `kind` is "cuda" (a GPU), "emulator",
    or "auto": a GPU when there is a driver with one, else the emulator. Null
    means the environment's TC_DRIVER, else "auto". `library` is the driver
    library, for "auto" the emulator's; null means libcuda.so.1, or the emulator
    found through TC_EMULATOR_LIBRARY, else beside this code, else by the
    dynamic linker. Packaged kernels use the driver of the device that was
   opened last. */
int tcDeviceOpen(const char *kind, const char *library, int ordinal,
                 tcDevice **device);
/** Gives the device back, with all memory that was allocated on it if nobody
    else in the process holds it. Its modules and events must be gone. Null is
    allowed. */
int tcDeviceClose(tcDevice *device);
/** "cuda" or "emulator"; null for null. */
const char *tcDeviceKind(const tcDevice *device);
/** The path of the driver library in use; null for null. */
const char *tcDeviceLibrary(const tcDevice *device);
/** Writes the device's name, cut to `size` bytes with the final zero. */
int tcDeviceName(tcDevice *device, char *name, size_t size);
/** Asks for a limit or property by its CUdevice_attribute number. */
int tcDeviceAttribute(tcDevice *device, int attribute, int *value);

/** Loads PTX text (with or without a final zero) or a cubin of `size` bytes. */
int tcModuleLoad(tcDevice *device, const void *image, size_t size,
                 tcModule **module);
/** Unloads a module and invalidates its functions. Null is allowed. */
int tcModuleUnload(tcModule *module);
/** The kernel called `name`. It belongs to the module. */
int tcModuleFunction(tcModule *module, const char *name, tcFunction **function);
/** Asks about a kernel by CUfunction_attribute number (4: registers, 1: static
    shared bytes, 3: local bytes). The emulator has no registers and says 0. */
int tcFunctionAttribute(tcFunction *function, int attribute, int *value);

/** Allocates `bytes`, at least 1. */
int tcAllocate(tcDevice *device, size_t bytes, tcAddress *address);
/** Frees what tcAllocate gave; 0 is allowed. */
int tcFree(tcDevice *device, tcAddress address);
/** Copies `bytes` from the host to the device, and is done when it returns. */
int tcCopyIn(tcDevice *device, tcAddress to, const void *from, size_t bytes);
/** Copies `bytes` from the device to the host, after every launch before. */
int tcCopyOut(tcDevice *device, void *to, tcAddress from, size_t bytes);
/** Sets `bytes` bytes to `value`. */
int tcFill(tcDevice *device, tcAddress to, unsigned char value, size_t bytes);

/** Launches a kernel: x, y, z of `grid` (blocks) and `block` (threads), dynamic
    shared memory in bytes, and per kernel parameter a pointer to its value;
    null for a kernel without parameters. More than 48 KiB of shared memory is
    asked for as needed. A fault is reported here or by the next call that
    waits. */
int tcLaunch(tcFunction *function, const unsigned grid[3],
             const unsigned block[3], unsigned dynamicShared,
             void **parameters);
/** Waits for everything launched on the device. */
int tcSynchronize(tcDevice *device);

/** Makes the device's context current in this thread, until tcDeviceLeave: for
    calls of packaged kernels on its default stream. */
int tcDeviceEnter(tcDevice *device);
int tcDeviceLeave(tcDevice *device);
/** The number of the device whose memory has this address; -1 for memory of the
    host that the driver knows. Of other addresses nobody knows what is there:
    TC_INVALID_ARGUMENT. Asks the driver of `device`. */
int tcAddressDevice(tcDevice *device, tcAddress address, int *number);

/** The calls below take streams of the caller: a CUstream, or cudaStream_t, of
    the device; null is the default stream. */

/** Waits for all that the stream was given. */
int tcStreamSynchronize(tcDevice *device, void *stream);
/** What comes on `stream` from now on begins when all that `other` was given so
    far is done. Itself it does not wait. */
int tcStreamWait(tcDevice *device, void *stream, void *other);
/** Allocates `bytes`, at least 1, for work that `stream` is given from now on.
 */
int tcAllocateOn(tcDevice *device, size_t bytes, void *stream,
                 tcAddress *address);
/** Frees what tcAllocateOn gave, when all that `stream` was given so far is
    done. (A driver without such calls is waited for.) 0 is allowed. */
int tcFreeOn(tcDevice *device, tcAddress address, void *stream);

/** A new array in memory of the device, without gaps, for any library that
   takes DLPack: `tensor` becomes a DLManagedTensor with a deleter, to be called
   before the device is closed. `code` and `bits` are those of a DLDataType. */
int tcTensorCreate(tcDevice *device, int code, int bits, int rank,
                   const int64_t *shape, void **tensor);

/** A point in the device's work, for timing. */
int tcEventCreate(tcDevice *device, tcEvent **event);
int tcEventDestroy(tcEvent *event);
int tcEventRecord(tcEvent *event);
/** Waits for `end`, then gives the seconds between two recorded events. */
int tcEventSeconds(tcEvent *start, tcEvent *end, double *seconds);

/** The most threads that a call of a packaged kernel on the CPU uses, the
    calling one included. At first the environment's TC_NUM_THREADS, else as
   many as the process may run on. */
int tcThreads(void);
/** Sets it, for calls that begin later; 0 is the number of the beginning. */
int tcSetThreads(int threads);

/** The level of x86-64 for which packaged kernels take their version on the
    CPU: "x86-64-v3". It is the highest one that the CPU and the operating
   system have, or the lower one that the environment's TC_CPU names. Found out
   once for the process. Empty on other CPUs; null, with tcLastError, if TC_CPU
   names no level, or one that is not there. */
const char *tcCpuLevel(void);

#ifdef __cplusplus
}
#endif

#endif /* TC_RUNTIME_TC_RUNTIME_H */
