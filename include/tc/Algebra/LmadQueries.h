//===- LmadQueries.h - What can be proven about LMADs -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries: contiguity, disjointness, injectivity, footprint. Each is
// conservative: `true`, or a value, is proven for every value of the symbols;
// `false`, or none, means "not proven", unless a query says it is exact.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_LMADQUERIES_H
#define TC_ALGEBRA_LMADQUERIES_H

#include "tc/Algebra/Lmad.h"

namespace mlir::tc {

/// The sequence of points in row-major order of the index vectors, repeated as
/// often as they are reached. None when the LMAD is symbolic, a position
/// overflows, or there are more than `limit` of them.
std::optional<SmallVector<int64_t>> enumerate(const Lmad &lmad,
                                              int64_t limit = 1 << 20);

/// The set of points, ascending, each once; none as for `enumerate`.
std::optional<SmallVector<int64_t>> pointSet(const Lmad &lmad,
                                             int64_t limit = 1 << 20);

/// True when a size is the constant 0.
bool isEmpty(const Lmad &lmad);

/// True when the enumeration is offset, offset+1, offset+2, ...: row-major
/// without gaps. Exact for static LMADs.
bool isRowMajorDense(const Lmad &lmad);

/// True when the point set is an interval without gaps, in whatever order and
/// however often each point is reached. Exact for static LMADs.
bool isDense(const Lmad &lmad);

/// The number of elements that the innermost dimensions enumerate one after the
/// other before the first gap or step back: 1 when the last dimension that is
/// not a unit has no stride 1. The full `numIndices` means row-major dense.
AffineExpr innermostRun(const Lmad &lmad);

/// The dimension of stride 1 and a size that is not the constant 1; none when
/// there is none, and the last one when there are several.
std::optional<unsigned> unitStrideDim(const Lmad &lmad);

/// The largest number known to divide the offset and all strides except that of
/// dimension `except`: the alignment, in elements, of every access that is
/// vectorised along `except`. 0 when all of them are zero (aligned to
/// anything).
int64_t knownAlignment(const Lmad &lmad,
                       std::optional<unsigned> except = std::nullopt);

/// True when no two index vectors reach one point. Exact for a static LMAD of
/// one dimension; may be `false` for an injective one of several.
bool isInjective(const Lmad &lmad);

/// The least and the greatest point, both reached.
struct Footprint {
  AffineExpr min;
  AffineExpr max;
};

/// What may be assumed of the symbols that stand in strides and sizes.
enum class Symbols {
  Any,        ///< nothing
  NonNegative ///< at least zero, as extents and row-major strides are
};

/// The footprint of an LMAD whose box is not empty. None when it is empty, when
/// the sign of a stride is not known, or when it overflows.
std::optional<Footprint> footprint(const Lmad &lmad,
                                   Symbols symbols = Symbols::Any);

/// True only when no point is in both: by an empty box, by intervals, by the
/// greatest common divisor of the strides, or dimension by dimension where both
/// walk the same strides without carry (two tiles of one matrix).
bool areDisjoint(const Lmad &lhs, const Lmad &rhs);

} // namespace mlir::tc

#endif // TC_ALGEBRA_LMADQUERIES_H
