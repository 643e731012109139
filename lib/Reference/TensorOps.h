//===- TensorOps.h - Values of tensors in the reference -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make tensors out of numbers, buffers, and other tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_TENSOROPS_H
#define TC_LIB_REFERENCE_TENSOROPS_H

#include "State.h"

#include "mlir/IR/Operation.h"

namespace mlir::tc::reference {

bool isTensorOp(Operation *op);

/// Gives the results of `op` their elements, each in storage of its own, or
/// writes a tensor to a buffer.
llvm::Error evaluateTensorOp(Operation *op, State &state);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_TENSOROPS_H
