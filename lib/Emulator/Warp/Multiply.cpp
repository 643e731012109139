//===- Multiply.cpp - Matrix products of a warp ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mma` and `wmma.mma` (PTX ISA, sections 9.7.14.4 and 9.7.14.5). PTX leaves
// the order of additions open where there is rounding, and asks for single
// precision at least. Here products of .f16, .bf16, .tf32 and 8-bit floating
// point are exact, their sum is a double's, and it is rounded once at the end:
// as near to any order as can be. .f64 is a chain of fma in order of k.
//
//===----------------------------------------------------------------------===//

#include "Warp/HostVectors.h"
#include "Warp/Matrix.h"
#include "Warp/Warp.h"

#include "llvm/ADT/bit.h"

#include <limits>

namespace tc::emulator::warp {

namespace {

using Arithmetic = MatrixForm::Arithmetic;

/// Extents of one product.
struct Extents {
  unsigned m, n, k;
};

/// A row of c and b is done 8 elements at a time, 4 rows of c together.
constexpr unsigned vector = 8, rows = 4;

/// c += a * b on dense arrays in row-major order; `op(x, y, sum)`. All m are
/// multiples of 4, all n of 8.
template <typename T, typename Op>
TC_INLINE void multiplyDense(const T *a, const T *b, T *c, Extents size,
                             Op op) {
  for (unsigned i = 0; i < size.m; i += rows)
    for (unsigned j = 0; j < size.n; j += vector) {
      T sums[rows][vector];
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned v = 0; v < vector; ++v)
          sums[r][v] = c[(i + r) * size.n + j + v];
      for (unsigned k = 0; k < size.k; ++k)
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned v = 0; v < vector; ++v)
            sums[r][v] =
                op(a[(i + r) * size.k + k], b[k * size.n + j + v], sums[r][v]);
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned v = 0; v < vector; ++v)
          c[(i + r) * size.n + j + v] = sums[r][v];
    }
}

TC_HOST_VECTORS void multiplyDense(const double *a, const double *b, double *c,
                                   Extents size) {
  multiplyDense(a, b, c, size, [](double x, double y, double sum) {
    return __builtin_fma(x, y, sum);
  });
}

TC_HOST_VECTORS void multiplyDense(const int32_t *a, const int32_t *b,
                                   int32_t *c, Extents size) {
  multiplyDense(a, b, c, size,
                [](int32_t x, int32_t y, int32_t sum) { return x * y + sum; });
}

/// .b1: an element is 32 bits.
TC_HOST_VECTORS void multiplyBits(const int32_t *a, const int32_t *b,
                                  int32_t *c, Extents size, bool isXor) {
  multiplyDense(a, b, c, size, [isXor](int32_t x, int32_t y, int32_t sum) {
    return sum + llvm::popcount(uint32_t(isXor ? x ^ y : x & y));
  });
}

/// The operands' registers, one after the other.
struct Inputs {
  llvm::ArrayRef<Lanes> a, b, c;
};

void multiplyReals(const MatrixForm &form, const Inputs &in,
                   llvm::MutableArrayRef<Lanes> results) {
  alignas(64) double a[maxElements], b[maxElements], c[maxElements];
  decode(form.a, in.a, a);
  decode(form.b, in.b, b);
  decode(form.c, in.c, c);
  Extents size{form.a.rows, form.b.columns, form.a.columns};
  for (unsigned copy = 0; copy < form.a.copies; ++copy)
    multiplyDense(a + copy * size.m * size.k, b + copy * size.k * size.n,
                  c + copy * size.m * size.n, size);
  encode(form.d, c, results);
}

/// The sum with c wraps, or stops at the type's ends.
int32_t addIntegers(int32_t x, int32_t y, bool isSaturated) {
  int64_t sum = int64_t(x) + y;
  using Limits = std::numeric_limits<int32_t>;
  if (isSaturated)
    sum = std::clamp<int64_t>(sum, Limits::min(), Limits::max());
  return int32_t(sum);
}

void multiplyIntegers(const MatrixForm &form, const Inputs &in,
                      llvm::MutableArrayRef<Lanes> results) {
  alignas(64) int32_t a[maxElements], b[maxElements], c[maxElements];
  alignas(64) int32_t products[maxElements] = {};
  decode(form.a, in.a, a);
  decode(form.b, in.b, b);
  decode(form.c, in.c, c);
  Extents size{form.a.rows, form.b.columns, form.a.columns};
  if (form.arithmetic == Arithmetic::Integer)
    multiplyDense(a, b, products, size);
  else
    multiplyBits(a, b, products, size, form.arithmetic == Arithmetic::Xor);
  for (unsigned i = 0; i < size.m * size.n; ++i)
    c[i] = addIntegers(c[i], products[i], form.isSaturated);
  encode(form.d, c, results);
}

} // namespace

bool multiply(Step &step) {
  if (!checkAllLanes(step))
    return false;
  const MatrixForm &form = *step.instruction.matrix;
  unsigned endOfA = form.a.registers, endOfB = endOfA + form.b.registers;
  Inputs in{step.sources.take_front(endOfA),
            step.sources.slice(endOfA, form.b.registers),
            step.sources.drop_front(endOfB)};
  if (form.arithmetic == Arithmetic::Real)
    multiplyReals(form, in, step.results);
  else
    multiplyIntegers(form, in, step.results);
  return true;
}

} // namespace tc::emulator::warp
