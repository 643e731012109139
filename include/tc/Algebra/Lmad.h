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
// point: a window). The order of the dimensions is the order of enumeration,
// last fastest.
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
// the same table. On a row-major T of 6 x 6 elements, and a vector V of 8:
//
//     reading                 LMAD                    made by
//     T                       0  + [6 : 6, 6 : 1]     rowMajor
//     T transposed            0  + [6 : 1, 6 : 6]     permute
//     rows 2 and 4 of T       12 + [2 : 12, 6 : 1]    slice
//     column 1 of T           1  + [6 : 6, 1 : 1]     slice
//     the diagonal of T       0  + [6 : 7]            diagonal: strides add
//     T bottom up             30 + [6 : -6, 6 : 1]    reverse
//     V for each of 6 rows    0  + [6 : 0, 8 : 1]     broadcast
//     V under a window of 3   0  + [6 : 1, 3 : 1]     window: both non-zero
//     T as one vector         0  + [36 : 1]           mergeAdjacent
//     a 4 x 4 tile of T       14 + [4 : 6, 4 : 1]     slice; no dense interval
//
// Sizes and strides are affine expressions over constants and symbols (so
// extents may be symbolic: `[s0 : s1 * s2, s1 : s2]`); the offset may contain
// dimensions as well, for example an enclosing loop's index. Symbol and
// dimension numbers are the caller's; two LMADs that meet in one operation
// share one numbering.
//
// Invariants
// ----------
// - As many sizes as strides; each over constants and symbols.
// - No constant size is negative. A size 0 makes the point set empty.
// - Operations never look at a buffer. An LMAD does not know how large the
//   buffer is: `footprint` says what is touched, the caller compares.
// - Where an answer depends on the value of a symbol, it is the conservative
//   one: `false`, or none. Symbols are compared, never assumed to be positive,
//   unless an operation says so.
//
// Which operations are closed
// ---------------------------
// Slicing, permuting, reversing, broadcasting, windows, splitting and the
// substitution of LMADs for indices always give an LMAD. Merging two
// dimensions, the diagonal of two symbolic dimensions and the composition with
// a *flat* position do not always, and return an optional. See LmadViews.h and
// LmadQueries.h; docs/LMAD.md has the laws, and the unit tests hold each of
// them at every point.
//
// Source
// ------
// Paek, Hoeflinger and Padua, "Efficient and precise array access analysis"
// (TOPLAS 2002), which allow any sign and overlap; Futhark's index functions
// (Munksgaard et al., "Memory optimizations in an array language", SC 2022);
// Holst, "Optimizing Tensor Contractions for GPU Execution in Futhark"
// (master's thesis, Copenhagen 2024), section 3.5, equations 8 to 14, which
// this generalises (it has positive strides only).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_LMAD_H
#define TC_ALGEBRA_LMAD_H

#include "tc/Algebra/Exprs.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/Error.h"

namespace mlir::tc {

/// One dimension of an LMAD: `size` indices, `stride` elements apart.
struct LmadDim {
  AffineExpr size;
  AffineExpr stride;

  /// The value of a constant size or stride; none when it is symbolic.
  std::optional<int64_t> staticSize() const { return staticValue(size); }
  std::optional<int64_t> staticStride() const { return staticValue(stride); }
  bool operator==(const LmadDim &other) const {
    return size == other.size && stride == other.stride;
  }
};

/// A linear memory access descriptor; the comment at the head of this file is
/// its definition. A plain value: copying it is cheap for the usual ranks.
class Lmad {
public:
  /// From parts that keep the invariants, which `verify` checks.
  Lmad(AffineExpr offset, ArrayRef<LmadDim> dims);

  /// The LMAD with these parts. Both lists have one length, the rank.
  static Lmad get(AffineExpr offset, ArrayRef<AffineExpr> sizes,
                  ArrayRef<AffineExpr> strides);
  /// The same with constants.
  static Lmad get(MLIRContext *context, int64_t offset, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> strides);
  /// The single point `offset`, of rank 0.
  static Lmad point(AffineExpr offset);

  /// Succeeds when the parts keep the invariants; else the message names the
  /// first part that does not. For parts that come from a user.
  static llvm::Error verify(AffineExpr offset, ArrayRef<AffineExpr> sizes,
                            ArrayRef<AffineExpr> strides);

  unsigned rank() const { return dims.size(); }
  AffineExpr offset() const { return start; }
  ArrayRef<LmadDim> dimensions() const { return dims; }
  const LmadDim &dim(unsigned i) const { return dims[i]; }
  AffineExpr size(unsigned i) const { return dims[i].size; }
  AffineExpr stride(unsigned i) const { return dims[i].stride; }
  SmallVector<AffineExpr> sizes() const;
  SmallVector<AffineExpr> strides() const;
  MLIRContext *getContext() const { return start.getContext(); }

  /// The constant values of the parts; none when one of them is symbolic.
  std::optional<int64_t> staticOffset() const { return staticValue(start); }
  std::optional<SmallVector<int64_t>> staticSizes() const;
  std::optional<SmallVector<int64_t>> staticStrides() const;
  /// True when offset, sizes and strides are all constants.
  bool isStatic() const;

  /// The position of an index vector of `rank` expressions, in elements. The
  /// indices are not checked against the sizes.
  AffineExpr index(ArrayRef<AffineExpr> indices) const;
  /// The position of the index vector at a row-major position of the box (the
  /// thesis' unary index function, equation 14): what thread `position` of a
  /// cooperative copy touches.
  AffineExpr indexFlat(AffineExpr position) const;

  /// The number of index vectors, the product of the sizes; points count as
  /// often as they are reached.
  AffineExpr numIndices() const;

  bool operator==(const Lmad &other) const {
    return start == other.start && dims == other.dims;
  }
  bool operator!=(const Lmad &other) const { return !(*this == other); }

  /// Prints `offset + [size : stride, ...]`.
  void print(llvm::raw_ostream &os) const;

private:
  AffineExpr start;
  SmallVector<LmadDim, 4> dims;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Lmad &lmad);
llvm::hash_code hash_value(const Lmad &lmad);

/// The row-major LMAD of an array of these sizes: offset 0, last stride 1.
Lmad rowMajor(ArrayRef<AffineExpr> sizes, MLIRContext *context);
Lmad rowMajor(ArrayRef<int64_t> sizes, MLIRContext *context);

/// A tile of shared memory laid out so that lanes that walk a dimension before
/// `split` fall into different banks.
struct PaddedTile {
  Lmad layout;
  /// Elements to reserve: the product of the outer sizes times the padded
  /// product of the inner ones.
  AffineExpr elements;
};

/// Row-major, except that the product of the sizes from dimension `split` on is
/// padded by one element when it is even (thesis equations 19 to 23, where j
/// counts from one: j = `split`). Odd strides are coprime to the number of
/// banks, and the inner dimensions are padded together, so the padding costs
/// one element an outer index. `split` is between 0 and the rank; at 0 nothing
/// is ahead of the padding, so only `elements` grows.
PaddedTile paddedRowMajor(ArrayRef<AffineExpr> sizes, unsigned split,
                          MLIRContext *context);
PaddedTile paddedRowMajor(ArrayRef<int64_t> sizes, unsigned split,
                          MLIRContext *context);

} // namespace mlir::tc

#endif // TC_ALGEBRA_LMAD_H
