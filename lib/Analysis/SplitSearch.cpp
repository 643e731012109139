//===- SplitSearch.cpp - When to divide a sum among blocks ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitSearch.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tc;

/// Results of a block that has much reuse; blocks for each multiprocessor that
/// are tried.
static constexpr double kBlockResults = 8192;
static constexpr double kBlocksPerSm[] = {1, 2, 4, 8};
/// Points of a part, at least: less is not worth a second kernel.
static constexpr double kFewestPoints = 4096;
/// Iterators that have their turn to be divided first; ways to divide for which
/// tiles are searched beside the first.
static constexpr size_t kMostFirst = 3, kMostSearched = 5;

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
static SmallVector<WorkArray, 2> getBuffers(ContractOp op, const Workload &work,
                                            ArrayRef<int64_t> parts) {
  unsigned own = work.getNumIterators();
  SmallVector<unsigned, 8> order;
  for (unsigned i = 0; i < own; ++i)
    if (!work.contracted[i])
      order.push_back(i);
  const WorkArray &result = work.stored.front();
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(result.strides[a]) < std::abs(result.strides[b]);
  });
  WorkArray buffer;
  buffer.strides.assign(own + parts.size(), 0);
  int64_t elements = 1;
  for (unsigned i : order) {
    buffer.strides[i] = elements;
    elements *= work.extents[i];
  }
  for (unsigned p = parts.size(); p-- != 0;) {
    buffer.strides[own + p] = elements;
    elements *= parts[p];
  }
  SmallVector<WorkArray, 2> buffers;
  int64_t count = op.getAccumulatorTypes().size();
  buffer.bytes = 4 * work.accumulatorWords / count;
  buffers.assign(count, buffer);
  return buffers;
}

static SplitWork getSplitWork(ContractOp op, const Workload &work,
                              const TilePlan &plan) {
  SplitWork split{work, work};
  SmallVector<int64_t> parts;
  Workload covered = work; // by the parts, along the iterators so far
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    if (plan.split[i] == 1)
      continue;
    auto [part, rest] =
        getPartExtents(work.extents[i], plan.split[i], plan.step[i]);
    if (rest != 0) {
      split.rests.push_back(covered);
      split.rests.back().extents[i] = rest;
    }
    covered.extents[i] -= rest;
    parts.push_back(plan.split[i]);
    split.parts.extents[i] = part;
    for (WorkArray &input : split.parts.inputs)
      input.strides.push_back(input.strides[i] * part);
  }
  unsigned own = work.getNumIterators(), all = own + parts.size();
  split.parts.apart.assign(own, false);
  split.parts.apart.append(parts.size(), true);
  for (Workload *kernel : {&split.parts, &split.combination}) {
    llvm::append_range(kernel->extents, parts);
    kernel->contracted.append(parts.size(), kernel == &split.combination);
  }
  split.parts.readBack.clear();
  split.parts.stored = split.combination.inputs = getBuffers(op, work, parts);
  split.parts.resultOps = 0;
  split.combination.pointOps = 1;
  for (unsigned i = 0; i < own; ++i)
    if (work.contracted[i])
      split.combination.extents[i] = 1;
  for (auto *list : {&split.combination.readBack, &split.combination.stored})
    for (WorkArray &array : *list)
      array.strides.resize(all, 0);
  return split;
}

/// The plan of the kernel of the parts: `plan` with iterators more.
static TilePlan getPartsPlan(const TilePlan &plan, unsigned iterators) {
  TilePlan parts = plan;
  parts.split.assign(iterators, 1);
  for (PerIterator *factors :
       {&parts.thread, &parts.reg, &parts.vector, &parts.step})
    factors->resize(iterators, 1);
  return parts;
}

/// Threads of a block along the longest sum, as the default schedule has them
/// where results are few.
static TilePlan getSharingPlan(const Workload &work) {
  static constexpr int64_t mostThreads = 256, mostTerms = 8;
  TilePlan plan(work.getNumIterators());
  unsigned longest = 0;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i] &&
        (!work.contracted[longest] || work.extents[i] > work.extents[longest]))
      longest = i;
  auto threads = int64_t(llvm::bit_floor(uint64_t(work.extents[longest])));
  threads = std::min(threads, mostThreads);
  plan.thread[longest] = threads;
  plan.lanes.push_back({longest, threads});
  plan.step[longest] =
      threads * std::min(work.extents[longest] / threads, mostTerms);
  return plan;
}

