//===- ExpandIndex.cpp - Affine expressions as unsigned arithmetic --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::tc;

/// Coordinates and extents are not negative, but a bound may be; and
/// `(bound + 8) ceildiv 8` has become `bound ceildiv 8 + 1`.
static Value expandSignedDivision(OpBuilder &builder, Location loc,
                                  AffineExprKind kind, Value lhs, Value rhs) {
  if (kind == AffineExprKind::CeilDiv)
    return builder.createOrFold<arith::CeilDivSIOp>(loc, lhs, rhs);
  Value quotient = builder.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  if (kind == AffineExprKind::FloorDiv)
    return quotient;
  Value whole = builder.createOrFold<arith::MulIOp>(loc, quotient, rhs);
  return builder.createOrFold<arith::SubIOp>(loc, lhs, whole);
}

Value mlir::tc::expandIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                            ValueRange dims, ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expandIndex(builder, loc, binary.getLHS(), dims, symbols);
  Value rhs = expandIndex(builder, loc, binary.getRHS(), dims, symbols);
  bool divides = expr.getKind() != AffineExprKind::Add &&
                 expr.getKind() != AffineExprKind::Mul;
  if (divides && expr.isSymbolicOrConstant())
    return expandSignedDivision(builder, loc, expr.getKind(), lhs, rhs);
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
                            ArrayRef<AffineExpr> guards, ValueRange dims,
                            ValueRange symbols) {
  Value all;
  for (AffineExpr guard : guards) {
    Value value = expandIndex(builder, loc, guard, dims, symbols);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        value, zero);
    all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult()
              : holds;
  }
  return all;
}

void mlir::tc::hoistSymbolic(OpBuilder &builder, Location loc,
                             MutableArrayRef<AffineExpr> exprs,
                             SmallVectorImpl<Value> &symbols) {
  llvm::DenseMap<AffineExpr, AffineExpr> known;
  auto hoist = [&](auto &self, AffineExpr expr) -> AffineExpr {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return expr;
    if (AffineExpr symbol = known.lookup(expr))
      return symbol;
    // Parts first: they are shared.
    AffineExpr parts =
        getAffineBinaryOpExpr(expr.getKind(), self(self, binary.getLHS()),
                              self(self, binary.getRHS()));
    if (!expr.isSymbolicOrConstant())
      return parts;
    AffineExpr symbol = builder.getAffineSymbolExpr(symbols.size());
    symbols.push_back(expandIndex(builder, loc, parts, /*dims=*/{}, symbols));
    return known[expr] = symbol;
  };
  for (AffineExpr &expr : exprs)
    expr = hoist(hoist, expr);
}
