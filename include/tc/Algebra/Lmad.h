//===- Lmad.h - Linear memory access descriptors ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it is
// ----------
// An LMAD is an offset and a list of dimensions, each a size and a stride:
//
//     offset + [size_1 : stride_1, ..., size_n : stride_n]
//
// It is two things at once. As an *index function* it takes an index vector to
// a position,
//
//     L(i_1, ..., i_n) = offset + i_1 * stride_1 + ... + i_n * stride_n,
//
// and as a *point set* it is the image of that function over the box
// 0 <= i_k < size_k. Positions count elements of a flat buffer. A stride may
// have any sign, may be zero (all indices of its dimension reach one point: a
// broadcast), and dimensions may overlap (several index vectors reach one
// point: a window).
//
// What it is for
// --------------
// Every operand of a contraction is one LMAD over the *iteration* space:
// dimension k belongs to iterator k, whether or not the tensor has an axis for
// it. For Z[a,b] += X[a,q] * Y[q,b] with row-major operands of extents a = 8,
// b = 16, q = 4:
//
//     iterator     a    b    q
//     extent       8   16    4
//     ------------------------
//     X            4    0    1      X = 0 + [8 : 4,  16 : 0, 4 : 1]
//     Y            0    1   16      Y = 0 + [8 : 0,  16 : 1, 4 : 16]
//     Z           16    1    0      Z = 0 + [8 : 16, 16 : 1, 4 : 0]
//
// The zeros say what each iterator is: a row (A and C), a column (B and C),
// contracted (A and B). What others treat as special cases are other rows of
// the same table, and `compose` makes them all: it reads the layout of a tensor
// through the affine map of its subscripts. With a row-major T of 6 x 6
// elements, T = 0 + [6 : 6, 6 : 1], and a vector V = 0 + [8 : 1]:
//
//     reading                 LMAD                    map
//     T transposed            0  + [6 : 1, 6 : 6]     (i, j) -> (j, i)
//     rows 2 and 4 of T       12 + [2 : 12, 6 : 1]    (i, j) -> (2 * i + 2, j)
//     column 1 of T           1  + [6 : 6]            (i) -> (i, 1)
//     the diagonal of T       0  + [6 : 7]            (i) -> (i, i)
//     T bottom up             30 + [6 : -6, 6 : 1]    (i, j) -> (5 - i, j)
//     V for each of 6 rows    0  + [6 : 0, 8 : 1]     (i, j) -> (j)
//     V under a window of 3   0  + [6 : 1, 3 : 1]     (i, j) -> (i + j)
//     a 4 x 4 tile of T       14 + [4 : 6, 4 : 1]     (i, j) -> (i + 2, j + 2)
//
// All parts are numbers. What a dynamic extent or stride is taken for is up to
// the caller (tc/Analysis/Access.h). An LMAD does not know how large the buffer
// is: `footprint` says what is reached, the caller compares. The unit tests
// check every answer point by point; docs/LMAD.md has more examples.
//
// Source
// ------
// Paek, Hoeflinger and Padua, "Efficient and precise array access analysis"
// (TOPLAS 2002), which allow any sign and overlap; Futhark's index functions
// (Munksgaard et al., "Memory optimizations in an array language", SC 2022);
// Holst, "Optimizing Tensor Contractions for GPU Execution in Futhark"
// (master's thesis, Copenhagen 2024), section 3.5, whose strides are positive.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_LMAD_H
#define TC_ALGEBRA_LMAD_H

#include "mlir/IR/AffineMap.h"

namespace mlir::tc {

/// A linear memory access descriptor; the comment at the head of this file is
/// its definition. A plain value.
struct Lmad {
  /// As many strides as sizes; no size is negative.
  Lmad(int64_t offset, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);

  int64_t offset;
  SmallVector<int64_t> sizes, strides;
};

/// The access of an operand over iterators: `layout` is that of a tensor or
/// buffer, `map` takes iterators to its axes, `sizes` are the extents of the
/// iterators. None when a result of `map` is not linear in the iterators, with
/// numbers as coefficients, or when a part overflows.
/// Law: result(i) = layout(map(i)).
std::optional<Lmad> compose(const Lmad &layout, AffineMap map,
                            ArrayRef<int64_t> sizes);

/// True when no point is reached: when a size is 0.
bool isEmpty(const Lmad &lmad);

/// True only when no two index vectors reach one point. Exact for one
/// dimension; may be `false` for an injective one of several.
bool isInjective(const Lmad &lmad);

/// The least and the greatest point, both reached.
struct Footprint {
  int64_t min, max;
};

/// The footprint; none when the LMAD is empty, or a point overflows.
std::optional<Footprint> footprint(const Lmad &lmad);

/// The least and the greatest value of an expression over a box of these sizes.
/// None when the box is empty, the expression is not linear, or a number
/// overflows.
std::optional<Footprint> findRange(AffineExpr expr, ArrayRef<int64_t> sizes);

} // namespace mlir::tc

#endif // TC_ALGEBRA_LMAD_H
