//===- ContractSearch.cpp - The best schedules of a contraction -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search with a thread for each result (ScheduleSearch.cpp) comes first.
// Where it leaves multiprocessors idle, or nothing is used twice, threads that
// share results are tried; and where there are too few blocks still, sums in
// parts.
//
//===----------------------------------------------------------------------===//

#include "Cost/Registers.h"
#include "Search/PlainPlan.h"
#include "Search/PlanSearch.h"
#include "Search/SplitSearch.h"

#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// Plans that are tried whatever the search finds: small problems have room for
/// little else.
static constexpr int64_t kTriedThreads[] = {64, 256}, kTriedTerms[] = {4, 16};
/// Numbers of threads that share results, one larger than the other, that are
/// tried in vain.
static constexpr unsigned kMostMisses = 2;
/// For each number of threads that share results, and for the best of them.
static constexpr SearchEffort kSharing = {16, 1, 1}, kShared = {64, 4, 2};
/// Threads that share a result of a part of a sum, beside as many as are best
/// for the whole.
static constexpr int64_t kFewestForParts = 128;
/// Of a product, too few for the threads of a block.
static constexpr double kFewResults = 1024;

/// Without tensor instructions the search weighs no tiles that need an opt-in:
/// what larger ones gain or cost there has not been measured.
static const int64_t kMostSearchedSharedBytes = Machine().sharedBytesPerBlock;

MachineAttr mlir::tc::limitSearch(MachineAttr machine, bool isFolded) {
  if (isFolded)
    return machine;
  return machine.withSharedBytes(
      std::min(machine.getBlockSharedBytes(), kMostSearchedSharedBytes));
}

bool SearchRules::allow(ContractOp op, const StrideTable &access,
                        const TilePlan &plan, MachineAttr machine) const {
  ScheduleAttr schedule = getSchedule(op, plan);
  machine = limitSearch(machine, plan.mma.has_value());
  if (findScheduleProblem(op, access, schedule, machine))
    return false;
  return shares == 0 ||
         llvm::all_of(getNeeds(op, access, schedule).stageBytes,
                      [&](int64_t bytes) {
                        return bytes <= machine.getBlockSharedBytes() / shares;
                      });
}

void SearchRules::shareMemory(ArrayRef<Workload> works) {
  size_t inputs = 1;
  bool isEstimated = false;
  for (const Workload &work : works) {
    inputs = std::max(inputs, work.inputs.size());
    isEstimated |= !llvm::all_of(
        work.inputs, [](const Access &input) { return input.hasKnownRows(); });
  }
  if (works.size() > 1 || isEstimated)
    shares = int64_t(inputs) * (isEstimated ? 2 : 1);
}

/// Can a block use what it has staged for other results, in two directions?
static bool isProduct(const Workload &work) {
  return llvm::count_if(getResultAxes(work),
                        std::mem_fn(&ResultAxis::hasReuse)) > 1;
}

namespace {
class ContractSearch {
public:
  ContractSearch(ContractOp op, const StrideTable &access, MachineAttr machine,
                 unsigned count, const SearchRules &rules, int64_t &evaluated)
      : op(op), access(access), machine(machine), count(count), rules(rules),
        evaluated(evaluated),
        rates(getRates(limitSearch(machine, /*isFolded=*/false))),
        work(rules.work ? *rules.work : getWorkload(op, access)),
        product(isProduct(work)) {
    if (rules.shares == 0)
      this->rules.shareMemory(work);
  }
  std::vector<RankedPlan> run();

private:
  std::vector<RankedPlan> search(const SearchSpace &space, unsigned most,
                                 const SearchEffort &effort);
  std::optional<Sharing> chooseSharing();
  void shareResults();
  void searchFolds();
  void addPlain();
  void insert(const TilePlan &plan, KernelCost cost);
  bool isLegal(const TilePlan &plan) const {
    return rules.allow(op, access, plan, machine);
  }
  /// Has the best plan too few blocks for the machine?
  bool leavesIdle() const {
    return best.empty() || best.front().cost.waves < 1;
  }

  ContractOp op;
  const StrideTable &access;
  MachineAttr machine;
  unsigned count;
  SearchRules rules;
  int64_t &evaluated;
  Machine rates;
  Workload work;
  bool product;
  TileCache tiles;
  std::vector<RankedPlan> best;
  std::vector<SearchSpace> ofParts; ///< what parts of the sum are searched in
};
} // namespace

