/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Softmax of rows on the device and on the CPU, with extents for each version
   of the nest. Prints the workspace that each needs. */
#include "tc-runtime/tc_runtime.h"
#include "tc_softmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == TC_OK)
    return;
  fprintf(stderr, "%s: %s\n", tcErrorString(status), tcLastError());
  exit(1);
}

static void run(tcDevice *device, int64_t rows, int64_t terms) {
  size_t count = (size_t)(rows * terms), bytes = count * sizeof(float);
  size_t workspaceBytes = 0;
  float *input = malloc(bytes + 1), *found = malloc(bytes + 1);
  float *expected = malloc(bytes + 1);
  for (size_t i = 0; i != count; ++i)
    input[i] = 0.25f * (float)(i % 17);
  tcAddress onInput = 0, onOutput = 0, workspace = 0;
  check(tcAllocate(device, bytes + 16, &onInput));
  check(tcAllocate(device, bytes + 16, &onOutput));
  check(tcCopyIn(device, onInput, input, bytes));
  check(tc_softmax_workspace_size(rows, terms, rows, terms, &workspaceBytes));
  if (workspaceBytes != 0)
    check(tcAllocate(device, workspaceBytes, &workspace));
  check(tc_softmax((const float *)onInput, (float *)onOutput, rows, terms, rows,
                   terms, (void *)workspace, workspaceBytes, NULL));
  check(tcCopyOut(device, found, onOutput, bytes));
  check(tc_softmax_cpu(input, expected, rows, terms, rows, terms, NULL, 0));
  double worst = 0;
  for (size_t i = 0; i != count; ++i)
    worst = fmax(worst, fabs(found[i] - expected[i]) / expected[i]);
  printf("%lld x %lld: workspace of %zu bytes, %s\n", (long long)rows,
         (long long)terms, workspaceBytes, worst < 1e-4 ? "same" : "different");
  if (workspaceBytes != 0)
    check(tcFree(device, workspace));
  check(tcFree(device, onOutput));
  check(tcFree(device, onInput));
  free(expected);
  free(found);
  free(input);
}

int main(void) {
  static const int64_t shapes[][2] = {{3, 20000}, {500, 40}, {20, 3000},
                                      {1, 1},     {0, 5},    {7, 0}};
  tcDevice *device = NULL;
  check(tcDeviceOpen(NULL, NULL, 0, &device));
  for (size_t i = 0; i != sizeof(shapes) / sizeof(shapes[0]); ++i)
    run(device, shapes[i][0], shapes[i][1]);
  check(tcDeviceClose(device));
  return 0;
}
