//===- FuseNests.cpp - Nests of one index space become one ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion of maps with maps, of maps with reductions and scans (redomap and
// scanomap), and of reductions with each other: Henriksen, Serup, Elsman,
// Henglein and Oancea, "Futhark: purely functional GPU-programming with nested
// parallelism and in-place array updates", PLDI 2017. On memory it
// needs a proof that no iteration of the one nest touches what another one of
// the other writes.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "Flattening/OwnBuffers.h"
#include "Nests/Bands.h"
#include "tc/Analysis/NestDependence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_FUSENESTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Why two nests stay apart; empty where they need not.
using Obstacle = std::string;

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

static bool isNest(Operation *op) { return isa<ParOp, ReduceOp, ScanOp>(op); }

/// What every iteration runs: of reductions and scans the map region.
static Block &getMapBody(Operation *nest) { return nest->getRegion(0).front(); }

/// The block that runs when values are combined; null of a tc.par.
static Block *getFinish(Operation *nest) {
  return TypeSwitch<Operation *, Block *>(nest)
      .Case<ReduceOp, ScanOp>([](auto op) { return &op.getFinish().front(); })
      .Default(static_cast<Block *>(nullptr));
}

/// Do both always have one value? So have ops without effects that are alike;
/// bounds are few ops deep.
static bool areSame(Value a, Value b, unsigned depth = 3) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  auto compare = [&](Value x, Value y) {
    return success(areSame(x, y, depth - 1));
  };
  return depth > 0 && first && second && isPure(first) &&
         OperationEquivalence::isEquivalentTo(
             first, second, compare, /*markEquivalent=*/nullptr,
             OperationEquivalence::IgnoreLocations);
}

static bool areSame(ArrayRef<OpFoldResult> first,
                    ArrayRef<OpFoldResult> second) {
  return llvm::equal(first, second, [](OpFoldResult a, OpFoldResult b) {
    auto x = dyn_cast<Value>(a), y = dyn_cast<Value>(b);
    return x && y ? areSame(x, y) : a == b;
  });
}

static bool haveOneSpace(Operation *first, Operation *second) {
  SpaceBounds a = getBounds(first), b = getBounds(second);
  return areSame(a.lower, b.lower) && areSame(a.upper, b.upper) &&
         areSame(a.step, b.step) && areSame(a.width, b.width);
}

/// An op inside of `nest` with which its iterations are no work of one thread
/// whose effects are known; null if there is none.
static Operation *findObstacle(Operation *nest) {
  Operation *obstacle = nullptr;
  nest->walk([&](Operation *op) {
    bool isThreads = isNest(op) ||
                     isa<ContractOp, SumOp, StageOp, CacheOp, PtxOp>(op) ||
                     isa_and_nonnull<gpu::GPUDialect>(op->getDialect());
    auto buffer = dyn_cast<NewOp>(op);
    bool isPlaced =
        buffer && cast<MemRefType>(buffer.getType()).getMemorySpace();
    if (op == nest || !(isThreads || isPlaced || hasUnknownEffects(op)) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    obstacle = op;
    return WalkResult::interrupt();
  });
  return obstacle;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Is `buffer` made in each iteration of `nest`?
static bool isOwn(Value buffer, Operation *nest) {
  Operation *made = buffer.getDefiningOp();
  return made && nest->isAncestor(made) &&
         (isa<NewOp>(made) || hasEffect<MemoryEffects::Allocate>(made, buffer));
}

/// The accesses of `block`, which is of `nest`, to what is not its own. Which
/// iteration makes them is told by the block's first arguments, if at all.
static SmallVector<ThreadAccess> collectAccesses(Operation *nest, Block &block,
                                                 bool hasIndices,
                                                 NestValues &values) {
  ThreadNumber iteration;
  if (hasIndices) {
    iteration.emplace();
    size_t rank = getBounds(nest).lower.size();
    for (Value index : block.getArguments().take_front(rank))
      iteration->push_back(values.getDim(index));
  }
  SmallVector<ThreadAccess> accesses;
  block.walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values))
      if (!isOwn(access.buffer, nest))
        accesses.push_back({std::move(access), iteration, nest});
  });
  return accesses;
}

/// Two accesses of different iterations that may reach one element, one of
/// which writes.
static Obstacle findMeeting(ArrayRef<ThreadAccess> firsts,
                            ArrayRef<ThreadAccess> seconds,
                            NestValues &values) {
  for (const ThreadAccess &a : firsts)
    for (const ThreadAccess &b : seconds) {
      Value first = a.access.buffer, second = b.access.buffer;
      if (!(a.access.writes || b.access.writes) || areDistinct(first, second))
        continue;
      if (first == second && !mayCrossThreads(a, b, {}, values))
        continue;
      auto name = [](const ThreadAccess &access) {
        return "'" + access.access.op->getName().getStringRef().str() + "'";
      };
      return name(a) + " and " + name(b) +
             " may reach one element in different iterations";
    }
  return {};
}

/// What reordering the ops of two nests as fusion does would change.
static Obstacle findDependence(Operation *first, Operation *second) {
  NestValues values(first->getContext());
  auto ofMap = [&](Operation *nest) {
    return collectAccesses(nest, getMapBody(nest), true, values);
  };
  auto ofFinish = [&](Operation *nest, bool hasIndices) {
    Block *finish = getFinish(nest);
    return finish ? collectAccesses(nest, *finish, hasIndices, values)
                  : SmallVector<ThreadAccess>();
  };
  SmallVector<ThreadAccess> before = ofMap(first), after = ofMap(second);
  Obstacle obstacle = findMeeting(before, after, values);
  // What the first one does at its end comes after all that the second does,
  // but its end.
  if (obstacle.empty())
    obstacle = findMeeting(ofFinish(first, false), after, values);
  // A scan finishes an index before others have begun.
  if (obstacle.empty() && isa<ScanOp>(second))
    obstacle = findMeeting(before, ofFinish(second, true), values);
  return obstacle;
}

