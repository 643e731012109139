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
/// Memory costs that differ by less are the same.
static constexpr double kSameMemory = 1.02;
/// What another mapping has to save in instructions to be taken.
static constexpr double kSameInstructions = 1.05;

namespace {
/// One search.
class Search {
public:
  Search(ParOp op, ProposeMappings propose)
      : space(op.getSpace()), costs(op), propose(propose) {}

  std::vector<RankedMapping> run(const Mapping &natural, unsigned count);

private:
  std::vector<RankedMapping> rank(std::vector<Mapping> mappings, Effort effort);
  SmallVector<unsigned> choose(ArrayRef<unsigned> dims);

  IndexSpace space;
  MapCosts costs;
  ProposeMappings propose;
};
} // namespace

/// Best first, the first of equals before the others.
static void sort(std::vector<RankedMapping> &ranked) {
  double least = std::numeric_limits<double>::max();
  for (const RankedMapping &one : ranked)
    least = std::min(least, one.cost.getMemory());
  auto key = [&](const RankedMapping &one) {
    double memory = one.cost.getMemory();
    bool isLeast = memory <= least * kSameMemory;
    return std::tuple(!isLeast, isLeast ? 0 : memory, one.cost.instructions);
  };
  llvm::stable_sort(ranked,
                    [&](const RankedMapping &lhs, const RankedMapping &rhs) {
                      return key(lhs) < key(rhs);
                    });
}

std::vector<RankedMapping> Search::rank(std::vector<Mapping> mappings,
                                        Effort effort) {
  std::vector<RankedMapping> ranked;
  for (Mapping &mapping : mappings) {
    MapCost cost = costs.predict(mapping, effort);
    ranked.push_back({std::move(mapping), cost});
  }
  sort(ranked);
  return ranked;
}

/// The dimensions along which neighbours are nearest in memory.
SmallVector<unsigned> Search::choose(ArrayRef<unsigned> dims) {
  if (dims.size() <= kMostDims)
    return SmallVector<unsigned>(dims);
  SmallVector<std::pair<double, int>> order;
  for (unsigned d : dims) {
    MapProblem line{space, costs.getNominalBounds(), {d}};
    std::vector<RankedMapping> ranked = rank(propose(line), Effort::Glance);
    double memory = ranked.empty() ? std::numeric_limits<double>::max()
                                   : ranked.front().cost.getMemory();
    order.push_back({memory, -int(d)});
  }
  llvm::sort(order);
  SmallVector<unsigned> chosen;
  for (auto [memory, d] : ArrayRef(order).take_front(kMostDims))
    chosen.push_back(unsigned(-d));
  llvm::sort(chosen);
  return chosen;
}

std::vector<RankedMapping> Search::run(const Mapping &natural, unsigned count) {
  MapProblem problem{space, costs.getNominalBounds(), {}};
  if (costs.touchesMemory())
    problem.dims = choose(getDimsOfSeveral(space));
  std::vector<RankedMapping> ranked;
  if (problem.dims.size() > 1)
    ranked = rank(propose(problem), Effort::Glance);
  if (ranked.size() > kMostStudied)
    ranked.erase(ranked.begin() + kMostStudied, ranked.end());
  std::vector<Mapping> studied = {natural};
  for (RankedMapping &one : ranked)
    studied.push_back(std::move(one.mapping));
  ranked.clear();
  for (Mapping &mapping : studied) {
    MapCost cost = costs.predict(mapping, Effort::Study);
    ranked.push_back({std::move(mapping), cost});
  }
  MapCost own = ranked.front().cost;
  std::vector<Combinator> steps(ranked.front().mapping.combinators());
  sort(ranked);
  const MapCost &best = ranked.front().cost;
  if (own.getMemory() <= best.getMemory() * kSameMemory &&
      own.instructions <= best.instructions * kSameInstructions) {
    auto it = llvm::find_if(ranked, [&](const RankedMapping &one) {
      return llvm::equal(one.mapping.combinators(), steps);
    });
    std::rotate(ranked.begin(), it, it + 1);
  }
  if (ranked.size() > count)
    ranked.erase(ranked.begin() + count, ranked.end());
  return ranked;
}

std::vector<RankedMapping> mlir::tc::searchMappings(ParOp op,
                                                    const Mapping &natural,
                                                    ProposeMappings propose,
                                                    unsigned count) {
  return Search(op, propose).run(natural, count);
}

void mlir::tc::printMapCost(const MapCost &cost, llvm::raw_ostream &os) {
  os << llvm::format("sectors %.0f, wavefronts %.0f, instructions %.0f, of "
                     "these %.0f find indices; %.1f %% of %.0f threads work%s",
                     cost.sectors, cost.wavefronts, cost.instructions,
                     cost.recovery,
                     cost.threads > 0 ? 100 * cost.working / cost.threads : 0.0,
                     cost.threads, cost.isExact ? "" : "; sampled");
}

// Note [Which is better]
// ~~~~~~~~~~~~~~~~~~~~~~
// A kernel that only moves data waits for memory, so the fewest sectors and
// wavefronts come first, and instructions (of recovering indices, and of warps
// with idle lanes) decide among those within 2 %. The natural mapping stays as
// close to the space as it can, is the easiest to read, and is the same for
// nests over one space, so that a thread often needs no barrier for what it
// wrote itself: it is taken unless that costs more than this.
