//===- LowerReductions.cpp - tc.reduce and tc.scan to nests ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: finds the level of each op and lowers inner ops before outer ones.
// What all blocks do becomes kernels in which the threads of a block do it, and
// is lowered with these.
//
//===----------------------------------------------------------------------===//

#include "Nests/Bands.h"
#include "Reductions/Fold.h"

#include "tc/Analysis/NestAccess.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

static std::optional<Level> getWrittenLevel(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getLevel();
  return cast<ScanOp>(op).getLevel();
}

/// ParOp::getMemberThreads, with reductions that are still to be lowered.
static int64_t countMemberThreads(ParOp par) {
  int64_t threads = par.getMemberThreads();
  par.walk([&](Operation *op) {
    if (isa<ReduceOp, ScanOp>(op))
      if (std::optional<Level> level = getWrittenLevel(op))
        threads = std::max(threads, getTeamThreads(*level));
  });
  return threads;
}

namespace {
/// What stands round an op.
struct Surroundings {
  /// The innermost and the outermost tc.par; null outside of all.
  ParOp inner, outer;
  /// Is the op in a region of another reduction, which one thread runs?
  bool inReduction = false;

  explicit Surroundings(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      inReduction |= isa<ReduceOp, ScanOp>(parent);
      if (auto par = dyn_cast<ParOp>(parent)) {
        outer = par;
        inner = inner ? inner : par;
      }
    }
  }

  /// May the iterations of the innermost tc.par be run by teams of that level?
  bool mayHold(Level team) {
    return !inReduction && inner && inner.getLevel() &&
           inner.getLevel() >= Level::Block && inner.getLevel() < team;
  }
  /// The level whose threads stand by where the op is. A tc.par without a level
  /// is taken as tc-bind would.
  Level getLevel() {
    if (inReduction)
      return Level::Thread;
    if (!inner)
      return Level::Device;
    bool isGrid = inner.getLevel() ? inner.isOfBlocks() : inner == outer;
    if (isGrid)
      return Level::Block;
    // What the warps of a block run, the lanes of each run together.
    for (Level team : {Level::Warpgroup, Level::Warp})
      if (mayHold(team) && countMemberThreads(inner) == getTeamThreads(team))
        return team;
    return Level::Thread;
  }
};

struct Reduction {
  Operation *op;
  Level level;
};
} // namespace

static OperandRange getInits(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getInits();
  return cast<ScanOp>(op).getInits();
}

/// Are the iterations of `par` nothing but reductions by `op`, all over as many
/// terms?
static bool isAllOf(ParOp par, Operation *op) {
  if (op->getParentOp() != par || par.getFull() || par.getMappingAttr() ||
      par.hasClusters())
    return false;
  // A barrier, which gives nothing, has no effects on memory.
  bool isAlone =
      llvm::all_of(par.getBody()->without_terminator(), [&](Operation &other) {
        return &other == op || (other.getNumRegions() == 0 && isPure(&other) &&
                                other.getNumResults() != 0);
      });
  return isAlone && hasFixedBounds(op, par);
}

/// Are they segments, which all blocks reduce? `par` is the outermost one.
static bool numbersSegments(ParOp par, Operation *op) {
  return isAllOf(par, op) && (!par.getLevel() || par.isOfBlocks());
}

/// Are they rows, each of a thread of the block?
static bool numbersRows(ParOp par, Operation *op) {
  auto isOutside = [&](Value value) {
    return !par.getRegion().isAncestor(value.getParentRegion());
  };
  return isAllOf(par, op) && par.getLevel() == Level::Block &&
         llvm::all_of(getInits(op), isOutside);
}

