//===- TilePicture.h - A block's tile, drawn --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_PAGE_TILEPICTURE_H
#define TC_LIB_RUNNER_PAGE_TILEPICTURE_H

#include "tc/Runner/ScheduledContraction.h"

namespace mlir::tc {

/// Iterators along one side of a picture, the last one fastest, with what each
/// has of them in a block's tile.
struct TileAxis {
  SmallVector<unsigned, 4> iterators;
  PerIterator factors; ///< one for each of them
  int64_t getSize() const;
  /// The index of each iterator at `place`, written into `indices`, which has
  /// one for each iterator of the contraction.
  void decode(int64_t place, MutableArrayRef<int64_t> indices) const;
};

/// How a block's tile is laid flat: results of the first input's iterators are
/// rows, those of others columns, and a step of the sum lies between.
struct TileAxes {
  TileAxis rows, columns, terms;
};
TileAxes getTileAxes(const ScheduledContraction &contraction);

/// The thread of a block that computes a result, and which of its results that
/// is.
struct ResultPlace {
  int64_t thread = 0, result = 0;
};
/// `indices` within the block's tile, by iterator. Of threads that share the
/// result, the first.
ResultPlace findResultPlace(const TilePlan &plan,
                            llvm::ArrayRef<int64_t> indices,
                            llvm::ArrayRef<bool> contracted);

/// The result in block tiles, one of these with the tiles of the inputs beside
/// it, and its corner with the number of each thread, as SVG.
std::string drawTiles(const ScheduledContraction &contraction);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_PAGE_TILEPICTURE_H
