//===- TCToGPUPipeline.cpp - Steps whose copies run ahead -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tc.seq stages(n), with copy(s) the tc.stage ops of step s:
//
//   for s in 0..n-2: copy(s); commit
//   for s in 0..steps:
//     wait until at most n-2 groups are in flight; barrier
//     copy(s + n - 1); commit
//     compute(s)
//
// What cp.async cannot copy, as nothing on chips without it, is loaded before
// compute(s) and stored after it, so that there is no waiting for the loads.
//
// The barrier makes the copies of all threads visible, and keeps copies into
// the buffer of step s - 1 behind what was computed from it; so it is the only
// one of a step.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"
#include "TCToLoops/NestLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The ops before the first tc.par: they prepare a step.
static SmallVector<Operation *> getHead(SeqOp op) {
  SmallVector<Operation *> head;
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (isa<ParOp>(nested))
      break;
    head.push_back(&nested);
  }
  return head;
}

bool mlir::tc::isPipelined(SeqOp op) {
  bool hasStage = false;
  for (Operation *nested : getHead(op)) {
    if (auto stage = dyn_cast<StageOp>(nested)) {
      // Narrow numbers are copied with what lies between their rows, which
      // only works in one buffer.
      if (!areWords(stage))
        return false;
      hasStage = true;
    } else if (!isa<gpu::BarrierOp>(nested) && !isPure(nested)) {
      return false;
    }
  }
  SpaceBounds bounds = op.getBounds();
  bool hasWidths =
      llvm::any_of(llvm::zip_equal(bounds.step, bounds.width), [](auto dim) {
        auto [step, width] = dim;
        return !isEqualConstantIntOrValue(step, width) &&
               getConstantIntValue(width) != 1;
      });
  return hasStage && !hasWidths && int64_t(op.getStages()) > 1 &&
         op.getInits().empty();
}

namespace {
/// The run-time form of the index space of a tc.seq.
struct StepSpace {
  StepSpace(OpBuilder &builder, SeqOp op) : builder(builder), loc(op.getLoc()) {
    LoopSpace space = getLoopSpace(builder, op);
    lower = space.lower;
    upper = space.upper;
    for (unsigned d = 0, e = op.getRank(); d != e; ++d)
      step.push_back(space.isDense(d) ? constant(1)
                                      : getValueOrCreateConstantIndexOp(
                                            builder, loc, space.step[d]));
  }

  OpBuilder &builder;
  Location loc;
  SmallVector<Value> lower, upper, step;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }
  Value isBelow(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               a, b);
  }
  /// The number of steps.
  Value count() {
    Value total = constant(1);
    for (auto [low, high, by] : llvm::zip_equal(lower, upper, step)) {
      Value range = builder.createOrFold<arith::SubIOp>(loc, high, low);
      Value steps = builder.createOrFold<arith::CeilDivSIOp>(loc, range, by);
      steps = builder.createOrFold<arith::MaxSIOp>(loc, steps, constant(0));
      total = builder.createOrFold<arith::MulIOp>(loc, total, steps);
    }
    return total;
  }
  /// The step after `indices`, the last dimension fastest. There is no division
  /// in it.
  SmallVector<Value> next(ValueRange indices) {
    SmallVector<Value> result(indices);
    Value carries;
    for (size_t d = result.size(); d-- > 0;) {
      Value moved =
          builder.createOrFold<arith::AddIOp>(loc, result[d], step[d]);
      if (carries)
        moved = select(carries, moved, result[d]);
      if (d == 0) {
        result[d] = moved;
        break;
      }
      Value fits = isBelow(moved, upper[d]);
      result[d] = select(fits, moved, lower[d]);
      carries = builder.createOrFold<arith::XOrIOp>(
          loc, fits, arith::ConstantIntOp::create(builder, loc, 1, 1));
    }
    return result;
  }
  /// The buffer after `slot`, of `slots`.
  Value nextSlot(Value slot, int64_t slots) {
    if (slots == 2)
      return builder.createOrFold<arith::SubIOp>(loc, constant(1), slot);
    Value moved = builder.createOrFold<arith::AddIOp>(loc, slot, constant(1));
    return select(isBelow(moved, constant(slots)), moved, constant(0));
  }
};
} // namespace

namespace {
/// A tc.stage and the buffer it fills.
using StageBuffer = std::pair<StageOp, Value>;

/// A loop whose copies run ahead, while it is built.
struct Pipeline {
  KernelContext &kernel;
  SeqOp op;
  IRRewriter &builder = kernel.builder;
  Location loc = op.getLoc();
  SmallVector<Operation *> head = getHead(op);
  /// The buffers of each tc.stage, in the order of the head.
  SmallVector<Value> memories = {};
  /// What this thread has loaded and not stored.
  SmallVector<LoadedBlock> loaded = {};
  /// Are there groups of asynchronous copies?
  bool hasGroups = false;

  LogicalResult reserveBuffers();
  /// Lowers `ops`, a head, but for the copies of the stages that it returns,
  /// into the buffers numbered `slot`.
  FailureOr<SmallVector<StageBuffer>> lowerHead(ArrayRef<Operation *> ops,
                                                Value slot);
  /// Starts the copies of the step at `indices` where `isThere`. Those that are
  /// not asynchronous end in `loaded`.
  LogicalResult buildGroup(ValueRange indices, Value slot, Value isThere);
  void commitGroup();
  void waitForGroups(int64_t inFlight);
  void storeLoaded();
  LogicalResult run();
};
} // namespace

