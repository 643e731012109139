//===- FoldLast2.cpp - The innermost two dimensions to one ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.3: (i, j) of m x n becomes i * n + j. A dimension of constant
// extent 1 costs nothing to recover.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::tc {
namespace {

struct FoldLast2Rules final : CombinatorRules {
  llvm::StringRef name() const override { return "fold_last2"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    return expectNoArguments(arguments);
  }

  llvm::Error check(Arguments, const IndexSpace &domain) const override {
    if (llvm::Error failed = expectPlain(domain, 2))
      return failed;
    std::optional<int64_t> outer = staticValue(outerOf(domain));
    std::optional<int64_t> inner = staticValue(innerOf(domain));
    if (outer && inner && !llvm::checkedMul(*outer, *inner))
      return error("expected at most 2^63-1 indices after fold_last2, got " +
                   llvm::Twine(*outer) + " x " + llvm::Twine(*inner));
    return llvm::Error::success();
  }

  static AffineExpr outerOf(const IndexSpace &domain) {
    return domain.range(domain.rank() - 2).upper;
  }
  static AffineExpr innerOf(const IndexSpace &domain) {
    return domain.range(domain.rank() - 1).upper;
  }

  IndexSpace image(Arguments, const IndexSpace &domain) const override {
    SmallVector<IndexRange, 4> ranges(domain.ranges().drop_back(2));
    ranges.push_back(plainRange(domain, outerOf(domain) * innerOf(domain)));
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> index) const override {
    Index result(index.drop_back(2));
    result.push_back(index[index.size() - 2] * innerOf(domain) + index.back());
    return result;
  }

  Index inverse(Arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> thread) const override {
    Index result(thread.drop_back());
    llvm::append_range(
        result, delinearize(thread.back(), {outerOf(domain), innerOf(domain)}));
    return result;
  }
};

} // namespace

const CombinatorRules &foldLast2Rules() {
  static const FoldLast2Rules rules;
  return rules;
}

} // namespace mlir::tc
