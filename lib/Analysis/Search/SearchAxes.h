//===- SearchAxes.h - Tiles along some of the iterators ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Result iterators that the same inputs vary with form an axis: the rows (only
// the first input), the columns (only the second), batch (all), broadcast
// (none). A tile of an axis is chosen apart from those of the others, which
// keeps the search small.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_SEARCHAXES_H
#define TC_LIB_ANALYSIS_SEARCH_SEARCHAXES_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

namespace mlir::tc {

struct ResultAxis {
  SmallVector<bool, 4> inputs;        ///< those that vary with it
  SmallVector<unsigned, 8> iterators; ///< by rising result stride
  double extent = 1;
  bool apart = false; ///< one index of each for a block
  /// Is a value that is staged for one result used for others of the axis? Does
  /// one input vary with it, and another one not?
  bool hasReuse() const {
    return llvm::is_contained(inputs, true) &&
           llvm::is_contained(inputs, false);
  }
};

/// The axes of the result iterators, in the order of their smallest stride.
SmallVector<ResultAxis> getResultAxes(const Workload &work);

/// A tile of one axis: factors of its iterators, in its order.
struct AxisTile {
  PerIterator thread, reg, vector;
  int64_t threads = 1; ///< product
  int64_t results = 1; ///< of a thread: product of reg and vector
  double parts = 1;    ///< blocks along the axis
  double waste = 1;    ///< places over results
  /// For each input, then each stored array: bytes moved over bytes asked for,
  /// at least, by how far the tile goes along the fastest iterator.
  SmallVector<float, 4> excess;
};

/// What a search wants of the tiles of an axis, at most.
struct AxisLimits {
  int64_t threads = 256, results = 16;
  /// Only tiles that can be rows or columns of tensor instructions.
  bool areFolded = false;
  /// Blocks of about as much along each iterator, too: of the terms of a sum
  /// each has other ones in its inputs.
  bool areBalanced = false;
};

/// How many neighbours along `iterator` may go together, falling, without 1:
/// powers of two of which some array has whole accesses everywhere.
SmallVector<int64_t, 2> getVectors(const Workload &work, unsigned iterator);

/// Tiles of `axis`, all different, in a fixed order.
std::vector<AxisTile> enumerateTiles(const Workload &work,
                                     const ResultAxis &axis,
                                     const AxisLimits &limits);

/// The factor of `extent` from `target`/2 to `target` that wastes least when
/// `extent` is covered by whole tiles; the largest of these.
int64_t fitTile(int64_t extent, int64_t target);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_SEARCHAXES_H
