//===- StructuredOps.h - Structured ops as nests ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns linalg ops (and tc.contract) into nests and runs them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STRUCTUREDOPS_H
#define TC_LIB_REFERENCE_STRUCTUREDOPS_H

#include "State.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/Error.h"

namespace mlir::tc::reference {

llvm::Error evaluateLinalg(linalg::LinalgOp op, State &state);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STRUCTUREDOPS_H
