//===- Indexing.cpp - Index arithmetic of nests ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tc;

OpFoldResult mlir::tc::buildSum(OpBuilder &builder, Location loc,
                                ArrayRef<Term> terms, int64_t constant) {
  AffineExpr sum = builder.getAffineConstantExpr(constant);
  SmallVector<OpFoldResult> values;
  for (const Term &term : terms) {
    sum = sum + builder.getAffineDimExpr(values.size()) * term.factor;
    values.push_back(term.value);
  }
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(values.size(), 0, sum), values);
}

OpFoldResult mlir::tc::buildTileSize(OpBuilder &builder, Location loc,
                                     int64_t extent, int64_t tile,
                                     OpFoldResult index) {
  if (extent % tile == 0)
    return builder.getIndexAttr(tile);
  AffineExpr left = extent - builder.getAffineDimExpr(0);
  auto map = AffineMap::get(1, 0, {builder.getAffineConstantExpr(tile), left},
                            builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map, index);
}

OpFoldResult mlir::tc::buildStrideCount(OpBuilder &builder, Location loc,
                                        OpFoldResult size, OpFoldResult first,
                                        int64_t step) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    if (*constant % step == 0)
      return builder.getIndexAttr(*constant / step);
  AffineExpr count =
      (builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1)).ceilDiv(step);
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(2, 0, count), {size, first});
}
