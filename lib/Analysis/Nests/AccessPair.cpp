//===- AccessPair.cpp - Accesses of different iterations ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/AccessPair.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

void AccessPair::addNonNegative(AffineExpr expr) {
  system.addNonNegative(expr);
  addKnown(expr);
}

void AccessPair::addZero(AffineExpr expr) {
  system.addZero(expr);
  addKnown(expr);
}

void AccessPair::add(const Case &conditions) {
  for (AffineExpr expr : conditions.zeros)
    addZero(expr);
  for (AffineExpr expr : conditions.nonNegatives)
    addNonNegative(expr);
}

void AccessPair::addSame(ArrayRef<AffineExpr> first,
                         ArrayRef<AffineExpr> second) {
  for (auto [a, b] : llvm::zip_equal(first, second))
    addZero(a - inSecond(b));
}

AffineExpr AccessPair::in(unsigned copy, AffineExpr expr) {
  if (copy == 0)
    return expr;
  DenseMap<AffineExpr, AffineExpr> replacement;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      if (!isShared(dim.getPosition()))
        replacement[part] = getCopy(copy, dim.getPosition());
  });
  return expr.replace(replacement);
}

bool AccessPair::isClosed() const {
  return llvm::all_of(known, [&](unsigned dim) {
    auto copied = origin.find(dim);
    return values.hasAllConditions(
        copied == origin.end() ? dim : copied->second.second);
  });
}

/// Has the variable one value for both?
bool AccessPair::isShared(unsigned dim) {
  Value value = values.getValue(dim);
  if (!value)
    return false;
  Region *region = value.getParentRegion();
  return llvm::none_of(copied, [&](Operation *op) {
    return op->isAncestor(region->getParentOp()) || value.getDefiningOp() == op;
  });
}

AffineExpr AccessPair::getCopy(unsigned copy, unsigned dim) {
  AffineExpr &made = copies[{copy, dim}];
  if (!made) {
    made = values.addDim();
    origin[cast<AffineDimExpr>(made).getPosition()] = {copy, dim};
  }
  return made;
}

void AccessPair::addKnown(AffineExpr expr) {
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim || !known.insert(dim.getPosition()).second)
      return;
    auto copied = origin.find(dim.getPosition());
    auto [copy, original] = copied == origin.end()
                                ? std::pair(0u, dim.getPosition())
                                : copied->second;
    for (AffineExpr condition : values.getConditions(original))
      addNonNegative(in(copy, condition));
  });
}

std::optional<std::pair<SmallVector<AffineExpr>, SmallVector<AffineExpr>>>
mlir::tc::alignSubscripts(const NestAccess &first, const NestAccess &second) {
  if (!first.isKnown() || !second.isKnown())
    return std::nullopt;
  if (first.isLinear == second.isLinear)
    return std::make_pair(first.subscripts, second.subscripts);
  auto type = dyn_cast<MemRefType>(first.buffer.getType());
  if (!type)
    return std::nullopt;
  auto flatten = [&](const NestAccess &access) -> SmallVector<AffineExpr> {
    if (access.isLinear)
      return access.subscripts;
    return {getDistance(type, access.subscripts)};
  };
  auto flat = std::make_pair(flatten(first), flatten(second));
  if (!flat.first.front() || !flat.second.front())
    return std::nullopt;
  return flat;
}
