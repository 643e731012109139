//===- Sharing.h - Threads that gather a result together --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where terms may be reordered, threads of a block may share its results: each
// gathers a part of the terms.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_SHARING_H
#define TC_LIB_ANALYSIS_SEARCH_SHARING_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

namespace mlir::tc {

struct Sharing {
  unsigned iterator; ///< contracted
  int64_t threads;   ///< of each result
  bool isFastest;    ///< Are neighbouring lanes along `iterator`?
};

/// The longest contracted iterator.
std::optional<unsigned> findLongestSum(const Workload &work);

/// `threads` along the sum that they share best; nothing where terms have an
/// order, or there are none.
std::optional<Sharing> getSharing(const Workload &work, int64_t threads);

/// What may be worth a search, by a rising number of threads; none where terms
/// have an order, or are few.
SmallVector<Sharing> enumerateSharing(const Workload &work);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_SHARING_H
