//===- RealOps.cpp - Operations on real numbers ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each gives a value, and how far the errors of its arguments make it wrong: by
// the values at both ends where it is monotone, by its slope where that is at
// most 1. Conversions between float types are exact: the reference does not
// imitate formats, it counts their roundings.
//
// Device libraries are good to a few units in the last place, for which a
// library function counts eight roundings.
//
//===----------------------------------------------------------------------===//

#include "Values/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

using In = const Scalar *;
using Op = const ScalarOp &;

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

static Scalar add(In x, Op op) {
  return joined(x[0].value + x[1].value, x[0], x[1], op);
}
static Scalar subtract(In x, Op op) {
  return joined(x[0].value - x[1].value, x[0], x[1], op);
}
static Scalar negate(In x, Op) {
  Scalar result = x[0];
  result.value = -result.value;
  return result;
}

/// How far the errors of two numbers make a function of both wrong that is
/// monotone in each.
template <double (*f)(double, double)>
static double spreadOfPair(In x, double value) {
  double a = x[0].value, b = x[1].value;
  double da = x[0].error(), db = x[1].error();
  if (da == 0 && db == 0)
    return 0;
  return spread(value, {f(a - da, b - db), f(a - da, b + db), f(a + da, b - db),
                        f(a + da, b + db)});
}
template <double (*f)(double, double)>
static Scalar monotonePair(In x, Op op) {
  double value = f(x[0].value, x[1].value);
  return rounded(value, spreadOfPair<f>(x, value), op);
}

static double times(double a, double b) { return a * b; }
static double over(double a, double b) { return a / b; }

Scalar multiply(const Scalar &a, const Scalar &b, const ScalarOp &op) {
  Scalar factors[] = {a, b};
  double value = a.value * b.value;
  return rounded(value, spreadOfPair<times>(factors, value), op,
                 quantumOfProduct(a.quantum, b.quantum));
}
static Scalar multiply(In x, Op op) { return multiply(x[0], x[1], op); }

static bool mayBeZero(const Scalar &x) {
  double error = x.error();
  return error != 0 && !(std::fabs(x.value) > error);
}

