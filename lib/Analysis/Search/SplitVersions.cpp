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
#include "Search/VersionSearch.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"
#include "tc/Analysis/Staging.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// Results that plans are searched for, with points and terms of at least
/// these.
static constexpr double kFewResults[] = {16, 256, 1024, 65536};
static constexpr double kPoints = 1 << 25, kTerms = 1 << 12;
/// Terms of a long sum; the fewest, and the most, that are asked for.
static constexpr double kLongSum = 1 << 14, kFewestTerms = 1 << 6,
                        kMostTerms = 1 << 22;
/// Time of the whole sum over that of its parts that is worth two kernels more.
static constexpr double kLeastGain = 1.1;

namespace {
/// A plan, and the blocks that it gives parts of one tile of results.
struct Candidate {
  TilePlan plan;
  SmallVector<bool> inPlace; ///< inputs of these sizes, as `plan` has them
  unsigned iterator;         ///< that is split
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
  /// about so many terms; none where these span more than can be addressed.
  std::optional<StrideTable> getTable(double results, double terms);
  std::optional<Workload> getWork(double results, double terms);
  std::optional<Candidate> search(double results);
  /// Predicted seconds of the parts that a version with this plan makes.
  double predictParts(const Candidate &candidate, const Workload &work);
  double predictWhole(const Workload &work);
  int64_t findBound(const Candidate &candidate, const Candidate *next);
  int64_t findTerms(const Candidate &candidate);
  ScheduleAttr buildSchedule(const Candidate &candidate);

  ContractOp op;
  const StrideTable &judged;
  const ScheduleChoice &whole;
  MachineAttr machine;
  Machine rates;
};
} // namespace

/// An extent, so that `count` of them make `points`.
static int64_t getExtent(double points, int64_t count) {
  double extent = std::pow(points, 1.0 / double(std::max<int64_t>(count, 1)));
  return std::max<int64_t>(std::llround(extent), 1);
}

std::optional<StrideTable> SplitVersions::getTable(double results,
                                                   double terms) {
  int64_t dynamic[] = {0, 0}; // iterators of results, contracted ones
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents())) {
    bool isContracted = op.isContracted(i);
    dynamic[isContracted] += ShapedType::isDynamic(extent);
    if (isContracted && !ShapedType::isDynamic(extent))
      terms /= double(std::max<int64_t>(extent, 1));
  }
  NominalExtents nominal(getExtent(results, dynamic[0]),
                         getExtent(terms, dynamic[1]));
  // The user did not ask for these extents.
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<StrideTable> table = getStrideTable(op, nominal);
  if (failed(table))
    return std::nullopt;
  return std::move(*table);
}

std::optional<Workload> SplitVersions::getWork(double results, double terms) {
  std::optional<StrideTable> table = getTable(results, terms);
  return table ? std::optional(getWorkload(op, *table)) : std::nullopt;
}

/// Results along static iterators, at least 1.
static double countStaticResults(ContractOp op) {
  double results = 1;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (!op.isContracted(i) && !ShapedType::isDynamic(extent))
      results *= double(std::max<int64_t>(extent, 1));
  return results;
}

/// Blocks of results of `work`.
static int64_t countTiles(const Workload &work, const TilePlan &plan) {
  int64_t tiles = 1;
  for (unsigned i : work.getResults())
    tiles *= llvm::divideCeil(work.extents[i], plan.getBlock(i));
  return tiles;
}

