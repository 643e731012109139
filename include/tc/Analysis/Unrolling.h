//===- Unrolling.h - How far contracted loops are unrolled ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever writes the loops of a thread and whoever predicts what they cost have
// one rule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_UNROLLING_H
#define TC_ANALYSIS_UNROLLING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tc {

/// How often each of some nested loops, the outermost first, is unrolled, where
/// the innermost body has so many `instructions`: the innermost loop as far as
/// its body stays small, and others around those that are unrolled whole.
llvm::SmallVector<int64_t> getUnrollCounts(int64_t instructions,
                                           llvm::ArrayRef<int64_t> extents);

} // namespace mlir::tc

#endif // TC_ANALYSIS_UNROLLING_H
