//===- Ranges.h - Index spaces with their bounds --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_VALUES_RANGES_H
#define TC_LIB_REFERENCE_VALUES_RANGES_H

#include "State.h"

#include "tc/IR/TC.h"

namespace mlir::tc::reference {

/// One dimension of an index space (tc/Algebra/IndexSpace.h).
struct Range {
  int64_t lower = 0, upper = 0, step = 1, width = 1;

  bool operator==(const Range &other) const {
    return std::tie(lower, upper, step, width) ==
           std::tie(other.lower, other.upper, other.step, other.width);
  }
  /// The index behind `i`, or upper.
  int64_t after(int64_t i) const {
    ++i;
    int64_t over = (i - lower) % step;
    return over < width ? i : i + (step - over);
  }
};

using Ranges = SmallVector<Range, 4>;

/// The index space of an op of tc. Fails where a step or width of the run is
/// none.
template <typename NestOp>
llvm::Expected<Ranges> getRangesOf(NestOp op, State &state) {
  SpaceBounds bounds = op.getBounds();
  Ranges ranges;
  for (auto [lower, upper, step, width] : llvm::zip_equal(
           state.integersOf(bounds.lower), state.integersOf(bounds.upper),
           state.integersOf(bounds.step), state.integersOf(bounds.width))) {
    if (step < 1)
      return llvm::createStringError("expected steps of at least 1, got %lld",
                                     (long long)step);
    if (width < 1 || width > step)
      return llvm::createStringError(
          "expected widths from 1 to the step %lld, got %lld", (long long)step,
          (long long)width);
    ranges.push_back({lower, upper, step, width});
  }
  return ranges;
}

/// Calls `visit` for every index of the space, in lexicographic order, which is
/// put into these places of `state`. Iterations of `loop` must not conflict if
/// that is checked, unless it is null: those run in order. Fails where there
/// are more of them than anyone waits for.
llvm::Error forEachIndex(Operation *loop, ArrayRef<Range> ranges,
                         ArrayRef<unsigned> places, State &state,
                         llvm::function_ref<llvm::Error()> visit);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VALUES_RANGES_H
