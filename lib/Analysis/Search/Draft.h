//===- Draft.h - A schedule under construction -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_DRAFT_H
#define TC_LIB_ANALYSIS_SEARCH_DRAFT_H

#include "tc/Analysis/Access.h"
#include "tc/IR/TC.h"

namespace mlir::tc {

/// Result iterators that the same inputs vary with: the rows (only the first
/// input), the columns (only the second), batch (all), broadcast (none).
struct Axis {
  uint64_t inputs = 0;
  SmallVector<unsigned> iterators;
  int64_t extent = 1; ///< product of the iterators' extents, saturating
};

/// A schedule under construction: one factor per iterator, and how much of the
/// contracted space to stage at a time.
struct Draft {
  explicit Draft(unsigned iterators, int64_t staged)
      : thread(iterators, 1), reg(iterators, 1), step(iterators, 1),
        vector(iterators, 1), staged(staged) {}

  SmallVector<int64_t> thread, reg, step, vector;
  int64_t staged;
  /// Threads of one result, along a contracted iterator, and whether they are
  /// the fastest.
  int64_t sharing = 1;
  bool fastest = false;
};

/// Threads of a block, where there is work for as many.
inline constexpr int64_t kBlockThreads = 256;

/// The factor of `extent` from `target`/2 to `target` that wastes least when
/// `extent` is covered by whole tiles; the largest of these.
int64_t fitFactor(int64_t extent, int64_t target);

/// The axes, iterators of each by ascending result stride.
SmallVector<Axis> getAxes(const ContractAccess &access);

/// Spreads `threads` threads and `registers` results per thread over the
/// iterators of an axis.
void fitAxis(const Axis &axis, const ContractAccess &access, int64_t threads,
             int64_t registers, Draft &draft);

/// The product of the factors of the axis' iterators.
int64_t getProduct(ArrayRef<int64_t> factors, const Axis &axis);

/// The product of the nominal extents of the iterators that `select` names.
int64_t countPoints(const ContractAccess &access,
                    function_ref<bool(unsigned)> select);

/// All inputs, as bits. As getInputsVarying, which folds more inputs than 64
/// onto the same bits.
uint64_t getAllInputs(const ContractAccess &access);

/// The contracted iterator that threads of one result share: the one along
/// which the largest input lies densest, where that is contracted and long;
/// else the longest.
std::optional<unsigned> findSharedIterator(const ContractAccess &access);

/// Neighbours along `shared` that a lane of the largest input takes together,
/// where `threads` share a result.
int64_t fitVector(ContractOp op, const ContractAccess &access, unsigned shared,
                  int64_t threads);

/// Lets threads share results, along the iterator of findSharedIterator. See
/// Note [Shared results] in SharedResults.cpp.
void fitSharing(const ContractAccess &access, MachineAttr machine,
                Draft &draft);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_DRAFT_H
