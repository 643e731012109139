//===- CopyToLinalg.cpp - Copies of memrefs as linalg ops -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTCOPYTOLINALG
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

static LogicalResult replace(memref::CopyOp copy) {
  Value source = copy.getSource(), target = copy.getTarget();
  for (Value buffer : {source, target})
    if (!isa<MemRefType>(buffer.getType()))
      return copy.emitOpError("expected a copy between memrefs of known rank, "
                              "got ")
             << buffer.getType();
  OpBuilder builder(copy);
  linalg::makeMemRefCopyOp(builder, copy.getLoc(), source, target);
  copy.erase();
  return success();
}

namespace {
struct ConvertCopyToLinalgPass
    : tc::impl::ConvertCopyToLinalgBase<ConvertCopyToLinalgPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [](memref::CopyOp copy) { return WalkResult(replace(copy)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
