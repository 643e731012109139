//===- SplitVersions.cpp - Long sums of dynamic extents -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Long sums] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Search/SplitVersions.h"

#include "Search/SplitSearch.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"
#include "tc/IR/IndexBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// Results that plans are searched for, and points.
static constexpr double kFewResults[] = {16, 1024};
static constexpr double kPoints = 1 << 25;
/// Terms of a long sum; the fewest, and the most, that are asked for.
static constexpr double kLongSum = 1 << 14, kFewestTerms = 1 << 6,
                        kMostTerms = 1 << 22;
/// Time of the whole sum over that of its parts that is worth two kernels more.
static constexpr double kLeastGain = 1.1;

double mlir::tc::countDynamicResults(const StrideTable &table) {
  double results = 1;
  for (auto [extent, nominal, contracted] :
       llvm::zip_equal(table.extents, table.nominalExtents, table.contracted))
    if (!contracted && ShapedType::isDynamic(extent))
      results *= double(nominal);
  return results;
}

int64_t mlir::tc::getBound(double results, double next) {
  return std::max<int64_t>(int64_t(std::sqrt(results * next)), 1);
}

namespace {
/// A plan, and the blocks that it gives parts of one tile of results.
struct Candidate {
  TilePlan plan;
  unsigned iterator; ///< that is split
  int64_t blocks;
  double results; ///< that it was searched for, along dynamic iterators
};

class SplitVersions {
public:
  SplitVersions(ContractOp op, const StrideTable &judged,
                const ScheduleChoice &whole, MachineAttr machine)
      : op(op), judged(judged), whole(whole), machine(machine),
        rates(getRates(machine)) {}

  SmallVector<VersionAttr> run();

private:
  /// The contraction with about so many results along dynamic iterators, of
  /// about so many terms.
  Workload getWork(double results, double terms);
  std::optional<Candidate> search(double results);
  /// Predicted seconds of the parts that a version with this plan makes.
  double predictParts(const Candidate &candidate, const Workload &work);
  double predictWhole(const Workload &work);
  int64_t findBound(const Candidate &candidate, const Candidate *next);
  int64_t findTerms(const Candidate &candidate);

  ContractOp op;
  const StrideTable &judged;
  const ScheduleChoice &whole;
  MachineAttr machine;
  Machine rates;
};
} // namespace

/// An extent, so that `count` of them make `points`.
static int64_t getExtent(double points, int64_t count) {
  return std::max<int64_t>(
      int64_t(std::pow(points, 1.0 / double(std::max<int64_t>(count, 1))) +
              0.5),
      1);
}

Workload SplitVersions::getWork(double results, double terms) {
  int64_t dynamic[] = {0, 0}; // iterators of results, contracted ones
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents())) {
    bool isContracted = op.isContracted(i);
    dynamic[isContracted] += ShapedType::isDynamic(extent);
    if (isContracted && !ShapedType::isDynamic(extent))
      terms /= double(std::max<int64_t>(extent, 1));
  }
  NominalExtents nominal(getExtent(results, dynamic[0]),
                         getExtent(terms, dynamic[1]));
  return getWorkload(op, *getStrideTable(op, nominal));
}

/// Blocks of results of `work`.
static int64_t countTiles(const Workload &work, const TilePlan &plan) {
  int64_t tiles = 1;
  for (unsigned i : work.getResults())
    tiles *= llvm::divideCeil(work.extents[i], plan.getBlock(i));
  return tiles;
}

std::optional<Candidate> SplitVersions::search(double results) {
  double all = results;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (!op.isContracted(i) && !ShapedType::isDynamic(extent))
      all *= double(std::max<int64_t>(extent, 1));
  Workload work = getWork(results, std::max(kPoints / all, 1.0));
  SearchRules rules;
  rules.work = &work;
  for (RankedPlan &found : searchPlans(op, judged, machine, 1, rules)) {
    auto *split = llvm::find_if(found.plan.split,
                                [](int64_t parts) { return parts > 1; });
    auto isSplit = [](int64_t parts) { return parts > 1; };
    if (llvm::count_if(found.plan.split, isSplit) != 1)
      continue;
    // Extents are powers of two more often than multiples of multiprocessors.
    auto blocks = int64_t(
        llvm::bit_floor(uint64_t(*split * countTiles(work, found.plan))));
    auto iterator = unsigned(split - found.plan.split.begin());
    return Candidate{std::move(found.plan), iterator, blocks, results};
  }
  return std::nullopt;
}

