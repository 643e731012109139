//===- HostTables.cpp - Places of a CPU's elements ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostTables.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tc;

/// The span of an operand from its lowest element on. Iterators that go
/// downwards are counted from their ends, so that all places are at least 0.
static HostOperand buildOperand(HostBuilder &builder, const Reach &reach,
                                ArrayRef<OpFoldResult> extents) {
  HostOperand operand;
  operand.strides = reach.strides;
  SmallVector<Product> low = {{reach.offset, builder.getIndexAttr(1)}},
                       span = {
                           {builder.getIndexAttr(1), builder.getIndexAttr(1)}};
  for (auto [stride, extent] : llvm::zip_equal(reach.strides, extents)) {
    std::optional<int64_t> known = getConstantIntValue(stride);
    operand.known.push_back(known.value_or(ShapedType::kDynamic));
    OpFoldResult steps = buildDifference(builder, builder.getLoc(), extent,
                                         builder.getIndexAttr(1));
    bool isDownwards = known && *known < 0;
    if (isDownwards)
      low.push_back({steps, stride});
    span.push_back(
        {steps, isDownwards ? builder.getIndexAttr(-*known) : stride});
  }
  Location loc = builder.getLoc();
  operand.elements = ViewOp::create(
      builder, reach.base, buildSum(builder, loc, low),
      buildSum(builder, loc, span), OpFoldResult(builder.getIndexAttr(1)));
  return operand;
}

HostPlaces::HostPlaces(HostBuilder &builder, ContractOp op,
                       const ContractAccess &access, ArrayRef<HostSplit> splits)
    : builder(builder), extents(op.getMixedExtents()) {
  for (const Reach &reach : buildReaches(builder, op, access))
    operands.push_back(buildOperand(builder, reach, extents));
  for (HostSplit one : splits)
    split(one);
}

void HostPlaces::split(HostSplit split) {
  extents.push_back(builder.getIndexAttr(split.size));
  OpFoldResult &whole = extents[split.iterator];
  whole = builder.getIndexAttr(*getConstantIntValue(whole) / split.size);
  for (HostOperand &operand : operands) {
    OpFoldResult stride = operand.strides[split.iterator];
    int64_t known = operand.known[split.iterator];
    operand.strides.push_back(stride);
    operand.known.push_back(known);
    operand.strides[split.iterator] =
        buildProduct(builder, builder.getLoc(), stride, split.size);
    if (!ShapedType::isDynamic(known))
      operand.known[split.iterator] = known * split.size;
  }
}

Value HostPlaces::count(ArrayRef<unsigned> iterators) {
  Value points = builder.constant(1);
  for (unsigned i : iterators)
    points = builder.multiply(points, builder.get(extents[i]));
  return points;
}

Value HostPlaces::locate(const HostOperand &operand,
                         ArrayRef<unsigned> iterators, Value index) {
  Value place = builder.constant(0);
  for (unsigned i : llvm::reverse(iterators)) {
    Value extent = builder.get(extents[i]);
    bool isOutermost = i == iterators.front();
    Value digit = isOutermost ? index : builder.remainder(index, extent);
    if (!isOutermost)
      index = builder.divide(index, extent);
    if (operand.known[i] == 0)
      continue;
    OpFoldResult stride = operand.strides[i];
    if (!ShapedType::isDynamic(operand.known[i]) && operand.known[i] < 0) {
      Value last = builder.subtract(extent, builder.constant(1));
      digit = builder.subtract(last, digit);
      stride = builder.getIndexAttr(-operand.known[i]);
    }
    Value share = builder.multiply(digit, builder.get(stride));
    place = builder.add(place, share);
  }
  return place;
}

Value mlir::tc::buildTable(HostBuilder &builder, HostPlaces &places,
                           const HostOperand &operand, const HostRange &range,
                           Value table, ValueRange prefix) {
  Value step = builder.constant(range.step);
  Value last = builder.subtract(range.total, step);
  auto locate = [&](Value index) {
    return places.locate(operand, range.iterators,
                         builder.smaller(index, last));
  };
  Value first = locate(range.start);
  auto loop = scf::ForOp::create(builder, builder.constant(0), range.entries,
                                 builder.constant(1), builder.constant(1));
  setScalar(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value ahead = builder.multiply(loop.getInductionVar(), step);
  Value place = locate(builder.add(range.start, ahead));
  SmallVector<Value> indices(prefix);
  indices.push_back(loop.getInductionVar());
  builder.store(place, table, indices);
  Value dense = builder.isEqual(place, builder.add(first, ahead));
  Value both = arith::SelectOp::create(
      builder, dense, loop.getRegionIterArgs().front(), builder.constant(0));
  scf::YieldOp::create(builder, both);
  return loop.getResult(0);
}
