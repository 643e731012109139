//===- ComplexOps.cpp - Operations on complex numbers ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors and magnitudes of complex numbers are those of the modulus.
//
//===----------------------------------------------------------------------===//

#include "Values/Rounding.h"

using namespace llvm;

namespace mlir::tc::reference {

using In = const Scalar *;
using Op = const ScalarOp &;

static Scalar add(In x, Op op) {
  return joined(x[0].complex() + x[1].complex(), x[0], x[1], op);
}
static Scalar subtract(In x, Op op) {
  return joined(x[0].complex() - x[1].complex(), x[0], x[1], op);
}
static Scalar negate(In x, Op) {
  Scalar result = x[0];
  result.value = -result.value;
  result.imaginary = -result.imaginary;
  return result;
}
static Scalar conjugate(In x, Op) {
  Scalar result = x[0];
  result.imaginary = -result.imaginary;
  return result;
}

static Scalar multiply(In x, Op op) {
  double a = x[0].value, b = x[0].imaginary;
  double c = x[1].value, d = x[1].imaginary;
  double first = x[0].error(), second = x[1].error(), inherited = 0;
  if (first != 0 || second != 0)
    inherited = modulus(x[0].complex()) * second +
                modulus(x[1].complex()) * first + first * second;
  return rounded({a * c - b * d, a * d + b * c}, inherited, op,
                 quantumOfProduct(x[0].quantum, x[1].quantum));
}
static Scalar divide(In x, Op op) {
  std::complex<double> quotient = x[0].complex() / x[1].complex();
  double first = x[0].error(), second = x[1].error();
  double size = modulus(x[1].complex());
  if (second == 0 && first == 0)
    return rounded(quotient, 0, op);
  if (!(size > second))
    return rounded(quotient, unknown, op);
  double inherited = (first + std::abs(quotient) * second) / (size - second);
  return rounded(quotient, inherited, op);
}

static Scalar absolute(In x, Op op) {
  return rounded(std::abs(x[0].complex()), x[0].error(), op);
}
/// A part of a sum is the sum of the parts.
static Scalar realPart(In x, Op) {
  Scalar result = x[0];
  result.imaginary = 0;
  return result;
}
static Scalar imaginaryPart(In x, Op) {
  Scalar result = x[0];
  result.value = result.imaginary;
  result.imaginary = 0;
  return result;
}
static Scalar create(In x, Op op) {
  return joined({x[0].value, x[1].value}, x[0], x[1], op);
}
/// |exp(z + d) - exp(z)| <= |exp(z)| (exp(|d|) - 1).
static Scalar exponential(In x, Op op) {
  std::complex<double> value = std::exp(x[0].complex());
  double error = x[0].error();
  return rounded(value, error == 0 ? 0 : std::abs(value) * std::expm1(error),
                 op);
}

static Scalar equal(In x, Op) {
  Scalar result = Scalar::ofInteger(x[0].complex() == x[1].complex());
  result.inherited = isUndecided(x[0], x[1]);
  return result;
}
static Scalar different(In x, Op op) {
  Scalar result = equal(x, op);
  result.integer = !result.integer;
  return result;
}

/// A complex product rounds four products and two sums, of which at most three
/// count for the modulus (Brent, Percival and Zimmermann, 2007: sqrt(5)).
ArrayRef<ScalarOpEntry> getComplexOps() {
  static const ScalarOpEntry table[] = {
      {"complex.add", add, 1},      {"complex.sub", subtract, 1},
      {"complex.neg", negate},      {"complex.mul", multiply, 3},
      {"complex.div", divide, 8},   {"complex.conj", conjugate},
      {"complex.abs", absolute, 3}, {"complex.exp", exponential, 16},
      {"complex.re", realPart},     {"complex.im", imaginaryPart},
      {"complex.create", create},   {"complex.eq", equal},
      {"complex.neq", different},
  };
  return table;
}

} // namespace mlir::tc::reference
