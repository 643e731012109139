//===- ScheduleSearch.cpp - The best schedules by the model ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Search] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ScheduleSearch.h"

#include "Cost/Registers.h"
#include "Search/PlanSearch.h"
#include "Search/SearchSteps.h"
#include "Search/Tilings.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Combinations that are looked at for one that fits.
static constexpr size_t kMostLookedAt = 4;
/// Choices of steps that a tiling is first judged by.
static constexpr unsigned kRoughSteps = 2;
/// Tilings in which all choices of steps are tried, to judge others by the best
/// of these.
static constexpr size_t kMostProbes = 8;
/// Tilings that several threads judge before the next are chosen.
static constexpr size_t kMostAtOnce = 16;
/// Choices of steps that are tried on the others, and with other numbers of
/// stages and orders of lanes.
static constexpr size_t kMostChoices = 6, kMostRestaged = 4;

namespace {
class Search {
public:
  Search(const Workload &work, const SearchSpace &space, double parts,
         unsigned count, function_ref<bool(const TilePlan &)> isLegal,
         const SearchEffort &effort, TileCache &tileCache, int64_t &evaluated)
      : work(work), context(space.machine.getContext()), machine(space.rates),
        tilings(space.tilings), sharing(space.sharing), fold(space.fold),
        parts(parts), count(count), isLegal(isLegal), effort(effort),
        evaluated(evaluated), cache(tileCache) {}
  std::vector<RankedPlan> run();

private:
  /// A tiling, and about how good its plans are.
  using Candidate = std::pair<double, const Tiling *>;
  /// The least score of a few plans, and how many.
  struct Judgement {
    double score = std::numeric_limits<double>::infinity();
    int64_t evaluated = 0;
  };
  /// Plans of a tiling in the order in which they were tried, and the score of
  /// each choice of steps.
  struct Refinement {
    std::vector<std::pair<TilePlan, KernelCost>> trials;
    std::vector<double> scores;
  };

  std::vector<Candidate> getCandidates() const;
  TilePlan getPlan(const Tiling &tiling) const;
  bool setSteps(const StepChoice &choice, int64_t stages, TilePlan &plan) const;
  std::vector<Candidate> judgeTilings();
  Judgement predictRoughly(const Tiling &tiling);
  Refinement refine(const Tiling &tiling);
  void take(Refinement found);
  void sortSteps();
  void keepBestSteps();
  void probeSteps(ArrayRef<Candidate> candidates);
  void interleave(const TilePlan &plan, std::vector<TilePlan> &plans) const;
  void moveSharing(const TilePlan &plan, std::vector<TilePlan> &plans) const;
  KernelCost predict(TilePlan &plan);

