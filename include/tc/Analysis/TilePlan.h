//===- TilePlan.h - A schedule as numbers by iterator -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A #tc.schedule names iterators; whoever builds one, or evaluates thousands of
// them, wants numbers by iterator.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TILEPLAN_H
#define TC_ANALYSIS_TILEPLAN_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// One number per iterator.
using PerIterator = SmallVector<int64_t, 8>;

/// A factor of the threads of a block.
struct LaneFactor {
  unsigned iterator;
  int64_t threads;
  bool operator==(const LaneFactor &other) const {
    return iterator == other.iterator && threads == other.threads;
  }
};

/// How iterators are folded into a tensor instruction, as `#tc.mma` says it.
struct MmaFold {
  const MmaShape *shape = nullptr;
  /// Lanes of a warp along iterators of rows, columns and terms, the fastest
  /// last.
  SmallVector<LaneFactor, 4> rows, columns, terms;
  /// The iterator along which two neighbours of a lane are columns of one
  /// instruction.
  unsigned pair = 0;
  /// What the instructions for one product multiply: parts of its factors, or
  /// of their components.
  const Decomposition *product = nullptr;
  const Components *components = nullptr;
  /// Terms that are added to zero before they are added to accumulators; 0 if
  /// any number is added to these.
  int64_t promote = 0;

  /// Terms of a row or a column that a lane holds at a time: of one
  /// instruction, or of those that have a sum of their own, where a product is
  /// several.
  int64_t countTerms() const;
  /// Lanes along `i`, in the thread number or of terms.
  int64_t getLanes(unsigned i) const;
  bool operator==(const MmaFold &other) const {
    return shape == other.shape && rows == other.rows &&
           columns == other.columns && terms == other.terms &&
           pair == other.pair && product == other.product &&
           components == other.components && promote == other.promote;
  }
};

/// The factors of a #tc.schedule, 1 where it says nothing.
struct TilePlan {
  PerIterator thread, reg, vector, step, split;
  /// What `thread` consists of, the fastest last. An iterator may be there
  /// twice; with a tensor instruction the last are the lanes along its rows and
  /// columns.
  SmallVector<LaneFactor, 8> lanes;
  int64_t stages = 1, resident = 1;
  /// Of a tensor instruction; none for `fma`.
  std::optional<MmaFold> mma;

  explicit TilePlan(unsigned iterators) { resize(iterators); }
  /// Drops the last iterators, or adds ones with factors of 1.
  void resize(unsigned iterators);

  /// Results along `i` in a block tile; saturating.
  int64_t getBlock(unsigned i) const;
  int64_t getNumThreads() const;
  bool operator==(const TilePlan &other) const;
};

/// The iterator of the columns along which a lane holds two neighbours that one
/// instruction takes: as Contract/TilerMma has it, the last with an even vector
/// or an even number of registers and no threads; else with even registers.
unsigned findPair(const TilePlan &plan, function_ref<bool(unsigned)> isColumn);

/// The numbers of `schedule`, which names iterators of `op`.
TilePlan getPlan(ContractOp op, ScheduleAttr schedule);

/// The schedule that says the same, without factors of 1.
ScheduleAttr getSchedule(ContractOp op, const TilePlan &plan);

} // namespace mlir::tc

#endif // TC_ANALYSIS_TILEPLAN_H
