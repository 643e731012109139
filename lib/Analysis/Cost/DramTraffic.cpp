//===- DramTraffic.cpp - What L2 keeps from memory ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered along the result iterators, the last one fastest, and
// slowest along the parts of a sum, which tc-split puts first. A block
// touches its tile of each array; blocks along an iterator that an array does
// not vary with touch the same.
//
//===----------------------------------------------------------------------===//

#include "Cost/DramTraffic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Blocks along one result iterator.
struct GridAxis {
  unsigned iterator;
  double blocks; ///< all along it, the last one by its share
};

using Grid = SmallVector<GridAxis, 8>;
} // namespace

/// The blocks of a launch, the fastest axis first.
static Grid getGrid(const Workload &work, const TilePlan &plan) {
  Grid grid;
  for (bool areParts : {false, true})
    for (unsigned i = work.getNumIterators(); i-- > 0;)
      if (!work.contracted[i] && work.apart[i] == areParts)
        grid.push_back(
            {i, std::max(double(work.extents[i]) / double(plan.getBlock(i)),
                         1.0)});
  return grid;
}

static double countBytes(const Workload &work, const Access &array) {
  return work.countElements(array) * double(array.bytes);
}

/// Bytes of `array` that `blocks` consecutive blocks touch.
static double getTouched(const Workload &work, const Grid &grid,
                         const Access &array, double blocks) {
  double bytes = countBytes(work, array);
  for (const GridAxis &axis : grid) {
    if (array.variesWith(axis.iterator))
      bytes *= std::clamp(blocks, 1.0, axis.blocks) / axis.blocks;
    blocks /= axis.blocks;
  }
  return bytes;
}

/// Bytes of `array` to move where the same is moved once to `running`
/// consecutive blocks, and to all along an axis that L2 keeps it for.
static double getMoved(const Workload &work, const Grid &grid,
                       const Access &array, double running,
                       ArrayRef<bool> kept) {
  double bytes = countBytes(work, array);
  for (auto [axis, isKept] : llvm::zip_equal(grid, kept)) {
    if (!array.variesWith(axis.iterator) && !isKept)
      bytes *= axis.blocks / std::clamp(running, 1.0, axis.blocks);
    running /= axis.blocks;
  }
  return bytes;
}

DramTraffic mlir::tc::countDramTraffic(const Workload &work,
                                       const TilePlan &plan, double running,
                                       double l2Bytes) {
  Grid grid = getGrid(work, plan);
  double all = 1, stride = 1;
  for (const GridAxis &axis : grid)
    all *= axis.blocks;
  running = std::min(running, all);
  auto read = llvm::concat<const Access>(work.inputs, work.readBack);
  SmallVector<bool, 8> kept;
  for (const GridAxis &axis : grid) {
    double blocks = std::min(running + stride, all), footprint = 0;
    for (const Access &array : read)
      footprint += getTouched(work, grid, array, blocks);
    for (const Access &array : work.stored)
      if (work.readBack.empty())
        footprint += getTouched(work, grid, array, blocks);
    kept.push_back(footprint <= l2Bytes);
    stride *= axis.blocks;
  }
  DramTraffic traffic;
  for (const Access &array : work.inputs)
    traffic.readBytes +=
        work.repeats * getMoved(work, grid, array, running, kept);
  for (const Access &array : work.readBack)
    traffic.readBytes += getMoved(work, grid, array, running, kept);
  for (const Access &array : work.stored)
    traffic.writtenBytes += getMoved(work, grid, array, running, kept);
  return traffic;
}
