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

void mlir::tc::setUnrollCount(scf::ForOp loop, int64_t count) {
  Builder builder(loop);
  auto unroll = LLVM::LoopUnrollAttr::get(loop.getContext(), /*disable=*/{},
                                          builder.getI32IntegerAttr(count), {},
                                          {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      loop.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr(LLVM::BrOp::getLoopAnnotationAttrName(OperationName(
                    LLVM::BrOp::getOperationName(), loop.getContext())),
                annotation);
}
