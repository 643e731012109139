//===- FoldReshapes.cpp - Transpositions between reshapes -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that is flattened, transposed and unflattened again is one whose own
// dimensions are permuted, which tc-fuse makes subscripts of.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_FOLDRESHAPES
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does `op` no more than permute a flattened tensor that is then unflattened?
/// Elsewhere a reshape is a view, which costs nothing where it stands.
static bool isBetweenReshapes(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool permutes = isa<linalg::TransposeOp>(op) ||
                  (generic && linalg::isaTransposeOpInterface(generic));
  return permutes && op->getNumResults() == 1 &&
         op->getOperand(0).getDefiningOp<tensor::CollapseShapeOp>() &&
         op->hasOneUse() && isa<tensor::ExpandShapeOp>(*op->user_begin());
}

namespace {
struct FoldReshapesPass : tc::impl::FoldReshapesBase<FoldReshapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns,
        [](OpOperand *fused) { return isBetweenReshapes(fused->getOwner()); });
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
