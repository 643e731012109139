//===- SearchSteps.h - Ways through the contracted space --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much of the contracted iterators is staged at a time, which of them have
// vectors, and how many steps copies may run ahead.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_SEARCHSTEPS_H
#define TC_LIB_ANALYSIS_SEARCH_SEARCHSTEPS_H

#include "Search/Sharing.h"

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"
#include "tc/Target/Machine.h"

#include <limits>
#include <optional>

namespace mlir::tc {

/// Neighbours along a contracted iterator that go together at most, since so
/// many steps are unrolled (LowerMicrokernel.cpp).
inline constexpr int64_t kMostUnrolled = 4;
/// Neighbours along one that tensor instructions may take together.
inline constexpr int64_t kMostFoldedVector = 8;

/// Factors of the contracted iterators, 1 for others.
struct StepChoice {
  PerIterator step, vector;
  double count = 1; ///< of steps
  /// The least of the scores of plans that it was tried in.
  double bestScore = std::numeric_limits<double>::infinity();
};

/// Different choices in a fixed order, good ones first, with vectors of up to
/// `mostVector`. Threads that share results take turns along a step: it is
/// whole rounds of them.
std::vector<StepChoice>
enumerateSteps(const Workload &work,
               const std::optional<Sharing> &sharing = std::nullopt,
               int64_t mostVector = kMostUnrolled);

/// Gives `plan` these steps, with at most `stages` of them in flight.
void setSteps(const Workload &work, const StepChoice &choice, int64_t stages,
              TilePlan &plan);

/// Buffers of each input that it may make sense to have.
int64_t getMostStages(const Workload &work, const Machine &machine,
                      bool isFolded = false);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_SEARCHSTEPS_H
