//===- CopyTeam.h - Which threads copy a tile -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_COPYTEAM_H
#define TC_ALGEBRA_COPYTEAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tc {

/// Rounds of copies of a step that are written out, so that what their
/// addresses have in common is computed once, outside of loops; and rounds of a
/// regular team, which are written out where its copies share an address.
inline constexpr int64_t kMostCopyRounds = 16, kMostRegularRounds = 64;

/// How the threads of a block copy the chunks of a tile in rounds, one each.
struct CopyTeam {
  llvm::SmallVector<int64_t> sizes; ///< of the tile, in chunks
  /// Threads along each dimension. In each round they stand whole steps of as
  /// many further, so that all copies of a thread share an address and the
  /// guards. Empty: thread t copies chunks t, t + threads, and so on, in the
  /// order of the tile.
  llvm::SmallVector<int64_t> along;
  int64_t threads; ///< that copy: the first ones of the block

  bool isRegular() const { return !along.empty(); }
  /// Rounds along dimension `d` of a regular team.
  int64_t countRounds(size_t d) const;
  int64_t countRounds() const;
  /// Where along dimension `d` the chunks are that `count` threads from `first`
  /// on copy in `round`, in chunks. A thread rests whose chunk is not inside
  /// the tile along all dimensions.
  llvm::SmallVector<int64_t, 32> getPlaces(size_t d, int64_t first,
                                           int64_t count, int64_t round) const;
};

/// The team for a tile of `sizes` chunks, each of `bytes`, of a block of
/// `threads`: a regular one where that takes hardly more rounds and leaves what
/// neighbours copy together.
CopyTeam getCopyTeam(llvm::ArrayRef<int64_t> sizes, int64_t threads,
                     int64_t bytes);

} // namespace mlir::tc

#endif // TC_ALGEBRA_COPYTEAM_H
