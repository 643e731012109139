//===- PadLast.cpp - The innermost extent up to a multiple ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.5. Bounds, step and width may be any: only the upper bound
// moves.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

namespace mlir::tc {
namespace {

struct PadLastRules final : CombinatorRules {
  llvm::StringRef name() const override { return "pad_last"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    return expectOneArgument(arguments, 1);
  }

  llvm::Error check(Arguments, const IndexSpace &domain) const override {
    return expectRank(domain, 1);
  }

  IndexSpace image(Arguments arguments,
                   const IndexSpace &domain) const override {
    SmallVector<IndexRange, 4> ranges(domain.ranges());
    IndexRange &last = ranges.back();
    last.upper =
        last.lower + last.extent().ceilDiv(arguments[0]) * arguments[0];
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments, const IndexSpace &,
                ArrayRef<AffineExpr> index) const override {
    return Index(index);
  }

  Index inverse(Arguments, const IndexSpace &,
                ArrayRef<AffineExpr> thread) const override {
    return Index(thread);
  }

  Index guard(Arguments arguments, const IndexSpace &domain,
              ArrayRef<AffineExpr> thread) const override {
    if (domain.ranges().back().extent().isMultipleOf(arguments[0]))
      return {};
    return {domain.ranges().back().upper - 1 - thread.back()};
  }
};

} // namespace

const CombinatorRules &padLastRules() {
  static const PadLastRules rules;
  return rules;
}

} // namespace mlir::tc
