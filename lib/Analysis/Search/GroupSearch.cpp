//===- GroupSearch.cpp - Schedules of contractions in one kernel ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The terms of a tc.sum have the same threads and registers. Those that are
// best for the term with the most work are tried with the steps that are best
// for each other term.
//
//===----------------------------------------------------------------------===//

#include "Search/PlainPlan.h"
#include "Search/PlanSearch.h"
#include "Search/SearchSteps.h"
#include "Search/VersionSearch.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Plans of the largest term, of which those with the same tile count as one,
/// and choices of steps of each other term.
static constexpr unsigned kMostLeads = 96;
static constexpr size_t kMostSteps = 16;

namespace {
class GroupSearch {
public:
  /// `accesses` say what is legal, `sized` what it costs.
  GroupSearch(ArrayRef<ContractOp> ops, ArrayRef<StrideTable> accesses,
              ArrayRef<StrideTable> sized, MachineAttr machine);
  SmallVector<ScheduleAttr> run();

private:
  using Plans = std::vector<TilePlan>;

  std::optional<RankedPlan> fitTerm(size_t term, const TilePlan &lead);
  std::optional<TilePlan> copyTile(size_t term, const TilePlan &lead);
  void consider(const TilePlan &lead, double seconds);
  void fallBack();
  SmallVector<ScheduleAttr> getSchedules(ArrayRef<TilePlan> plans);
  bool isLegal(ArrayRef<TilePlan> plans) {
    bool isFolded = llvm::any_of(
        plans, [](const TilePlan &plan) { return plan.mma.has_value(); });
    return !findScheduleProblem(ops, accesses, getSchedules(plans),
                                limitSearch(machine, isFolded));
  }

  ArrayRef<ContractOp> ops;
  ArrayRef<StrideTable> accesses;
  MachineAttr machine;
  Machine rates;
  std::vector<Workload> works;
  size_t largest;
  SearchRules rules;
  TileCache tiles;
  Plans best;
  double leastSeconds = std::numeric_limits<double>::infinity();
};
} // namespace

GroupSearch::GroupSearch(ArrayRef<ContractOp> ops,
                         ArrayRef<StrideTable> accesses,
                         ArrayRef<StrideTable> sized, MachineAttr machine)
    : ops(ops), accesses(accesses), machine(machine),
      rates(getRates(limitSearch(machine, /*isFolded=*/false))) {
  for (auto [op, access] : llvm::zip_equal(ops, sized))
    works.push_back(getWorkload(op, access));
  auto found =
      llvm::max_element(works, [](const Workload &a, const Workload &b) {
        return a.countPoints() < b.countPoints();
      });
  largest = found - works.begin();
  rules.sized = &sized[largest];
  rules.mayFold = ops.size() == 1;
  rules.mayBeSplit = ops.size() == 1 && hasStaticResults(ops.front());
  // An input of one term lies where that of another did: with equal shares of
  // shared memory all fit, whichever of them is the larger.
  rules.shareMemory(works, machine);
}

SmallVector<ScheduleAttr> GroupSearch::getSchedules(ArrayRef<TilePlan> plans) {
  return llvm::map_to_vector(llvm::zip_equal(ops, plans), [](auto pair) {
    return getSchedule(std::get<0>(pair), std::get<1>(pair));
  });
}

/// The threads and registers of `lead`, where iterators have the same names.
/// Threads that share results do so along the term's own sum; nothing where it
/// has none.
std::optional<TilePlan> GroupSearch::copyTile(size_t term,
                                              const TilePlan &lead) {
  ContractOp leadOp = ops[largest], op = ops[term];
  TilePlan plan(op.getNumIterators());
  for (const LaneFactor &lane : lead.lanes) {
    unsigned i;
    if (works[largest].contracted[lane.iterator]) {
      std::optional<Sharing> own = getSharing(works[term], lane.threads);
      if (!own)
        return std::nullopt;
      i = own->iterator;
    } else {
      i = *op.findIterator(leadOp.getIterator(lane.iterator));
    }
    plan.lanes.push_back({i, lane.threads});
    plan.thread[i] *= lane.threads;
  }
  for (unsigned i : works[term].getResults()) {
    unsigned same = *leadOp.findIterator(op.getIterator(i));
    plan.reg[i] = lead.reg[same];
    plan.vector[i] = lead.vector[same];
  }
  return plan;
}

