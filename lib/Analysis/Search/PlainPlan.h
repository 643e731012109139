//===- PlainPlan.h - A plan without a search --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that are only roughly predicted, and for those that nothing else
// fits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_PLAINPLAN_H
#define TC_LIB_ANALYSIS_SEARCH_PLAINPLAN_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

namespace mlir::tc {

/// Threads of a block, and terms of a step, where nothing says how many.
inline constexpr int64_t kPlainThreads = 256, kPlainTerms = 8;

/// One result for each thread, of `threads` at most, along the smallest strides
/// of the result; `terms` of each sum in a step, at most.
TilePlan getPlainPlan(const Workload &work, int64_t threads, int64_t terms);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_PLAINPLAN_H
