//===- Kernels.cpp - The kernels that the emulator is timed on ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for NVPTX by clang, which needs no CUDA for it. All matrices are
// n x n, row-major; n is a multiple of the tile. Loops.cpp has the same work as
// loops.
//
//===----------------------------------------------------------------------===//

#define KERNEL extern "C" __attribute__((nvptx_kernel)) void
#define SHARED __attribute__((address_space(3)))

typedef float Float4 __attribute__((ext_vector_type(4)));

static unsigned tidX() { return __nvvm_read_ptx_sreg_tid_x(); }
static unsigned tidY() { return __nvvm_read_ptx_sreg_tid_y(); }
static unsigned blockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static unsigned blockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
static void barrier() { __nvvm_bar_sync(0); }

/// y = a * x + y, one element a thread; blocks of 256.
KERNEL axpy(const float *__restrict x, float *__restrict y, float a,
            unsigned n) {
  unsigned i = blockX() * 256 + tidX();
  if (i < n)
    y[i] = __builtin_fmaf(a, x[i], y[i]);
}

/// c = a * b, one element a thread, from global memory; blocks of 16 x 16.
KERNEL naive(const float *__restrict a, const float *__restrict b,
             float *__restrict c, unsigned n) {
  unsigned row = blockY() * 16 + tidY(), column = blockX() * 16 + tidX();
  float sum = 0;
  for (unsigned k = 0; k < n; ++k)
    sum = __builtin_fmaf(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}

/// The same over tiles of 16 x 16 in shared memory.
KERNEL tiled(const float *__restrict a, const float *__restrict b,
             float *__restrict c, unsigned n) {
  static SHARED float tileA[16][16];
  static SHARED float tileB[16][16];
  unsigned x = tidX(), y = tidY();
  unsigned row = blockY() * 16 + y, column = blockX() * 16 + x;
  float sum = 0;
  for (unsigned k0 = 0; k0 < n; k0 += 16) {
    tileA[y][x] = a[row * n + k0 + x];
    tileB[y][x] = b[(k0 + y) * n + column];
    barrier();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k)
      sum = __builtin_fmaf(tileA[y][k], tileB[k][x], sum);
    barrier();
  }
  c[row * n + column] = sum;
}

/// Tiles of 64 x 64 results and a depth of 16, 4 x 4 results a thread; blocks
/// of 16 x 16.
KERNEL registers(const float *__restrict a, const float *__restrict b,
                 float *__restrict c, unsigned n) {
  static SHARED Float4 tileA[16][16]; // transposed
  static SHARED Float4 tileB[16][16];
  SHARED float *scalarsA = (SHARED float *)tileA;
  unsigned x = tidX(), y = tidY(), thread = y * 16 + x;
  unsigned row = blockY() * 64, column = blockX() * 64;
  Float4 sum[4] = {};
  for (unsigned k0 = 0; k0 < n; k0 += 16) {
    unsigned rowA = thread / 4, columnA = thread % 4 * 4;
    Float4 fromA = *(const Float4 *)&a[(row + rowA) * n + k0 + columnA];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      scalarsA[(columnA + i) * 64 + rowA] = fromA[i];
    tileB[y][x] = *(const Float4 *)&b[(k0 + y) * n + column + x * 4];
    barrier();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) {
      Float4 left = tileA[k][y], right = tileB[k][x];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j)
          sum[i][j] = __builtin_fmaf(left[i], right[j], sum[i][j]);
    }
    barrier();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    *(Float4 *)&c[(row + y * 4 + i) * n + column + x * 4] = sum[i];
}
