/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A packaged contraction from C: C[i][j] = sum over k of A[i][k] * B[k][j].

     tc-compile --einsum='ik,kj->ij' --sizes=i=64,k=32,j=48 --name=product \
       --emit=package -o product
     cc product.c -Iproduct/include -Lproduct/lib -ltc_product -ltc-runtime \
       -Wl,-rpath,$PWD/product/lib -o example

   Runs on a GPU, or on the emulator where there is none. */

#include "tc_product.h"

#include "tc-runtime/tc_runtime.h"

#include <stdio.h>
#include <stdlib.h>

enum { I = 64, K = 32, J = 48 };

static void check(int status) {
  if (status == TC_OK)
    return;
  fprintf(stderr, "%s: %s\n", tcErrorString(status), tcLastError());
  exit(1);
}

static tcAddress toDevice(tcDevice *device, const void *values, size_t bytes) {
  tcAddress address = 0;
  check(tcAllocate(device, bytes, &address));
  check(tcCopyIn(device, address, values, bytes));
  return address;
}

int main(void) {
  static float a[I][K], b[K][J], c[I][J], onCpu[I][J];
  for (int i = 0; i != I; ++i)
    for (int k = 0; k != K; ++k)
      a[i][k] = (float)(i - k);
  for (int k = 0; k != K; ++k)
    for (int j = 0; j != J; ++j)
      b[k][j] = (float)(k + 2 * j);

  tcDevice *device = NULL;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  tcAddress onA = toDevice(device, a, sizeof(a));
  tcAddress onB = toDevice(device, b, sizeof(b));
  tcAddress onC = toDevice(device, c, sizeof(c));
  check(tc_product((const float *)onA, (const float *)onB, (float *)onC,
                   /*workspace=*/NULL, 0, /*stream=*/NULL));
  check(tcCopyOut(device, c, onC, sizeof(c)));

  check(tc_product_cpu(&a[0][0], &b[0][0], &onCpu[0][0], NULL, 0));
  for (int i = 0; i != I; ++i)
    for (int j = 0; j != J; ++j)
      if (c[i][j] != onCpu[i][j]) {
        fprintf(stderr, "C[%d][%d]: expected %g, got %g\n", i, j, onCpu[i][j],
                c[i][j]);
        return 1;
      }
  printf("on the %s and on the CPU: C[63][47] = %g\n", tcDeviceKind(device),
         c[I - 1][J - 1]);
  check(tcFree(device, onA));
  check(tcFree(device, onB));
  check(tcFree(device, onC));
  check(tcDeviceClose(device));
  return 0;
}
