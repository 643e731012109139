//===- TCToLoopsReduce.cpp - tc.reduce and tc.scan as loops ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/NestLoops.h"
#include "TCToLoops/TCToLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// `before` and `after` combined.
template <typename FoldOp>
static SmallVector<Value> combine(IRRewriter &rewriter, FoldOp op,
                                  ValueRange before, ValueRange after) {
  SmallVector<Value> arguments(before);
  llvm::append_range(arguments, after);
  return moveRegion(rewriter, op.getCombine(), arguments);
}

/// Lets LLVM regroup the terms of `op` where it combines them by an op on
/// floats: that they may be regrouped is what an associative combination says.
static void allowReassociation(ReduceOp op) {
  using Flags = arith::FastMathFlags;
  op.getCombine().walk([](arith::ArithFastMathInterface inner) {
    if (isa<arith::AddFOp, arith::MulFOp>(inner)) {
      Flags flags = inner.getFastMathFlagsAttr().getValue() | Flags::reassoc;
      inner->setAttr(inner.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(inner.getContext(), flags));
    }
  });
}

void mlir::tc::lowerReduce(IRRewriter &rewriter, ReduceOp op, bool vectorizes) {
  if (vectorizes)
    allowReassociation(op);
  SmallVector<Value> total =
      buildLoops(rewriter, op.getLoc(), getLoopSpace(rewriter, op),
                 op.getInits(), [&](ValueRange indices, ValueRange carried) {
                   return combine(rewriter, op, carried,
                                  moveRegion(rewriter, op.getMap(), indices));
                 });
  moveRegion(rewriter, op.getFinish(), total);
  rewriter.eraseOp(op);
}

void mlir::tc::lowerScan(IRRewriter &rewriter, ScanOp op) {
  buildLoops(rewriter, op.getLoc(), getLoopSpace(rewriter, op), op.getInits(),
             [&](ValueRange indices, ValueRange carried) {
               SmallVector<Value> next =
                   combine(rewriter, op, carried,
                           moveRegion(rewriter, op.getMap(), indices));
               SmallVector<Value> arguments(indices);
               llvm::append_range(
                   arguments, op.getExclusive() ? carried : ValueRange(next));
               moveRegion(rewriter, op.getFinish(), arguments);
               return next;
             });
  rewriter.eraseOp(op);
}
