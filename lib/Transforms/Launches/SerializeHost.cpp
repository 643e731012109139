//===- SerializeHost.cpp - Parallel loops of the host as loops ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute is all that is left of the level, until launches are a graph.
//
//===----------------------------------------------------------------------===//

#include "Nests/CheckNests.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SERIALIZEHOST
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// The same iterations, in order.
static void serialize(IRRewriter &rewriter, ParOp par) {
  rewriter.setInsertionPoint(par);
  auto seq =
      SeqOp::create(rewriter, par.getLoc(), par.getBounds(), ValueRange(),
                    [](OpBuilder &, Location, ValueRange, ValueRange) {
                      return SmallVector<Value>();
                    });
  seq->setDiscardableAttrs(par->getDiscardableAttrDictionary());
  TCDialect::IndependentAttrHelper(rewriter.getContext())
      .setAttr(seq, rewriter.getUnitAttr());
  rewriter.eraseOp(seq.getBody()->getTerminator());
  rewriter.inlineBlockBefore(par.getBody(), seq.getBody(), seq.getBody()->end(),
                             llvm::to_vector_of<Value>(seq.getIndices()));
  rewriter.eraseOp(par);
}

namespace {
struct SerializeHostPass : tc::impl::SerializeHostBase<SerializeHostPass> {
  void runOnOperation() override {
    NestValues values(&getContext());
    IRRewriter rewriter(&getContext());
    SmallVector<ParOp> loops = collectOps<ParOp>(
        getOperation(), [](ParOp op) { return op.getLevel() == Level::Host; });
    for (ParOp par : loops)
      if (failed(checkIndependence(par, values)))
        return signalPassFailure();
    for (ParOp par : loops)
      serialize(rewriter, par);
  }
};
} // namespace
