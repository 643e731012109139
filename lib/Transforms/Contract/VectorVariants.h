//===- VectorVariants.h - When vectors are whole and aligned ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel moves several elements at a time where their addresses are proven to
// be aligned (Alignment.h). What is dynamic is asked by the host, and
// written into the kernel's contraction in a form that the proof sees.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_VECTORVARIANTS_H
#define TC_LIB_TRANSFORMS_CONTRACT_VECTORVARIANTS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Does the schedule of one of `ops` ask for vectors, or has one operands of
/// complex numbers?
bool wantsVectors(ArrayRef<ContractOp> ops);

/// Are all buffers of `ops` aligned for accesses of kMaxAccessBytes? Null where
/// that is known.
Value buildAligned(OpBuilder &builder, ArrayRef<ContractOp> ops);

/// Are buffers aligned, and dynamic extents, offsets and strides multiples
/// of the vectors along them? Null where the schedule of `op` has no vector
/// along which an operand is known to lie densely, and no such copies.
Value buildVectorCondition(OpBuilder &builder, ContractOp op);

/// Operands of `op` seen with the offsets and strides that buildVectorCondition
/// asks for.
SmallVector<Value> getVectorOperands(OpBuilder &builder, ContractOp op);

/// A copy of `op` that shows all that buildVectorCondition asks for.
ContractOp buildVectorCopy(OpBuilder &builder, ContractOp op);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_VECTORVARIANTS_H
