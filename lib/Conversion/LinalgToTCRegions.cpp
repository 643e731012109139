//===- LinalgToTCRegions.cpp - The body of a linalg op as regions ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC.h"

#include "tc/IR/ContractDefaults.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Copies scalar code of a linalg op into regions of a contraction.
class RegionBuilder {
public:
  RegionBuilder(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op) {
    for (OpOperand *operand : op.getDpsInputOperands())
      if (!isa<ShapedType>(operand->get().getType()))
        scalars[op.getMatchingBlockArgument(operand)] = operand->get();
  }

  void buildMap(const ScalarBody &body, Region &region);
  void buildCombine(const ScalarBody &body, Region &region);

private:
  IRMapping start(Region &region, ValueRange arguments);
  Value bring(Value value, IRMapping &mapping);
  void clone(ArrayRef<Operation *> ops, IRMapping &mapping);
  void yield(ValueRange values, IRMapping &mapping);

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  DenseMap<Value, Value> scalars; ///< in the body: outside
};
} // namespace

/// Opens a region that takes what `arguments` are in the body.
IRMapping RegionBuilder::start(Region &region, ValueRange arguments) {
  SmallVector<Location> locations(arguments.size(), op.getLoc());
  Block *block =
      rewriter.createBlock(&region, {}, arguments.getTypes(), locations);
  IRMapping mapping;
  mapping.map(arguments, block->getArguments());
  return mapping;
}

/// What `value` of the body is in the region: constants are made again, other
/// values from outside are read there.
Value RegionBuilder::bring(Value value, IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Value outside = scalars.contains(value) ? scalars.lookup(value) : value;
  if (Operation *def = outside.getDefiningOp();
      def && def->hasTrait<OpTrait::ConstantLike>())
    outside = rewriter.clone(*def)->getResult(0);
  mapping.map(value, outside);
  return outside;
}

void RegionBuilder::clone(ArrayRef<Operation *> ops, IRMapping &mapping) {
  for (Operation *inner : ops) {
    for (Value operand : inner->getOperands())
      bring(operand, mapping);
    rewriter.clone(*inner, mapping);
  }
}

void RegionBuilder::yield(ValueRange values, IRMapping &mapping) {
  auto brought = llvm::map_to_vector(
      values, [&](Value value) { return bring(value, mapping); });
  YieldOp::create(rewriter, op.getLoc(), brought);
}

void RegionBuilder::buildMap(const ScalarBody &body, Region &region) {
  SmallVector<Value> arguments;
  for (unsigned input : body.inputs)
    arguments.push_back(op.getBlock()->getArgument(input));
  IRMapping mapping = start(region, arguments);
  clone(body.mapOps, mapping);
  yield(body.mapped, mapping);
}

/// Terms that come in another order may wrap where the sum does not.
static void dropWrapFlags(Region &region) {
  for (Operation &inner : region.front()) {
    if (auto sum = dyn_cast<arith::AddIOp>(inner))
      sum.setOverflowFlags(arith::IntegerOverflowFlags::none);
    if (auto product = dyn_cast<arith::MulIOp>(inner))
      product.setOverflowFlags(arith::IntegerOverflowFlags::none);
  }
}

void RegionBuilder::buildCombine(const ScalarBody &body, Region &region) {
  SmallVector<Value> old(
      op.getBlock()->getArguments().drop_front(op.getNumDpsInputs()));
  // One value may be joined to several results, and then is an argument each.
  IRMapping mapping = start(region, old);
  Block &block = region.front();
  for (Value value : body.mapped)
    block.addArgument(value.getType(), op.getLoc());
  if (!body.joins.empty()) {
    SmallVector<Value> joined;
    for (auto [i, join] : llvm::enumerate(body.joins)) {
      IRMapping operands;
      operands.map(old[i], block.getArgument(i));
      operands.map(body.mapped[i], block.getArgument(old.size() + i));
      joined.push_back(rewriter.clone(*join, operands)->getResult(0));
    }
    YieldOp::create(rewriter, op.getLoc(), joined);
    dropWrapFlags(region);
    return;
  }
  mapping.map(body.mapped, block.getArguments().drop_front(old.size()));
  clone(body.combineOps, mapping);
  yield(op.getBlock()->getTerminator()->getOperands(), mapping);
}

/// Does a product of converted inputs round or wrap before it multiplies?
static bool narrowsFactors(Region &map) {
  Block &block = map.front();
  return llvm::any_of(block,
                      [](Operation &inner) {
                        return isa<arith::TruncFOp, arith::TruncIOp>(inner);
                      }) &&
         block.getNumArguments() > 1;
}

/// Sums of values narrower than sums are kept in are widened first. Products of
/// the inputs as they are need no region for it.
static void widenSums(RewriterBase &rewriter, ContractOp contract) {
  Region &map = contract.getMap();
  if (succeeded(matchProduct(map)) && !narrowsFactors(map))
    return;
  Operation *yield = map.front().getTerminator();
  rewriter.setInsertionPoint(yield);
  for (OpOperand &value : yield->getOpOperands())
    value.set(convertNumber(rewriter, yield->getLoc(), value.get(),
                            getDefaultAccumulator(value.get().getType())));
}

void mlir::tc::buildRegions(RewriterBase &rewriter, linalg::LinalgOp op,
                            const ScalarBody &body, const Laws &laws,
                            ArrayRef<TypedAttr> start, ContractOp contract) {
  OpBuilder::InsertionGuard guard(rewriter);
  RegionBuilder regions(rewriter, op);
  regions.buildMap(body, contract.getMap());
  if (!body.accumulates)
    return;
  if (body.isAddition())
    return widenSums(rewriter, contract);
  regions.buildCombine(body, contract.getCombine());
  SmallVector<Attribute> values(start.begin(), start.end());
  contract.setNeutralAttr(rewriter.getArrayAttr(values));
  contract.setAssociative(!body.joins.empty() || laws.associative);
  contract.setCommutative(!body.joins.empty() || laws.commutative);
}
