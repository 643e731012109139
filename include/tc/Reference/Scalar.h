//===- Scalar.h - One number of the reference evaluation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of any type. Floating-point numbers are computed in f64, as a value
// (complex where it has an imaginary part) with a bound of the error that a
// faithful implementation may have there (Reference.h); integers, indices and
// truth values exactly, in 64 bits. Which of the two a number is follows from
// its type in the program.
//
// A float is a sum of terms, of one where it is no sum. The bound of a sum must
// hold in any order of its terms, so a sum stays open: it keeps the sum of
// their absolute values and the roundings that a term goes through, until an
// operation other than an addition takes its value. Where all terms are
// multiples of one power of two, and small enough for the type to hold any sum
// of them, nothing is rounded in any order: such a sum is exact.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_SCALAR_H
#define TC_REFERENCE_SCALAR_H

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace mlir::tc {

/// The bound of relative error that roundings have whose unit roundoffs sum up
/// to `roundoff`: gamma of N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 3.1. Infinite where there is none.
inline double relativeBound(double roundoff) {
  return roundoff < 0.5 ? roundoff / (1 - roundoff)
                        : std::numeric_limits<double>::infinity();
}

/// As std::abs, which takes far more time for the sake of numbers whose squares
/// leave the type.
inline double modulus(std::complex<double> value) {
  double plain =
      std::sqrt(value.real() * value.real() + value.imag() * value.imag());
  return plain > 1e-140 && plain < 1e140 ? plain : std::abs(value);
}

struct Scalar {
  /// Quanta: of 0, a multiple of everything, and of what is not known to be
  /// one.
  static constexpr int16_t quantumOfZero = 10000, noQuantum = -10000;

  union {
    double value = 0;
    int64_t integer; ///< sign-extended; a truth value is 0 or 1
  };
  double imaginary = 0;
  double magnitude = 0; ///< the sum of the absolute values of the terms
  /// The sum of the absolute errors that the terms bring along. Of an integer:
  /// how far an implementation may be from it. Infinite where nothing is known.
  double inherited = 0;
  /// The sum of the unit roundoffs on the way of a term through the sum; below
  /// 0: an element that nobody wrote.
  float roundoff = 0;
  int16_t quantum = noQuantum; ///< all terms are multiples of 2^quantum
  int16_t digits = 0; ///< of a sum: the bits of the significand of its type

  static Scalar of(std::complex<double> value) {
    Scalar scalar;
    scalar.value = value.real();
    scalar.imaginary = value.imag();
    scalar.magnitude = modulus(value);
    scalar.quantum = std::min(quantumOf(value.real()), quantumOf(value.imag()));
    return scalar;
  }
  static Scalar of(double value) {
    Scalar scalar;
    scalar.value = value;
    scalar.magnitude = std::fabs(value);
    scalar.quantum = quantumOf(value);
    return scalar;
  }
  /// The exponent of the largest power of two that divides `value`.
  static int16_t quantumOf(double value) {
    if (value == 0 || !std::isfinite(value))
      return value == 0 ? quantumOfZero : noQuantum;
    uint64_t bits = llvm::bit_cast<uint64_t>(value);
    uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
    int exponent = bits >> 52 & 0x7ff; // 0: of a subnormal number
    if (exponent)
      significand |= uint64_t(1) << 52;
    return int16_t(std::max(exponent, 1) - 1075 +
                   llvm::countr_zero(significand));
  }
  static Scalar ofInteger(int64_t integer) {
    Scalar scalar;
    scalar.integer = integer;
    return scalar;
  }
  /// What a buffer holds before anything is written to it.
  static Scalar unwritten() {
    Scalar scalar;
    scalar.roundoff = -1;
    return scalar;
  }
  bool isWritten() const { return roundoff >= 0; }
  std::complex<double> complex() const { return {value, imaginary}; }

  /// A bound of the absolute error of any faithful implementation; 0 where all
  /// of them get this very number.
  double error() const {
    bool isRounded =
        roundoff > 0 && magnitude > std::ldexp(1.0, digits + quantum);
    return isRounded ? inherited + relativeBound(roundoff) * magnitude
                     : inherited;
  }
};

} // namespace mlir::tc

#endif // TC_REFERENCE_SCALAR_H
