/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Calls a package, the product of three matrices, whose kernels stand in for a
   library: on a stream, and captured into a CUDA graph that is launched. With
   an argument the package is not prepared, and the capture comes first. */
#include "tc-runtime/tc_runtime.h"
#include "tc_chain.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, INPUTS = 3, BUFFERS = 4 };

static void *driver;

static void check(int status) {
  if (status == 0)
    return;
  fprintf(stderr, "%d: %s\n", status, tcLastError());
  exit(1);
}

/* CALL("cuName", (types), (arguments)) */
#define CALL(name, types, arguments)                                           \
  check(((int(*) types)dlsym(driver, name))arguments)

static float inputs[INPUTS][N * N], found[N * N], expected[N * N];
static tcAddress buffers[BUFFERS], workspace;
static size_t bytes;
static tcDevice *device;
static void *stream;

static void call(void) {
  const tcAddress *b = buffers;
  check(tc_chain((const float *)b[0], (const float *)b[1], (const float *)b[2],
                 (float *)b[INPUTS], (void *)workspace, bytes, stream));
  printf("remark '%s'\n", tcLastRemark());
}

/* Other inputs, which nothing has seen before. */
static void fill(int start) {
  for (int j = 0; j != INPUTS; ++j) {
    for (int i = 0; i != N * N; ++i)
      inputs[j][i] = (float)((i * (j + 1) + start) % 3);
    check(tcCopyIn(device, buffers[j], inputs[j], sizeof(inputs[j])));
  }
}

static void compare(const char *what) {
  CALL("cuStreamSynchronize", (void *), (stream));
  check(tcCopyOut(device, found, buffers[INPUTS], sizeof(found)));
  check(tc_chain_cpu(inputs[0], inputs[1], inputs[2], expected, NULL, 0));
  int same = 1;
  for (int i = 0; i != N * N; ++i)
    same &= found[i] == expected[i];
  printf("%s: %s as on the CPU\n", what, same ? "same" : "not");
}

static void launch(void) {
  fill(0);
  call();
  compare("launched");
}

static void capture(void) {
  void *graph, *executable;
  CALL("cuStreamBeginCapture_v2", (void *, int), (stream, 0));
  call();
  CALL("cuStreamEndCapture", (void *, void **), (stream, &graph));
  CALL("cuGraphInstantiateWithFlags", (void **, void *, unsigned long long),
       (&executable, graph, 0));
  for (int i = 1; i != 3; ++i) {
    fill(i);
    CALL("cuGraphLaunch", (void *, void *), (executable, stream));
    compare("captured");
  }
  CALL("cuGraphExecDestroy", (void *), (executable));
  CALL("cuGraphDestroy", (void *), (graph));
}

int main(int argc, char **argv) {
  (void)argv;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  check(tcDeviceEnter(device));
  driver = dlopen(getenv("TC_EMULATOR_LIBRARY"), RTLD_NOW);
  for (int j = 0; j != BUFFERS; ++j)
    check(tcAllocate(device, sizeof(found), &buffers[j]));
  check(tc_chain_workspace_size(&bytes));
  check(tcAllocate(device, bytes, &workspace));
  CALL("cuStreamCreate", (void **, unsigned), (&stream, 1));
  if (argc == 1) {
    check(tc_chain_prepare(stream));
    printf("prepared: '%s'\n", tcLastRemark());
    launch();
  }
  capture();
  launch();
  CALL("cuStreamDestroy_v2", (void *), (stream));
  for (int j = 0; j != BUFFERS; ++j)
    check(tcFree(device, buffers[j]));
  check(tcFree(device, workspace));
  check(tcDeviceClose(device));
  return 0;
}
