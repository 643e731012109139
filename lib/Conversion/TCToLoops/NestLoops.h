//===- NestLoops.h - An index space as loops --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOLOOPS_NESTLOOPS_H
#define TC_LIB_CONVERSION_TCTOLOOPS_NESTLOOPS_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"

namespace mlir::tc {

/// An index space that loops go through.
struct LoopSpace {
  SmallVector<Value> lower, upper;
  SmallVector<OpFoldResult> step, width;
  SmallVector<int64_t> unroll; ///< of each dimension; empty: none of them

  /// Is every index of dimension `dim` in the space?
  bool isDense(unsigned dim) const {
    return isEqualConstantIntOrValue(step[dim], width[dim]);
  }
};

/// Of each dimension of `op`, how many iterations are in one body.
SmallVector<int64_t> getUnrollCounts(SeqOp op);

/// The bounds of `op`, emitted where they are constants.
template <typename NestOp>
LoopSpace getLoopSpace(OpBuilder &builder, NestOp op) {
  auto materialize = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, op.getLoc(), bound);
  };
  SpaceBounds bounds = op.getBounds();
  LoopSpace space{llvm::map_to_vector(bounds.lower, materialize),
                  llvm::map_to_vector(bounds.upper, materialize),
                  bounds.step,
                  bounds.width,
                  {}};
  if constexpr (std::is_same_v<NestOp, SeqOp>)
    if (op.getUnroll() != 1)
      space.unroll = getUnrollCounts(op);
  return space;
}

/// What a loop nest does at the indices it is given, with the values carried
/// so far; returns those for the next.
using BuildNestBody =
    function_ref<SmallVector<Value>(ValueRange indices, ValueRange carried)>;

/// scf.for loops over `space` in ascending order, the last dimension fastest. A
/// width other than 1 makes two loops: over the steps, and inside the width of
/// one. Returns what the last iteration carries.
SmallVector<Value> buildLoops(OpBuilder &builder, Location loc,
                              const LoopSpace &space, ValueRange inits,
                              BuildNestBody body);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_TCTOLOOPS_NESTLOOPS_H
