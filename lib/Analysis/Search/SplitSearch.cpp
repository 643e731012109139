//===- SplitSearch.cpp - When to divide a sum among blocks ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/SplitSearch.h"

#include "Search/FoldSearch.h"
#include "Search/PlainPlan.h"
#include "Search/SplitWays.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tc;

/// Numbers of parts for which tiles are searched roughly, those with the least
/// estimates; of these, those that are made in all ways; and ways for which the
/// search goes further.
static constexpr size_t kMostRough = 8, kMostVaried = 2, kMostSearched = 1;
static constexpr SearchEffort kRough = {32, 1, 1}, kWhole = {128, 8, 2};
/// The rough one, with tensor instructions.
static constexpr SearchEffort kRoughFolded = {48, 2, 1};

//===----------------------------------------------------------------------===//
// The two kernels
//===----------------------------------------------------------------------===//

namespace {
/// The parts and their combination have the iterators of the contraction, and
/// one for the parts of each iterator that is split. What is left over along
/// one is a term of the combining kernel.
struct SplitWork {
  Workload parts, combination;
  SmallVector<Workload, 1> rests;
};
} // namespace

/// The buffers of the parts: a part after the other, each in the order in which
/// the result lies.
static SmallVector<Access, 2> getBuffers(ContractOp op, const Workload &work,
                                         ArrayRef<int64_t> parts) {
  unsigned own = work.getNumIterators();
  Access buffer;
  buffer.nominal.assign(own + parts.size(), 0);
  int64_t elements = 1;
  for (unsigned i : work.sortResults()) {
    buffer.nominal[i] = elements;
    elements *= work.extents[i];
  }
  for (unsigned p = parts.size(); p-- != 0;) {
    buffer.nominal[own + p] = elements;
    elements *= parts[p];
  }
  int64_t count = op.getAccumulatorTypes().size();
  buffer.strides = buffer.nominal;
  buffer.bytes = 4 * work.accumulatorWords / count;
  return SmallVector<Access, 2>(count, buffer);
}

/// Terms of which a part of a dynamic sum is a multiple, whatever its steps:
/// these are mostly longer.
static constexpr int64_t kLeastStep = 16;

/// How `plan` divides iterator `i`: parts, the extent of each, and what is left
/// over. Of a dynamic extent that is half a part.
static std::pair<int64_t, PartExtents>
getExtents(const Workload &work, const TilePlan &plan, unsigned i) {
  int64_t extent = work.extents[i], parts = plan.split[i];
  if (!work.dynamic[i])
    return {parts, getPartExtents(extent, parts, plan.step[i])};
  int64_t step = std::max(plan.step[i], kLeastStep);
  int64_t part =
      std::min(int64_t(llvm::divideCeil(extent, parts * step)) * step, extent);
  return {extent / part, {part, part / 2}};
}

static SplitWork getSplitWork(ContractOp op, const Workload &work,
                              const TilePlan &plan) {
  SplitWork split{work, work, {}};
  SmallVector<int64_t> parts;
  Workload covered = work; // by the parts, along the iterators so far
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    if (plan.split[i] == 1)
      continue;
    auto [count, lengths] = getExtents(work, plan, i);
    auto [part, rest] = lengths;
    if (rest != 0) {
      split.rests.push_back(covered);
      split.rests.back().extents[i] = rest;
    }
    covered.extents[i] = count * part;
    parts.push_back(count);
    split.parts.extents[i] = part;
    for (Access &input : split.parts.inputs) {
      input.nominal.push_back(input.nominal[i] * part);
      input.strides.push_back(input.nominal.back());
    }
  }
  unsigned all = work.getNumIterators() + parts.size();
  for (Workload *kernel : {&split.parts, &split.combination}) {
    llvm::append_range(kernel->extents, parts);
    kernel->contracted.append(parts.size(), kernel == &split.combination);
    kernel->dynamic.append(parts.size(), false);
    kernel->apart.append(parts.size(), kernel == &split.parts);
    kernel->scalar.append(parts.size(), false);
  }
  split.parts.readBack.clear();
  split.parts.stored = split.combination.inputs = getBuffers(op, work, parts);
  split.parts.resultOps = 0;
  split.combination.pointOps = 1;
  split.combination.factorOps.assign(split.combination.inputs.size(), 0);
  for (unsigned i : work.getSums())
    split.combination.extents[i] = 1;
  for (auto *list : {&split.combination.readBack, &split.combination.stored})
    for (Access &array : *list) {
      array.strides.resize(all, 0);
      array.nominal.resize(all, 0);
    }
  return split;
}

