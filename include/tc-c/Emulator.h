/*===- Emulator.h - C interface of the CUDA emulator --------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Runs, checks and counts PTX on the CPU, from any language that can call C. *|
|* The functions are in libtc-cuda-emulator.so, beside the calls of the CUDA  *|
|* driver; either side can be used without the other.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_EMULATOR_H
#define TC_C_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What calls return. */
enum {
  TC_EMU_OK = 0,
  TC_EMU_ERROR = 1, /* misuse, PTX that is refused, no memory: tcEmuLastError */
  TC_EMU_FAULT = 2  /* the kernel ran, and something was found: tcEmuReport */
};

/* An emulator has memory, modules, options and a report of its own. One thread
   at a time may use it. */
typedef struct tcEmu tcEmu;
typedef struct tcEmuModule tcEmuModule;

/* What went wrong in this thread's last call that returned TC_EMU_ERROR or
   null. Lives until the next such call. */
const char *tcEmuLastError(void);

/* Sets an option of the CUDA driver in this library, for the launches to come;
   the names are those of docs/Sanitize.md ("checks", "schedule", ...), and so
   are the values. Never needs cuInit. */
int tcEmuSetOption(const char *name, const char *value);

/* A new emulator with all checks on and the options of the environment; null
   where that is malformed. */
tcEmu *tcEmuCreate(void);
/* Ends it with its modules and memory. Null is allowed. */
void tcEmuDestroy(tcEmu *emulator);
/* Sets one option, as tcEmuSetOption does for the driver. */
int tcEmuSet(tcEmu *emulator, const char *name, const char *value);

/* Reads and verifies PTX text that ends with a zero. */
int tcEmuLoad(tcEmu *emulator, const char *ptx, tcEmuModule **module);
int tcEmuUnload(tcEmuModule *module);
/* The number of parameters of a kernel; the sizes in bytes of the first `room`
   of them go to `sizes`, which may be null when `room` is 0. */
int tcEmuParameters(tcEmuModule *module, const char *kernel, size_t *sizes,
                    size_t room, size_t *count);

/* Device memory. Fresh memory counts as not initialised; what was copied in
   counts as initialised. Copies must lie inside one allocation. */
int tcEmuAllocate(tcEmu *emulator, size_t bytes, uint64_t *address);
int tcEmuFree(tcEmu *emulator, uint64_t address);
int tcEmuCopyIn(tcEmu *emulator, uint64_t to, const void *from, size_t bytes);
int tcEmuCopyOut(tcEmu *emulator, void *to, uint64_t from, size_t bytes);

/* Runs a kernel to its end. `arguments` has the place of each of `count`
   arguments, whose sizes are the kernel's own. TC_EMU_FAULT when something was
   found; the emulator can be used on, the memory is as the kernel left it. */
int tcEmuLaunch(tcEmuModule *module, const char *kernel, const uint32_t grid[3],
                const uint32_t block[3], uint32_t dynamicShared,
                const void *const *arguments, size_t count);

/* All launches and findings since the beginning or tcEmuClearReport, as JSON
   (docs/Sanitize.md). Lives until the next call with this emulator. */
const char *tcEmuReport(tcEmu *emulator);
void tcEmuClearReport(tcEmu *emulator);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_EMULATOR_H */
