/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Calls the CPU versions of Inputs/aarch64.mlir, and computes the same by
   loops. */
#include "tc_arm.h"

#include <stdio.h>
#include <stdlib.h>

/* Whole numbers, so that any order of the terms gives the same bits. */
static int next(void) {
  static unsigned state = 1;
  state = state * 1103515245u + 12345u;
  return (int)(state >> 16) % 9 - 4;
}

static void check(const char *name, int status, int wrong) {
  printf("%s: %s\n", name, status ? tcLastError() : wrong ? "WRONG" : "right");
}

static float a[70 * 37], b[37 * 50], c[70 * 50];

static void product(int m) {
  int wrong = 0;
  for (int i = 0; i < m * 37; ++i)
    a[i] = next();
  for (int i = 0; i < 37 * 50; ++i)
    b[i] = next();
  for (int i = 0; i < m * 50; ++i)
    c[i] = 1;
  int status = tc_product_cpu(a, b, c, m, NULL, 0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < 50; ++j) {
      float sum = 1;
      for (int k = 0; k < 37; ++k)
        sum += a[i * 37 + k] * b[k * 50 + j];
      wrong += sum != c[i * 50 + j];
    }
  check("product", status, wrong);
}

static void turned(void) {
  static double x[12 * 9 * 14], y[14 * 11], z[9 * 11 * 12];
  int wrong = 0;
  for (int i = 0; i < 12 * 9 * 14; ++i)
    x[i] = next();
  for (int i = 0; i < 14 * 11; ++i)
    y[i] = next();
  int status = tc_turned_cpu(x, y, z, NULL, 0);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 9; ++j)
      for (int l = 0; l < 11; ++l) {
        double sum = 0;
        for (int k = 0; k < 14; ++k)
          sum += x[(i * 9 + j) * 14 + k] * y[k * 11 + l];
        wrong += sum != z[(j * 11 + l) * 12 + i];
      }
  check("turned", status, wrong);
}

static void complexes(void) {
  static float x[7 * 8][2], y[8 * 6][2], z[7 * 6][2];
  int wrong = 0;
  for (int i = 0; i < 7 * 8; ++i)
    x[i][0] = next(), x[i][1] = next();
  for (int i = 0; i < 8 * 6; ++i)
    y[i][0] = next(), y[i][1] = next();
  int status = tc_complex_cpu(&x[0][0], &y[0][0], &z[0][0], NULL, 0);
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 6; ++j) {
      float re = 0, im = 0;
      for (int k = 0; k < 8; ++k) {
        const float *p = x[i * 8 + k], *q = y[k * 6 + j];
        re += p[0] * q[0] - p[1] * q[1];
        im += p[0] * q[1] + p[1] * q[0];
      }
      wrong += re != z[i * 6 + j][0] || im != z[i * 6 + j][1];
    }
  check("complex", status, wrong);
}

static void rows(void) {
  static float x[5 * 33], most[5];
  int wrong = 0;
  for (int i = 0; i < 5 * 33; ++i)
    x[i] = next();
  int status = tc_rows_cpu(x, most, NULL, 0);
  for (int i = 0; i < 5; ++i) {
    float largest = x[i * 33];
    for (int j = 1; j < 33; ++j)
      largest = x[i * 33 + j] > largest ? x[i * 33 + j] : largest;
    wrong += largest != most[i];
  }
  check("rows", status, wrong);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 7, 64, 70};
  for (int n = 0; n < 6; ++n)
    product(sizes[n]);
  turned();
  complexes();
  rows();
  return 0;
}
