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

/// Vectors of a loop that has many iterations, side by side: a sum in one of
/// them would wait for each addition.
static constexpr int64_t kSideBySide = 4;
static constexpr int64_t kManyIterations = 96;

static void annotate(scf::ForOp loop, LLVM::LoopVectorizeAttr vectorize,
                     LLVM::LoopUnrollAttr unroll,
                     LLVM::LoopInterleaveAttr interleave = {}) {
  auto annotation = LLVM::LoopAnnotationAttr::get(
      loop.getContext(), /*disableNonforced=*/{}, vectorize, interleave, unroll,
      {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
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
  MLIRContext *context = loop.getContext();
  auto disable = BoolAttr::get(context, true);
  // Where it may not unroll, LLVM takes one vector unless told otherwise.
  LLVM::LoopInterleaveAttr interleave;
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (trips && trips->sge(kManyIterations))
    interleave = LLVM::LoopInterleaveAttr::get(
        context, Builder(context).getI32IntegerAttr(kSideBySide));
  annotate(loop, /*vectorize=*/{},
           LLVM::LoopUnrollAttr::get(context, disable, {}, {}, {}, {}, {}, {}),
           interleave);
}

void mlir::tc::setScalar(scf::ForOp loop) {
  auto disable = BoolAttr::get(loop.getContext(), true);
  annotate(loop,
           LLVM::LoopVectorizeAttr::get(loop.getContext(), disable, {}, {}, {},
                                        {}, {}, {}),
           /*unroll=*/{});
}
