//===- Staging.h - How inputs get to the threads of a block -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_STAGING_H
#define TC_ANALYSIS_STAGING_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// `schedule` with what it says of staging, or else with what serves its tiles
/// best: in place where a copy would only cost time (isReadInPlace), and else
/// the layout of fewest wavefronts (getStageTile), copied in whole accesses
/// where elements are neighbours in both memories.
ScheduleAttr completeStaging(ContractOp op, const StrideTable &access,
                             ScheduleAttr schedule);

/// Bytes of the tile of input `k`, 0 where it is read in place.
int64_t countStagedBytes(ContractOp op, unsigned k, const Access &access,
                         ScheduleAttr schedule);

/// What is wrong with the staging that `schedule` gives, if it gives one: the
/// dimensions are others than those of the tiles, or two elements of one would
/// lie in one place.
std::optional<std::string> findStagingProblem(ContractOp op,
                                              const StrideTable &access,
                                              ScheduleAttr schedule);

/// What a tile of an input is filled with where it sticks out of its array, so
/// that whoever reads it needs no guard. Along contracted iterators that must
/// not change the result; see Note [Fill values] in Pads.cpp.
struct Pads {
  /// One value per input, of its element type.
  SmallVector<TypedAttr> values;
  /// Per iterator: do the values make points beyond its extent harmless? True
  /// for result iterators, whose results beyond the extent are not stored.
  SmallVector<bool> covers;
};

/// The fill values that cover the most contracted iterators of `op`.
Pads findPads(ContractOp op);

} // namespace mlir::tc

#endif // TC_ANALYSIS_STAGING_H
