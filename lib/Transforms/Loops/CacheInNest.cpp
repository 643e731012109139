//===- CacheInNest.cpp - Reads of a nest from shared memory ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tc;

FailureOr<CacheOp> mlir::tc::cacheInNest(RewriterBase &rewriter,
                                         Operation *nest, Operation *op,
                                         DenseI64ArrayAttr order,
                                         IntegerAttr pad, Refusal &refusal) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load || !nest->isProperAncestor(op))
    return refuse(refusal,
                  "expected a memref.load inside of the nest, found '" +
                      op->getName().getStringRef() + "'");
  Value source = load.getMemRef();
  if (nest->isAncestor(source.getParentRegion()->getParentOp()))
    return refuse(refusal, "expected a buffer from outside of the nest");
  rewriter.setInsertionPointToStart(&LoopNest(nest).getBody());
  return CacheOp::create(rewriter, op->getLoc(), source, order, pad);
}
