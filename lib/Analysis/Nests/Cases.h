//===- Cases.h - Conditions on when iterations run --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_NESTS_CASES_H
#define TC_LIB_ANALYSIS_NESTS_CASES_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tc {

/// A conjunction: `zeros` are 0, and `nonNegatives` are at least that.
struct Case {
  SmallVector<AffineExpr> zeros, nonNegatives;
};
/// One of the cases holds.
using Cases = SmallVector<Case>;

/// `a` comes before `b` in lexicographic order.
inline Cases isBefore(ArrayRef<AffineExpr> a, ArrayRef<AffineExpr> b) {
  Cases cases;
  Case equal;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    Case found = equal;
    found.nonNegatives.push_back(y - x - 1);
    cases.push_back(found);
    equal.zeros.push_back(y - x);
  }
  return cases;
}

inline Cases isSame(ArrayRef<AffineExpr> a, ArrayRef<AffineExpr> b) {
  Case equal;
  for (auto [x, y] : llvm::zip_equal(a, b))
    equal.zeros.push_back(y - x);
  return {equal};
}

inline Cases either(Cases a, const Cases &b) {
  llvm::append_range(a, b);
  return a;
}

/// `a` and `b` differ.
inline Cases differ(ArrayRef<AffineExpr> a, ArrayRef<AffineExpr> b) {
  return either(isBefore(a, b), isBefore(b, a));
}

inline Cases both(const Cases &a, const Cases &b) {
  Cases cases;
  for (const Case &x : a)
    for (const Case &y : b) {
      cases.push_back(x);
      llvm::append_range(cases.back().zeros, y.zeros);
      llvm::append_range(cases.back().nonNegatives, y.nonNegatives);
    }
  return cases;
}

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_NESTS_CASES_H
