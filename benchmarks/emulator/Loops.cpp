//===- Loops.cpp - The kernels' work as loops -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a kernel; see Loops.h.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

void tc::benchmark::axpy(const float *__restrict x, float *__restrict y,
                         float a, size_t n) {
  for (size_t i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

/// One block of results at (row, column), of `size` x `size`.
template <size_t size>
static void store(const float (&sum)[size][size], float *__restrict c, size_t n,
                  size_t row, size_t column) {
  for (size_t y = 0; y < size; ++y)
    for (size_t x = 0; x < size; ++x)
      c[(row + y) * n + column + x] = sum[y][x];
}

void tc::benchmark::naive(const float *__restrict a, const float *__restrict b,
                          float *__restrict c, size_t n) {
  for (size_t row = 0; row < n; row += 16)
    for (size_t column = 0; column < n; column += 16) {
      float sum[16][16] = {};
      for (size_t k = 0; k < n; ++k)
        for (size_t y = 0; y < 16; ++y)
          for (size_t x = 0; x < 16; ++x)
            sum[y][x] += a[(row + y) * n + k] * b[k * n + column + x];
      store(sum, c, n, row, column);
    }
}

void tc::benchmark::rowByRow(const float *__restrict a,
                             const float *__restrict b, float *__restrict c,
                             size_t n) {
  for (size_t i = 0; i < n * n; ++i)
    c[i] = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void tc::benchmark::tiled(const float *__restrict a, const float *__restrict b,
                          float *__restrict c, size_t n) {
  for (size_t row = 0; row < n; row += 16)
    for (size_t column = 0; column < n; column += 16) {
      float sum[16][16] = {}, tileA[16][16], tileB[16][16];
      for (size_t k0 = 0; k0 < n; k0 += 16) {
        for (size_t y = 0; y < 16; ++y)
          for (size_t x = 0; x < 16; ++x) {
            tileA[y][x] = a[(row + y) * n + k0 + x];
            tileB[y][x] = b[(k0 + y) * n + column + x];
          }
        for (size_t k = 0; k < 16; ++k)
          for (size_t y = 0; y < 16; ++y)
            for (size_t x = 0; x < 16; ++x)
              sum[y][x] += tileA[y][k] * tileB[k][x];
      }
      store(sum, c, n, row, column);
    }
}

void tc::benchmark::registers(const float *__restrict a,
                              const float *__restrict b, float *__restrict c,
                              size_t n) {
  for (size_t row = 0; row < n; row += 64)
    for (size_t column = 0; column < n; column += 64) {
      float sum[64][64] = {}, tileA[16][64], tileB[16][64];
      for (size_t k0 = 0; k0 < n; k0 += 16) {
        for (size_t thread = 0; thread < 256; ++thread) {
          size_t rowA = thread / 4, columnA = thread % 4 * 4;
          for (size_t i = 0; i < 4; ++i)
            tileA[columnA + i][rowA] = a[(row + rowA) * n + k0 + columnA + i];
          size_t y = thread / 16, x = thread % 16 * 4;
          for (size_t i = 0; i < 4; ++i)
            tileB[y][x + i] = b[(k0 + y) * n + column + x + i];
        }
        // Rows 4 y to 4 y + 3 and columns 4 x to 4 x + 3 are a thread's.
        for (size_t k = 0; k < 16; ++k)
          for (size_t y = 0; y < 64; ++y)
            for (size_t x = 0; x < 64; ++x)
              sum[y][x] += tileA[k][y] * tileB[k][x];
      }
      store(sum, c, n, row, column);
    }
}

/// What one row of 16 threads, those of one c, does between barriers: 8 (e) x
/// 128 (ba) results, of which each thread has every sixteenth ba.
static void contractRow(const float (&tileX)[8][16],
                        const float (&tileY)[16][128], float *__restrict z) {
  float sum[8][128] = {};
  for (size_t g = 0; g < 16; ++g)
    for (size_t e = 0; e < 8; ++e)
      for (size_t ba = 0; ba < 128; ++ba)
        sum[e][ba] += tileX[e][g] * tileY[g][ba];
  for (size_t e = 0; e < 8; ++e)
    for (size_t ba = 0; ba < 128; ++ba)
      z[e * 65536 + ba] = sum[e][ba];
}

void tc::benchmark::contraction(const float *__restrict x,
                                const float *__restrict y,
                                float *__restrict z) {
  for (size_t block = 0; block < 1024; ++block) {
    size_t f = block / 64, e0 = block / 32 % 2 * 8, d = block / 2 % 16;
    size_t ba0 = block % 2 * 128;
    float tileX[16][8][16], tileY[16][128];
    for (size_t c = 0; c < 16; ++c)
      for (size_t e = 0; e < 8; ++e)
        for (size_t g = 0; g < 16; ++g)
          tileX[c][e][g] = x[c * 4096 + (e0 + e) * 256 + f * 16 + g];
    for (size_t g = 0; g < 16; ++g)
      for (size_t ba = 0; ba < 128; ++ba)
        tileY[g][ba] = y[g * 4096 + d * 256 + ba0 + ba];
    for (size_t c = 0; c < 16; ++c)
      contractRow(tileX[c], tileY,
                  z + f * 1048576 + e0 * 65536 + d * 4096 + c * 256 + ba0);
  }
}
