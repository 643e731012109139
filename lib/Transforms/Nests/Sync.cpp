//===- Sync.cpp - Barriers between the threads of a block -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks what a team runs together, with what was touched since the last
// barrier, and puts one where an access of one thread may meet that of another.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/NestDependence.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SYNC
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The first buffer in `team` that lies where those of `slot` do.
static Value findFirst(ParOp team, int64_t slot) {
  Value first;
  team.walk([&](Operation *op) {
    if (getSlot(op) != slot)
      return WalkResult::advance();
    first = op->getResult(0);
    return WalkResult::interrupt();
  });
  return first;
}

/// May one team run several iterations of `op`?
static bool takesTurns(ParOp op) {
  if (op.isOfBlocks())
    return false;
  MapAttr mapping = op.getMappingAttr();
  return !mapping || llvm::any_of(mapping.getCombinators(), [](Combinator c) {
    return c.kind() == Combinator::Kind::Serial;
  });
}

/// What was touched since the last barrier: the access, and the loops that have
/// begun another iteration since.
using Pending = std::pair<const ThreadAccess *, std::vector<Operation *>>;
using PendingSet =
    llvm::SetVector<Pending, std::vector<Pending>, std::set<Pending>>;

/// The ops that barriers would stand before.
using Places = llvm::SmallPtrSet<Operation *, 4>;

/// All of `pending` as of an earlier iteration of `loop`.
static PendingSet carry(const PendingSet &pending, Operation *loop) {
  PendingSet carried;
  for (auto [touched, carriers] : pending) {
    if (!llvm::is_contained(carriers, loop))
      carriers.push_back(loop);
    carried.insert({touched, carriers});
  }
  return carried;
}

namespace {
/// Places the barriers of one team: the threads of a block, or of each of its
/// warps or warpgroups.
class TeamSync {
public:
  TeamSync(ParOp team, NestValues &values) : team(team), values(values) {
    team.walk([&](Operation *op) {
      for (const NestAccess &access : getAccesses(op, values))
        if (access.writes)
          written.insert(findPlace(access.buffer));
    });
  }

  void run() {
    PendingSet pending;
    syncBlock(*team.getBody(), pending, /*dry=*/nullptr);
    // A team that takes turns meets itself in the next.
    if (takesTurns(team)) {
      pending = carry(pending, team);
      syncBlock(*team.getBody(), pending, /*dry=*/nullptr);
    }
  }

private:
  Value findPlace(Value buffer);
  bool isWritten(Value place) {
    return llvm::any_of(
        written, [&](Value other) { return !areDistinct(place, other); });
  }
  const std::vector<ThreadAccess> &collect(Operation *op);
  bool conflicts(const PendingSet &pending, ArrayRef<ThreadAccess> next);
  bool crosses(const ThreadAccess &before, const ThreadAccess &after,
               ArrayRef<Operation *> carriers);
  void place(Operation *op, PendingSet &pending, Places *dry);
  void syncBlock(Block &block, PendingSet &pending, Places *dry);
  void syncRegions(Operation *op, PendingSet &pending, Places *dry);
  void syncLoop(Operation *op, PendingSet &pending, Places *dry);
  bool servesBefore(Operation *loop, const PendingSet &pending);

  ParOp team;
  NestValues &values;
  DenseMap<int64_t, Value> places; ///< by slot
  /// Places that any op of the team writes to.
  llvm::SmallDenseSet<Value> written;
  DenseMap<Operation *, std::unique_ptr<std::vector<ThreadAccess>>> collected;
  /// What `crosses` has found out: loops are walked several times.
  std::map<std::tuple<const ThreadAccess *, const ThreadAccess *,
                      std::vector<Operation *>>,
           bool>
      crossing;
};
} // namespace

/// The buffer that stands for where `buffer` lies: the first of those in its
/// slot.
Value TeamSync::findPlace(Value buffer) {
  std::optional<int64_t> slot = getSlot(buffer.getDefiningOp());
  if (!slot)
    return buffer;
  Value &place = places[*slot];
  if (!place) {
    // It may lie outside of the team, such as what a block stages for its
    // warps.
    ParOp root = team;
    while (auto outer = root->getParentOfType<ParOp>())
      root = outer;
    place = findFirst(root, *slot);
  }
  return place;
}

