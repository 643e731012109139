//===- Polynomial.h - Semi-affine expressions as polynomials ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normal form for sums and products of dimensions, symbols and constants:
// two expressions are equal as polynomials when their difference has no term.
// MLIR's own simplifier does not order the factors of products of symbols.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_POLYNOMIAL_H
#define TC_LIB_ALGEBRA_POLYNOMIAL_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>

namespace mlir::tc {

/// The atoms of a product, sorted: dimensions, symbols, and `floordiv`,
/// `ceildiv` and `mod` expressions as a whole. Empty for the constant term.
using Monomial = SmallVector<const void *, 4>;

/// Coefficients other than zero, by monomial.
using Polynomial = std::map<Monomial, int64_t>;

/// The polynomial of `expr`. None when a coefficient overflows, or when there
/// would be more terms than are worth comparing.
std::optional<Polynomial> polynomialOf(AffineExpr expr);

/// The polynomial of `lhs - rhs`; none as above.
std::optional<Polynomial> differenceOf(AffineExpr lhs, AffineExpr rhs);

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_POLYNOMIAL_H
