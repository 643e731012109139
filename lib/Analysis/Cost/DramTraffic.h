//===- DramTraffic.h - What L2 keeps from memory ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_COST_DRAMTRAFFIC_H
#define TC_LIB_ANALYSIS_COST_DRAMTRAFFIC_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

namespace mlir::tc {

struct DramTraffic {
  double readBytes = 0, writtenBytes = 0;
};

/// What moves between L2, which holds `l2Bytes`, and memory, where `running`
/// blocks run at a time. Predicted as the emulator estimates it, by what blocks
/// share (LaunchCounts::estimateDramBytes).
DramTraffic countDramTraffic(const Workload &work, const TilePlan &plan,
                             double running, double l2Bytes);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_DRAMTRAFFIC_H