std::vector<RankedPlan> ContractSearch::search(const SearchSpace &space,
                                               unsigned most,
                                               const SearchEffort &effort) {
  return searchPlans(
      work, space, /*parts=*/1, most,
      [&](const TilePlan &plan) { return isLegal(plan); }, effort, tiles,
      evaluated);
}

/// Puts `plan` among the best, unless it is there.
void ContractSearch::insert(const TilePlan &plan, KernelCost cost) {
  bool isThere = llvm::any_of(
      best, [&](const RankedPlan &other) { return plan == other.plan; });
  if (std::isfinite(cost.score) && !isThere)
    insertPlan(best, count, plan, std::move(cost));
}

/// The threads that share a result in the best of a few plans of each number;
/// none where those do no better than what was found.
std::optional<Sharing> ContractSearch::chooseSharing() {
  std::optional<Sharing> chosen;
  double least = best.empty() ? std::numeric_limits<double>::infinity()
                              : best.front().cost.score;
  unsigned misses = 0;
  for (const Sharing &sharing : enumerateSharing(work)) {
    auto found = search(SearchSpace(work, machine, sharing), 1, kSharing);
    if (!found.empty() && found.front().cost.score < least) {
      least = found.front().cost.score;
      chosen = sharing;
      misses = 0;
    } else if (++misses == kMostMisses) {
      break;
    }
  }
  return chosen;
}

void ContractSearch::shareResults() {
  std::optional<Sharing> sharing = chooseSharing();
  if (!sharing)
    return;
  SearchSpace shared(work, machine, sharing);
  for (RankedPlan &found : search(shared, count, kShared))
    insert(found.plan, found.cost);
  // Parts have a sum to themselves: where a block has results for all of its
  // threads, they are for those. Other parts are shorter than the whole sum,
  // and fewer threads may do.
  if (product && work.countResults() >= kFewResults)
    return;
  ofParts.push_back(std::move(shared));
  if (sharing->threads > kFewestForParts) {
    sharing->threads = kFewestForParts;
    ofParts.emplace_back(work, machine, sharing);
  }
}

void ContractSearch::addPlain() {
  for (int64_t threads : kTriedThreads)
    for (int64_t terms : kTriedTerms)
      if (TilePlan plan = getPlainPlan(work, threads, terms); isLegal(plan))
        insert(plan, predictCost(work, plan, rates));
}

void ContractSearch::searchFolds() {
  auto fold = getFoldSpace(op, work, machine);
  if (!std::holds_alternative<FoldSpace>(fold))
    return;
  ofParts.emplace_back(work, machine, std::get<FoldSpace>(fold));
  for (RankedPlan &found : search(ofParts.back(), count, SearchEffort()))
    insert(found.plan, found.cost);
}

std::vector<RankedPlan> ContractSearch::run() {
  ofParts.emplace_back(work, machine);
  best = search(ofParts.front(), count, SearchEffort());
  if (rules.mayFold)
    searchFolds();
  bool wasIdle = leavesIdle();
  if (wasIdle || !product)
    shareResults();
  addPlain();
  // Blocks of a product that shares its sums are more than those of all its
  // results, but have less reuse: parts may still be better.
  if (rules.mayBeSplit && (product ? wasIdle : leavesIdle()))
    for (RankedPlan &split :
         searchSplits(op, access, work, machine, ofParts, tiles))
      insert(split.plan, split.cost);
  for (RankedPlan &ranked : best) {
    TilePlan &plan = ranked.plan;
    plan.resident = getResident(rates, ranked.cost);
    // Costs may be of other strides, whose tiles are padded in another way.
    while (plan.resident > 1 && !isLegal(plan))
      --plan.resident;
  }
  return std::move(best);
}

std::vector<RankedPlan>
mlir::tc::searchPlans(ContractOp op, const StrideTable &access,
                      MachineAttr machine, unsigned count,
                      const SearchRules &rules, int64_t *evaluated) {
  int64_t own = 0;
  return ContractSearch(op, access, machine, count, rules,
                        evaluated ? *evaluated : own)
      .run();
}
