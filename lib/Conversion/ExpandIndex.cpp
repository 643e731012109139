//===- ExpandIndex.cpp - Affine expressions as unsigned arithmetic --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tc;

Value mlir::tc::expandIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                            ValueRange dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expandIndex(builder, loc, binary.getLHS(), dims);
  Value rhs = expandIndex(builder, loc, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  case AffineExprKind::Mul:
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  case AffineExprKind::Mod:
    return builder.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return builder.createOrFold<arith::DivUIOp>(loc, lhs, rhs);
  default:
    return builder.createOrFold<arith::CeilDivUIOp>(loc, lhs, rhs);
  }
}

Value mlir::tc::expandGuard(OpBuilder &builder, Location loc,
                            ArrayRef<AffineExpr> guards, ValueRange dims) {
  Value all;
  for (AffineExpr guard : guards) {
    Value value = expandIndex(builder, loc, guard, dims);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        value, zero);
    all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult()
              : holds;
  }
  return all;
}
