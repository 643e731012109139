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
// for each other term; each is judged as if the sum were of terms like it. With
// tensor instructions the lanes of a warp may be along other iterators in each
// term: as few different ones as the first that fit make, since accumulators
// move between them.
//
//===----------------------------------------------------------------------===//

#include "Search/FoldSearch.h"
#include "Search/PlainPlan.h"
#include "Search/PlanSearch.h"
#include "Search/SearchSteps.h"
#include "Versions/VersionSearch.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// Plans of the largest term, of which those with the same tile count as one,
/// and choices of steps of each other term.
static constexpr unsigned kMostLeads = 96;
static constexpr size_t kMostSteps = 16;
/// Tilings that are judged by what all terms read, with a few steps; and of
/// these, those that are tried with more.
static constexpr size_t kMostTilings = 192, kRoughSteps = 3, kRefined = 8;
/// How much slower than another one it may be then.
static constexpr double kMostRough = 1.2;

namespace {
class GroupSearch {
public:
  /// `accesses` say what is legal, `sized` what it costs.
  GroupSearch(ArrayRef<ContractOp> ops, ArrayRef<StrideTable> accesses,
              ArrayRef<StrideTable> sized, MachineAttr machine);
  SmallVector<ScheduleAttr> run();

private:
  using Plans = std::vector<TilePlan>;

