//===- MaskRules.h - Steps and widths to a guard ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mask_grid and grid_block share: a thread for every index between the
// bounds; those that the step and the width leave out have no work.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_COMBINATORS_MASKRULES_H
#define TC_LIB_ALGEBRA_COMBINATORS_MASKRULES_H

#include "CombinatorRules.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::tc {

/// The space without its steps and widths, which become the guard.
struct MaskRules : CombinatorRules {
  IndexSpace image(Arguments, const IndexSpace &domain) const final {
    SmallVector<IndexRange, 4> ranges(domain.ranges());
    for (IndexRange &range : ranges)
      range.step = range.width = constant(domain, 1);
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments, const IndexSpace &,
                ArrayRef<AffineExpr> index) const final {
    return Index(index);
  }

  Index inverse(Arguments, const IndexSpace &,
                ArrayRef<AffineExpr> thread) const final {
    return Index(thread);
  }

  Index guard(Arguments, const IndexSpace &domain,
              ArrayRef<AffineExpr> thread) const final {
    Index conditions;
    for (auto [t, range] : llvm::zip_equal(thread, domain.ranges()))
      if (!range.isDense())
        conditions.push_back(range.width - 1 - (t - range.lower) % range.step);
    return conditions;
  }
};

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_COMBINATORS_MASKRULES_H
