//===- ScheduleSearch.h - The best schedules by the model -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates tiles for one contraction and ranks them by their predicted cost.
// No random numbers and no clock: the same contraction gets the same schedules.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SCHEDULESEARCH_H
#define TC_ANALYSIS_SCHEDULESEARCH_H

#include "tc/Analysis/Access.h"
#include "tc/Analysis/CostModel.h"

#include <limits>

namespace mlir::tc {

struct RankedPlan {
  TilePlan plan;
  KernelCost cost; ///< predicted
};

/// What plans are to hold to beside the limits of the machine.
struct SearchRules {
  /// By which costs are predicted, if not the contraction's own: with other
  /// sizes for dynamic extents, or among other terms. What is legal does not
  /// depend on these.
  const Workload *work = nullptr;
  bool mayBeSplit = true;
  /// May tensor instructions compute it?
  bool mayFold = true;
  /// Parts of shared memory, of which each staged input has one at most; 0
  /// where they have what they need.
  int64_t shares = 0;

  /// Is the schedule of `plan` legal, and within these rules?
  bool allow(ContractOp op, const StrideTable &access, const TilePlan &plan,
             MachineAttr machine) const;
  /// Gives each input of `works` an equal share of shared memory; half of that
  /// where in which order dynamic strides rise is an estimate, since the tile
  /// may then be padded in another way when it is made.
  void shareMemory(ArrayRef<Workload> works);
};

/// The machine as far as the search makes use of it, with and without tensor
/// instructions: for the latter it has less shared memory than a schedule
/// written by hand may take.
MachineAttr limitSearch(MachineAttr machine, bool isFolded);

/// Up to `count` plans of the least score for a normal contraction, best first,
/// which are legal by findScheduleProblem. None when no plan of the space is.
/// Dynamic extents count as nominal ones, those of 0 as 1. Adds to `evaluated`
/// the plans whose whole cost was predicted.
std::vector<RankedPlan> searchPlans(ContractOp op, const StrideTable &access,
                                    MachineAttr machine, unsigned count,
                                    const SearchRules &rules = {},
                                    int64_t *evaluated = nullptr);

/// The schedules to take for contractions that one kernel adds into one result,
/// one for each.
struct ScheduleChoice {
  SmallVector<ScheduleAttr> schedules;
  /// Of a single contraction of dynamic extents: others for fewer results, and
  /// for fewer of long sums.
  SmallVector<VersionAttr> versions;
};

/// The best choice by the model for normal contractions; a single one is a
/// group, too. Where the search finds no legal schedules they are the largest
/// plain ones that are; the smallest where the machine has room for none.
/// Where `sizes` says what their dynamic extents are like there are no others
/// for other sizes. Fails, with a report, as getStrideTable.
FailureOr<ScheduleChoice> searchSchedules(ArrayRef<ContractOp> ops,
                                          MachineAttr machine,
                                          ArrayRef<NominalExtents> sizes = {});

} // namespace mlir::tc

#endif // TC_ANALYSIS_SCHEDULESEARCH_H
