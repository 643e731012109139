/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A library that somebody else put where a driver might be looked for. */
#include <stdio.h>

__attribute__((constructor)) static void say(void) {
  printf("loaded a foreign library\n");
}
