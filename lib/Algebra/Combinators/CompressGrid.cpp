//===- CompressGrid.cpp - Steps and widths to dense ranges ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 4.2. Of every `step` indices the first `width` are kept, so
// index i becomes (i floordiv step) * width + i mod step. The last period may
// be cut short; min(rest, width) is not affine, so with symbolic bounds and a
// width that is not 1 the image is rounded up to whole periods and a guard cuts
// the rest.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::tc {
namespace {

struct CompressGridRules final : CombinatorRules {
  llvm::StringRef name() const override { return "compress_grid"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    for (int64_t flag : arguments)
      if (flag != 0 && flag != 1)
        return error("expected each argument of compress_grid to be 0 or 1, "
                     "got " +
                     llvm::Twine(flag));
    return llvm::Error::success();
  }

  llvm::Error check(Arguments arguments,
                    const IndexSpace &domain) const override {
    if (arguments.size() != domain.rank())
      return error("expected one argument of compress_grid for each of " +
                   llvm::Twine(domain.rank()) + " dimensions, got " +
                   llvm::Twine(arguments.size()));
    for (auto [i, range] : llvm::enumerate(domain.ranges()))
      if (arguments[i] && !range.isZeroBased())
        return error("expected lower bound 0 in dimension " + llvm::Twine(i) +
                     "; apply shift_lb before it");
    return llvm::Error::success();
  }

  /// The indices that are left of `range`; rounded up to whole periods unless
  /// the number is exact.
  static AffineExpr count(const IndexRange &range, bool &exact) {
    exact = true;
    if (range.isDense())
      return range.upper;
    if (staticValue(range.width) == 1)
      return range.upper.ceilDiv(range.step);
    std::optional<int64_t> upper = staticValue(range.upper);
    std::optional<int64_t> step = staticValue(range.step);
    std::optional<int64_t> width = staticValue(range.width);
    exact = upper && step && width;
    if (!exact)
      return range.upper.ceilDiv(range.step) * range.width;
    int64_t last = std::min(llvm::mod(*upper, *step), *width);
    return getAffineConstantExpr(*upper / *step * *width + last,
                                 range.upper.getContext());
  }

  static bool isCompressed(Arguments arguments, unsigned i,
                           const IndexRange &range) {
    return arguments[i] && !range.isDense();
  }

  IndexSpace image(Arguments arguments,
                   const IndexSpace &domain) const override {
    SmallVector<IndexRange, 4> ranges(domain.ranges());
    bool exact;
    for (auto [i, range] : llvm::enumerate(ranges))
      if (arguments[i])
        range = plainRange(domain, count(range, exact));
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> index) const override {
    Index result(index);
    for (auto [i, range] : llvm::enumerate(domain.ranges()))
      if (isCompressed(arguments, i, range))
        result[i] =
            index[i].floorDiv(range.step) * range.width + index[i] % range.step;
    return result;
  }

  Index inverse(Arguments arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> thread) const override {
    Index result(thread);
    for (auto [i, range] : llvm::enumerate(domain.ranges()))
      if (isCompressed(arguments, i, range))
        result[i] = thread[i].floorDiv(range.width) * range.step +
                    thread[i] % range.width;
    return result;
  }

  Index guard(Arguments arguments, const IndexSpace &domain,
              ArrayRef<AffineExpr> thread) const override {
    Index recovered = inverse(arguments, domain, thread), conditions;
    for (auto [i, range] : llvm::enumerate(domain.ranges())) {
      bool exact = true;
      if (isCompressed(arguments, i, range))
        count(range, exact);
      if (!exact)
        conditions.push_back(range.upper - 1 - recovered[i]);
    }
    return conditions;
  }
};

} // namespace

const CombinatorRules &compressGridRules() {
  static const CompressGridRules rules;
  return rules;
}

} // namespace mlir::tc
