//===- IndexedToLoops.cpp - linalg ops that read indices, as loops --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions of a contraction get elements, not where they are. Loops have
// indices, and convert-scf-to-tc takes them from there.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTINDEXEDTOLOOPS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ConvertIndexedToLoopsPass
    : tc::impl::ConvertIndexedToLoopsBase<ConvertIndexedToLoopsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto isIndexed = [](linalg::LinalgOp op) {
      return op.hasPureBufferSemantics() &&
             containsOp(*op, llvm::IsaPred<linalg::IndexOp>);
    };
    for (auto op : collectOps<linalg::LinalgOp>(getOperation(), isIndexed)) {
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::linalgOpToParallelLoops(rewriter, op)))
        rewriter.eraseOp(op);
    }
  }
};
} // namespace
