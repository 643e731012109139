//===- PlanSearch.h - Searches that go less far -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_PLANSEARCH_H
#define TC_LIB_ANALYSIS_SEARCH_PLANSEARCH_H

#include "Cost/Traffic.h"
#include "Search/Sharing.h"
#include "Search/Tilings.h"

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// How far a search goes.
struct SearchEffort {
  /// Combinations of tiles whose cost is predicted with one choice of steps; of
  /// these, those for which more are tried, and those for which all are.
  size_t combinations = 384, refined = 24, thorough = 4;
};

/// Threads of each result, or what is folded into tensor instructions, how
/// results are tiled for them, and what plans may take of the machine.
struct SearchSpace {
  SearchSpace(const Workload &work, MachineAttr machine,
              const std::optional<Sharing> &sharing = std::nullopt)
      : machine(limitSearch(machine, /*isFolded=*/false)),
        rates(getRates(this->machine)), sharing(sharing),
        tilings(work, rates, sharing ? sharing->threads : 1) {}
  SearchSpace(const Workload &work, MachineAttr machine, const FoldSpace &fold)
      : machine(limitSearch(machine, /*isFolded=*/true)),
        rates(getRates(this->machine)), fold(fold),
        tilings(work, rates, /*sharing=*/1, &fold) {}

  MachineAttr machine;
  Machine rates;
  std::optional<Sharing> sharing;
  std::optional<FoldSpace> fold;
  Tilings tilings;
};

/// Up to `count` plans of the least score, best first, for which `isLegal`
/// holds, in `space`, which may be that of the whole sum where `work` is one
/// of its `parts`. Searches may share `tiles`. Adds to `evaluated` the plans
/// whose whole cost was predicted.
std::vector<RankedPlan>
searchPlans(const Workload &work, const SearchSpace &space, double parts,
            unsigned count, function_ref<bool(const TilePlan &)> isLegal,
            const SearchEffort &effort, TileCache &tiles, int64_t &evaluated);

/// Puts `plan` where it belongs among the `best`, up to `count`, behind those
/// of equal score; the last of more goes.
void insertPlan(std::vector<RankedPlan> &best, unsigned count,
                const TilePlan &plan, KernelCost cost);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_PLANSEARCH_H
