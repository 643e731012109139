//===- TensorUnit.cpp - How the tensor units of chips add -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Tensor units] in the header.
//
//===----------------------------------------------------------------------===//

#include "Warp/TensorUnit.h"
#include "Warp/HostVectors.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

namespace tc::emulator::warp {

namespace {

/// Columns that are done together.
constexpr unsigned width = 8;
typedef double Reals __attribute__((vector_size(width * sizeof(double))));
typedef int64_t Integers __attribute__((vector_size(width * sizeof(int64_t))));

/// The most terms that any unit adds at once.
constexpr unsigned maxTerms = 32;

constexpr unsigned doubleFraction = 52;
constexpr int64_t doubleBias = 1023;
/// Of zero, in sums of exponents: less than any number has.
constexpr int64_t zeroExponent = -127;

/// Below it the numbers of a type have the same exponent.
int64_t getLeastExponent(Element element) {
  switch (element) {
  case Element::F16:
  case Element::E5M2:
    return -14;
  case Element::E4M3:
    return -6;
  default:
    return -126;
  }
}

TC_INLINE int64_t getExponent(double value, int64_t least) {
  int64_t exponent =
      int64_t(llvm::bit_cast<uint64_t>(value) >> doubleFraction & 0x7ff) -
      doubleBias;
  return value == 0 ? zeroExponent : std::max(exponent, least);
}

TC_INLINE void getExponents(const double *values, unsigned count,
                            Element element, int64_t *exponents) {
  int64_t least = getLeastExponent(element);
  for (unsigned i = 0; i < count; ++i)
    exponents[i] = getExponent(values[i], least);
}

/// Two to the power of each, which is that of a normal double.
TC_INLINE Reals getPowers(const Integers &exponents) {
  Integers bits = (exponents + doubleBias) << doubleFraction;
  Reals powers;
  std::memcpy(&powers, &bits, sizeof powers);
  return powers;
}

TC_INLINE Reals truncate(const Reals &values) {
  Reals result;
  for (unsigned i = 0; i < width; ++i)
    result[i] = std::trunc(values[i]);
  return result;
}

/// The sum without its bits below those of the result: of .f32 so many after
/// the point; .f16 is rounded. What is too large is infinite.
TC_INLINE double shorten(double sum, Element d, unsigned resultBits) {
  int64_t least = getLeastExponent(d), exponent = getExponent(sum, least);
  bool isHalf = d == Element::F16;
  double step = std::ldexp(1.0, int(exponent) - int(isHalf ? 10 : resultBits));
  double steps = sum / step;
  double result = (isHalf ? std::nearbyint(steps) : std::trunc(steps)) * step;
  // What rounds to nothing is a positive zero.
  result += 0.0;
  double end = isHalf ? 0x1p16 : 0x1p128;
  return std::fabs(result) < end ? result : std::copysign(INFINITY, sum);
}

/// `count` terms of one row and 8 columns, added to `sums` at once. Rows of b
/// are n apart.
TC_INLINE void addTerms(const TensorUnit &unit, Element d, unsigned count,
                        unsigned n, const double *a, const int64_t *exponentsA,
                        const double *b, const int64_t *exponentsB,
                        Element typeOfSums, double *sums) {
  Reals terms[maxTerms], sum;
  std::memcpy(&sum, sums, sizeof sum);
  Integers largest;
  for (unsigned i = 0; i < width; ++i)
    largest[i] = getExponent(sum[i], getLeastExponent(typeOfSums));
  Reals exact = sum;
  for (unsigned k = 0; k < count; ++k) {
    Reals row;
    Integers exponents;
    std::memcpy(&row, b + k * n, sizeof row);
    std::memcpy(&exponents, exponentsB + k * n, sizeof exponents);
    exponents += exponentsA[k];
    terms[k] = row * a[k];
    largest = exponents > largest ? exponents : largest;
    exact += terms[k];
  }
  Reals scale = getPowers(int64_t(unit.fractionBits) - largest);
  Reals back = getPowers(largest - int64_t(unit.fractionBits));
  // Begun with a zero above all negative ones, which a sum of them is not.
  Reals total = Reals{} + truncate(sum * scale);
  for (unsigned k = 0; k < count; ++k)
    total += truncate(terms[k] * scale);
  total *= back;
  for (unsigned i = 0; i < width; ++i)
    sums[i] = std::isfinite(exact[i])
                  ? shorten(total[i], d, unit.getResultBits())
                  : exact[i];
}

} // namespace

TensorUnit getTensorUnit(unsigned chip, Element input) {
  bool isQuarter = input == Element::E4M3 || input == Element::E5M2;
  unsigned bits = isQuarter ? 8 : input == Element::TF32 ? 32 : 16;
  if (chip < 75)
    return {23, 64 / bits};
  if (chip < 89)
    return {24, 128 / bits};
  // Ada: products of bytes have a shorter sum.
  if (chip < 90)
    return {isQuarter ? 13u : 24u, 128 / bits};
  // Hopper's `mma` turns bytes into halves.
  if (chip < 100)
    return {25, 256 / std::max(bits, 16u), isQuarter};
  return {25, 256 / bits};
}

TensorUnit getGroupUnit(unsigned chip, Element input) {
  bool isQuarter = input == Element::E4M3 || input == Element::E5M2;
  return isQuarter ? TensorUnit{13, 32} : getTensorUnit(chip, input);
}

/// c = a * b + c, as the unit adds.
TC_HOST_VECTORS static void addProducts(const TensorUnit &unit,
                                        const MatrixForm &form, const double *a,
                                        const double *b, double *c) {
  unsigned m = form.a.rows, n = form.b.columns, k = form.a.columns;
  Element d = form.d.element;
  int64_t exponentsA[maxElements], exponentsB[maxElements];
  getExponents(a, m * k, form.a.element, exponentsA);
  getExponents(b, k * n, form.b.element, exponentsB);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; j += width)
      for (unsigned first = 0; first < k; first += unit.terms)
        addTerms(unit, d, std::min(unit.terms, k - first), n, a + i * k + first,
                 exponentsA + i * k + first, b + first * n + j,
                 exponentsB + first * n + j, first == 0 ? form.c.element : d,
                 c + i * n + j);
}

/// Where a product of halves has the terms of bytes: first the lower two of
/// each four in a register, then the upper two.
static unsigned getHalfPlace(unsigned term, unsigned terms) {
  return term % 4 / 2 * (terms / 2) + term / 4 * 2 + term % 2;
}

/// What ptxas makes of `mma` where the unit adds last: see Note [Tensor units].
static void addProductsLast(const TensorUnit &unit, const MatrixForm &form,
                            const double *a, const double *b, double *c) {
  unsigned m = form.a.rows, n = form.b.columns, k = form.a.columns;
  double left[maxElements], right[maxElements], sums[maxElements] = {};
  for (unsigned term = 0; term < k; ++term) {
    unsigned place = getHalfPlace(term, k);
    for (unsigned i = 0; i < m; ++i)
      left[i * k + place] = a[i * k + term];
    std::copy_n(b + term * n, n, right + place * n);
  }
  MatrixForm halves = form;
  halves.a.element = halves.b.element = Element::F16;
  addProducts(unit, halves, left, right, sums);
  for (unsigned i = 0; i < m * n; ++i)
    c[i] += sums[i]; // Rounded when it is put into registers.
}

void multiplyAsUnit(const TensorUnit &unit, const MatrixForm &form,
                    const double *a, const double *b, double *c) {
  (unit.addsLast ? addProductsLast : addProducts)(unit, form, a, b, c);
}

} // namespace tc::emulator::warp
