//===- ApproximateFunctions.cpp - Functions without calls -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_APPROXIMATEFUNCTIONS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

static bool isExp(StringRef name) {
  return name == math::ExpOp::getOperationName();
}

/// exp(x) as exp(x / 2) squared. Upstream's polynomial gives 0 where the result
/// is subnormal, and is least accurate near the largest: x / 2 is far from
/// both.
static void halve(math::ExpOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  Type type = op.getType();
  TypedAttr half = builder.getFloatAttr(getElementTypeOrSelf(type), 0.5);
  if (auto vector = dyn_cast<VectorType>(type))
    half = DenseElementsAttr::get(vector, half);
  Value factor = arith::ConstantOp::create(builder, loc, half);
  Value root = math::ExpOp::create(
      builder, loc,
      arith::MulFOp::create(builder, loc, op.getOperand(), factor));
  op.replaceAllUsesWith(
      arith::MulFOp::create(builder, loc, root, root).getResult());
  op.erase();
}

namespace {
struct ApproximateFunctionsPass
    : tc::impl::ApproximateFunctionsBase<ApproximateFunctionsPass> {
  void runOnOperation() override {
    SmallVector<math::ExpOp> found;
    getOperation()->walk([&](math::ExpOp op) {
      if (getElementTypeOrSelf(op.getType()).isF32())
        found.push_back(op);
    });
    if (found.empty())
      return;
    llvm::for_each(found, halve);
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, isExp);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
