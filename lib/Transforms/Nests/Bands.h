//===- Bands.h - Nests as one index space -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_BANDS_H
#define TC_LIB_TRANSFORMS_NESTS_BANDS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// The index space of a tc.par, tc.reduce or tc.scan.
SpaceBounds getBounds(Operation *nest);

/// Are the iterations of `nest` too few to be work for several threads?
bool hasFewIterations(Operation *nest);

/// Has `op` work for several threads, that nobody has dealt out?
bool isTeamOp(Operation *op);
/// Is `op` a loop that holds such work?
bool isTeamLoop(Operation *op);

/// The ops of `row` with such work that are in no other, those of loops among
/// them, in the order of the program.
SmallVector<Operation *> collectTeamOps(Block &row);

/// Is it written who runs the iterations of a tc.par, tc.reduce or tc.scan?
bool isWrittenByHand(Operation *nest);

/// Makes one tc.par of `outer` and those that are all there is in it, as far as
/// their bounds do not depend on its indices.
void mergeBand(ParOp outer);

/// Moves constants, and the arithmetic of indices and integers that all
/// iterations of `par` do alike, before it, and those of the loops in it before
/// these.
void hoistInvariants(ParOp par);

/// Are the bounds of `nest`, in `par`, known outside of that?
bool hasFixedBounds(Operation *nest, ParOp par);

/// The most that `value` is, where that is known.
std::optional<int64_t> getConstantUpperBound(OpFoldResult value);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_BANDS_H
