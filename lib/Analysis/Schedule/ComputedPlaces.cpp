//===- ComputedPlaces.cpp - Results that a block computes -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Schedules.h"

#include "tc/Target/Mma.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Registers of a lane along `i` that are rows or columns of one instruction.
static int64_t countTogether(const TilePlan &plan, unsigned i,
                             ArrayRef<bool> contracted,
                             ArrayRef<Access> inputs) {
  const MmaFold &fold = *plan.mma;
  // Rows vary with the same inputs as other rows, and columns as columns.
  auto isAlike = [&](unsigned other) {
    return !contracted[other] && llvm::all_of(inputs, [&](const Access &input) {
      return input.variesWith(i) == input.variesWith(other);
    });
  };
  int64_t together =
      isAlike(fold.rows.front().iterator)      ? fold.shape->countRows()
      : isAlike(fold.columns.front().iterator) ? kMmaColumnsPerLane
                                               : 1;
  bool arePaired = plan.vector[i] % together != 0 &&
                   plan.reg[i] % together == 0 && findPair(plan, isAlike) == i;
  return arePaired ? together : 1;
}

/// With `lanes` threads of a warp along `i`, which compute by themselves.
static int64_t countByWarps(const TilePlan &plan, unsigned i, int64_t extent,
                            ArrayRef<bool> contracted, ArrayRef<Access> inputs,
                            int64_t lanes) {
  int64_t tile = plan.getBlock(i), rest = extent % tile;
  if (!plan.mma)
    return int64_t(llvm::alignTo(extent, tile));
  // A register of all threads comes before the next one.
  int64_t together = countTogether(plan, i, contracted, inputs),
          ofLanes = lanes * plan.vector[i],
          ofThreads = plan.thread[i] * plan.vector[i], computed = extent - rest;
  for (int64_t first = 0; first < rest; first += ofThreads * together)
    computed += together * std::min<int64_t>(
                               llvm::alignTo(rest - first, ofLanes), ofThreads);
  return computed;
}

int64_t mlir::tc::countComputed(const TilePlan &plan, unsigned i,
                                int64_t extent, ArrayRef<bool> contracted,
                                ArrayRef<Access> inputs) {
  return countByWarps(plan, i, extent, contracted, inputs,
                      plan.mma ? plan.mma->getLanes(i) : 1);
}

int64_t mlir::tc::countComputedTogether(const TilePlan &plan, unsigned i,
                                        int64_t extent,
                                        ArrayRef<bool> contracted,
                                        ArrayRef<Access> inputs) {
  return countByWarps(plan, i, extent, contracted, inputs, plan.thread[i]);
}