LogicalResult Pipeline::reserveBuffers() {
  for (Operation *nested : head)
    if (auto stage = dyn_cast<StageOp>(nested)) {
      FailureOr<Value> memory =
          reserve(kernel, stage, cast<MemRefType>(stage.getType()));
      if (failed(memory))
        return failure();
      memories.push_back(*memory);
    }
  return success();
}

FailureOr<SmallVector<StageBuffer>>
Pipeline::lowerHead(ArrayRef<Operation *> ops, Value slot) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<StageBuffer> stages;
  for (Operation *nested : ops) {
    builder.setInsertionPoint(nested);
    if (auto stage = dyn_cast<StageOp>(nested)) {
      Value buffer =
          viewBuffer(builder, stage, cast<MemRefType>(stage.getType()),
                     memories[stages.size()], slot);
      builder.replaceAllUsesWith(stage.getResult(), buffer);
      stages.emplace_back(stage, buffer);
    } else if (isa<gpu::BarrierOp>(nested)) {
      builder.eraseOp(nested);
    } else if (failed(lower(kernel, nested))) {
      return failure();
    }
  }
  return stages;
}

LogicalResult Pipeline::buildGroup(ValueRange indices, Value slot,
                                   Value isThere) {
  IRMapping mapping;
  mapping.map(op.getIndices(), indices);
  SmallVector<Operation *> copies = llvm::map_to_vector(
      head, [&](Operation *nested) { return builder.clone(*nested, mapping); });
  FailureOr<SmallVector<StageBuffer>> stages = lowerHead(copies, slot);
  if (failed(stages))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  Value always = matchPattern(isThere, m_One()) ? Value() : isThere;
  // What is loaded has to be carried past the computation by few values.
  auto isHeld = [&](const StageBuffer &stage) {
    return !isAsync(kernel, stage.first) && hasFewRounds(kernel, stage.first);
  };
  for (auto [stage, buffer] : llvm::make_filter_range(*stages, isHeld))
    llvm::append_range(loaded, startLoads(kernel, stage, buffer, always));
  if (!llvm::all_of(*stages, isHeld))
    enter(builder, always);
  for (auto [stage, buffer] : *stages) {
    if (isHeld({stage, buffer}))
      continue;
    hasGroups |= isAsync(kernel, stage);
    startCopies(kernel, stage, buffer);
  }
  for (auto [stage, buffer] : *stages)
    builder.eraseOp(stage);
  return success();
}

void Pipeline::commitGroup() {
  if (hasGroups)
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

void Pipeline::waitForGroups(int64_t inFlight) {
  if (hasGroups)
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, inFlight);
}

void Pipeline::storeLoaded() {
  mlir::tc::storeLoaded(builder, loaded);
  loaded.clear();
}

LogicalResult Pipeline::run() {
  int64_t slots = op.getStages();
  StepSpace space(builder, op);
  Value steps = space.count();
  if (failed(reserveBuffers()))
    return failure();
  // What came before in shared memory that others use too must have been read.
  if (llvm::any_of(head, [](Operation *nested) {
        auto stage = dyn_cast<StageOp>(nested);
        return stage && stage.getSlot();
      }))
    gpu::BarrierOp::create(builder, loc);
  SmallVector<Value> ahead = space.lower;
  for (int64_t slot = 0; slot + 1 < slots; ++slot) {
    Value isThere = space.isBelow(space.constant(slot), steps);
    if (failed(buildGroup(ahead, space.constant(slot), isThere)))
      return failure();
    commitGroup();
    storeLoaded();
    ahead = space.next(ahead);
  }

  size_t rank = space.lower.size();
  SmallVector<Value> inits = space.lower; // of the step computed, that copied,
  llvm::append_range(inits, ahead);       // and their buffers
  inits.append({space.constant(0), space.constant(slots - 1)});
  auto loop = scf::ForOp::create(builder, loc, space.constant(0), steps,
                                 space.constant(1), inits);
  Block *body = loop.getBody();
  builder.setInsertionPointToEnd(body);
  ValueRange carried = loop.getRegionIterArgs();
  ValueRange here = carried.take_front(rank);
  ValueRange there = carried.drop_front(rank).take_front(rank);
  Value slotHere = carried[2 * rank], slotThere = carried[2 * rank + 1];
  waitForGroups(slots - 2);
  gpu::BarrierOp::create(builder, loc);
  Value number = builder.createOrFold<arith::AddIOp>(
      loc, loop.getInductionVar(), space.constant(slots - 1));
  if (failed(buildGroup(there, slotThere, space.isBelow(number, steps))))
    return failure();
  commitGroup();
  // The step itself, whose copies have been made.
  builder.eraseOp(op.getBody()->getTerminator());
  SmallVector<Operation *> rest =
      llvm::map_to_vector(llvm::drop_begin(*op.getBody(), head.size()),
                          [](Operation &nested) { return &nested; });
  builder.inlineBlockBefore(op.getBody(), body, body->end(), here);
  FailureOr<SmallVector<StageBuffer>> stages = lowerHead(head, slotHere);
  if (failed(stages))
    return failure();
  for (auto [stage, buffer] : *stages)
    builder.eraseOp(stage);
  for (Operation *nested : rest)
    if (failed(lower(kernel, nested)))
      return failure();
  builder.setInsertionPointToEnd(body);
  storeLoaded();
  SmallVector<Value> next = space.next(here);
  llvm::append_range(next, space.next(there));
  // What has been read is the next to be copied into.
  next.append({space.nextSlot(slotHere, slots), slotHere});
  scf::YieldOp::create(builder, loc, next);
  builder.eraseOp(op);
  return success();
}

LogicalResult mlir::tc::lowerPipelined(KernelContext &kernel, SeqOp op) {
  return Pipeline{kernel, op}.run();
}
