//===- ScalarOps.cpp - What scalar ops compute ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the operation of an op, and what its types say of it.
//
//===----------------------------------------------------------------------===//

#include "Values/ScalarOps.h"

#include "Values/Rounding.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

static Scalar copy(const Scalar *x, const ScalarOp &) { return x[0]; }

static Scalar select(const Scalar *x, const ScalarOp &op) {
  const Scalar &chosen = x[0].integer ? x[1] : x[2];
  const Scalar &other = x[0].integer ? x[2] : x[1];
  return x[0].inherited == 0 ? chosen : chooseUndecided(chosen, other, op);
}

static const StringMap<ScalarOpEntry> &getTable() {
  static const StringMap<ScalarOpEntry> table = [] {
    StringMap<ScalarOpEntry> all;
    for (ArrayRef<ScalarOpEntry> part :
         {getRealOps(), getComplexOps(), getIntegerOps()})
      for (const ScalarOpEntry &entry : part)
        all.insert({entry.name, entry});
    all.insert({"arith.select", {"arith.select", select}});
    return all;
  }();
  return table;
}

/// The part of a complex type; else the type.
static Type partOf(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

static const fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(partOf(type)).getFloatSemantics();
}

/// The unit roundoff of a float, or of the parts of a complex number.
static double roundoffOf(Type type) {
  auto real = dyn_cast<FloatType>(partOf(type));
  if (!real)
    return 0;
  return std::ldexp(
      1.0, -int(APFloat::semanticsPrecision(real.getFloatSemantics())));
}

static unsigned bitsOf(Type type) {
  return isa<IntegerType>(type) ? std::min(type.getIntOrFloatBitWidth(), 64u)
                                : 64;
}

static ScalarOp makeOp(const ScalarOpEntry &entry, Type result) {
  ScalarOp op;
  op.function = entry.function;
  op.rule = entry.rule;
  op.bits = bitsOf(result);
  if (auto real = dyn_cast<FloatType>(partOf(result))) {
    const fltSemantics &semantics = real.getFloatSemantics();
    op.roundoff = roundoffOf(real);
    op.digits = APFloat::semanticsPrecision(semantics);
    op.roundings = entry.roundings;
    op.smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
    op.largest = APFloat::getLargest(semantics).convertToDouble();
    op.saturates = isF8(real);
  }
  return op;
}

std::optional<ScalarOp> findScalarOp(StringRef name, Type type) {
  auto entry = getTable().find(name);
  if (entry == getTable().end())
    return std::nullopt;
  return makeOp(entry->second, type);
}

/// An operation that the table has.
static ScalarOp getOp(StringRef name, Type type) {
  return *findScalarOp(name, type);
}

static Type elementOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getElementType() : value.getType();
}

std::optional<ScalarOp> findElementOp(Operation *op) {
  if (op->getNumOperands() > 3 || op->getNumResults() != 1)
    return std::nullopt;
  Type type = elementOf(op->getResult(0));
  if (!type.isIntOrIndexOrFloat() && !isa<ComplexType>(type))
    return std::nullopt; // tensors
  std::optional<ScalarOp> result =
      findScalarOp(op->getName().getStringRef(), type);
  if (!result)
    return std::nullopt;
  if (!isa<arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    result->bits = bitsOf(elementOf(op->getOperand(0)));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    result->code = unsigned(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    result->code = unsigned(compare.getPredicate());
  return result;
}

std::optional<ScalarOp> findScalarOp(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>))
    return std::nullopt;
  return findElementOp(op);
}

//===----------------------------------------------------------------------===//
// Without regions
//===----------------------------------------------------------------------===//

ScalarOp getProduct(Type type) {
  if (isa<ComplexType>(type))
    return getOp("complex.mul", type);
  if (isa<FloatType>(type))
    return getOp("arith.mulf", type);
  return getOp(type.isInteger(1) ? "arith.andi" : "arith.muli", type);
}

ScalarOp getSum(Type type) {
  if (isa<ComplexType>(type))
    return getOp("complex.add", type);
  if (isa<FloatType>(type))
    return getOp("arith.addf", type);
  return getOp(type.isInteger(1) ? "arith.ori" : "arith.addi", type);
}

ScalarOp getRounding(Type type) { return getOp("arith.truncf", type); }

ScalarOp getCopy() {
  ScalarOp op;
  op.function = copy;
  return op;
}

static Scalar isOtherThanZero(const Scalar *x, const ScalarOp &) {
  Scalar result = Scalar::ofInteger(x[0].integer != 0);
  result.inherited = x[0].inherited;
  return result;
}

std::optional<ScalarOp> findConversion(Type from, Type to) {
  if (from == to)
    return std::nullopt;
  bool fromInteger = from.isIntOrIndex(), toInteger = to.isIntOrIndex();
  if (fromInteger && toInteger) {
    if (to.isInteger(1))
      return makeOp({"", isOtherThanZero}, to);
    if (bitsOf(to) < bitsOf(from))
      return getOp("arith.trunci", to);
    return std::nullopt; // a wider integer is kept alike, i1 is 0 or 1
  }
  if (fromInteger) {
    bool isTruth = from.isInteger(1);
    ScalarOp op = getOp(isTruth ? "arith.uitofp" : "arith.sitofp", to);
    op.bits = bitsOf(from);
    return op;
  }
  if (APFloat::isRepresentableBy(semanticsOf(from), semanticsOf(to)))
    return std::nullopt;
  return getRounding(to);
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
