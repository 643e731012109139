//===- IntegerSystem.cpp - Has a system of conditions a solution ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/IntegerSystem.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tc;

using Numbers = llvm::SmallMapVector<AffineExpr, AffineExpr, 8>;

/// Numbers the dimensions of the expressions without gaps.
static Numbers renumber(MutableArrayRef<AffineExpr> exprs,
                        MLIRContext *context) {
  Numbers numbers;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (isa<AffineDimExpr>(part) && !numbers.contains(part))
        numbers[part] = getAffineDimExpr(numbers.size(), context);
    });
  DenseMap<AffineExpr, AffineExpr> replacement(numbers.begin(), numbers.end());
  for (AffineExpr &expr : exprs)
    expr = expr.replace(replacement);
  return numbers;
}

/// Rows for the first `zeros` of the expressions, which are 0, and for the
/// others, which are at least 0; none where one is not quasi-affine.
static std::optional<FlatLinearConstraints>
buildConstraints(ArrayRef<AffineExpr> exprs, size_t zeros, unsigned dims,
                 MLIRContext *context) {
  std::vector<SmallVector<int64_t, 8>> rows;
  FlatLinearConstraints constraints(dims);
  if (failed(getFlattenedAffineExprs(AffineMap::get(dims, 0, exprs, context),
                                     &rows, &constraints)))
    return std::nullopt;
  for (auto [i, row] : llvm::enumerate(rows))
    if (i < zeros)
      constraints.addEquality(row);
    else
      constraints.addInequality(row);
  return constraints;
}

/// Looks for a point of whole numbers by rounding: fixes one coordinate after
/// another to the whole number below it, or else above. What it finds spares
/// the exact search, whose reduced bases take a hundred times as long.
static bool hasRoundedPoint(presburger::Simplex simplex) {
  for (;;) {
    auto point = simplex.getRationalSample();
    if (!point)
      return false;
    auto *broken = llvm::find_if(*point, [](const presburger::Fraction &at) {
      return at.num % at.den != 0;
    });
    if (broken == point->end())
      return true;
    SmallVector<llvm::DynamicAPInt> row(point->size() + 1);
    row[broken - point->begin()] = 1;
    unsigned before = simplex.getSnapshot();
    for (const llvm::DynamicAPInt &at : {floor(*broken), ceil(*broken)}) {
      simplex.rollback(before);
      row.back() = -at;
      simplex.addEquality(row);
      if (!simplex.isEmpty())
        break;
    }
    if (simplex.isEmpty())
      return false;
  }
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
  Numbers numbers = renumber(exprs, context);
  if (numbers.empty())
    return false;
  auto constraints =
      buildConstraints(exprs, zeros.size(), numbers.size(), context);
  if (!constraints)
    return false;
  presburger::Simplex simplex(*constraints);
  if (simplex.isEmpty())
    return true;
  return !hasRoundedPoint(simplex) && constraints->isIntegerEmpty();
}

std::optional<DenseMap<unsigned, int64_t>> IntegerSystem::findPoint() const {
  SmallVector<AffineExpr> exprs(zeros);
  exprs.append(nonNegatives);
  Numbers numbers = renumber(exprs, context);
  auto constraints =
      buildConstraints(exprs, zeros.size(), numbers.size(), context);
  auto sample = constraints ? constraints->findIntegerSample() : std::nullopt;
  if (!sample)
    return std::nullopt;
  DenseMap<unsigned, int64_t> point;
  for (auto [dim, number] : numbers)
    point[cast<AffineDimExpr>(dim).getPosition()] =
        int64_t((*sample)[cast<AffineDimExpr>(number).getPosition()]);
  return point;
}
