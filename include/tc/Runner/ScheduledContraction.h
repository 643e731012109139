//===- ScheduledContraction.h - What was decided, as plain data -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction in normal form with its schedule, for people to look at after
// later passes have lowered it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_SCHEDULEDCONTRACTION_H
#define TC_RUNNER_SCHEDULEDCONTRACTION_H

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/Tiles.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tc {

/// How an input gets to the threads of a block.
struct StagedInput {
  SmallVector<TileDim> dims; ///< of its tile, outermost first
  /// Of a copy in shared memory: the stride of each dimension, and elements
  /// that a thread copies together. Empty and 0 where it is read in place.
  SmallVector<int64_t> strides;
  int64_t chunk = 0;
  bool isInPlace() const { return chunk == 0; }
};

/// A schedule that the search ranks high.
struct RankedSchedule {
  std::string schedule;
  KernelCost cost;       ///< predicted
  bool isChosen = false; ///< is it the one that was carried out?
};

struct ScheduledContraction {
  StrideTable access; ///< without values
  Workload work;      ///< dynamic extents are nominal
  TilePlan plan{0};
  /// Names and values of the `#tc.schedule`, in its order.
  std::vector<std::pair<std::string, std::string>> keys;
  SmallVector<StagedInput> inputs;
  /// Predicted; by nominal extents where some are dynamic. Nothing where the
  /// model does not cover it.
  std::optional<KernelCost> cost;
  /// Best first; none with dynamic extents, whose versions share the work.
  std::vector<RankedSchedule> ranked;
  bool isOfSum = false; ///< one of several that a kernel adds up

  bool isNominal() const { return llvm::is_contained(work.dynamic, true); }
};

/// `op` is in normal form and has a schedule; `access` is its table. The best
/// schedules are searched again, as for one that has none.
ScheduledContraction describe(ContractOp op, const StrideTable &access,
                              MachineAttr machine, bool isOfSum);

} // namespace mlir::tc

#endif // TC_RUNNER_SCHEDULEDCONTRACTION_H
