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

#include "SearchAxes.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Tiles of one axis that are combined with those of others.
static constexpr size_t kMostTiles = 192, kMostOtherTiles = 8;
/// Plans whose whole cost is predicted.
static constexpr int64_t kMostEvaluated = 1500;
static constexpr int64_t kMostThreads = 1024, kFewestThreads = 64;
/// Words of accumulators in a thread.
static constexpr int64_t kMostWords = 144;

namespace {
/// A tile of each axis, and a score that no steps make less than.
struct Combination {
  double bound;
  SmallVector<uint16_t, 4> tiles;
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
  void combine();
  void combine(Combination &combination);
  double getBound(ArrayRef<uint16_t> choice) const;
  const AxisTile &getTile(ArrayRef<uint16_t> choice, size_t axis) const {
    return tiles[axis][choice[axis]];
  }

  TilePlan getPlan(const Combination &combination) const;
  SmallVector<PerIterator> getSteps() const;
  void evaluate(const TilePlan &plan);

  const Workload &work;
  const Machine &machine;
  unsigned count;
  function_ref<bool(const TilePlan &)> isLegal;
  SearchStatistics &statistics;
  SmallVector<ResultAxis> axes;
  SmallVector<std::vector<AxisTile>, 4> tiles;
  std::vector<Combination> combinations;
  std::vector<RankedPlan> best;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The best `most` of the tiles, by what can be said of one axis alone.
static void keepBest(std::vector<AxisTile> &tiles, size_t most) {
  auto rate = [](const AxisTile &tile) {
    double excess = 0;
    for (float factor : tile.excess)
      excess += factor;
    return tile.waste * excess;
  };
  llvm::stable_sort(tiles, [&](const AxisTile &a, const AxisTile &b) {
    return rate(a) < rate(b);
  });
  if (tiles.size() > most)
    tiles.resize(most);
}

void Search::enumerateAxes() {
  axes = getResultAxes(work);
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
    keepBest(tiles.back(), isMain ? kMostTiles : kMostOtherTiles);
  }
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
    reads += read;
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

void Search::combine(Combination &combination) {
  size_t axis = combination.tiles.size();
  if (axis == axes.size()) {
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
        int64_t(std::min(work.countResults(), double(kFewestThreads)));
    // Few results may leave no tile with many threads.
    bool isFew = work.countResults() < double(16 * kFewestThreads);
    if (threads <= std::min(kMostThreads, machine.maxThreadsPerBlock) &&
        results * work.accumulatorWords <= kMostWords &&
        (!isLast || isFew || threads >= fewest))
      combine(combination);
    combination.tiles.pop_back();
  }
}

void Search::combine() {
  Combination empty{0, {}};
  combine(empty);
  llvm::stable_sort(combinations,
                    [](const Combination &a, const Combination &b) {
                      return a.bound < b.bound;
                    });
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
      plan.lanes.push_back(i);
  llvm::stable_sort(plan.lanes, [&](unsigned a, unsigned b) {
    return std::abs(result.strides[a]) > std::abs(result.strides[b]);
  });
  return plan;
}

/// Different ways to step through the contracted space.
SmallVector<PerIterator> Search::getSteps() const {
  auto smallestStride = [&](unsigned i) {
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (const WorkArray &input : work.inputs)
      if (input.variesWith(i))
        smallest = std::min(smallest, std::abs(input.strides[i]));
    return smallest;
  };
  SmallVector<unsigned, 8> order;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i])
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return smallestStride(a) < smallestStride(b);
  });
  // In order, the last iterator is walked first, and one before it only where
  // whole rows of it are staged.
  if (!work.mayReorder)
    llvm::sort(order, std::greater<unsigned>());
  SmallVector<PerIterator> all;
  for (int64_t target : {4, 8, 12, 16, 24, 32, 64}) {
    PerIterator steps(work.getNumIterators(), 1);
    for (unsigned i : order) {
      steps[i] = fitTile(work.extents[i], target);
      if (!work.mayReorder && steps[i] != work.extents[i])
        break;
      target = std::max<int64_t>(target / steps[i], 1);
    }
    if (!llvm::is_contained(all, steps))
      all.push_back(steps);
  }
  return all;
}

void Search::evaluate(const TilePlan &plan) {
  ++statistics.evaluated;
  KernelCost cost = predictCost(work, plan, machine);
  auto place = llvm::find_if(best, [&](const RankedPlan &other) {
    return cost.score < other.cost.score;
  });
  if (!std::isfinite(cost.score) ||
      (place == best.end() && best.size() == count) || !isLegal(plan))
    return;
  best.insert(place, RankedPlan{plan, std::move(cost)});
  if (best.size() > count)
    best.pop_back();
}

std::vector<RankedPlan> Search::run() {
  enumerateAxes();
  combine();
  SmallVector<PerIterator> steps = getSteps();
  for (const Combination &combination : combinations) {
    if (statistics.evaluated >= kMostEvaluated ||
        (best.size() == count && combination.bound >= best.back().cost.score))
      break;
    TilePlan plan = getPlan(combination);
    for (const PerIterator &step : steps) {
      plan.step = step;
      evaluate(plan);
    }
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

std::vector<RankedPlan> mlir::tc::searchPlans(ContractOp op,
                                              const ContractAccess &access,
                                              MachineAttr machine,
                                              unsigned count,
                                              SearchStatistics *statistics) {
  if (!access.hasKnownPoints())
    return {};
  return searchPlans(
      getWorkload(op, access), getRates(machine), count,
      [&](const TilePlan &plan) {
        return !findScheduleProblem(op, access, getSchedule(op, plan), machine);
      },
      statistics);
}

// Note [Search]
// ~~~~~~~~~~~~~
// Results are tiled axis by axis (SearchAxes.h). All combinations of the axes'
// tiles get a score that no choice of steps can beat: arithmetic with what is
// wasted, the reads of registers, and the bytes that cross from L2 by how far
// each tile goes along the fastest iterators. In the order of this bound the
// whole cost is predicted for some steps each, until the bound exceeds the
// scores found, or enough plans were looked at.
