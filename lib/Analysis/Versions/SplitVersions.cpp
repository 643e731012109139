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

#include "Versions/SplitVersions.h"

#include "Versions/VersionPlan.h"
#include "Versions/VersionSearch.h"

#include "tc/Analysis/Split.h"

#include "llvm/ADT/STLExtras.h"

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
/// A schedule that splits a sum.
struct Candidate {
  ScheduleAttr schedule;
  double results; ///< that it was searched for, along dynamic iterators
};

class SplitVersions {
public:
  SplitVersions(ContractOp op, const StrideTable &judged,
                const ScheduleChoice &whole, MachineAttr machine)
      : op(op), judged(judged), whole(whole), machine(machine) {}

  SmallVector<VersionAttr> run();

private:
  std::optional<Candidate> search(double results);
  int64_t findBound(const Candidate &candidate, const Candidate *next);
  int64_t findTerms(ScheduleAttr schedule, ArrayRef<double> results);
  double predictParts(ScheduleAttr schedule, const Workload &work) {
    return predictVersion(op, work, schedule, machine);
  }
  double predictWhole(const Workload &work) {
    return predictChosen(op, work, whole, machine);
  }

  ContractOp op;
  const StrideTable &judged;
  const ScheduleChoice &whole;
  MachineAttr machine;
};
} // namespace

std::optional<Candidate> SplitVersions::search(double results) {
  double all = results * countStaticResults(op);
  ScheduleAttr schedule = searchVersion(
      op, judged, {results, std::max(kPoints / all, kTerms)}, machine);
  if (!schedule || !isSplit(schedule))
    return std::nullopt;
  return Candidate{schedule, results};
}

/// The results from which on the whole sum is better, or the parts of `next`.
int64_t SplitVersions::findBound(const Candidate &candidate,
                                 const Candidate *next) {
  double results = candidate.results;
  double each = countStaticResults(op) *
                double(candidate.schedule.getSplit().front().value);
  while (4 * results * each < double(kMostPartResults)) {
    auto work = getSizedWork(op, {4 * results, kLongSum});
    double parts = work ? predictParts(candidate.schedule, *work) : 0;
    if (!work || kLeastGain * parts > predictWhole(*work) ||
        (next && (4 * results >= next->results ||
                  parts > predictParts(next->schedule, *work))))
      break;
    results *= 4;
  }
  return getBound(results, 4 * results);
}

/// The terms from which on parts by `schedule` are better for one of these
/// numbers of results; 0 where they never are.
int64_t SplitVersions::findTerms(ScheduleAttr schedule,
                                 ArrayRef<double> results) {
  for (double terms = kFewestTerms; terms <= kMostTerms; terms *= 2)
    for (double each : results) {
      auto work = getSizedWork(op, {each, terms});
      if (work &&
          kLeastGain * predictParts(schedule, *work) < predictWhole(*work))
        return int64_t(terms);
    }
  return 0;
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
    int64_t from = versions.empty() ? 1 : versions.back().getBelow();
    // What it was searched for, and the middle of the sizes that it is for.
    int64_t terms = findTerms(
        candidate.schedule, {candidate.results, double(getBound(from, below))});
    bool isNext = versions.empty() || below > from;
    auto version =
        VersionAttr::get(op.getContext(), below, terms, candidate.schedule);
    if (terms != 0 && isNext && !findVersionSplitProblem(op, version))
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
