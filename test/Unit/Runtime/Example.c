/*===- Example.c - The launcher from C ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The example of docs/Runtime.md. It is C99, as the header must be.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "tc-runtime/tc_runtime.h"

#include <string.h>

/** Doubles `count` floats with the kernel `twice` of `ptx`. */
int doubleOnDevice(const char *library, const char *ptx, float *values,
                   unsigned count) {
  const unsigned grid[3] = {(count + 255) / 256, 1, 1};
  const unsigned block[3] = {256, 1, 1};
  const size_t bytes = count * sizeof(float);
  tcDevice *device = NULL;
  tcModule *module = NULL;
  tcFunction *twice = NULL;
  tcAddress address = 0;
  void *parameters[2];
  int status;
  parameters[0] = &address;
  parameters[1] = &count;

  (void)((status = tcDeviceOpen("emulator", library, 0, &device)) ||
         (status = tcModuleLoad(device, ptx, strlen(ptx), &module)) ||
         (status = tcModuleFunction(module, "twice", &twice)) ||
         (status = tcAllocate(device, bytes, &address)) ||
         (status = tcCopyIn(device, address, values, bytes)) ||
         (status = tcLaunch(twice, grid, block, 0, parameters)) ||
         (status = tcCopyOut(device, values, address, bytes)));
  if (address)
    tcFree(device, address);
  tcModuleUnload(module);
  tcDeviceClose(device);
  return status; /* tcLastError() says what went wrong */
}
