//===- IntegerSystem.h - Has a system of conditions a solution --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quasi-affine conditions over integer variables, decided by MLIR's Presburger
// library: what is left to prove once an access is an expression.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_INTEGERSYSTEM_H
#define TC_ANALYSIS_INTEGERSYSTEM_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tc {

/// A conjunction of conditions over the dimensions of affine expressions; any
/// integers may stand for these. A plain value.
class IntegerSystem {
public:
  explicit IntegerSystem(MLIRContext *context) : context(context) {}

  void addZero(AffineExpr expr) { zeros.push_back(expr); }
  void addNonNegative(AffineExpr expr) { nonNegatives.push_back(expr); }

  /// True only when no integers fulfil all conditions. False, too, where a
  /// condition is not quasi-affine: a product of variables, a variable divisor.
  bool isProvablyEmpty() const;
  /// A value for each dimension that occurs, such that all conditions hold;
  /// none when there is none, or it is not found.
  std::optional<DenseMap<unsigned, int64_t>> findPoint() const;

private:
  MLIRContext *context;
  SmallVector<AffineExpr> zeros, nonNegatives;
};

} // namespace mlir::tc

#endif // TC_ANALYSIS_INTEGERSYSTEM_H