/// Are results tiled in the same way, whatever the steps?
static bool haveSameTile(const Workload &work, const TilePlan &a,
                         const TilePlan &b) {
  return a.lanes == b.lanes && a.reg == b.reg &&
         llvm::all_of(work.getResults(),
                      [&](unsigned i) { return a.vector[i] == b.vector[i]; });
}

/// The best steps of a term, with the tile of `lead`.
std::optional<RankedPlan> GroupSearch::fitTerm(size_t term,
                                               const TilePlan &lead) {
  std::optional<TilePlan> plan = copyTile(term, lead);
  if (!plan)
    return std::nullopt;
  const Workload &work = works[term];
  std::optional<Sharing> sharing;
  for (const LaneFactor &lane : plan->lanes)
    if (work.contracted[lane.iterator])
      sharing = Sharing{lane.iterator, lane.threads, /*isFastest=*/false};
  TrafficCache cache(tiles);
  std::optional<RankedPlan> found;
  std::vector<StepChoice> steps = enumerateSteps(work, sharing);
  for (const StepChoice &choice : ArrayRef(steps).take_front(kMostSteps)) {
    setSteps(work, choice, getMostStages(work, rates), *plan);
    KernelCost cost = predictCost(work, *plan, rates, cache);
    if ((!found || cost.score < found->cost.score) &&
        rules.allow(ops[term], accesses[term], *plan, machine))
      found = {*plan, std::move(cost)};
  }
  return found;
}

/// Keeps `lead` with what fits it, where that is best.
void GroupSearch::consider(const TilePlan &lead, double seconds) {
  Plans plans;
  for (size_t term = 0; term < ops.size(); ++term) {
    if (term == largest) {
      plans.push_back(lead);
      continue;
    }
    std::optional<RankedPlan> fitting = fitTerm(term, lead);
    if (!fitting)
      return;
    seconds += fitting->cost.seconds - rates.launchSeconds;
    plans.push_back(std::move(fitting->plan));
  }
  if (seconds >= leastSeconds || !isLegal(plans))
    return;
  leastSeconds = seconds;
  best = std::move(plans);
}

/// The largest plain plans that are legal; the smallest where none is.
void GroupSearch::fallBack() {
  for (int64_t threads = kPlainThreads; threads >= 1; threads /= 2)
    for (int64_t terms = kPlainTerms; terms >= 1; terms /= 2) {
      TilePlan lead = getPlainPlan(works[largest], threads, terms);
      best.clear();
      for (size_t term = 0; term < ops.size(); ++term) {
        best.push_back(*copyTile(term, lead));
        best.back().step = getPlainPlan(works[term], threads, terms).step;
      }
      if (isLegal(best))
        return;
    }
}

SmallVector<ScheduleAttr> GroupSearch::run() {
  std::vector<TilePlan> tried;
  unsigned count = ops.size() == 1 ? 1 : kMostLeads;
  for (const RankedPlan &lead :
       searchPlans(ops[largest], accesses[largest], machine, count, rules)) {
    bool isNew = llvm::none_of(tried, [&](const TilePlan &other) {
      return haveSameTile(works[largest], lead.plan, other);
    });
    if (!isNew)
      continue;
    tried.push_back(lead.plan);
    consider(lead.plan, lead.cost.seconds);
  }
  if (best.empty())
    fallBack();
  return getSchedules(best);
}

FailureOr<ScheduleChoice> mlir::tc::searchSchedules(ArrayRef<ContractOp> ops,
                                                    MachineAttr machine) {
  if (ops.size() == 1 && !hasStaticResults(ops.front())) {
    FailureOr<ScheduleChoice> found = searchVersions(ops.front(), machine);
    if (failed(found) || !found->schedules.empty())
      return found;
  }
  SmallVector<StrideTable, 1> accesses, sized;
  for (ContractOp op : ops)
    for (auto [list, nominal] :
         {std::pair(&accesses, kNominalExtent),
          std::pair(&sized, getNominalExtent(op, kManyPoints))}) {
      FailureOr<StrideTable> access = getStrideTable(op, nominal);
      if (failed(access))
        return failure();
      list->push_back(std::move(*access));
    }
  return ScheduleChoice{GroupSearch(ops, accesses, sized, machine).run(), {}};
}
