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

/// The workgroup buffer that `value` is or views, if it is one.
static Value findWorkgroupBuffer(Value value) {
  auto type = value ? dyn_cast<MemRefType>(value.getType()) : MemRefType();
  if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return {};
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// What `op` itself touches, regions not counted.
static Touched getTouched(Operation *op) {
  Touched touched;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return touched;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value buffer = findWorkgroupBuffer(instance.getValue());
    if (!buffer)
      continue;
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

namespace {
struct SyncPass : tc::impl::SyncBase<SyncPass> {
  void runOnOperation() override {
    getOperation().walk([](ParOp op) {
      if (op.getLevel() != Level::Grid)
        return;
      Touched touched;
      syncBlock(*op.getBody(), touched, /*dry=*/false);
    });
  }
};
} // namespace
