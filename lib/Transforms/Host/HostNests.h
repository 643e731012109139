//===- HostNests.h - Which loops of a nest a CPU runs how -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decision of tc-map-host, apart from carrying it out.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTNESTS_H
#define TC_LIB_TRANSFORMS_HOST_HOSTNESTS_H

#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// How a CPU runs a tc.par.
struct HostNestPlan {
  /// Its dimensions, outermost first. The last one is along neighbours in
  /// memory as far as one is.
  SmallVector<int64_t> order;
  /// Iterations along the last dimension that run together, by vectors, with
  /// the loops inside of them; 0 where LLVM makes vectors of the innermost
  /// loops, or there is nothing to gain.
  int64_t together = 0;
  /// Iterations along the last dimension that a task has at most, if the others
  /// have too few for tasks of their own; 0 where they have enough.
  int64_t run = 0;
  /// Iterations along the last dimension, columns, that take each step of the
  /// loop inside before the next, since memory is fastest along rows; 0 where
  /// there is no such loop; and the steps that a column takes at a time.
  int64_t columns = 0, rows = 1;
  /// A dimension along which other accesses have their neighbours, so that it
  /// is run in tiles with the last one; none if there is none.
  std::optional<int64_t> across;
  int64_t tile = 0; ///< iterations of either in a tile
  /// Ops of an iteration, those in loops as often as they run.
  int64_t work = 1;
};

/// `vectorBits` is the width of a vector.
HostNestPlan planHostNest(ParOp nest, int64_t vectorBits);

/// Runs `nest`, of one dimension and at most `columns` iterations, by steps of
/// the loop that is in it, `rows` of them at a time. False where that cannot
/// be, and nothing is changed.
bool runByRows(RewriterBase &rewriter, ParOp nest, int64_t columns,
               int64_t rows);

/// The loads and stores of a nest of two dimensions that go through neighbours
/// along the first one and not along the second, at subscripts that can be
/// computed before, and of buffers that no other access shares with them.
SmallVector<Operation *> findTransposed(ParOp nest);

/// Runs `places`, a tile of at most `size` iterations along each of two
/// dimensions, on copies of what it would go through across neighbours, where
/// it is whole.
void transposeTiles(RewriterBase &rewriter, ParOp places, int64_t size);

/// A copy of `nest`, before it, in which the iterations of reductions and scans
/// are loops.
ParOp cloneWithLoops(RewriterBase &rewriter, ParOp nest);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTNESTS_H
