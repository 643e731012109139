/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Sums of the same rows with other limits. Prints whether workspace is needed,
   which only the version for all blocks does. */
#include "tc-runtime/tc_runtime.h"
#include "tc_sums.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20, TERMS = 3000 };
static float input[ROWS][TERMS], found[ROWS];

static void check(int status) {
  if (status == TC_OK)
    return;
  fprintf(stderr, "%s: %s\n", tcErrorString(status), tcLastError());
  exit(1);
}

static void run(tcDevice *device, const char *name) {
  size_t bytes = 0;
  tcAddress onInput = 0, onFound = 0, workspace = 0;
  check(tcAllocate(device, sizeof(input), &onInput));
  check(tcAllocate(device, sizeof(found), &onFound));
  check(tcCopyIn(device, onInput, input, sizeof(input)));
  check(tc_sums_workspace_size(ROWS, TERMS, ROWS, &bytes));
  if (bytes != 0)
    check(tcAllocate(device, bytes, &workspace));
  check(tc_sums((const float *)onInput, (float *)onFound, ROWS, TERMS, ROWS,
                (void *)workspace, bytes, NULL));
  check(tcCopyOut(device, found, onFound, sizeof(found)));
  int isRight = 1;
  for (int i = 0; i != ROWS; ++i) {
    float sum = 0;
    for (int j = 0; j != TERMS; ++j)
      sum += input[i][j];
    isRight &= found[i] == sum; /* whole numbers */
  }
  printf("%s: %s workspace, %s\n", name, bytes != 0 ? "some" : "no",
         isRight ? "right" : "wrong");
  if (bytes != 0)
    check(tcFree(device, workspace));
  check(tcFree(device, onFound));
  check(tcFree(device, onInput));
}

int main(void) {
  for (int i = 0; i != ROWS; ++i)
    for (int j = 0; j != TERMS; ++j)
      input[i][j] = (float)((i + j) % 5);
  tcDevice *device = NULL;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  run(device, "default");
  tc_sums_threshold_rows_0_device = 0;
  run(device, "all blocks");
  tc_sums_threshold_rows_0_device = INT64_MAX;
  run(device, "never all blocks");
  tc_sums_threshold_rows_0_warp = 0;
  run(device, "warps");
  tc_sums_threshold_rows_0_device = -1;
  tc_sums_threshold_rows_0_warp = -1;
  run(device, "default");
  check(tcDeviceClose(device));
  return 0;
}
