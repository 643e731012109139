//===- HostRows.cpp - Loops down the columns of arrays, by rows -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan, a sum or a recurrence of each column goes down the rows of an array.
// Memory delivers long rows best, so a step of the loop is run for all columns
// before the next; what the columns carry is in a buffer, which the first-level
// cache holds:
//
//   tc.par (j) { s = init; tc.seq (i) { s = f(s, A[i, j]) }; use(s) }
//
// becomes
//
//   tc.par (j) { S[j] = init }
//   tc.seq (i) { tc.par (j) { S[j] = f(S[j], A[i, j]) } }
//   tc.par (j) { use(S[j]) }
//
//===----------------------------------------------------------------------===//

#include "Host/HostBuilder.h"
#include "Host/HostNests.h"
#include "Loops/LoopNest.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tc;

/// The only loop of `nest` if it carries values that a buffer can hold over a
/// space that is the same for all iterations.
static SeqOp findLoop(ParOp nest) {
  SeqOp loop;
  for (Operation &op : nest.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0)
      continue;
    if (loop || !isa<SeqOp>(op))
      return {};
    loop = cast<SeqOp>(op);
  }
  if (!loop || loop.getNumResults() == 0 || nest.getRank() != 1 ||
      !llvm::all_of(loop.getResultTypes(), hasVectorsInMemory))
    return {};
  SpaceBounds bounds = loop.getBounds();
  for (ArrayRef<OpFoldResult> values :
       {ArrayRef(bounds.lower), ArrayRef(bounds.upper)})
    for (OpFoldResult value : values)
      if (auto dynamic = dyn_cast<Value>(value))
        if (nest.getRegion().isAncestor(dynamic.getParentRegion()))
          return {};
  return loop;
}

namespace {
/// The nests of one on their way. Ops of the body before and after the loop go
/// to the first and the last one; what several of them use is computed in each.
struct RowBuilder {
  HostBuilder &builder;
  ParOp nest;
  SeqOp loop;
  SmallVector<Value> carried = {}; ///< a buffer for each value

  bool canRepeat(Value value);
  bool isLegal();
  Value repeat(Value value, IRMapping &map);
  ParOp buildNest(function_ref<void(IRMapping &, Value)> body);
  SmallVector<Value> loadCarried(Value place);
  void storeCarried(ValueRange values, Value place);
  void buildStart();
  void buildSteps(const SpaceBounds &bounds, int64_t count);
  void buildAllSteps(int64_t count);
  void buildEnd();
};
} // namespace

/// Can `value` be had outside of where it is computed? The loop's results can.
bool RowBuilder::canRepeat(Value value) {
  Operation *op = value.getDefiningOp();
  if (op == loop || !nest.getRegion().isAncestor(value.getParentRegion()) ||
      value.getParentRegion() != &nest.getRegion() || !op)
    return true;
  return isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return canRepeat(v); });
}

/// Does what the loop and the ops after it use follow from indices alone?
bool RowBuilder::isLegal() {
  bool isLegal = true;
  auto check = [&](Operation *op) {
    for (Value operand : op->getOperands())
      isLegal &= canRepeat(operand);
  };
  loop.getRegion().walk(check);
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          Operation *def = operand.getDefiningOp();
          return def && def != loop && def->getBlock() == nest.getBody() &&
                 def->isBeforeInBlock(loop);
        }))
      check(op);
  }
  return isLegal;
}

/// `value` of the body of `nest` where `map` says what it is computed from.
Value RowBuilder::repeat(Value value, IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (map.contains(value) || !op || op->getBlock() != nest.getBody())
    return map.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    repeat(operand, map);
  builder.clone(*op, map);
  return map.lookup(value);
}

/// A nest over the columns; `body` gets where the values of one are.
ParOp RowBuilder::buildNest(function_ref<void(IRMapping &, Value)> body) {
  SpaceBounds bounds = nest.getBounds();
  return ParOp::create(
      builder, builder.getLoc(), bounds,
      [&](OpBuilder &inner, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        IRMapping map;
        map.map(nest.getIndices(), indices);
        body(map, builder.subtract(indices.front(),
                                   builder.get(bounds.lower.front())));
      });
}

SmallVector<Value> RowBuilder::loadCarried(Value place) {
  return llvm::map_to_vector(
      carried, [&](Value buffer) { return builder.load(buffer, place); });
}

