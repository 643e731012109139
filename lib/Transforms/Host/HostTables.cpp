//===- HostTables.cpp - Places of a CPU's elements ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostTables.h"

#include "tc/IR/LoopHints.h"

using namespace mlir;
using namespace mlir::tc;

/// The span of an operand from its lowest element on. Iterators that go
/// downwards are counted from their ends, so that all places are at least 0.
static Value buildElements(HostBuilder &builder, const StrideTable &table,
                           const Access &operand) {
  Location loc = builder.getLoc();
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<Product> low = {{operand.start, one}}, span = {{one, one}};
  for (auto [i, extent] : llvm::enumerate(table.extentValues)) {
    OpFoldResult steps = buildDifference(builder, loc, extent, one);
    if (operand.isDownwards(i))
      low.push_back({steps, operand.values[i]});
    span.push_back({steps, operand.isDownwards(i)
                               ? builder.getIndexAttr(-operand.strides[i])
                               : operand.values[i]});
  }
  return ViewOp::create(builder, operand.base, buildSum(builder, loc, low),
                        buildSum(builder, loc, span), one);
}

HostContraction::HostContraction(HostBuilder &builder, ContractOp op,
                                 StrideTable all, HostPlan choice)
    : builder(builder), op(op), table(std::move(all)), plan(std::move(choice)) {
  for (Access &operand : table.columns())
    operand.base = buildElements(builder, table, operand);
  orderIterators(builder, table, plan);
  llvm::append_range(operands, table.columns());
}

Value HostContraction::count(ArrayRef<unsigned> iterators) {
  Value points = builder.constant(1);
  for (unsigned i : iterators)
    points = builder.multiply(points, builder.get(table.extentValues[i]));
  return points;
}

Value HostContraction::locate(const Access &operand,
                              ArrayRef<unsigned> iterators, Value index) {
  Value place = builder.constant(0);
  for (unsigned i : llvm::reverse(iterators)) {
    Value extent = builder.get(table.extentValues[i]);
    bool isOutermost = i == iterators.front();
    Value digit = isOutermost ? index : builder.remainder(index, extent);
    if (!isOutermost)
      index = builder.divide(index, extent);
    if (!operand.variesWith(i))
      continue;
    OpFoldResult step = operand.values[i];
    if (operand.isDownwards(i)) {
      Value last = builder.subtract(extent, builder.constant(1));
      digit = builder.subtract(last, digit);
      step = builder.getIndexAttr(-operand.strides[i]);
    }
    Value share = builder.multiply(digit, builder.get(step));
    place = builder.add(place, share);
  }
  return place;
}

int64_t HostContraction::getRun(const Access &operand,
                                ArrayRef<unsigned> iterators) {
  int64_t run = 1;
  for (unsigned i : llvm::reverse(iterators)) {
    if (operand.strides[i] != run || ShapedType::isDynamic(table.extents[i]))
      break;
    run *= table.extents[i];
  }
  return run;
}

int64_t HostContraction::getInnerStride(const Access &operand,
                                        ArrayRef<unsigned> iterators) {
  if (iterators.empty())
    return INT64_MAX;
  int64_t known = operand.strides[iterators.back()];
  return ShapedType::isDynamic(known) ? INT64_MAX : std::abs(known);
}

Value HostContraction::buildTable(const Access &operand, const HostRange &range,
                                  Value memory, ValueRange prefix) {
  Value step = builder.constant(range.step);
  Value last = builder.subtract(range.total, step);
  auto locateAt = [&](Value index) {
    return locate(operand, range.iterators, builder.smaller(index, last));
  };
  Value first = locateAt(range.start);
  auto loop = scf::ForOp::create(builder, builder.constant(0), range.entries,
                                 builder.constant(1), builder.constant(1));
  setScalar(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value ahead = builder.multiply(loop.getInductionVar(), step);
  Value place = locateAt(builder.add(range.start, ahead));
  SmallVector<Value> indices(prefix);
  indices.push_back(loop.getInductionVar());
  builder.store(place, memory, indices);
  Value dense = builder.isEqual(place, builder.add(first, ahead));
  Value both = arith::SelectOp::create(
      builder, dense, loop.getRegionIterArgs().front(), builder.constant(0));
  scf::YieldOp::create(builder, both);
  return loop.getResult(0);
}
