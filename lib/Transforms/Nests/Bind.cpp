//===- Bind.cpp - A level for every tc.par --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside in: bands of tc.par are merged, then what is for one block
// gets a grid of one, then each tc.par gets a level, then writes between the
// tc.par of a team get a thread of their own.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "Nests/Bands.h"
#include "tc/Analysis/NestAccess.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_BIND
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// Calls `visit` with each tc.par in `op`, but not with those inside of these.
static void forEachInner(Operation *op, function_ref<void(ParOp)> visit) {
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (auto par = dyn_cast<ParOp>(nested))
        visit(par);
      else
        forEachInner(&nested, visit);
}

/// Is `op` in a region of a reduction, each run of which one thread does?
static bool isInReduction(Operation *op) {
  return op->getParentOfType<ReduceOp>() || op->getParentOfType<ScanOp>();
}

/// Is `op` a reduction of as many values as are work for several threads?
static bool isReductionOfTeam(Operation *op) {
  auto isOfTeam = [](auto fold) {
    return fold.getLevel() ? fold.getLevel() != Level::Thread
                           : !hasFewIterations(fold);
  };
  return !isInReduction(op) && TypeSwitch<Operation *, bool>(op)
                                   .Case<ReduceOp, ScanOp>(isOfTeam)
                                   .Default(false);
}

/// Is there anything in `op` that several threads do together?
static bool hasTeamWork(Operation *op) {
  return containsOp(*op, [&](Operation *nested) {
    auto par = dyn_cast<ParOp>(nested);
    auto buffer = dyn_cast<NewOp>(nested);
    return isa<gpu::BarrierOp, StageOp, CacheOp>(nested) ||
           (buffer && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                          cast<MemRefType>(buffer.getType()))) ||
           isReductionOfTeam(nested) ||
           (par && par != op && par.getLevel() != Level::Thread &&
            (par.getLevel() || par.getFull() || !hasFewIterations(par)));
  });
}

static void setLevel(ParOp op, Level level, StringRef reason) {
  op.setLevelAttr(LevelAttr::get(op.getContext(), level));
  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("Level").category("tc-bind"))
      << remark::reason("iterations run on level '{0}': {1}",
                        stringifyLevel(level), reason);
}

/// The least team that has a thread for each iteration of `op`, which is full
/// and stands in a block: a warp if it needs no more.
static bool isWarp(ParOp op) {
  std::optional<int64_t> count = countIterations(op);
  return op.getFull() && count && *count <= 32 && op.getAlign() <= 32;
}

/// The level of `op` in `outer`, with the reason.
static std::pair<Level, StringRef> chooseLevel(ParOp op, ParOp outer) {
  if (isInReduction(op))
    return {Level::Thread, "it is in a region of a reduction"};
  switch (*outer.getLevel()) {
  case Level::Grid:
    if (outer.hasClusters())
      return {Level::Cluster, "iterations of the grid are clusters"};
    return {Level::Block, "it is the outermost one in a grid"};
  case Level::Cluster:
    return {Level::Block, "it is the outermost one in a cluster"};
  case Level::Block:
  case Level::Warpgroup:
    if (isWarp(op))
      return {Level::Warp, "it is full, and no larger than a warp"};
    [[fallthrough]];
  default:
    return {Level::Thread, "those round it have a thread for each iteration"};
  }
}

static LogicalResult bindInner(ParOp outer) {
  LogicalResult status = success();
  forEachInner(outer, [&](ParOp op) {
    if (!op.getLevel()) {
      auto [level, reason] = chooseLevel(op, outer);
      if (op.getFull() && level == Level::Thread)
        status = op.emitOpError("expected threads for 'full', but iterations "
                                "of a tc.par round it are threads already");
      setLevel(op, level, reason);
    }
    if (failed(bindInner(op)))
      status = failure();
  });
  return status;
}

static LogicalResult bindOutermost(ParOp op) {
  if (!op.getLevel() && isInReduction(op))
    setLevel(op, Level::Thread, "it is in a region of a reduction");
  else if (!op.getLevel() && hasTeamWork(op))
    setLevel(op, Level::Grid, "iterations have work for several threads");
  else if (!op.getLevel())
    setLevel(op, Level::Device, "no iteration has work for several threads");
  return bindInner(op);
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// The level written at `op`, if that says who runs it.
static std::optional<Level> getWrittenLevel(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Level>>(op)
      .Case<ParOp, ReduceOp, ScanOp>([](auto nest) { return nest.getLevel(); })
      .Default(std::nullopt);
}

/// Does `op`, outside of other nests, ask for threads of one block, or for the
/// blocks of one cluster? A 'full' without a level does: its iterations are
/// threads that know of each other.
static bool isForOneBlock(Operation *op) {
  if (auto par = dyn_cast<ParOp>(op); par && par.getFull() && !par.getLevel())
    return true;
  std::optional<Level> level = getWrittenLevel(op);
  if (!level || *level == Level::Device || *level == Level::Grid)
    return false;
  // Blocks of a cluster do not reduce; tc-lower-reductions says so.
  return isa<ParOp>(op) || *level != Level::Cluster;
}

/// Puts `op` into a tc.par of one iteration and level `level`; that one.
static ParOp wrap(Operation *op, Level level) {
  OpBuilder builder(op);
  auto one = ParOp::create(builder, op->getLoc(), level, {}, {}, {},
                           [](OpBuilder &, Location, ValueRange) {});
  op->moveBefore(one.getBody()->getTerminator());
  return one;
}

/// Gives `op`, which no grid is round, a grid of one block or one cluster.
static void putOnOneBlock(Operation *op) {
  std::optional<Level> level = getWrittenLevel(op);
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("OneBlock").category("tc-bind"))
      << remark::reason("it runs on one {0}, since {1}, and no tc.par 'grid' "
                        "is round it",
                        level == Level::Cluster ? "cluster" : "block",
                        level ? "its level is '" +
                                    stringifyLevel(*level).str() + "'"
                              : std::string("it is 'full'"));
  // Lanes reduce what the warps of a block run.
  if (!isa<ParOp>(op) && (level == Level::Warpgroup || level == Level::Warp))
    op = wrap(op, Level::Block);
  wrap(op, Level::Grid);
}

