//===- ExpandVectors.cpp - The pass tc-expand-vectors ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_EXPANDVECTORS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

static bool hasOtherRank(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() != 1;
}

/// Is it more than an op of LLVM on vectors of one dimension?
static bool isExpanded(Operation *op) {
  if (!isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
    return false;
  return isa<vector::ConstantMaskOp, vector::ContractionOp,
             vector::CreateMaskOp, vector::ExtractStridedSliceOp,
             vector::InsertStridedSliceOp, vector::MaskOp,
             vector::MultiDimReductionOp, vector::OuterProductOp,
             vector::ScanOp, vector::ShapeCastOp, vector::StepOp,
             vector::TransferReadOp, vector::TransferWriteOp,
             vector::TransposeOp>(op) ||
         llvm::any_of(op->getOperandTypes(), hasOtherRank) ||
         llvm::any_of(op->getResultTypes(), hasOtherRank);
}

/// Loads and stores of several dimensions as transfers, which upstream takes
/// apart.
static LogicalResult makeTransfer(vector::LoadOp op,
                                  PatternRewriter &rewriter) {
  VectorType type = op.getVectorType();
  if (type.getRank() < 2)
    return failure();
  rewriter.replaceOpWithNewOp<vector::TransferReadOp>(
      op, type, op.getBase(), op.getIndices(), /*padding=*/std::nullopt,
      SmallVector<bool>(type.getRank(), true));
  return success();
}
static LogicalResult makeTransfer(vector::StoreOp op,
                                  PatternRewriter &rewriter) {
  int64_t rank = op.getVectorType().getRank();
  if (rank < 2)
    return failure();
  rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
      op, op.getValueToStore(), op.getBase(), op.getIndices(),
      SmallVector<bool>(rank, true));
  return success();
}

/// Those of upstream's convert-vector-to-llvm, and of what that pass leaves to
/// others.
static void addPatterns(RewritePatternSet &patterns) {
  using namespace vector;
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  populateVectorMaskMaterializationPatterns(patterns,
                                            /*force32BitVectorIndices=*/false);
  populateVectorMaskOpLoweringPatterns(patterns);
  populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  patterns.add<vector::LoadOp>(makeTransfer);
  patterns.add<vector::StoreOp>(makeTransfer);
  populateVectorGatherLoweringPatterns(patterns);

  populateVectorContractLoweringPatterns(patterns,
                                         VectorContractLowering::OuterProduct);
  populateVectorOuterProductLoweringPatterns(patterns);
  populateVectorMultiReductionLoweringPatterns(
      patterns, VectorMultiReductionLowering::InnerParallel);
  populateVectorScanLoweringPatterns(patterns);
  populateVectorRankReducingFMAPattern(patterns);

  populateVectorBitCastLoweringPatterns(patterns);
  populateVectorBroadcastLoweringPatterns(patterns);
  populateVectorFromElementsUnrollPatterns(patterns);
  populateVectorInsertExtractStridedSliceTransforms(patterns);
  populateVectorInterleaveLoweringPatterns(patterns);
  populateVectorShapeCastLoweringPatterns(patterns);
  populateVectorStepLoweringPatterns(patterns);
  populateVectorToElementsUnrollPatterns(patterns);
  populateVectorTransposeLoweringPatterns(patterns,
                                          VectorTransposeLowering::EltWise);
}

/// The type of the vector that `op` moves from or to a buffer, if it does.
static VectorType findMoved(Operation *op) {
  return TypeSwitch<Operation *, VectorType>(op)
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, vector::GatherOp, vector::ScatterOp,
            vector::ExpandLoadOp, vector::CompressStoreOp,
            vector::TransferReadOp, vector::TransferWriteOp>(
          [](auto op) { return op.getVectorType(); })
      .Default([](Operation *) { return VectorType(); });
}

/// LLVM counts the operands of a node by 16 bits, and ends the process beyond.
static constexpr int64_t kMostElements = 1 << 15;

static bool isTooLong(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getNumElements() > kMostElements;
}

/// LLVM packs elements that are no whole bytes, and memrefs have one in each
/// byte.
static WalkResult checkElements(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), isTooLong))
    return op->emitOpError("expected a vector of at most ")
           << kMostElements << " elements, got "
           << *llvm::find_if(op->getResultTypes(), isTooLong);
  VectorType type = findMoved(op);
  if (!type || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 == 0)
    return WalkResult::advance();
  return op->emitOpError("expected elements of whole bytes in memory, got ")
         << type.getElementType();
}

namespace {
struct ExpandVectorsPass : tc::impl::ExpandVectorsBase<ExpandVectorsPass> {
  void runOnOperation() override {
    if (getOperation()->walk(checkElements).wasInterrupted())
      return signalPassFailure();
    if (!containsOp(*getOperation(), isExpanded))
      return;
    RewritePatternSet patterns(&getContext());
    addPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
