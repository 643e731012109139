/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Captures a call of a package of several kernels into a CUDA graph, launches
   it, and launches it again on other buffers, as the driver's calls change the
   pointers in its nodes. */
#include "tc-runtime/tc_runtime.h"
#include "tc_chain.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
typedef unsigned long long Address;
/* CUDA_KERNEL_NODE_PARAMS_v2. */
typedef struct {
  void *function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra, *kernel, *context;
} KernelNode;

static void *driver;

static void check(int status) {
  if (status == 0)
    return;
  const char *(*report)(void) =
      (const char *(*)(void))dlsym(driver, "tcEmulatorLastReport");
  fprintf(stderr, "%d: %s %s\n", status, tcLastError(), report());
  exit(1);
}

/* CALL("cuName", (types), (arguments)) */
#define CALL(name, types, arguments)                                           \
  check(((int(*) types)dlsym(driver, name))arguments)

static Address put(tcDevice *device, const float *values) {
  tcAddress address = 0;
  check(tcAllocate(device, N * N * sizeof(float), &address));
  check(tcCopyIn(device, address, values, N * N * sizeof(float)));
  return address;
}

/* The kernel of a node gets `to` where it had `from`. Returns how often. */
static int replace(void *executable, void *node, const Address *from,
                   const Address *to) {
  KernelNode kernel;
  CALL("cuGraphKernelNodeGetParams_v2", (void *, KernelNode *),
       (node, &kernel));
  int (*getInfo)(void *, size_t, size_t *, size_t *) =
      (int (*)(void *, size_t, size_t *, size_t *))dlsym(driver,
                                                         "cuFuncGetParamInfo");
  Address values[64];
  void *places[64];
  size_t offset, bytes;
  int found = 0;
  for (size_t i = 0; i != 64; ++i) {
    if (getInfo(kernel.function, i, &offset, &bytes) != 0)
      break;
    values[i] = 0;
    memcpy(&values[i], kernel.parameters[i], bytes);
    places[i] = &values[i];
    for (int j = 0; j != 5; ++j)
      if (bytes == sizeof(Address) && values[i] == from[j]) {
        values[i] = to[j];
        ++found;
        break;
      }
  }
  kernel.parameters = places;
  CALL("cuGraphExecKernelNodeSetParams_v2", (void *, void *, KernelNode *),
       (executable, node, &kernel));
  return found;
}

/* Launches the graph, and says how far the result is from that of the CPU. */
static void run(tcDevice *device, void *executable, void *stream,
                const float (*inputs)[N * N], Address result) {
  static float found[N * N], expected[N * N];
  CALL("cuGraphLaunch", (void *, void *), (executable, stream));
  CALL("cuStreamSynchronize", (void *), (stream));
  check(tcCopyOut(device, found, result, sizeof(found)));
  check(tc_chain_cpu(inputs[0], inputs[1], inputs[2], expected, NULL, 0));
  int same = 1;
  for (int i = 0; i != N * N; ++i)
    same &= found[i] == expected[i];
  printf("%s as on the CPU: %g\n", same ? "same" : "not", found[N * N - 1]);
}

int main(void) {
  static float inputs[2][3][N * N];
  Address buffers[2][5]; /* inputs, result, workspace */
  tcDevice *device = NULL;
  size_t bytes = 0;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  check(tcDeviceEnter(device));
  driver = dlopen(getenv("TC_EMULATOR_LIBRARY"), RTLD_NOW);
  check(tc_chain_workspace_size(&bytes));
  for (int set = 0; set != 2; ++set) {
    for (int j = 0; j != 3; ++j) {
      for (int i = 0; i != N * N; ++i)
        inputs[set][j][i] = (float)((i * (j + 1) + set) % 5);
      buffers[set][j] = put(device, inputs[set][j]);
    }
    buffers[set][3] = put(device, inputs[set][0]);
    tcAddress workspace = 0;
    check(tcAllocate(device, bytes + 256, &workspace));
    buffers[set][4] = workspace;
  }
  void *stream, *graph, *executable, *nodes[32];
  CALL("cuStreamCreate", (void **, unsigned), (&stream, 1));
  check(tc_chain_prepare(stream));
  CALL("cuStreamBeginCapture_v2", (void *, int), (stream, 0));
  const Address *b = buffers[0];
  check(tc_chain((const float *)b[0], (const float *)b[1], (const float *)b[2],
                 (float *)b[3], (void *)b[4], bytes, stream));
  CALL("cuStreamEndCapture", (void *, void **), (stream, &graph));
  size_t count = 32, kernels = 0;
  int pointers = 0;
  CALL("cuGraphGetNodes", (void *, void **, size_t *), (graph, nodes, &count));
  CALL("cuGraphInstantiateWithFlags", (void **, void *, unsigned long long),
       (&executable, graph, 0));
  run(device, executable, stream, (const float (*)[N * N]) inputs[0], b[3]);
  for (size_t i = 0; i != count; ++i) {
    int type = -1;
    CALL("cuGraphNodeGetType", (void *, int *), (nodes[i], &type));
    if (type != 0)
      continue;
    ++kernels;
    pointers += replace(executable, nodes[i], buffers[0], buffers[1]);
  }
  printf("%zu kernels, %s pointers\n", kernels, pointers >= 5 ? "all" : "few");
  run(device, executable, stream, (const float (*)[N * N]) inputs[1],
      buffers[1][3]);
  CALL("cuGraphExecDestroy", (void *), (executable));
  CALL("cuGraphDestroy", (void *), (graph));
  CALL("cuStreamDestroy_v2", (void *), (stream));
  for (int set = 0; set != 2; ++set)
    for (int j = 0; j != 5; ++j)
      check(tcFree(device, buffers[set][j]));
  check(tcDeviceClose(device));
  return 0;
}