/// What `op`, one of the ops that the team runs together, and what is inside of
/// it touch of memory that other threads see.
const std::vector<ThreadAccess> &TeamSync::collect(Operation *op) {
  auto &known = collected[op];
  if (known)
    return *known;
  known = std::make_unique<std::vector<ThreadAccess>>();
  std::vector<ThreadAccess> &touched = *known;
  auto par = dyn_cast<ParOp>(op);
  op->walk([&](Operation *nested) {
    for (const NestAccess &access : getAccesses(nested, values)) {
      Value place = findPlace(access.buffer);
      bool isOwn =
          par && par->isAncestor(place.getParentRegion()->getParentOp());
      if (isOwn || isInPrivateMemory(place) || !isWritten(place))
        continue;
      ThreadNumber thread =
          par ? getThreadNumber(nested, par, values) : std::nullopt;
      touched.push_back({access, thread, op});
    }
  });
  return touched;
}

/// May they meet in one element from different threads?
bool TeamSync::crosses(const ThreadAccess &before, const ThreadAccess &after,
                       ArrayRef<Operation *> carriers) {
  auto [known, isNew] =
      crossing.try_emplace({&before, &after, carriers.vec()}, false);
  if (isNew)
    known->second = mayCrossThreads(before, after, carriers, values);
  return known->second;
}

bool TeamSync::conflicts(const PendingSet &pending,
                         ArrayRef<ThreadAccess> next) {
  for (const auto &[before, carriers] : pending)
    for (const ThreadAccess &after : next) {
      const NestAccess &a = before->access, &b = after.access;
      if ((a.writes || b.writes) && !(a.isAtomic && b.isAtomic) &&
          !areDistinct(findPlace(a.buffer), findPlace(b.buffer)) &&
          (a.buffer != b.buffer || crosses(*before, after, carriers)))
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// A barrier before `op`; only noted if `dry`.
void TeamSync::place(Operation *op, PendingSet &pending, Places *dry) {
  pending.clear();
  if (dry) {
    dry->insert(op);
    return;
  }
  OpBuilder builder(op);
  gpu::BarrierOp::create(builder, op->getLoc());
}

/// A loop that the team runs together: its iterations follow one another.
void TeamSync::syncLoop(Operation *op, PendingSet &pending, Places *dry) {
  std::optional<int64_t> count = countIterations(op);
  PendingSet before = pending;
  auto runOnce = [&](PendingSet &state, Places *dry) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        syncBlock(block, state, dry);
  };
  // What the last iteration leaves meets the first op of the next.
  if (count.value_or(2) > 1) {
    PendingSet last = pending;
    Places ignored;
    runOnce(last, &ignored);
    pending.insert_range(carry(last, op));
  }
  runOnce(pending, dry);
  if (count.value_or(0) == 0)
    pending.insert_range(before);
}

/// Does a barrier before `loop` save one in it, which each iteration would come
/// by because of what was touched before the loop?
bool TeamSync::servesBefore(Operation *loop, const PendingSet &pending) {
  if (pending.empty() || countIterations(loop).value_or(2) < 2)
    return false;
  Places with, without;
  PendingSet entry = pending, none;
  syncLoop(loop, entry, &with);
  if (with.empty())
    return false;
  syncLoop(loop, none, &without);
  return without.size() < with.size();
}

/// An op with regions that the team runs together: a loop or branches.
void TeamSync::syncRegions(Operation *op, PendingSet &pending, Places *dry) {
  if (isa<LoopLikeOpInterface>(op)) {
    if (servesBefore(op, pending))
      place(op, pending, dry);
    return syncLoop(op, pending, dry);
  }
  PendingSet before = pending;
  for (Region &region : op->getRegions()) {
    PendingSet branch = before;
    for (Block &block : region)
      syncBlock(block, branch, dry);
    pending.insert_range(branch);
  }
}

/// Walks `block` from the state `pending` and leaves the state at its end.
/// Places barriers unless `dry`, which gets those that it would.
void TeamSync::syncBlock(Block &block, PendingSet &pending, Places *dry) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<gpu::BarrierOp>(op)) {
      pending.clear();
      continue;
    }
    if (op.getNumRegions() > 0 && !isa<ParOp>(op) &&
        isa<LoopLikeOpInterface, RegionBranchOpInterface>(op)) {
      syncRegions(&op, pending, dry);
      continue;
    }
    const std::vector<ThreadAccess> &next = collect(&op);
    if (conflicts(pending, next))
      place(&op, pending, dry);
    for (const ThreadAccess &touched : next)
      pending.insert({&touched, {}});
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Does `access`, in one of the tc.par cluster of `grid`, touch no row of its
/// buffer but the one that the block itself has?
static bool isOfOwnRow(const NestAccess &access, Operation *op, ParOp grid,
                       NestValues &values) {
  ParOp cluster;
  for (Operation *parent = op; parent != grid; parent = parent->getParentOp())
    if (auto par = dyn_cast<ParOp>(parent);
        par && par.getLevel() == Level::Cluster)
      cluster = par;
  ThreadNumber number =
      cluster ? getThreadNumber(op, cluster, values) : std::nullopt;
  if (!number || !access.isKnown() || access.isLinear ||
      access.subscripts.empty())
    return false;
  // Blocks are numbered along one axis, unless somebody mapped them otherwise.
  ArrayRef<AffineExpr> block = ArrayRef(*number).take_front(3);
  unsigned dims = values.getNumDims();
  return block[1] == 0 && block[2] == 0 &&
         simplifyAffineExpr(access.subscripts.front() - block[0], dims, 0) == 0;
}

