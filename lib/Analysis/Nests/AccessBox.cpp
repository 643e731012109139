//===- AccessBox.cpp - The part of a buffer that nests reach --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/AccessBox.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/IntegerSystem.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool AccessBox::isInside(Value value) const {
  return start->getParentOp()->isProperAncestor(
      value.getParentRegion()->getParentOp());
}

/// Is `value` there at the start?
bool AccessBox::isBefore(Value value) const {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != start->getBlock() ||
         definition->isBeforeInBlock(start);
}

/// `first - second`, if it is a constant.
std::optional<int64_t> AccessBox::getDifference(AffineExpr first,
                                                AffineExpr second) {
  return staticValue(
      simplifyAffineExpr(first - second, values.getNumDims(), /*symbols=*/0));
}

/// The least of the values whose minimum `value` is.
SmallVector<AffineExpr> AccessBox::getUpperBounds(Value value) {
  if (auto min = value.getDefiningOp<affine::AffineMinOp>())
    return values.trace(min.getAffineMap(), min.getOperands());
  if (auto min = value.getDefiningOp<arith::MinSIOp>())
    return {values.trace(min.getLhs()), values.trace(min.getRhs())};
  return {values.trace(value)};
}

/// The values of an index of a nest inside. None where their number may differ.
std::optional<Interval> AccessBox::findRange(Value index) {
  std::optional<NestRange> range = tc::findRange(index);
  if (!range || !range->step || !range->width)
    return std::nullopt;
  AffineExpr lower = values.trace(range->lower);
  SmallVector<AffineExpr> uppers = {values.trace(range->upper)};
  if (auto dynamic = dyn_cast<Value>(range->upper))
    uppers = getUpperBounds(dynamic);
  int64_t step = *range->step, width = *range->width;
  for (AffineExpr upper : uppers) {
    std::optional<int64_t> extent = getDifference(upper, lower);
    if (!extent || *extent < 1)
      continue;
    int64_t last = *extent - 1;
    if (width < step)
      last = last / step * step + std::min(last % step, width - 1);
    std::optional<Interval> first = findInterval(lower);
    if (first)
      return Interval{first->base, first->low, first->high + last};
  }
  return std::nullopt;
}

/// The values of a subscript, over all values of what is inside.
std::optional<Interval> AccessBox::findInterval(AffineExpr subscript) {
  MLIRContext *context = start->getContext();
  Interval interval{getAffineConstantExpr(0, context), 0, 0};
  // Indices of nests inside become numbers from 0 on, the rest are symbols.
  SmallVector<Value> inside;
  bool isKnown = true;
  subscript.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      Value value = values.getValue(dim.getPosition());
      if (isInside(value) && !llvm::is_contained(inside, value))
        inside.push_back(value);
      isKnown &= isInside(value) || isBefore(value);
    }
  });
  if (!isKnown)
    return std::nullopt;
  if (inside.empty()) {
    interval.base = subscript;
    return interval;
  }
  DenseMap<AffineExpr, AffineExpr> replacement;
  SmallVector<AffineExpr> outside;
  subscript.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim || replacement.contains(part))
      return;
    auto place = llvm::find(inside, values.getValue(dim.getPosition()));
    if (place != inside.end()) {
      replacement[part] =
          getAffineDimExpr(std::distance(inside.begin(), place), context);
      return;
    }
    replacement[part] = getAffineSymbolExpr(outside.size(), context);
    outside.push_back(part);
  });
  auto form = linearForm(subscript.replace(replacement), inside.size());
  if (!form)
    return std::nullopt;
  interval.base = form->constant.replaceSymbols(outside);
  for (auto [index, factor] : llvm::zip_equal(inside, form->factors)) {
    std::optional<Interval> range = findRange(index);
    if (!range)
      return std::nullopt;
    interval.base = interval.base + range->base * factor;
    interval.low += factor * (factor < 0 ? range->high : range->low);
    interval.high += factor * (factor < 0 ? range->low : range->high);
  }
  return interval;
}

std::optional<BoxObstacle> AccessBox::extend(const NestAccess &access) {
  if (intervals.empty())
    intervals.resize(access.subscripts.size());
  for (auto [d, subscript, interval] :
       llvm::enumerate(access.subscripts, intervals)) {
    std::optional<Interval> reached = findInterval(subscript);
    if (!reached)
      return BoxObstacle{unsigned(d), /*isApart=*/false};
    if (!interval.base) {
      interval = *reached;
      continue;
    }
    std::optional<int64_t> apart = getDifference(reached->base, interval.base);
    if (!apart)
      return BoxObstacle{unsigned(d), /*isApart=*/true};
    interval.low = std::min(interval.low, reached->low + *apart);
    interval.high = std::max(interval.high, reached->high + *apart);
  }
  return std::nullopt;
}

bool mlir::tc::isNonNegative(AffineExpr expr, NestValues &values) {
  IntegerSystem system(values.getContext());
  system.addNonNegative(-expr - 1);
  DenseSet<unsigned> known;
  std::function<void(AffineExpr)> add = [&](AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      if (!dim || !known.insert(dim.getPosition()).second)
        return;
      for (AffineExpr condition : values.getConditions(dim.getPosition())) {
        system.addNonNegative(condition);
        add(condition);
      }
    });
  };
  add(expr);
  return system.isProvablyEmpty();
}

AffineExpr mlir::tc::simplifyInRange(AffineExpr expr, NestValues &values) {
  expr = simplifyAffineExpr(expr, values.getNumDims(), /*numSymbols=*/0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplifyInRange(binary.getLHS(), values),
             rhs = simplifyInRange(binary.getRHS(), values);
  bool divides = expr.getKind() == AffineExprKind::FloorDiv ||
                 expr.getKind() == AffineExprKind::Mod;
  if (divides && isNonNegative(lhs, values) &&
      isNonNegative(rhs - 1 - lhs, values))
    return expr.getKind() == AffineExprKind::Mod
               ? lhs
               : getAffineConstantExpr(0, expr.getContext());
  return getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
}
