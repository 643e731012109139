//===- LowerMma.h - Contractions of a warp to tensor instructions *- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H
#define TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Emits before `op`, a contraction of a warp as tc-tile makes it, the same in
/// a tc.par warp over its lanes: loads of fragments, and the instructions of
/// its schedule's unit, if `machine` has it. Reports at `op` what does not fit
/// these.
LogicalResult lowerMma(OpBuilder &builder, ContractOp op, MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H
