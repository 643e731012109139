//===- SplitSearch.h - When to divide a sum among blocks --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum in parts is two kernels, and each is predicted as any other.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_SPLITSEARCH_H
#define TC_LIB_ANALYSIS_SEARCH_SPLITSEARCH_H

#include "Cost/Traffic.h"
#include "Search/PlanSearch.h"

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// The cost of both kernels of a plan with a split.
KernelCost predictSplitCost(ContractOp op, const Workload &work,
                            const TilePlan &plan, MachineAttr machine);

/// The best plan for each of a few splits; none where terms may not be grouped.
/// `access` says what is legal, `work` what it costs; `spaces` are of the whole
/// sum.
std::vector<RankedPlan> searchSplits(ContractOp op, const StrideTable &access,
                                     const Workload &work, MachineAttr machine,
                                     ArrayRef<SearchSpace> spaces,
                                     TileCache &tiles);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_SPLITSEARCH_H
