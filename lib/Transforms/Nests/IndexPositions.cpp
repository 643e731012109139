//===- IndexPositions.cpp - An index space as a range of numbers ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/IndexPositions.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::tc;

OpFoldResult mlir::tc::multiplyCounts(IndexBuilder &math, OpFoldResult a,
                                      OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  int64_t product = 0;
  if (x && y && llvm::MulOverflow(*x, *y, product))
    product = std::numeric_limits<int64_t>::max();
  if (x && y)
    return math.getIndexAttr(product);
  if (x == 1 || y == 1)
    return x ? b : a;
  return math.multiply(math.get(a), math.get(b));
}

OpFoldResult IndexPositions::countAlong(IndexBuilder &math, unsigned d) const {
  AffineExpr upper = math.getAffineDimExpr(0), lower = math.getAffineDimExpr(1);
  OpFoldResult range = affine::makeComposedFoldedAffineApply(
      math, math.getLoc(), AffineMap::get(2, 0, upper - lower),
      {bounds.upper[d], bounds.lower[d]});
  // A range that is empty may end before it begins.
  if (std::optional<int64_t> known = getConstantIntValue(range))
    range = math.getIndexAttr(std::max<int64_t>(*known, 0));
  else
    range = arith::MaxSIOp::create(math, math.get(range), math.constant(0))
                .getResult();
  OpFoldResult step = bounds.step[d], width = bounds.width[d];
  if (isEqualConstantIntOrValue(step, width))
    return range;
  // Neither the extent nor a step is negative. A step of 0 has no meaning, but
  // the host must not trap.
  Value extent = math.get(range);
  Value by =
      math.createOrFold<arith::MaxSIOp>(math.get(step), math.constant(1));
  if (getConstantIntValue(width) == 1)
    return getAsOpFoldResult(math.createOrFold<arith::CeilDivUIOp>(extent, by));
  Value rest = math.createOrFold<arith::RemUIOp>(extent, by);
  rest = math.createOrFold<arith::MinUIOp>(rest, math.get(width));
  Value whole = math.createOrFold<arith::DivUIOp>(extent, by);
  return getAsOpFoldResult(
      math.add(math.multiply(whole, math.get(width)), rest));
}

Value IndexPositions::distanceOf(IndexBuilder &math, unsigned d,
                                 Value number) const {
  OpFoldResult step = bounds.step[d], width = bounds.width[d];
  if (isEqualConstantIntOrValue(step, width))
    return number;
  if (getConstantIntValue(width) == 1)
    return math.multiply(number, math.get(step));
  Value each = math.get(width);
  Value whole = math.createOrFold<arith::DivUIOp>(number, each);
  Value rest = math.createOrFold<arith::RemUIOp>(number, each);
  return math.add(math.multiply(whole, math.get(step)), rest);
}

OpFoldResult IndexPositions::count(IndexBuilder &math) {
  OpFoldResult total = math.getIndexAttr(1);
  for (unsigned d = 0, e = bounds.lower.size(); d < e; ++d) {
    extents.push_back(countAlong(math, d));
    total = multiplyCounts(math, total, extents[d]);
  }
  return total;
}

SmallVector<Value> IndexPositions::indicesAt(IndexBuilder &math,
                                             Value position) const {
  SmallVector<Value> indices(bounds.lower.size());
  for (unsigned d = bounds.lower.size(); d-- > 0;) {
    // Positions are never negative, so that unsigned division will do.
    Value number = position;
    if (d > 0) {
      Value extent = math.get(extents[d]);
      number = math.createOrFold<arith::RemUIOp>(position, extent);
      position = math.createOrFold<arith::DivUIOp>(position, extent);
    }
    indices[d] =
        math.add(math.get(bounds.lower[d]), distanceOf(math, d, number));
  }
  return indices;
}
