//===- HostResults.h - Register tiles into results --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTRESULTS_H
#define TC_LIB_TRANSFORMS_HOST_HOSTRESULTS_H

#include "Host/HostPanels.h"

namespace mlir::tc {

/// The places of one result or side, for the rows of a tile and the columns of
/// a block; columns have one entry every `step`.
struct HostResultTables {
  const Access *operand = nullptr;
  Value batch;   ///< place of the batch
  Value rows;    ///< table of a tile's rows
  Value columns; ///< table of panels times columns
  Value dense;   ///< for each panel, 1 where its columns are consecutive
  int64_t step = 1;
};

/// Where a tile lies, and how much of it there is.
struct HostTilePlace {
  Value panel;         ///< of columns
  Value start;         ///< number of its first column
  Value rows, columns; ///< how many there are, at most a whole tile
};

/// Writes `tile` to the results, or with `adds` adds it to what they hold.
/// `targets` are the sides, then the results, in the order of the op.
void writeTile(HostContraction &code, const HostTile &tile,
               ArrayRef<HostResultTables> targets, const HostTilePlace &place,
               bool adds);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTRESULTS_H
