//===- Tiles.h - What a schedule means for a contraction --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles a #tc.schedule asks for, computed in one place: the pass that
// checks a schedule and the passes that carry it out read the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TILES_H
#define TC_ANALYSIS_TILES_H

#include "tc/Analysis/TilePlan.h"

namespace mlir::tc {

/// One dimension of an input's tile in shared memory: a row of the input's
/// column in the stride table, or a piece of one that has several, and the
/// threads along it.
struct TileDim {
  int64_t size = 1;
  /// Threads of a block along it, and how far apart the numbers of neighbours
  /// are.
  int64_t threads = 1, threadStride = 1;
  /// How far apart neighbours are in the input; kDynamic if that is dynamic.
  int64_t inputStride = ShapedType::kDynamic;
  /// The iterator it is along; and as `inputStride`, but an estimate, and
  /// positive.
  unsigned iterator = 0;
  int64_t nominalStride = 1;
  /// Do its elements go together where a row is copied, though lanes read one
  /// of them each?
  bool isVector = false;
  /// Do lanes read two registers of it in turns, as columns of a tensor
  /// instruction?
  bool isPaired = false;

  /// Adds to each of `addresses`, of neighbouring threads from `first` on, how
  /// far along it the thread begins to read, in steps of `stride`.
  void addPlaces(int64_t first, int64_t stride,
                 MutableArrayRef<int64_t> addresses) const;
};

/// May one access copy `chunk` elements of so many bytes? Rows of numbers
/// narrower than a register are copied with what lies between them, one by one,
/// since LLVM may read that, too; not so where tensor instructions read them.
bool mayCopyTogether(const TilePlan &plan, int64_t bytes, int64_t chunk);

/// The shared-memory tile of one input.
struct StageTile {
  /// Elements along each dimension, and strides with padding, in elements.
  SmallVector<int64_t> sizes, strides;
  /// Elements to reserve.
  int64_t elements = 0;
  /// Elements in a row that a lane copies at a time, and that it reads.
  int64_t chunk = 1, read = 1;
  /// Wavefronts of all that a block writes to and reads from it in one step.
  /// Predicted.
  int64_t wavefronts = 0;
};

/// The tile of these dimensions, for a block of `threads`: row-major, padded so
/// that fill and reads take the fewest wavefronts.
StageTile getStageTile(ArrayRef<TileDim> dims, int64_t elementBytes,
                       int64_t threads);

/// How many neighbours along the last dimension go in one access of a lane: all
/// of them where they are a thread's and at most 16 bytes, else 1. In a copy
/// they may be of several that read them.
int64_t getChunk(ArrayRef<TileDim> dims, int64_t elementBytes,
                 bool isCopy = false);

/// The dimensions of the tile of an input with these strides by iterator, and
/// with estimates for those, in memory order; an iterator with a vector, or
/// listed twice, as several.
SmallVector<TileDim> getTileDims(const TilePlan &plan,
                                 ArrayRef<bool> contracted,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> nominal);

/// The same for an input's tile. `access` is the input's.
SmallVector<TileDim> getTileDims(ContractOp op, ScheduleAttr schedule,
                                 const Access &access);

/// Elements of a tile; saturating.
int64_t countElements(ArrayRef<TileDim> dims);

/// Do the `threads` of a block read the input of this tile where it lies, and
/// not from a copy in shared memory? Where a copy would only cost time: no
/// element is for two threads, and lanes read neighbours, or chunks next to
/// each other.
bool isReadInPlace(ArrayRef<TileDim> dims, int64_t elementBytes,
                   int64_t threads);

/// Factor of iterator `i` in a block tile: its block, or its step when it is
/// contracted.
int64_t getTileFactor(ContractOp op, ScheduleAttr schedule, unsigned i);

} // namespace mlir::tc

#endif // TC_ANALYSIS_TILES_H
