//===- Scalars.h - Arithmetic on elements of any type -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a contraction without regions computes with: conversions, products and
// sums of floats, complex numbers and signless integers. Of i1 they are those
// of the boolean semiring, as in NumPy: a product is `and`, a sum is `or`.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_SCALARS_H
#define TC_IR_SCALARS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace mlir::tc {

/// A float of 8 bits that kernels have: f8E4M3FN or f8E5M2.
bool isF8(Type type);

/// A float, a complex number of floats, or a signless integer.
bool isNumber(Type type);

/// Can `from` be converted: within floats, within integers, from integers to
/// floats, and from either to complex numbers?
bool canConvert(Type from, Type to);

/// `value` as a `type`, which canConvert allows. Integers are signed, i1 is 0
/// or 1; narrower floats are rounded to nearest, those of 8 bits to nearest
/// finite ones, narrower integers wrap.
Value convertNumber(OpBuilder &builder, Location loc, Value value, Type type);

Value multiplyNumbers(OpBuilder &builder, Location loc, Value a, Value b);
Value addNumbers(OpBuilder &builder, Location loc, Value a, Value b);
/// a * b + c, fused for floats and complex numbers.
Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value c);

/// Bytes of a number in memory; 0 of what is none.
int64_t getBytes(Type type);

/// Zero of a number's type; nothing for other types.
TypedAttr getZero(Type type);
/// Is the constant a number that is zero, of either sign?
bool isZero(Attribute value);
/// The constant `value`, of a number's type.
Value buildNumber(OpBuilder &builder, Location loc, TypedAttr value);

/// The accumulator of sums that end in `result`, as the field has it: f32 for
/// narrower floats, i32 for i8 and i16, else the type itself.
Type getDefaultAccumulator(Type result);

} // namespace mlir::tc

#endif // TC_IR_SCALARS_H
