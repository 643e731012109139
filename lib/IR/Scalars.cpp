//===- Scalars.cpp - Arithmetic on elements of any type -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/Scalars.h"

#include "tc/IR/Neutral.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isF8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool mlir::tc::isNumber(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isa<FloatType>(complex.getElementType());
  return isa<FloatType>(type) || type.isSignlessInteger();
}

int64_t mlir::tc::getBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getBytes(complex.getElementType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

bool mlir::tc::canConvert(Type from, Type to) {
  if (!isNumber(from) || !isNumber(to))
    return from == to;
  if (isa<ComplexType>(to))
    return true;
  return isa<FloatType>(to) ? !isa<ComplexType>(from) : isa<IntegerType>(from);
}

static Value convertFloat(OpBuilder &builder, Location loc, Value value,
                          FloatType type) {
  auto from = cast<FloatType>(value.getType());
  if (from.getWidth() < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from.getWidth() > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, value);
  // Two of one width meet in a type that holds both.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

static Value convertInteger(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  bool isBool = value.getType().isInteger(1);
  if (isa<FloatType>(type))
    return isBool
               ? arith::UIToFPOp::create(builder, loc, type, value).getResult()
               : arith::SIToFPOp::create(builder, loc, type, value).getResult();
  if (type.isInteger(1)) { // a truth value: is it other than 0?
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (value.getType().getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, value);
  if (isBool)
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value mlir::tc::convertNumber(OpBuilder &builder, Location loc, Value value,
                              Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type part = complex.getElementType();
    Value re = value, im;
    if (isa<ComplexType>(from)) {
      re = complex::ReOp::create(builder, loc, value);
      im = complex::ImOp::create(builder, loc, value);
      im = convertNumber(builder, loc, im, part);
    } else {
      im = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(part));
    }
    re = convertNumber(builder, loc, re, part);
    return complex::CreateOp::create(builder, loc, type, re, im);
  }
  if (isa<FloatType>(from))
    return convertFloat(builder, loc, value, cast<FloatType>(type));
  return convertInteger(builder, loc, value, type);
}

/// The op of the type of `a` and `b` that is one of these.
template <typename OnComplex, typename OnFloat, typename OnBool, typename OnInt>
static Value buildOnNumbers(OpBuilder &builder, Location loc, Value a,
                            Value b) {
  Type type = a.getType();
  if (isa<ComplexType>(type))
    return OnComplex::create(builder, loc, a, b);
  if (isa<FloatType>(type))
    return OnFloat::create(builder, loc, a, b);
  if (type.isInteger(1))
    return OnBool::create(builder, loc, a, b);
  return OnInt::create(builder, loc, a, b);
}

Value mlir::tc::multiplyNumbers(OpBuilder &builder, Location loc, Value a,
                                Value b) {
  return buildOnNumbers<complex::MulOp, arith::MulFOp, arith::AndIOp,
                        arith::MulIOp>(builder, loc, a, b);
}

Value mlir::tc::addNumbers(OpBuilder &builder, Location loc, Value a, Value b) {
  return buildOnNumbers<complex::AddOp, arith::AddFOp, arith::OrIOp,
                        arith::AddIOp>(builder, loc, a, b);
}

Value mlir::tc::multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                            Value c) {
  auto fma = [&](Value x, Value y, Value z) -> Value {
    return math::FmaOp::create(builder, loc, x, y, z);
  };
  if (isa<FloatType>(a.getType()))
    return fma(a, b, c);
  if (!isa<ComplexType>(a.getType()))
    return addNumbers(builder, loc, multiplyNumbers(builder, loc, a, b), c);
  auto re = [&](Value z) -> Value {
    return complex::ReOp::create(builder, loc, z);
  };
  auto im = [&](Value z) -> Value {
    return complex::ImOp::create(builder, loc, z);
  };
  Value minus = arith::NegFOp::create(builder, loc, im(a));
  Value real = fma(minus, im(b), fma(re(a), re(b), re(c)));
  Value imaginary = fma(im(a), re(b), fma(re(a), im(b), im(c)));
  return complex::CreateOp::create(builder, loc, a.getType(), real, imaginary);
}

TypedAttr mlir::tc::getZero(Type type) {
  if (!isNumber(type))
    return {};
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex::NumberAttr::get(complex, 0.0, 0.0);
  return Builder(type.getContext()).getZeroAttr(type);
}

bool mlir::tc::isZero(Attribute value) {
  if (auto number = dyn_cast_or_null<complex::NumberAttr>(value))
    return number.getReal().isZero() && number.getImag().isZero();
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return real.getValue().isZero();
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  return integer && integer.getValue().isZero();
}

Value mlir::tc::buildNumber(OpBuilder &builder, Location loc, TypedAttr value) {
  auto number = dyn_cast<complex::NumberAttr>(value);
  if (!number)
    return arith::ConstantOp::create(builder, loc, value);
  auto type =
      cast<FloatType>(cast<ComplexType>(number.getType()).getElementType());
  auto part = [&](const APFloat &part) -> Attribute {
    return FloatAttr::get(type, part);
  };
  return complex::ConstantOp::create(
      builder, loc, number.getType(),
      builder.getArrayAttr({part(number.getReal()), part(number.getImag())}));
}

Type mlir::tc::getDefaultAccumulator(Type result) {
  Builder builder(result.getContext());
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    return builder.getF32Type();
  if (result.isInteger(8) || result.isInteger(16))
    return builder.getI32Type();
  return result;
}

/// Has `type` infinities, if it is a float?
static bool hasInfinities(Type type) {
  auto real = dyn_cast<FloatType>(type);
  return !real || APFloat::semanticsHasInf(real.getFloatSemantics());
}

TypedAttr mlir::tc::getNeutralElement(Operation *op) {
  // Upstream takes the type of any result for that of a number.
  if (op->getNumResults() == 0 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return {};
  TypedAttr neutral = arith::getNeutralElement(op).value_or(TypedAttr());
  if (!neutral || !isa<arith::MinimumFOp, arith::MaximumFOp>(op) ||
      hasInfinities(neutral.getType()))
    return neutral;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(neutral.getType()).getFloatSemantics();
  return FloatAttr::get(
      neutral.getType(),
      APFloat::getLargest(semantics, /*Negative=*/isa<arith::MaximumFOp>(op)));
}

TypedAttr mlir::tc::getIdentityOf(arith::AtomicRMWKind kind, Type type,
                                  OpBuilder &builder, Location loc) {
  return arith::getIdentityValueAttr(
      kind, type, builder, loc, /*useOnlyFiniteValue=*/!hasInfinities(type));
}
