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

#include "tc/Analysis/CostModel.h"

namespace mlir::tc {

struct RankedPlan {
  TilePlan plan;
  KernelCost cost; ///< predicted
};

/// What a search looked at.
struct SearchStatistics {
  int64_t enumerated = 0; ///< tiles, without their steps
  int64_t evaluated = 0;  ///< plans whose whole cost was predicted
};

/// Up to `count` plans of the least score, best first, for which `isLegal`
/// holds. None when no plan of the space is legal.
std::vector<RankedPlan>
searchPlans(const Workload &work, const Machine &machine, unsigned count,
            function_ref<bool(const TilePlan &)> isLegal,
            SearchStatistics *statistics = nullptr);

/// The same for a normal contraction, by findScheduleProblem. None where
/// extents are empty or dynamic.
std::vector<RankedPlan> searchPlans(ContractOp op, const ContractAccess &access,
                                    MachineAttr machine, unsigned count,
                                    SearchStatistics *statistics = nullptr);

} // namespace mlir::tc

#endif // TC_ANALYSIS_SCHEDULESEARCH_H
