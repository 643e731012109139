//===- MapHost.cpp - Nests to tasks and vectors of a CPU ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out what HostNests.cpp decides, by the steps of nests that scripts
// take, too. Tasks are made first: what a thread does is a nest like any other.
//
//===----------------------------------------------------------------------===//

#include "Host/HostLoops.h"
#include "Host/HostNests.h"
#include "Loops/LoopNest.h"
#include "Nests/Bands.h"
#include "Reductions/Fold.h"

#include "tc/Transforms/Loops.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_DROPLEVELS
#define GEN_PASS_DEF_MAPHOST
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Ops of a task that pay for handing it to a thread.
static constexpr int64_t kTaskOps = 1 << 15;
/// Tasks that keep all threads busy to the end.
static constexpr int64_t kMostTasks = 256;
/// A task of iterations along the dimension of vectors has as many, or a
/// multiple: so few that none is of another size than the others by much.
static constexpr int64_t kTaskUnit = 256;
/// A remainder of iterations is run together by vectors of so much fewer, as
/// long as there are some.
static constexpr int64_t kFewerTogether = 4;
/// Tiles, along both dimensions, that are run one after the other: their pages
/// fit the first table of those of a core.
static constexpr int64_t kTilesOfPage = 4;
/// Memory that an iteration may have on the stack of its thread.
static constexpr int64_t kMostOwnBytes = 1 << 16;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

static std::optional<Level> getLevel(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Level>>(op)
      .Case<ParOp, ReduceOp, ScanOp>([](auto nest) { return nest.getLevel(); })
      .Default(std::nullopt);
}

/// Does an op in `nest` count on the threads of a block being there together?
static bool needsTeam(ParOp nest) {
  return containsOp(nest, [](Operation *op) {
    std::optional<Level> level = getLevel(op);
    return isa<gpu::BarrierOp>(op) ||
           (level && *level != Level::Device && *level != Level::Thread);
  });
}

/// Removes who runs the iterations of `nest`, and of what is inside.
static void dropLevels(ParOp nest) {
  nest.walk([](Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([](ParOp par) {
          par.removeLevelAttr();
          par.removeMappingAttr();
          par.setFull(false);
          par.setAlign(1);
        })
        .Case<ReduceOp, ScanOp>([](auto fold) { fold.removeLevelAttr(); });
  });
}

namespace {
struct DropLevelsPass : tc::impl::DropLevelsBase<DropLevelsPass> {
  void runOnOperation() override {
    for (ParOp nest : collectOps<ParOp>(getOperation(), isOutermost))
      if (!needsTeam(nest))
        dropLevels(nest);
  }

