//===- ShiftLb.cpp - Every lower bound to zero ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.1. The step and width count from the lower bound, so they
// stay. A constant empty range stays empty: its upper bound becomes 0, not
// negative.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

namespace mlir::tc {
namespace {

struct ShiftLbRules final : CombinatorRules {
  llvm::StringRef name() const override { return "shift_lb"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    return expectNoArguments(arguments);
  }

  llvm::Error check(Arguments, const IndexSpace &) const override {
    return llvm::Error::success();
  }

  IndexSpace image(Arguments, const IndexSpace &domain) const override {
    SmallVector<IndexRange, 4> ranges(domain.ranges());
    AffineExpr zero = constant(domain, 0);
    for (IndexRange &range : ranges) {
      std::optional<int64_t> extent = staticValue(range.extent());
      range.upper = extent && *extent < 0 ? zero : range.extent();
      range.lower = zero;
    }
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> index) const override {
    Index result;
    for (auto [i, range] : llvm::zip_equal(index, domain.ranges()))
      result.push_back(i - range.lower);
    return result;
  }

  Index inverse(Arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> thread) const override {
    Index result;
    for (auto [t, range] : llvm::zip_equal(thread, domain.ranges()))
      result.push_back(t + range.lower);
    return result;
  }
};

} // namespace

const CombinatorRules &shiftLbRules() {
  static const ShiftLbRules rules;
  return rules;
}

} // namespace mlir::tc
