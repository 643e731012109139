//===- SplitLast.cpp - The innermost dimension in two ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.4: index i of n becomes (i floordiv k, i mod k) of ceil(n/k)
// x k.
//
//===----------------------------------------------------------------------===//

#include "SplitRules.h"

namespace mlir::tc {
namespace {

struct SplitLastRules final : SplitRules {
  llvm::StringRef name() const override { return "split_last"; }

  AffineExpr outerSize(int64_t inner, AffineExpr extent) const override {
    return extent.ceilDiv(inner);
  }

  AffineExpr innerSize(int64_t inner, AffineExpr extent) const override {
    return getAffineConstantExpr(inner, extent.getContext());
  }

  bool isExact(int64_t inner, AffineExpr extent) const override {
    return extent.isMultipleOf(inner);
  }
};

} // namespace

const CombinatorRules &splitLastRules() {
  static const SplitLastRules rules;
  return rules;
}

} // namespace mlir::tc
