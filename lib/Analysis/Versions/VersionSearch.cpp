//===- VersionSearch.cpp - Schedules for dynamic extents ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Versions] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Versions/VersionSearch.h"

#include "Versions/NarrowVersions.h"
#include "Versions/SplitVersions.h"
#include "Versions/VersionPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Points of the sizes that plans are searched for.
static constexpr double kPoints[] = {1 << 21,
                                     1 << 24,
                                     1 << 27,
                                     1 << 30,
                                     double(int64_t(1) << 33),
                                     double(int64_t(1) << 36)};
/// Fewer take hardly longer than the launch, whatever the plan.
static constexpr double kFewPoints = 1 << 22;
/// Of a dynamic extent; positions along several remain within 64 bits.
static constexpr int64_t kMostNominal = 1 << 19;
static constexpr size_t kMostVersions = 4;
/// Time over that of the best plan for a size, which is not worth a kernel.
static constexpr double kMostRegret = 1.03;
/// Multiply-adds of whole tiles over useful ones, which are not.
static constexpr double kMostWaste = 2;
/// Plans for a size among which one is taken that wastes less, or is better for
/// short sums, of so many terms, and nearly as good for long ones.
static constexpr unsigned kCandidates = 24;
static constexpr int64_t kShortSum = 32;
static constexpr double kMostForShort = 1.04;

int64_t mlir::tc::getNominalExtent(ContractOp op, double points) {
  double known = 1;
  int dynamic = 0;
  for (int64_t extent : op.getStaticExtents())
    if (ShapedType::isDynamic(extent))
      ++dynamic;
    else
      known *= double(std::max<int64_t>(extent, 1));
  auto isWithin = [&](int64_t extent) {
    return known * std::pow(double(extent), dynamic) <= points;
  };
  int64_t nominal = 1;
  while (dynamic > 0 && nominal < kMostNominal && isWithin(2 * nominal))
    nominal *= 2;
  if (int64_t half = nominal / 2; dynamic > 0 && isWithin(nominal + half))
    nominal += half;
  return nominal;
}

int64_t mlir::tc::getCostedExtent(ContractOp op) {
  if (llvm::all_of(op.getStaticExtents(), ShapedType::isDynamic))
    return getNominalExtent(op, kManyPoints);
  return std::max(estimateExtent(op), getNominalExtent(op, kFewPoints));
}

bool mlir::tc::hasStaticResults(ContractOp op) {
  return llvm::all_of(llvm::enumerate(op.getStaticExtents()), [&](auto extent) {
    return op.isContracted(extent.index()) ||
           !ShapedType::isDynamic(extent.value());
  });
}

/// Points of whole tiles over those of `work`: steps of one that go beyond an
/// extent compute what nobody needs.
static double getWaste(const Workload &work, const TilePlan &plan) {
  double waste = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i != e; ++i) {
    int64_t tile = work.contracted[i] ? plan.step[i] : plan.getBlock(i);
    tile = std::max<int64_t>(tile, 1);
    waste *= double(llvm::divideCeil(work.extents[i], tile)) * double(tile) /
             double(work.extents[i]);
  }
  return waste;
}

/// The best of plans that rise in score, or one nearly as good where it wastes
/// too much, or takes long for the sums of `brief`.
static const TilePlan &choosePlan(const Workload &work, const Workload &brief,
                                  ArrayRef<RankedPlan> found,
                                  const Machine &rates) {
  double least = found.front().cost.score;
  if (getWaste(work, found.front().plan) > kMostWaste) {
    for (const RankedPlan &ranked : found)
      if (ranked.cost.score <= kMostRegret * least &&
          getWaste(work, ranked.plan) <= kMostWaste)
        return ranked.plan;
    return found.front().plan;
  }
  auto getScoreOfBoth = [&](const RankedPlan &ranked) {
    double score = ranked.cost.score;
    return score <= kMostForShort * least
               ? score * predictCost(brief, ranked.plan, rates).score
               : std::numeric_limits<double>::infinity();
  };
  SmallVector<double> scores = llvm::map_to_vector(found, getScoreOfBoth);
  return found[llvm::min_element(scores) - scores.begin()].plan;
}

/// Times of plans over those of the best for a size, by plan and size. The
/// plan of a number is the best for the size of that number.
using Regrets = std::vector<SmallVector<double>>;

namespace {

/// A plan for each of the first sizes, and the regrets of these.
struct Assignment {
  SmallVector<size_t> bySize;
  double sum = 0, worst = 0;
};

} // namespace

/// Adds the plan that is best for sizes `begin` to `end` together.
static Assignment extend(Assignment assigned, const Regrets &regrets,
                         size_t begin, size_t end) {
  auto getSum = [&](const SmallVector<double> &ofPlan) {
    return std::accumulate(ofPlan.begin() + begin, ofPlan.begin() + end, 0.0);
  };
  auto sums = llvm::map_to_vector(regrets, getSum);
  size_t plan = llvm::min_element(sums) - sums.begin();
  assigned.bySize.append(end - begin, plan);
  assigned.sum += sums[plan];
  for (size_t size = begin; size < end; ++size)
    assigned.worst = std::max(assigned.worst, regrets[plan][size]);
  return assigned;
}

