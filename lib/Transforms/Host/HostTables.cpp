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
static Value buildElements(HostBuilder &builder, const Reach &reach,
                           ArrayRef<IteratorRow> table, unsigned column) {
  Location loc = builder.getLoc();
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<Product> low = {{reach.offset, one}}, span = {{one, one}};
  for (const IteratorRow &row : table) {
    const RowStride &stride = row.strides[column];
    OpFoldResult steps = buildDifference(builder, loc, row.extent, one);
    if (stride.isDownwards())
      low.push_back({steps, stride.value});
    span.push_back({steps, stride.isDownwards()
                               ? builder.getIndexAttr(-stride.known)
                               : stride.value});
  }
  return ViewOp::create(builder, reach.base, buildSum(builder, loc, low),
                        buildSum(builder, loc, span), one);
}

HostPlaces::HostPlaces(HostBuilder &builder, const TableTerm &term,
                       ArrayRef<HostSplit> splits)
    : builder(builder), table(getIteratorTable(term)) {
  for (auto [column, reach] : llvm::enumerate(term.reaches))
    operands.push_back(
        {buildElements(builder, reach, table, column), unsigned(column)});
  for (HostSplit split : splits) {
    IteratorRow &whole = table[split.iterator];
    IteratorRow inner =
        splitOff(builder, builder.getLoc(), whole, split.size, whole.name);
    table.push_back(std::move(inner));
  }
}

Value HostPlaces::count(ArrayRef<unsigned> iterators) {
  Value points = builder.constant(1);
  for (unsigned i : iterators)
    points = builder.multiply(points, builder.get(table[i].extent));
  return points;
}

Value HostPlaces::locate(const HostOperand &operand,
                         ArrayRef<unsigned> iterators, Value index) {
  Value place = builder.constant(0);
  for (unsigned i : llvm::reverse(iterators)) {
    Value extent = builder.get(table[i].extent);
    bool isOutermost = i == iterators.front();
    Value digit = isOutermost ? index : builder.remainder(index, extent);
    if (!isOutermost)
      index = builder.divide(index, extent);
    const RowStride &stride = table[i].strides[operand.column];
    if (stride.known == 0)
      continue;
    OpFoldResult step = stride.value;
    if (stride.isDownwards()) {
      Value last = builder.subtract(extent, builder.constant(1));
      digit = builder.subtract(last, digit);
      step = builder.getIndexAttr(-stride.known);
    }
    Value share = builder.multiply(digit, builder.get(step));
    place = builder.add(place, share);
  }
  return place;
}

int64_t HostPlaces::getRun(const HostOperand &operand,
                           ArrayRef<unsigned> iterators) {
  int64_t run = 1;
  for (unsigned i : llvm::reverse(iterators)) {
    if (table[i].strides[operand.column].known != run ||
        ShapedType::isDynamic(table[i].staticExtent))
      break;
    run *= table[i].staticExtent;
  }
  return run;
}

int64_t HostPlaces::getInnerStride(const HostOperand &operand,
                                   ArrayRef<unsigned> iterators) {
  if (iterators.empty())
    return INT64_MAX;
  int64_t known = table[iterators.back()].strides[operand.column].known;
  return ShapedType::isDynamic(known) ? INT64_MAX : std::abs(known);
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
