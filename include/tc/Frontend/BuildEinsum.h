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

#include "tc/Frontend/Einsum.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tc {

/// Element types that an einsum may have.
enum class ElementType { f32, f64 };

/// The type of that name ("f32", "f64"); an error for any other.
llvm::Expected<ElementType> parseElementType(llvm::StringRef name);
/// "f32" or "f64".
llvm::StringRef nameOf(ElementType type);
/// Bytes of one element.
unsigned bytesOf(ElementType type);

/// Registers what `buildEinsum` creates: func and tc.
void registerEinsumDialects(DialectRegistry &registry);

/// A module with one function `name` over memrefs in row-major order: the
/// inputs, then the result. The body is one tc.contract that overwrites the
/// result; its iterators are `einsum.iterators()`, called by their labels.
/// Every op has the location einsum:1:1. `sizes` must have passed `checkSizes`.
/// Fails when `name` is no identifier.
llvm::Expected<OwningOpRef<ModuleOp>>
buildEinsum(MLIRContext *context, const Einsum &einsum, const Sizes &sizes,
            ElementType type, llvm::StringRef name);

} // namespace mlir::tc

#endif // TC_FRONTEND_BUILDEINSUM_H
