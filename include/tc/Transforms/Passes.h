//===- Passes.h - Passes from one phase of tc to the next -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_PASSES_H
#define TC_TRANSFORMS_PASSES_H

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tc {

/// The variants that tc-variants makes by the tiles that stick out: one kernel
/// for any; another for none; two more for contracted and for result iterators
/// alone.
enum class TileVariants { One, Two, Four };
/// And by their indices: of 64 bits; also of 32 bits.
enum class IndexVariants { Only64, Both };

#define GEN_PASS_DECL
#include "tc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Transforms/Passes.h.inc"

} // namespace mlir::tc

#endif // TC_TRANSFORMS_PASSES_H
