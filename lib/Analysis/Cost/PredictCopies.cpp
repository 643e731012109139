//===- PredictCopies.cpp - Instructions beside copies ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a copy reads and writes, and whether it is inside: found before the
// loop, in each step, or once for all copies of a thread (TCToGPUCopy.cpp).
//
//===----------------------------------------------------------------------===//

#include "Cost/Predictor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

// See Note [Estimates] in CostModel.cpp.
static constexpr double kSlotsPerPlace = 5, kSlotsPerCopyAhead = 1;
static constexpr double kSlotsPerDivision = 8, kSlotsPerGuard = 3;
/// Of all copies of a step; and a comparison, and what it selects.
static constexpr double kSlotsPerSharedAddress = 5, kSlotsPerSize = 2;

/// Do the copies of a step have one address, and constant distances from it?
bool Predictor::shareAddress(const InputTraffic &input) const {
  return stages > 1 && !input.isInPlace && input.hasConstantDistances &&
         machine.hasAsyncCopies();
}

/// Are all copies of a step written out, so that their places are found once?
bool Predictor::areWrittenOut(const InputTraffic &input) const {
  return !input.isInPlace && (stages > 1 || traffic.steps == 1) &&
         (input.team.countRounds() <= kMostCopyRounds || shareAddress(input));
}

/// The dimensions of a tile but the outermost.
static ArrayRef<TileDim> getInner(const InputTraffic &input) {
  return ArrayRef(input.dims).drop_front(input.dims.empty() ? 0 : 1);
}

/// Instructions to find the place of one copy in its tile. Where the sizes of a
/// dimension and of all faster ones are powers of two, its index is bits of the
/// number of the copy, which are free.
double Predictor::countPlaceSlots(const InputTraffic &input) const {
  double slots = kSlotsPerPlace;
  bool areBits = llvm::isPowerOf2_64(traffic.threads);
  for (const TileDim &dim : llvm::reverse(getInner(input))) {
    areBits &= llvm::isPowerOf2_64(dim.size);
    slots += areBits ? 0 : kSlotsPerDivision;
  }
  return slots;
}

/// Instructions of a thread beside its copies of a step where these share an
/// address: to find it, and how many bytes each copies, none where it is
/// outside. Along terms that is found in each step, once for each place along
/// them; along results it is known before the first step, and joined to the
/// other.
double Predictor::countSharedSlots(const InputTraffic &input) const {
  double slots = kSlotsPerSharedAddress, outside = 0;
  bool termsStickOut = false;
  for (auto [d, dim] : llvm::enumerate(input.dims)) {
    int64_t rest = work.extents[dim.iterator] % dim.size;
    if (rest == 0)
      continue;
    if (work.contracted[dim.iterator]) {
      slots += kSlotsPerSize * double(input.team.countRounds(d));
      termsStickOut = true;
    } else {
      outside += 1 - double(rest) / double(dim.size);
    }
  }
  if (termsStickOut)
    slots += std::min(outside, 1.0) * double(input.team.countRounds());
  return slots;
}

/// Instructions beside one copy, in each step: its place, and whether it is
/// inside.
double Predictor::countIndexSlots(const InputTraffic &input) const {
  if (shareAddress(input))
    return countSharedSlots(input) / double(input.team.countRounds());
  double slots =
      areWrittenOut(input) ? kSlotsPerCopyAhead : countPlaceSlots(input);
  for (const TileDim &dim : input.dims)
    slots += work.extents[dim.iterator] % dim.size == 0 ? 0 : kSlotsPerGuard;
  return slots;
}

/// Instructions of a warp before the first step, for the places of copies that
/// are written out: of the first, where the others share its address.
double Predictor::countSetupSlots(const InputTraffic &input) const {
  if (!areWrittenOut(input))
    return 0;
  double copies = input.fill.requests / double(traffic.warps);
  return (shareAddress(input) ? std::min(copies, 1.0) : copies) *
         countPlaceSlots(input);
}