  static bool isOutermost(ParOp nest) {
    return !nest->getParentOfType<ParOp>();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Bytes that an iteration of `nest` allocates; none if that is not constant.
static std::optional<int64_t> countOwnBytes(ParOp nest) {
  int64_t bytes = 0;
  bool isKnown = true;
  nest.walk([&](Operation *op) {
    if (!isa<NewOp, StageOp, memref::AllocOp, memref::AllocaOp>(op))
      return;
    auto type = cast<MemRefType>(op->getResult(0).getType());
    int64_t element = getBufferBytes(type.getElementType());
    std::optional<int64_t> span =
        type.hasStaticShape() && element != 0 ? countSpan(type) : std::nullopt;
    isKnown &= span.has_value();
    bytes = llvm::SaturatingAdd<uint64_t>(
        bytes, llvm::SaturatingMultiply<uint64_t>(span.value_or(0), element));
  });
  return isKnown ? std::optional(bytes) : std::nullopt;
}

/// Does `nest` reach each element that it writes by way of one buffer alone?
static bool hasDistinctBuffers(ParOp nest) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(nest.getRegion(), used);
  NestValues values(nest.getContext());
  SmallVector<Value> buffers;
  for (Value value : used)
    if (isa<MemRefType>(value.getType()))
      buffers.push_back(
          getWholeAccess(nest, value, /*writes=*/true, values).buffer);
  for (auto [i, first] : llvm::enumerate(buffers))
    for (Value second : ArrayRef(buffers).drop_front(i + 1))
      if (!areDistinct(first, second))
        return false;
  return true;
}

/// Ops of an iteration along the first dimension of `nest`, in which one of all
/// dimensions has `work`: a constant, or a value. No more than kTaskOps: more
/// makes no difference, and products of dynamic extents could overflow, to 0.
static OpFoldResult buildWork(IndexBuilder &math, const SpaceBounds &bounds,
                              int64_t work) {
  auto limit = [&](Value value) {
    return math.createOrFold<arith::MinUIOp>(value, math.constant(kTaskOps));
  };
  Value product = limit(math.constant(work));
  for (size_t d = 1; d < bounds.lower.size(); ++d) {
    Value extent =
        math.subtract(math.get(bounds.upper[d]), math.get(bounds.lower[d]));
    extent = math.createOrFold<arith::MaxSIOp>(extent, math.constant(1));
    if (getConstantIntValue(bounds.width[d]) == 1)
      extent = math.createOrFold<arith::CeilDivUIOp>(extent,
                                                     math.get(bounds.step[d]));
    product = limit(math.multiply(product, limit(extent)));
  }
  return getAsOpFoldResult(product);
}

/// Steps along the first dimension that make one task, of `steps` in all.
static Value buildGrain(IndexBuilder &math, OpFoldResult work, Value steps,
                        int64_t unit) {
  auto ceil = [&](Value a, Value b) {
    return math.createOrFold<arith::CeilDivUIOp>(a, b);
  };
  Value grain = ceil(math.constant(kTaskOps), math.get(work));
  grain = math.createOrFold<arith::MaxUIOp>(
      grain, ceil(steps, math.constant(kMostTasks)));
  return unit == 1 ? grain
                   : math.multiply(ceil(grain, math.constant(unit)), unit);
}

/// Lets threads share the first dimension of `nest` out, if that pays. Runs of
/// it become the iterations of an scf.parallel, and each a nest. A nest of
/// dynamic extents with work for one task has one, which the runtime runs where
/// it is called.
static void shareAmongTasks(RewriterBase &rewriter, ParOp nest, int64_t work,
                            int64_t unit) {
  std::optional<int64_t> own = countOwnBytes(nest);
  if (!own || *own > kMostOwnBytes)
    return;
  std::optional<int64_t> iterations = countIterations(nest);
  if (iterations && llvm::SaturatingMultiply<uint64_t>(*iterations, work) <
                        uint64_t(2 * kTaskOps))
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(nest);
  IndexBuilder math(nest.getLoc(), rewriter);
  SpaceBounds bounds = nest.getBounds();
  Value lower = math.get(bounds.lower[0]), upper = math.get(bounds.upper[0]),
        step = math.get(bounds.step[0]), zero = math.constant(0);
  Value extent =
      math.createOrFold<arith::MaxSIOp>(math.subtract(upper, lower), zero);
  Value steps = math.createOrFold<arith::CeilDivUIOp>(extent, step);
  Value grain = buildGrain(math, buildWork(math, bounds, work), steps, unit);
  Value count = math.createOrFold<arith::CeilDivUIOp>(steps, grain);
  if (getConstantIntValue(count) == 1)
    return;
  auto tasks = scf::ParallelOp::create(rewriter, nest.getLoc(), zero, count,
                                       math.constant(1));
  if (hasDistinctBuffers(nest))
    markDistinct(tasks, /*hasSides=*/false);
  rewriter.moveOpBefore(nest, tasks.getBody()->getTerminator());
  rewriter.setInsertionPoint(nest);
  IndexBuilder inside(nest.getLoc(), rewriter);
  Value run = inside.multiply(grain, step);
  Value first =
      inside.add(lower, inside.multiply(tasks.getInductionVars().front(), run));
  bounds.lower[0] = first;
  bounds.upper[0] =
      inside.createOrFold<arith::MinSIOp>(inside.add(first, run), upper);
  LoopNest(nest).setBounds(rewriter, bounds);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

ParOp mlir::tc::cloneWithLoops(RewriterBase &rewriter, ParOp nest) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(nest);
  auto copy = cast<ParOp>(rewriter.clone(*nest));
  for (Operation *fold :
       collectOps<Operation *>(copy, llvm::IsaPred<ReduceOp, ScanOp>)) {
    rewriter.setInsertionPoint(fold);
    TypeSwitch<Operation *>(fold).Case<ReduceOp, ScanOp>(
        [&](auto op) { lowerToThread(rewriter, op); });
  }
  return copy;
}

/// Runs `width` iterations along the last dimension together, with the loops of
/// reductions inside of them; leaves `nest` as it is where that cannot be.
static void runTogether(RewriterBase &rewriter, ParOp nest, int64_t width) {
  ParOp trial = cloneWithLoops(rewriter, nest);
  int64_t last = nest.getRank() - 1;
  Refusal refusal;
  FailureOr<TwoNests> made =
      vectorizeNest(rewriter, trial, last, width, refusal);
  rewriter.eraseOp(succeeded(made) ? nest : trial);
  while (succeeded(made) && made->second &&
         (width /= kFewerTogether) >= kFewerTogether)
    made = vectorizeNest(rewriter, made->second, last, width, refusal);
}

/// Puts the dimensions of `nest` in the order of `plan`.
static ParOp reorder(RewriterBase &rewriter, ParOp nest,
                     const HostNestPlan &plan) {
  if (llvm::is_sorted(plan.order))
    return nest;
  Refusal refusal;
  FailureOr<TwoNests> made =
      interchangeNest(rewriter, nest, plan.order, refusal);
  return succeeded(made) ? cast<ParOp>(made->first) : nest;
}

/// The tiles of `nest` along the last dimension and `plan.across`, and the nest
/// of one; null where that cannot be. A rank of `nest` other than that of the
/// plan is 2, of these dimensions alone.
static std::optional<std::pair<ParOp, ParOp>> tile(RewriterBase &rewriter,
                                                   ParOp nest,
                                                   const HostNestPlan &plan,
                                                   int64_t size) {
  SmallVector<int64_t> sizes(nest.getRank(), size);
  if (nest.getRank() == plan.order.size())
    for (auto [d, extent] : llvm::zip_equal(plan.order, sizes))
      if (d != plan.across && d != plan.order.back())
        extent = 1;
  Refusal refusal;
  FailureOr<TwoNests> made = tileNest(rewriter, nest, sizes, refusal);
  if (failed(made))
    return std::nullopt;
  return std::pair(cast<ParOp>(made->first), cast<ParOp>(made->second));
}

/// Runs `nest` tile by tile, those that share pages of memory together.
static ParOp runInTiles(RewriterBase &rewriter, ParOp nest,
                        const HostNestPlan &plan) {
  auto pages = tile(rewriter, nest, plan, plan.tile * kTilesOfPage);
  if (!pages)
    return nest;
  auto tiles = tile(rewriter, pages->second, plan, plan.tile);
  if (tiles)
    transposeTiles(rewriter, tiles->second, plan.tile);
  return pages->first;
}

/// Runs `nest` by parts of `run` iterations along the last dimension: these,
/// and the nest of one.
static std::pair<ParOp, ParOp> runByColumns(RewriterBase &rewriter, ParOp nest,
                                            int64_t run) {
  SmallVector<int64_t> sizes(nest.getRank(), 0);
  sizes.back() = run;
  Refusal refusal;
  FailureOr<TwoNests> made = tileNest(rewriter, nest, sizes, refusal);
  if (failed(made))
    return {nest, nest};
  return {cast<ParOp>(made->first), cast<ParOp>(made->second)};
}

/// Runs parts of the last dimension of `nest` by rows: gives the nest of these
/// parts, or null where that cannot be.
static ParOp runColumnsByRows(RewriterBase &rewriter, ParOp nest,
                              const HostNestPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(nest);
  auto trial = cast<ParOp>(rewriter.clone(*nest));
  SmallVector<int64_t> sizes(trial.getRank(), 1);
  sizes.back() = plan.columns;
  Refusal refusal;
  FailureOr<TwoNests> made = tileNest(rewriter, trial, sizes, refusal);
  if (failed(made)) {
    rewriter.eraseOp(trial);
    return nullptr;
  }
  auto parts = cast<ParOp>(made->first);
  if (!runByRows(rewriter, cast<ParOp>(made->second), plan.columns,
                 plan.rows)) {
    rewriter.eraseOp(parts);
    return nullptr;
  }
  rewriter.eraseOp(nest);
  return parts;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct MapHostPass : tc::impl::MapHostBase<MapHostPass> {
  using MapHostBase::MapHostBase;

  void runOnOperation() override {
    if (vectorBits < 64 || vectorBits % 64 != 0) {
      getOperation().emitError()
          << "expected vectors of a multiple of 64 bits, got "
          << vectorBits.getValue() << " bits";
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    for (ParOp nest : collectOps<ParOp>(getOperation(), isOutermost))
      map(rewriter, nest);
  }

  static bool isOutermost(ParOp nest) {
    return !nest->getParentOfType<ParOp>() &&
           !nest->getParentOfType<scf::ParallelOp>() &&
           !nest->getParentOfType<ReduceOp>() &&
           !nest->getParentOfType<ScanOp>();
  }

  void map(IRRewriter &rewriter, ParOp nest, bool inTask = false);
};
} // namespace

void MapHostPass::map(IRRewriter &rewriter, ParOp nest, bool inTask) {
  if (nest.getRank() == 0)
    return;
  auto mapInner = [&](ParOp outer) {
    for (ParOp inner : collectOps<ParOp>(outer, [&](ParOp inner) {
           return inner->getParentOfType<ParOp>() == outer;
         }))
      map(rewriter, inner, /*inTask=*/true);
  };
  // One thread runs all iterations, and that of a team that nothing makes wait.
  if (containsOp(nest, llvm::IsaPred<gpu::BarrierOp>)) {
    if (!inTask)
      shareAmongTasks(rewriter, nest, planHostNest(nest, vectorBits).work,
                      /*unit=*/1);
    return mapInner(nest);
  }
  dropLevels(nest);
  mergeBand(nest);
  HostNestPlan plan = planHostNest(nest, vectorBits);
  nest = reorder(rewriter, nest, plan);
  int64_t work = plan.work;
  ParOp shared = nest;
  if (plan.columns != 0)
    if (ParOp parts = runColumnsByRows(rewriter, nest, plan)) {
      if (!inTask)
        shareAmongTasks(rewriter, parts,
                        std::min(work, kTaskOps) * plan.columns, /*unit=*/1);
      return mapInner(parts);
    }
  if (plan.across) {
    shared = runInTiles(rewriter, nest, plan);
    work *= plan.tile * plan.tile * kTilesOfPage * kTilesOfPage;
  } else if (plan.run != 0 && !inTask) {
    // The plan has a run only where extents are constant.
    int64_t iterations = countIterations(nest).value_or(1);
    std::tie(shared, nest) = runByColumns(rewriter, nest, plan.run);
    work *=
        std::min(iterations / countIterations(shared).value_or(1), kTaskOps);
  }
  int64_t unit = shared == nest && nest.getRank() == 1 ? kTaskUnit : 1;
  if (!inTask)
    shareAmongTasks(rewriter, shared, work, unit);
  if (plan.together != 0)
    runTogether(rewriter, nest, plan.together);
  else if (!plan.across)
    mapInner(nest);
}