  void findFolds();
  SmallVector<TermReads> getReads();
  void searchTilings(const FoldSpace *fold);
  std::optional<RankedPlan> fitTerm(size_t term, const TilePlan &lead,
                                    size_t mostSteps,
                                    SmallVectorImpl<LaneLayout> &layouts);
  std::pair<double, Plans> fitTerms(const TilePlan &lead, size_t mostSteps,
                                    double most);
  std::optional<TilePlan> copyTile(size_t term, const TilePlan &lead);
  LaneLayout renumber(LaneLayout layout, size_t from, size_t to);
  double predictTogether(ArrayRef<TilePlan> plans) const;
  double countMoves(const TilePlan &lead, size_t layouts) const;
  void consider(const TilePlan &lead);
  void fallBack();
  SmallVector<ScheduleAttr> searchOne();
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
  Workload plain; ///< that of the largest, as if it were alone
  /// How tensor instructions may compute each term; empty where they may not.
  std::vector<FoldSpace> folds;
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
  double points = 0;
  for (const Workload &work : works)
    points += work.countPoints();
  for (auto [op, work] : llvm::zip_equal(ops, works)) {
    work.repeats = points / work.countPoints();
    // What terms before it have added is not read back.
    if (ContractOp(ops.front()).getOverwrite() &&
        !ContractOp(op).getOverwrite())
      work.readBack.pop_back_n(work.stored.size());
  }
  plain = getWorkload(ops[largest], sized[largest]);
  rules.work = &plain;
  rules.mayFold = ops.size() == 1;
  rules.mayBeSplit = ops.size() == 1 && hasStaticResults(ops.front());
  // An input of one term lies where that of another did: with equal shares of
  // shared memory all fit, whichever of them is the larger.
  rules.shareMemory(works);
  if (ops.size() > 1)
    findFolds();
}

/// Finds out for which tensor instructions all terms are.
void GroupSearch::findFolds() {
  for (auto [op, work] : llvm::zip_equal(ops, works)) {
    auto found = getFoldSpace(op, work, machine);
    if (std::holds_alternative<std::string>(found)) {
      folds.clear();
      return;
    }
    folds.push_back(std::move(std::get<FoldSpace>(found)));
    folds.back().isOfTerm = true;
  }
  for (size_t term = 0; term < ops.size(); ++term)
    if (term != largest)
      folds[largest].others.push_back(
          renumberResults(folds[term], ops[term], ops[largest]));
}

SmallVector<ScheduleAttr> GroupSearch::getSchedules(ArrayRef<TilePlan> plans) {
  ScheduleAttr lead = getSchedule(ops[largest], plans[largest]);
  return llvm::map_to_vector(llvm::zip_equal(ops, plans), [&](auto pair) {
    ScheduleAttr schedule = getSchedule(std::get<0>(pair), std::get<1>(pair));
    // Warps are in the same order, whatever their lanes.
    return lead.getUnit() ? schedule.withThread(lead.getThread()) : schedule;
  });
}

/// The threads and registers of `lead`, where iterators have the same names.
/// Threads that share results do so along the term's own sum; nothing where it
/// has none.
std::optional<TilePlan> GroupSearch::copyTile(size_t term,
                                              const TilePlan &lead) {
  ContractOp leadOp = ops[largest], op = ops[term];
  TilePlan plan(op.getNumIterators());
  plan.resident = lead.resident;
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

/// `layout` of one term by the iterators of another.
LaneLayout GroupSearch::renumber(LaneLayout layout, size_t from, size_t to) {
  ContractOp named = ops[from], numbered = ops[to];
  for (auto *lanes : {&layout.rows, &layout.columns})
    for (LaneFactor &lane : *lanes)
      lane.iterator = *numbered.findIterator(named.getIterator(lane.iterator));
  return layout;
}

static bool areAlike(const LaneLayout &layout, const MmaFold &fold) {
  return layout.rows == fold.rows && layout.columns == fold.columns;
}

/// The best steps of a term, with the tile of `lead`, and lanes in one of
/// `layouts`, by the iterators of the largest term, or in another that is added
/// to them.
std::optional<RankedPlan>
GroupSearch::fitTerm(size_t term, const TilePlan &lead, size_t mostSteps,
                     SmallVectorImpl<LaneLayout> &layouts) {
  std::optional<TilePlan> plan = copyTile(term, lead);
  if (!plan)
    return std::nullopt;
  const FoldSpace *fold = lead.mma ? &folds[term] : nullptr;
  if (fold) {
    auto known = llvm::map_to_vector(layouts, [&](const LaneLayout &layout) {
      return renumber(layout, largest, term);
    });
    foldResults(*fold, *plan, known);
    if (llvm::none_of(known, [&](const LaneLayout &layout) {
          return areAlike(layout, *plan->mma);
        }))
      layouts.push_back(
          renumber({plan->mma->rows, plan->mma->columns}, term, largest));
  }
  const Workload &work = works[term];
  std::optional<Sharing> sharing;
  for (const LaneFactor &lane : plan->lanes)
    if (work.contracted[lane.iterator])
      sharing = Sharing{lane.iterator, lane.threads, /*isFastest=*/false};
  TrafficCache cache(tiles);
  std::optional<RankedPlan> found;
  Machine limited = getRates(limitSearch(machine, fold));
  size_t tried = 0;
  for (const StepChoice &choice : enumerateSteps(
           work, sharing, fold ? kMostFoldedVector : kMostUnrolled)) {
    setSteps(work, choice, getMostStages(work, limited, fold), *plan);
    if (fold && !foldTerms(*fold, *plan))
      continue;
    if (tried++ == mostSteps)
      break;
    KernelCost cost = predictCost(work, *plan, limited, cache);
    while (fold && !std::isfinite(cost.score) && shrinkFold(*fold, *plan))
      cost = predictCost(work, *plan, limited, cache);
    if ((!found || cost.score < found->cost.score) &&
        rules.allow(ops[term], accesses[term], *plan, machine))
      found = {*plan, std::move(cost)};
  }
  return found;
}

/// Seconds in which accumulators move between so many layouts: each is written
/// to shared memory and read from it.
double GroupSearch::countMoves(const TilePlan &lead, size_t layouts) const {
  const Workload &work = works[largest];
  double words = double(work.accumulatorWords);
  for (unsigned i : work.getResults())
    words *= double(llvm::alignTo(work.extents[i], lead.getBlock(i)));
  return 2 * words * double(layouts - 1) /
         double(rates.sharedBanks * rates.smCount) / rates.clockHz;
}

/// Seconds of all terms, each in blocks that have shared memory for any of
/// them.
double GroupSearch::predictTogether(ArrayRef<TilePlan> plans) const {
  SmallVector<int64_t> most;
  for (auto [op, access, plan] : llvm::zip_equal(ops, accesses, plans)) {
    auto bytes = getNeeds(op, access, getSchedule(op, plan)).stageBytes;
    most.resize(std::max(most.size(), bytes.size()));
    for (auto [largest, own] : llvm::zip(most, bytes))
      largest = std::max(largest, own);
  }
  double seconds = 0;
  bool isFolded = plans.front().mma.has_value();
  Machine limited = getRates(limitSearch(machine, isFolded));
  for (auto [work, plan] : llvm::zip_equal(works, plans)) {
    Workload together = work;
    together.sharedBytes = llvm::sum_of(most);
    seconds += predictCost(together, plan, limited).seconds / work.repeats;
  }
  return seconds;
}

/// The best of so many steps of all terms with the tile of `lead`, and the
/// seconds of the kernel; infinity where these are not less than `most`.
std::pair<double, GroupSearch::Plans>
GroupSearch::fitTerms(const TilePlan &lead, size_t mostSteps, double most) {
  constexpr double never = std::numeric_limits<double>::infinity();
  SmallVector<LaneLayout> layouts;
  if (lead.mma)
    layouts.push_back({lead.mma->rows, lead.mma->columns});
  Plans plans;
  double seconds = 0;
  for (size_t term = 0; term < ops.size(); ++term) {
    std::optional<RankedPlan> fitting = fitTerm(term, lead, mostSteps, layouts);
    if (!fitting)
      return {never, {}};
    seconds += fitting->cost.seconds / works[term].repeats;
    if (seconds >= most)
      return {never, {}};
    plans.push_back(std::move(fitting->plan));
  }
  seconds = predictTogether(plans);
  if (!layouts.empty())
    seconds += countMoves(lead, layouts.size());
  return {seconds, std::move(plans)};
}

/// Keeps `lead` with what fits it, where that is best.
void GroupSearch::consider(const TilePlan &lead) {
  auto [seconds, plans] = fitTerms(lead, kMostSteps, leastSeconds);
  if (seconds >= leastSeconds || !isLegal(plans))
    return;
  leastSeconds = seconds;
  best = std::move(plans);
}

/// What each term reads, by the iterators of the largest one.
SmallVector<TermReads> GroupSearch::getReads() {
  ContractOp lead = ops[largest];
  SmallVector<TermReads> reads;
  for (auto [op, work] : llvm::zip_equal(ops, works)) {
    TermReads &term = reads.emplace_back();
    term.points = work.countPoints();
    for (const Access &input : work.inputs) {
      TermReads::Input &own = term.inputs.emplace_back();
      own.bytes = input.bytes;
      for (unsigned i : work.getResults())
        (input.variesWith(i) ? own.along : own.across)
            .push_back(*lead.findIterator(ContractOp(op).getIterator(i)));
    }
  }
  return reads;
}

/// Tries the tilings with the best estimates of all terms.
void GroupSearch::searchTilings(const FoldSpace *fold) {
  SmallVector<TermReads> reads = getReads();
  Tilings tilings(works[largest], getRates(limitSearch(machine, fold)),
                  /*sharing=*/1, fold, reads);
  std::vector<std::pair<double, const Tiling *>> order;
  for (const Tiling &tiling : tilings.getAll())
    order.emplace_back(tilings.getEstimate(tiling, /*parts=*/1), &tiling);
  llvm::stable_sort(order, llvm::less_first());
  std::vector<std::pair<double, TilePlan>> rough;
  double most = leastSeconds;
  for (auto [estimate, tiling] : ArrayRef(order).take_front(kMostTilings)) {
    TilePlan plan = tilings.getPlan(*tiling, works[largest].getNumIterators());
    setLanes(works[largest], plan);
    if (fold)
      foldResults(*fold, plan);
    rough.emplace_back(fitTerms(plan, kRoughSteps, most).first, plan);
    most = std::min(most, kMostRough * rough.back().first);
  }
  llvm::stable_sort(rough, llvm::less_first());
  for (auto &[seconds, plan] : ArrayRef(rough).take_front(kRefined))
    consider(plan);
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

SmallVector<ScheduleAttr> GroupSearch::searchOne() {
  auto found = searchPlans(ops.front(), accesses.front(), machine, 1, rules);
  for (RankedPlan &only : found)
    best.push_back(std::move(only.plan));
  if (best.empty() || !isLegal(best))
    fallBack();
  return getSchedules(best);
}

SmallVector<ScheduleAttr> GroupSearch::run() {
  std::vector<TilePlan> tried;
  if (ops.size() == 1)
    return searchOne();
  for (const RankedPlan &lead : searchPlans(ops[largest], accesses[largest],
                                            machine, kMostLeads, rules)) {
    bool isNew = llvm::none_of(tried, [&](const TilePlan &other) {
      return haveSameTile(works[largest], lead.plan, other);
    });
    if (!isNew)
      continue;
    tried.push_back(lead.plan);
    consider(lead.plan);
  }
  searchTilings(/*fold=*/nullptr);
  if (!folds.empty())
    searchTilings(&folds[largest]);
  if (best.empty())
    fallBack();
  return getSchedules(best);
}

FailureOr<ScheduleChoice>
mlir::tc::searchSchedules(ArrayRef<ContractOp> ops, MachineAttr machine,
                          ArrayRef<NominalExtents> sizes) {
  if (sizes.empty() && ops.size() == 1 && !hasStaticResults(ops.front())) {
    FailureOr<ScheduleChoice> found = searchVersions(ops.front(), machine);
    if (failed(found) || !found->schedules.empty())
      return found;
  }
  SmallVector<StrideTable, 1> accesses, sized;
  for (auto [n, op] : llvm::enumerate(ops)) {
    FailureOr<StrideTable> access = getStrideTable(op);
    if (failed(access))
      return failure();
    accesses.push_back(std::move(*access));
    NominalExtents size = sizes.empty() ? getCostedExtent(op) : sizes[n];
    FailureOr<StrideTable> ofSize = getStrideTable(op, size);
    if (failed(ofSize))
      return failure();
    sized.push_back(std::move(*ofSize));
  }
  return ScheduleChoice{GroupSearch(ops, accesses, sized, machine).run(), {}};
}
