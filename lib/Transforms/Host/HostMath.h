//===- HostMath.h - Arithmetic of the host, folded --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decides between kernels is computed by the host. A condition is a value
// of type i1 that folding may have made constant.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTMATH_H
#define TC_LIB_TRANSFORMS_HOST_HOSTMATH_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace mlir::tc {

/// Emits arithmetic of the host, folded where it is constant.
struct HostMath {
  OpBuilder &builder;
  Location loc;

  Value get(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  Value constant(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  Value both(Value a, Value b) {
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value magnitude(Value a) {
    Value minus = builder.createOrFold<arith::SubIOp>(
        loc, get(builder.getIndexAttr(0)), a);
    return builder.createOrFold<arith::MaxSIOp>(loc, a, minus);
  }
  Value isEqual(OpFoldResult a, OpFoldResult b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               get(a), get(b));
  }
  Value isBelow(Value a, int64_t limit) {
    return builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, a, get(builder.getIndexAttr(limit)));
  }
  Value isAtLeast(Value a, int64_t limit) {
    return builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, a, get(builder.getIndexAttr(limit)));
  }
  Value isMultiple(OpFoldResult value, int64_t factor) {
    return isEqual(apply(d0() % factor, value), builder.getIndexAttr(0));
  }
  /// f(value), for a map of one dimension.
  OpFoldResult apply(AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, expr), {value});
  }
  /// `value`, which is a multiple of `factor`, written so that it shows.
  OpFoldResult asMultiple(OpFoldResult value, int64_t factor) {
    return apply(d0().floorDiv(factor) * factor, value);
  }
  AffineExpr d0() { return builder.getAffineDimExpr(0); }
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTMATH_H
