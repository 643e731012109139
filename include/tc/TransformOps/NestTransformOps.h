//===- NestTransformOps.h - Schedules of nests as scripts -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the transform dialect, `transform.tc.*`, that take the steps of
// tc/Transforms/Loops.h. A step that is refused is a silenceable error: a
// script may try another one (`transform.alternatives`).
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_NESTTRANSFORMOPS_H
#define TC_TRANSFORMOPS_NESTTRANSFORMOPS_H

#include "tc/IR/TC.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "tc/TransformOps/NestTransformOps.h.inc"

namespace mlir {
class DialectRegistry;

namespace tc {

/// Adds the ops to the transform dialect of `registry`.
void registerTransformOps(DialectRegistry &registry);

} // namespace tc
} // namespace mlir

#endif // TC_TRANSFORMOPS_NESTTRANSFORMOPS_H