/// The plan for each size: one for all, and ever more while that helps. Each is
/// for sizes in a row.
static SmallVector<size_t> choosePlans(const Regrets &regrets) {
  size_t count = regrets.size();
  std::vector<Assignment> best; // for the first sizes, of each number
  for (size_t end = 0; end <= count; ++end)
    best.push_back(extend({}, regrets, 0, end));
  for (size_t plans = 1; plans < kMostVersions; ++plans) {
    if (best.back().worst <= kMostRegret)
      break;
    for (size_t end = count; end > 0; --end)
      for (size_t begin = 1; begin < end; ++begin)
        if (Assignment more = extend(best[begin], regrets, begin, end);
            more.sum < best[end].sum)
          best[end] = std::move(more);
  }
  return best.back().bySize;
}

/// Results along dynamic iterators.
static double countDynamicResults(const StrideTable &table) {
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

/// Nominal extents to search plans for, rising: those of some numbers of
/// points, and that of extents like the static ones.
static SmallVector<int64_t> getSizes(ContractOp op) {
  SmallVector<int64_t> sizes = llvm::map_to_vector(
      kPoints, [&](double points) { return getNominalExtent(op, points); });
  if (!llvm::all_of(op.getStaticExtents(), ShapedType::isDynamic))
    sizes.push_back(estimateExtent(op));
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

FailureOr<ScheduleChoice> mlir::tc::searchVersions(ContractOp op,
                                                   MachineAttr machine) {
  Machine rates = getRates(machine);
  SmallVector<double> sizes; // results along dynamic iterators, rising
  std::vector<Workload> works;
  std::vector<TilePlan> plans; // the best for each size
  FailureOr<StrideTable> judged = getStrideTable(op);
  if (failed(judged))
    return failure();
  for (int64_t nominal : getSizes(op)) {
    std::optional<StrideTable> access = findSizedTable(op, nominal);
    if (!access)
      break;
    // The same where nominal extents are given.
    double results = countDynamicResults(*access);
    if (!sizes.empty() && sizes.back() == results)
      continue;
    // Split sums are for few results (Note [Long sums]), and these may be many.
    SearchRules rules;
    rules.mayBeSplit = false;
    Workload work = getWorkload(op, *access);
    rules.work = &work;
    auto found = searchPlans(op, *judged, machine, kCandidates, rules);
    std::optional<StrideTable> brief = findSizedTable(
        op, NominalExtents(nominal, std::min(nominal, kShortSum)));
    if (found.empty() || !brief)
      continue;
    sizes.push_back(results);
    plans.push_back(choosePlan(work, getWorkload(op, *brief), found, rates));
    works.push_back(std::move(work));
  }
  ScheduleChoice choice;
  if (plans.empty())
    return choice;
  Regrets regrets;
  for (const TilePlan &plan : plans)
    regrets.push_back(llvm::map_to_vector(works, [&](const Workload &work) {
      return predictCost(work, plan, rates).score;
    }));
  for (size_t size = 0; size < sizes.size(); ++size) {
    double least = regrets[size][size];
    for (auto [plan, ofPlan] : llvm::zip_equal(plans, regrets))
      ofPlan[size] =
          std::max(ofPlan[size] / least,
                   kMostRegret * getWaste(works[size], plan) / kMostWaste);
  }
  SmallVector<size_t> bySize = choosePlans(regrets);
  for (auto [size, plan] : llvm::enumerate(ArrayRef(bySize).drop_back()))
    if (bySize[size + 1] != plan)
      choice.versions.push_back(VersionAttr::get(
          op.getContext(), getBound(sizes[size], sizes[size + 1]), /*terms=*/0,
          getSchedule(op, plans[plan])));
  choice.schedules.push_back(getSchedule(op, plans[bySize.back()]));
  auto prepend = [&](ArrayRef<VersionAttr> versions) {
    choice.versions.insert(choice.versions.begin(), versions.begin(),
                           versions.end());
  };
  prepend(searchSplitVersions(op, *judged, choice, machine));
  prepend(searchNarrowVersions(op, *judged, choice, machine));
  return choice;
}

// Note [Versions]
// ~~~~~~~~~~~~~~~
// The best tile of 4096 x 4096 results leaves most multiprocessors without a
// block where there are 512 x 512, and that of 512 x 512 has half the reuse
// that 4096 x 4096 allow. So plans are searched for several sizes, with all
// dynamic extents equal, and as few are taken as are predicted to be nearly as
// good as the best for each size: up to four. Which one runs is decided by the
// number of results, since it is for want of blocks that small problems want
// other tiles, however long their sums are. And since a launch alone takes as
// long as a small problem, whole tiles of up to twice the multiply-adds count
// as free there, and no more. Steps of 64 and of 16 terms often take about as
// long, and a sum of 32 makes half use of the one; and threads that share a sum
// gather it at the end, however short it is: so short sums decide between plans
// that are about equal for long ones. Versions that split sums
// (SplitVersions.cpp), and those for narrow extents (NarrowVersions.cpp), are
// another matter.
