/*===- c_interface.c - The C interface of the emulator --------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "tc-c/Emulator.h"

#include <stdio.h>

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry put(.param .u64 p, .param .u32 v) {\n"
    "  .reg .b32 %r<3>;\n  .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [v];\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd2, %r2, 4;\n"
    "  add.s64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r1;\n  ret;\n}\n";

static void tell(const char *what, int status) {
  printf("%s: %d%s%s\n", what, status, status == TC_EMU_ERROR ? " " : "",
         status == TC_EMU_ERROR ? tcEmuLastError() : "");
}

int main(void) {
  const uint32_t one[3] = {1, 1, 1}, two[3] = {2, 1, 1}, three[3] = {3, 1, 1};
  uint32_t values[2] = {0, 0}, value = 42;
  uint64_t address = 0;
  size_t sizes[2] = {0, 0}, count = 0;
  const void *arguments[2];
  tcEmuModule *module = NULL;
  tcEmu *emulator = tcEmuCreate();
  if (!emulator) {
    printf("create: %s\n", tcEmuLastError());
    return 1;
  }
  tell("load", tcEmuLoad(emulator, ptx, &module));
  tell("bad ptx", tcEmuLoad(emulator, "nonsense\n", &module));
  tell("load", tcEmuLoad(emulator, ptx, &module));
  tell("parameters", tcEmuParameters(module, "put", sizes, 2, &count));
  printf("%zu of %zu and %zu bytes\n", count, sizes[0], sizes[1]);
  tell("allocate", tcEmuAllocate(emulator, sizeof(values), &address));
  arguments[0] = &address;
  arguments[1] = &value;
  tell("launch", tcEmuLaunch(module, "put", one, two, 0, arguments, 2));
  tell("copy", tcEmuCopyOut(emulator, values, address, sizeof(values)));
  printf("%u %u\n", (unsigned)values[0], (unsigned)values[1]);
  tell("copy too much", tcEmuCopyOut(emulator, values, address, 9));
  tell("too few", tcEmuLaunch(module, "put", one, two, 0, arguments, 1));
  tell("option", tcEmuSet(emulator, "checks", "most"));
  tell("option", tcEmuSet(emulator, "chocks", "all"));
  tell("option", tcEmuSet(emulator, "schedule", "random:7"));
  tcEmuClearReport(emulator);
  tell("fault", tcEmuLaunch(module, "put", one, three, 0, arguments, 2));
  printf("%s\n", tcEmuReport(emulator));
  tell("free", tcEmuFree(emulator, address));
  tell("free twice", tcEmuFree(emulator, address));
  tell("unload", tcEmuUnload(module));
  tcEmuDestroy(emulator);
  return 0;
}
