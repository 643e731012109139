//===- TCToLoops.cpp - The pass convert-tc-to-loops -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives tc a meaning on the CPU. Types lose their memory spaces first, then
// each op is lowered, inner ops before outer ones.
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/TCToLoops.h"

#include "Host/MemorySpaces.h"

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTTCTOLOOPS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// Removes the barriers of `tc` nests: iterations of a tc.par that run one
/// after the other meet at its end. One between two ops of a thread would need
/// all threads to stop there, which loops cannot do.
static LogicalResult dropBarriers(IRRewriter &rewriter, Operation *root) {
  for (gpu::BarrierOp barrier : collectOps<gpu::BarrierOp>(root)) {
    auto par = barrier->getParentOfType<ParOp>();
    if (!par)
      continue;
    Block *body = par.getBody();
    bool outermost = barrier->getBlock() == body &&
                     (&body->front() == barrier ||
                      barrier->getNextNode() == body->getTerminator());
    bool isTeam = par.isOfBlocks() || par.getMemberThreads() > 1;
    if (par.getLevel() && !isTeam && !outermost)
      return barrier.emitOpError("expected no barrier between the ops of a "
                                 "'tc.par ")
             << stringifyLevel(*par.getLevel()) << "', which runs as a loop";
    rewriter.eraseOp(barrier);
  }
  return success();
}

/// Removes what else carries an attribute of the dialect.
static void dropMachines(Operation *root) {
  auto *dialect = root->getContext()->getLoadedDialect<TCDialect>();
  if (!dialect)
    return;
  auto machine = dialect->getMachineAttrHelper();
  auto independent = dialect->getIndependentAttrHelper();
  root->walk([&](Operation *op) {
    if (machine.isAttrPresent(op))
      machine.removeAttr(op);
    if (independent.isAttrPresent(op))
      independent.removeAttr(op);
  });
}

/// A comparison with the default: loops are one version as good as another.
static void lowerThreshold(IRRewriter &rewriter, ThresholdOp op) {
  Value limit = arith::ConstantIndexOp::create(rewriter, op.getLoc(),
                                               op.getDefaultLimit());
  rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::sge,
                                             op.getNumber(), limit);
}

/// Loops have no library.
static void lowerLibraryProduct(IRRewriter &rewriter, LibraryProductOp op) {
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                 rewriter.getBoolAttr(false));
}

/// One term after the other, each of which adds to the result.
static void lowerSum(IRRewriter &rewriter, SumOp op) {
  rewriter.inlineBlockBefore(&op.getBody().front(), op);
  rewriter.eraseOp(op);
}

static LogicalResult lower(IRRewriter &rewriter, Operation *op, bool parallel,
                           bool vectorizes) {
  rewriter.setInsertionPoint(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CacheOp op) { return rewriter.eraseOp(op), success(); })
      .Case([&](ContractOp op) {
        return lowerContract(rewriter, op, vectorizes);
      })
      .Case([&](LibraryProductOp op) {
        return lowerLibraryProduct(rewriter, op), success();
      })
      .Case([&](NewOp op) { return lowerNew(rewriter, op); })
      .Case([&](PtxOp op) {
        return op.emitOpError("expected no PTX in a program for the CPU");
      })
      .Case([&](StageOp op) { return lowerStage(rewriter, op); })
      .Case([&](ParOp op) {
        (parallel ? lowerParToParallel : lowerPar)(rewriter, op);
        return success();
      })
      .Case([&](SeqOp op) { return lowerSeq(rewriter, op), success(); })
      .Case([&](ReduceOp op) {
        return lowerReduce(rewriter, op, vectorizes), success();
      })
      .Case([&](ScanOp op) { return lowerScan(rewriter, op), success(); })
      .Case([&](SumOp op) { return lowerSum(rewriter, op), success(); })
      .Case([&](ThresholdOp op) {
        return lowerThreshold(rewriter, op), success();
      })
      .Case([&](ViewOp op) { return lowerView(rewriter, op), success(); })
      .Case([&](WithOp op) { return lowerWith(rewriter, op), success(); })
      .Default(success());
}

namespace {
struct ConvertTCToLoopsPass
    : tc::impl::ConvertTCToLoopsBase<ConvertTCToLoopsPass> {
  using ConvertTCToLoopsBase::ConvertTCToLoopsBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    dropMemorySpaces(root, [](Attribute) { return true; });
    if (failed(dropBarriers(rewriter, root)))
      return signalPassFailure();
    auto isToLower = [](Operation *op) {
      return isa_and_nonnull<TCDialect>(op->getDialect()) &&
             !isa<YieldOp, PartitionOp>(op);
    };
    for (Operation *op : collectOps<Operation *>(root, isToLower))
      if (failed(lower(rewriter, op, parallel, vectorize)))
        return signalPassFailure();
    dropMachines(root);
  }
};
} // namespace
