//===- TCToGPUStage.h - Parts of copies -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What copies that are waited for (TCToGPUStage.cpp) and those that run ahead
// (TCToGPUCopy.cpp) have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TCTOGPUSTAGE_H
#define TC_LIB_CONVERSION_TCTOGPU_TCTOGPUSTAGE_H

#include "TCToGPU/TCToGPU.h"

#include "tc/Algebra/CopyTeam.h"

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// TCToGPUStage.cpp
//===----------------------------------------------------------------------===//

/// Stores a chunk from `index` on: a vector, a number, or complex numbers, of
/// which there are no vectors, each by itself.
void storeChunk(OpBuilder &builder, Location loc, ValueRange values,
                Value memref, ValueRange index);
/// A chunk of fill values.
SmallVector<Value> buildPad(OpBuilder &builder, StageOp op, int64_t chunk);
/// How many elements a thread of `op` copies at a time along each dimension.
SmallVector<int64_t> getBlock(StageOp op);
/// The index in the tile of the first element of `block`, an index of blocks in
/// the order in which threads take them.
SmallVector<Value> buildFirstElement(OpBuilder &builder, StageOp op,
                                     SmallVector<Value> block);
/// Is `index` of the tile of `op` inside of its source? Null where it always
/// is. The index may be out of the tile along dimensions of `checked`.
Value buildInside(OpBuilder &builder, StageOp op, ValueRange index,
                  ArrayRef<bool> checked = {});

/// What a thread copies in one round: the index in the tile, and whether it is
/// there, null if always.
struct RoundCopy {
  SmallVector<Value> index;
  Value works;
};
/// `round` of a regular team.
RoundCopy buildRegularCopy(KernelContext &kernel, Location loc,
                           const CopyTeam &team, int64_t round);

//===----------------------------------------------------------------------===//
// TCToGPUCopy.cpp
//===----------------------------------------------------------------------===//

/// Starts to copy the chunk at `index`.
void copyChunkAsync(KernelContext &kernel, StageOp op, Value buffer,
                    ValueRange index);
/// Starts the copies of a team that is regular, from one address at constant
/// distances. False where strides are dynamic.
bool copyRegularly(KernelContext &kernel, StageOp op, Value buffer,
                   const CopyTeam &team);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TCTOGPUSTAGE_H