/// `plan` with as many iterators as `split`, and this split: of the kernel of
/// the parts, whose last iterators are theirs, or of the whole contraction.
static TilePlan withSplit(TilePlan plan, const PerIterator &split) {
  plan.resize(split.size());
  plan.split = split;
  return plan;
}

/// Threads of a block along the longest sum.
static TilePlan getSharingPlan(const Workload &work) {
  TilePlan plan(work.getNumIterators());
  unsigned longest = findLongestSum(work).value_or(0);
  auto threads = int64_t(llvm::bit_floor(uint64_t(work.extents[longest])));
  threads = std::min(threads, kPlainThreads);
  plan.thread[longest] = threads;
  plan.lanes.push_back({longest, threads});
  plan.step[longest] =
      threads * std::min(work.extents[longest] / threads, kPlainTerms);
  return plan;
}

/// About the cost of a kernel that gives a result one thread or several. Its
/// schedule is searched when it is made.
static KernelCost predictRoughly(const Workload &work, const Machine &rates) {
  KernelCost shared = predictCost(work, getSharingPlan(work), rates);
  KernelCost flat =
      predictCost(work, getPlainPlan(work, kPlainThreads, kPlainTerms), rates);
  return flat.score < shared.score ? flat : shared;
}

KernelCost mlir::tc::predictSplitCost(ContractOp op, const Workload &work,
                                      const TilePlan &plan,
                                      MachineAttr machine) {
  SplitWork split = getSplitWork(op, work, plan);
  Machine rates = getRates(machine);
  KernelCost cost = predictCost(
      split.parts,
      withSplit(plan, PerIterator(split.parts.getNumIterators(), 1)), rates);
  // The kernel that combines the parts takes what is left over as one term
  // after the other.
  double bound = 0;
  auto addTerm = [&](const Workload &term, double shared) {
    KernelCost best = predictRoughly(term, rates);
    cost.combineSeconds += best.seconds - shared;
    bound += best.boundSeconds - shared;
  };
  addTerm(split.combination, 0);
  for (const Workload &rest : split.rests)
    addTerm(rest, rates.launchSeconds);
  cost.seconds += cost.combineSeconds;
  cost.score += cost.combineSeconds;
  cost.boundSeconds += bound;
  return cost;
}

//===----------------------------------------------------------------------===//
// The choice of parts
//===----------------------------------------------------------------------===//

namespace {
/// Plans of one contraction in parts.
class SplitSearch {
public:
  SplitSearch(ContractOp op, const StrideTable &access, const Workload &work,
              MachineAttr machine, ArrayRef<SearchSpace> spaces,
              TileCache &tiles)
      : op(op), access(access), work(work), machine(machine), spaces(spaces),
        tiles(tiles), rates(getRates(machine)) {}

  std::vector<RankedPlan> run();

private:
  /// Ways to make one number of parts, and about the time that takes.
  using Ways = std::pair<double, SmallVector<PerIterator>>;

  /// The numbers of parts that promise most.
  std::vector<Ways> getWays() const;
  /// Plans for these parts.
  std::vector<RankedPlan> search(const PerIterator &parts, bool isWhole) const;
  bool isLegal(const TilePlan &plan) const {
    return SearchRules().allow(op, access, plan, machine);
  }

  ContractOp op;
  const StrideTable &access;
  const Workload &work;
  MachineAttr machine;
  ArrayRef<SearchSpace> spaces;
  TileCache &tiles;
  Machine rates;
  std::vector<RankedPlan> found;
};
} // namespace

/// Parts are whole steps: shorter ones leave less over. False where threads and
/// vectors need what is there, and where nothing is left over.
static bool shortenSteps(const Workload &work, TilePlan &plan) {
  bool isShorter = false;
  for (auto [i, split] : llvm::enumerate(plan.split)) {
    int64_t together = plan.thread[i] * plan.vector[i];
    bool isWhole = !work.dynamic[i] && work.extents[i] % split == 0;
    if (isWhole || plan.step[i] <= together)
      continue;
    isShorter = true;
    plan.step[i] = std::max(plan.step[i] / 2 / together, int64_t(1)) * together;
  }
  return isShorter;
}

