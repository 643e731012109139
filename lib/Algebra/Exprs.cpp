//===- Exprs.cpp - Arithmetic on affine expressions -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, linear forms and index vectors of mlir::AffineExpr.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Exprs.h"

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
  if (kind == AffineExprKind::Add)
    return llvm::checkedAdd(lhs, rhs);
  if (kind == AffineExprKind::Mul)
    return llvm::checkedMul(lhs, rhs);
  if (rhs <= 0)
    return std::nullopt;
  if (kind == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(lhs, rhs);
  if (kind == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(lhs, rhs);
  return llvm::mod(lhs, rhs);
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

/// Adds `scale * expr` to `form`; false where that has none.
static bool addScaled(LinearForm &form, AffineExpr expr, int64_t scale) {
  if (expr.isSymbolicOrConstant()) {
    // Constants that overflow stay a sum, which is no static value.
    form.constant = form.constant + expr * scale;
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= form.factors.size())
      return false;
    int64_t &factor = form.factors[dim.getPosition()];
    std::optional<int64_t> sum = llvm::checkedAdd(factor, scale);
    factor = sum.value_or(factor);
    return sum.has_value();
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return addScaled(form, binary.getLHS(), scale) &&
           addScaled(form, binary.getRHS(), scale);
  // Constants stand on the right.
  std::optional<int64_t> factor = staticValue(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor)
    return false;
  std::optional<int64_t> product = llvm::checkedMul(*factor, scale);
  return product && addScaled(form, binary.getLHS(), *product);
}

std::optional<LinearForm> linearForm(AffineExpr expr, unsigned numDims) {
  LinearForm form{getAffineConstantExpr(0, expr.getContext()),
                  SmallVector<int64_t>(numDims, 0)};
  return addScaled(form, expr, 1) ? std::optional(form) : std::nullopt;
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
