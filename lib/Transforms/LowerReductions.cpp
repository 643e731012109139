//===- LowerReductions.cpp - tc.reduce and tc.scan to nests ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: finds the level of each op and lowers inner ops before outer ones.
// What the blocks of a grid do becomes kernels in which the threads of a block
// do it, and is lowered with these.
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_LOWERREDUCTIONS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

namespace {
/// Who takes part in a reduction.
enum class Share { Grid, Block, Thread };

/// What stands round an op.
struct Surroundings {
  /// The tc.par that each iteration of is a block; null outside of all.
  ParOp grid;
  /// Is it run by one thread: in a tc.par inside of `grid`, or in a region of
  /// another reduction?
  bool inThread = false;

  explicit Surroundings(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      inThread |= isa<ReduceOp, ScanOp>(parent);
      if (auto par = dyn_cast<ParOp>(parent)) {
        inThread |= grid != nullptr;
        grid = par;
      }
    }
  }
};

struct Reduction {
  Operation *op;
  Share share;
};
} // namespace

static std::optional<Level> getLevel(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getLevel();
  return cast<ScanOp>(op).getLevel();
}

/// Who takes part in `op`. Reports a level that cannot be where it is.
static FailureOr<Share> findShare(Operation *op) {
  Surroundings around(op);
  bool inGrid = around.grid != nullptr;
  std::optional<Level> level = getLevel(op);
  if (!level)
    return around.inThread ? Share::Thread
           : inGrid        ? Share::Block
                           : Share::Grid;
  switch (*level) {
  case Level::Grid:
    if (inGrid || around.inThread)
      return op->emitOpError("expected level grid outside of any tc.par, "
                             "tc.reduce and tc.scan");
    return Share::Grid;
  case Level::Block:
    if (!inGrid || around.inThread)
      return op->emitOpError("expected level block in one tc.par, that of the "
                             "grid, and in no region of another reduction");
    return Share::Block;
  }
  llvm_unreachable("closed set");
}

/// Reports values that no buffer can hold.
static LogicalResult verifyValues(Operation *op, TypeRange types) {
  for (Type type : types)
    if (getBufferBytes(type) == 0)
      return op->emitOpError("expected integers, floats, complex numbers or "
                             "indices between threads, got ")
             << type;
  return success();
}

/// The reductions in `function`, inner ones first.
static FailureOr<SmallVector<Reduction>> collect(func::FuncOp function) {
  SmallVector<Reduction> found;
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (!isa<ReduceOp, ScanOp>(op))
      return WalkResult::advance();
    FailureOr<Share> share = findShare(op);
    if (failed(share))
      return failure();
    TypeRange types = isa<ReduceOp>(op)
                          ? cast<ReduceOp>(op).getInits().getTypes()
                          : cast<ScanOp>(op).getInits().getTypes();
    if (*share != Share::Thread && failed(verifyValues(op, types)))
      return failure();
    found.push_back({op, *share});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return found;
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

/// A loop over `fold` that carries the terms combined so far. `each` gets the
/// position and what is carried before and after it.
static SmallVector<Value>
buildLoop(Fold &fold, function_ref<void(Value, ValueRange, ValueRange)> each) {
  OpFoldResult zero = fold.builder.getIndexAttr(0), total = fold.count();
  auto loop = SeqOp::create(
      fold.builder, fold.loc, zero, total, {1}, fold.inits,
      [&](OpBuilder &, Location, ValueRange position, ValueRange carried) {
        SmallVector<Value> next =
            fold.combine(carried, fold.map(position.front()));
        each(position.front(), carried, next);
        return next;
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void mlir::tc::lowerToThread(RewriterBase &rewriter, ReduceOp op) {
  Fold fold(rewriter, op);
  SmallVector<Value> total =
      buildLoop(fold, [](Value, ValueRange, ValueRange) {});
  cloneRegion(rewriter, op.getFinish(), total);
  rewriter.eraseOp(op);
}

void mlir::tc::lowerToThread(RewriterBase &rewriter, ScanOp op) {
  Fold fold(rewriter, op);
  buildLoop(fold, [&](Value position, ValueRange before, ValueRange after) {
    SmallVector<Value> arguments = fold.indicesAt(position);
    llvm::append_range(arguments, op.getExclusive() ? before : after);
    cloneRegion(rewriter, op.getFinish(), arguments);
  });
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The iterations of the outermost tc.par are blocks, now that threads of a
/// block share one.
static void markGrid(Operation *op) {
  if (ParOp grid = Surroundings(op).grid; !grid.getLevel())
    grid.setLevel(Level::Grid);
}

template <typename FoldOp>
static void lower(RewriterBase &rewriter, FoldOp op, Share share,
                  MachineAttr machine) {
  rewriter.setInsertionPoint(op);
  switch (share) {
  case Share::Thread:
    return lowerToThread(rewriter, op);
  case Share::Block:
    markGrid(op);
    return lowerToBlock(rewriter, op);
  case Share::Grid:
    for (Operation *inner : lowerToGrid(rewriter, op, machine)) {
      rewriter.setInsertionPoint(inner);
      TypeSwitch<Operation *>(inner).Case<ReduceOp, ScanOp>(
          [&](auto fold) { lowerToBlock(rewriter, fold); });
    }
  }
}

namespace {
struct LowerReductionsPass
    : tc::impl::LowerReductionsBase<LowerReductionsPass> {
  using LowerReductionsBase::LowerReductionsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Reduction>> reductions = collect(getOperation());
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(reductions) || failed(machine))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Reduction reduction : *reductions)
      TypeSwitch<Operation *>(reduction.op)
          .Case<ReduceOp, ScanOp>(
              [&](auto op) { lower(rewriter, op, reduction.share, *machine); });
  }
};
} // namespace