/// Threads along the results, the fastest first.
static TilePlan getFlatPlan(const Workload &work) {
  static constexpr int64_t mostThreads = 256, mostTerms = 8;
  TilePlan plan(work.getNumIterators());
  SmallVector<unsigned, 8> order =
      llvm::to_vector_of<unsigned, 8>(llvm::seq(0u, work.getNumIterators()));
  const WorkArray &result = work.stored.front();
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(result.strides[a]) < std::abs(result.strides[b]);
  });
  int64_t left = mostThreads;
  for (unsigned i : order) {
    if (work.contracted[i]) {
      plan.step[i] = std::min(work.extents[i], mostTerms);
      continue;
    }
    plan.thread[i] = std::min(work.extents[i], left);
    left /= plan.thread[i];
    if (plan.thread[i] > 1)
      plan.lanes.insert(plan.lanes.begin(), {i, plan.thread[i]});
  }
  return plan;
}

/// About the cost of a kernel that gives a result one thread or several. Its
/// schedule is searched when it is made.
static KernelCost predictRoughly(const Workload &work, const Machine &rates) {
  KernelCost shared = predictCost(work, getSharingPlan(work), rates);
  KernelCost flat = predictCost(work, getFlatPlan(work), rates);
  return flat.score < shared.score ? flat : shared;
}

/// Adds the kernel that combines the parts, and takes what is left over as one
/// term after the other.
static void addCombination(KernelCost &cost, const SplitWork &split,
                           const Machine &rates) {
  double seconds = 0, score = 0;
  auto addTerm = [&](const Workload &term, double shared) {
    KernelCost best = predictRoughly(term, rates);
    seconds += best.seconds - shared;
    score += best.score - shared;
  };
  addTerm(split.combination, 0);
  for (const Workload &rest : split.rests)
    addTerm(rest, rates.launchSeconds);
  cost.combineSeconds = seconds;
  cost.seconds += seconds;
  cost.score += score;
}

KernelCost mlir::tc::predictSplitCost(ContractOp op, const Workload &work,
                                      const TilePlan &plan,
                                      MachineAttr machine) {
  SplitWork split = getSplitWork(op, work, plan);
  Machine rates = getRates(machine);
  KernelCost cost = predictCost(
      split.parts, getPartsPlan(plan, split.parts.getNumIterators()), rates);
  addCombination(cost, split, rates);
  return cost;
}

//===----------------------------------------------------------------------===//
// The choice of parts
//===----------------------------------------------------------------------===//

static int64_t getLargestDivisor(int64_t extent, int64_t most) {
  for (int64_t divisor = std::min(extent, most); divisor > 1; --divisor)
    if (extent % divisor == 0)
      return divisor;
  return 1;
}

/// Neighbours along `i` that a part has a multiple of: whole sectors, of inputs
/// that lie densest along it.
static int64_t getUnit(const Workload &work, unsigned i) {
  int64_t unit = 1;
  for (const WorkArray &input : work.inputs)
    if (std::abs(input.strides[i]) == 1)
      unit = std::max(unit, kSectorBytes / input.bytes);
  return work.extents[i] % unit == 0 ? unit : 1;
}

static int64_t countParts(ArrayRef<int64_t> split) {
  int64_t parts = 1;
  for (int64_t factor : split)
    parts *= factor;
  return parts;
}

/// Ways to make about `wanted` parts. Each iterator has its turn to be divided
/// first, by what divides it. Where too few parts come out, the longest one is
/// divided so that something is left over.
static SmallVector<PerIterator> enumerateParts(const Workload &work,
                                               int64_t wanted) {
  SmallVector<unsigned, 8> order;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i] && (work.mayReorder || order.empty()))
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return work.extents[a] > work.extents[b];
  });
  order.truncate(std::min(order.size(), kMostFirst));
  SmallVector<PerIterator> ways;
  int64_t most = 1;
  for (size_t turn = 0; turn < order.size(); ++turn) {
    PerIterator parts(work.getNumIterators(), 1);
    int64_t left = wanted;
    for (unsigned i : order) {
      parts[i] = getLargestDivisor(work.extents[i] / getUnit(work, i), left);
      left /= parts[i];
    }
    most = std::max(most, countParts(parts));
    if (countParts(parts) > 1 && !llvm::is_contained(ways, parts))
      ways.push_back(parts);
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  if (!order.empty() && most * 2 <= wanted &&
      wanted <= work.extents[order.front()]) {
    ways.emplace_back(work.getNumIterators(), 1);
    ways.back()[order.front()] = wanted;
  }
  return ways;
}

