//===- Schedules.h - Which schedules are legal -------------------*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SCHEDULES_H
#define TC_ANALYSIS_SCHEDULES_H

#include "tc/Analysis/Access.h"
#include "tc/Analysis/TilePlan.h"

namespace mlir::tc {

/// What a schedule needs of the machine, per block or thread. Predicted, not
/// measured: `registers` is an estimate from above of what ptxas will use.
struct ScheduleNeeds {
  int64_t threads = 0;
  /// Of the staged tile of each input, 0 where it is read where it lies.
  SmallVector<int64_t> stageBytes;
  /// Of the results that threads of one result show each other.
  int64_t partialBytes = 0;
  /// All of these.
  int64_t sharedBytes = 0;
  int64_t registers = 0;
};

/// `schedule` with all that later passes carry out: what it does not say of
/// how inputs are staged and loops unrolled is decided (completeStaging,
/// completeUnrolling).
ScheduleAttr completeSchedule(ContractOp op, const StrideTable &access,
                              ScheduleAttr schedule);

/// The needs of `schedule` for a normal contraction.
ScheduleNeeds getNeeds(ContractOp op, const StrideTable &access,
                       ScheduleAttr schedule);

/// Results that a thread holds: registers times vectors; saturating.
int64_t countResults(ContractOp op, ScheduleAttr schedule);

/// Places along result iterator `i` that the block tiles of `plan` compute to
/// cover an extent: all that they have, but without those of tensor
/// instructions whose results all stick out of a static extent (TilerMma.cpp).
/// `contracted` has an element for each iterator; of `inputs` it matters only
/// with which iterators they vary.
int64_t countComputed(const TilePlan &plan, unsigned i, int64_t extent,
                      ArrayRef<bool> contracted, ArrayRef<Access> inputs);
/// The same for blocks whose warps wait for each other, so that all of them
/// take as long as the one with the most.
int64_t countComputedTogether(const TilePlan &plan, unsigned i, int64_t extent,
                              ArrayRef<bool> contracted,
                              ArrayRef<Access> inputs);

/// 32-bit registers that the accumulators of one result take.
int64_t getAccumulatorWords(ContractOp op);

/// Nothing when `schedule` can be launched on `machine` and gives the right
/// result: threads, shared memory and registers within the limits, and terms in
/// order where they may not be reordered. Else a sentence that says what was
/// expected and what was found.
std::optional<std::string> findScheduleProblem(ContractOp op,
                                               const StrideTable &access,
                                               ScheduleAttr schedule,
                                               MachineAttr machine);

/// The same for contractions that one kernel adds into one result: each by
/// itself, and together. They share threads, registers and shared memory; the
/// k-th input of one lies where the k-th input of another did, and results that
/// change lanes between two terms pass through where the first input lies.
std::optional<std::string> findScheduleProblem(ArrayRef<ContractOp> ops,
                                               ArrayRef<StrideTable> accesses,
                                               ArrayRef<ScheduleAttr> schedules,
                                               MachineAttr machine);

/// Do the lanes of a warp have other results with `after` than with `before`,
/// two terms of a sum? Threads and registers are the same.
bool changesLanes(ScheduleAttr before, ScheduleAttr after);

/// Why the search does not consider tensor instructions for `op`; nothing if it
/// does.
std::optional<std::string> findTensorProblem(ContractOp op,
                                             const StrideTable &access,
                                             MachineAttr machine);

} // namespace mlir::tc

#endif // TC_ANALYSIS_SCHEDULES_H
