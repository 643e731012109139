//===- BuildExpr.cpp - Expressions over values of nests -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/BuildExpr.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tc;

OpFoldResult mlir::tc::buildExpr(OpBuilder &builder, Location loc,
                                 AffineExpr expr, NestValues &values) {
  SmallVector<OpFoldResult> operands;
  DenseMap<AffineExpr, AffineExpr> replacement;
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim || replacement.contains(part))
      return;
    replacement[part] = builder.getAffineDimExpr(operands.size());
    Value value = values.getValue(dim.getPosition());
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         value);
    operands.push_back(value);
  });
  return affine::makeComposedFoldedAffineApply(
      builder, loc,
      AffineMap::get(operands.size(), 0, expr.replace(replacement)), operands);
}