std::optional<Candidate> SplitVersions::search(double results) {
  double all = results * countStaticResults(op);
  auto table = getTable(results, std::max(kPoints / all, kTerms));
  if (!table)
    return std::nullopt;
  Workload work = getWorkload(op, *table);
  // Strides of these sizes decide what is read in place.
  for (Access &input : table->inputs)
    input.strides = input.nominal;
  SearchRules rules;
  rules.work = &work;
  auto found = searchPlans(op, *table, machine, 1, rules);
  auto isSplit = [](int64_t parts) { return parts > 1; };
  if (found.empty() || llvm::count_if(found.front().plan.split, isSplit) != 1)
    return std::nullopt;
  TilePlan &plan = found.front().plan;
  auto *split = llvm::find_if(plan.split, isSplit);
  auto iterator = unsigned(split - plan.split.begin());
  // Extents are powers of two more often than multiples of multiprocessors.
  auto blocks =
      int64_t(llvm::bit_floor(uint64_t(*split * countTiles(work, plan))));
  auto staged = completeStaging(op, *table, getSchedule(op, plan));
  SmallVector<bool> inPlace = llvm::map_to_vector(
      staged.getStaging(), std::mem_fn(&StagingAttr::isInPlace));
  return Candidate{std::move(plan), std::move(inPlace), iterator, blocks,
                   results};
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
  double each = countStaticResults(op) * double(candidate.blocks);
  while (4 * results * each < double(kMostPartResults)) {
    auto work = getWork(4 * results, kLongSum);
    double parts = work ? predictParts(candidate, *work) : 0;
    if (!work || kLeastGain * parts > predictWhole(*work) ||
        (next &&
         (4 * results >= next->results || parts > predictParts(*next, *work))))
      break;
    results *= 4;
  }
  return getBound(results, 4 * results);
}

/// The terms from which on parts are better; 0 where they never are.
int64_t SplitVersions::findTerms(const Candidate &candidate) {
  for (double terms = kFewestTerms; terms <= kMostTerms; terms *= 2) {
    auto work = getWork(candidate.results, terms);
    if (!work)
      break;
    if (kLeastGain * predictParts(candidate, *work) < predictWhole(*work))
      return int64_t(terms);
  }
  return 0;
}

/// What `candidate` is for extents of all sizes.
ScheduleAttr SplitVersions::buildSchedule(const Candidate &candidate) {
  TilePlan plan = candidate.plan;
  plan.split[candidate.iterator] = candidate.blocks;
  ScheduleAttr schedule = getSchedule(op, plan);
  schedule =
      completeStaging(op, getVersionAccess(op, judged, schedule), schedule);
  SmallVector<StagingAttr> staging(schedule.getStaging());
  for (auto [input, isInPlace] : llvm::zip_equal(staging, candidate.inPlace))
    if (isInPlace)
      input = StagingAttr::getInPlace(op.getContext());
  return schedule.withStaging(staging);
}

SmallVector<VersionAttr> SplitVersions::run() {
  SmallVector<Candidate, 4> candidates;
  double before = 0;
  for (double all : kFewResults) {
    double results = std::max(all / countStaticResults(op), 1.0);
    if (results <= std::exchange(before, results))
      continue;
    if (auto found = search(results))
      candidates.push_back(std::move(*found));
  }
  SmallVector<VersionAttr> versions;
  for (const Candidate &candidate : candidates) {
    bool isLast = &candidate == &candidates.back();
    int64_t below = findBound(candidate, isLast ? nullptr : &candidate + 1);
    int64_t terms = findTerms(candidate);
    ScheduleAttr schedule = buildSchedule(candidate);
    bool isNext = versions.empty() || below > versions.back().getBelow();
    auto version = VersionAttr::get(op.getContext(), below, terms, schedule);
    if (terms != 0 && isNext && !findVersionSplitProblem(op, version) &&
        !findScheduleProblem(op, getVersionAccess(op, judged, schedule),
                             schedule, machine))
      versions.push_back(version);
  }
  return versions;
}

SmallVector<VersionAttr>
mlir::tc::searchSplitVersions(ContractOp op, const StrideTable &judged,
                              const ScheduleChoice &whole,
                              MachineAttr machine) {
  if (!op.mayRegroup())
    return {};
  return SplitVersions(op, judged, whole, machine).run();
}

// Note [Long sums]
// ~~~~~~~~~~~~~~~~
// Few results of long sums leave most multiprocessors without a block, whatever
// the tile: 16 x 16 results of 2^17 terms take 44 times as long as with the sum
// in parts (matrix sweep, simulated). Extents decide whether to split, and into
// how many parts: as many as give a number of blocks. So four plans serve all
// few results: one searched for 4 x 4, whose threads share a result, one each
// for 16 x 16 and 32 x 32, and one for 256 x 256, which have about as many
// block tiles as there are multiprocessors. Each is for results up to where a
// whole sum is predicted to be as fast, or to where the next plan is, and for
// sums that are long enough to be worth a second kernel. Inputs are read in
// place where that is best for strides of the sizes that the plan was searched
// for: rows as wide as a vector lie densely, and a copy of them costs only
// time.
