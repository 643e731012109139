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

#include "Predictor.h"
#include "SearchAxes.h"
#include "SearchSteps.h"
#include "SplitSearch.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Tiles of one axis that are combined with those of others; of those with the
/// same threads and results.
static constexpr size_t kMostTiles = 256, kMostOtherTiles = 8, kMostAlike = 3;
/// Combinations whose cost is predicted with one choice of steps; of these,
/// those for which more are tried, and those for which all are.
static constexpr size_t kMostCombinations = 256, kMostRefined = 16,
                        kMostThorough = 3;
/// Combinations that are looked at for kMostCombinations that fit.
static constexpr size_t kMostLookedAt = 1024;
/// Choices of steps that are tried on the others, and with several stages.
static constexpr size_t kMostChoices = 6, kMostRestaged = 2;
static constexpr int64_t kMostThreads = 1024, kFewestThreads = 64;
/// Results of a thread, and words of accumulators: with more, too few threads
/// fit on a multiprocessor.
static constexpr int64_t kMostResults = 72, kMostWords = 144;

namespace {
/// A tile of each axis, and a score that no steps make less than.
struct Combination {
  double bound;
  SmallVector<uint16_t, 4> tiles;
};

/// What is along the fastest iterator of an array.
struct FastestPlace {
  std::optional<size_t> axis; ///< none: a contracted iterator, or no one
  unsigned place = 0;         ///< in the axis
};

class Search {
public:
  Search(const Workload &work, const Machine &machine, unsigned count,
         function_ref<bool(const TilePlan &)> isLegal,
         SearchStatistics &statistics)
      : work(work), machine(machine), count(count), isLegal(isLegal),
        statistics(statistics) {}
  std::vector<RankedPlan> run();

private:
  void enumerateAxes();
  FastestPlace findFastest(const WorkArray &array) const;
  void keepBest(size_t axis, size_t most);
  void combine();
  void combine(Combination &combination);
  double getBound(ArrayRef<uint16_t> choice) const;
  double countLeastRegisters(ArrayRef<uint16_t> choice) const;
  const AxisTile &getTile(ArrayRef<uint16_t> choice, size_t axis) const {
    return tiles[axis][choice[axis]];
  }
  /// Elements that one access of an array takes.
  int64_t getWidth(const FastestPlace &fastest, ArrayRef<uint16_t> choice,
                   int64_t otherwise) const;

  TilePlan getPlan(const Combination &combination) const;
  void setSteps(TilePlan &plan, const StepChoice &choice, int64_t stages) const;
  double predictRoughly(const Combination &combination);
  void refine(const Combination &combination);
  void interleave(const TilePlan &plan);
  double evaluate(const TilePlan &plan);

  const Workload &work;
  const Machine &machine;
  unsigned count;
  function_ref<bool(const TilePlan &)> isLegal;
  SearchStatistics &statistics;
  SmallVector<ResultAxis> axes;
  SmallVector<std::vector<AxisTile>, 4> tiles;
  SmallVector<FastestPlace> fastestOfInput, fastestOfStored;
  std::vector<Combination> combinations;
  std::vector<StepChoice> steps;
  int64_t mostStages = 1;
  size_t refined = 0;
  TrafficCache cache;
  std::vector<RankedPlan> best;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

FastestPlace Search::findFastest(const WorkArray &array) const {
  FastestPlace found;
  for (auto [a, axis] : llvm::enumerate(axes))
    for (auto [place, i] : llvm::enumerate(axis.iterators))
      if (array.strides[i] == 1) {
        found.axis = a;
        found.place = place;
      }
  return found;
}

/// The best `most` of the tiles of an axis, by what can be said of it alone.
void Search::keepBest(size_t axis, size_t most) {
  auto rate = [&](const AxisTile &tile) {
    double excess = 0, accesses = 1;
    for (float factor : tile.excess)
      excess += factor;
    for (const FastestPlace &fastest :
         llvm::concat<const FastestPlace>(fastestOfInput, fastestOfStored))
      if (fastest.axis == axis)
        accesses += 0.1 / double(tile.vector[fastest.place]);
    return tile.waste * excess * accesses * (1 + 0.5 / double(tile.results));
  };
  std::vector<std::pair<double, size_t>> order;
  for (auto [t, tile] : llvm::enumerate(tiles[axis]))
    order.emplace_back(rate(tile), t);
  llvm::sort(order);
  std::vector<AxisTile> kept;
  std::map<std::pair<int64_t, int64_t>, size_t> alike;
  for (auto [rating, t] : order) {
    AxisTile &tile = tiles[axis][t];
    if (kept.size() < most &&
        alike[{tile.threads, tile.results}]++ < kMostAlike)
      kept.push_back(std::move(tile));
  }
  tiles[axis] = std::move(kept);
}

void Search::enumerateAxes() {
  axes = getResultAxes(work);
  for (const WorkArray &input : work.inputs)
    fastestOfInput.push_back(findFastest(input));
  for (const WorkArray &stored : work.stored)
    fastestOfStored.push_back(findFastest(stored));
  // The two largest axes with reuse, rows and columns, share the registers.
  SmallVector<size_t, 4> order = llvm::to_vector_of<size_t, 4>(
      llvm::make_filter_range(llvm::seq<size_t>(0, axes.size()), [&](size_t a) {
        return axes[a].hasReuse() && llvm::is_contained(axes[a].inputs, true);
      }));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return axes[a].extent > axes[b].extent;
  });
  bool isProduct = order.size() >= 2;
  order.truncate(std::min<size_t>(order.size(), 2));
  for (size_t a = 0; a < axes.size(); ++a) {
    bool isMain = !isProduct || llvm::is_contained(order, a);
    AxisLimits limits;
    limits.results = isProduct && isMain ? 16 : 4;
    limits.threads = isMain ? 256 : 32;
    tiles.push_back(enumerateTiles(work, axes[a], limits));
    keepBest(a, isMain ? kMostTiles : kMostOtherTiles);
  }
}

