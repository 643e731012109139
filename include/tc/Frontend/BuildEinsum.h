//===- BuildEinsum.h - An einsum as a contraction ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an einsum to the first phase of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_BUILDEINSUM_H
#define TC_FRONTEND_BUILDEINSUM_H

#include "tc/Frontend/EinsumProblem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tc {

/// Registers what `buildEinsum` creates: arith, func, memref and tc.
void registerEinsumDialects(DialectRegistry &registry);

/// A module with one function `name` over memrefs: the inputs, then the result.
/// The body is one tc.contract that overwrites the result; its iterators are
/// those of the problem. An operand with a layout is a buffer of one dimension
/// and a tc.view of it; dynamic extents are read off the arguments. Every op
/// has the location einsum:1:1. Fails when `name` is no identifier.
llvm::Expected<OwningOpRef<ModuleOp>> buildEinsum(MLIRContext *context,
                                                  const EinsumProblem &problem,
                                                  llvm::StringRef name);

} // namespace mlir::tc

#endif // TC_FRONTEND_BUILDEINSUM_H
