//===- LoopHints.cpp - What LLVM is told of loops -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

static void annotate(scf::ForOp loop, LLVM::LoopVectorizeAttr vectorize,
                     LLVM::LoopUnrollAttr unroll) {
  auto annotation = LLVM::LoopAnnotationAttr::get(
      loop.getContext(), /*disableNonforced=*/{}, vectorize, /*interleave=*/{},
      unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr(LLVM::BrOp::getLoopAnnotationAttrName(OperationName(
                    LLVM::BrOp::getOperationName(), loop.getContext())),
                annotation);
}

void mlir::tc::setUnrollCount(scf::ForOp loop, int64_t count) {
  Builder builder(loop);
  annotate(loop, /*vectorize=*/{},
           LLVM::LoopUnrollAttr::get(loop.getContext(), /*disable=*/{},
                                     builder.getI32IntegerAttr(count), {}, {},
                                     {}, {}, {}));
}

void mlir::tc::setWhole(scf::ForOp loop) {
  auto disable = BoolAttr::get(loop.getContext(), true);
  annotate(loop, /*vectorize=*/{},
           LLVM::LoopUnrollAttr::get(loop.getContext(), disable, {}, {}, {}, {},
                                     {}, {}));
}

void mlir::tc::setScalar(scf::ForOp loop) {
  auto disable = BoolAttr::get(loop.getContext(), true);
  annotate(loop,
           LLVM::LoopVectorizeAttr::get(loop.getContext(), disable, {}, {}, {},
                                        {}, {}, {}),
           /*unroll=*/{});
}
