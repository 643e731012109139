//===- LinalgToTCRegions.cpp - The body of a linalg op as regions ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC/LinalgToTC.h"

#include "tc/IR/ContractDefaults.h"
#include "tc/IR/Factors.h"
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
  void buildJoins(const ScalarBody &body, Block &block);
  void buildSteps(const ScalarBody &body, Block &block);
  IRMapping start(Region &region, ValueRange arguments);
  Value bring(Value value, IRMapping &mapping);
  void clone(ArrayRef<Operation *> ops, IRMapping &mapping);
  Operation *cloneWidened(Operation *inner, IRMapping operands, Type type);

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

/// `inner` on `operands` of which the first result is a `type`.
Operation *RegionBuilder::cloneWidened(Operation *inner, IRMapping operands,
                                       Type type) {
  Operation *copy = rewriter.clone(*inner, operands);
  copy->getResult(0).setType(type);
  return copy;
}

void RegionBuilder::buildMap(const ScalarBody &body, Region &region) {
  SmallVector<Value> arguments;
  for (unsigned input : body.inputs)
    arguments.push_back(op.getBlock()->getArgument(input));
  IRMapping mapping = start(region, arguments);
  clone(body.mapOps, mapping);
  // Those of sums alone are widened by widenSums, which knows products.
  bool widens = body.accumulates && !body.isAddition();
  SmallVector<Value> values;
  for (auto [i, mapped] : llvm::enumerate(body.mapped)) {
    auto [value, type] = mapped;
    Value number = bring(value, mapping);
    if (body.isSubtracted(i))
      number = negateNumber(rewriter, op.getLoc(), number);
    values.push_back(widens ? convertNumber(rewriter, op.getLoc(), number, type)
                            : number);
  }
  YieldOp::create(rewriter, op.getLoc(), values);
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

/// Each result is joined with a value of its own.
void RegionBuilder::buildJoins(const ScalarBody &body, Block &block) {
  unsigned numResults = body.joins.size();
  SmallVector<Value> joined;
  for (auto [i, join] : llvm::enumerate(body.joins)) {
    Value old = op.getBlock()->getArgument(op.getNumDpsInputs() + i);
    IRMapping operands;
    operands.map(old, block.getArgument(i));
    // One value may be joined to several results, and then is an argument each.
    operands.map(body.mapped[i].first, block.getArgument(numResults + i));
    if (body.isSubtracted(i))
      joined.push_back(addNumbers(rewriter, op.getLoc(), block.getArgument(i),
                                  block.getArgument(numResults + i)));
    else
      joined.push_back(
          cloneWidened(join, operands, body.accumulators[i])->getResult(0));
  }
  YieldOp::create(rewriter, op.getLoc(), joined);
  dropWrapFlags(*block.getParent());
}

/// All ops that old results have a part in, in their order.
void RegionBuilder::buildSteps(const ScalarBody &body, Block &block) {
  ValueRange arguments = block.getArguments();
  unsigned numResults = body.accumulators.size();
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments().drop_front(op.getNumDpsInputs()),
              arguments.take_front(numResults));
  auto findMapped = [&](Value value, Type type) -> Value {
    auto *place = llvm::find(body.mapped, Mapped(value, type));
    return place == body.mapped.end()
               ? Value()
               : arguments[numResults + (place - body.mapped.begin())];
  };
  auto get = [&](Value value, Type type) {
    Value mapped = findMapped(value, type);
    return mapped ? mapped : bring(value, mapping);
  };
  for (Operation *inner : body.combineOps) {
    IRMapping operands;
    for (Value operand : inner->getOperands())
      operands.map(operand, get(operand, body.getTypeIn(inner, operand)));
    Type type = body.getType(inner);
    mapping.map(inner->getResults(),
                cloneWidened(inner, operands, type)->getResults());
  }
  SmallVector<Value> results;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    results.push_back(get(value, value.getType()));
  YieldOp::create(rewriter, op.getLoc(), results);
}

void RegionBuilder::buildCombine(const ScalarBody &body, Region &region) {
  SmallVector<Type> types(body.accumulators);
  llvm::append_range(types, llvm::make_second_range(body.mapped));
  SmallVector<Location> locations(types.size(), op.getLoc());
  Block *block = rewriter.createBlock(&region, {}, types, locations);
  body.joins.empty() ? buildSteps(body, *block) : buildJoins(body, *block);
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

/// `value`, which is yielded, as a number of `type`: of a product the factors
/// are, so that it is exact.
static Value widen(RewriterBase &rewriter, Value value, Type type) {
  Location loc = value.getLoc();
  Operation *op = value.getDefiningOp();
  if (value.getType() == type || !op || !isMultiplication(op))
    return convertNumber(rewriter, loc, value, type);
  return multiplyNumbers(rewriter, loc,
                         convertNumber(rewriter, loc, op->getOperand(0), type),
                         convertNumber(rewriter, loc, op->getOperand(1), type));
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
    value.set(widen(rewriter, value.get(),
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
