//===- TeamFold.h - A reduction by the threads of a team -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_REDUCTIONS_TEAMFOLD_H
#define TC_LIB_TRANSFORMS_REDUCTIONS_TEAMFOLD_H

#include "Reductions/Fold.h"

namespace mlir::tc {

/// Consecutive terms of a thread in a tile: of many terms, and the most where
/// one tile has all. They are odd, so that lanes that walk over their own
/// terms are in different banks of shared memory.
inline constexpr int64_t kTerms = 7, kMaxTerms = 9;

/// Emits one reduction by the threads of a team: a block, a warpgroup or a
/// warp.
struct TeamFold {
  Fold fold;
  OpBuilder &builder;
  Level team;
  OpFoldResult total;
  std::optional<int64_t> most; ///< terms, where a number is known
  int64_t threads;
  int64_t termsEach = kTerms; ///< consecutive ones of a thread in a tile
  /// A value a thread.
  FoldBuffers parts;

  /// Threads that each have a share of at least `share` terms, where there are
  /// enough, and `slots` values in shared memory. There are at most `most`
  /// terms where that is known.
  template <typename FoldOp>
  TeamFold(OpBuilder &builder, FoldOp op, Level team,
           std::optional<int64_t> most, int64_t share, int64_t slots)
      : fold(builder, op), builder(builder), team(team), total(fold.count()),
        most(most ? most : getConstantIntValue(total)),
        threads(chooseThreads(share, slots)),
        parts(FoldBuffers::createShared(fold, threads)) {
    chooseTerms();
  }

  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }
  int64_t tile() const { return threads * termsEach; }
  /// Has one tile all terms?
  bool isOneTile() const { return most && *most > 0 && *most <= tile(); }
  /// Threads whose parts others need in a scan: in the only tile not the last
  /// one that has terms.
  int64_t countNeeded() const {
    return isOneTile() ? llvm::divideCeil(*most, termsEach) - 1 : threads;
  }

  int64_t chooseThreads(int64_t share, int64_t slots);
  /// No more consecutive terms than one tile needs.
  void chooseTerms();
  /// Buffers for the terms of a tile.
  FoldBuffers createTerms() {
    return FoldBuffers::createShared(fold, tile(), termsEach % 2 == 0);
  }
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

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_REDUCTIONS_TEAMFOLD_H
