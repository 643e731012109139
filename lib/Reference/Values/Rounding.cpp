//===- Rounding.cpp - Bounds of what an implementation gets ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values/Rounding.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

/// Of the modulus, where it has two parts.
static double sizeOf(const Scalar &x) {
  return x.imaginary == 0 ? std::fabs(x.value) : modulus(x.complex());
}

double spread(double value, std::initializer_list<double> others) {
  double most = 0;
  for (double other : others) {
    if (other == value || (std::isnan(other) && std::isnan(value)))
      continue;
    double distance = std::fabs(other - value);
    most = std::isnan(distance) ? unknown : std::max(most, distance);
  }
  return most;
}

int quantumOfProduct(int first, int second) {
  return std::clamp<int>(first + second, Scalar::noQuantum,
                         Scalar::quantumOfZero);
}

template <typename Value>
static Scalar roundedValue(Value value, double inherited, const ScalarOp &op,
                           int quantum) {
  Scalar result = Scalar::of(value);
  result.inherited = inherited;
  bool isZero = result.magnitude == 0 && inherited == 0; // exactly
  if (isZero || (op.roundings == 0 && inherited == 0))
    return result;
  result.quantum = int16_t(quantum);
  if (op.roundings == 0)
    return result;
  // Below the smallest normal number roundings are absolute.
  result.magnitude = std::max(result.magnitude + inherited, op.smallest);
  result.roundoff = float(op.rounding());
  result.digits = int16_t(op.digits);
  return result;
}

Scalar rounded(double value, double inherited, const ScalarOp &op,
               int quantum) {
  return roundedValue(value, inherited, op, quantum);
}
Scalar rounded(std::complex<double> value, double inherited, const ScalarOp &op,
               int quantum) {
  return roundedValue(value, inherited, op, quantum);
}

Scalar roundedSum(Scalar x, const ScalarOp &op) {
  double size = std::max(sizeOf(x) + x.error(), op.smallest);
  if (op.roundings != 0 && size > std::ldexp(1.0, op.digits + x.quantum))
    x.inherited += op.rounding() * size;
  return x;
}

Scalar joined(std::complex<double> total, const Scalar &sum,
              const Scalar &other, const ScalarOp &op) {
  Scalar result;
  result.value = total.real();
  result.imaginary = total.imag();
  result.magnitude = sum.magnitude + other.magnitude;
  result.inherited = sum.inherited + other.inherited;
  result.roundoff =
      std::max(sum.roundoff, other.roundoff) + float(op.rounding());
  result.quantum = std::min(sum.quantum, other.quantum);
  result.digits = int16_t(op.digits);
  for (int16_t digits : {sum.digits, other.digits})
    if (digits != 0)
      result.digits = std::min(result.digits, digits);
  return result;
}

Scalar chooseUndecided(const Scalar &chosen, const Scalar &other,
                       const ScalarOp &op) {
  Scalar result = chosen;
  if (op.roundoff == 0) { // integers
    double distance = std::fabs(double(chosen.integer) - double(other.integer));
    result.inherited = std::max(chosen.inherited, distance + other.inherited);
    return result;
  }
  double distance = std::max(spread(chosen.value, {other.value}),
                             spread(chosen.imaginary, {other.imaginary}));
  if (std::isfinite(distance))
    distance = modulus(chosen.complex() - other.complex());
  result = Scalar::of(chosen.complex());
  result.inherited = std::max(chosen.error(), distance + other.error());
  result.quantum = std::min(chosen.quantum, other.quantum);
  return result;
}

bool isUndecided(const Scalar &a, const Scalar &b) {
  double error = a.error() + b.error();
  return error > 0 && !(modulus(a.complex() - b.complex()) > error);
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

/// The error of an integer: a sum unless it may wrap.
static double integerError(int64_t result, ArrayRef<Scalar> arguments,
                           const ScalarOp &op) {
  double sum = 0;
  for (const Scalar &argument : arguments)
    sum += argument.inherited;
  if (sum == 0)
    return 0;
  bool isSmall =
      std::fabs(double(result)) + sum < std::ldexp(1, int(op.bits) - 1);
  return op.rule == ErrorRule::sum && isSmall ? sum : unknown;
}

/// The nearest number up to the largest of `op`: nothing gets farther from
/// another number by that.
static void saturate(Scalar &result, const ScalarOp &op) {
  double beyond = std::fabs(result.value) - op.largest;
  if (!(beyond > 0)) // NaN, too
    return;
  double error = std::isfinite(beyond) ? result.error() : 0;
  result = Scalar::of(std::copysign(op.largest, result.value));
  result.inherited = std::max(error - beyond, 0.0);
}

void settleRange(Scalar &result, const ScalarOp &op) {
  if (op.saturates && result.inherited != unknown)
    saturate(result, op);
  double size = sizeOf(result);
  if (result.inherited == unknown)
    return;
  if (!std::isfinite(size)) {
    result.magnitude = result.inherited = result.roundoff = 0;
    result.quantum = Scalar::noQuantum;
    return;
  }
  if (op.saturates)
    return;
  double error = result.error();
  if (size - error > op.largest && result.imaginary == 0)
    result = Scalar::of(std::copysign(unknown, result.value));
  else if (!(std::max(size, result.magnitude) + error <= op.largest))
    result.inherited = unknown;
}

Scalar ScalarOp::apply(ArrayRef<Scalar> x) const {
  Scalar result = function(x.data(), *this);
  if (rule != ErrorRule::own)
    result.inherited =
        std::max(result.inherited, integerError(result.integer, x, *this));
  else if (roundoff != 0)
    settleRange(result, *this);
  return result;
}

} // namespace mlir::tc::reference