  const Workload &work;
  MLIRContext *context;
  const Machine &machine;
  const Tilings &tilings;
  const std::optional<Sharing> &sharing;
  const std::optional<FoldSpace> &fold;
  double parts; ///< of the sum
  unsigned count;
  function_ref<bool(const TilePlan &)> isLegal;
  const SearchEffort &effort;
  int64_t &evaluated;
  std::vector<StepChoice> steps;
  /// Are the best steps the first?
  bool areProbed = false;
  int64_t mostStages = 1;
  TrafficCache cache;
  std::vector<RankedPlan> best;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Those with the least estimates, best first.
std::vector<Search::Candidate> Search::getCandidates() const {
  std::vector<Candidate> candidates;
  for (const Tiling &tiling : tilings.getAll())
    candidates.emplace_back(tilings.getEstimate(tiling, parts), &tiling);
  auto isBetter = [](const Candidate &a, const Candidate &b) {
    return std::tie(a.first, a.second->tiles) <
           std::tie(b.first, b.second->tiles);
  };
  if (size_t most = kMostLookedAt * effort.combinations;
      candidates.size() > most) {
    std::nth_element(candidates.begin(), candidates.begin() + most,
                     candidates.end(), isBetter);
    candidates.resize(most);
  }
  llvm::sort(candidates, isBetter);
  return candidates;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TilePlan Search::getPlan(const Tiling &tiling) const {
  TilePlan plan = tilings.getPlan(tiling, work.getNumIterators());
  setLanes(work, plan);
  if (sharing) {
    plan.thread[sharing->iterator] = sharing->threads;
    plan.lanes.insert(sharing->isFastest ? plan.lanes.end()
                                         : plan.lanes.begin(),
                      {sharing->iterator, sharing->threads});
  }
  if (fold)
    foldResults(*fold, plan);
  return plan;
}

/// Gives `plan` these steps. Returns whether they are whole ones of an
/// instruction.
bool Search::setSteps(const StepChoice &choice, int64_t stages,
                      TilePlan &plan) const {
  tc::setSteps(work, choice, stages, plan);
  return !fold || foldTerms(*fold, plan);
}

/// The least score with the first steps that fit, of a few: with vectors,
/// without, and ever smaller ones.
Search::Judgement Search::predictRoughly(const Tiling &tiling) {
  TilePlan plan = getPlan(tiling);
  double smallest = 0;
  Judgement least;
  unsigned fitting = 0;
  bool hasTriedVectors = false;
  for (const StepChoice &choice : steps) {
    bool hasVectors =
        llvm::any_of(choice.vector, [](int64_t v) { return v > 1; });
    bool isAlike =
        hasVectors ? (!fold || hasTriedVectors) : choice.count < 2 * smallest;
    if (isAlike && !areProbed && &choice != &steps.front())
      continue;
    if (!setSteps(choice, std::min<int64_t>(mostStages, 2), plan))
      continue;
    if (hasVectors)
      hasTriedVectors = true;
    else
      smallest = choice.count;
    double score = predict(plan).score;
    ++least.evaluated;
    least.score = std::min(least.score, score);
    if (std::isfinite(score) && ++fitting == kRoughSteps)
      break;
  }
  return least;
}

/// Adds plans with lanes that are neighbours by twos along an iterator: shared
/// memory serves wide reads twice as fast where lanes agree in pairs.
void Search::interleave(const TilePlan &plan,
                        std::vector<TilePlan> &plans) const {
  for (auto [n, lane] : llvm::enumerate(plan.lanes)) {
    unsigned i = lane.iterator;
    if (n + 1 == plan.lanes.size() || lane.threads % 2 != 0 ||
        work.contracted[i] || work.extents[i] % (2 * plan.vector[i]) != 0)
      continue;
    TilePlan changed = plan;
    changed.lanes[n].threads /= 2;
    changed.lanes.push_back({i, 2});
    if (changed.lanes[n].threads == 1)
      changed.lanes.erase(changed.lanes.begin() + n);
    plans.push_back(std::move(changed));
  }
}

/// Adds plans with the lanes that share a sum elsewhere among the others, where
/// wide reads may agree in pairs, too.
void Search::moveSharing(const TilePlan &plan,
                         std::vector<TilePlan> &plans) const {
  auto *own = llvm::find_if(plan.lanes, [&](const LaneFactor &lane) {
    return lane.iterator == sharing->iterator;
  });
  for (size_t n = 0, e = plan.lanes.size(); n != e; ++n) {
    TilePlan changed = plan;
    changed.lanes.erase(changed.lanes.begin() + (own - plan.lanes.begin()));
    changed.lanes.insert(changed.lanes.begin() + n, *own);
    if (changed.lanes != plan.lanes)
      plans.push_back(std::move(changed));
  }
}

/// Tries all steps that are left with a tiling; then other numbers of stages,
/// and orders of lanes, with the best of them.
Search::Refinement Search::refine(const Tiling &tiling) {
  Refinement found;
  auto evaluate = [&](TilePlan plan) {
    KernelCost cost = predict(plan);
    double score = cost.score;
    found.trials.emplace_back(std::move(plan), std::move(cost));
    return score;
  };
  TilePlan plan = getPlan(tiling);
  std::vector<std::pair<double, const StepChoice *>> tried;
  for (const StepChoice &choice : steps) {
    bool isWhole = setSteps(choice, std::min<int64_t>(mostStages, 2), plan);
    found.scores.push_back(isWhole ? evaluate(plan)
                                   : std::numeric_limits<double>::infinity());
    if (isWhole)
      tried.emplace_back(found.scores.back(), &choice);
  }
  llvm::sort(tried);
  for (auto [score, choice] : ArrayRef(tried).take_front(kMostRestaged))
    for (int64_t stages : {1, 3}) {
      setSteps(*choice, stages, plan);
      if (stages <= mostStages && plan.stages == stages)
        evaluate(plan);
    }
  std::vector<TilePlan> reordered;
  for (auto [score, choice] : ArrayRef(tried).take_front(kMostRestaged)) {
    setSteps(*choice, std::min<int64_t>(mostStages, 2), plan);
    if (!fold)
      interleave(plan, reordered);
    if (sharing)
      moveSharing(plan, reordered);
  }
  for (TilePlan &other : reordered)
    evaluate(std::move(other));
  return found;
}

/// Puts what a tiling can do among the best.
void Search::take(Refinement found) {
  evaluated += int64_t(found.trials.size());
  for (auto &[plan, cost] : found.trials) {
    bool isAmongBest =
        best.size() < count || cost.score < best.back().cost.score;
    if (std::isfinite(cost.score) && isAmongBest && isLegal(plan))
      insertPlan(best, count, plan, std::move(cost));
  }
  for (auto [choice, score] : llvm::zip_equal(steps, found.scores))
    choice.bestScore = std::min(choice.bestScore, score);
}

void Search::sortSteps() {
  llvm::stable_sort(steps, [](const StepChoice &a, const StepChoice &b) {
    return a.bestScore < b.bestScore;
  });
}

void Search::keepBestSteps() {
  sortSteps();
  if (steps.size() > kMostChoices)
    steps.resize(kMostChoices);
}

/// Sorts the steps by what they are worth in a few of the tilings. With several
/// contracted iterators, which of them a step is along decides how much of a
/// sector is used, and a first choice says little about the others.
void Search::probeSteps(ArrayRef<Candidate> candidates) {
  size_t probes = std::min(candidates.size(), kMostProbes);
  std::vector<std::vector<double>> scores(probes);
  parallelFor(context, 0, probes, [&](size_t n) {
    TilePlan plan = getPlan(*candidates[n * candidates.size() / probes].second);
    for (const StepChoice &choice : steps)
      scores[n].push_back(
          setSteps(choice, std::min<int64_t>(mostStages, 2), plan)
              ? predict(plan).score
              : std::numeric_limits<double>::infinity());
  });
  for (ArrayRef<double> probe : scores)
    for (auto [choice, score] : llvm::zip_equal(steps, probe))
      choice.bestScore = std::min(choice.bestScore, score);
  evaluated += int64_t(probes * steps.size());
  sortSteps();
  areProbed = true;
}

/// What `plan` costs, with the largest instruction for which there are
/// registers.
KernelCost Search::predict(TilePlan &plan) {
  KernelCost cost = predictCost(work, plan, machine, cache);
  while (fold && !std::isfinite(cost.score) && shrinkFold(*fold, plan))
    cost = predictCost(work, plan, machine, cache);
  return cost;
}

/// Tilings with the scores of a few plans, those of the least first, but for
/// tilings that cannot beat what was found. Threads judge some that turn out to
/// be so; what they find is dropped, so that it does not matter how many there
/// are.
std::vector<Search::Candidate> Search::judgeTilings() {
  std::vector<Candidate> candidates = getCandidates(), order;
  double least = std::numeric_limits<double>::infinity();
  auto isHopeless = [&](const Tiling *tiling) {
    return order.size() >= effort.refined &&
           tilings.getBound(*tiling, parts) >= least;
  };
  if (fold && llvm::range_size(work.getSums()) > 1)
    probeSteps(ArrayRef(candidates).take_front(effort.combinations));
  size_t atOnce = context->isMultithreadingEnabled() ? kMostAtOnce : 1;
  ArrayRef<Candidate> left = candidates;
  while (!left.empty() && order.size() < effort.combinations) {
    std::vector<const Tiling *> next;
    size_t most = std::min(atOnce, effort.combinations - order.size());
    for (; !left.empty() && next.size() < most; left = left.drop_front())
      if (const Tiling *tiling = left.front().second; !isHopeless(tiling))
        next.push_back(tiling);
    std::vector<Judgement> found(next.size());
    parallelFor(context, 0, next.size(),
                [&](size_t n) { found[n] = predictRoughly(*next[n]); });
    for (auto [tiling, judgement] : llvm::zip_equal(next, found)) {
      if (isHopeless(tiling))
        continue;
      evaluated += judgement.evaluated;
      least = std::min(least, judgement.score);
      if (std::isfinite(judgement.score))
        order.emplace_back(judgement.score, tiling);
    }
  }
  // Where times are equal, the first of the estimates.
  llvm::stable_sort(order, llvm::less_first());
  return order;
}

std::vector<RankedPlan> Search::run() {
  steps =
      enumerateSteps(work, sharing, fold ? kMostFoldedVector : kMostUnrolled);
  mostStages = getMostStages(work, machine, fold.has_value());
  std::vector<Candidate> order = judgeTilings();
  ArrayRef<Candidate> left = order;
  size_t refined = 0;
  while (!left.empty() && (refined < effort.refined || best.size() < count)) {
    // Threads refine all up to where the steps or the end are decided.
    size_t most = left.size();
    for (size_t stop : {effort.thorough, effort.refined})
      if (stop > refined)
        most = std::min(most, stop - refined);
    if (refined >= effort.refined)
      most = 1;
    ArrayRef<Candidate> next = left.take_front(most);
    left = left.drop_front(most);
    std::vector<Refinement> found(most);
    parallelFor(context, 0, most,
                [&](size_t n) { found[n] = refine(*next[n].second); });
    for (Refinement &one : found)
      take(std::move(one));
    refined += most;
    if (refined == effort.thorough)
      keepBestSteps();
  }
  return std::move(best);
}

std::vector<RankedPlan> mlir::tc::searchPlans(
    const Workload &work, const SearchSpace &space, double parts,
    unsigned count, function_ref<bool(const TilePlan &)> isLegal,
    const SearchEffort &effort, TileCache &tiles, int64_t &evaluated) {
  return Search(work, space, parts, count, isLegal, effort, tiles, evaluated)
      .run();
}

void mlir::tc::insertPlan(std::vector<RankedPlan> &best, unsigned count,
                          const TilePlan &plan, KernelCost cost) {
  auto place = llvm::find_if(best, [&](const RankedPlan &other) {
    return cost.score < other.cost.score;
  });
  best.insert(place, RankedPlan{plan, std::move(cost)});
  if (best.size() > count)
    best.pop_back();
}

// Note [Search]
// ~~~~~~~~~~~~~
// Results are tiled axis by axis (SearchAxes.h). All combinations of the axes'
// tiles (Tilings.h) get an estimate, and a time that no choice of steps can
// beat: arithmetic with what is wasted, the reads of registers, and the bytes
// that cross from L2 by how far each tile goes along the fastest iterators. In
// the order of the estimates the whole cost is predicted with one choice of
// steps, but for tilings that cannot beat what was found; and for the best of
// these with all steps, vectors of contracted iterators, and stages
// (SearchSteps.h).
