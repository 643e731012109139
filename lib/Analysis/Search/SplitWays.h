//===- SplitWays.h - Ways to divide a sum into parts ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which contracted iterators are divided, and by how much. Tiles are no matter
// here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_SPLITWAYS_H
#define TC_LIB_ANALYSIS_SEARCH_SPLITWAYS_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"
#include "tc/Target/Machine.h"

namespace mlir::tc {

/// Parts of all iterators together.
int64_t countParts(ArrayRef<int64_t> split);

/// Ways to divide the sum, by a rising number of parts: up to as many as give
/// each multiprocessor several blocks, none of which is too short to be worth
/// it. Parts are equal, and whole sectors or halves of them, where extents
/// allow; else what is left over is a rest.
SmallVector<PerIterator> enumerateSplits(const Workload &work,
                                         const Machine &machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_SPLITWAYS_H
