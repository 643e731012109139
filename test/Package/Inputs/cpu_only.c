/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Calls a package for the CPU alone, on the CPU and on a device. */
#include "tc_mm.h"

#include <stdio.h>

int main(void) {
  float a[2][4] = {{2, 2, 2, 2}, {3, 3, 3, 3}}, b[4][3], c[2][3];
  for (int n = 0; n != 12; ++n)
    b[0][n] = 1;
  if (tc_mm_cpu(a[0], b[0], c[0], /*extent_i=*/2, NULL, 0) != TC_OK)
    return 1;
  for (int i = 0; i != 2; ++i)
    printf("%g %g %g\n", c[i][0], c[i][1], c[i][2]);
  int status = tc_mm(a[0], b[0], c[0], 2, NULL, 0, /*stream=*/NULL);
  printf("%d: %s\n", status, tcLastError());
  return 0;
}
