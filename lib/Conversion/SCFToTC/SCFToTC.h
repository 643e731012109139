//===- SCFToTC.h - Pieces of convert-scf-to-tc ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_SCFTOTC_SCFTOTC_H
#define TC_LIB_CONVERSION_SCFTOTC_SCFTOTC_H

#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// A parallel loop of any kind.
struct ParallelLoop {
  Operation *op;
  SmallVector<OpFoldResult> lower, upper, step;
  std::optional<Level> level = std::nullopt;
  /// Why it cannot be converted; empty if it can.
  std::string refusal = "";
};

/// Is `op` one that this pass converts, or has made?
bool isParallel(Operation *op);

/// Counts dimensions from 0 where their step is only known when the program
/// runs, or, if `all`, is not 1; returns what an index is then to be multiplied
/// by and added to, none for others.
SmallVector<std::pair<Value, Value>> countSteps(RewriterBase &rewriter,
                                                ParallelLoop &loop, bool all);
/// The indices of the loop, from those that countSteps left.
SmallVector<Value> buildIndices(RewriterBase &rewriter, Location loc,
                                ValueRange counted,
                                ArrayRef<std::pair<Value, Value>> scales);

/// Why the values that a loop gives cannot be those of a tc.reduce; empty if
/// they can.
std::string refuseReduction(Operation *op);
/// Replaces a loop that gives values, of which refuseReduction finds nothing,
/// by a tc.reduce.
void convertReduction(RewriterBase &rewriter, ParallelLoop &loop);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_SCFTOTC_SCFTOTC_H
