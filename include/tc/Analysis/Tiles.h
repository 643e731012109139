//===- Tiles.h - What a schedule means for a contraction --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles a #tc.schedule asks for, computed in one place: the pass that
// checks a schedule and the passes that carry it out read the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TILES_H
#define TC_ANALYSIS_TILES_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// The shared-memory tile of one input.
struct StageTile {
  /// The iterators of the input's dimensions, outermost first, by name.
  SmallVector<StringRef> iterators;
  /// Elements staged along each, and their strides with padding, in elements.
  SmallVector<int64_t> sizes, strides;
  /// Elements to reserve.
  int64_t elements = 0;
};

/// The tile of an input whose dimensions are `iterators`, under `schedule`:
/// row-major, padded by the rule of the thesis (section 4.4, equations 19-23)
/// when the iterator of the fastest threads is not the last dimension.
StageTile getStageTile(ScheduleAttr schedule, ArrayRef<StringRef> iterators,
                       MLIRContext *context);

/// The dimensions of an input's block tile: the iterators it varies with and
/// that the schedule tiles by more than one, in the order they lie in memory,
/// largest stride first. `access` is the input's.
SmallVector<unsigned> getTileOrder(ContractOp op, ScheduleAttr schedule,
                                   const Access &access);

/// Factor of iterator `i` in a block tile: its block, or its step when it is
/// contracted.
int64_t getTileFactor(ContractOp op, ScheduleAttr schedule, unsigned i);

} // namespace mlir::tc

#endif // TC_ANALYSIS_TILES_H