double SplitVersions::predictParts(const Candidate &candidate,
                                   const Workload &work) {
  TilePlan plan = candidate.plan;
  plan.split[candidate.iterator] =
      llvm::divideCeil(candidate.blocks, countTiles(work, plan));
  return predictSplitCost(op, work, plan, machine).score;
}

double SplitVersions::predictWhole(const Workload &work) {
  double results = 1;
  for (unsigned i : work.getResults())
    results *= work.dynamic[i] ? double(work.extents[i]) : 1;
  ScheduleAttr schedule = whole.schedules.front();
  auto *version = llvm::find_if(whole.versions, [&](VersionAttr version) {
    return results < double(version.getBelow());
  });
  if (version != whole.versions.end())
    schedule = (*version).getSchedule();
  return predictCost(work, getPlan(op, schedule), rates).score;
}

/// The results from which on the whole sum is better, or the parts of `next`.
int64_t SplitVersions::findBound(const Candidate &candidate,
                                 const Candidate *next) {
  double results = candidate.results;
  int64_t most = kLimit32 / candidate.blocks;
  while (4 * results < double(most)) {
    Workload work = getWork(4 * results, kLongSum);
    double parts = predictParts(candidate, work);
    if (kLeastGain * parts > predictWhole(work) ||
        (next && parts > predictParts(*next, work)))
      break;
    results *= 4;
  }
  return getBound(results, 4 * results);
}

/// The terms from which on parts are better; 0 where they never are.
int64_t SplitVersions::findTerms(const Candidate &candidate) {
  for (double terms = kFewestTerms; terms <= kMostTerms; terms *= 2) {
    Workload work = getWork(candidate.results, terms);
    if (kLeastGain * predictParts(candidate, work) < predictWhole(work))
      return int64_t(terms);
  }
  return 0;
}

SmallVector<VersionAttr> SplitVersions::run() {
  SmallVector<Candidate, 2> candidates;
  for (double results : kFewResults)
    if (auto found = search(results))
      candidates.push_back(std::move(*found));
  SmallVector<VersionAttr> versions;
  for (const Candidate &candidate : candidates) {
    bool isLast = &candidate == &candidates.back();
    int64_t below = findBound(candidate, isLast ? nullptr : &candidate + 1);
    int64_t terms = findTerms(candidate);
    TilePlan plan = candidate.plan;
    plan.split[candidate.iterator] = candidate.blocks;
    ScheduleAttr schedule = getSchedule(op, plan);
    bool isNext = versions.empty() || below > versions.back().getBelow();
    if (terms != 0 && isNext &&
        !findScheduleProblem(op, getVersionAccess(op, judged, schedule),
                             schedule, machine))
      versions.push_back(
          VersionAttr::get(op.getContext(), below, terms, schedule));
  }
  return versions;
}

FailureOr<SmallVector<VersionAttr>>
mlir::tc::searchSplitVersions(ContractOp op, const StrideTable &judged,
                              const ScheduleChoice &whole,
                              MachineAttr machine) {
  if (!op.mayRegroup())
    return SmallVector<VersionAttr>();
  return SplitVersions(op, judged, whole, machine).run();
}

// Note [Long sums]
// ~~~~~~~~~~~~~~~~
// Few results of long sums leave most multiprocessors without a block, whatever
// the tile: 16 x 16 results of 2^17 terms take 44 times as long as with the sum
// in parts (matrix sweep, simulated). Extents decide whether to split, and into
// how many parts: as many as give a number of blocks. So two plans serve all
// few results: one searched for 16, whose threads share a result, and one for
// 64 x 64. Each is for results up to where a whole sum, or the next plan, is
// predicted to be as fast, and for sums that are long enough to be worth a
// second kernel.
