//===- Scalar.h - One number of the reference evaluation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of any type. Floating-point numbers are computed in f64, as a value
// (complex where it has an imaginary part) with its magnitude (Reference.h);
// integers, indices and truth values exactly, in 64 bits. Which of the two a
// number is follows from its type in the program.
//
// Each number has the roundings that an implementation makes on the way to it.
// They are floats to keep a number at 32 bytes: sums of one unit roundoff are
// exact up to 2^24 of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_SCALAR_H
#define TC_REFERENCE_SCALAR_H

#include <cmath>
#include <complex>
#include <cstdint>

namespace mlir::tc {

struct Scalar {
  union {
    double value = 0;
    int64_t integer; ///< sign-extended; a truth value is 0 or 1
  };
  double imaginary = 0;
  double magnitude = 0;
  /// The sum of the unit roundoffs of those roundings. Of an integer: is it
  /// another one (1), or the same (0), when rounding errors decide?
  float error = 0;
  float roundings = 0; ///< how many; below 0: an element that nobody wrote

  static Scalar of(double value, double magnitude) {
    Scalar scalar;
    scalar.value = value;
    scalar.magnitude = magnitude;
    return scalar;
  }
  static Scalar of(double value) { return of(value, std::fabs(value)); }
  static Scalar of(std::complex<double> value, double magnitude) {
    Scalar scalar = of(value.real(), magnitude);
    scalar.imaginary = value.imag();
    return scalar;
  }
  static Scalar of(std::complex<double> value) {
    return of(value, std::abs(value));
  }
  static Scalar ofInteger(int64_t integer) {
    Scalar scalar;
    scalar.integer = integer;
    return scalar;
  }
  /// What a buffer holds before anything is written to it.
  static Scalar unwritten() {
    Scalar scalar;
    scalar.roundings = -1;
    return scalar;
  }
  bool isWritten() const { return roundings >= 0; }
  std::complex<double> complex() const { return {value, imaginary}; }
};

} // namespace mlir::tc

#endif // TC_REFERENCE_SCALAR_H
