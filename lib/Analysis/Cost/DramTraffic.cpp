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

/// The blocks of a launch, the fastest axis first.
class Grid {
public:
  Grid(const Workload &work, const TilePlan &plan) : work(work) {
    for (bool areParts : {false, true})
      for (unsigned i = work.getNumIterators(); i-- > 0;)
        if (!work.contracted[i] && work.isApart(i) == areParts)
          axes.push_back(
              {i, std::max(double(work.extents[i]) / double(plan.getBlock(i)),
                           1.0)});
  }
  double count() const {
    double blocks = 1;
    for (const GridAxis &axis : axes)
      blocks *= axis.blocks;
    return blocks;
  }
  double countBytes(const Access &array) const {
    return work.countElements(array) * double(array.bytes);
  }
  /// Bytes of `array` that `blocks` consecutive blocks touch.
  double getTouched(const Access &array, double blocks) const {
    double bytes = countBytes(array);
    for (const GridAxis &axis : axes) {
      if (array.variesWith(axis.iterator))
        bytes *= std::clamp(blocks, 1.0, axis.blocks) / axis.blocks;
      blocks /= axis.blocks;
    }
    return bytes;
  }
  /// Bytes of `array` to move where the same is moved once to `running`
  /// consecutive blocks, and to all along an axis that L2 keeps it for.
  double getMoved(const Access &array, double running,
                  ArrayRef<bool> kept) const {
    double bytes = countBytes(array);
    for (auto [axis, isKept] : llvm::zip_equal(axes, kept)) {
      if (!array.variesWith(axis.iterator) && !isKept)
        bytes *= axis.blocks / std::clamp(running, 1.0, axis.blocks);
      running /= axis.blocks;
    }
    return bytes;
  }

  SmallVector<GridAxis, 8> axes;

private:
  const Workload &work;
};
} // namespace

DramTraffic mlir::tc::countDramTraffic(const Workload &work,
                                       const TilePlan &plan, double running,
                                       double l2Bytes) {
  Grid grid(work, plan);
  double all = grid.count(), stride = 1;
  running = std::min(running, all);
  auto read = llvm::concat<const Access>(work.inputs, work.readBack);
  SmallVector<bool, 8> kept;
  for (const GridAxis &axis : grid.axes) {
    double blocks = std::min(running + stride, all), footprint = 0;
    for (const Access &array : read)
      footprint += grid.getTouched(array, blocks);
    for (const Access &array : work.stored)
      footprint += work.readBack.empty() ? grid.getTouched(array, blocks) : 0;
    kept.push_back(footprint <= l2Bytes);
    stride *= axis.blocks;
  }
  DramTraffic traffic;
  for (const Access &array : read)
    traffic.readBytes += grid.getMoved(array, running, kept);
  for (const Access &array : work.stored)
    traffic.writtenBytes += grid.getMoved(array, running, kept);
  return traffic;
}
