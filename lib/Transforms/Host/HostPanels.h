//===- HostPanels.h - Packed panels and register tiles ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel is so many rows, or columns, as a register tile has, by the sums of
// one block: for each sum its elements lie together. Panels of a block are
// memref<panels x parts x depth x width>.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTPANELS_H
#define TC_LIB_TRANSFORMS_HOST_HOSTPANELS_H

#include "Host/HostTables.h"

namespace mlir::tc {

/// The rows or columns of one operand in panels.
struct HostSide {
  const Access &operand;
  ArrayRef<unsigned> iterators;
  Value total;     ///< rows or columns there are
  int64_t width;   ///< of a panel
  Value panels;    ///< where they lie
  Value batch;     ///< place of the batch
  Value sums;      ///< table of the places of sums
  Value denseSums; ///< 1 where these are consecutive, else 0
};

/// Copies panel number `panel`, which begins at row or column `start`, with the
/// first `depth` sums, as numbers of the plan. What is missing in the last
/// panel is some other number.
void packPanel(HostContraction &code, const HostSide &side, Value panel,
               Value start, Value depth);

/// The same where panels hold pairs of sums: the two of a line are neighbours.
/// Where the second of the last pair is missing, it is 0.
void packPairs(HostContraction &code, const HostSide &side, Value panel,
               Value start, Value depth);

/// The largest power of two that divides all of `extents`.
int64_t getCommonBlock(ArrayRef<int64_t> extents);

/// Copies the `count` columns from number `start` on, with the first `depth`
/// sums, tile by tile (HostPlan::inputNeighbours): a line of a cache is read as
/// a whole, and goes into many panels.
void packTiles(HostContraction &code, const HostSide &side, Value start,
               Value count, Value depth);

/// What a register tile reads of one input: a panel, or its elements where they
/// lie.
struct HostFactor {
  Value memory; ///< panels; null where there are none
  Value panel;  ///< the number of the panel
  /// Of each row, or vector of columns, the elements from its place on.
  SmallVector<Value> lines;
  Value sums; ///< table of the places of sums

  /// The indices of line `line` of a panel whose lines have `width` elements.
  SmallVector<Value> indicesOf(HostBuilder &builder, int64_t part, Value sum,
                               int64_t line, int64_t width) const;
  Value getMemory(int64_t line) const { return memory ? memory : lines[line]; }
};

/// The lines of `operand` from the places in `table` on.
SmallVector<Value> viewLines(HostBuilder &builder, const Access &operand,
                             Value batch, Value table, int64_t count);

/// The first `count` elements of a row that begins with a vector of `length` at
/// element `start`: which of these there are.
Value createMask(HostBuilder &builder, Value count, int64_t start,
                 int64_t length);
Value createZeros(HostBuilder &builder, VectorType type);

/// The accumulators of one register tile: `parts` times `rowTile` times
/// `vectors` vectors.
using HostTile = SmallVector<Value>;

/// The product of rows and columns over `depth` sums.
HostTile multiplyPanels(HostBuilder &builder, const HostPlan &plan,
                        const HostFactor &rows, const HostFactor &columns,
                        Value depth);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTPANELS_H
