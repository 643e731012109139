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
  Value total;   ///< rows or columns there are
  int64_t width; ///< of a panel
  Value panels;  ///< where they lie
  Value batch;   ///< place of the batch
  Value sums;    ///< table of the places of sums
};

/// Copies panel number `panel`, which begins at row or column `start`, with the
/// first `depth` sums, as numbers of the accumulator's type. What is missing in
/// the last panel is some other number.
void packPanel(HostContraction &code, const HostSide &side, Value panel,
               Value start, Value depth);

/// Copies the `count` columns from number `start` on, with the first `depth`
/// sums, tile by tile (HostPlan::inputNeighbours): a line of a cache is read as
/// a whole, and goes into many panels.
void packTiles(HostContraction &code, const HostSide &side, Value start,
               Value count, Value depth);

/// The accumulators of one register tile: `parts` times `rowTile` times
/// `vectors` vectors.
using HostTile = SmallVector<Value>;

/// The product of two panels over `depth` sums.
HostTile multiplyPanels(HostBuilder &builder, const HostPlan &plan, Value rows,
                        Value rowPanel, Value columns, Value columnPanel,
                        Value depth);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTPANELS_H
