//===- Staging.cpp - How inputs get to the threads of a block -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Staging.h"

#include "Saturating.h"

#include "tc/Analysis/Tiles.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Elements that one access copies of a tile with `dims`, which a lane reads
/// `chunk` at a time: as many where they are neighbours in the input, too.
static int64_t getCopiedChunk(const Access &access, const TilePlan &plan,
                              ArrayRef<TileDim> dims, int64_t chunk) {
  if (chunk == 1 || !mayCopyTogether(plan, access.bytes, chunk) ||
      dims.back().inputStride != 1)
    return 1;
  bool areAligned = llvm::all_of(dims.drop_back(), [&](const TileDim &dim) {
    return ShapedType::isDynamic(dim.inputStride) ||
           dim.inputStride % chunk == 0;
  });
  return areAligned ? chunk : 1;
}

/// Is the input best read where it lies? Tensor instructions take copies.
static bool isBestInPlace(ScheduleAttr schedule, ArrayRef<TileDim> dims,
                          int64_t bytes) {
  return !schedule.getUnit() &&
         isReadInPlace(dims, bytes, schedule.getNumThreads());
}

static StagingAttr chooseStaging(ContractOp op, const Access &access,
                                 ScheduleAttr schedule) {
  SmallVector<TileDim> dims = getTileDims(op, schedule, access);
  int64_t bytes = access.bytes, threads = schedule.getNumThreads();
  if (isBestInPlace(schedule, dims, bytes))
    return StagingAttr::getInPlace(op.getContext());
  StageTile tile = getStageTile(dims, bytes, threads);
  SmallVector<Factor> strides;
  for (auto [dim, stride] : llvm::zip_equal(dims, tile.strides))
    strides.push_back(
        {StringAttr::get(op.getContext(), op.getIterator(dim.iterator)),
         stride});
  return StagingAttr::get(
      op.getContext(), strides,
      getCopiedChunk(access, getPlan(op, schedule), dims, tile.chunk));
}

ScheduleAttr mlir::tc::completeStaging(ContractOp op, const StrideTable &access,
                                       ScheduleAttr schedule) {
  if (!schedule.getStaging().empty() || access.inputs.empty())
    return schedule;
  SmallVector<StagingAttr> staging;
  for (const Access &input : access.inputs)
    staging.push_back(chooseStaging(op, input, schedule));
  return schedule.withStaging(staging);
}

/// The dimensions of the tile of an input in the order of `staging`; nothing
/// where that has others. Those of one iterator keep their order.
static std::optional<SmallVector<TileDim>> sortDims(ContractOp op,
                                                    const Access &access,
                                                    ScheduleAttr schedule,
                                                    StagingAttr staging) {
  SmallVector<TileDim> left = getTileDims(op, schedule, access), sorted;
  for (const Factor &dim : staging.getStrides()) {
    auto *found = llvm::find_if(left, [&](const TileDim &other) {
      return op.getIterator(other.iterator) == dim.iterator.getValue();
    });
    if (found == left.end())
      return std::nullopt;
    sorted.push_back(*found);
    left.erase(found);
  }
  return left.empty() ? std::optional(sorted) : std::nullopt;
}

int64_t mlir::tc::countStagedBytes(ContractOp op, unsigned k,
                                   const Access &access,
                                   ScheduleAttr schedule) {
  int64_t bytes = access.bytes, threads = schedule.getNumThreads();
  if (!schedule.getStaging().empty()) {
    StagingAttr staging = schedule.getStaging()[k];
    if (staging.isInPlace())
      return 0;
    if (staging.getStrides().empty())
      return bytes;
    auto dims = sortDims(op, access, schedule, staging);
    return multiply(bytes, multiply(staging.getStrides().front().value,
                                    dims->front().size));
  }
  SmallVector<TileDim> dims = getTileDims(op, schedule, access);
  if (isBestInPlace(schedule, dims, bytes))
    return 0;
  int64_t dense = multiply(bytes, countElements(dims));
  // Padding is only worth computing for tiles that could fit at all.
  return dense < (int64_t(1) << 24)
             ? bytes * getStageTile(dims, bytes, threads).elements
             : dense;
}

static std::string describeDims(ContractOp op, ArrayRef<TileDim> dims) {
  auto names = llvm::map_range(
      dims, [&](const TileDim &dim) { return op.getIterator(dim.iterator); });
  return "[" + llvm::join(names, ", ") + "]";
}

static std::optional<std::string> findProblem(ContractOp op, unsigned k,
                                              const Access &access,
                                              ScheduleAttr schedule) {
  StagingAttr staging = schedule.getStaging()[k];
  if (staging.isInPlace())
    return std::nullopt;
  auto dims = sortDims(op, access, schedule, staging);
  std::string name = "stage of input " + std::to_string(k);
  if (!dims)
    return "expected the " + name + " to have the dimensions " +
           describeDims(op, getTileDims(op, schedule, access)) +
           " of its tile, in any order";
  int64_t least = 1;
  for (auto [dim, given] :
       llvm::reverse(llvm::zip_equal(*dims, staging.getStrides()))) {
    if (given.value < least)
      return "expected a stride of at least " + std::to_string(least) +
             " for '" + given.iterator.getValue().str() + "' in the " + name +
             ", got " + std::to_string(given.value);
    least = multiply(given.value, dim.size);
  }
  int64_t chunk = staging.getChunk();
  bool isRow = !dims->empty() && staging.getStrides().back().value == 1 &&
               dims->back().inputStride == 1 && dims->back().size == chunk;
  if (chunk > 1 && !mayCopyTogether(getPlan(op, schedule), access.bytes, chunk))
    return "expected the " + name + " to be copied by 1 element of " +
           std::to_string(8 * access.bytes) + " bits with kernel fma, got by " +
           std::to_string(chunk);
  if (chunk > 1 && !isRow)
    return "expected the " + name +
           " to be copied by 1, or by its last "
           "dimension where that has stride 1 in both memories, got " +
           std::to_string(chunk);
  return std::nullopt;
}

std::optional<std::string>
mlir::tc::findStagingProblem(ContractOp op, const StrideTable &access,
                             ScheduleAttr schedule) {
  size_t given = schedule.getStaging().size();
  if (given == 0)
    return std::nullopt;
  if (given != access.inputs.size())
    return "expected a stage for each of " +
           std::to_string(access.inputs.size()) + " inputs, got " +
           std::to_string(given);
  for (auto [k, input] : llvm::enumerate(access.inputs))
    if (auto problem = findProblem(op, k, input, schedule))
      return problem;
  return std::nullopt;
}