int64_t Search::getWidth(const FastestPlace &fastest, ArrayRef<uint16_t> choice,
                         int64_t otherwise) const {
  if (!fastest.axis)
    return otherwise;
  return getTile(choice, *fastest.axis).vector[fastest.place];
}

double Search::getBound(ArrayRef<uint16_t> choice) const {
  double waste = 1, threads = 1, results = 1, blocks = 1;
  for (size_t a = 0; a < axes.size(); ++a) {
    const AxisTile &tile = getTile(choice, a);
    waste *= tile.waste;
    threads *= double(tile.threads);
    results *= double(tile.results);
    blocks *= tile.parts;
  }
  waste *= double(llvm::alignTo(int64_t(threads), 32)) / threads;
  double sms = double(machine.smCount);
  double tail = std::ceil(blocks / sms) * sms / blocks;
  double cycles = sms * machine.clockHz / tail;
  double points = work.countPoints() * waste;
  double arithmetic =
      points * work.pointOps /
      (work.unit == Arithmetic::F64 ? double(machine.f64FmaPerCycle)
                                    : double(machine.f32FmaPerCycle)) /
      cycles;
  double reads = 0, bytes = 0, once = 0;
  for (auto [k, input] : llvm::enumerate(work.inputs)) {
    double read = points / results, moved = work.countElements(input);
    once += moved * double(input.bytes);
    for (size_t a = 0; a < axes.size(); ++a) {
      const AxisTile &tile = getTile(choice, a);
      read *= axes[a].inputs[k] ? double(tile.results) : 1;
      moved *= axes[a].inputs[k] ? tile.excess[k] : tile.parts;
    }
    reads += read / double(getWidth(fastestOfInput[k], choice, kMostUnrolled));
    bytes += moved * double(input.bytes);
  }
  for (auto [s, stored] : llvm::enumerate(work.stored)) {
    double moved = work.countElements(stored) * double(stored.bytes);
    once += moved;
    for (size_t a = 0; a < axes.size(); ++a)
      moved *= getTile(choice, a).excess[work.inputs.size() + s];
    bytes += moved;
  }
  const double terms[] = {arithmetic, reads / 32 / cycles,
                          bytes / machine.l2BytesPerSecond,
                          once / machine.dramBytesPerSecond};
  double longest = 0, sum = 0;
  for (double term : terms) {
    longest = std::max(longest, term);
    sum += term;
  }
  return machine.launchSeconds + longest + kScoreOfOthers * (sum - longest);
}

/// For the results of a thread, and for an element of each input that one of
/// its multiply-adds takes.
double Search::countLeastRegisters(ArrayRef<uint16_t> choice) const {
  double registers = double(work.accumulatorWords);
  for (size_t a = 0; a < axes.size(); ++a)
    registers *= double(getTile(choice, a).results);
  for (auto [k, input] : llvm::enumerate(work.inputs)) {
    double values = double(llvm::divideCeil(input.bytes, int64_t(4)));
    for (size_t a = 0; a < axes.size(); ++a)
      values *= axes[a].inputs[k] ? double(getTile(choice, a).results) : 1;
    registers += values;
  }
  return registers;
}

