//===- Conditions.h - What decides between kernels ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of the kernels of one contraction may run, and which is best, as far as
// dynamic extents, strides and addresses decide it. A condition is a value of
// type i1 that folding may have made constant.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_CONDITIONS_H
#define TC_LIB_TRANSFORMS_CONTRACT_CONDITIONS_H

#include "tc/IR/IndexBuilder.h"
#include "tc/IR/TC.h"

namespace mlir::tc {

/// What decides between the variants of one contraction.
struct Conditions {
  Value resultsDivide;      ///< every result iterator is whole tiles
  Value contractedDivide;   ///< every contracted iterator is whole steps
  Value fits32;             ///< 32 bits hold every position and block number
  Value vectors;            ///< vectors are whole and aligned; null if unused
  SmallVector<Value> spans; ///< of each operand: no position is beyond it
  Value blocks;             ///< their number
  Value terms;              ///< of each result
};

/// Those of a normal contraction with its schedule.
Conditions buildConditions(OpBuilder &builder, ContractOp op);

/// Where `version` of `op`, with these conditions, is better than what comes
/// after it, and the op's own schedule.
Value buildIsBetter(IndexBuilder &math, ContractOp op, VersionAttr version,
                    const Conditions &conditions);

/// The name of the kernels of `version`, by its conditions.
std::string getVersionName(VersionAttr version);

/// The value of a condition, if folding has found it.
std::optional<bool> getConstant(Value condition);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_CONDITIONS_H
