//===- ContractFolds.cpp - Canonical forms of tc.contract -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tc;

/// What `value` is a cast of, when the cast only forgets sizes or strides.
static Value findCastSource(Value value) {
  auto memref = value.getDefiningOp<memref::CastOp>();
  if (memref && memref::CastOp::canFoldIntoConsumerOp(memref))
    return memref.getSource();
  auto tensor = value.getDefiningOp<tensor::CastOp>();
  if (tensor && tensor::canFoldIntoConsumerOp(tensor))
    return tensor.getSource();
  return {};
}

namespace {
/// Reads and writes through casts. On tensors upstream has a pattern of the
/// kind for any op in destination style, which does not know of empty regions:
/// this one goes first.
struct FoldCasts : OpRewritePattern<ContractOp> {
  explicit FoldCasts(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    auto look = [&](Value operand) {
      Value source = findCastSource(operand);
      changed |= bool(source);
      return source ? source : operand;
    };
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getShapedOperands(), look);
    if (!changed)
      return failure();
    ContractOp folded =
        op.cloneWith(rewriter, op.getMixedExtents(), operands, op.getMaps());
    SmallVector<Value> results(folded.getResults());
    for (auto [result, type] : llvm::zip_equal(results, op.getResultTypes()))
      if (result.getType() != type)
        result = tensor::CastOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// An extent that is a constant is part of the op.
struct FoldExtents : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> extents = op.getMixedExtents();
    // A negative one means no iterations, which the op cannot say.
    if (failed(foldDynamicIndexList(extents, /*onlyNonNegative=*/true)))
      return failure();
    ContractOp folded =
        op.cloneWith(rewriter, extents, op.getShapedOperands(), op.getMaps());
    rewriter.replaceOp(op, folded.getResults());
    return success();
  }
};
} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<FoldCasts, FoldExtents>(context);
}
