//===- IndexSpace.h - Index spaces: lower, upper, step, width ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The set of index vectors that a tc.par runs over, as in SaC's with-loop:
//
//     lower <= i < upper   and   (i - lower) mod step < width
//
// in every dimension: of every `step` indices from `lower` on, the first
// `width`. The bounds are affine expressions over constants and symbols, so an
// extent may be symbolic. Combinators.h maps one index space to another.
//
// Source: Janssen and Scholz, "On mapping N-dimensional data-parallelism
// efficiently into GPU-thread-spaces" (IFL 2021), section 2.1. The paper's
// formula counts the step from zero, its examples from the lower bound; the
// examples are right (and SaC's manual agrees).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_INDEXSPACE_H
#define TC_ALGEBRA_INDEXSPACE_H

#include "tc/Algebra/Exprs.h"

#include "llvm/Support/Error.h"

namespace mlir::tc {

/// One dimension of an index space.
struct IndexRange {
  AffineExpr lower, upper; ///< lower <= i < upper
  AffineExpr step, width;  ///< (i - lower) mod step < width

  /// `upper - lower`: the indices that a step and width of one would leave.
  AffineExpr extent() const { return upper - lower; }
  /// True when the lower bound is the constant 0.
  bool isZeroBased() const { return staticValue(lower) == 0; }
  /// True when step and width are one expression: no index is left out.
  bool isDense() const { return step == width; }
};

/// A box of index vectors, dimension 0 outermost. A plain value.
class IndexSpace {
public:
  IndexSpace(MLIRContext *context, ArrayRef<IndexRange> ranges)
      : context(context), dims(ranges.begin(), ranges.end()) {}

  /// Succeeds when every bound is over constants and symbols, every constant
  /// step at least one, and every constant width from one to the step; else
  /// names the first that is not.
  llvm::Error verify() const;

  MLIRContext *getContext() const { return context; }
  unsigned rank() const { return dims.size(); }
  ArrayRef<IndexRange> ranges() const { return dims; }
  const IndexRange &range(unsigned i) const { return dims[i]; }
  /// `upper - lower` of each dimension.
  SmallVector<AffineExpr> extents() const;
  /// The extents as constants; none when one of them is symbolic.
  std::optional<SmallVector<int64_t>> staticExtents() const;

  bool isZeroBased() const;
  bool isDense() const;

private:
  MLIRContext *context;
  SmallVector<IndexRange, 4> dims;
};

} // namespace mlir::tc

#endif // TC_ALGEBRA_INDEXSPACE_H
