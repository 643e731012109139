//===- IntegerOps.cpp - Operations on integers and truth values -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are exact, wrapped to their width. One that rounding errors decide
// (a conversion, a choice) has a bound of its error, too.
//
//===----------------------------------------------------------------------===//

#include "Values/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace llvm;

namespace mlir::tc::reference {

using In = const Scalar *;
using Op = const ScalarOp &;

/// The low bits of a number, sign-extended; a truth value is 0 or 1.
static Scalar wrap(uint64_t number, Op op) {
  return Scalar::ofInteger(op.bits == 1 ? int64_t(number & 1)
                                        : SignExtend64(number, op.bits));
}

/// A function of the bits of two numbers.
template <typename Function>
static Scalar onBits(In x, Op op) {
  return wrap(Function()(uint64_t(x[0].integer), uint64_t(x[1].integer)), op);
}

/// The first of two numbers where `Prefers` holds of them as `numberOf` reads
/// them, else the second.
template <auto numberOf, typename Prefers>
static Scalar choose(In x, Op op) {
  return Prefers()(numberOf(x[0], op), numberOf(x[1], op)) ? x[0] : x[1];
}

// Of what has no meaning nothing is known: a division by zero or past the
// largest number, a shift by all bits or more. An implementation may get
// anything.

template <int64_t (*divide)(int64_t, int64_t)>
static Scalar divideSigned(In x, Op op) {
  int64_t a = signedOf(x[0], op), b = signedOf(x[1], op);
  bool isDefined = b != 0 && !(b == -1 && a == minIntN(op.bits));
  return isDefined ? wrap(divide(a, b), op) : unknownNumber();
}
static int64_t quotient(int64_t a, int64_t b) { return a / b; }
static int64_t remainder(int64_t a, int64_t b) { return a % b; }

template <uint64_t (*divide)(uint64_t, uint64_t)>
static Scalar divideUnsigned(In x, Op op) {
  uint64_t a = unsignedOf(x[0], op), b = unsignedOf(x[1], op);
  return b != 0 ? wrap(divide(a, b), op) : unknownNumber();
}
static uint64_t quotientUnsigned(uint64_t a, uint64_t b) { return a / b; }
static uint64_t remainderUnsigned(uint64_t a, uint64_t b) { return a % b; }

template <uint64_t (*shift)(const Scalar &, uint64_t, Op)>
static Scalar shiftBits(In x, Op op) {
  uint64_t by = unsignedOf(x[1], op);
  return by < op.bits ? wrap(shift(x[0], by, op), op) : unknownNumber();
}
static uint64_t left(const Scalar &x, uint64_t by, Op) {
  return uint64_t(x.integer) << by;
}
static uint64_t rightSigned(const Scalar &x, uint64_t by, Op op) {
  return signedOf(x, op) >> by;
}
static uint64_t rightUnsigned(const Scalar &x, uint64_t by, Op op) {
  return unsignedOf(x, op) >> by;
}

static Scalar absoluteInteger(In x, Op op) {
  return x[0].integer < 0 ? wrap(-uint64_t(x[0].integer), op) : x[0];
}

/// Below 1 for negative exponents, so 0 but for bases of 1 and -1; of 0 it has
/// no meaning.
static Scalar integerPower(In x, Op op) {
  int64_t base = signedOf(x[0], op), exponent = signedOf(x[1], op);
  if (base == 0 && exponent < 0)
    return unknownNumber();
  if (exponent < 0)
    return wrap(base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0, op);
  uint64_t result = 1, factor = base;
  for (; exponent != 0; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return wrap(result, op);
}

static Scalar countLeadingZeros(In x, Op op) {
  return wrap(countl_zero(unsignedOf(x[0], op)) - (64 - op.bits), op);
}
static Scalar countTrailingZeros(In x, Op op) {
  uint64_t number = unsignedOf(x[0], op);
  return wrap(number == 0 ? op.bits : countr_zero(number), op);
}
static Scalar countOnes(In x, Op op) {
  return wrap(popcount(unsignedOf(x[0], op)), op);
}

static Scalar truncateInteger(In x, Op op) { return wrap(x[0].integer, op); }
static Scalar extendSigned(In x, Op op) {
  return Scalar::ofInteger(signedOf(x[0], op));
}
static Scalar extendUnsigned(In x, Op op) {
  return Scalar::ofInteger(unsignedOf(x[0], op));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// May an error take a number past 0, where unsigned numbers jump?
static bool mayChangeSign(const Scalar &x) {
  return x.inherited > 0 && std::fabs(double(x.integer)) <= x.inherited;
}
static Scalar compare(In x, Op op) {
  auto predicate = arith::CmpIPredicate(op.code);
  // Sign extension keeps the order of unsigned numbers, too.
  Scalar result = Scalar::ofInteger(
      arith::applyCmpPredicate(predicate, APInt(64, signedOf(x[0], op), true),
                               APInt(64, signedOf(x[1], op), true)));
  double error = x[0].inherited + x[1].inherited;
  double distance = std::fabs(double(x[0].integer) - double(x[1].integer));
  bool isUnsigned = predicate >= arith::CmpIPredicate::ult;
  bool jumps = isUnsigned && (mayChangeSign(x[0]) || mayChangeSign(x[1]));
  result.inherited = error > 0 && (jumps || !(distance > error));
  return result;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayRef<ScalarOpEntry> getIntegerOps() {
  constexpr ErrorRule sum = ErrorRule::sum, anything = ErrorRule::anything;
  static const ScalarOpEntry table[] = {
      {"arith.addi", onBits<std::plus<>>, 0, sum},
      {"arith.subi", onBits<std::minus<>>, 0, sum},
      {"arith.muli", onBits<std::multiplies<>>, 0, anything},
      {"arith.divsi", divideSigned<quotient>, 0, anything},
      {"arith.ceildivsi", divideSigned<divideCeilSigned>, 0, anything},
      {"arith.floordivsi", divideSigned<divideFloorSigned>, 0, anything},
      {"arith.divui", divideUnsigned<quotientUnsigned>, 0, anything},
      {"arith.ceildivui", divideUnsigned<divideCeil<uint64_t, uint64_t>>, 0,
       anything},
      {"arith.remsi", divideSigned<remainder>, 0, anything},
      {"arith.remui", divideUnsigned<remainderUnsigned>, 0, anything},
      {"arith.andi", onBits<std::bit_and<>>, 0, anything},
      {"arith.ori", onBits<std::bit_or<>>, 0, anything},
      {"arith.xori", onBits<std::bit_xor<>>, 0, anything},
      {"arith.shli", shiftBits<left>, 0, anything},
      {"arith.shrsi", shiftBits<rightSigned>, 0, anything},
      {"arith.shrui", shiftBits<rightUnsigned>, 0, anything},
      {"arith.minsi", choose<signedOf, std::less_equal<>>, 0, sum},
      {"arith.maxsi", choose<signedOf, std::greater_equal<>>, 0, sum},
      {"arith.minui", choose<unsignedOf, std::less_equal<>>, 0, anything},
      {"arith.maxui", choose<unsignedOf, std::greater_equal<>>, 0, anything},
      {"arith.trunci", truncateInteger, 0, sum},
      {"arith.extsi", extendSigned, 0, sum},
      {"arith.extui", extendUnsigned, 0, anything},
      {"arith.index_cast", extendSigned, 0, sum},
      {"arith.index_castui", extendUnsigned, 0, anything},
      {"arith.cmpi", compare},
      {"math.absi", absoluteInteger, 0, sum},
      {"math.ipowi", integerPower, 0, anything},
      {"math.ctlz", countLeadingZeros, 0, anything},
      {"math.cttz", countTrailingZeros, 0, anything},
      {"math.ctpop", countOnes, 0, anything},
  };
  return table;
}

} // namespace mlir::tc::reference