void RowBuilder::storeCarried(ValueRange values, Value place) {
  for (auto [value, buffer] : llvm::zip_equal(values, carried))
    builder.store(value, buffer, place);
}

void RowBuilder::buildStart() {
  buildNest([&](IRMapping &map, Value place) {
    for (Operation &op : *nest.getBody()) {
      if (&op == loop)
        break;
      builder.clone(op, map);
    }
    storeCarried(llvm::map_to_vector(
                     loop.getInits(),
                     [&](Value init) { return map.lookupOrDefault(init); }),
                 place);
  });
}

/// The steps of the loop from `bounds` on, `count` of them at a time.
void RowBuilder::buildSteps(const SpaceBounds &bounds, int64_t count) {
  Block &body = loop.getRegion().front();
  auto buildStep = [&](IRMapping map, ValueRange indices,
                       ValueRange values) -> SmallVector<Value> {
    map.map(loop.getIndices(), indices);
    map.map(body.getArguments().take_back(carried.size()), values);
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return map.lookupOrDefault(value); });
  };
  SeqOp::create(builder, loop.getLoc(), bounds, ValueRange(),
                [&](OpBuilder &inner, Location, ValueRange indices,
                    ValueRange) -> SmallVector<Value> {
                  OpBuilder::InsertionGuard guard(builder);
                  builder.restoreInsertionPoint(inner.saveInsertionPoint());
                  SmallVector<SmallVector<Value>> steps = {
                      llvm::to_vector(indices)};
                  OpFoldResult step = loop.getBounds().step.back();
                  while (int64_t(steps.size()) != count) {
                    steps.push_back(steps.back());
                    Value &last = steps.back().back();
                    last = builder.add(last, builder.get(step));
                  }
                  buildNest([&](IRMapping &map, Value place) {
                    loop.getRegion().walk([&](Operation *op) {
                      for (Value operand : op->getOperands())
                        repeat(operand, map);
                    });
                    SmallVector<Value> values = loadCarried(place);
                    for (ArrayRef<Value> step : steps)
                      values = buildStep(map, step, values);
                    storeCarried(values, place);
                  });
                  return {};
                });
}

/// All steps, `count` of them at a time as far as there are so many.
void RowBuilder::buildAllSteps(int64_t count) {
  SpaceBounds bounds = loop.getBounds();
  if (count == 1 || bounds.lower.size() != 1 ||
      !getConstantIntValue(bounds.step.front()))
    return buildSteps(bounds, 1);
  int64_t step = *getConstantIntValue(bounds.step.front());
  Value lower = builder.get(bounds.lower.front()),
        upper = builder.get(bounds.upper.front());
  Value extent = builder.createOrFold<arith::MaxSIOp>(
      builder.subtract(upper, lower), builder.constant(0));
  Value groups = builder.divide(extent, count * step);
  OpFoldResult middle = getAsOpFoldResult(
      builder.add(lower, builder.multiply(groups, count * step)));
  SpaceBounds whole = bounds, rest = bounds;
  whole.upper.front() = rest.lower.front() = middle;
  whole.step.front() = builder.getIndexAttr(count * step);
  buildSteps(whole, count);
  if (!isEqualConstantIntOrValue(middle, bounds.upper.front()))
    buildSteps(rest, 1);
}

void RowBuilder::buildEnd() {
  if (loop->getNextNode()->hasTrait<OpTrait::IsTerminator>())
    return;
  buildNest([&](IRMapping &map, Value place) {
    map.map(loop.getResults(), loadCarried(place));
    for (Operation *op = loop->getNextNode();
         !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      for (Value operand : op->getOperands())
        repeat(operand, map);
      builder.clone(*op, map);
    }
  });
}

bool mlir::tc::runByRows(RewriterBase &rewriter, ParOp nest, int64_t columns,
                         int64_t rows) {
  OpBuilder::InsertionGuard guard(rewriter);
  ParOp trial = cloneWithLoops(rewriter, nest);
  rewriter.setInsertionPoint(nest);
  HostBuilder builder(nest.getLoc(), rewriter);
  RowBuilder made{builder, trial, findLoop(trial)};
  if (!made.loop || !made.isLegal()) {
    rewriter.eraseOp(trial);
    return false;
  }
  for (Type type : made.loop.getResultTypes())
    made.carried.push_back(builder.reserve(columns, type));
  made.buildStart();
  made.buildAllSteps(rows);
  made.buildEnd();
  rewriter.eraseOp(trial);
  rewriter.eraseOp(nest);
  return true;
}