/// Puts what asks for one block on one.
static void addGrids(func::FuncOp function) {
  SmallVector<Operation *> found;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ParOp, ReduceOp, ScanOp>(op))
      return WalkResult::advance();
    if (isForOneBlock(op))
      found.push_back(op);
    return WalkResult::skip();
  });
  llvm::for_each(found, putOnOneBlock);
}

//===----------------------------------------------------------------------===//
// Writes of a team
//===----------------------------------------------------------------------===//

/// Does a thread of the team run `op` for all of them, since it writes?
static bool isForOneThread(Operation *op) {
  if (isa<ParOp, SeqOp, NewOp, StageOp, CacheOp, gpu::BarrierOp, SumOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || isReductionOfTeam(op) ||
      isMemoryEffectFree(op))
    return false;
  bool hasTeamOps = containsOp(*op, [](Operation *nested) {
    return isa<ParOp, StageOp, CacheOp, gpu::BarrierOp>(nested) ||
           isReductionOfTeam(nested);
  });
  return !hasTeamOps && !hasSingleEffect<MemoryEffects::Read>(op) &&
         !(hasEffect<MemoryEffects::Allocate>(op));
}

/// Moves what only ops of `one` need, right before it, into it: what one thread
/// reads takes no barrier for the others.
static void sinkInto(ParOp one) {
  Operation *op = one->getPrevNode();
  while (op && op->getNumRegions() == 0 && !isa<NewOp>(op) &&
         (isPure(op) || hasSingleEffect<MemoryEffects::Read>(op))) {
    Operation *above = op->getPrevNode();
    bool isForOne =
        !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
          return one->isProperAncestor(user);
        });
    if (isForOne)
      op->moveBefore(&one.getBody()->front());
    op = above;
  }
}

/// Passes what `op` in `one` gives to the threads of the team, by memory.
static void shareResults(Operation &op, ParOp one) {
  OpBuilder builder(one);
  Location loc = op.getLoc();
  for (Value result : op.getResults()) {
    if (result.use_empty())
      continue;
    builder.setInsertionPoint(one);
    Value buffer =
        NewOp::create(builder, loc, MemRefType::get({}, result.getType()),
                      TypedAttr(), 0, IntegerAttr());
    builder.setInsertionPointAfter(one);
    Value loaded = memref::LoadOp::create(builder, loc, buffer);
    result.replaceAllUsesWith(loaded);
    builder.setInsertionPointAfter(&op);
    memref::StoreOp::create(builder, loc, result, buffer);
  }
}

/// Puts ops of `block`, which a team runs together, that write into a tc.par of
/// one iteration and level `level`; neighbours into the same.
static LogicalResult giveWritesAThread(Block &block, Level level) {
  ParOp one;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<ParOp>(op) || isReductionOfTeam(&op))
      continue;
    if (!isForOneThread(&op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(giveWritesAThread(nested, level)))
            return failure();
      continue;
    }
    if (!op.use_empty() && !llvm::all_of(op.getResultTypes(), isNumber))
      return op.emitOpError("expected numbers of an op with effects outside of "
                            "tc.par in a '")
             << stringifyLevel(level) << "', where one thread runs it, got "
             << op.getResultTypes();
    if (!one || op.getPrevNode() != one) {
      OpBuilder builder(&op);
      one = ParOp::create(builder, op.getLoc(), level, {}, {}, {},
                          [](OpBuilder &, Location, ValueRange) {});
    }
    op.moveBefore(one.getBody()->getTerminator());
    shareResults(op, one);
    sinkInto(one);
  }
  return success();
}

/// The level of the team members that run what is between the tc.par of `op`;
/// none where one thread does.
static std::optional<Level> findMemberLevel(ParOp op) {
  if (op.getLevel() == Level::Grid)
    return op.hasClusters() ? Level::Cluster : Level::Block;
  if (op.getLevel() == Level::Cluster)
    return Level::Block;
  std::optional<Level> member;
  if (op.getLevel() != Level::Block && op.getLevel() != Level::Warpgroup)
    return member;
  forEachInner(op, [&](ParOp inner) {
    if (inner.getLevel() != Level::Thread)
      member = inner.getLevel();
  });
  op.walk([&](Operation *nested) {
    if (isReductionOfTeam(nested) && nested->getParentOfType<ParOp>() == op)
      TypeSwitch<Operation *>(nested).Case<ReduceOp, ScanOp>([&](auto fold) {
        if (fold.getLevel())
          member = fold.getLevel();
      });
  });
  return member;
}

namespace {
struct BindPass : tc::impl::BindBase<BindPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    function.walk<WalkOrder::PreOrder>(mergeBand);
    addGrids(function);
    LogicalResult status = success();
    forEachInner(function, [&](ParOp op) {
      if (failed(bindOutermost(op)))
        status = failure();
    });
    // A level that was written may not fit those that were chosen round it.
    function.walk([&](ParOp op) {
      if (succeeded(status))
        status = op.verify();
    });
    // From outside to inside: a write of a cluster is one of a block of it.
    WalkResult result =
        function.walk<WalkOrder::PreOrder>([](ParOp op) -> WalkResult {
          std::optional<Level> member = findMemberLevel(op);
          return member ? giveWritesAThread(*op.getBody(), *member) : success();
        });
    if (failed(status) || result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
