//===- Fuse.cpp - Element-wise work into contractions ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [What is fused] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Graph/Fuse.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_FUSE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Inputs and sides.
static unsigned countReaders(ContractOp op) {
  return op.getInputs().size() + op.getSides().size();
}

/// Erases what computes `values` where nobody needs it any more, and buffers
/// that are only freed.
static void eraseUnused(RewriterBase &rewriter, ArrayRef<Value> values) {
  for (Value value : values) {
    if (value.getDefiningOp<memref::AllocOp>() &&
        llvm::all_of(value.getUsers(), llvm::IsaPred<memref::DeallocOp>))
      for (Operation *dealloc : llvm::make_early_inc_range(value.getUsers()))
        rewriter.eraseOp(dealloc);
    if (Operation *op = value.getDefiningOp(); op && isOpTriviallyDead(op)) {
      SmallVector<Value> operands(op->getOperands());
      rewriter.eraseOp(op);
      eraseUnused(rewriter, operands);
    }
  }
}

namespace {
struct FusePass : tc::impl::FuseBase<FusePass> {
  using FuseBase::FuseBase;

  void runOnOperation() override {
    // The terms of a tc.sum are added before they are rounded.
    auto isAlone = [](ContractOp op) { return !isa<SumOp>(op->getParentOp()); };
    auto ops = collectOps<ContractOp>(getOperation(), isAlone);
    IRRewriter rewriter(&getContext());
    llvm::SmallDenseSet<Operation *> erased;
    for (ContractOp op : ops) {
      if (erased.contains(op))
        continue;
      while (ContractOp fused = fuseOne(rewriter, op, erased))
        op = fused;
    }
    if (!explain)
      return;
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isAlone))
      explainRest(op);
  }

private:
  /// Fuses `op` with the producer of one of its operands, if it may.
  ContractOp fuseOne(RewriterBase &rewriter, ContractOp op,
                     llvm::SmallDenseSet<Operation *> &erased) {
    for (unsigned i = 0, e = countReaders(op); i < e; ++i) {
      ContractOp producer = findProducer(op, op.getShapedOperands()[i]);
      if (!producer)
        continue;
      bool forgotten = isForgotten(producer, op);
      ContractOp fused;
      if (!explainProducer(op, i, producer)) {
        forgotten &= countOperandsFrom(producer, op) == 1;
        fused = fuseProducer(rewriter, op, i, producer);
      } else if (i < op.getInputs().size() && !explainConsumer(producer, op)) {
        fused = fuseConsumer(rewriter, producer, op);
      } else {
        continue;
      }
      return replace(rewriter, op, producer, forgotten, fused, erased);
    }
    return fuseOld(rewriter, op, erased);
  }

  /// Fuses `op`, on memrefs, with the producer of old results that it adds to:
  /// `C = beta C` before `C += A B`.
  ContractOp fuseOld(RewriterBase &rewriter, ContractOp op,
                     llvm::SmallDenseSet<Operation *> &erased) {
    if (op.hasTensorSemantics() || op.getOverwrite() || !op.mayRegroup())
      return {};
    for (auto [o, output] : llvm::enumerate(op.getOutputs())) {
      ContractOp producer = findProducer(op, output);
      if (!producer || !isElementwise(producer) || !coversResult(op, o))
        continue;
      rewriter.setInsertionPoint(op);
      auto copy = cast<ContractOp>(rewriter.clone(*op));
      ContractOp overwriting = readOldAsSides(rewriter, copy);
      rewriter.eraseOp(copy);
      unsigned side = countReaders(op) + o;
      ContractOp fused;
      bool forgotten = isForgotten(producer, overwriting) &&
                       countOperandsFrom(producer, overwriting) == 1;
      if (forgotten && !explainProducer(overwriting, side, producer))
        fused = fuseProducer(rewriter, overwriting, side, producer);
      rewriter.eraseOp(overwriting);
      if (fused)
        return replace(rewriter, op, producer, forgotten, fused, erased);
    }
    return {};
  }

  /// Puts `fused` in the place of `op`, and of `producer` if it is forgotten.
  ContractOp replace(RewriterBase &rewriter, ContractOp op, ContractOp producer,
                     bool forgotten, ContractOp fused,
                     llvm::SmallDenseSet<Operation *> &erased) {
    SmallVector<Value> unused(producer.getOutputs());
    for (Value output : op.getOutputs())
      if (!findResult(producer, output))
        unused.push_back(output);
    erased.insert(op);
    rewriter.replaceOp(op, fused->getResults());
    if (forgotten) {
      erased.insert(producer);
      rewriter.eraseOp(producer);
    }
    eraseUnused(rewriter, unused);
    return dropDefaultRegions(rewriter, fused);
  }

  /// Says why an operand of `op` still goes through memory.
  void explainRest(ContractOp op) {
    for (unsigned i = 0, e = countReaders(op); i < e; ++i) {
      ContractOp producer = findProducer(op, op.getShapedOperands()[i]);
      if (!producer)
        continue;
      std::optional<std::string> reason = isElementwise(producer)
                                              ? explainProducer(op, i, producer)
                                              : explainConsumer(producer, op);
      if (reason)
        remark::missed(op.getLoc(), remark::RemarkOpts::name("NotFused")
                                        .category(getArgument())
                                        .function(getOperation().getName()))
            << remark::reason("operand {0} is computed into memory first: {1}",
                              i, *reason);
    }
  }
};
} // namespace

// Note [What is fused]
// ~~~~~~~~~~~~~~~~~~~~
// convert-linalg-to-tc turns element-wise ops into contractions too: without
// contracted iterators, their map is the whole computation. So there is one
// kind of op here, and two ways to put two of them together.
//
// A producer goes into whoever reads it: its map, and epilogue, become the
// first part of the reader's map, and its operands are read through the
// reader's subscripts. That computes it again wherever the reader does not vary
// with some of its iterators; fine for a cast or a sum, not for an exponential
// in a matrix product.
//
// A consumer goes into the epilogue of the contraction that it reads, with its
// other operands as sides. Each result is computed once, so any cost will do. A
// consumer that reduces, or that reads a result by a diagonal or more than once
// for broadcasting, needs results of other threads and is left alone. Where the
// contraction adds to an old result, the old result is a side like any other,
// and is combined first.
