//===- IntegerSystem.cpp - Has a system of conditions a solution ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/IntegerSystem.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tc;

/// The expressions over dimensions that are numbered without gaps.
static unsigned renumber(MutableArrayRef<AffineExpr> exprs,
                         MLIRContext *context) {
  llvm::SmallMapVector<AffineExpr, AffineExpr, 8> numbers;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (isa<AffineDimExpr>(part) && !numbers.contains(part))
        numbers[part] = getAffineDimExpr(numbers.size(), context);
    });
  DenseMap<AffineExpr, AffineExpr> replacement(numbers.begin(), numbers.end());
  for (AffineExpr &expr : exprs)
    expr = expr.replace(replacement);
  return numbers.size();
}

bool IntegerSystem::isProvablyEmpty() const {
  SmallVector<AffineExpr> exprs(zeros);
  exprs.append(nonNegatives);
  // Conditions without variables need no library.
  for (auto [i, expr] : llvm::enumerate(exprs)) {
    auto value = dyn_cast<AffineConstantExpr>(expr);
    if (value &&
        (i < zeros.size() ? value.getValue() != 0 : value.getValue() < 0))
      return true;
  }
  unsigned dims = renumber(exprs, context);
  if (dims == 0)
    return false;
  std::vector<SmallVector<int64_t, 8>> rows;
  FlatLinearConstraints constraints(dims);
  if (failed(getFlattenedAffineExprs(AffineMap::get(dims, 0, exprs, context),
                                     &rows, &constraints)))
    return false;
  for (auto [i, row] : llvm::enumerate(rows))
    if (i < zeros.size())
      constraints.addEquality(row);
    else
      constraints.addInequality(row);
  return constraints.isIntegerEmpty();
}
