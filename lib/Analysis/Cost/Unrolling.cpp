//===- Unrolling.cpp - How far contracted loops are unrolled --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Unrolling.h"

#include <algorithm>

/// Instructions of one pass of the innermost loop: enough to hide what a loop
/// costs beside its arithmetic, and little enough for the instruction cache.
static constexpr int64_t kMostInstructions = 640;

/// As many of `extent` steps as there is room for, without a rest where that
/// costs less than half of them.
static int64_t fitCount(int64_t extent, int64_t room) {
  int64_t most = std::clamp<int64_t>(extent, 1, std::max<int64_t>(room, 1));
  for (int64_t count = most; 2 * count > most; --count)
    if (extent % count == 0)
      return count;
  return most;
}

llvm::SmallVector<int64_t>
mlir::tc::getUnrollCounts(int64_t instructions,
                          llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<int64_t> counts(extents.size(), 1);
  int64_t room = kMostInstructions / std::max<int64_t>(instructions, 1);
  for (size_t l = extents.size(); l-- > 0;) {
    counts[l] = fitCount(extents[l], room);
    if (counts[l] < extents[l])
      break;
    room /= counts[l];
  }
  return counts;
}
