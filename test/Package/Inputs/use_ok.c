/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Asks a package for its kernel, which asks for a driver. */
#include "tc_ok.h"

#include <stdio.h>

int main(void) {
  printf("%d: ", tc_ok_prepare(/*stream=*/NULL));
  printf("%s\n", tcLastError());
  return 0;
}
