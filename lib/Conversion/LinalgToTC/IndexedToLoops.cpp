//===- IndexedToLoops.cpp - linalg ops that read indices, as loops --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions of a contraction get elements, not where they are. Loops have
// indices, and convert-scf-to-tc takes them from there. What an op combines is
// carried by its loops, so that tc-raise sees what belongs together.
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC/LinalgToTC.h"
#include "tc/Conversion/Passes.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTINDEXEDTOLOOPS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// The loops of an op that combines elements, which are being built.
class Reduction {
public:
  Reduction(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  /// Does each result stay the same along what is combined?
  bool hasOwnResults();
  /// A loop in parallel over the results, and loops in order in it.
  void build();

private:
  SmallVector<unsigned> getDims(utils::IteratorType kind);
  SmallVector<Value> getIndices(OpOperand &operand);
  Value load(OpOperand &operand);
  SmallVector<Value> buildBody(ValueRange carried);
  void buildResults();

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<Value> lower, upper, step, indices; ///< by dimension
  SmallVector<linalg::FillOp> fills;              ///< by result; may be null
};
} // namespace

SmallVector<unsigned> Reduction::getDims(utils::IteratorType kind) {
  SmallVector<unsigned> dims;
  for (auto [d, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == kind)
      dims.push_back(d);
  return dims;
}

bool Reduction::hasOwnResults() {
  SmallVector<unsigned> combined = getDims(utils::IteratorType::reduction);
  size_t known =
      combined.size() + getDims(utils::IteratorType::parallel).size();
  if (combined.empty() || known != op.getNumLoops())
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &result) {
    AffineMap map = op.getMatchingIndexingMap(&result);
    return llvm::none_of(combined,
                         [&](unsigned d) { return map.isFunctionOfDim(d); });
  });
}

SmallVector<Value> Reduction::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> operands = getAsOpFoldResult(indices);
  SmallVector<Value> subscripts;
  for (unsigned r = 0, e = map.getNumResults(); r < e; ++r)
    subscripts.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc,
        affine::makeComposedFoldedAffineApply(rewriter, loc, map.getSubMap(r),
                                              operands)));
  return subscripts;
}

Value Reduction::load(OpOperand &operand) {
  if (op.isScalar(&operand))
    return operand.get();
  return memref::LoadOp::create(rewriter, loc, operand.get(),
                                getIndices(operand));
}

SmallVector<Value> Reduction::buildBody(ValueRange carried) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      mapping.map(op.getMatchingBlockArgument(input), load(*input));
  mapping.map(op.getRegionOutputArgs(), carried);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), indices[index.getDim()]);
      continue;
    }
    Operation *copy = rewriter.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) {
      rewriter.replaceOp(index, indices[index.getDim()]);
    });
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

void Reduction::buildResults() {
  SmallVector<unsigned> combined = getDims(utils::IteratorType::reduction);
  auto get = [&](ArrayRef<Value> all) {
    return llvm::map_to_vector(combined, [&](unsigned d) { return all[d]; });
  };
  SmallVector<Value> inits;
  for (auto [fill, result] : llvm::zip_equal(fills, op.getDpsInitsMutable()))
    inits.push_back(fill ? buildNumber(rewriter, loc, getFillValue(fill))
                         : load(result));
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, get(lower), get(upper), get(step), inits,
      [&](OpBuilder &, Location, ValueRange inner, ValueRange carried) {
        for (auto [d, index] : llvm::zip_equal(combined, inner))
          indices[d] = index;
        return buildBody(carried);
      });
  for (auto [result, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), nest.results))
    memref::StoreOp::create(rewriter, loc, value, result.get(),
                            getIndices(result));
}

void Reduction::build() {
  auto get = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    fills.push_back(findFill(op, i));
  for (const Range &range : op.createLoopRanges(rewriter, loc)) {
    lower.push_back(get(range.offset));
    upper.push_back(get(range.size));
    step.push_back(get(range.stride));
  }
  indices.resize(lower.size());
  SmallVector<unsigned> dims = getDims(utils::IteratorType::parallel);
  SmallVector<Value> from, to, by;
  for (unsigned d : dims) {
    from.push_back(lower[d]);
    to.push_back(upper[d]);
    by.push_back(step[d]);
  }
  // One result is a row, too.
  if (dims.empty()) {
    from.push_back(get(rewriter.getIndexAttr(0)));
    to.push_back(get(rewriter.getIndexAttr(1)));
    by.push_back(to.front());
  }
  scf::ParallelOp::create(rewriter, loc, from, to, by,
                          [&](OpBuilder &, Location, ValueRange outer) {
                            for (auto [d, index] : llvm::zip(dims, outer))
                              indices[d] = index;
                            buildResults();
                          });
  rewriter.eraseOp(op);
  for (linalg::FillOp fill : fills)
    if (fill)
      rewriter.eraseOp(fill);
}

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
      if (Reduction reduction(rewriter, op); reduction.hasOwnResults())
        reduction.build();
      else if (succeeded(linalg::linalgOpToParallelLoops(rewriter, op)))
        rewriter.eraseOp(op);
    }
  }
};
} // namespace
