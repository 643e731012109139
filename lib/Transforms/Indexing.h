//===- Indexing.h - Index arithmetic of nests -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_INDEXING_H
#define TC_LIB_TRANSFORMS_INDEXING_H

#include "mlir/IR/Builders.h"

namespace mlir::tc {

/// A value times a constant.
struct Term {
  OpFoldResult value;
  int64_t factor;
};

/// The sum of `terms` and `constant`, as one affine.apply or a constant.
OpFoldResult buildSum(OpBuilder &builder, Location loc, ArrayRef<Term> terms,
                      int64_t constant = 0);

/// min(tile, extent - index): how much of a tile at `index` is inside. A
/// constant when `tile` divides `extent`, given that `index` is a multiple.
OpFoldResult buildTileSize(OpBuilder &builder, Location loc, int64_t extent,
                           int64_t tile, OpFoldResult index);

/// ceil((size - first) / step): how many of first, first + step, ... are below
/// `size`, for 0 <= first < step and size >= 1.
OpFoldResult buildStrideCount(OpBuilder &builder, Location loc,
                              OpFoldResult size, OpFoldResult first,
                              int64_t step);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_INDEXING_H
