//===- LowerReductionsBlock.cpp - Reductions by the threads of a block ----===//
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
// Terms in order, and scans: tile after tile of T * kTerms terms.
//
//   1. terms to shared memory, thread t the terms t, t + T, ... of the tile
//   2. thread t combines its kTerms consecutive terms; a scan keeps each sum.
//      Thread 0 starts from the carry, all terms before the tile.
//   3. rounds combine the threads' parts: into one, or into their prefixes
//   4. a scan finishes the terms, as they were loaded; the last prefix, or the
//      total, is the next carry
//
// In a round no thread writes what another one reads.
//
//===----------------------------------------------------------------------===//

#include "Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Threads of a block, at most and at least.
static constexpr int64_t kMaxThreads = 256, kMinThreads = 32;
/// Consecutive terms of a thread in a tile. It is odd, so that lanes that walk
/// over their own terms are in different banks of shared memory.
static constexpr int64_t kTerms = 7;
/// Partial results that one thread combines in a round. A round costs about a
/// barrier and the latency of shared memory; reads of one round overlap.
static constexpr int64_t kGathered = 8;
/// Shared memory that one reduction may take; a third of what a kernel has.
static constexpr int64_t kMaxBytes = 16 * 1024;

namespace {
/// Emits one reduction by the threads of a block.
struct BlockFold {
  Fold fold;
  OpBuilder &builder;
  OpFoldResult total;
  int64_t threads;
  /// A value a thread.
  FoldBuffers parts;

  /// Threads that each have a share of at least `share` terms, where there are
  /// enough, and `slots` values in shared memory.
  template <typename FoldOp>
  BlockFold(OpBuilder &builder, FoldOp op, int64_t share, int64_t slots)
      : fold(builder, op), builder(builder), total(fold.count()),
        threads(chooseThreads(share, slots)),
        parts(FoldBuffers::createShared(fold, threads)) {}

  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }
  int64_t tile() const { return threads * kTerms; }
  /// Has one tile all terms?
  bool isOneTile() const {
    std::optional<int64_t> known = getConstantIntValue(total);
    return known && *known > 0 && *known <= tile();
  }
  /// Threads whose parts others need in a scan: in the only tile not the last
  /// one that has terms.
  int64_t countNeeded() const {
    return isOneTile()
               ? llvm::divideCeil(*getConstantIntValue(total), kTerms) - 1
               : threads;
  }

  int64_t chooseThreads(int64_t share, int64_t slots);
  /// Calls `body` with the number of each of `count` threads.
  void forThreads(int64_t count, function_ref<void(Value)> body);
  /// Combines the parts of all threads into the first; terms keep their order
  /// if `inOrder`.
  void gatherParts(bool inOrder);
  /// Replaces the part of each thread by those up to it, combined.
  void scanParts();

  // Tiles, from `base` on.
  /// Terms of the tile to `terms`.
  void loadTile(FoldBuffers &terms, Value base);
  /// Combines the terms of each thread into its part, and with `keep` into
  /// themselves. The first begins with `carry`.
  void combineTile(FoldBuffers &terms, ValueRange carry, bool keep);
  /// A loop over tiles. `body` gets where a tile begins, and the terms before
  /// it; returns those before the next. The result is all terms combined.
  SmallVector<Value>
  forTiles(function_ref<SmallVector<Value>(Value, ValueRange)> body);
};
} // namespace

int64_t BlockFold::chooseThreads(int64_t share, int64_t slots) {
  int64_t bytes = 0, count = kMaxThreads;
  for (Value init : fold.inits)
    bytes += getBufferBytes(init.getType());
  if (std::optional<int64_t> known = getConstantIntValue(total))
    count =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(*known, share)),
                            kMinThreads, kMaxThreads);
  while (count > kMinThreads && count * slots * bytes > kMaxBytes)
    count /= 2;
  return count;
}

void BlockFold::forThreads(int64_t count, function_ref<void(Value)> body) {
  ParOp::create(
      builder, fold.loc, Level::Block, index(0), index(count), {1},
      [&](OpBuilder &, Location, ValueRange thread) { body(thread.front()); });
}