/// The next shorter steps, which instructions are folded into again, since they
/// may hold too few terms for that of the longer ones. False if there are none.
static bool shortenPlan(const Workload &work, const SearchSpace &space,
                        TilePlan &plan) {
  while (shortenSteps(work, plan))
    if (!space.fold || foldTerms(*space.fold, plan))
      return true;
  return false;
}

/// What the parts add is read again by the kernel that combines them.
std::vector<SplitSearch::Ways> SplitSearch::getWays() const {
  double bytes = work.countResults() * double(4 * work.accumulatorWords);
  std::vector<Ways> groups;
  int64_t before = 0;
  for (const PerIterator &way : enumerateSplits(work, rates)) {
    int64_t parts = countParts(way);
    if (parts != std::exchange(before, parts))
      groups.push_back(
          {spaces.front().tilings.getEstimate(double(parts)) +
               2 * bytes * double(parts) / rates.dramBytesPerSecond,
           {}});
    groups.back().second.push_back(way);
  }
  llvm::stable_sort(groups, llvm::less_first());
  groups.resize(std::min(groups.size(), kMostRough));
  return groups;
}

std::vector<RankedPlan> SplitSearch::search(const PerIterator &parts,
                                            bool isWhole) const {
  TilePlan plan(work.getNumIterators());
  plan.split = parts;
  SplitWork split = getSplitWork(op, work, plan);
  std::vector<RankedPlan> found;
  int64_t evaluated = 0;
  auto isWholeLegal = [&](const TilePlan &plan) {
    return isLegal(withSplit(plan, parts));
  };
  for (const SearchSpace &space : spaces)
    for (RankedPlan &ranked : searchPlans(
             split.parts, space, double(countParts(parts)), 1, isWholeLegal,
             isWhole      ? kWhole
             : space.fold ? kRoughFolded
                          : kRough,
             tiles, evaluated)) {
      TilePlan plan = withSplit(ranked.plan, parts);
      do {
        if (!isLegal(plan))
          continue;
        found.push_back({plan, predictSplitCost(op, work, plan, machine)});
      } while (shortenPlan(work, space, plan));
    }
  return found;
}

/// A rough search for tiles for one way to make each number of parts, for the
/// other ways to make those that were best, and a whole one for the best way.
std::vector<RankedPlan> SplitSearch::run() {
  std::vector<std::pair<double, PerIterator>> order;
  auto searchRoughly = [&](ArrayRef<PerIterator> ways) {
    // Each has too few tilings for several threads.
    std::vector<std::vector<RankedPlan>> plans(ways.size());
    parallelFor(op.getContext(), 0, ways.size(), [&](size_t n) {
      plans[n] = search(ways[n], /*isWhole=*/false);
    });
    for (auto [parts, ofParts] : llvm::zip_equal(ways, plans)) {
      double least = std::numeric_limits<double>::infinity();
      for (const RankedPlan &plan : ofParts)
        least = std::min(least, plan.cost.score);
      order.emplace_back(least, parts);
      llvm::append_range(found, std::move(ofParts));
    }
    llvm::stable_sort(order, llvm::less_first());
  };
  std::vector<Ways> groups = getWays();
  SmallVector<PerIterator> others;
  for (auto &[estimate, ways] : groups)
    others.push_back(ways.front());
  searchRoughly(others);
  others.clear();
  for (auto &[score, best] : ArrayRef(order).take_front(kMostVaried))
    for (auto &[estimate, ways] : groups)
      if (ways.front() == best)
        llvm::append_range(others, llvm::drop_begin(ways));
  searchRoughly(others);
  for (auto &[score, parts] : ArrayRef(order).take_front(kMostSearched))
    llvm::append_range(found, search(parts, /*isWhole=*/true));
  return std::move(found);
}

std::vector<RankedPlan>
mlir::tc::searchSplits(ContractOp op, const StrideTable &access,
                       const Workload &work, MachineAttr machine,
                       ArrayRef<SearchSpace> spaces, TileCache &tiles) {
  if (!op.mayRegroup())
    return {};
  return SplitSearch(op, access, work, machine, spaces, tiles).run();
}
