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

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Rows of numbers narrower than a register are copied with what lies between
/// them, which only works in one buffer.
static bool canRunAhead(StageOp op) {
  Type element = cast<MemRefType>(op.getType()).getElementType();
  return !element.isIntOrFloat() || element.getIntOrFloatBitWidth() >= 32;
}

bool KernelBuilder::isPipelined(SeqOp op) {
  bool hasStage = false;
  for (Operation *nested : getHead(op)) {
    if (auto stage = dyn_cast<StageOp>(nested)) {
      if (!canRunAhead(stage))
        return false;
      hasStage = true;
    } else if (!isa<gpu::BarrierOp>(nested) && !isPure(nested)) {
      return false;
    }
  }
  return hasStage && int64_t(op.getStages()) > 1 && op.getInits().empty();
}

namespace {
/// The run-time form of the index space of a tc.seq.
struct StepSpace {
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
    Value moved = builder.createOrFold<arith::AddIOp>(loc, slot, constant(1));
    return select(isBelow(moved, constant(slots)), moved, constant(0));
  }
};
} // namespace

LogicalResult KernelBuilder::emitHead(SeqOp op, ValueRange indices, Value slot,
                                      SmallVectorImpl<StageBuffer> &stages) {
  mapping.map(op.getIndices(), indices);
  for (Operation *nested : getHead(op)) {
    if (isa<gpu::BarrierOp>(nested))
      continue;
    auto stage = dyn_cast<StageOp>(nested);
    if (!stage) {
      if (failed(emit(nested)))
        return failure();
      continue;
    }
    FailureOr<Value> buffer = buildStageBuffer(stage, slot);
    if (failed(buffer))
      return failure();
    stages.emplace_back(stage, *buffer);
  }
  return success();
}

LogicalResult KernelBuilder::emitGroup(SeqOp op, ValueRange indices, Value slot,
                                       Value isThere) {
  SmallVector<StageBuffer> stages;
  if (failed(emitHead(op, indices, slot, stages)))
    return failure();
  // What is loaded has to be carried past the computation by few values.
  auto isHeld = [&](const StageBuffer &stage) {
    return !isAsync(stage.first) && hasFewRounds(stage.first);
  };
  Value always = matchPattern(isThere, m_One()) ? Value() : isThere;
  for (auto [stage, buffer] : llvm::make_filter_range(stages, isHeld))
    startLoads(stage, buffer, always);
  llvm::erase_if(stages, isHeld);
  if (stages.empty())
    return success();
  OpBuilder::InsertionGuard guard(builder);
  enter(always);
  for (auto [stage, buffer] : stages) {
    hasGroups |= isAsync(stage);
    startCopies(stage, buffer);
  }
  return success();
}

void KernelBuilder::commitGroup(Location loc) {
  if (hasGroups)
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

void KernelBuilder::waitForGroups(Location loc, int64_t inFlight) {
  if (hasGroups)
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, inFlight);
}

LogicalResult KernelBuilder::emitPipelined(SeqOp op) {
  Location loc = op.getLoc();
  int64_t slots = op.getStages();
  StepSpace space{builder, loc, {}, {}, {}};
  auto materialize = [&](OpFoldResult bound) {
    return mapping.lookupOrDefault(
        getValueOrCreateConstantIndexOp(builder, loc, bound));
  };
  for (auto [low, high, step] :
       llvm::zip_equal(op.getMixedLower(), op.getMixedUpper(), op.getStep())) {
    space.lower.push_back(materialize(low));
    space.upper.push_back(materialize(high));
    space.step.push_back(space.constant(step));
  }
  Value steps = space.count();
  hasGroups = false;
  // What came before in shared memory that others use too must have been read.
  if (llvm::any_of(getHead(op), [](Operation *nested) {
        auto stage = dyn_cast<StageOp>(nested);
        return stage && stage.getSlot();
      }))
    gpu::BarrierOp::create(builder, loc);
  SmallVector<Value> ahead = space.lower;
  for (int64_t slot = 0; slot + 1 < slots; ++slot) {
    Value isThere = space.isBelow(space.constant(slot), steps);
    if (failed(emitGroup(op, ahead, space.constant(slot), isThere)))
      return failure();
    commitGroup(loc);
    storeLoaded();
    ahead = space.next(ahead);
  }

  size_t rank = space.lower.size();
  SmallVector<Value> inits = space.lower; // of the step computed, that copied,
  llvm::append_range(inits, ahead);       // and their buffers
  inits.append({space.constant(0), space.constant(slots - 1)});
  auto loop = scf::ForOp::create(builder, loc, space.constant(0), steps,
                                 space.constant(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  ValueRange here = carried.take_front(rank);
  ValueRange there = carried.drop_front(rank).take_front(rank);
  Value slotHere = carried[2 * rank], slotThere = carried[2 * rank + 1];
  waitForGroups(loc, slots - 2);
  gpu::BarrierOp::create(builder, loc);
  Value number = builder.createOrFold<arith::AddIOp>(
      loc, loop.getInductionVar(), space.constant(slots - 1));
  if (failed(emitGroup(op, there, slotThere, space.isBelow(number, steps))))
    return failure();
  commitGroup(loc);
  SmallVector<StageBuffer> stages;
  if (failed(emitHead(op, here, slotHere, stages)))
    return failure();
  SmallVector<Operation *> head = getHead(op);
  for (Operation &nested : op.getBody()->without_terminator())
    if (!llvm::is_contained(head, &nested) && failed(emit(&nested)))
      return failure();
  storeLoaded();
  SmallVector<Value> next = space.next(here);
  llvm::append_range(next, space.next(there));
  next.append(
      {space.nextSlot(slotHere, slots), space.nextSlot(slotThere, slots)});
  scf::YieldOp::create(builder, loc, next);
  return success();
}
