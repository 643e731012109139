//===- SplitEven.cpp - The innermost dimension in two below a limit -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index i of n becomes (i floordiv m, i mod m) of p x m, with p = n floordiv k
// + 1 parts of m = ceil(n/p) indices, so m is at most k whatever n is, and
// fewer than p threads are idle. For a limit of the device on an extent that is
// not known, where split_last(k) would start k threads for every n. p is never
// 0, so that nothing divides by it; recovering the index takes one
// multiplication.
//
//===----------------------------------------------------------------------===//

#include "SplitRules.h"

namespace mlir::tc {
namespace {

struct SplitEvenRules final : SplitRules {
  llvm::StringRef name() const override { return "split_even"; }

  AffineExpr outerSize(int64_t limit, AffineExpr extent) const override {
    return extent.floorDiv(limit) + 1;
  }

  AffineExpr innerSize(int64_t limit, AffineExpr extent) const override {
    return extent.ceilDiv(outerSize(limit, extent));
  }

  bool isExact(int64_t limit, AffineExpr extent) const override {
    return isProvablyEqual(outerSize(limit, extent) * innerSize(limit, extent),
                           extent);
  }
};

} // namespace

const CombinatorRules &splitEvenRules() {
  static const SplitEvenRules rules;
  return rules;
}

} // namespace mlir::tc
