/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
 * See the LICENSE file for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program of the CUDA driver API: one stream fills a buffer, another one sums
 * it up. Its argument says what orders the two: "event" or "edge" of a graph,
 * "no-event" or "no-edge". It prints the sum. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Call)();

static void *driver;
static Call find(const char *name) { return (Call)dlsym(driver, name); }

static const char text[] = ".version 7.0\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry fill(.param .u64 p)\n"
                           "{\n"
                           "  .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
                           "  ld.param.u64 %rd1, [p];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %rd2, %r1, 4;\n"
                           "  add.s64 %rd3, %rd1, %rd2;\n"
                           "  st.global.u32 [%rd3], %r1;\n"
                           "  ret;\n"
                           "}\n"
                           ".visible .entry sum(.param .u64 p, .param .u64 s)\n"
                           "{\n"
                           "  .reg .b32 %r<3>; .reg .b64 %rd<5>;\n"
                           "  ld.param.u64 %rd1, [p];\n"
                           "  ld.param.u64 %rd4, [s];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %rd2, %r1, 4;\n"
                           "  add.s64 %rd3, %rd1, %rd2;\n"
                           "  ld.global.u32 %r2, [%rd3];\n"
                           "  red.global.add.u32 [%rd4], %r2;\n"
                           "  ret;\n"
                           "}\n";

/* CUDA_KERNEL_NODE_PARAMS_v2 */
struct KernelNode {
  void *function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra;
  void *kernel, *context;
};

int main(int count, char **arguments) {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver || count != 2)
    return 9;
  int isGraph = strstr(arguments[1], "edge") != 0;
  int isOrdered = strncmp(arguments[1], "no-", 3) != 0;
  void *context, *module, *fill, *sum, *first, *second, *event;
  unsigned long long p, s;
  unsigned result = 0;
  int bad =
      find("cuInit")(0) || find("cuCtxCreate_v2")(&context, 0, 0) ||
      find("cuModuleLoadData")(&module, text) ||
      find("cuModuleGetFunction")(&fill, module, "fill") ||
      find("cuModuleGetFunction")(&sum, module, "sum") ||
      find("cuStreamCreate")(&first, 1) || find("cuStreamCreate")(&second, 1) ||
      find("cuEventCreate")(&event, 0) ||
      find("cuMemAlloc_v2")(&p, (size_t)256) ||
      find("cuMemAlloc_v2")(&s, (size_t)4) ||
      find("cuMemsetD32_v2")(p, 0, (size_t)64) ||
      find("cuMemsetD32_v2")(s, 0, (size_t)1) || find("cuCtxSynchronize")();
  if (bad)
    return 8;
  void *toFill[] = {&p}, *toSum[] = {&p, &s};
  if (isGraph) {
    struct KernelNode fills = {fill, {1, 1, 1}, {64, 1, 1}, 0, toFill, 0, 0, 0};
    struct KernelNode sums = {sum, {1, 1, 1}, {64, 1, 1}, 0, toSum, 0, 0, 0};
    void *graph, *exec, *before, *after;
    bad = find("cuGraphCreate")(&graph, 0) ||
          find("cuGraphAddKernelNode_v2")(&before, graph, (void *)0, (size_t)0,
                                          &fills) ||
          find("cuGraphAddKernelNode_v2")(&after, graph, &before,
                                          (size_t)isOrdered, &sums) ||
          find("cuGraphInstantiateWithFlags")(&exec, graph, 0ull) ||
          find("cuGraphLaunch")(exec, first) ||
          find("cuStreamSynchronize")(first) ||
          find("cuGraphExecDestroy")(exec) || find("cuGraphDestroy")(graph);
  } else {
    find("cuLaunchKernel")(fill, 1, 1, 1, 64, 1, 1, 0, first, toFill,
                           (void *)0);
    if (isOrdered) {
      find("cuEventRecord")(event, first);
      find("cuStreamWaitEvent")(second, event, 0);
    }
    find("cuLaunchKernel")(sum, 1, 1, 1, 64, 1, 1, 0, second, toSum, (void *)0);
    bad = find("cuCtxSynchronize")();
  }
  find("cuMemcpyDtoH_v2")(&result, s, (size_t)4);
  printf("sum %u, driver says %d\n", result, bad);
  find("cuMemFree_v2")(p);
  find("cuMemFree_v2")(s);
  return bad;
}
