//===- SplitRules.h - The innermost dimension in two ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What split_last and split_even share: index i becomes (i floordiv m, i mod
// m). They differ in how m and the number of parts follow from the extent.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_COMBINATORS_SPLITRULES_H
#define TC_LIB_ALGEBRA_COMBINATORS_SPLITRULES_H

#include "CombinatorRules.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::tc {

/// Two dimensions of `outerSize` x `innerSize` for the last one.
struct SplitRules : CombinatorRules {
  virtual AffineExpr outerSize(int64_t argument, AffineExpr extent) const = 0;
  virtual AffineExpr innerSize(int64_t argument, AffineExpr extent) const = 0;
  /// True when the sizes multiply to the extent.
  virtual bool isExact(int64_t argument, AffineExpr extent) const = 0;

  llvm::Error checkArguments(Arguments arguments) const final {
    return expectOneArgument(arguments, 1);
  }

  llvm::Error check(Arguments, const IndexSpace &domain) const final {
    return expectPlain(domain, 1);
  }

  static AffineExpr extentOf(const IndexSpace &domain) {
    return domain.ranges().back().upper;
  }

  IndexSpace image(Arguments arguments, const IndexSpace &domain) const final {
    SmallVector<IndexRange, 4> ranges(domain.ranges().drop_back());
    ranges.push_back(
        plainRange(domain, outerSize(arguments[0], extentOf(domain))));
    ranges.push_back(
        plainRange(domain, innerSize(arguments[0], extentOf(domain))));
    return IndexSpace(domain.getContext(), ranges);
  }

  Index forward(Arguments arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> index) const final {
    AffineExpr inner = innerSize(arguments[0], extentOf(domain));
    Index result(index.drop_back());
    result.push_back(index.back().floorDiv(inner));
    result.push_back(index.back() % inner);
    return result;
  }

  Index inverse(Arguments arguments, const IndexSpace &domain,
                ArrayRef<AffineExpr> thread) const final {
    Index result(thread.drop_back(2));
    result.push_back(thread[thread.size() - 2] *
                         innerSize(arguments[0], extentOf(domain)) +
                     thread.back());
    return result;
  }

  Index guard(Arguments arguments, const IndexSpace &domain,
              ArrayRef<AffineExpr> thread) const final {
    if (isExact(arguments[0], extentOf(domain)))
      return {};
    AffineExpr recovered = inverse(arguments, domain, thread).back();
    return {domain.ranges().back().upper - 1 - recovered};
  }
};

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_COMBINATORS_SPLITRULES_H