/// Numbers of parts worth trying, rising.
static SmallVector<int64_t> getWanted(const Workload &work,
                                      const Machine &rates) {
  double tiles = std::max(1.0, work.countResults() / kBlockResults);
  double most = work.countPoints() / work.countResults() *
                std::min(work.countResults(), kBlockResults) / kFewestPoints;
  SmallVector<int64_t> wanted;
  for (double each : kBlocksPerSm) {
    auto parts = int64_t(
        std::min(std::ceil(double(rates.smCount) * each / tiles), most));
    if (parts > 1 && !llvm::is_contained(wanted, parts))
      wanted.push_back(parts);
  }
  return wanted;
}

namespace {
/// Plans of one contraction in parts.
class SplitSearch {
public:
  SplitSearch(ContractOp op, const ContractAccess &access, MachineAttr machine)
      : op(op), access(access), machine(machine), rates(getRates(machine)),
        work(getWorkload(op, access)) {}

  std::vector<RankedPlan> run();

private:
  /// Finds tiles for these parts.
  void search(const PerIterator &parts);
  void add(const TilePlan &plan);
  bool isLegal(const TilePlan &plan) {
    return !findScheduleProblem(op, access, getSchedule(op, plan), machine);
  }

  ContractOp op;
  const ContractAccess &access;
  MachineAttr machine;
  Machine rates;
  Workload work;
  std::vector<RankedPlan> found;
};
} // namespace

/// The plan of the contraction of which `parts` is that of the first kernel.
static TilePlan getWholePlan(const TilePlan &parts, const PerIterator &split) {
  TilePlan whole = parts;
  for (PerIterator *factors :
       {&whole.thread, &whole.reg, &whole.vector, &whole.step})
    factors->resize(split.size());
  whole.split = split;
  return whole;
}

/// Parts are whole steps: shorter ones leave less over. False where threads and
/// vectors need what is there.
static bool shortenSteps(TilePlan &plan) {
  bool isShorter = false;
  for (auto [i, split] : llvm::enumerate(plan.split)) {
    int64_t together = plan.thread[i] * plan.vector[i];
    if (split == 1 || plan.step[i] <= together)
      continue;
    isShorter = true;
    plan.step[i] = std::max(plan.step[i] / 2 / together, int64_t(1)) * together;
  }
  return isShorter;
}

void SplitSearch::add(const TilePlan &plan) {
  if (isLegal(plan))
    found.push_back({plan, predictSplitCost(op, work, plan, machine)});
}

void SplitSearch::search(const PerIterator &parts) {
  TilePlan plan(work.getNumIterators());
  plan.split = parts;
  SplitWork split = getSplitWork(op, work, plan);
  for (RankedPlan &ranked :
       searchPlans(split.parts, rates, 1, [&](const TilePlan &tiles) {
         return isLegal(getWholePlan(tiles, parts));
       }))
    add(getWholePlan(ranked.plan, parts));
  // The search gives each result a thread; the default may give it several.
  ContractAccess part = getPartAccess(op, access, getSchedule(op, plan));
  TilePlan shared = getPlan(op, getDefaultSchedule(op, part, machine));
  shared.split = parts;
  do
    add(shared);
  while (shortenSteps(shared));
}

/// A search among tiles for some parts, then the same tiles with all others,
/// and a search for those that were best.
std::vector<RankedPlan> SplitSearch::run() {
  SmallVector<PerIterator> ways;
  for (int64_t wanted : getWanted(work, rates))
    for (const PerIterator &parts : enumerateParts(work, wanted))
      if (!llvm::is_contained(ways, parts))
        ways.push_back(parts);
  if (ways.empty())
    return {};
  search(ways.front());
  std::vector<RankedPlan> first = found;
  for (const PerIterator &parts : ArrayRef(ways).drop_front())
    for (RankedPlan ranked : first) {
      ranked.plan.split = parts;
      add(ranked.plan);
    }
  llvm::stable_sort(found, [](const RankedPlan &a, const RankedPlan &b) {
    return a.cost.score < b.cost.score;
  });
  SmallVector<PerIterator> best;
  for (const RankedPlan &ranked : found)
    if (best.size() < kMostSearched && ranked.plan.split != ways.front() &&
        !llvm::is_contained(best, ranked.plan.split))
      best.push_back(ranked.plan.split);
  llvm::for_each(best, [&](const PerIterator &parts) { search(parts); });
  return std::move(found);
}

std::vector<RankedPlan> mlir::tc::searchSplits(ContractOp op,
                                               const ContractAccess &access,
                                               MachineAttr machine,
                                               ArrayRef<RankedPlan> best) {
  if (best.empty() || !op.mayRegroup() ||
      best.front().cost.blocks > double(getRates(machine).smCount))
    return {};
  return SplitSearch(op, access, machine).run();
}
