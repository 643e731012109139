//===- Polynomial.cpp - Semi-affine expressions as polynomials ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form behind isProvablyEqual and linearForm.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::tc {

/// Beyond this many terms an answer of "not proven" is cheaper and as good.
static constexpr size_t maxTerms = 256;

/// Adds `coefficient * monomial` to `sum`; false when it overflows.
static bool addTerm(Polynomial &sum, const Monomial &monomial,
                    int64_t coefficient) {
  auto [it, isNew] = sum.try_emplace(monomial, coefficient);
  if (!isNew) {
    std::optional<int64_t> total = llvm::checkedAdd(it->second, coefficient);
    if (!total)
      return false;
    it->second = *total;
  }
  if (it->second == 0)
    sum.erase(it);
  return sum.size() <= maxTerms;
}

/// `lhs + factor * rhs`.
static std::optional<Polynomial>
addScaled(Polynomial lhs, const Polynomial &rhs, int64_t factor) {
  for (const auto &[monomial, coefficient] : rhs) {
    std::optional<int64_t> scaled = llvm::checkedMul(coefficient, factor);
    if (!scaled || !addTerm(lhs, monomial, *scaled))
      return std::nullopt;
  }
  return lhs;
}

static std::optional<Polynomial> multiply(const Polynomial &lhs,
                                          const Polynomial &rhs) {
  Polynomial result;
  for (const auto &[leftAtoms, left] : lhs) {
    for (const auto &[rightAtoms, right] : rhs) {
      Monomial atoms = leftAtoms;
      llvm::append_range(atoms, rightAtoms);
      llvm::sort(atoms);
      std::optional<int64_t> coefficient = llvm::checkedMul(left, right);
      if (!coefficient || !addTerm(result, atoms, *coefficient))
        return std::nullopt;
    }
  }
  return result;
}

std::optional<Polynomial> polynomialOf(AffineExpr expr) {
  Polynomial result;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    addTerm(result, {}, constant.getValue());
    return result;
  }
  AffineExprKind kind = expr.getKind();
  if (kind != AffineExprKind::Add && kind != AffineExprKind::Mul) {
    addTerm(result, {expr.getAsOpaquePointer()}, 1);
    return result;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Polynomial> lhs = polynomialOf(binary.getLHS());
  std::optional<Polynomial> rhs = polynomialOf(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (kind == AffineExprKind::Add)
    return addScaled(std::move(*lhs), *rhs, 1);
  return multiply(*lhs, *rhs);
}

std::optional<Polynomial> differenceOf(AffineExpr lhs, AffineExpr rhs) {
  std::optional<Polynomial> left = polynomialOf(lhs);
  std::optional<Polynomial> right = polynomialOf(rhs);
  if (!left || !right)
    return std::nullopt;
  return addScaled(std::move(*left), *right, -1);
}

} // namespace mlir::tc
