//===- Ranges.cpp - Index spaces with their bounds ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values/Ranges.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace mlir::tc::reference {

static Error forEachIndex(ArrayRef<Range> ranges,
                          function_ref<Error(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t, 4> index;
  for (const Range &range : ranges) {
    if (range.lower >= range.upper)
      return Error::success();
    index.push_back(range.lower);
  }
  while (true) {
    if (Error error = visit(index))
      return error;
    size_t dim = ranges.size();
    while (dim != 0) {
      const Range &range = ranges[--dim];
      index[dim] = range.after(index[dim]);
      if (index[dim] < range.upper)
        break;
      if (dim == 0)
        return Error::success();
      index[dim] = range.lower;
    }
    if (ranges.empty())
      return Error::success();
  }
}

/// More than this takes days, and all memory for the records of what iterations
/// access long before.
static constexpr double kMostIterations = int64_t(1) << 40;

static Error checkCount(ArrayRef<Range> ranges) {
  double count = 1;
  for (const Range &range : ranges) {
    double extent = double(range.upper) - double(range.lower);
    count *= std::max(std::min(extent, std::ceil(extent / double(range.step)) *
                                           double(range.width)),
                      0.0);
  }
  if (count <= kMostIterations)
    return Error::success();
  return createStringError("expected at most %.0f iterations of a parallel "
                           "loop, got %.0f",
                           kMostIterations, count);
}

Error forEachIndex(Operation *loop, ArrayRef<Range> ranges,
                   ArrayRef<unsigned> places, State &state,
                   function_ref<Error()> visit) {
  if (Error error = loop ? checkCount(ranges) : Error::success())
    return error;
  bool isChecked = loop && state.independence;
  if (isChecked)
    state.independence->enter(loop);
  Error error = forEachIndex(ranges, [&](ArrayRef<int64_t> index) -> Error {
    if (isChecked)
      if (Error error = state.independence->start(index))
        return error;
    for (auto [place, i] : llvm::zip_equal(places, index))
      state.scalar(place) = Scalar::ofInteger(i);
    return visit();
  });
  if (!error && isChecked)
    state.independence->leave();
  return error;
}

} // namespace mlir::tc::reference
