//===- LowerReductionsTeam.cpp - Reductions by the threads of a team ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms in any order: thread t of T combines the terms t, t + T, ...
// (neighbours read neighbours), and the threads combine what they have in
// rounds.
//
// Terms in order, and scans: tile after tile of T * n terms.
//
//   1. terms to shared memory, thread t the terms t, t + T, ... of the tile
//   2. thread t combines its n consecutive terms; a scan keeps each sum.
//      Thread 0 starts from the carry, all terms before the tile.
//   3. rounds combine the threads' parts: into one, or into their prefixes
//   4. a scan finishes the terms, as they were loaded; the last prefix, or the
//      total, is the next carry
//
// In a round no thread writes what another one reads.
//
//===----------------------------------------------------------------------===//

#include "Reductions/TeamFold.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Terms in any order that a thread loads before it combines them, if they are
/// made by so many ops or fewer: loads under way are what keeps memory busy.
static constexpr int64_t kAtOnce = 4, kShortMap = 32;

//===----------------------------------------------------------------------===//
// tc.reduce
//===----------------------------------------------------------------------===//

/// Is `map` so short that a few of it side by side are no burden?
static bool isShort(Region &map) {
  return map.front().getOperations().size() <= kShortMap &&
         llvm::all_of(map.front(),
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

/// Terms, a power of two of them, combined pair by pair.
static SmallVector<Value> combinePairs(Fold &fold,
                                       ArrayRef<SmallVector<Value>> terms) {
  if (terms.size() == 1)
    return terms.front();
  size_t half = terms.size() / 2;
  return fold.combine(combinePairs(fold, terms.take_front(half)),
                      combinePairs(fold, terms.drop_front(half)));
}

/// The terms from `first` to `end` that a thread has, `atOnce` in each step of
/// a loop that carries them with `inits`.
static SmallVector<Value> gatherRange(TeamFold &team, Value thread,
                                      OpFoldResult first, OpFoldResult end,
                                      int64_t atOnce, ValueRange inits) {
  Fold &fold = team.fold;
  AffineExpr base = fold.dim(0);
  auto loop = SeqOp::create(
      team.builder, fold.loc, fold.apply(base + fold.dim(1), {first, thread}),
      end, {atOnce * team.threads}, inits,
      [&](OpBuilder &, Location, ValueRange position, ValueRange carried) {
        SmallVector<SmallVector<Value>> terms;
        for (int64_t k = 0; k < atOnce; ++k)
          terms.push_back(fold.map(fold.asValue(
              fold.apply(base + k * team.threads, {position.front()}))));
        return fold.combine(carried, combinePairs(fold, terms));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// All terms combined in any order, in the first part.
static void gatherTerms(TeamFold &team, Region &map) {
  Fold &fold = team.fold;
  // All threads have work in each step up to `whole`.
  int64_t step = kAtOnce * team.threads;
  OpFoldResult zero = team.index(0);
  OpFoldResult whole =
      isShort(map) ? fold.apply(fold.dim(0).floorDiv(step) * step, team.total)
                   : zero;
  team.forThreads(team.threads, [&](Value thread) {
    SmallVector<Value> values = fold.inits;
    if (getConstantIntValue(whole) != 0)
      values = gatherRange(team, thread, zero, whole, kAtOnce, values);
    if (whole != team.total)
      values = gatherRange(team, thread, whole, team.total, 1, values);
    team.parts.store(values, OpFoldResult(thread));
  });
  team.gatherParts(/*inOrder=*/false);
}

void mlir::tc::lowerToTeam(RewriterBase &rewriter, ReduceOp op, Level level,
                           std::optional<int64_t> most) {
  bool inOrder = !op.getCommutative();
  TeamFold team(rewriter, op, level, most, inOrder ? kTerms : 1,
                inOrder ? kTerms + 1 : 1);
  auto finish = [&](function_ref<SmallVector<Value>()> getTotal) {
    team.forThreads(
        1, [&](Value) { copyRegion(rewriter, op.getFinish(), getTotal()); });
    rewriter.eraseOp(op);
  };
  auto first = [&] { return team.parts.load(team.index(0)); };
  if (!inOrder) {
    gatherTerms(team, op.getMap());
    return finish(first);
  }
  FoldBuffers terms = team.createTerms();
  SmallVector<Value> total = team.forTiles([&](Value base, ValueRange carry) {
    team.loadTile(terms, base);
    team.combineTile(terms, carry, /*keep=*/false);
    team.gatherParts(/*inOrder=*/true);
    // Only the thread that finishes needs it of the only tile.
    return team.isOneTile() ? SmallVector<Value>(carry) : first();
  });
  finish([&] { return team.isOneTile() ? first() : total; });
}

//===----------------------------------------------------------------------===//
// tc.scan
//===----------------------------------------------------------------------===//

namespace {
/// The prefixes of a tile, of which `terms` and the parts hold two halves.
struct TilePrefixes {
  TeamFold &team;
  FoldBuffers &terms;
  ValueRange carry;

  /// All terms up to `place` in the tile, and all before the tile, combined.
  SmallVector<Value> upTo(OpFoldResult place) {
    Fold &fold = team.fold;
    OpFoldResult thread =
        fold.apply(fold.dim(0).floorDiv(team.termsEach), {place});
    Value isFirst = team.fold.math().isEqual(fold.asValue(thread), 0);
    // The first thread has no one before it; it reads its own part for nothing.
    return fold.combine(fold.select(isFirst, fold.inits,
                                    team.parts.load(previous(thread, isFirst))),
                        terms.load(place));
  }
  /// The same without the term at `place`.
  SmallVector<Value> before(OpFoldResult place) {
    IndexBuilder math = team.fold.math();
    Value isFirst = math.isEqual(math.get(place), 0);
    return team.fold.select(isFirst, carry, upTo(previous(place, isFirst)));
  }

private:
  /// The number before `number`, or 0.
  OpFoldResult previous(OpFoldResult number, Value isZero) {
    IndexBuilder math = team.fold.math();
    Value before = math.get(math.apply(math.d0() - 1, number));
    return math.createOrFold<arith::SelectOp>(isZero, math.constant(0), before);
  }
};
} // namespace

/// Runs `finish` for each term of the tile that is one.
static void finishTile(TeamFold &team, ScanOp op, TilePrefixes &prefixes,
                       Value base) {
  Fold &fold = team.fold;
  auto finishTerm = [&](OpFoldResult place, Value position) {
    SmallVector<Value> arguments = fold.indicesAt(position);
    llvm::append_range(arguments, op.getExclusive() ? prefixes.before(place)
                                                    : prefixes.upTo(place));
    copyRegion(team.builder, op.getFinish(), arguments);
  };
  team.forThreads(team.threads, [&](Value thread) {
    // Rounds that begin beyond the last term are none.
    OpFoldResult left = fold.apply(fold.dim(0) - fold.dim(1) - fold.dim(2),
                                   {team.total, base, thread});
    Value end =
        arith::MinSIOp::create(team.builder, fold.loc, fold.asValue(left),
                               fold.asValue(team.index(team.tile())));
    SeqOp::create(
        team.builder, fold.loc, team.index(0), OpFoldResult(end),
        {team.threads}, [&](OpBuilder &, Location, ValueRange round) {
          OpFoldResult place =
              fold.apply(fold.dim(0) + fold.dim(1), {thread, round.front()});
          finishTerm(place, fold.asValue(fold.apply(fold.dim(0) + fold.dim(1),
                                                    {base, place})));
        });
  });
}

void mlir::tc::lowerToTeam(RewriterBase &rewriter, ScanOp op, Level level,
                           std::optional<int64_t> most) {
  TeamFold team(rewriter, op, level, most, kTerms, kTerms + 1);
  FoldBuffers terms = team.createTerms();
  team.forTiles([&](Value base, ValueRange carry) {
    team.loadTile(terms, base);
    team.combineTile(terms, carry, /*keep=*/true);
    team.scanParts();
    TilePrefixes prefixes{team, terms, carry};
    finishTile(team, op, prefixes, base);
    // No one needs it of the only tile.
    return team.isOneTile() ? SmallVector<Value>(carry)
                            : team.parts.load(team.index(team.threads - 1));
  });
  rewriter.eraseOp(op);
}