void Search::combine(Combination &combination) {
  size_t axis = combination.tiles.size();
  if (axis == axes.size()) {
    int64_t threads = 1;
    for (size_t a = 0; a < axes.size(); ++a)
      threads *= getTile(combination.tiles, a).threads;
    if (!isSafeFromSpills(machine, threads,
                          countLeastRegisters(combination.tiles)))
      return;
    ++statistics.enumerated;
    combination.bound = getBound(combination.tiles);
    combinations.push_back(combination);
    return;
  }
  for (size_t t = 0; t < tiles[axis].size(); ++t) {
    combination.tiles.push_back(t);
    int64_t threads = 1, results = 1;
    for (size_t a = 0; a <= axis; ++a) {
      threads *= getTile(combination.tiles, a).threads;
      results *= getTile(combination.tiles, a).results;
    }
    bool isLast = axis + 1 == axes.size();
    int64_t fewest =
        int64_t(std::min(work.countResultsTogether(), double(kFewestThreads)));
    // Few results may leave no tile with many threads.
    bool isFew = work.countResultsTogether() < double(16 * kFewestThreads);
    if (threads <= std::min(kMostThreads, machine.maxThreadsPerBlock) &&
        results <= kMostResults &&
        results * work.accumulatorWords <= kMostWords &&
        (!isLast || isFew || threads >= fewest))
      combine(combination);
    combination.tiles.pop_back();
  }
}

void Search::combine() {
  Combination empty{0, {}};
  combine(empty);
  auto isBetter = [](const Combination &a, const Combination &b) {
    return std::tie(a.bound, a.tiles) < std::tie(b.bound, b.tiles);
  };
  if (combinations.size() > kMostLookedAt) {
    std::nth_element(combinations.begin(), combinations.begin() + kMostLookedAt,
                     combinations.end(), isBetter);
    combinations.resize(kMostLookedAt);
  }
  llvm::sort(combinations, isBetter);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TilePlan Search::getPlan(const Combination &combination) const {
  TilePlan plan(work.getNumIterators());
  for (size_t a = 0; a < axes.size(); ++a) {
    const AxisTile &tile = getTile(combination.tiles, a);
    for (auto [place, i] : llvm::enumerate(axes[a].iterators)) {
      plan.thread[i] = tile.thread[place];
      plan.reg[i] = tile.reg[place];
      plan.vector[i] = tile.vector[place];
    }
  }
  // The fastest threads walk the result's smallest stride.
  const WorkArray &result = work.stored.front();
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (plan.thread[i] > 1)
      plan.lanes.push_back({i, plan.thread[i]});
  llvm::stable_sort(plan.lanes, [&](const LaneFactor &a, const LaneFactor &b) {
    return std::abs(result.strides[a.iterator]) >
           std::abs(result.strides[b.iterator]);
  });
  return plan;
}

void Search::setSteps(TilePlan &plan, const StepChoice &choice,
                      int64_t stages) const {
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i]) {
      plan.step[i] = choice.step[i];
      plan.vector[i] = choice.vector[i];
    }
  plan.stages = choice.count > 1 ? stages : 1;
}

/// The cost with the first steps that fit, of a few: with vectors, without, and
/// ever smaller ones.
double Search::predictRoughly(const Combination &combination) {
  TilePlan plan = getPlan(combination);
  double smallest = 0;
  for (const StepChoice &choice : steps) {
    bool hasVectors =
        llvm::any_of(choice.vector, [](int64_t v) { return v > 1; });
    if (&choice != &steps.front() &&
        (hasVectors || choice.count < 2 * smallest))
      continue;
    if (!hasVectors)
      smallest = choice.count;
    setSteps(plan, choice, std::min<int64_t>(mostStages, 2));
    ++statistics.evaluated;
    double score = predictCost(work, plan, machine, cache).score;
    if (std::isfinite(score))
      return score;
  }
  return std::numeric_limits<double>::infinity();
}

/// Tries lanes that are neighbours by twos along an iterator: shared memory
/// serves wide reads twice as fast where lanes agree in pairs.
void Search::interleave(const TilePlan &plan) {
  for (auto [n, lane] : llvm::enumerate(plan.lanes)) {
    unsigned i = lane.iterator;
    if (n + 1 == plan.lanes.size() || lane.threads % 2 != 0 ||
        work.extents[i] % (2 * plan.vector[i]) != 0)
      continue;
    TilePlan changed = plan;
    changed.lanes[n].threads /= 2;
    changed.lanes.push_back({i, 2});
    if (changed.lanes[n].threads == 1)
      changed.lanes.erase(changed.lanes.begin() + n);
    evaluate(changed);
  }
}

