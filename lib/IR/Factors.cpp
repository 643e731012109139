//===- Factors.cpp - What a contraction multiplies ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/Factors.h"

#include "tc/IR/ContractDefaults.h"
#include "tc/IR/Scalars.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Are products of numbers of `type` exact in `sum`, as tensor instructions
/// form them?
static bool isFactorOf(Type type, Type sum) {
  return type == sum || getDefaultAccumulator(type) == sum;
}

/// What is widened to `value` for a product, or `value` itself.
static Value stripWidening(Value value) {
  Operation *op = value.getDefiningOp();
  bool isWidened = isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op) &&
                   isFactorOf(op->getOperand(0).getType(), value.getType());
  return isWidened ? op->getOperand(0) : value;
}

/// The operations of `map` that `value` is computed by, in order.
static SmallVector<Operation *> collectSlice(Block &map, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &map)
    return {};
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) { return other->getBlock() == &map; };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(value, &slice, options);
  return slice.takeVector();
}

/// The only argument of `map` that `value` depends on.
static std::optional<unsigned> findArgument(Block &map, Value value) {
  llvm::SmallDenseSet<unsigned, 2> arguments;
  auto add = [&](Value read) {
    auto argument = dyn_cast<BlockArgument>(read);
    if (argument && argument.getOwner() == &map)
      arguments.insert(argument.getArgNumber());
  };
  add(value);
  for (Operation *op : collectSlice(map, value))
    llvm::for_each(op->getOperands(), add);
  return arguments.size() == 1 ? std::optional(*arguments.begin())
                               : std::nullopt;
}

/// Can products of numbers of these types be taken as they are?
static bool areAlike(Type a, Type b) { return a == b || (isF8(a) && isF8(b)); }

std::optional<Factors> Factors::match(ContractOp op) {
  if (op.getInputs().size() != 2 || !op.getCombine().empty())
    return std::nullopt;
  Factors factors;
  if (op.getMap().empty()) {
    Type sum = op.getAccumulatorTypes().front();
    for (auto [input, element, type] :
         llvm::zip_equal(op.getInputs(), factors.elements, factors.types)) {
      element = getElementTypeOrSelf(input.getType());
      type = isFactorOf(element, sum) ? element : sum;
    }
    if (!areAlike(factors.types[0], factors.types[1]))
      factors.types.fill(sum);
    return factors;
  }
  Block &map = op.getMap().front();
  factors.map = &map;
  Operation *yield = map.getTerminator();
  Operation *product = yield->getOperand(0).getDefiningOp();
  if (yield->getNumOperands() != 1 || !product || product->getBlock() != &map ||
      !isMultiplication(product))
    return std::nullopt;
  std::array<Value, 2> wide = {product->getOperand(0), product->getOperand(1)};
  std::array<std::optional<unsigned>, 2> arguments = {
      findArgument(map, wide[0]), findArgument(map, wide[1])};
  if (!arguments[0] || !arguments[1] || arguments[0] == arguments[1])
    return std::nullopt;
  if (*arguments[0] == 1)
    std::swap(wide[0], wide[1]);
  factors.values = {stripWidening(wide[0]), stripWidening(wide[1])};
  // Where a precision is given, it is that of products of f32.
  if (!areAlike(factors.values[0].getType(), factors.values[1].getType()) ||
      op.getProductPrecision() != Precision::IEEE)
    factors.values = wide;
  factors.types = {factors.values[0].getType(), factors.values[1].getType()};
  return factors;
}

Value Factors::build(OpBuilder &builder, Location loc, unsigned input,
                     Value element) const {
  if (!map)
    return convertNumber(builder, loc, element, types[input]);
  IRMapping mapping;
  mapping.map(map->getArgument(input), element);
  for (Operation *inner : collectSlice(*map, values[input]))
    builder.clone(*inner, mapping)->setLoc(loc);
  return mapping.lookup(values[input]);
}

unsigned Factors::countOps(unsigned input) const {
  if (!map)
    return isElement(input) ? 0 : 1;
  return llvm::count_if(collectSlice(*map, values[input]),
                        [](Operation *inner) {
                          return !inner->hasTrait<OpTrait::ConstantLike>();
                        });
}

/// Emits what is multiplied, of elements of the inputs; fails where terms are
/// no products of two or more numbers.
static FailureOr<SmallVector<Value>> buildFactors(OpBuilder &builder,
                                                  Location loc, ContractOp op,
                                                  ValueRange elements) {
  SmallVector<Value> values(elements);
  if (std::optional<Factors> factors = Factors::match(op))
    for (auto [input, value] : llvm::enumerate(values))
      value = factors->build(builder, loc, input, value);
  else if (!op.isMultiplyAdd() || elements.size() < 2)
    return failure();
  return values;
}

SmallVector<Value> mlir::tc::addTerm(OpBuilder &builder, Location loc,
                                     ContractOp op, ValueRange accumulators,
                                     ValueRange elements) {
  FailureOr<SmallVector<Value>> factors =
      buildFactors(builder, loc, op, elements);
  if (failed(factors))
    return op.buildCombine(builder, loc, accumulators,
                           op.buildMap(builder, loc, elements));
  Type type = accumulators.front().getType();
  Value last = convertNumber(builder, loc, factors->pop_back_val(), type);
  Value product = convertNumber(builder, loc, factors->front(), type);
  for (Value factor : llvm::drop_begin(*factors))
    product = multiplyNumbers(builder, loc, product,
                              convertNumber(builder, loc, factor, type));
  return {multiplyAdd(builder, loc, product, last, accumulators.front())};
}

Value mlir::tc::negateNumber(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  if (op && isMultiplication(op))
    return multiplyNumbers(builder, loc,
                           negateNumber(builder, loc, op->getOperand(0)),
                           op->getOperand(1));
  if (auto wide = dyn_cast_or_null<arith::ExtFOp>(op))
    return arith::ExtFOp::create(builder, loc, type,
                                 negateNumber(builder, loc, wide.getIn()));
  if (isa<ComplexType>(type))
    return complex::NegOp::create(builder, loc, value);
  if (isa<FloatType>(type))
    return arith::NegFOp::create(builder, loc, value);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return arith::SubIOp::create(builder, loc, zero, value);
}
