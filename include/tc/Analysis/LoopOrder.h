//===- LoopOrder.h - May iterations change places ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may be run in another order if no two accesses to one element, of
// which one writes, change places. Each question below is answered by two such
// accesses or by none. Integer systems decide it (IntegerSystem.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_LOOPORDER_H
#define TC_ANALYSIS_LOOPORDER_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// Two accesses to one element that would change places.
struct Clash {
  NestAccess first, second; ///< in the order of the program
  /// The indices of their iterations. Both are empty where no such iterations
  /// are known, but cannot be excluded either.
  SmallVector<int64_t> before, after;

  bool isProven() const { return !before.empty(); }
};

/// Are there iterations of a loop that change places if it runs in the order of
/// `times`? `indices` are those of `outermost` and of loops in it, such that
/// iterations are in lexicographic order; the `times` are over their dimensions
/// in `values`, and in lexicographic order, too. Iterations of one time are
/// concurrent: none comes first.
std::optional<Clash> findReordered(Operation *outermost, ValueRange indices,
                                   ArrayRef<AffineExpr> times,
                                   NestValues &values);

/// Are there iterations of `first` and of `second`, a later nest over the same
/// space, that change places if these become one nest? `inOrder`: its
/// iterations follow one another; else they are concurrent.
std::optional<Clash> findOvertaken(Operation *first, Operation *second,
                                   bool inOrder, NestValues &values);

/// Are there iterations of `loop` that change places if all its iterations run
/// the ops of its body before `cut` first, and only then the others?
std::optional<Clash> findCutThrough(Operation *loop, Operation *cut,
                                    NestValues &values);

/// Does an iteration of `loop` read an element of `buffer` that an earlier one
/// writes?
std::optional<Clash> findCarried(Operation *loop, Value buffer,
                                 NestValues &values);

/// Does `later`, an op after `nest` in its block, write what `nest` reads,
/// other than from `made`? Where `mayFollow`, not all that is in `later` runs
/// before `nest` would read again, so that iterations prove nothing.
std::optional<Clash> findStale(Operation *nest, Value made, Operation *later,
                               bool mayFollow, NestValues &values);

/// An op in `op`, or itself, that does more than reading and writing memrefs;
/// null if there is none.
Operation *findUnknownEffect(Operation *op);

} // namespace mlir::tc

#endif // TC_ANALYSIS_LOOPORDER_H