/// Ops between two nests are behind the first one then.
static Obstacle findBetween(Operation *first, Operation *second) {
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) &&
        !hasSingleEffect<MemoryEffects::Allocate>(op))
      return "'" + op->getName().getStringRef().str() + "' stands between them";
  return {};
}

static Obstacle findObstacle(Operation *first, Operation *second) {
  if (isWrittenByHand(first) || isWrittenByHand(second))
    return "it is written who runs them";
  if (!haveOneSpace(first, second))
    return "their index spaces differ";
  auto one = dyn_cast<ReduceOp>(first), other = dyn_cast<ReduceOp>(second);
  bool isMap = isa<ParOp>(first) && isa<ParOp>(second);
  if (!isMap && hasFewIterations(first))
    return "one thread combines so few values";
  if (!isa<ParOp>(first) && !isa<ParOp>(second) &&
      !(one && other && one.getCommutative() == other.getCommutative()))
    return "both combine values, in different ways";
  for (Operation *nest : {first, second})
    if (Operation *op = findObstacle(nest))
      return "'" + op->getName().getStringRef().str() + "' is in one of them";
  Obstacle between = findBetween(first, second);
  return between.empty() ? findDependence(first, second) : between;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Moves the ops of `from`, but its terminator, to `place`; its arguments
/// become `arguments`.
static void moveOps(Block &from, Block::iterator place, ValueRange arguments) {
  for (auto [old, own] : llvm::zip_equal(from.getArguments(), arguments))
    old.replaceAllUsesWith(own);
  place->getBlock()->getOperations().splice(
      place, from.getOperations(), from.begin(),
      from.getTerminator()->getIterator());
}

/// Lets `second` combine what `first` does, too: its values come behind.
static void addValues(ReduceOp first, ReduceOp second) {
  size_t own = second.getInits().size(), more = first.getInits().size();
  second.getInitsMutable().append(first.getInits());
  auto addArguments = [&](Block &block, size_t at) -> SmallVector<Value> {
    SmallVector<Value> added;
    for (auto [i, init] : llvm::enumerate(first.getInits()))
      added.push_back(
          block.insertArgument(at + i, init.getType(), first.getLoc()));
    return added;
  };
  auto addYields = [&](Block &from, Block &to) {
    to.getTerminator()->insertOperands(own,
                                       from.getTerminator()->getOperands());
  };
  addYields(getMapBody(first), getMapBody(second));

  Block &combine = second.getCombine().front();
  SmallVector<Value> terms = addArguments(combine, own);
  llvm::append_range(terms, addArguments(combine, 2 * own + more));
  Block &firstCombine = first.getCombine().front();
  moveOps(firstCombine, combine.begin(), terms);
  addYields(firstCombine, combine);

  Block &finish = second.getFinish().front();
  SmallVector<Value> results = addArguments(finish, own);
  moveOps(first.getFinish().front(), finish.begin(), results);
}

/// Makes one nest of both, at the place of `second`; that one.
static Operation *fuse(Operation *first, Operation *second) {
  Block &before = getMapBody(first), &after = getMapBody(second);
  if (isa<ParOp>(second) && !isa<ParOp>(first)) {
    first->moveBefore(second);
    moveOps(after, before.getTerminator()->getIterator(),
            before.getArguments());
    second->erase();
    return first;
  }
  moveOps(before, after.begin(), after.getArguments());
  if (auto fold = dyn_cast<ReduceOp>(first))
    addValues(fold, cast<ReduceOp>(second));
  first->erase();
  return second;
}

namespace {
struct FuseNestsPass : tc::impl::FuseNestsBase<FuseNestsPass> {
  void runOnOperation() override;

private:
  void fuseNeighbours(Block &block);
  void explain(Operation *first, Operation *second, const Obstacle &obstacle);
};
} // namespace

void FuseNestsPass::explain(Operation *first, Operation *second,
                            const Obstacle &obstacle) {
  auto name = [](StringRef what) {
    return remark::RemarkOpts::name(what).category("tc-fuse-nests");
  };
  StringRef of = first->getName().getStringRef(),
            with = second->getName().getStringRef();
  if (obstacle.empty())
    remark::passed(second->getLoc(), name("Fused"))
        << remark::reason("'{0}' is part of the '{1}' behind it", of, with);
  else
    remark::missed(second->getLoc(), name("NotFused")) << remark::reason(
        "'{0}' is no part of the '{1}' behind it: {2}", of, with, obstacle);
}

void FuseNestsPass::fuseNeighbours(Block &block) {
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isNest(&op))
      continue;
    Operation *nest = &op;
    if (last) {
      Obstacle obstacle = findObstacle(last, nest);
      explain(last, nest, obstacle);
      if (obstacle.empty()) {
        nest = fuse(last, nest);
        moveOwnBuffersInto(nest);
      }
    }
    last = nest;
  }
}

void FuseNestsPass::runOnOperation() {
  // Inside of a nest that somebody has mapped all is as it should be.
  SmallVector<Block *> blocks;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isNest(op) && isWrittenByHand(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  // From the inside: neighbours that become one may be all there is in a
  // tc.par, and one space with it.
  for (Block *block : llvm::reverse(blocks)) {
    fuseNeighbours(*block);
    if (auto par = dyn_cast<ParOp>(block->getParentOp()))
      mergeBand(par);
  }
}
