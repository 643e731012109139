/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Captures calls of a package of several kernels into a CUDA graph, launches
   it, and launches it again on other buffers, as the driver's calls change the
   pointers in its nodes. The package is a product of three matrices, one after
   the other, or with -DTREE one of four, two and two. */
#include "tc-runtime/tc_runtime.h"
#ifdef TREE
#include "tc_tree.h"
#define PRODUCT(function, b, ...)                                              \
  tc_tree##function((const float *)b[0], (const float *)b[1],                  \
                    (const float *)b[2], (const float *)b[3], __VA_ARGS__)
#define OTHER(function, ...) tc_tree##function(__VA_ARGS__)
enum { INPUTS = 4, RESULTS = 16 * 16 };
#else
#include "tc_chain.h"
#define PRODUCT(function, b, ...)                                              \
  tc_chain##function((const float *)b[0], (const float *)b[1],                 \
                     (const float *)b[2], __VA_ARGS__)
#define OTHER(function, ...) tc_chain##function(__VA_ARGS__)
enum { INPUTS = 3, RESULTS = 64 * 64 };
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, RESULT = INPUTS, WORKSPACE, BUFFERS };
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

/* The kernel of a node gets a place in `to` where it had that in `from`, of so
   many bytes each. Returns how often. */
static int replace(void *executable, void *node, const Address *from,
                   const Address *to, size_t size) {
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
    for (int j = 0; j != BUFFERS; ++j)
      if (bytes == sizeof(Address) && values[i] - from[j] < size) {
        values[i] += to[j] - from[j];
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
  check(PRODUCT(_cpu, inputs, expected, NULL, 0));
  int same = 1;
  for (int i = 0; i != RESULTS; ++i)
    same &= found[i] == expected[i];
  printf("%s as on the CPU: %g\n", same ? "same" : "not", found[RESULTS - 1]);
}

/* CUgraphEdgeData. */
typedef struct {
  unsigned char fromPort, toPort, type, reserved[5];
} Edge;

/* How many of these nodes come after no other; and of how many edges the second
   kernel may begin before the first one has ended. */
static size_t countRoots(void *graph, void **nodes, size_t count,
                         size_t *early) {
  void *from[64], *to[64];
  Edge data[64];
  size_t edges = 64, roots = 0;
  CALL("cuGraphGetEdges_v2", (void *, void **, void **, Edge *, size_t *),
       (graph, from, to, data, &edges));
  for (size_t i = 0; i != edges; ++i)
    *early += data[i].type == 1;
  for (size_t i = 0; i != count; ++i) {
    size_t j = 0;
    while (j != edges && to[j] != nodes[i])
      ++j;
    roots += j == edges;
  }
  return roots;
}

int main(void) {
  static float inputs[2][INPUTS][N * N];
  Address buffers[2][BUFFERS];
  tcDevice *device = NULL;
  size_t bytes = 0;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  check(tcDeviceEnter(device));
  driver = dlopen(getenv("TC_EMULATOR_LIBRARY"), RTLD_NOW);
  check(OTHER(_workspace_size, &bytes));
  for (int set = 0; set != 2; ++set) {
    for (int j = 0; j != INPUTS; ++j) {
      for (int i = 0; i != N * N; ++i)
        inputs[set][j][i] = (float)((i * (j + 1) + set) % 3);
      buffers[set][j] = put(device, inputs[set][j]);
    }
    buffers[set][RESULT] = put(device, inputs[set][0]);
    tcAddress workspace = 0;
    check(tcAllocate(device, bytes + N * N * sizeof(float), &workspace));
    buffers[set][WORKSPACE] = workspace;
  }
  void *stream, *graph, *executable, *nodes[32];
  CALL("cuStreamCreate", (void **, unsigned), (&stream, 1));
  check(OTHER(_prepare, stream));
  CALL("cuStreamBeginCapture_v2", (void *, int), (stream, 0));
  const Address *b = buffers[0];
  /* The second call has the streams of the first. */
  for (int i = 0; i != 2; ++i)
    check(
        PRODUCT(, b, (float *)b[RESULT], (void *)b[WORKSPACE], bytes, stream));
  CALL("cuStreamEndCapture", (void *, void **), (stream, &graph));
  size_t count = 32, kernels = 0;
  int pointers = 0;
  CALL("cuGraphGetNodes", (void *, void **, size_t *), (graph, nodes, &count));
  CALL("cuGraphInstantiateWithFlags", (void **, void *, unsigned long long),
       (&executable, graph, 0));
  run(device, executable, stream, (const float (*)[N * N]) inputs[0],
      b[RESULT]);
  for (size_t i = 0; i != count; ++i) {
    int type = -1;
    CALL("cuGraphNodeGetType", (void *, int *), (nodes[i], &type));
    if (type != 0)
      continue;
    ++kernels;
    pointers += replace(executable, nodes[i], buffers[0], buffers[1],
                        N * N * sizeof(float));
  }
  size_t early = 0, roots = countRoots(graph, nodes, count, &early);
  printf("%zu kernels, %zu first, %zu early, %s pointers\n", kernels, roots,
         early, pointers >= BUFFERS ? "all" : "few");
  run(device, executable, stream, (const float (*)[N * N]) inputs[1],
      buffers[1][RESULT]);
  CALL("cuGraphExecDestroy", (void *), (executable));
  CALL("cuGraphDestroy", (void *), (graph));
  CALL("cuStreamDestroy_v2", (void *), (stream));
  for (int set = 0; set != 2; ++set)
    for (int j = 0; j != BUFFERS; ++j)
      check(tcFree(device, buffers[set][j]));
  check(tcDeviceClose(device));
  return 0;
}
