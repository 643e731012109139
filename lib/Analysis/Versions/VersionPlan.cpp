//===- VersionPlan.cpp - Schedules for one size ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Versions/VersionPlan.h"

#include "Search/SplitSearch.h"

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

/// An extent, so that `count` of them make `points`.
static int64_t getExtent(double points, int64_t count) {
  double extent = std::pow(points, 1.0 / double(std::max<int64_t>(count, 1)));
  return std::max<int64_t>(std::llround(extent), 1);
}

std::optional<StrideTable>
mlir::tc::findSizedTable(ContractOp op, const NominalExtents &nominal) {
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<StrideTable> table = getStrideTable(op, nominal);
  if (failed(table))
    return std::nullopt;
  return std::move(*table);
}

static std::optional<StrideTable> getTable(ContractOp op,
                                           const VersionSize &size) {
  int64_t results = 0, contracted = 0; // dynamic iterators
  double terms = size.terms;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents())) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (!op.isContracted(i))
      results += isDynamic && !(size.narrow && size.narrow->first == i);
    else if (isDynamic)
      ++contracted;
    else
      terms /= double(std::max<int64_t>(extent, 1));
  }
  NominalExtents nominal(getExtent(size.results, results),
                         getExtent(terms, contracted));
  nominal.single = size.narrow;
  return findSizedTable(op, nominal);
}

static Workload getWork(ContractOp op, const VersionSize &size,
                        const StrideTable &sized) {
  Workload work = getWorkload(op, sized);
  if (size.narrow)
    work.scalar[size.narrow->first] = true;
  return work;
}

std::optional<Workload> mlir::tc::getSizedWork(ContractOp op,
                                               const VersionSize &size) {
  std::optional<StrideTable> table = getTable(op, size);
  return table ? std::optional(getWork(op, size, *table)) : std::nullopt;
}

double mlir::tc::countStaticResults(ContractOp op) {
  double results = 1;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (!op.isContracted(i) && !ShapedType::isDynamic(extent))
      results *= double(std::max<int64_t>(extent, 1));
  return results;
}

/// Blocks that `plan` has for results of `work`.
static int64_t countTiles(const Workload &work, const TilePlan &plan) {
  int64_t tiles = 1;
  for (unsigned i : work.getResults())
    tiles *= llvm::divideCeil(work.extents[i], plan.getBlock(i));
  return tiles;
}

/// The schedule of `plan`, which was searched for the strides of `sized`, for
/// extents of all sizes.
static ScheduleAttr getVersionSchedule(ContractOp op, const StrideTable &judged,
                                       const TilePlan &plan,
                                       const StrideTable &sized) {
  ScheduleAttr schedule = getSchedule(op, plan);
  auto ofSize = completeStaging(op, sized, schedule);
  schedule =
      completeStaging(op, getVersionAccess(op, judged, schedule), schedule);
  SmallVector<StagingAttr> staging(schedule.getStaging());
  for (auto [input, own] : llvm::zip_equal(staging, ofSize.getStaging()))
    if (own.isInPlace())
      input = own;
  return schedule.withStaging(staging);
}

ScheduleAttr mlir::tc::searchVersion(ContractOp op, const StrideTable &judged,
                                     const VersionSize &size,
                                     MachineAttr machine) {
  std::optional<StrideTable> table = getTable(op, size);
  if (!table)
    return {};
  Workload work = getWork(op, size, *table);
  // Strides of this size decide what is read in place.
  for (Access &input : table->inputs)
    input.strides = input.nominal;
  SearchRules rules;
  rules.work = &work;
  if (size.narrow)
    rules.mayBeSplit = rules.mayFold = false;
  auto found = searchPlans(op, *table, machine, 1, rules);
  auto isDivided = [](int64_t parts) { return parts > 1; };
  if (found.empty() || llvm::count_if(found.front().plan.split, isDivided) > 1)
    return {};
  TilePlan &plan = found.front().plan;
  // Extents are powers of two more often than multiples of multiprocessors.
  if (auto *parts = llvm::find_if(plan.split, isDivided);
      parts != plan.split.end())
    *parts =
        int64_t(llvm::bit_floor(uint64_t(*parts * countTiles(work, plan))));
  ScheduleAttr schedule = getVersionSchedule(op, judged, plan, *table);
  StrideTable access = getVersionAccess(op, judged, schedule);
  if (findScheduleProblem(op, access, schedule, machine))
    return {};
  return schedule;
}

double mlir::tc::predictVersion(ContractOp op, const Workload &work,
                                ScheduleAttr schedule, MachineAttr machine) {
  TilePlan plan = getPlan(op, schedule);
  // Kernels have vectors where all are whole, or none.
  if (llvm::any_of(llvm::seq(work.getNumIterators()), [&](unsigned i) {
        return work.scalar[i] && work.extents[i] % plan.vector[i] != 0;
      }))
    for (auto [reg, vector] : llvm::zip_equal(plan.reg, plan.vector))
      reg *= std::exchange(vector, 1);
  if (!isSplit(schedule))
    return predictCost(work, plan, getRates(machine)).score;
  int64_t tiles = countTiles(work, plan);
  for (int64_t &parts : plan.split)
    parts = parts == 1 ? 1 : llvm::divideCeil(parts, tiles);
  return predictSplitCost(op, work, plan, machine).score;
}

/// Do the conditions of `version` hold for a contraction of this size?
static bool isFor(ContractOp op, const Workload &work, VersionAttr version) {
  double results = 1, terms = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i])
      terms *= double(work.extents[i]);
    else if (work.dynamic[i] && !version.isNarrow(op.getIterator(i)))
      results *= double(work.extents[i]);
  return results < double(version.getBelow()) &&
         results >= double(version.getFrom()) &&
         terms >= double(version.getTerms()) &&
         llvm::all_of(
             version.getMost(),
             [&](const Factor &most) {
               return work.extents[*op.findIterator(
                          most.iterator.getValue())] <= most.value;
             });
}

double mlir::tc::predictChosen(ContractOp op, const Workload &work,
                               const ScheduleChoice &choice,
                               MachineAttr machine) {
  ScheduleAttr schedule = choice.schedules.front();
  auto *version = llvm::find_if(choice.versions, [&](VersionAttr version) {
    return isFor(op, work, version);
  });
  if (version != choice.versions.end())
    schedule = (*version).getSchedule();
  return predictVersion(op, work, schedule, machine);
}
