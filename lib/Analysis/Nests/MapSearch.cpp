//===- MapSearch.cpp - The best mapping to threads ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/MapSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tc;

/// Dimensions whose orders are all tried. Of more, those along which neighbours
/// touch the fewest sectors.
static constexpr unsigned kMostDims = 4;
/// Mappings that are looked at more closely.
static constexpr unsigned kMostStudied = 24;
/// Scores that differ by less are the same.
static constexpr double kSameScore = 1.02;
/// What a mapping that wastes all of its sectors or wavefronts must be faster
/// by to be taken.
static constexpr double kScoreOfWaste = 0.25;

/// What threads of several iterations must be faster by: that neighbouring
/// iterations share loads, or cost registers, is not predicted.
static constexpr double kLeastGain = 1.1;

/// Seconds, and a little for what is wasted, over `least`, of memory.
static double getScore(const MapCost &cost, double least) {
  double memory = cost.getMemory();
  double waste = memory > least ? 1 - least / memory : 0;
  return cost.getSeconds() * (1 + kScoreOfWaste * waste);
}

/// Best first, the first of equals before the others.
static void sort(std::vector<RankedMapping> &ranked) {
  double memory = std::numeric_limits<double>::max(), best = memory;
  for (const RankedMapping &one : ranked)
    memory = std::min(memory, one.cost.getMemory());
  for (RankedMapping &one : ranked) {
    one.score = getScore(one.cost, memory);
    best = std::min(best, one.score);
  }
  auto key = [&](const RankedMapping &one) {
    bool isBest = one.score <= best * kSameScore;
    return std::tuple(!isBest, isBest ? one.cost.getMemory() : one.score,
                      one.cost.instructions);
  };
  llvm::stable_sort(ranked,
                    [&](const RankedMapping &lhs, const RankedMapping &rhs) {
                      return key(lhs) < key(rhs);
                    });
}

static std::vector<RankedMapping>
rank(MapCosts &costs, std::vector<Mapping> mappings, Effort effort) {
  std::vector<RankedMapping> ranked;
  for (Mapping &mapping : mappings) {
    MapCost cost = costs.predict(mapping, effort);
    ranked.push_back({std::move(mapping), cost});
  }
  sort(ranked);
  return ranked;
}

/// The dimensions along which neighbours are nearest in memory.
static SmallVector<unsigned>
chooseDims(MapCosts &costs, ProposeMappings propose, const IndexSpace &space) {
  SmallVector<unsigned> dims = getDimsOfSeveral(space);
  if (dims.size() <= kMostDims)
    return dims;
  SmallVector<std::pair<double, int>> order;
  for (unsigned d : dims) {
    MapProblem line{space, costs.getNominalBounds(), {d}};
    double least = std::numeric_limits<double>::max();
    for (const Mapping &mapping : propose(line))
      least =
          std::min(least, costs.predict(mapping, Effort::Glance).getMemory());
    order.push_back({least, -int(d)});
  }
  llvm::sort(order);
  SmallVector<unsigned> chosen;
  for (auto [least, d] : ArrayRef(order).take_front(kMostDims))
    chosen.push_back(unsigned(-d));
  llvm::sort(chosen);
  return chosen;
}

/// Gives each thread several iterations of the best mapping, if that is faster
/// by `kLeastGain`.
static void addCoarser(MapCosts &costs, std::vector<RankedMapping> &ranked) {
  std::vector<Mapping> mappings = coarsen(ranked.front().mapping);
  // Of dynamic extents nobody knows whether there are many blocks.
  if (mappings.empty() || !costs.getNominalBounds().empty())
    return;
  std::vector<RankedMapping> coarser =
      rank(costs, std::move(mappings), Effort::Study);
  if (coarser.front().cost.getSeconds() * kLeastGain >
      ranked.front().cost.getSeconds())
    return;
  ranked.insert(ranked.begin(), std::move(coarser.front()));
}

std::vector<RankedMapping> mlir::tc::searchMappings(ParOp op,
                                                    const Machine &machine,
                                                    const Mapping &natural,
                                                    ProposeMappings propose,
                                                    unsigned count) {
  MapCosts costs(op, machine);
  MapProblem problem{op.getSpace(), costs.getNominalBounds(), {}};
  if (costs.touchesMemory())
    problem.dims = chooseDims(costs, propose, problem.space);
  std::vector<RankedMapping> ranked;
  if (problem.dims.size() > 1)
    ranked = rank(costs, propose(problem), Effort::Glance);
  if (ranked.size() > kMostStudied)
    ranked.erase(ranked.begin() + kMostStudied, ranked.end());
  std::vector<Mapping> studied = {natural};
  for (RankedMapping &one : ranked)
    studied.push_back(std::move(one.mapping));
  ranked = rank(costs, std::move(studied), Effort::Study);
  auto own = llvm::find_if(ranked, [&](const RankedMapping &one) {
    return llvm::equal(one.mapping.combinators(), natural.combinators());
  });
  if (own->score <= ranked.front().score * kSameScore)
    std::rotate(ranked.begin(), own, own + 1);
  if (op.getLevel() == Level::Device)
    addCoarser(costs, ranked);
  if (ranked.size() > count)
    ranked.erase(ranked.begin() + count, ranked.end());
  return ranked;
}

void mlir::tc::printMapCost(const MapCost &cost, llvm::raw_ostream &os) {
  os << llvm::format("%.2f us on ", cost.launch.seconds * 1e6)
     << cost.launch.machine << ", most of it " << cost.launch.limiter
     << llvm::format("; sectors %.0f (%.0f of loads not in L1), wavefronts "
                     "%.0f, instructions %.0f, of these %.0f find indices; "
                     "%.1f %% of %.0f threads work%s",
                     cost.loads.sectors + cost.stores.sectors, cost.l2Sectors,
                     cost.sharedLoads.wavefronts + cost.sharedStores.wavefronts,
                     cost.instructions, cost.recovery,
                     cost.threads > 0 ? 100 * cost.working / cost.threads : 0.0,
                     cost.threads, cost.isExact ? "" : "; sampled");
}

// Note [Which is better]
// ~~~~~~~~~~~~~~~~~~~~~~
// The time of level A decides, with a little for sectors and wavefronts that
// another mapping saves: those are certain, the time is not (Note [Estimates]
// in CostModel.cpp). Small nests wait for latency under any mapping, so waste
// counts more than among schedules. Of scores within 2 % the fewest sectors and
// wavefronts win, then the fewest instructions. The natural mapping stays as
// close to the space as it can, is the easiest to read, and is the same for
// nests over one space, so that a thread often needs no barrier for what it
// wrote itself: it is taken unless its score is worse by more.
