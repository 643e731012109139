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
// as near to any order as can be. LaunchOptions::Arithmetic::Hardware has them
// added as devices do (Note [Tensor units]). .f64 is a chain of fma in order of
// k, as it is there.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Launch.h"
#include "Warp/HostVectors.h"
#include "Warp/Matrix.h"
#include "Warp/Product.h"
#include "Warp/Warp.h"

#include "llvm/ADT/bit.h"

#include <cstring>
#include <limits>

namespace tc::emulator::warp {

namespace {

using Arithmetic = MatrixForm::Arithmetic;

/// Extents of one product.
struct Extents {
  unsigned m, n, k;
};

/// A row of b and c is done 8 elements at a time, 4 rows of c together.
constexpr unsigned width = 8, rows = 4;
typedef double Reals __attribute__((vector_size(width * sizeof(double))));
typedef int32_t Integers __attribute__((vector_size(width * sizeof(int32_t))));

/// Each element of `sum` plus the product of that of `x` and of `y`.
TC_INLINE void addProduct(const Reals &x, const Reals &y, Reals &sum) {
#if __has_builtin(__builtin_elementwise_fma)
  sum = __builtin_elementwise_fma(x, y, sum);
#else
  for (unsigned i = 0; i < width; ++i)
    sum[i] = __builtin_fma(x[i], y[i], sum[i]);
#endif
}

/// Each element of `sum` plus the number of bits set in that of `x`.
TC_INLINE void addBits(const Integers &x, Integers &sum) {
  for (unsigned i = 0; i < width; ++i)
    sum[i] += llvm::popcount(uint32_t(x[i]));
}

/// c += a * b on dense arrays in row-major order; `add(x, y, sum)` on vectors.
/// All m are multiples of 4, all n of 8.
template <typename Vector, typename T, typename Add>
TC_INLINE void multiplyDense(const T *a, const T *b, T *c, Extents size,
                             Add add) {
  for (unsigned i = 0; i < size.m; i += rows)
    for (unsigned j = 0; j < size.n; j += width) {
      const T *left = a + i * size.k, *right = b + j;
      T *at = c + i * size.n + j;
      Vector sums[rows], row;
      for (unsigned r = 0; r < rows; ++r)
        std::memcpy(&sums[r], at + r * size.n, sizeof(Vector));
      for (unsigned k = 0; k < size.k; ++k) {
        std::memcpy(&row, right + k * size.n, sizeof(Vector));
        for (unsigned r = 0; r < rows; ++r) {
          T x = left[r * size.k + k];
          add(Vector{x, x, x, x, x, x, x, x}, row, sums[r]);
        }
      }
      for (unsigned r = 0; r < rows; ++r)
        std::memcpy(at + r * size.n, &sums[r], sizeof(Vector));
    }
}

TC_HOST_VECTORS void multiplyDense(const double *a, const double *b, double *c,
                                   Extents size) {
  multiplyDense<Reals>(a, b, c, size, addProduct);
}

TC_HOST_VECTORS void multiplyDense(const int32_t *a, const int32_t *b,
                                   int32_t *c, Extents size) {
  multiplyDense<Integers>(a, b, c, size,
                          [](const Integers &x, const Integers &y,
                             Integers &sum) { sum += x * y; });
}

/// .b1: an element is 32 bits.
TC_HOST_VECTORS void multiplyBits(const int32_t *a, const int32_t *b,
                                  int32_t *c, Extents size, bool isXor) {
  multiplyDense<Integers>(
      a, b, c, size,
      [isXor](const Integers &x, const Integers &y, Integers &sum) {
        addBits(isXor ? x ^ y : x & y, sum);
      });
}

/// The operands' registers, one after the other.
struct Inputs {
  llvm::ArrayRef<Lanes> a, b, c;
};

/// As `unit` adds; exactly if there is none.
void multiplyReals(const MatrixForm &form, std::optional<TensorUnit> unit,
                   const Inputs &in, llvm::MutableArrayRef<Lanes> results) {
  alignas(64) double a[maxElements], b[maxElements], c[maxElements];
  decode(form.a, in.a, a);
  decode(form.b, in.b, b);
  decode(form.c, in.c, c);
  Extents size{form.a.rows, form.b.columns, form.a.columns};
  for (unsigned copy = 0; copy < form.a.copies; ++copy)
    warp::addProduct(form, unit, a + copy * size.m * size.k,
                     b + copy * size.k * size.n, c + copy * size.m * size.n);
  encode(form.d, c, results);
}

/// The unit to imitate, if any.
std::optional<TensorUnit> findUnit(const Launch &launch,
                                   const MatrixForm &form) {
  bool isImitated =
      launch.options.arithmetic == LaunchOptions::Arithmetic::Hardware;
  if (!isImitated || form.a.element == Element::F64)
    return std::nullopt;
  return getTensorUnit(launch.ptx.getChip(), form.a.element);
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
  decode(form.a, in.a, a);
  decode(form.b, in.b, b);
  decode(form.c, in.c, c);
  warp::addProduct(form, a, b, c);
  encode(form.d, c, results);
}

} // namespace

void addProduct(const MatrixForm &form, std::optional<TensorUnit> unit,
                const double *a, const double *b, double *c) {
  if (unit)
    multiplyAsUnit(*unit, form, a, b, c);
  else
    multiplyDense(a, b, c, {form.a.rows, form.b.columns, form.a.columns});
}

void addProduct(const MatrixForm &form, const int32_t *a, const int32_t *b,
                int32_t *c) {
  alignas(64) int32_t products[maxElements];
  Extents size{form.a.rows, form.b.columns, form.a.columns};
  std::fill(products, products + size.m * size.n, 0);
  if (form.arithmetic == Arithmetic::Integer)
    multiplyDense(a, b, products, size);
  else
    multiplyBits(a, b, products, size, form.arithmetic == Arithmetic::Xor);
  for (unsigned i = 0; i < size.m * size.n; ++i)
    c[i] = addIntegers(c[i], products[i], form.isSaturated);
}

bool multiply(Step &step) {
  if (!checkAllLanes(step))
    return false;
  const MatrixForm &form = *step.instruction.matrix;
  unsigned endOfA = form.a.registers, endOfB = endOfA + form.b.registers;
  Inputs in{step.sources.take_front(endOfA),
            step.sources.slice(endOfA, form.b.registers),
            step.sources.drop_front(endOfB)};
  if (form.arithmetic == Arithmetic::Real)
    multiplyReals(form, findUnit(step.launch, form), in, step.results);
  else
    multiplyIntegers(form, in, step.results);
  return true;
}

} // namespace tc::emulator::warp
