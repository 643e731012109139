//===- IndexPositions.h - An index space as a range of numbers --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of a space have positions 0, 1, ... in lexicographic order, so
// that a space of any shape is cut, or joined to others, as a range of numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_INDEXPOSITIONS_H
#define TC_LIB_TRANSFORMS_NESTS_INDEXPOSITIONS_H

#include "tc/IR/IndexBuilder.h"
#include "tc/IR/TC.h"

namespace mlir::tc {

/// The product of two numbers that are not negative; as much as an integer
/// holds where that is less: so many iterations never end either.
OpFoldResult multiplyCounts(IndexBuilder &math, OpFoldResult a, OpFoldResult b);

/// The positions of one index space.
class IndexPositions {
public:
  explicit IndexPositions(SpaceBounds bounds) : bounds(std::move(bounds)) {}

  /// Emits how many indices there are, which `indicesAt` needs: once, where it
  /// dominates what follows.
  OpFoldResult count(IndexBuilder &math);
  /// Emits the index at `position`, which is below the count.
  SmallVector<Value> indicesAt(IndexBuilder &math, Value position) const;

private:
  /// How many indices dimension `d` has.
  OpFoldResult countAlong(IndexBuilder &math, unsigned d) const;
  /// The distance of index `number` of dimension `d` from its lower bound.
  Value distanceOf(IndexBuilder &math, unsigned d, Value number) const;

  SpaceBounds bounds;
  SmallVector<OpFoldResult> extents;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_INDEXPOSITIONS_H
