//===- HostTables.cpp - Places of a CPU's elements ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostTables.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tc;

/// The span of an operand from its lowest element on. Iterators that go
/// downwards are counted from their ends, so that all places are at least 0.
static HostOperand buildOperand(ImplicitLocOpBuilder &builder,
                                const Reach &reach,
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

HostPlaces::HostPlaces(ImplicitLocOpBuilder &builder, ContractOp op,
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

Value HostPlaces::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value HostPlaces::count(ArrayRef<unsigned> iterators) {
  Value points = constant(1);
  for (unsigned i : iterators)
    points = builder.createOrFold<arith::MulIOp>(
        points,
        getValueOrCreateConstantIndexOp(builder, builder.getLoc(), extents[i]));
  return points;
}

Value HostPlaces::locate(const HostOperand &operand,
                         ArrayRef<unsigned> iterators, Value index) {
  Location loc = builder.getLoc();
  Value place = constant(0);
  for (unsigned i : llvm::reverse(iterators)) {
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, extents[i]);
    bool isOutermost = i == iterators.front();
    Value digit = isOutermost
                      ? index
                      : builder.createOrFold<arith::RemUIOp>(index, extent);
    if (!isOutermost)
      index = builder.createOrFold<arith::DivUIOp>(index, extent);
    if (operand.known[i] == 0)
      continue;
    OpFoldResult stride = operand.strides[i];
    if (!ShapedType::isDynamic(operand.known[i]) && operand.known[i] < 0) {
      Value last = builder.createOrFold<arith::SubIOp>(extent, constant(1));
      digit = builder.createOrFold<arith::SubIOp>(last, digit);
      stride = builder.getIndexAttr(-operand.known[i]);
    }
    Value share = builder.createOrFold<arith::MulIOp>(
        digit, getValueOrCreateConstantIndexOp(builder, loc, stride));
    place = builder.createOrFold<arith::AddIOp>(place, share);
  }
  return place;
}

Value mlir::tc::buildTable(ImplicitLocOpBuilder &builder, HostPlaces &places,
                           const HostOperand &operand, const HostRange &range,
                           Value table, ValueRange prefix) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value step = constant(range.step);
  Value last = builder.createOrFold<arith::SubIOp>(range.total, step);
  auto locate = [&](Value index) {
    return places.locate(operand, range.iterators,
                         arith::MinUIOp::create(builder, index, last));
  };
  Value first = locate(range.start);
  auto loop = scf::ForOp::create(builder, constant(0), range.entries,
                                 constant(1), constant(1));
  setScalar(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value ahead =
      builder.createOrFold<arith::MulIOp>(loop.getInductionVar(), step);
  Value place = locate(arith::AddIOp::create(builder, range.start, ahead));
  SmallVector<Value> indices(prefix);
  indices.push_back(loop.getInductionVar());
  memref::StoreOp::create(builder, place, table, indices);
  Value dense =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, place,
                            arith::AddIOp::create(builder, first, ahead));
  Value both = arith::SelectOp::create(
      builder, dense, loop.getRegionIterArgs().front(), constant(0));
  scf::YieldOp::create(builder, both);
  return loop.getResult(0);
}
