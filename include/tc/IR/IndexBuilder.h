//===- IndexBuilder.h - Arithmetic of indices, folded -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code outside of kernels computes with indices: what decides between kernels,
// and where the elements of a CPU's contraction lie. A condition is a value of
// type i1 that folding may have made constant.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_INDEXBUILDER_H
#define TC_IR_INDEXBUILDER_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tc {

/// What a signed word of 32 bits holds is below it.
inline constexpr int64_t kLimit32 = int64_t(1) << 31;

/// Erases what folding has left behind between `before`, null for the begin of
/// the block, and `after`.
inline void eraseDead(Operation *before, Operation *after) {
  for (Operation *op = after->getPrevNode(); op && op != before;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
    op = previous;
  }
}

/// Emits arithmetic of indices, folded where it is constant; upstream's
/// ArithBuilder does not fold.
struct IndexBuilder : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(*this, value);
  }
  Value get(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(*this, getLoc(), value);
  }
  Value add(Value a, Value b) { return createOrFold<arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value subtract(Value a, Value b) { return createOrFold<arith::SubIOp>(a, b); }
  Value multiply(Value a, Value b) { return createOrFold<arith::MulIOp>(a, b); }
  Value multiply(Value a, int64_t b) { return multiply(a, constant(b)); }
  Value magnitude(Value a) {
    return createOrFold<arith::MaxSIOp>(a, subtract(constant(0), a));
  }
  /// f(value), for a map of one dimension.
  OpFoldResult apply(AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(
        *this, getLoc(), AffineMap::get(1, 0, expr), {value});
  }
  /// `value`, which is a multiple of `factor`, written so that it shows.
  OpFoldResult asMultiple(OpFoldResult value, int64_t factor) {
    return apply(d0().floorDiv(factor) * factor, value);
  }
  AffineExpr d0() { return getAffineDimExpr(0); }

  // Conditions; what is below or at least something is signed.
  Value always() { return arith::ConstantOp::create(*this, getBoolAttr(true)); }
  Value both(Value a, Value b) { return createOrFold<arith::AndIOp>(a, b); }
  Value negate(Value a) { return createOrFold<arith::XOrIOp>(a, always()); }
  Value isEqual(Value a, Value b) {
    return compare(arith::CmpIPredicate::eq, a, b);
  }
  Value isEqual(Value a, int64_t b) { return isEqual(a, constant(b)); }
  Value isBelow(Value a, int64_t limit) {
    return compare(arith::CmpIPredicate::slt, a, constant(limit));
  }
  Value isAtMost(Value a, int64_t limit) {
    return compare(arith::CmpIPredicate::sle, a, constant(limit));
  }
  Value isAtLeast(Value a, int64_t limit) {
    return compare(arith::CmpIPredicate::sge, a, constant(limit));
  }
  Value isMultiple(OpFoldResult value, int64_t factor) {
    return isEqual(get(apply(d0() % factor, value)), 0);
  }

private:
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return createOrFold<arith::CmpIOp>(predicate, a, b);
  }
};

} // namespace mlir::tc

#endif // TC_IR_INDEXBUILDER_H