/// Who takes part in `op`. Reports a level that cannot be where it is.
static FailureOr<Level> findLevel(Operation *op) {
  Surroundings around(op);
  std::optional<Level> level = getWrittenLevel(op);
  if (!level)
    return around.getLevel();
  switch (*level) {
  case Level::Device:
    if (around.inReduction ||
        (around.inner &&
         (around.inner != around.outer || !numbersSegments(around.outer, op))))
      return op->emitOpError("expected level 'device' outside of any tc.par, "
                             "tc.reduce and tc.scan, or alone in an outermost "
                             "tc.par and over as many terms in each iteration");
    return *level;
  case Level::Block: {
    bool isOfRows =
        !around.inReduction && around.inner && numbersRows(around.inner, op);
    if (!isOfRows && around.getLevel() != Level::Block)
      return op->emitOpError("expected level 'block' in a tc.par grid or "
                             "cluster, and in no other tc.par, tc.reduce or "
                             "tc.scan but a tc.par block that it is alone in, "
                             "over as many terms in each iteration");
    return *level;
  }
  case Level::Thread:
    if (around.getLevel() == Level::Device)
      return op->emitOpError(
          "expected level 'thread' in a tc.par, tc.reduce or "
          "tc.scan");
    return *level;
  case Level::Warpgroup:
  case Level::Warp:
    if (!around.mayHold(*level))
      return op->emitOpError("expected level '")
             << stringifyLevel(*level)
             << "' in a tc.par block, whose iterations then are teams, and in "
                "no tc.reduce or tc.scan";
    return *level;
  case Level::Grid:
    return op->emitOpError("expected level 'device' where all blocks take "
                           "part, got 'grid'");
  case Level::Cluster:
    return op->emitOpError("expected level 'block' in a tc.par cluster, and "
                           "what the blocks found combined there, got "
                           "'cluster'");
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
    FailureOr<Level> level = findLevel(op);
    if (failed(level))
      return failure();
    if (*level != Level::Thread &&
        failed(verifyValues(op, getInits(op).getTypes())))
      return failure();
    found.push_back({op, *level});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return found;
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

/// A loop over the index space of `op` that carries the terms combined so far.
/// `each` gets the indices, and what is carried before and after them.
template <typename FoldOp>
static SmallVector<Value>
buildLoop(RewriterBase &rewriter, FoldOp op,
          function_ref<void(ValueRange, ValueRange, ValueRange)> each) {
  Fold fold(rewriter, op);
  auto loop = SeqOp::create(
      rewriter, op.getLoc(), op.getBounds(), op.getInits(),
      [&](OpBuilder &, Location, ValueRange indices, ValueRange carried) {
        SmallVector<Value> next =
            fold.combine(carried, copyRegion(rewriter, op.getMap(), indices));
        each(indices, carried, next);
        return next;
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void mlir::tc::lowerToThread(RewriterBase &rewriter, ReduceOp op) {
  SmallVector<Value> total =
      buildLoop(rewriter, op, [](ValueRange, ValueRange, ValueRange) {});
  copyRegion(rewriter, op.getFinish(), total);
  rewriter.eraseOp(op);
}

void mlir::tc::lowerToThread(RewriterBase &rewriter, ScanOp op) {
  buildLoop(rewriter, op,
            [&](ValueRange indices, ValueRange before, ValueRange after) {
              SmallVector<Value> arguments(indices);
              llvm::append_range(arguments, op.getExclusive() ? before : after);
              copyRegion(rewriter, op.getFinish(), arguments);
            });
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Terms for which one block will do: another launch would cost more.
static constexpr int64_t kTermsOfOneBlock = 4096;

template <typename FoldOp>
static void lower(RewriterBase &rewriter, FoldOp op, Level level,
                  MachineAttr machine) {
  ParOp segments = Surroundings(op).outer;
  rewriter.setInsertionPoint(segments && level == Level::Device
                                 ? segments.getOperation()
                                 : op.getOperation());
  std::optional<int64_t> terms = countIterations(op);
  bool isOfOneBlock = terms && *terms <= kTermsOfOneBlock;
  if (level == Level::Device && isOfOneBlock && segments)
    level = Level::Block;
  if (level == Level::Device && isOfOneBlock) {
    OpFoldResult zero = rewriter.getIndexAttr(0),
                 one = rewriter.getIndexAttr(1);
    auto kernel = ParOp::create(rewriter, op.getLoc(), Level::Grid, zero, one,
                                {1}, [](OpBuilder &, Location, ValueRange) {});
    rewriter.moveOpBefore(op, kernel.getBody()->getTerminator());
    rewriter.setInsertionPoint(op);
    level = Level::Block;
  }
  if (level == Level::Thread)
    return lowerToThread(rewriter, op);
  if (ParOp rows = Surroundings(op).inner;
      level == Level::Block && rows && rows.getLevel() == Level::Block) {
    rewriter.setInsertionPoint(rows);
    return lowerToRows(rewriter, op, rows);
  }
  if (level != Level::Device) {
    // Its iterations are blocks, now that the threads of one work together.
    if (ParOp grid = Surroundings(op).outer; !grid.getLevel())
      grid.setLevel(Level::Grid);
    rewriter.setInsertionPoint(op);
    return lowerToTeam(rewriter, op, level);
  }
  for (BlockFold inner : lowerToDevice(rewriter, op, segments, machine)) {
    rewriter.setInsertionPoint(inner.op);
    TypeSwitch<Operation *>(inner.op).Case<ReduceOp, ScanOp>([&](auto fold) {
      lowerToTeam(rewriter, fold, Level::Block, inner.most);
    });
  }
}

namespace {
struct LowerReductionsPass
    : tc::impl::LowerReductionsBase<LowerReductionsPass> {
  using LowerReductionsBase::LowerReductionsBase;

  void runOnOperation() override {
    // How many terms a segment or a row has is needed outside.
    SmallVector<ParOp> segmented;
    getOperation().walk([&](Operation *op) {
      auto par = dyn_cast_if_present<ParOp>(op->getParentOp());
      if (par && isa<ReduceOp, ScanOp>(op) &&
          (getWrittenLevel(op) == Level::Device ||
           (getWrittenLevel(op) == Level::Block && !par.isOfBlocks())))
        segmented.push_back(par);
    });
    llvm::for_each(segmented, hoistInvariants);
    FailureOr<SmallVector<Reduction>> reductions = collect(getOperation());
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(reductions) || failed(machine))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Reduction reduction : *reductions)
      TypeSwitch<Operation *>(reduction.op)
          .Case<ReduceOp, ScanOp>(
              [&](auto op) { lower(rewriter, op, reduction.level, *machine); });
  }
};
} // namespace
