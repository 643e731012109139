//===- Passes.h - Passes from one phase of tc to the next -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_PASSES_H
#define TC_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tc {

#define GEN_PASS_DECL
#include "tc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Transforms/Passes.h.inc"

} // namespace mlir::tc

#endif // TC_TRANSFORMS_PASSES_H