/// Tries all steps on the first combinations, and on others those that were
/// best; then other numbers of stages with the best of them.
void Search::refine(const Combination &combination) {
  TilePlan plan = getPlan(combination);
  std::vector<std::pair<double, StepChoice *>> tried;
  for (StepChoice &choice : steps) {
    setSteps(plan, choice, std::min<int64_t>(mostStages, 2));
    double score = evaluate(plan);
    choice.bestScore = std::min(choice.bestScore, score);
    tried.emplace_back(score, &choice);
  }
  llvm::sort(tried);
  for (auto [score, choice] : ArrayRef(tried).take_front(kMostRestaged))
    for (int64_t stages : {1, 3}) {
      setSteps(plan, *choice, stages);
      if (stages <= mostStages && plan.stages == stages)
        evaluate(plan);
    }
  for (auto [score, choice] : ArrayRef(tried).take_front(kMostRestaged)) {
    setSteps(plan, *choice, std::min<int64_t>(mostStages, 2));
    interleave(plan);
  }
  if (++refined == kMostThorough) {
    std::stable_sort(steps.begin(), steps.end(),
                     [](const StepChoice &a, const StepChoice &b) {
                       return a.bestScore < b.bestScore;
                     });
    if (steps.size() > kMostChoices)
      steps.resize(kMostChoices);
  }
}

double Search::evaluate(const TilePlan &plan) {
  ++statistics.evaluated;
  KernelCost cost = predictCost(work, plan, machine, cache);
  auto place = llvm::find_if(best, [&](const RankedPlan &other) {
    return cost.score < other.cost.score;
  });
  if (!std::isfinite(cost.score) ||
      (place == best.end() && best.size() == count) || !isLegal(plan))
    return cost.score;
  double score = cost.score;
  best.insert(place, RankedPlan{plan, std::move(cost)});
  if (best.size() > count)
    best.pop_back();
  return score;
}

std::vector<RankedPlan> Search::run() {
  enumerateAxes();
  combine();
  steps = enumerateSteps(work);
  mostStages = getMostStages(work, machine);
  std::vector<std::pair<double, size_t>> order;
  double least = std::numeric_limits<double>::infinity();
  for (auto [c, combination] : llvm::enumerate(combinations)) {
    if (order.size() >= kMostCombinations ||
        (order.size() >= kMostRefined && combination.bound >= least))
      break;
    double score = predictRoughly(combination);
    if (std::isfinite(score))
      order.emplace_back(score, c);
    least = std::min(least, score);
  }
  llvm::sort(order);
  for (auto [n, rough] : llvm::enumerate(order)) {
    if (n >= kMostRefined && best.size() == count)
      break;
    refine(combinations[rough.second]);
  }
  return std::move(best);
}

std::vector<RankedPlan>
mlir::tc::searchPlans(const Workload &work, const Machine &machine,
                      unsigned count,
                      function_ref<bool(const TilePlan &)> isLegal,
                      SearchStatistics *statistics) {
  SearchStatistics own;
  return Search(work, machine, count, isLegal, statistics ? *statistics : own)
      .run();
}

/// Puts `plan` where it belongs among the best, in place of the last.
static void insert(const TilePlan &plan, KernelCost cost, unsigned count,
                   std::vector<RankedPlan> &best) {
  auto place = llvm::find_if(best, [&](const RankedPlan &other) {
    return cost.score < other.cost.score || plan == other.plan;
  });
  if (place == best.end() ? best.size() == count : plan == place->plan)
    return;
  best.insert(place, RankedPlan{plan, std::move(cost)});
  if (best.size() > count)
    best.pop_back();
}

std::vector<RankedPlan> mlir::tc::searchPlans(ContractOp op,
                                              const ContractAccess &access,
                                              MachineAttr machine,
                                              unsigned count,
                                              SearchStatistics *statistics) {
  if (!access.hasKnownPoints())
    return {};
  Workload work = getWorkload(op, access);
  Machine rates = getRates(machine);
  std::vector<RankedPlan> best = searchPlans(
      work, rates, count,
      [&](const TilePlan &plan) {
        return !findScheduleProblem(op, access, getSchedule(op, plan), machine);
      },
      statistics);
  // The search gives each result a thread; the default may give it several.
  TilePlan plan = getPlan(op, getDefaultSchedule(op, access, machine));
  insert(plan, predictCost(work, plan, rates), count, best);
  for (RankedPlan &split : searchSplits(op, access, machine, best))
    insert(split.plan, split.cost, count, best);
  return best;
}

// Note [Search]
// ~~~~~~~~~~~~~
// Results are tiled axis by axis (SearchAxes.h). All combinations of the axes'
// tiles get a score that no choice of steps can beat: arithmetic with what is
// wasted, the reads of registers, and the bytes that cross from L2 by how far
// each tile goes along the fastest iterators. In the order of this bound the
// whole cost is predicted with one choice of steps, until the bound exceeds the
// scores found; and for the best of these with all steps, vectors of contracted
// iterators, and stages (SearchSteps.h).
