//===- Indexing.cpp - Index arithmetic of nests ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Indexing.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

int64_t mlir::tc::getStatic(OpFoldResult value) {
  return getConstantIntValue(value).value_or(ShapedType::kDynamic);
}

OpFoldResult mlir::tc::buildSum(OpBuilder &builder, Location loc,
                                ArrayRef<Product> products) {
  AffineExpr sum = builder.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> values;
  for (const Product &product : products) {
    AffineExpr scaled = builder.getAffineDimExpr(values.size());
    OpFoldResult value = product.value, factor = product.factor;
    if (getConstantIntValue(value))
      std::swap(value, factor);
    if (std::optional<int64_t> constant = getConstantIntValue(factor)) {
      scaled = scaled * *constant;
    } else {
      // No affine expression: a product of two dynamic values.
      value = arith::MulIOp::create(builder, loc, cast<Value>(value),
                                    cast<Value>(factor))
                  .getResult();
    }
    sum = sum + scaled;
    values.push_back(value);
  }
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(values.size(), 0, sum), values);
}

OpFoldResult mlir::tc::buildProduct(OpBuilder &builder, Location loc,
                                    OpFoldResult value, int64_t factor) {
  return buildSum(builder, loc, Product{value, builder.getIndexAttr(factor)});
}

OpFoldResult mlir::tc::buildDigit(OpBuilder &builder, Location loc,
                                  OpFoldResult number, int64_t divisor,
                                  int64_t size) {
  AffineExpr digit = builder.getAffineDimExpr(0).floorDiv(divisor) % size;
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(1, 0, digit), {number});
}

OpFoldResult mlir::tc::buildDifference(OpBuilder &builder, Location loc,
                                       OpFoldResult a, OpFoldResult b) {
  return buildSum(
      builder, loc,
      {{a, builder.getIndexAttr(1)}, {b, builder.getIndexAttr(-1)}});
}

/// What the index of a nest is a multiple of: it starts at a lower bound and
/// goes in steps.
static int64_t getDivisorOfIndex(BlockArgument index) {
  if (!isa_and_present<ParOp, SeqOp>(index.getOwner()->getParentOp()))
    return 1;
  std::optional<NestRange> range = findRange(index);
  auto lower = range ? getConstantIntValue(range->lower) : std::nullopt;
  return lower && range->step && range->width == 1
             ? std::gcd(*lower, *range->step)
             : 1;
}

int64_t mlir::tc::getKnownDivisor(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  if (auto index = dyn_cast<BlockArgument>(cast<Value>(value)))
    return getDivisorOfIndex(index);
  if (auto product = cast<Value>(value).getDefiningOp<arith::MulIOp>())
    return getKnownDivisor(product.getLhs()) *
           getKnownDivisor(product.getRhs());
  auto apply = cast<Value>(value).getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return 1;
  AffineMap map = apply.getAffineMap();
  // Symbols are dimensions like any other here.
  AffineExpr expr = map.getResult(0).replaceSymbols(llvm::map_to_vector(
      llvm::seq(map.getNumDims(), map.getNumInputs()),
      [&](unsigned d) { return getAffineDimExpr(d, map.getContext()); }));
  std::optional<LinearForm> form = linearForm(expr, map.getNumInputs());
  std::optional<int64_t> constant;
  if (!form || !(constant = staticValue(form->constant)))
    return expr.getLargestKnownDivisor();
  int64_t divisor = std::abs(*constant);
  for (auto [operand, factor] :
       llvm::zip_equal(apply.getMapOperands(), form->factors))
    divisor =
        std::gcd(divisor, factor * getKnownDivisor(OpFoldResult(operand)));
  return divisor;
}

bool mlir::tc::isMultipleOf(OpFoldResult value, int64_t factor) {
  return getKnownDivisor(value) % factor == 0;
}

OpFoldResult mlir::tc::buildTileSize(OpBuilder &builder, Location loc,
                                     OpFoldResult extent, int64_t tile,
                                     OpFoldResult index) {
  if (isMultipleOf(extent, tile))
    return builder.getIndexAttr(tile);
  AffineExpr left = builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1);
  auto map = AffineMap::get(2, 0, {builder.getAffineConstantExpr(tile), left},
                            builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map,
                                             {extent, index});
}

OpFoldResult mlir::tc::buildNearest(OpBuilder &builder, Location loc,
                                    OpFoldResult index, OpFoldResult extent) {
  if (isZeroInteger(index))
    return index;
  AffineExpr last = builder.getAffineDimExpr(1) - 1;
  auto map = AffineMap::get(2, 0, {builder.getAffineDimExpr(0), last},
                            builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map,
                                             {index, extent});
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

bool mlir::tc::hasStaticLayout(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
}
