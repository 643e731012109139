//===- Permute.cpp - The dimensions in another order ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.6. Costs nothing: it renames the dimensions of the thread
// index.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

namespace mlir::tc {
namespace {

struct PermuteRules final : CombinatorRules {
  llvm::StringRef name() const override { return "permute"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    SmallVector<bool> seen(arguments.size(), false);
    for (int64_t from : arguments) {
      if (from < 0 || from >= int64_t(arguments.size()) || seen[from])
        return error("expected the arguments of permute to be a permutation of "
                     "0 to " +
                     llvm::Twine(arguments.size() - 1));
      seen[from] = true;
    }
    return llvm::Error::success();
  }

  llvm::Error check(Arguments arguments,
                    const IndexSpace &domain) const override {
    if (arguments.size() != domain.rank())
      return error("expected one argument of permute for each of " +
                   llvm::Twine(domain.rank()) + " dimensions, got " +
                   llvm::Twine(arguments.size()));
    return llvm::Error::success();
  }

  IndexSpace image(Arguments arguments,
                   const IndexSpace &domain) const override {
    SmallVector<IndexRange, 4> ranges;
    for (int64_t from : arguments)
      ranges.push_back(domain.range(from));
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments arguments, const IndexSpace &,
                ArrayRef<AffineExpr> index) const override {
    Index result;
    for (int64_t from : arguments)
      result.push_back(index[from]);
    return result;
  }

  Index inverse(Arguments arguments, const IndexSpace &,
                ArrayRef<AffineExpr> thread) const override {
    Index result(thread.size());
    for (auto [to, from] : llvm::enumerate(arguments))
      result[from] = thread[to];
    return result;
  }
};

} // namespace

const CombinatorRules &permuteRules() {
  static const PermuteRules rules;
  return rules;
}

} // namespace mlir::tc
