//===- NarrowVersions.cpp - Matrices of few rows or columns ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Narrow extents] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Versions/NarrowVersions.h"

#include "Versions/VersionPlan.h"
#include "Versions/VersionSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// The most that a narrow extent is.
static constexpr int64_t kNarrow = 8;
/// What plans are searched for: results along other iterators, and terms.
static constexpr double kResults = 1 << 12, kTerms = 1 << 12;
/// The fewest of both, and the most, that are asked for.
static constexpr double kFewest = 1 << 5, kMost = 1 << 18;
/// Time of what is there over that of the version, which is worth a kernel.
static constexpr double kLeastGain = 1.2;
/// Narrow extents at which times are compared, by their geometric mean: vectors
/// of other versions are whole for one, and not for the other.
static constexpr int64_t kCompared[] = {1, kNarrow};

namespace {
class NarrowVersions {
public:
  NarrowVersions(ContractOp op, const StrideTable &judged,
                 const ScheduleChoice &choice, MachineAttr machine)
      : op(op), judged(judged), choice(choice), machine(machine) {}

  SmallVector<VersionAttr> run();

private:
  bool mayBeNarrow(unsigned i) const;
  /// Is `schedule` better than what is there for so many results and terms,
  /// with iterator `i` narrow?
  bool isBetter(ScheduleAttr schedule, unsigned i, double results,
                double terms);
  VersionAttr findVersion(unsigned i);

  ContractOp op;
  const StrideTable &judged;
  const ScheduleChoice &choice;
  MachineAttr machine;
};
} // namespace

/// Dynamic, with nothing said of its size, and along rows or columns only: what
/// all inputs vary with is a batch, and tiles need none of it.
bool NarrowVersions::mayBeNarrow(unsigned i) const {
  return !judged.contracted[i] && ShapedType::isDynamic(judged.extents[i]) &&
         !findNominalExtent(judged.extentValues[i]) &&
         !llvm::all_of(judged.inputs, [&](const Access &input) {
           return input.variesWith(i);
         });
}

bool NarrowVersions::isBetter(ScheduleAttr schedule, unsigned i, double results,
                              double terms) {
  double gain = 1;
  for (int64_t narrow : kCompared) {
    auto work = getSizedWork(op, {results, terms, std::pair(i, narrow)});
    if (!work)
      return false;
    gain *= predictChosen(op, *work, choice, machine) /
            predictVersion(op, *work, schedule, machine);
  }
  return gain > std::pow(kLeastGain, std::size(kCompared));
}

/// How far from `size` on `holds`, in steps of `factor`.
static double findLast(double size, double factor,
                       function_ref<bool(double)> holds) {
  for (double next = size * factor;
       next >= kFewest && next <= kMost && holds(next); next *= factor)
    size = next;
  return size;
}

/// The version for where `i` is narrow; null where that is not worth having.
VersionAttr NarrowVersions::findVersion(unsigned i) {
  ScheduleAttr schedule = searchVersion(
      op, judged, {kResults, kTerms, std::pair(i, kNarrow)}, machine);
  if (!schedule || !isBetter(schedule, i, kResults, kTerms))
    return {};
  auto isBetterFor = [&](double results) {
    return isBetter(schedule, i, results, kTerms);
  };
  double fewest = findLast(kResults, 0.5, isBetterFor);
  double most = findLast(kResults, 2, isBetterFor);
  double terms = findLast(kTerms, 0.5, [&](double terms) {
    return isBetter(schedule, i, kResults, terms);
  });
  int64_t below = most < kMost ? getBound(most, 2 * most)
                               : std::numeric_limits<int64_t>::max();
  Factor narrow = {StringAttr::get(op.getContext(), op.getIterator(i)),
                   kNarrow};
  bool isSumDynamic = llvm::any_of(
      llvm::zip_equal(judged.extents, judged.contracted), [](auto pair) {
        return ShapedType::isDynamic(std::get<0>(pair)) && std::get<1>(pair);
      });
  return VersionAttr::get(op.getContext(), below, int64_t(fewest),
                          isSumDynamic ? int64_t(terms) : 0, narrow, schedule);
}

SmallVector<VersionAttr> NarrowVersions::run() {
  SmallVector<VersionAttr> versions;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (VersionAttr version = mayBeNarrow(i) ? findVersion(i) : VersionAttr())
      versions.push_back(version);
  return versions;
}

SmallVector<VersionAttr>
mlir::tc::searchNarrowVersions(ContractOp op, const StrideTable &judged,
                               const ScheduleChoice &choice,
                               MachineAttr machine) {
  // Of a single dynamic extent other versions know whether it is small.
  int64_t dynamic = 0;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    dynamic += !op.isContracted(i) && ShapedType::isDynamic(extent);
  if (dynamic < 2)
    return {};
  return NarrowVersions(op, judged, choice, machine).run();
}

// Note [Narrow extents]
// ~~~~~~~~~~~~~~~~~~~~~
// Other versions go by the number of results, and have about square tiles: of
// 4096 x 8 results they compute twice as many, and of 4096 x 1 sixteen times,
// with single loads, since vectors along rows are not whole. A tile that is 8
// long, and has its vectors along other iterators, takes as long as it takes to
// read the large input, for 8 columns as for one: 17 us where it was 46 (4096
// terms in f32 on sm_90a, counted).
