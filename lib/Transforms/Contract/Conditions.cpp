//===- Conditions.cpp - What decides between kernels ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Conditions.h"

#include "Contract/Alignment.h"
#include "Contract/VectorVariants.h"

#include "tc/Analysis/Tiles.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

std::optional<bool> mlir::tc::getConstant(Value condition) {
  APInt value;
  if (matchPattern(condition, m_ConstantInt(&value)))
    return value.isOne();
  return std::nullopt;
}

/// The bound of |position| over `operand` from the base of its buffer, with
/// tiles that stick out: the magnitudes of all offsets, and of the strides over
/// extents rounded up to tiles.
static Value buildSpan(IndexBuilder &math, Value operand, AffineMap map,
                       ArrayRef<OpFoldResult> roundedUp) {
  Value span = math.constant(0);
  // A normal operand that is no view is a static buffer.
  for (auto [subscript, stride] :
       llvm::zip_equal(map.getResults(), getMixedStrides(operand))) {
    unsigned i = cast<AffineDimExpr>(subscript).getPosition();
    span = math.add(span, math.multiply(math.magnitude(math.get(stride)),
                                        math.get(roundedUp[i])));
  }
  while (auto view = operand.getDefiningOp<ViewOp>()) {
    span = math.add(span, math.magnitude(math.get(view.getMixedOffset())));
    operand = view.getSource();
  }
  int64_t offset =
      cast<MemRefType>(operand.getType()).getStridesAndOffset().second;
  if (!ShapedType::isDynamic(offset))
    span = math.add(span, offset);
  return span;
}

Conditions mlir::tc::buildConditions(OpBuilder &builder, ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  Conditions all;
  all.resultsDivide = all.contractedDivide = all.fits32 = math.always();
  all.blocks = all.terms = math.constant(1);
  SmallVector<OpFoldResult> roundedUp;
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents())) {
    int64_t tile = getTileFactor(op, op.getScheduleAttr(), i);
    roundedUp.push_back(math.apply(math.d0().ceilDiv(tile) * tile, extent));
    Value &divides =
        op.isContracted(i) ? all.contractedDivide : all.resultsDivide;
    divides = math.both(divides, math.isMultiple(extent, tile));
    all.fits32 = math.both(all.fits32,
                           math.isBelow(math.get(roundedUp.back()), kLimit32));
    if (op.isContracted(i)) {
      all.terms = math.multiply(all.terms, math.get(extent));
      continue;
    }
    all.blocks = math.multiply(
        all.blocks, math.get(math.apply(math.d0().ceilDiv(tile), extent)));
  }
  all.fits32 = math.both(all.fits32, math.isBelow(all.blocks, kLimit32));
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    all.spans.push_back(buildSpan(math, operand, map, roundedUp));
    all.fits32 =
        math.both(all.fits32, math.isBelow(all.spans.back(), kLimit32));
  }
  all.vectors = buildVectorCondition(builder, op);
  return all;
}

std::string mlir::tc::getVersionName(VersionAttr version) {
  if (version.getMost().empty())
    return "below" + std::to_string(version.getBelow());
  std::string name = "most";
  for (const Factor &most : version.getMost())
    name += "_" + most.iterator.str() + std::to_string(most.value);
  return name;
}

Value mlir::tc::buildIsBetter(IndexBuilder &math, ContractOp op,
                              VersionAttr version,
                              const Conditions &conditions) {
  Value results = math.constant(1), all = math.always();
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents()))
    if (auto dynamic = dyn_cast<Value>(extent);
        dynamic && !op.isContracted(i) && !version.isNarrow(op.getIterator(i)))
      results = math.multiply(results, dynamic);
  auto require = [&](Value condition) { all = math.both(all, condition); };
  if (version.getBelow() != std::numeric_limits<int64_t>::max())
    require(math.isBelow(results, version.getBelow()));
  if (version.getFrom() != 0)
    require(math.isAtLeast(results, version.getFrom()));
  if (version.getTerms() != 0)
    require(math.isAtLeast(conditions.terms, version.getTerms()));
  for (const Factor &most : version.getMost()) {
    unsigned i = *op.findIterator(most.iterator.getValue());
    require(math.isAtMost(math.get(op.getMixedExtents()[i]), most.value));
  }
  return all;
}
