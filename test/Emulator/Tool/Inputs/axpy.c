/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
 * See the LICENSE file for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program of the CUDA driver API that opens the driver by its name: y += a x
 * of N elements in buffers of 10. Its argument is N, its status what the driver
 * said. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Call)();

static void *driver;
static Call find(const char *name) { return (Call)dlsym(driver, name); }

static char text[1 << 16];

int main(int count, char **arguments) {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver || count != 3) {
    printf("no driver, or no arguments\n");
    return 9;
  }
  FILE *file = fopen(arguments[1], "r");
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  void *context, *module, *function;
  unsigned long long x, y;
  float a = 2, ones[10], result[10];
  unsigned n = atoi(arguments[2]);
  for (int i = 0; i < 10; ++i)
    ones[i] = 1;
  int bad = find("cuInit")(0) || find("cuCtxCreate_v2")(&context, 0, 0) ||
            find("cuModuleLoadData")(&module, text) ||
            find("cuModuleGetFunction")(&function, module, "axpy") ||
            find("cuMemAlloc_v2")(&x, (size_t)40) ||
            find("cuMemAlloc_v2")(&y, (size_t)40) ||
            find("cuMemcpyHtoD_v2")(x, ones, (size_t)40) ||
            find("cuMemcpyHtoD_v2")(y, ones, (size_t)40);
  if (bad)
    return 8;
  void *parameters[] = {&n, &a, &x, &y};
  find("cuLaunchKernel")(function, 1, 1, 1, 32, 1, 1, 0, (void *)0, parameters,
                         (void *)0);
  bad = find("cuCtxSynchronize")();
  find("cuMemcpyDtoH_v2")(result, y, (size_t)40);
  printf("y[9] = %g, driver says %d\n", result[9], bad);
  if (n != 7) { /* which leaks */
    find("cuMemFree_v2")(x);
    find("cuMemFree_v2")(y);
  }
  return n == 11 ? 0 : bad != 0;
}
