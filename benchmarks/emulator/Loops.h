//===- Loops.h - The kernels' work as loops ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emulator is compared with: each kernel as loops over blocks, split
// at the barriers, every thread's work in the kernel's order, with the loop
// over the threads inside, where it vectorises best. Compiled by clang -O2 for
// the plain host: no FMA, no wide vectors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCHMARKS_EMULATOR_LOOPS_H
#define TC_BENCHMARKS_EMULATOR_LOOPS_H

#include <cstddef>

namespace tc::benchmark {

/// y = a * x + y over n elements.
void axpy(const float *x, float *y, float a, size_t n);
/// c = a * b over row-major n x n matrices: `naive`, `tiled`, `registers` of
/// Kernels.cpp.
void naive(const float *a, const float *b, float *c, size_t n);
void tiled(const float *a, const float *b, float *c, size_t n);
void registers(const float *a, const float *b, float *c, size_t n);
/// The same in the order of rows, terms and columns.
void rowByRow(const float *a, const float *b, float *c, size_t n);
/// z[fedcba] = sum over g of x[cefg] * y[gdba], all extents 16, by the schedule
/// of benchmarks/emulator.py: blocks of 16 (c) x 8 (e) x 128 (ba) results, 8 x
/// 8 of them a thread.
void contraction(const float *x, const float *y, float *z);

} // namespace tc::benchmark

#endif // TC_BENCHMARKS_EMULATOR_LOOPS_H
