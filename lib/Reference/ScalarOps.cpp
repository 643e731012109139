//===- ScalarOps.cpp - What scalar ops compute ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function says how a value and its magnitude pass through; the roundings
// pass in Rounding.cpp. Conversions
// between float types are exact: the reference does not imitate formats, it
// counts their roundings.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;

namespace mlir::tc::reference {

using In = const Scalar *;
using Op = const ScalarOp &;

//===----------------------------------------------------------------------===//
// Floats and complex numbers
//===----------------------------------------------------------------------===//

static Scalar add(In x, Op) {
  return Scalar::of(x[0].complex() + x[1].complex(),
                    x[0].magnitude + x[1].magnitude);
}
static Scalar subtract(In x, Op) {
  return Scalar::of(x[0].complex() - x[1].complex(),
                    x[0].magnitude + x[1].magnitude);
}
static Scalar negate(In x, Op) {
  return Scalar::of(-x[0].complex(), x[0].magnitude);
}
static Scalar same(In x, Op) { return x[0]; }
static Scalar multiply(In x, Op) {
  return Scalar::of(x[0].value * x[1].value, x[0].magnitude * x[1].magnitude);
}
static Scalar divide(In x, Op) {
  double d = x[1].value;
  return Scalar::of(x[0].value / d, x[0].magnitude * x[1].magnitude / (d * d));
}
static Scalar multiplyAdd(In x, Op) {
  return Scalar::of(x[0].value * x[1].value + x[2].value,
                    x[0].magnitude * x[1].magnitude + x[2].magnitude);
}
static Scalar absolute(In x, Op) {
  return Scalar::of(std::fabs(x[0].value), x[0].magnitude);
}
static Scalar copySign(In x, Op) {
  return Scalar::of(std::copysign(x[0].value, x[1].value), x[0].magnitude);
}

/// The larger of two (the NaN, if one is): an error in either passes through.
static Scalar maximum(In x, Op) {
  double a = x[0].value, b = x[1].value;
  double value = std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  return Scalar::of(value, std::max(x[0].magnitude, x[1].magnitude));
}
static Scalar minimum(In x, Op) {
  double a = x[0].value, b = x[1].value;
  double value = std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  return Scalar::of(value, std::max(x[0].magnitude, x[1].magnitude));
}
/// The same, but a NaN gives the other operand.
static Scalar maximumNumber(In x, Op) {
  return Scalar::of(std::fmax(x[0].value, x[1].value),
                    std::max(x[0].magnitude, x[1].magnitude));
}
static Scalar minimumNumber(In x, Op) {
  return Scalar::of(std::fmin(x[0].value, x[1].value),
                    std::max(x[0].magnitude, x[1].magnitude));
}

/// A library function of derivative `slope` there: device libraries are good to
/// a few units in the last place, for which the value counts eightfold.
static Scalar libraryResult(double value, double slope, const Scalar &x) {
  return Scalar::of(value,
                    8 * std::fabs(value) + std::fabs(slope) * x.magnitude);
}
static Scalar exponential(In x, Op) {
  double y = std::exp(x[0].value);
  return libraryResult(y, y, x[0]);
}
static Scalar exponential2(In x, Op) {
  double y = std::exp2(x[0].value);
  return libraryResult(y, M_LN2 * y, x[0]);
}
static Scalar exponentialMinus1(In x, Op) {
  return libraryResult(std::expm1(x[0].value), std::exp(x[0].value), x[0]);
}
static Scalar logarithm(In x, Op) {
  return libraryResult(std::log(x[0].value), 1 / x[0].value, x[0]);
}
static Scalar logarithm2(In x, Op) {
  return libraryResult(std::log2(x[0].value), M_LOG2E / x[0].value, x[0]);
}
static Scalar logarithm1Plus(In x, Op) {
  return libraryResult(std::log1p(x[0].value), 1 / (1 + x[0].value), x[0]);
}
static Scalar squareRoot(In x, Op) {
  double y = std::sqrt(x[0].value);
  return libraryResult(y, y == 0 ? 0 : 0.5 / y, x[0]);
}
static Scalar inverseSquareRoot(In x, Op) {
  double y = 1 / std::sqrt(x[0].value);
  return libraryResult(y, 0.5 * y / x[0].value, x[0]);
}
static Scalar hyperbolicTangent(In x, Op) {
  return libraryResult(std::tanh(x[0].value), 1, x[0]);
}
static Scalar errorFunction(In x, Op) {
  return libraryResult(std::erf(x[0].value), 1.13, x[0]);
}
static Scalar sine(In x, Op) {
  return libraryResult(std::sin(x[0].value), 1, x[0]);
}
static Scalar cosine(In x, Op) {
  return libraryResult(std::cos(x[0].value), 1, x[0]);
}
static Scalar power(In x, Op) {
  double a = x[0].value, b = x[1].value, y = std::pow(a, b);
  double slope = a == 0 ? 0 : std::fabs(b * y / a);
  double other = a > 0 ? std::fabs(y * std::log(a)) : 0;
  return Scalar::of(y, 8 * std::fabs(y) + slope * x[0].magnitude +
                           other * x[1].magnitude);
}

static Scalar complexMultiply(In x, Op) {
  double a = x[0].value, b = x[0].imaginary;
  double c = x[1].value, d = x[1].imaginary;
  return Scalar::of({a * c - b * d, a * d + b * c},
                    x[0].magnitude * x[1].magnitude);
}
static Scalar complexDivide(In x, Op) {
  double norm = std::norm(x[1].complex());
  return Scalar::of(x[0].complex() / x[1].complex(),
                    x[0].magnitude * x[1].magnitude / norm);
}
static Scalar conjugate(In x, Op) {
  return Scalar::of(std::conj(x[0].complex()), x[0].magnitude);
}
static Scalar modulus(In x, Op) {
  return Scalar::of(std::abs(x[0].complex()), x[0].magnitude);
}
static Scalar realPart(In x, Op) {
  return Scalar::of(x[0].value, x[0].magnitude);
}
static Scalar imaginaryPart(In x, Op) {
  return Scalar::of(x[0].imaginary, x[0].magnitude);
}
static Scalar createComplex(In x, Op) {
  return Scalar::of({x[0].value, x[1].value}, x[0].magnitude + x[1].magnitude);
}
static Scalar complexExponential(In x, Op) {
  std::complex<double> y = std::exp(x[0].complex());
  return Scalar::of(y, std::abs(y) * (8 + x[0].magnitude));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The low bits of a number, sign-extended; a truth value is 0 or 1.
static Scalar wrap(uint64_t number, Op op) {
  return Scalar::ofInteger(op.bits == 1 ? int64_t(number & 1)
                                        : SignExtend64(number, op.bits));
}
/// The low bits of a number, zero-extended.
static uint64_t unsignedOf(const Scalar &x, Op op) {
  return uint64_t(x.integer) & maskTrailingOnes<uint64_t>(op.bits);
}
/// A truth value counts as -1, as any integer of which all bits are set.
static int64_t signedOf(const Scalar &x, Op op) {
  return op.bits == 1 ? -x.integer : x.integer;
}

static Scalar addIntegers(In x, Op op) {
  return wrap(uint64_t(x[0].integer) + uint64_t(x[1].integer), op);
}
static Scalar subtractIntegers(In x, Op op) {
  return wrap(uint64_t(x[0].integer) - uint64_t(x[1].integer), op);
}
static Scalar multiplyIntegers(In x, Op op) {
  return wrap(uint64_t(x[0].integer) * uint64_t(x[1].integer), op);
}
static Scalar bitwiseAnd(In x, Op op) {
  return wrap(x[0].integer & x[1].integer, op);
}
static Scalar bitwiseOr(In x, Op op) {
  return wrap(x[0].integer | x[1].integer, op);
}
static Scalar bitwiseXor(In x, Op op) {
  return wrap(x[0].integer ^ x[1].integer, op);
}
static Scalar smallerSigned(In x, Op op) {
  return signedOf(x[0], op) <= signedOf(x[1], op) ? x[0] : x[1];
}
static Scalar largerSigned(In x, Op op) {
  return signedOf(x[0], op) >= signedOf(x[1], op) ? x[0] : x[1];
}
static Scalar smallerUnsigned(In x, Op op) {
  return unsignedOf(x[0], op) <= unsignedOf(x[1], op) ? x[0] : x[1];
}
static Scalar largerUnsigned(In x, Op op) {
  return unsignedOf(x[0], op) >= unsignedOf(x[1], op) ? x[0] : x[1];
}
/// Division by zero, and what overflows, have no meaning: they give 0.
static bool canDivide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
static Scalar divideSigned(In x, Op op) {
  int64_t a = x[0].integer, b = x[1].integer;
  return wrap(canDivide(a, b) ? a / b : 0, op);
}
static Scalar divideUp(In x, Op op) {
  int64_t a = x[0].integer, b = x[1].integer;
  return wrap(canDivide(a, b) ? llvm::divideCeilSigned(a, b) : 0, op);
}
static Scalar divideDown(In x, Op op) {
  int64_t a = x[0].integer, b = x[1].integer;
  return wrap(canDivide(a, b) ? llvm::divideFloorSigned(a, b) : 0, op);
}
static Scalar remainderSigned(In x, Op op) {
  int64_t a = x[0].integer, b = x[1].integer;
  return wrap(canDivide(a, b) ? a % b : 0, op);
}
static Scalar divideUnsigned(In x, Op op) {
  uint64_t b = unsignedOf(x[1], op);
  return wrap(b ? unsignedOf(x[0], op) / b : 0, op);
}
static Scalar remainderUnsigned(In x, Op op) {
  uint64_t b = unsignedOf(x[1], op);
  return wrap(b ? unsignedOf(x[0], op) % b : 0, op);
}
static Scalar shiftLeft(In x, Op op) {
  uint64_t by = unsignedOf(x[1], op);
  return wrap(by < op.bits ? uint64_t(x[0].integer) << by : 0, op);
}
static Scalar shiftRightSigned(In x, Op op) {
  uint64_t by = std::min<uint64_t>(unsignedOf(x[1], op), 63);
  return wrap(signedOf(x[0], op) >> by, op);
}
static Scalar shiftRightUnsigned(In x, Op op) {
  uint64_t by = unsignedOf(x[1], op);
  return wrap(by < op.bits ? unsignedOf(x[0], op) >> by : 0, op);
}
static Scalar absoluteInteger(In x, Op op) {
  return x[0].integer < 0 ? wrap(-uint64_t(x[0].integer), op) : x[0];
}

static Scalar truncateInteger(In x, Op op) { return wrap(x[0].integer, op); }
static Scalar extendSigned(In x, Op op) {
  return Scalar::ofInteger(signedOf(x[0], op));
}
static Scalar extendUnsigned(In x, Op op) {
  return Scalar::ofInteger(unsignedOf(x[0], op));
}
static Scalar signedToReal(In x, Op op) {
  return Scalar::of(double(signedOf(x[0], op)));
}
static Scalar unsignedToReal(In x, Op op) {
  return Scalar::of(double(unsignedOf(x[0], op)));
}
/// Toward zero; what does not fit has no meaning.
static Scalar realToInteger(In x, Op op) {
  double value = std::trunc(x[0].value), error = boundError(x[0]);
  bool fits = std::fabs(value) < 0x1p63;
  Scalar result = wrap(fits ? int64_t(value) : 0, op);
  result.error = std::trunc(x[0].value - error) != value ||
                 std::trunc(x[0].value + error) != value;
  return result;
}
static Scalar isOtherThanZero(In x, Op) {
  return Scalar::ofInteger(x[0].integer != 0);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Scalar truth(bool value) { return Scalar::ofInteger(value); }

static Scalar orderFloats(double a, double b, Op op) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (P(op.code)) {
  case P::AlwaysFalse:
    return truth(false);
  case P::OEQ:
    return truth(a == b);
  case P::OGT:
    return truth(a > b);
  case P::OGE:
    return truth(a >= b);
  case P::OLT:
    return truth(a < b);
  case P::OLE:
    return truth(a <= b);
  case P::ONE:
    return truth(!unordered && a != b);
  case P::ORD:
    return truth(!unordered);
  case P::UEQ:
    return truth(unordered || a == b);
  case P::UGT:
    return truth(unordered || a > b);
  case P::UGE:
    return truth(unordered || a >= b);
  case P::ULT:
    return truth(unordered || a < b);
  case P::ULE:
    return truth(unordered || a <= b);
  case P::UNE:
    return truth(unordered || a != b);
  case P::UNO:
    return truth(unordered);
  case P::AlwaysTrue:
    return truth(true);
  }
  return truth(false);
}

static Scalar compareFloats(In x, Op op) {
  double a = x[0].value, b = x[1].value;
  Scalar result = orderFloats(a, b, op);
  result.error = std::fabs(a - b) <= boundError(x[0]) + boundError(x[1]) &&
                 (x[0].error > 0 || x[1].error > 0);
  return result;
}

static Scalar compareIntegers(In x, Op op) {
  using P = arith::CmpIPredicate;
  int64_t a = signedOf(x[0], op), b = signedOf(x[1], op);
  uint64_t c = unsignedOf(x[0], op), d = unsignedOf(x[1], op);
  switch (P(op.code)) {
  case P::eq:
    return truth(a == b);
  case P::ne:
    return truth(a != b);
  case P::slt:
    return truth(a < b);
  case P::sle:
    return truth(a <= b);
  case P::sgt:
    return truth(a > b);
  case P::sge:
    return truth(a >= b);
  case P::ult:
    return truth(c < d);
  case P::ule:
    return truth(c <= d);
  case P::ugt:
    return truth(c > d);
  case P::uge:
    return truth(c >= d);
  }
  return truth(false);
}

static Scalar equalComplex(In x, Op) {
  return truth(x[0].complex() == x[1].complex());
}
static Scalar differentComplex(In x, Op) {
  return truth(x[0].complex() != x[1].complex());
}
static Scalar select(In x, Op op) {
  const Scalar &chosen = x[0].integer ? x[1] : x[2];
  return x[0].error == 0 ? chosen : chooseUndecided(chosen, x[1], x[2], op);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  ScalarFunction function;
  unsigned roundings; ///< to the type of the result
  Passing passing = Passing::largest;
};
} // namespace

/// A complex product rounds four products and two sums, of which at most three
/// count for the modulus (Brent, Percival and Zimmermann, 2007: sqrt(5)).
static const StringMap<Entry> &getTable() {
  static const StringMap<Entry> table = {
      {"arith.addf", {add, 1}},
      {"arith.subf", {subtract, 1}},
      {"arith.mulf", {multiply, 1, Passing::sum}},
      {"arith.divf", {divide, 1, Passing::sum}},
      {"arith.negf", {negate, 0}},
      {"arith.maximumf", {maximum, 0}},
      {"arith.minimumf", {minimum, 0}},
      {"arith.maxnumf", {maximumNumber, 0}},
      {"arith.minnumf", {minimumNumber, 0}},
      {"arith.cmpf", {compareFloats, 0, Passing::own}},
      {"arith.cmpi", {compareIntegers, 0}},
      {"arith.select", {select, 0, Passing::own}},
      {"arith.extf", {same, 0}},
      {"arith.truncf", {same, 1}},
      {"arith.addi", {addIntegers, 0}},
      {"arith.subi", {subtractIntegers, 0}},
      {"arith.muli", {multiplyIntegers, 0}},
      {"arith.divsi", {divideSigned, 0}},
      {"arith.ceildivsi", {divideUp, 0}},
      {"arith.floordivsi", {divideDown, 0}},
      {"arith.divui", {divideUnsigned, 0}},
      {"arith.remsi", {remainderSigned, 0}},
      {"arith.remui", {remainderUnsigned, 0}},
      {"arith.andi", {bitwiseAnd, 0}},
      {"arith.ori", {bitwiseOr, 0}},
      {"arith.xori", {bitwiseXor, 0}},
      {"arith.shli", {shiftLeft, 0}},
      {"arith.shrsi", {shiftRightSigned, 0}},
      {"arith.shrui", {shiftRightUnsigned, 0}},
      {"arith.minsi", {smallerSigned, 0}},
      {"arith.maxsi", {largerSigned, 0}},
      {"arith.minui", {smallerUnsigned, 0}},
      {"arith.maxui", {largerUnsigned, 0}},
      {"arith.trunci", {truncateInteger, 0}},
      {"arith.extsi", {extendSigned, 0}},
      {"arith.extui", {extendUnsigned, 0}},
      {"arith.index_cast", {extendSigned, 0}},
      {"arith.index_castui", {extendUnsigned, 0}},
      {"arith.sitofp", {signedToReal, 1}},
      {"arith.uitofp", {unsignedToReal, 1}},
      {"arith.fptosi", {realToInteger, 0, Passing::own}},
      {"arith.fptoui", {realToInteger, 0, Passing::own}},
      {"math.absf", {absolute, 0}},
      {"math.absi", {absoluteInteger, 0}},
      {"math.copysign", {copySign, 0}},
      {"math.fma", {multiplyAdd, 1, Passing::fused}},
      {"math.exp", {exponential, 1}},
      {"math.exp2", {exponential2, 1}},
      {"math.expm1", {exponentialMinus1, 1}},
      {"math.log", {logarithm, 1}},
      {"math.log2", {logarithm2, 1}},
      {"math.log1p", {logarithm1Plus, 1}},
      {"math.sqrt", {squareRoot, 1}},
      {"math.rsqrt", {inverseSquareRoot, 1}},
      {"math.tanh", {hyperbolicTangent, 1}},
      {"math.erf", {errorFunction, 1}},
      {"math.sin", {sine, 1}},
      {"math.cos", {cosine, 1}},
      {"math.powf", {power, 1, Passing::sum}},
      {"complex.add", {add, 1}},
      {"complex.sub", {subtract, 1}},
      {"complex.neg", {negate, 0}},
      {"complex.mul", {complexMultiply, 3, Passing::sum}},
      {"complex.div", {complexDivide, 8, Passing::sum}},
      {"complex.conj", {conjugate, 0}},
      {"complex.abs", {modulus, 3}},
      {"complex.exp", {complexExponential, 3}},
      {"complex.re", {realPart, 0}},
      {"complex.im", {imaginaryPart, 0}},
      {"complex.create", {createComplex, 0}},
      {"complex.eq", {equalComplex, 0}},
      {"complex.neq", {differentComplex, 0}}};
  return table;
}

/// The unit roundoff of a float, or of the parts of a complex number.
static double roundoffOf(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return 0;
  return std::ldexp(
      1.0, -int(APFloat::semanticsPrecision(real.getFloatSemantics())));
}

static unsigned bitsOf(Type type) {
  return isa<IntegerType>(type) ? std::min(type.getIntOrFloatBitWidth(), 64u)
                                : 64;
}

static ScalarOp makeOp(ScalarFunction function, unsigned roundings, Type result,
                       Passing passing = Passing::largest) {
  ScalarOp op;
  op.function = function;
  op.passing = passing;
  op.bits = bitsOf(result);
  op.roundoff = roundoffOf(result);
  op.roundings = op.roundoff == 0 ? 0 : roundings;
  return op;
}

std::optional<ScalarOp> findScalarOp(Operation *op) {
  auto entry = getTable().find(op->getName().getStringRef());
  if (entry == getTable().end() || op->getNumOperands() > 3 ||
      op->getNumResults() != 1)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  if (!type.isIntOrIndexOrFloat() && !isa<ComplexType>(type))
    return std::nullopt; // vectors
  auto [function, roundings, passing] = entry->second;
  ScalarOp result = makeOp(function, roundings, type, passing);
  if (!isa<arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    result.bits = bitsOf(op->getOperand(0).getType());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    result.code = unsigned(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    result.code = unsigned(compare.getPredicate());
  return result;
}

std::optional<ScalarOp> findScalarOp(StringRef name, Type type) {
  auto entry = getTable().find(name);
  if (entry == getTable().end())
    return std::nullopt;
  auto [function, roundings, passing] = entry->second;
  return makeOp(function, roundings, type, passing);
}

//===----------------------------------------------------------------------===//
// Without regions
//===----------------------------------------------------------------------===//

ScalarOp getProduct(Type type) {
  if (isa<ComplexType>(type))
    return makeOp(complexMultiply, 3, type, Passing::sum);
  if (isa<FloatType>(type))
    return makeOp(multiply, 1, type, Passing::sum);
  return makeOp(type.isInteger(1) ? bitwiseAnd : multiplyIntegers, 0, type);
}

ScalarOp getSum(Type type) {
  if (isa<FloatType, ComplexType>(type))
    return makeOp(add, 1, type);
  return makeOp(type.isInteger(1) ? bitwiseOr : addIntegers, 0, type);
}

ScalarOp getCopy() {
  ScalarOp op;
  op.function = same;
  return op;
}

std::optional<ScalarOp> findConversion(Type from, Type to) {
  if (from == to)
    return std::nullopt;
  bool fromInteger = from.isIntOrIndex(), toInteger = to.isIntOrIndex();
  if (fromInteger && toInteger) {
    if (to.isInteger(1))
      return makeOp(isOtherThanZero, 0, to);
    if (bitsOf(to) < bitsOf(from))
      return makeOp(truncateInteger, 0, to);
    return std::nullopt; // a wider integer is kept alike, i1 is 0 or 1
  }
  if (fromInteger) {
    ScalarOp op = makeOp(signedToReal, 1, to);
    if (from.isInteger(1))
      op.function = unsignedToReal;
    op.bits = bitsOf(from);
    return op;
  }
  if (roundoffOf(to) <= roundoffOf(from) && !isa<BFloat16Type>(from))
    return std::nullopt; // bf16 has larger numbers than f16
  return makeOp(same, 1, to);
}

std::optional<Scalar> findScalar(Attribute attribute) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return Scalar::of(number.getValueAsDouble());
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return Scalar::ofInteger(number.getType().isInteger(1)
                                 ? int64_t(number.getValue().getZExtValue())
                                 : number.getValue().getSExtValue());
  if (auto number = dyn_cast_or_null<complex::NumberAttr>(attribute))
    return Scalar::of({number.getReal().convertToDouble(),
                       number.getImag().convertToDouble()});
  auto parts = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!parts || parts.size() != 2)
    return std::nullopt;
  std::optional<Scalar> real = findScalar(parts[0]);
  std::optional<Scalar> imaginary = findScalar(parts[1]);
  if (!real || !imaginary)
    return std::nullopt;
  return Scalar::of({real->value, imaginary->value});
}

} // namespace mlir::tc::reference
