//===- Raise.cpp - Nests that are redomaps to linalg.generic --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RaiseNest.cpp says what a nest computes, RaiseViews.cpp where. Here each of
// its statements becomes a linalg op.
//
//===----------------------------------------------------------------------===//

#include "Graph/Raise.h"

#include "tc/IR/Scalars.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_RAISE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// The value that the ops of a statement make of what `mapping` has.
static Value copyOps(OpBuilder &builder, const RaiseStatement &statement,
                     IRMapping &mapping) {
  auto [argument, term] = statement.term;
  for (Operation *op : statement.ops) {
    if (term)
      mapping.map(argument, mapping.lookupOrDefault(term));
    builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(statement.value);
}

static void buildFill(OpBuilder &builder, Location loc,
                      const RaiseStatement &statement, Value view) {
  IRMapping mapping;
  Value value = copyOps(builder, statement, mapping);
  linalg::FillOp::create(builder, loc, value, view);
}

/// `sums` is the buffer for sums, where the statement reads one.
static void buildGeneric(OpBuilder &builder, Location loc,
                         const RaiseStatement &statement, RaiseViews &views,
                         Value output, Value sums) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const RaiseElement &load : statement.loads) {
    inputs.push_back(views.build(builder, load));
    maps.push_back(views.getMap(load, statement.ranges));
  }
  AffineMap own = views.getMap(statement.element, statement.ranges);
  if (statement.sum) {
    inputs.push_back(sums);
    maps.push_back(own);
  }
  // A step on the element alone reads it as an input.
  bool isStep = inputs.empty() && !statement.isAccumulating();
  if (isStep) {
    inputs.push_back(output);
    maps.push_back(own);
  }
  maps.push_back(own);
  SmallVector<utils::IteratorType> iterators(statement.ranges.size(),
                                             utils::IteratorType::parallel);
  for (unsigned i : statement.contracted)
    iterators[i] = utils::IteratorType::reduction;
  auto buildBody = [&](OpBuilder &body, Location, ValueRange elements) {
    IRMapping mapping;
    for (auto [load, element] : llvm::zip(statement.loads, elements))
      mapping.map(load.op->getResult(0), element);
    if (statement.sum)
      mapping.map(statement.sum, elements.drop_back().back());
    for (Value old : statement.old)
      mapping.map(old, isStep ? elements.front() : elements.back());
    linalg::YieldOp::create(body, loc, copyOps(body, statement, mapping));
  };
  linalg::GenericOp::create(builder, loc, inputs, output, maps, iterators,
                            buildBody);
}

static void replace(RewriterBase &rewriter, Operation *root, RaiseNest &nest) {
  rewriter.setInsertionPoint(root);
  RaiseViews views(root, nest.values, nest.reversed);
  // All write one element, so one view serves.
  Location loc = root->getLoc();
  Value output = views.build(rewriter, nest.statements.front().element);
  SmallVector<Value> buffers; // for sums
  for (const RaiseStatement &statement : nest.statements) {
    if (statement.isOfSums && !statement.isAccumulating())
      buffers.push_back(memref::AllocOp::create(
          rewriter, loc, memref::getMixedSizes(rewriter, loc, output),
          statement.value.getType()));
    Value sums = buffers.empty() ? Value() : buffers.back();
    Value target = statement.isOfSums ? sums : output;
    if (statement.loads.empty() && !statement.sum && statement.old.empty())
      buildFill(rewriter, loc, statement, target);
    else
      buildGeneric(rewriter, loc, statement, views, target, sums);
  }
  for (Value buffer : buffers)
    memref::DeallocOp::create(rewriter, loc, buffer);
  rewriter.eraseOp(root);
}

/// Does a reduction combine floats, so that its rounding depends on the order?
static bool combinesFloats(const RaiseNest &nest) {
  return llvm::any_of(nest.statements, [](const RaiseStatement &statement) {
    return statement.isAccumulating() &&
           !statement.value.getType().isIntOrIndex();
  });
}

/// Replaces a nest; false where it stays.
static bool raise(RewriterBase &rewriter, Operation *root, bool keepOrder) {
  Location loc = root->getLoc();
  RaiseNest nest(root);
  LogicalResult matched = nest.match();
  if (succeeded(matched) && keepOrder && combinesFloats(nest)) {
    nest.reason = "floats would be combined in another order";
    matched = failure();
  }
  if (succeeded(matched)) {
    replace(rewriter, root, nest);
    return true;
  }
  std::string refusal;
  if (raiseFolds(rewriter, root, keepOrder, refusal)) {
    remark::passed(loc, remark::RemarkOpts::name("Folds").category("tc-raise"))
        << remark::reason("the nest is no contraction: {0}; the threads of a "
                          "block share its loops, which walk along rows",
                          nest.reason);
    return true;
  }
  if (nest.mayAccumulate())
    remark::missed(loc,
                   remark::RemarkOpts::name("NotRaised").category("tc-raise"))
        << remark::reason("the nest is no contraction: {0}",
                          refusal.empty() ? nest.reason : refusal);
  return false;
}

/// Where a loop of affine has a map of values for a bound, it gets the value of
/// the map: computed before all loops in which that is the same, so that it
/// bounds a nest from outside.
static void nameBounds(OpBuilder &builder, affine::AffineForOp loop) {
  auto name = [&](affine::AffineBound bound) -> std::optional<Value> {
    AffineMap map = bound.getMap();
    if (map.getNumResults() != 1 || map.isSingleConstant() ||
        isa<AffineDimExpr, AffineSymbolExpr>(map.getResult(0)))
      return std::nullopt;
    SmallVector<Value> operands(bound.getOperands());
    Operation *before = loop;
    for (Operation *parent = loop->getParentOp();
         isa<LoopLikeOpInterface>(parent) &&
         llvm::none_of(operands,
                       [&](Value value) { return isInside(parent, value); });
         parent = parent->getParentOp())
      before = parent;
    builder.setInsertionPoint(before);
    return affine::AffineApplyOp::create(builder, loop.getLoc(), map, operands)
        .getResult();
  };
  AffineMap same = builder.getMultiDimIdentityMap(1);
  if (std::optional<Value> lower = name(loop.getLowerBound()))
    loop.setLowerBound(*lower, same);
  if (std::optional<Value> upper = name(loop.getUpperBound()))
    loop.setUpperBound(*upper, same);
}

namespace {
struct RaisePass : tc::impl::RaiseBase<RaisePass> {
  using RaiseBase::RaiseBase;

  void runOnOperation() override {
    // Outermost first. What is inside of other loops than those in order is
    // part of a kernel.
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](affine::AffineForOp loop) { nameBounds(rewriter, loop); });
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isHost = isa<SeqOp, scf::ForOp, affine::AffineForOp, scf::IfOp,
                        affine::AffineIfOp, func::FuncOp>(op);
      bool isNest = isa<ParOp>(op) || (isHost && !getRanges(op).empty());
      if (isNest && raise(rewriter, op, keepOrder))
        return WalkResult::skip();
      return isHost || op->getNumRegions() == 0 ? WalkResult::advance()
                                                : WalkResult::skip();
    });
  }
};
} // namespace
