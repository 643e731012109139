//===- Sync.cpp - Barriers between the threads of a block -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SYNC
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// Workgroup buffers touched since the last barrier.
struct Touched {
  llvm::SmallDenseSet<Value> reads, writes;

  void add(const Touched &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
  }
  /// Must a barrier stand between what was touched and `next`?
  bool conflictsWith(const Touched &next) const {
    auto meets = [](const auto &a, const auto &b) {
      return llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return meets(writes, next.reads) || meets(writes, next.writes) ||
           meets(reads, next.writes);
  }
};
} // namespace

static bool isInWorkgroupMemory(Value value) {
  auto type = value ? dyn_cast<MemRefType>(value.getType()) : MemRefType();
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// The first buffer in the kernel that lies where `stage` does.
static Value findSlot(StageOp stage) {
  Value first;
  stage->getParentOfType<ParOp>().walk([&](StageOp other) {
    if (other.getSlot() != stage.getSlot())
      return WalkResult::advance();
    first = other;
    return WalkResult::interrupt();
  });
  return first;
}

/// The buffer that `value` is or views; of those in one slot, the first.
static Value findBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  auto stage = value.getDefiningOp<StageOp>();
  return stage && stage.getSlot() ? findSlot(stage) : value;
}

/// What `op` itself touches, regions not counted. An op that does not tell its
/// effects may read and write all that it is given.
static Touched getTouched(Operation *op) {
  Touched touched;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !op->hasTrait<OpTrait::IsTerminator>())
      for (Value operand :
           llvm::make_filter_range(op->getOperands(), isInWorkgroupMemory)) {
        touched.reads.insert(findBuffer(operand));
        touched.writes.insert(findBuffer(operand));
      }
    return touched;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (!isInWorkgroupMemory(instance.getValue()))
      continue;
    Value buffer = findBuffer(instance.getValue());
    if (isa<MemoryEffects::Read>(instance.getEffect()))
      touched.reads.insert(buffer);
    else if (isa<MemoryEffects::Write>(instance.getEffect()))
      touched.writes.insert(buffer);
  }
  return touched;
}

static Touched getTouchedInside(Operation *op) {
  Touched touched;
  op->walk([&](Operation *nested) { touched.add(getTouched(nested)); });
  return touched;
}

/// Walks `block`, which all threads run together, from the state `touched` and
/// leaves the state at its end. Places barriers unless `dry`.
static void syncBlock(Block &block, Touched &touched, bool dry) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<gpu::BarrierOp>(op)) {
      touched = {};
      continue;
    }
    if (auto seq = dyn_cast<SeqOp>(op)) {
      // What the last iteration leaves meets the first op of the next.
      Touched before = touched, carried = touched;
      syncBlock(*seq.getBody(), carried, /*dry=*/true);
      touched.add(carried);
      syncBlock(*seq.getBody(), touched, dry);
      touched.add(before);
      continue;
    }
    Touched next = getTouchedInside(&op);
    if (touched.conflictsWith(next)) {
      if (!dry) {
        OpBuilder builder(&op);
        gpu::BarrierOp::create(builder, op.getLoc());
      }
      touched = {};
    }
    touched.add(next);
  }
}

/// Reports what would hide a conflict from syncBlock: buffers of unknown
/// origin, and writes where not all threads of the block need to come by.
static LogicalResult verifyOp(Operation *op, ParOp grid) {
  if (isa<gpu::BarrierOp>(op) && op->getParentOfType<ParOp>() != grid)
    return op->emitOpError("expected no barrier between the independent "
                           "iterations of a tc.par block");
  Touched touched = getTouched(op);
  for (const auto &buffers : {touched.reads, touched.writes})
    for (Value buffer : buffers)
      if (!buffer.getDefiningOp<NewOp>() && !buffer.getDefiningOp<StageOp>())
        return op->emitOpError("expected workgroup memory to come from tc.new "
                               "or tc.stage, got ")
               << buffer.getType() << " from elsewhere";
  if (touched.writes.empty())
    return success();
  for (Operation *parent = op->getParentOp(); parent != grid;
       parent = parent->getParentOp()) {
    auto par = dyn_cast<ParOp>(parent);
    if (par && isa<NewOp, StageOp>(op))
      return op->emitOpError("expected workgroup memory to be filled by all "
                             "threads, outside of tc.par block");
    if (par)
      return success();
    if (!isa<SeqOp>(parent))
      return op->emitOpError("expected workgroup memory to be written in "
                             "tc.seq and tc.par block, got '")
             << parent->getName() << "' round it";
  }
  return success();
}

namespace {
struct SyncPass : tc::impl::SyncBase<SyncPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](ParOp grid) -> WalkResult {
      if (grid.getLevel() != Level::Grid)
        return WalkResult::advance();
      return grid.walk(
          [&](Operation *op) { return WalkResult(verifyOp(op, grid)); });
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](ParOp op) {
      if (op.getLevel() != Level::Grid)
        return;
      Touched touched;
      syncBlock(*op.getBody(), touched, /*dry=*/false);
    });
  }
};
} // namespace