void BlockFold::gatherParts(bool inOrder) {
  AffineExpr number = fold.dim(0);
  int64_t span = 1; // between parts that are left, in order
  for (int64_t left = threads; left > 1;) {
    int64_t gathered = std::min(left, kGathered);
    left /= gathered;
    // The first part of each thread, and how far its next one is.
    AffineExpr first = inOrder ? number * (gathered * span) : number;
    int64_t next = inOrder ? span : left;
    span *= gathered;
    forThreads(left, [&](Value thread) {
      OpFoldResult own = fold.apply(first, {thread});
      auto loop = SeqOp::create(
          builder, fold.loc, index(1), index(gathered), {1}, parts.load(own),
          [&](OpBuilder &, Location, ValueRange k, ValueRange carried) {
            OpFoldResult other =
                fold.apply(first + fold.dim(1) * next, {thread, k.front()});
            return fold.combine(carried, parts.load(other));
          });
      parts.store(loop.getResults(), own);
    });
  }
}

void BlockFold::scanParts() {
  // Of each 2 * span parts the first half is done. Its last is what the second
  // half lacks.
  AffineExpr number = fold.dim(0);
  for (int64_t span = 1, end = countNeeded(); span < end; span *= 2)
    forThreads(threads / 2, [&](Value thread) {
      AffineExpr begin = number.floorDiv(span) * (2 * span);
      OpFoldResult last = fold.apply(begin + (span - 1), {thread});
      OpFoldResult own = fold.apply(begin + number % span + span, {thread});
      parts.store(fold.combine(parts.load(last), parts.load(own)), own);
    });
}

void BlockFold::loadTile(FoldBuffers &terms, Value base) {
  forThreads(threads, [&](Value thread) {
    SeqOp::create(
        builder, fold.loc, index(0), index(kTerms), {1},
        [&](OpBuilder &, Location, ValueRange round) {
          OpFoldResult place = fold.apply(fold.dim(0) + fold.dim(1) * threads,
                                          {thread, round.front()});
          Value position = fold.asValue(
              fold.apply(fold.dim(0) + fold.dim(1), {base, place}));
          Value isTerm = arith::CmpIOp::create(builder, fold.loc,
                                               arith::CmpIPredicate::slt,
                                               position, fold.asValue(total));
          auto branch = scf::IfOp::create(
              builder, fold.loc, isTerm,
              [&](OpBuilder &, Location) {
                scf::YieldOp::create(builder, fold.loc, fold.map(position));
              },
              [&](OpBuilder &, Location) {
                scf::YieldOp::create(builder, fold.loc, fold.inits);
              });
          terms.store(branch.getResults(), place);
        });
  });
}

void BlockFold::combineTile(FoldBuffers &terms, ValueRange carry, bool keep) {
  forThreads(threads, [&](Value thread) {
    Value isFirst =
        arith::CmpIOp::create(builder, fold.loc, arith::CmpIPredicate::eq,
                              thread, fold.asValue(index(0)));
    auto loop = SeqOp::create(
        builder, fold.loc, index(0), index(kTerms), {1},
        fold.select(isFirst, carry, fold.inits),
        [&](OpBuilder &, Location, ValueRange k, ValueRange carried) {
          OpFoldResult place = fold.apply(fold.dim(0) * kTerms + fold.dim(1),
                                          {thread, k.front()});
          SmallVector<Value> next = fold.combine(carried, terms.load(place));
          if (keep)
            terms.store(next, place);
          return next;
        });
    parts.store(loop.getResults(), OpFoldResult(thread));
  });
}

