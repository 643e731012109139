//===- HostTables.cpp - Places of a CPU's elements ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostTables.h"

#include "Host/HostPanels.h"

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
                                 StrideTable all, HostScheduleAttr schedule)
    : builder(builder), op(op), table(std::move(all)) {
  for (Access &operand : table.columns())
    operand.base = buildElements(builder, table, operand);
  plan = readHostSchedule(builder, op, table, schedule);
  llvm::append_range(operands, table.columns());
}

Value HostContraction::getExtent(unsigned i) {
  return isPadded(i) ? builder.constant(plan.padded)
                     : builder.get(table.extentValues[i]);
}

Value HostContraction::count(ArrayRef<unsigned> iterators) {
  Value points = builder.constant(1);
  for (unsigned i : iterators)
    points = builder.multiply(points, getExtent(i));
  return points;
}

int64_t HostContraction::getRun(const Access &operand,
                                ArrayRef<unsigned> iterators) {
  if (!iterators.empty() && isPadded(iterators.back()))
    return operand.strides[iterators.back()] == 1 ? plan.lanes : 1;
  return tc::getRun(table, operand, iterators);
}

Value HostContraction::buildPaddingMask(Value column) {
  Value digit = builder.remainder(column, plan.padded);
  Value extent = builder.constant(table.extents[plan.columns.back()]);
  return createMask(builder, builder.subtract(extent, digit), /*start=*/0,
                    plan.lanes);
}

Value HostContraction::locate(const Access &operand,
                              ArrayRef<unsigned> iterators, Value index) {
  Value place = builder.constant(0);
  for (unsigned i : llvm::reverse(iterators)) {
    Value extent = getExtent(i);
    bool isOutermost = i == iterators.front();
    Value digit = isOutermost ? index : builder.remainder(index, extent);
    if (!isOutermost)
      index = builder.divide(index, extent);
    if (!operand.variesWith(i))
      continue;
    Value last = builder.subtract(builder.get(table.extentValues[i]),
                                  builder.constant(1));
    if (isPadded(i))
      digit = builder.smaller(digit, last);
    OpFoldResult step = operand.values[i];
    if (operand.isDownwards(i)) {
      digit = builder.subtract(last, digit);
      step = builder.getIndexAttr(-operand.strides[i]);
    }
    Value share = builder.multiply(digit, builder.get(step));
    place = builder.add(place, share);
  }
  return place;
}

int64_t HostContraction::getInnerStride(const Access &operand,
                                        ArrayRef<unsigned> iterators) {
  if (iterators.empty())
    return INT64_MAX;
  int64_t known = operand.strides[iterators.back()];
  return ShapedType::isDynamic(known) ? INT64_MAX : std::abs(known);
}

/// The stride along the innermost of `iterators`, if it is known to hold for
/// every `count` points from a multiple of that on.
static std::optional<int64_t> findSpacing(const HostContraction &code,
                                          const Access &operand,
                                          ArrayRef<unsigned> iterators,
                                          int64_t count) {
  if (iterators.empty() || code.isPadded(iterators.back()))
    return std::nullopt;
  unsigned last = iterators.back();
  int64_t stride = operand.strides[last], extent = code.table.extents[last];
  if (ShapedType::isDynamic(stride) || stride < 0 ||
      ShapedType::isDynamic(extent) || extent % count != 0)
    return std::nullopt;
  return stride;
}

Value HostContraction::buildTable(const Access &operand, const HostRange &range,
                                  Value memory, ValueRange prefix) {
  auto store = [&](Value place, Value entry) {
    SmallVector<Value> indices(prefix);
    indices.push_back(entry);
    builder.store(place, memory, indices);
  };
  std::optional<int64_t> entries = getConstantIntValue(range.entries);
  std::optional<int64_t> spacing =
      entries
          ? findSpacing(*this, operand, range.iterators, *entries * range.step)
          : std::nullopt;
  if (spacing) {
    Value first = locate(operand, range.iterators, range.start);
    builder.loop(range.entries, [&](Value entry) {
      store(builder.add(first, builder.multiply(entry, range.step * *spacing)),
            entry);
    });
    return builder.constant(*spacing == 1);
  }
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
  Value index = builder.add(range.start, ahead);
  Value place = locateAt(index);
  store(place, loop.getInductionVar());
  Value isBeyond =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, index, last);
  Value isNext = arith::OrIOp::create(
      builder, isBeyond, builder.isEqual(place, builder.add(first, ahead)));
  Value dense = arith::SelectOp::create(
      builder, isNext, loop.getRegionIterArgs().front(), builder.constant(0));
  scf::YieldOp::create(builder, dense);
  return loop.getResult(0);
}
