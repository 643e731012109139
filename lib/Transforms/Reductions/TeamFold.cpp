//===- TeamFold.cpp - A reduction by the threads of a team ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions/TeamFold.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Threads of a block, at most and at least.
static constexpr int64_t kMaxThreads = 256, kMinThreads = 32;
/// Shared memory that one reduction may take; a third of what a kernel has.
static constexpr int64_t kMaxBytes = 16 * 1024;

int64_t TeamFold::chooseThreads(int64_t share, int64_t slots) {
  if (team != Level::Block)
    return getTeamThreads(team);
  int64_t bytes = 0, count = kMaxThreads;
  for (Value init : fold.inits)
    bytes += getBufferBytes(init.getType());
  if (most)
    count =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(*most, share)),
                            kMinThreads, kMaxThreads);
  while (count > kMinThreads && count * slots * bytes > kMaxBytes)
    count /= 2;
  return count;
}

void TeamFold::chooseTerms() {
  if (!most || *most <= 0)
    return;
  int64_t least = llvm::divideCeil(*most, threads);
  if (least <= kMaxTerms) // Note [Banks]
    termsEach = llvm::isPowerOf2_64(least) ? least : least + (least + 1) % 2;
}

void TeamFold::forThreads(int64_t count, function_ref<void(Value)> body) {
  ParOp::create(
      builder, fold.loc, team, index(0), index(count), {1},
      [&](OpBuilder &, Location, ValueRange thread) { body(thread.front()); });
}

void TeamFold::gatherParts(bool inOrder) {
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

void TeamFold::scanParts() {
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

void TeamFold::loadTile(FoldBuffers &terms, Value base) {
  forThreads(threads, [&](Value thread) {
    SeqOp::create(
        builder, fold.loc, index(0), index(termsEach), {1},
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

void TeamFold::combineTile(FoldBuffers &terms, ValueRange carry, bool keep) {
  forThreads(threads, [&](Value thread) {
    Value isFirst = fold.math().isEqual(thread, 0);
    auto loop = SeqOp::create(
        builder, fold.loc, index(0), index(termsEach), {1},
        fold.select(isFirst, carry, fold.inits),
        [&](OpBuilder &, Location, ValueRange k, ValueRange carried) {
          OpFoldResult place = fold.apply(fold.dim(0) * termsEach + fold.dim(1),
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
TeamFold::forTiles(function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (isOneTile())
    return body(fold.asValue(index(0)), fold.inits);
  auto loop = SeqOp::create(
      builder, fold.loc, index(0), total, {tile()}, fold.inits,
      [&](OpBuilder &, Location, ValueRange base, ValueRange carry) {
        return body(base.front(), carry);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

// Note [Banks]
// ~~~~~~~~~~~~
// Threads that read the first of their n consecutive terms are n places apart.
// If n is odd these are in different banks. If it is a power of two, each
// thread whose terms begin a row of banks begins in the same one, so a bank is
// left out behind each row. Terms of neighbours are neighbours in a row in both
// cases.
