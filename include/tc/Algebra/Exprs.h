//===- Exprs.h - Arithmetic on affine expressions ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the algebra needs of mlir::AffineExpr and MLIR does not offer: values
// and linear forms that say where they overflow, and the index vector at a
// linear position without the cost of dimensions of extent 1.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_EXPRS_H
#define TC_ALGEBRA_EXPRS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::tc {

/// The value of a constant expression; none for any other.
std::optional<int64_t> staticValue(AffineExpr expr);

/// The values of constant expressions; none when one is not constant.
std::optional<SmallVector<int64_t>> staticValues(ArrayRef<AffineExpr> exprs);

/// The value of `expr` at the given dimensions and symbols; none when it reads
/// a dimension or symbol past the lists, divides by zero, or overflows 64 bits.
std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                                ArrayRef<int64_t> symbols = {});

/// `constant + sum of factors[i] * d_i`; no dimension is part of the constant.
struct LinearForm {
  AffineExpr constant;
  SmallVector<int64_t> factors;
};

/// The linear form of `expr` in dimensions 0 to `numDims`-1. None when `expr`
/// is not linear in them with numbers as factors, for example `d0 floordiv 2`,
/// reads another dimension, or has a factor of more than 64 bits. A constant of
/// more than 64 bits is none that `staticValue` finds.
std::optional<LinearForm> linearForm(AffineExpr expr, unsigned numDims);

/// The index vector at a row-major position (last fastest) in a space of these
/// sizes, for positions below their product: equation 13 of the thesis that
/// Lmad.h names. Dimensions of extent 1 cost nothing, the outermost of the rest
/// no `mod`.
SmallVector<AffineExpr> delinearize(AffineExpr position,
                                    ArrayRef<AffineExpr> sizes);

} // namespace mlir::tc

#endif // TC_ALGEBRA_EXPRS_H
