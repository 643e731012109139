//===- Passes.h - Passes over scripts ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_PASSES_H
#define TC_TRANSFORMOPS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tc {

#define GEN_PASS_DECL
#include "tc/TransformOps/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/TransformOps/Passes.h.inc"

} // namespace mlir::tc

#endif // TC_TRANSFORMOPS_PASSES_H
