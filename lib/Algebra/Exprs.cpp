//===- Exprs.cpp - Arithmetic on affine expressions -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparison, linear forms and index vectors over mlir::AffineExpr.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Exprs.h"

#include "Polynomial.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tc {

std::optional<int64_t> staticValue(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> staticValues(ArrayRef<AffineExpr> exprs) {
  SmallVector<int64_t> values;
  for (AffineExpr expr : exprs) {
    std::optional<int64_t> value = staticValue(expr);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// `lhs kind rhs`; none on overflow and on a divisor that is not positive,
/// which affine division leaves undefined.
static std::optional<int64_t> fold(AffineExprKind kind, int64_t lhs,
                                   int64_t rhs) {
  switch (kind) {
  case AffineExprKind::Add:
    return llvm::checkedAdd(lhs, rhs);
  case AffineExprKind::Mul:
    return llvm::checkedMul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    if (rhs > 0)
      return llvm::divideFloorSigned(lhs, rhs);
    return std::nullopt;
  case AffineExprKind::CeilDiv:
    if (rhs > 0)
      return llvm::divideCeilSigned(lhs, rhs);
    return std::nullopt;
  case AffineExprKind::Mod:
    if (rhs > 0)
      return llvm::mod(lhs, rhs);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                                ArrayRef<int64_t> symbols) {
  auto at = [](ArrayRef<int64_t> list, unsigned i) -> std::optional<int64_t> {
    if (i < list.size())
      return list[i];
    return std::nullopt;
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return at(dims, dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return at(symbols, symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = evaluate(binary.getLHS(), dims, symbols);
  std::optional<int64_t> rhs = evaluate(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  return fold(expr.getKind(), *lhs, *rhs);
}

bool isProvablyEqual(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return true;
  std::optional<Polynomial> difference = differenceOf(lhs, rhs);
  return difference && difference->empty();
}

/// True when some dimension occurs anywhere in `expr`.
static bool containsDim(AffineExpr expr) {
  return !expr.isSymbolicOrConstant();
}

std::optional<LinearForm> linearForm(AffineExpr expr, unsigned numDims) {
  std::optional<Polynomial> polynomial = polynomialOf(expr);
  if (!polynomial)
    return std::nullopt;
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  LinearForm form{zero, SmallVector<AffineExpr>(numDims, zero)};
  for (const auto &[atoms, coefficient] : *polynomial) {
    AffineExpr term = getAffineConstantExpr(coefficient, expr.getContext());
    std::optional<unsigned> position;
    for (const void *atom : atoms) {
      AffineExpr factor = AffineExpr::getFromOpaquePointer(atom);
      if (!containsDim(factor)) {
        term = term * factor;
        continue;
      }
      auto dim = dyn_cast<AffineDimExpr>(factor);
      if (!dim || position || dim.getPosition() >= numDims)
        return std::nullopt;
      position = dim.getPosition();
    }
    AffineExpr &sum = position ? form.coefficients[*position] : form.constant;
    sum = sum + term;
  }
  return form;
}

SmallVector<AffineExpr> delinearize(AffineExpr position,
                                    ArrayRef<AffineExpr> sizes) {
  AffineExpr zero = getAffineConstantExpr(0, position.getContext());
  SmallVector<AffineExpr> index(sizes.size(), zero);
  SmallVector<unsigned> wide; // the dimensions that can hold more than index 0
  for (auto [i, size] : llvm::enumerate(sizes))
    if (staticValue(size) != 1)
      wide.push_back(i);
  AffineExpr inner = getAffineConstantExpr(1, position.getContext());
  for (unsigned i : llvm::reverse(wide)) {
    AffineExpr quotient = position.floorDiv(inner);
    index[i] = i == wide.front() ? quotient : quotient % sizes[i];
    inner = inner * sizes[i];
  }
  return index;
}

} // namespace mlir::tc
