//===- Indexing.h - Index arithmetic of nests -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_INDEXING_H
#define TC_LIB_TRANSFORMS_CONTRACT_INDEXING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tc {

/// A product of two values.
struct Product {
  OpFoldResult value, factor;
};

/// The constant that `value` is known to be, or kDynamic.
int64_t getStatic(OpFoldResult value);

/// The sum of `products`, as one affine.apply or a constant.
OpFoldResult buildSum(OpBuilder &builder, Location loc,
                      ArrayRef<Product> products);

/// value * factor.
OpFoldResult buildProduct(OpBuilder &builder, Location loc, OpFoldResult value,
                          int64_t factor);

/// number floordiv divisor mod size.
OpFoldResult buildDigit(OpBuilder &builder, Location loc, OpFoldResult number,
                        int64_t divisor, int64_t size);

/// a - b.
OpFoldResult buildDifference(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b);

/// The largest number that `value` is known to be a multiple of, as a constant,
/// an index of a nest, a product, or by the affine.apply that computes it; 0 of
/// 0.
int64_t getKnownDivisor(OpFoldResult value);

/// Is `value` known to be a multiple of `factor`?
bool isMultipleOf(OpFoldResult value, int64_t factor);

/// min(tile, extent - index): how much of a tile at `index` is inside. A
/// constant when `extent` is a multiple of `tile`, given that `index` is.
OpFoldResult buildTileSize(OpBuilder &builder, Location loc,
                           OpFoldResult extent, int64_t tile,
                           OpFoldResult index);

/// `index`, or the last one below `extent`, which is 1 at least.
OpFoldResult buildNearest(OpBuilder &builder, Location loc, OpFoldResult index,
                          OpFoldResult extent);

/// ceil((size - first) / step): how many of first, first + step, ... are below
/// `size`, for 0 <= first < step and size >= 1.
OpFoldResult buildStrideCount(OpBuilder &builder, Location loc,
                              OpFoldResult size, OpFoldResult first,
                              int64_t step);

/// Are the sizes, strides and offset of `type` static?
bool hasStaticLayout(MemRefType type);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_INDEXING_H
