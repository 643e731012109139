//===- Split.cpp - The contracted space divided over blocks ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Split.h"

#include "Saturating.h"

#include "tc/IR/Scalars.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Results or terms that can be addressed, whatever their type.
static constexpr int64_t kMostPlaces = int64_t(1) << 56;

bool mlir::tc::isSplit(ScheduleAttr schedule) {
  return llvm::any_of(schedule.getSplit(),
                      [](const Factor &factor) { return factor.value > 1; });
}

PartExtents mlir::tc::getPartExtents(int64_t extent, int64_t parts,
                                     int64_t step) {
  if (ShapedType::isDynamic(extent))
    return {extent, extent};
  int64_t part = extent % parts == 0 ? extent / parts
                                     : extent / multiply(parts, step) * step;
  return {part, extent - part * parts};
}

StrideTable mlir::tc::getPartAccess(ContractOp op, const StrideTable &access,
                                    ScheduleAttr schedule) {
  StrideTable part = access;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t parts = schedule.getSplit(name), step = schedule.getStep(name);
    if (parts == 1)
      continue;
    part.extents[i] = getPartExtents(access.extents[i], parts, step).part;
    part.nominalExtents[i] =
        getPartExtents(access.nominalExtents[i], parts, step).part;
  }
  return part;
}

std::optional<std::string>
mlir::tc::findVersionSplitProblem(ContractOp op, VersionAttr version) {
  ArrayRef<Factor> split = version.getSchedule().getSplit();
  if (split.empty())
    return std::nullopt;
  if (split.size() > 1)
    return "expected one iterator that is split in a version, got " +
           std::to_string(split.size());
  int64_t results = version.getBelow();
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (!op.isContracted(i) && !ShapedType::isDynamic(extent) &&
        !version.isNarrow(op.getIterator(i)))
      results = multiply(results, extent);
  for (const Factor &most : version.getMost())
    results = multiply(results, most.value);
  int64_t parts = split.front().value;
  if (multiply(results, parts) < kMostPartResults)
    return std::nullopt;
  return ("expected less than " + Twine(kMostPartResults) +
          " results of parts in a version, got " + Twine(parts) +
          " parts of up to " + Twine(results) + " results")
      .str();
}

StrideTable mlir::tc::getVersionAccess(ContractOp op, StrideTable access,
                                       ScheduleAttr schedule) {
  for (const Factor &factor : schedule.getSplit())
    if (factor.value > 1)
      access.extents[*op.findIterator(factor.iterator.getValue())] =
          ShapedType::kDynamic;
  return access;
}

/// Is `i` the contracted iterator that all others vary within?
static bool isOutermost(ContractOp op, unsigned i) {
  return llvm::none_of(llvm::seq(0u, i),
                       [&](unsigned other) { return op.isContracted(other); });
}

/// What is left over is the term of a tc.sum, whose terms but the last have no
/// epilogue, and but the first add to what is there.
static bool canBeSummed(ContractOp op) {
  SmallVector<Type> accumulators = op.getAccumulatorTypes();
  Type element = op.getElementType();
  return op.mayReorder() && op.getOutputs().size() == 1 &&
         accumulators.size() == 1 &&
         canConvert(accumulators.front(), element) &&
         canConvert(element, accumulators.front());
}

std::optional<std::string> mlir::tc::findSplitProblem(ContractOp op,
                                                      const StrideTable &access,
                                                      ScheduleAttr schedule) {
  for (const Factor &factor : schedule.getSplit()) {
    StringRef name = factor.iterator.getValue();
    unsigned i = *op.findIterator(name);
    int64_t parts = factor.value, extent = access.extents[i];
    if (parts == 1)
      continue;
    if (!op.mayRegroup() || (!op.mayReorder() && !isOutermost(op, i)))
      return ("expected no split of '" + name +
              "', since terms are to be combined in order; got " + Twine(parts))
          .str();
    if (!ShapedType::isDynamic(extent) &&
        getPartExtents(extent, parts, schedule.getStep(name)).part == 0)
      return ("expected as many steps of '" + name + "' as parts, " +
              Twine(parts) + ", got an extent of " + Twine(extent) +
              " and a step of " + Twine(schedule.getStep(name)))
          .str();
  }
  int64_t places = 1;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (int64_t extent = access.extents[i];
        !op.isContracted(i) && !ShapedType::isDynamic(extent))
      places = multiply(places, extent);
  for (const Factor &factor : schedule.getSplit()) {
    places = multiply(places, factor.value);
    int64_t step = schedule.getStep(factor.iterator.getValue());
    if (multiply(factor.value, step) > kMostPlaces)
      return ("expected at most " + Twine(kMostPlaces) +
              " terms in a step of all parts, got " + Twine(factor.value) +
              " times " + Twine(step))
          .str();
  }
  if (places > kMostPlaces)
    return ("expected at most " + Twine(kMostPlaces) +
            " results of parts, got " + Twine(places))
        .str();
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t parts = schedule.getSplit(name), step = schedule.getStep(name);
    if (parts > 1 && !canBeSummed(op) &&
        getPartExtents(access.extents[i], parts, step).rest != 0)
      return ("expected the parts of '" + name +
              "' to divide its extent, since what is left over could not be "
              "combined in any order into one accumulator; got " +
              Twine(parts))
          .str();
  }
  return std::nullopt;
}
