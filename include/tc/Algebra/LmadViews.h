//===- LmadViews.h - LMADs made from LMADs ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views: each takes an LMAD, or several, and gives the LMAD of another reading
// of the same points or of fewer. Those under which the algebra is not closed
// return an optional. A dimension number out of range is a bug of the caller.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_LMADVIEWS_H
#define TC_ALGEBRA_LMADVIEWS_H

#include "tc/Algebra/Lmad.h"

#include "mlir/IR/AffineMap.h"

namespace mlir::tc {

/// The indices `lower + i * step` of dimension `dim`, 0 <= i < size.
/// Law: result(.., i, ..) = lmad(.., lower + i * step, ..).
Lmad slice(const Lmad &lmad, unsigned dim, AffineExpr lower, AffineExpr size,
           AffineExpr step);
Lmad slice(const Lmad &lmad, unsigned dim, int64_t lower, int64_t size,
           int64_t step = 1);
/// A slice of every dimension at once; each list has `rank` entries.
Lmad slice(const Lmad &lmad, ArrayRef<AffineExpr> lowers,
           ArrayRef<AffineExpr> sizes, ArrayRef<AffineExpr> steps);

/// Dimension `dim` at one index, and gone. The rank falls by one.
Lmad fixDim(const Lmad &lmad, unsigned dim, AffineExpr index);

/// Result dimension k is dimension `permutation[k]`.
Lmad permute(const Lmad &lmad, ArrayRef<unsigned> permutation);

/// A new dimension of stride 0 in front of dimension `position` (0 to rank).
/// Law: result(.., i, ..) = lmad(.., ..) for every i.
Lmad broadcast(const Lmad &lmad, unsigned position, AffineExpr size);
Lmad broadcast(const Lmad &lmad, unsigned position, int64_t size);

/// Both dimensions at one index: result(.., i, ..) = lmad(.., i, .., i, ..).
/// The result stands where the first of the two stood; its size is the smaller
/// one. None when the sizes are symbolic and not proven equal.
std::optional<Lmad> diagonal(const Lmad &lmad, unsigned first, unsigned second);

/// Dimension `dim` under a sliding window: two dimensions (out, in) in its
/// place, with result(.., o, i, ..) = lmad(.., o * stride + i * dilation, ..).
/// It stays inside when (outSize-1)*stride + (inSize-1)*dilation < size.
Lmad window(const Lmad &lmad, unsigned dim, AffineExpr outSize,
            AffineExpr inSize, AffineExpr stride, AffineExpr dilation);
Lmad window(const Lmad &lmad, unsigned dim, int64_t outSize, int64_t inSize,
            int64_t stride = 1, int64_t dilation = 1);

/// Dimension `dim` backwards: result(.., i, ..) = lmad(.., size-1-i, ..).
Lmad reverse(const Lmad &lmad, unsigned dim);

/// Dimension `dim` as (outer, inner): result(.., o, i, ..) =
/// lmad(.., o * inner + i, ..). None when `inner` is not positive or is not
/// proven to divide the size.
std::optional<Lmad> splitDim(const Lmad &lmad, unsigned dim, int64_t inner);
/// The same where both sizes are known to the caller and only their product
/// has to be proven: none when it is not.
std::optional<Lmad> splitDim(const Lmad &lmad, unsigned dim, AffineExpr outer,
                             AffineExpr inner);

/// Dimensions `dim` and `dim + 1` as one. None unless the outer stride is
/// proven to be inner size times inner stride, or one of the two has size 1.
std::optional<Lmad> mergeDims(const Lmad &lmad, unsigned dim);

/// Without the dimensions of size 1. The enumeration does not change.
Lmad dropUnitDims(const Lmad &lmad);

/// The normal form: no unit dimension, and no two neighbours that `mergeDims`
/// could merge. The enumeration (the row-major sequence of points) does not
/// change; the rank is the least that neighbours allow.
Lmad mergeAdjacent(const Lmad &lmad);

/// Substitution: dimension k of `outer` is read at the position that
/// `indices[k]` gives. All `indices` have the same sizes, which are the sizes
/// of the result. Always an LMAD: slices, permutations, diagonals, broadcasts
/// and windows are all cases of it. `sizes` names them where `outer` has rank
/// 0. Law: result(i) = outer(indices[0](i), .., indices[n-1](i)).
Lmad compose(const Lmad &outer, ArrayRef<Lmad> indices,
             ArrayRef<AffineExpr> sizes);

/// The access of an operand over iterators: `outer` is the layout of a tensor
/// or buffer, `map` takes iterators to its axes, `sizes` are the extents of the
/// iterators. None when a result of `map` is not linear in the iterators. The
/// symbols of `map` are those of `outer`.
/// Law: result(i) = outer(map(i)).
std::optional<Lmad> compose(const Lmad &outer, AffineMap map,
                            ArrayRef<AffineExpr> sizes);

/// Flat composition: the points of `inner` are row-major positions in the box
/// of `outer`. Law: result(i) = outer.indexFlat(inner(i)). None unless each
/// dimension of `inner` is proven to stay clear of a carry between dimensions
/// of `outer` and inside its box; split the dimension first where it does not.
std::optional<Lmad> composeFlat(const Lmad &outer, const Lmad &inner);

/// The LMAD with expressions in place of its dimensions and symbols, as
/// AffineExpr::replaceDimsAndSymbols. `symbols` may not contain dimensions
/// where they are used in sizes or strides.
Lmad substitute(const Lmad &lmad, ArrayRef<AffineExpr> dims,
                ArrayRef<AffineExpr> symbols);

} // namespace mlir::tc

#endif // TC_ALGEBRA_LMADVIEWS_H