SmallVector<Value>
BlockFold::forTiles(function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (isOneTile())
    return body(fold.asValue(index(0)), fold.inits);
  auto loop = SeqOp::create(
      builder, fold.loc, index(0), total, {tile()}, fold.inits,
      [&](OpBuilder &, Location, ValueRange base, ValueRange carry) {
        return body(base.front(), carry);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// tc.reduce
//===----------------------------------------------------------------------===//

/// All terms combined in any order, in the first part.
static void gatherTerms(BlockFold &block) {
  Fold &fold = block.fold;
  block.forThreads(block.threads, [&](Value thread) {
    auto loop = SeqOp::create(
        block.builder, fold.loc, OpFoldResult(thread), block.total,
        {block.threads}, fold.inits,
        [&](OpBuilder &, Location, ValueRange position, ValueRange carried) {
          return fold.combine(carried, fold.map(position.front()));
        });
    block.parts.store(loop.getResults(), OpFoldResult(thread));
  });
  block.gatherParts(/*inOrder=*/false);
}

void mlir::tc::lowerToBlock(RewriterBase &rewriter, ReduceOp op) {
  bool inOrder = !op.getCommutative();
  BlockFold block(rewriter, op, inOrder ? kTerms : 1, inOrder ? kTerms + 1 : 1);
  auto finish = [&](function_ref<SmallVector<Value>()> getTotal) {
    block.forThreads(
        1, [&](Value) { cloneRegion(rewriter, op.getFinish(), getTotal()); });
    rewriter.eraseOp(op);
  };
  if (!inOrder) {
    gatherTerms(block);
    return finish([&] { return block.parts.load(block.index(0)); });
  }
  FoldBuffers terms = FoldBuffers::createShared(block.fold, block.tile());
  SmallVector<Value> total = block.forTiles([&](Value base, ValueRange carry) {
    block.loadTile(terms, base);
    block.combineTile(terms, carry, /*keep=*/false);
    block.gatherParts(/*inOrder=*/true);
    return block.parts.load(block.index(0));
  });
  finish([&] { return total; });
}

//===----------------------------------------------------------------------===//
// tc.scan
//===----------------------------------------------------------------------===//

namespace {
/// The prefixes of a tile, of which `terms` and the parts hold two halves.
struct TilePrefixes {
  BlockFold &block;
  FoldBuffers &terms;
  ValueRange carry;

  /// All terms up to `place` in the tile, and all before the tile, combined.
  SmallVector<Value> upTo(OpFoldResult place) {
    Fold &fold = block.fold;
    OpFoldResult thread = fold.apply(fold.dim(0).floorDiv(kTerms), {place});
    Value isFirst = isZero(thread);
    // The first thread has no one before it; it reads its own part for nothing.
    OpFoldResult before =
        arith::SelectOp::create(
            block.builder, fold.loc, isFirst, fold.asValue(block.index(0)),
            fold.asValue(fold.apply(fold.dim(0) - 1, {thread})))
            .getResult();
    return fold.combine(
        fold.select(isFirst, fold.inits, block.parts.load(before)),
        terms.load(place));
  }
  /// The same without the term at `place`.
  SmallVector<Value> before(OpFoldResult place) {
    Fold &fold = block.fold;
    Value isFirst = isZero(place);
    OpFoldResult last =
        arith::SelectOp::create(
            block.builder, fold.loc, isFirst, fold.asValue(block.index(0)),
            fold.asValue(fold.apply(fold.dim(0) - 1, {place})))
            .getResult();
    return fold.select(isFirst, carry, upTo(last));
  }

private:
  Value isZero(OpFoldResult value) {
    return arith::CmpIOp::create(
        block.builder, block.fold.loc, arith::CmpIPredicate::eq,
        block.fold.asValue(value), block.fold.asValue(block.index(0)));
  }
};
} // namespace

/// Runs `finish` for each term of the tile that is one.
static void finishTile(BlockFold &block, ScanOp op, TilePrefixes &prefixes,
                       Value base) {
  Fold &fold = block.fold;
  auto finishTerm = [&](OpFoldResult place, Value position) {
    SmallVector<Value> arguments = fold.indicesAt(position);
    llvm::append_range(arguments, op.getExclusive() ? prefixes.before(place)
                                                    : prefixes.upTo(place));
    cloneRegion(block.builder, op.getFinish(), arguments);
  };
  block.forThreads(block.threads, [&](Value thread) {
    // Rounds that begin beyond the last term are none.
    OpFoldResult left = fold.apply(fold.dim(0) - fold.dim(1) - fold.dim(2),
                                   {block.total, base, thread});
    Value end =
        arith::MinSIOp::create(block.builder, fold.loc, fold.asValue(left),
                               fold.asValue(block.index(block.tile())));
    SeqOp::create(
        block.builder, fold.loc, block.index(0), OpFoldResult(end),
        {block.threads}, [&](OpBuilder &, Location, ValueRange round) {
          OpFoldResult place =
              fold.apply(fold.dim(0) + fold.dim(1), {thread, round.front()});
          finishTerm(place, fold.asValue(fold.apply(fold.dim(0) + fold.dim(1),
                                                    {base, place})));
        });
  });
}

void mlir::tc::lowerToBlock(RewriterBase &rewriter, ScanOp op) {
  BlockFold block(rewriter, op, kTerms, kTerms + 1);
  FoldBuffers terms = FoldBuffers::createShared(block.fold, block.tile());
  block.forTiles([&](Value base, ValueRange carry) {
    block.loadTile(terms, base);
    block.combineTile(terms, carry, /*keep=*/true);
    block.scanParts();
    TilePrefixes prefixes{block, terms, carry};
    finishTile(block, op, prefixes, base);
    // No one needs it of the only tile.
    return block.isOneTile() ? SmallVector<Value>(carry)
                             : block.parts.load(block.index(block.threads - 1));
  });
  rewriter.eraseOp(op);
}
