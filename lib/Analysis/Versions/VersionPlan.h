//===- VersionPlan.h - Schedules for one size -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_VERSIONS_VERSIONPLAN_H
#define TC_LIB_ANALYSIS_VERSIONS_VERSIONPLAN_H

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// A size of a contraction of dynamic extents.
struct VersionSize {
  double results = 1; ///< along dynamic iterators but `narrow`
  double terms = 1;   ///< of each result
  /// A result iterator unlike the others, and its extent.
  std::optional<std::pair<unsigned, int64_t>> narrow = std::nullopt;
};

/// The strides of `op` with these extents; none where they span more than can
/// be addressed. The user did not ask for them, so nothing is reported.
std::optional<StrideTable> findSizedTable(ContractOp op,
                                          const NominalExtents &nominal);

/// `op` with nominal extents of about that size, all dynamic ones equal; none
/// where these span more than can be addressed.
std::optional<Workload> getSizedWork(ContractOp op, const VersionSize &size);

/// Results along static iterators, at least 1.
double countStaticResults(ContractOp op);

/// The schedule of the best plan for `size`, as a version has it: a split,
/// which is of one iterator, says how many parts a block tile of results has.
/// With a narrow iterator there is no split, nor are there vectors along it,
/// which would have to divide it, or tensor instructions. Null if there is no
/// plan. `judged` says what is legal.
ScheduleAttr searchVersion(ContractOp op, const StrideTable &judged,
                           const VersionSize &size, MachineAttr machine);

/// The score of `op` of the size of `work` with the schedule of a version.
double predictVersion(ContractOp op, const Workload &work,
                      ScheduleAttr schedule, MachineAttr machine);

/// The same with the first version of `choice` that is for this size, or with
/// its schedule.
double predictChosen(ContractOp op, const Workload &work,
                     const ScheduleChoice &choice, MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_VERSIONS_VERSIONPLAN_H
