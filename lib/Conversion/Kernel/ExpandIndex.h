//===- ExpandIndex.h - Affine expressions as unsigned arithmetic *- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_KERNEL_EXPANDINDEX_H
#define TC_LIB_CONVERSION_KERNEL_EXPANDINDEX_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace mlir::tc {

/// Emits `expr` over `dims` and `symbols` for values that are never negative,
/// which holds for extents, thread numbers and the indices recovered from them.
/// Divisions are unsigned: affine.apply would emit signed ones, with compares
/// and selects round them.
Value expandIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                  ValueRange dims, ValueRange symbols = {});

/// Emits the conjunction of `expr >= 0` over `guards`; null when there is none.
/// The expressions themselves may be negative.
Value expandGuard(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> guards,
                  ValueRange dims, ValueRange symbols = {});

/// Emits the largest parts of `exprs` that are over symbols alone, adds their
/// values to `symbols`, and puts these in their place.
void hoistSymbolic(OpBuilder &builder, Location loc,
                   MutableArrayRef<AffineExpr> exprs,
                   SmallVectorImpl<Value> &symbols);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_EXPANDINDEX_H