/// Does `op`, or what is in it, reach the memory that other blocks have of a
/// buffer of the cluster, one round it in `grid`?
static bool reachesOtherBlocks(Operation *op, ParOp grid, NestValues &values) {
  return containsOp(*op, [&](Operation *nested) {
    return llvm::any_of(
        getAccesses(nested, values), [&](const NestAccess &access) {
          auto buffer = access.buffer.getDefiningOp<NewOp>();
          return buffer && buffer->getParentOfType<ParOp>() == grid &&
                 isInWorkgroupMemory(access.buffer) &&
                 !isOfOwnRow(access, nested, grid, values);
        });
  });
}

/// Does a loop, each time it begins, come by a barrier of the cluster before it
/// reaches other blocks?
static bool beginsWithBarrier(Operation *loop, ParOp grid, NestValues &values) {
  if (!isa<LoopLikeOpInterface>(loop) || isa<ParOp>(loop))
    return false;
  for (Operation &op : loop->getRegion(0).front()) {
    if (isa<gpu::BarrierOp>(op))
      return true;
    if (reachesOtherBlocks(&op, grid, values))
      return beginsWithBarrier(&op, grid, values);
  }
  return false;
}

/// A block's memory is there for others once it has begun and until it ends
/// (CUDA C++ Programming Guide, distributed shared memory): barriers before the
/// first use and after the last one, where there are no others.
static void keepClusterTogether(ParOp grid, NestValues &values) {
  OpBuilder builder(grid);
  Block &body = *grid.getBody();
  bool isFirst = true, isOpen = false;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (isa<gpu::BarrierOp>(op)) {
      isFirst = isOpen = false;
      continue;
    }
    if (isa<NewOp>(op) || !reachesOtherBlocks(&op, grid, values))
      continue;
    isOpen = true;
    // A loop without iterations leaves what is to come without a barrier.
    if (!isFirst || beginsWithBarrier(&op, grid, values))
      continue;
    builder.setInsertionPoint(&op);
    gpu::BarrierOp::create(builder, op.getLoc());
    isFirst = false;
  }
  if (!isOpen)
    return;
  builder.setInsertionPoint(body.getTerminator());
  gpu::BarrierOp::create(builder, grid.getLoc());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Reports what would hide a conflict: buffers of unknown origin, barriers that
/// not all threads need to come by.
static LogicalResult verifyOp(Operation *op, ParOp grid, NestValues &values) {
  auto inner = op->getParentOfType<ParOp>();
  if (isa<gpu::BarrierOp>(op) && !inner.isOfBlocks() &&
      inner.getMemberThreads() == 1)
    return op->emitOpError("expected no barrier between the independent "
                           "iterations of a tc.par ")
           << stringifyLevel(*inner.getLevel());
  if (isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(
          op))
    return op->emitOpError("expected indices of tc.par instead of thread "
                           "numbers");
  for (const NestAccess &access : getAccesses(op, values)) {
    if (!isInWorkgroupMemory(access.buffer))
      continue;
    if (!isa_and_nonnull<NewOp, StageOp>(access.buffer.getDefiningOp()))
      return op->emitOpError("expected workgroup memory to come from tc.new "
                             "or tc.stage, got ")
             << access.buffer.getType() << " from elsewhere";
    if (isa<StageOp>(op) && access.writes && !inner.isOfBlocks())
      return op->emitOpError("expected workgroup memory to be filled by all "
                             "threads, outside of tc.par block");
  }
  return success();
}

namespace {
struct SyncPass : tc::impl::SyncBase<SyncPass> {
  void runOnOperation() override {
    NestValues values(&getContext());
    WalkResult result = getOperation().walk([&](ParOp grid) -> WalkResult {
      if (grid.getLevel() != Level::Grid)
        return WalkResult::advance();
      return grid.walk([&](Operation *op) {
        return WalkResult(verifyOp(op, grid, values));
      });
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](ParOp op) {
      if (op.getLevel() && (op.isOfBlocks() || op.getMemberThreads() > 1))
        TeamSync(op, values).run();
      if (op.hasClusters())
        keepClusterTogether(op, values);
    });
  }
};
} // namespace