static Scalar divide(In x, Op op) {
  if (mayBeZero(x[1]))
    return rounded(x[0].value / x[1].value, unknown, op);
  return monotonePair<over>(x, op);
}
/// The product is a term, of which fused and separate roundings are allowed.
static Scalar multiplyAdd(In x, Op op) {
  double product = x[0].value * x[1].value;
  Scalar term = Scalar::of(product);
  term.inherited = spreadOfPair<times>(x, product);
  term.magnitude += term.inherited;
  if (term.magnitude != 0) // else it may be lost below the smallest number
    term.magnitude = std::max(term.magnitude, op.smallest);
  term.quantum = int16_t(quantumOfProduct(x[0].quantum, x[1].quantum));
  return joined(product + x[2].value, term, x[2], op);
}
static Scalar remainder(In x, Op op) {
  double a = x[0].value, b = x[1].value, value = std::fmod(a, b);
  double da = x[0].error(), db = x[1].error();
  if (da == 0 && db == 0)
    return rounded(value, 0, op);
  double quotient = std::trunc(a / b);
  bool isSame = !mayBeZero(x[1]);
  for (double end : {(a - da) / (b - db), (a - da) / (b + db),
                     (a + da) / (b - db), (a + da) / (b + db)})
    isSame &= std::trunc(end) == quotient;
  return rounded(value, isSame ? da + std::fabs(quotient) * db : unknown, op);
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

template <double (*f)(double)>
static Scalar monotone(In x, Op op) {
  double value = f(x[0].value), error = x[0].error();
  double inherited =
      error == 0
          ? 0
          : spread(value, {f(x[0].value - error), f(x[0].value + error)});
  return rounded(value, inherited, op);
}
/// One whose least value is at 0, from where it grows to both sides.
template <double (*f)(double)>
static Scalar bowl(In x, Op op) {
  Scalar result = monotone<f>(x, op);
  if (mayBeZero(x[0]) && result.inherited != unknown)
    result.inherited = std::max(result.inherited, spread(result.value, {f(0)}));
  return result;
}
/// A function of slope and values from -1 to 1.
template <double (*f)(double)>
static Scalar wave(In x, Op op) {
  return rounded(f(x[0].value), std::min(x[0].error(), 2.0), op);
}
static Scalar tangent(In x, Op op) {
  double low = x[0].value - x[0].error(), high = x[0].value + x[0].error();
  bool hasPole = !(high - low < M_PI) || std::cos(low) * std::cos(high) <= 0;
  if (x[0].error() != 0 && hasPole)
    return rounded(std::tan(x[0].value), unknown, op);
  return monotone<::tan>(x, op);
}
static double inverseSquareRoot(double x) { return 1 / std::sqrt(x); }

static Scalar same(In x, Op op) { return roundedSum(x[0], op); }

//===----------------------------------------------------------------------===//
// Functions of two numbers
//===----------------------------------------------------------------------===//

static double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
static double smaller(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

static Scalar copySign(In x, Op op) {
  if (mayBeZero(x[1])) // either sign
    return rounded(std::copysign(x[0].value, x[1].value),
                   2 * std::fabs(x[0].value) + x[0].error(), op);
  return rounded(std::copysign(x[0].value, x[1].value), x[0].error(), op);
}
static Scalar power(In x, Op op) {
  Scalar result = monotonePair<::pow>(x, op);
  if (mayBeZero(x[0]) && result.inherited != unknown) // even powers
    result.inherited = std::max(
        result.inherited, spread(result.value, {std::pow(0, x[1].value)}));
  return result;
}
static Scalar integerPower(In x, Op op) {
  Scalar arguments[] = {x[0], Scalar::of(double(x[1].integer))};
  arguments[1].inherited = x[1].inherited;
  return power(arguments, op);
}
/// The angle jumps where the first passes 0 while the second is negative, and
/// is any where both may be 0.
static Scalar angle(In x, Op op) {
  double value = std::atan2(x[0].value, x[1].value);
  double error = spreadOfPair<::atan2>(x, value);
  if (mayBeZero(x[0]) && (mayBeZero(x[1]) || x[1].value < 0))
    error = 2 * M_PI;
  return rounded(value, error, op);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Scalar compare(In x, Op op) {
  using P = arith::CmpFPredicate;
  P predicate = P(op.code);
  bool isConstant = predicate == P::AlwaysFalse || predicate == P::AlwaysTrue;
  bool asksForNaN = predicate == P::ORD || predicate == P::UNO;
  Scalar result = Scalar::ofInteger(arith::applyCmpPredicate(
      predicate, APFloat(x[0].value), APFloat(x[1].value)));
  bool isKnown = x[0].error() != unknown && x[1].error() != unknown;
  if (!isConstant && !(asksForNaN && isKnown))
    result.inherited = isUndecided(x[0], x[1]);
  return result;
}

/// A property of one number that no finite error changes.
template <bool (*is)(double)>
static Scalar classify(In x, Op) {
  Scalar result = Scalar::ofInteger(is(x[0].value));
  result.inherited = x[0].error() == unknown;
  return result;
}
static bool isNaN(double x) { return std::isnan(x); }
static bool isInfinite(double x) { return std::isinf(x); }
static bool isFinite(double x) { return std::isfinite(x); }

//===----------------------------------------------------------------------===//
// Integers to reals and back
//===----------------------------------------------------------------------===//

/// Toward zero. What does not fit has no meaning.
static Scalar toInteger(double value, double low, double high, In x) {
  double whole = std::trunc(value), error = x[0].error();
  bool fits = whole >= low && whole < high;
  Scalar result = Scalar::ofInteger(!fits             ? 0
                                    : whole >= 0x1p63 ? uint64_t(whole)
                                                      : int64_t(whole));
  double from = std::trunc(value - error), to = std::trunc(value + error);
  bool allFit = fits && from >= low && to < high;
  result.inherited = allFit ? spread(whole, {from, to}) : unknown;
  return result;
}
static Scalar toSigned(In x, Op op) {
  double end = std::ldexp(1, op.bits - 1);
  return toInteger(x[0].value, -end, end, x);
}
static Scalar toUnsigned(In x, Op op) {
  Scalar result = toInteger(x[0].value, 0, std::ldexp(1, op.bits), x);
  if (op.bits > 1 && op.bits < 64)
    result.integer = SignExtend64(uint64_t(result.integer), op.bits);
  return result;
}

static Scalar fromSigned(In x, Op op) {
  return rounded(double(signedOf(x[0], op)), x[0].inherited, op);
}
static Scalar fromUnsigned(In x, Op op) {
  return rounded(double(unsignedOf(x[0], op)), x[0].inherited, op);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayRef<ScalarOpEntry> getRealOps() {
  static const ScalarOpEntry table[] = {
      {"arith.addf", add, 1},
      {"arith.subf", subtract, 1},
      {"arith.mulf", multiply, 1},
      {"arith.divf", divide, 1},
      {"arith.remf", remainder, 1},
      {"arith.negf", negate},
      {"arith.maximumf", monotonePair<larger>},
      {"arith.minimumf", monotonePair<smaller>},
      {"arith.maxnumf", monotonePair<::fmax>},
      {"arith.minnumf", monotonePair<::fmin>},
      {"arith.cmpf", compare},
      {"arith.extf", same},
      {"arith.truncf", same, 1},
      {"arith.sitofp", fromSigned, 1},
      {"arith.uitofp", fromUnsigned, 1},
      {"arith.fptosi", toSigned},
      {"arith.fptoui", toUnsigned},
      {"math.absf", bowl<::fabs>},
      {"math.ceil", monotone<::ceil>},
      {"math.floor", monotone<::floor>},
      {"math.round", monotone<::round>},
      {"math.roundeven", monotone<::nearbyint>},
      {"math.trunc", monotone<::trunc>},
      {"math.copysign", copySign},
      {"math.fma", multiplyAdd, 1},
      {"math.exp", monotone<::exp>, 8},
      {"math.exp2", monotone<::exp2>, 8},
      {"math.expm1", monotone<::expm1>, 8},
      {"math.log", monotone<::log>, 8},
      {"math.log2", monotone<::log2>, 8},
      {"math.log10", monotone<::log10>, 8},
      {"math.log1p", monotone<::log1p>, 8},
      {"math.sqrt", monotone<::sqrt>, 8},
      {"math.rsqrt", monotone<inverseSquareRoot>, 8},
      {"math.cbrt", monotone<::cbrt>, 8},
      {"math.sinh", monotone<::sinh>, 8},
      {"math.cosh", bowl<::cosh>, 8},
      {"math.tanh", monotone<::tanh>, 8},
      {"math.asinh", monotone<::asinh>, 8},
      {"math.acosh", monotone<::acosh>, 8},
      {"math.atanh", monotone<::atanh>, 8},
      {"math.sin", wave<::sin>, 8},
      {"math.cos", wave<::cos>, 8},
      {"math.tan", tangent, 8},
      {"math.asin", monotone<::asin>, 8},
      {"math.acos", monotone<::acos>, 8},
      {"math.atan", monotone<::atan>, 8},
      {"math.atan2", angle, 8},
      {"math.erf", monotone<::erf>, 8},
      {"math.erfc", monotone<::erfc>, 8},
      {"math.powf", power, 16},
      {"math.fpowi", integerPower, 16},
      {"math.isnan", classify<isNaN>},
      {"math.isinf", classify<isInfinite>},
      {"math.isfinite", classify<isFinite>},
  };
  return table;
}

} // namespace mlir::tc::reference
