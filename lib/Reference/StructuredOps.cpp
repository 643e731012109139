//===- StructuredOps.cpp - Structured ops as nests ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOps.h"

#include "Steps/Nest.h"
#include "Steps/Steps.h"

#include "tc/IR/Factors.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Recognising multiply-add
//===----------------------------------------------------------------------===//

/// Marks the arguments of which `value` is a product; false when it is none, or
/// when an argument occurs twice.
static bool collectFactors(Value value, SmallVectorImpl<bool> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    return number < seen.size() && !std::exchange(seen[number], true);
  }
  if (auto cast = value.getDefiningOp<arith::ExtFOp>())
    return collectFactors(cast.getIn(), seen);
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && collectFactors(product.getLhs(), seen) &&
         collectFactors(product.getRhs(), seen);
}

/// The sum of an old result, which has no other use, and something else, if
/// output `number` of `count` is one.
static arith::AddFOp findSum(Block &body, unsigned number, unsigned count) {
  Value yielded = body.getTerminator()->getOperand(number);
  Value old = body.getArguments().take_back(count)[number];
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  bool isSum = sum && old.hasOneUse() && is_contained(sum->getOperands(), old);
  return isSum ? sum : arith::AddFOp();
}

/// Does `body`, with one output, add the product of all its inputs to it?
static bool isMultiplyAdd(Block &body) {
  if (body.getNumArguments() < 2 || body.getTerminator()->getNumOperands() != 1)
    return false;
  arith::AddFOp sum = findSum(body, 0, 1);
  if (!sum)
    return false;
  Value accumulator = body.getArguments().back();
  Value product = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  SmallVector<bool> seen(body.getNumArguments() - 1, false);
  return collectFactors(product, seen) &&
         llvm::all_of(seen, [](bool b) { return b; });
}

/// That of products of two numbers of 8 bits, which tensor units may make.
static std::optional<Nest::ShortSum> findShortSum(ValueRange inputs, Type sum,
                                                  const State &state) {
  if (state.f8SumBits == 0 || inputs.size() != 2 || !sum.isF32())
    return std::nullopt;
  Nest::ShortSum found{state.f8SumBits, {}};
  for (Value input : inputs) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(input.getType()));
    if (!type || !isF8(type))
      return std::nullopt;
    auto least = APFloat::getSmallestNormalized(type.getFloatSemantics());
    found.smallest.push_back(least.convertToDouble());
  }
  return found;
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// The view of an operand. A result on tensors is computed in a copy.
static Expected<View> viewOf(OpOperand &operand, bool isOutput, State &state) {
  View view = state.viewOf(operand.get());
  if (isOutput && isa<TensorType>(operand.get().getType()))
    return view.clone();
  return view;
}

/// The extents of the iterators, from the shapes of the operands.
static Expected<SmallVector<int64_t>> extentsOf(linalg::LinalgOp op,
                                                State &state) {
  SmallVector<int64_t> sizes;
  for (Value operand : op->getOperands())
    llvm::append_range(sizes, state.viewOf(operand).sizes);
  AffineMap map = op.getShapesToLoopsMap();
  if (!map || map.getNumDims() != sizes.size())
    return createStringError("extents do not follow from the operands");
  return map.compose(sizes);
}

/// Adds the operands of `op`, whose elements its block takes. Where the nest
/// has no inner iterators an output is updated in place at every point.
static Error addOperands(linalg::LinalgOp op, State &state, Nest &nest) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isOutput = op.isDpsInit(&operand);
    Expected<View> view = viewOf(operand, isOutput, state);
    if (!view)
      return view.takeError();
    if (Error error = nest.addOperand(std::move(*view),
                                      op.getMatchingIndexingMap(&operand),
                                      isOutput ? Nest::output : Nest::input))
      return error;
    unsigned element = nest.operands.back().element;
    nest.operands.back().isRead = op.payloadUsesValueFromOperand(&operand);
    nest.program.alias(op.getMatchingBlockArgument(&operand), element);
    if (isOutput)
      nest.accumulators.push_back(element);
  }
  return Error::success();
}

/// Sums of narrow floats are kept in f32 and rounded once (docs/Rationale.md).
static bool isKeptInF32(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Says so to `nest`. Returns, for each output, the rounding that comes last.
static SmallVector<std::optional<ScalarOp>>
widenSums(Block &body, unsigned outputs, Nest &nest) {
  SmallVector<std::optional<ScalarOp>> roundings(outputs);
  for (unsigned i = 0; i != outputs; ++i) {
    arith::AddFOp sum = findSum(body, i, outputs);
    if (!sum || !isKeptInF32(sum.getType()))
      continue;
    nest.program.widen(sum);
    roundings[i] = getRounding(sum.getType());
  }
  return roundings;
}

/// Gives the scalars from outside that the body uses to `nest`; constants it
/// finds itself.
static void addScalars(linalg::LinalgOp op, State &state, Nest &nest) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *maker = value.getDefiningOp();
    bool isScalar =
        isa<IntegerType, IndexType, FloatType, ComplexType>(value.getType());
    if (isScalar && !(maker && findConstant(maker)))
      nest.program.define(value, state.scalarOf(value));
  }
}

namespace {
/// The elements that tensor.extract in a body reads of a tensor from outside.
/// Remembers the first index that is out of bounds.
class Gathers {
public:
  explicit Gathers(State &state) : state(state) {}

  Computation find(Operation *op) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (!extract)
      return nullptr;
    return [this, view = state.viewOf(extract.getTensor())](
               ArrayRef<Scalar> index) { return read(view, index); };
  }

  Error takeError() {
    return problem.empty() ? Error::success() : createStringError(problem);
  }

private:
  Scalar read(const View &view, ArrayRef<Scalar> index) {
    int64_t place = view.offset;
    bool isCertain = true;
    for (auto [i, size, stride] : zip_equal(index, view.sizes, view.strides)) {
      if (i.integer < 0 || i.integer >= size) {
        if (problem.empty())
          problem = formatv("expected an index of at least 0 and below {0} in "
                            "a body, got {1}",
                            size, i.integer);
        return {};
      }
      isCertain &= i.inherited == 0;
      place += i.integer * stride;
    }
    Scalar element = view.at(place);
    if (!isCertain)
      element.inherited = std::numeric_limits<double>::infinity();
    return element;
  }

  State &state;
  std::string problem;
};
} // namespace

Error evaluateLinalg(linalg::LinalgOp op, State &state) {
  Nest nest;
  Expected<SmallVector<int64_t>> extents = extentsOf(op, state);
  if (!extents)
    return extents.takeError();
  Block &body = *op.getBlock();
  nest.extents = *extents;
  SmallVector<std::optional<ScalarOp>> lastRoundings =
      widenSums(body, op.getNumDpsInits(), nest);
  if (isMultiplyAdd(body)) {
    Type type = body.getArguments().back().getType();
    if (isKeptInF32(type))
      type = Float32Type::get(op.getContext());
    nest.multiplyAdd = getSum(type);
    nest.shortSum = findShortSum(op.getDpsInputs(), type, state);
  }
  for (utils::IteratorType type : op.getIteratorTypesArray())
    nest.isInner.push_back(nest.multiplyAdd &&
                           type == utils::IteratorType::reduction);
  if (Error error = addOperands(op, state, nest))
    return error;
  addScalars(op, state, nest);
  Gathers gathers(state);
  if (Error error = nest.program.append(
          body, [&](Operation *inner) { return gathers.find(inner); }))
    return error;
  MutableArrayRef<Nest::Operand> outputs = nest.operands;
  outputs = outputs.take_back(op.getNumDpsInits());
  auto yielded = nest.program.findAll(body.getTerminator()->getOperands());
  if (!yielded)
    return yielded.takeError();
  for (auto [output, result] : llvm::zip(outputs, *yielded))
    output.result = nest.multiplyAdd ? output.element : result;
  if (Error error = nest.run(state))
    return error;
  if (Error error = gathers.takeError())
    return error;
  for (auto [output, rounding] : llvm::zip_equal(outputs, lastRoundings))
    if (rounding)
      output.view.forEach(
          [&, &view = output.view, &last = *rounding](int64_t place) {
            view.at(place) = last.apply(view.at(place));
          });
  for (auto [result, output] : llvm::zip(op->getResults(), outputs))
    state.set(result, output.view);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// tc.contract
//===----------------------------------------------------------------------===//

static Expected<SmallVector<int64_t>> extentsOf(ContractOp op, State &state) {
  SmallVector<int64_t> extents;
  for (OpFoldResult extent : op.getMixedExtents()) {
    if (std::optional<int64_t> constant = getConstantIntValue(extent)) {
      extents.push_back(*constant);
      continue;
    }
    int64_t number = state.scalarOf(cast<Value>(extent)).integer;
    if (number < 0)
      return createStringError("expected extents of at least 0, got " +
                               Twine(number));
    extents.push_back(number);
  }
  return extents;
}

namespace {
/// A contraction on its way to a nest.
class Contraction {
public:
  Contraction(ContractOp op, State &state) : op(op), state(state) {}
  Error evaluate();

private:
  using Registers = SmallVector<unsigned>;

  Error addOperands();
  Expected<Registers> appendRegion(Region &region, ArrayRef<unsigned> values);
  unsigned convert(unsigned value, Type from, Type to);
  unsigned round(unsigned factor);
  Error appendBegin();
  Expected<Registers> appendMap();
  Error appendBody();
  Error appendEnd();
  bool hasRealFactors();
  /// The registers of all operands of one role, in order.
  Registers elements(Nest::Role role) {
    Registers result;
    for (const Nest::Operand &operand : nest.operands)
      if (operand.role == role)
        result.push_back(operand.element);
    return result;
  }
  static Type elementType(Value operand) {
    return cast<ShapedType>(operand.getType()).getElementType();
  }

  ContractOp op;
  State &state;
  Nest nest;
};
} // namespace

Error Contraction::addOperands() {
  SmallVector<AffineMap> maps = op.getMaps();
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto operands = op->getOpOperands().drop_front(op.getExtents().size());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Nest::Role role = i < inputs           ? Nest::input
                      : i < inputs + sides ? Nest::side
                                           : Nest::output;
    Expected<View> view = viewOf(operand, role == Nest::output, state);
    if (!view)
      return view.takeError();
    if (Error error = nest.addOperand(std::move(*view), maps[i], role))
      return error;
    nest.operands.back().isRead = role != Nest::output || !op.getOverwrite();
  }
  return Error::success();
}

/// Appends a region with its arguments bound to `values`; returns the registers
/// of what it yields.
Expected<Contraction::Registers>
Contraction::appendRegion(Region &region, ArrayRef<unsigned> values) {
  for (auto [argument, reg] : llvm::zip_equal(region.getArguments(), values))
    nest.program.alias(argument, reg);
  Block &block = region.front();
  if (Error error = nest.program.append(block))
    return error;
  return nest.program.findAll(block.getTerminator()->getOperands());
}

unsigned Contraction::convert(unsigned value, Type from, Type to) {
  std::optional<ScalarOp> conversion = findConversion(from, to);
  return conversion ? nest.program.append(*conversion, {value}) : value;
}

/// A factor as it may be rounded before products are made.
unsigned Contraction::round(unsigned factor) {
  const Decomposition &parts = getDecomposition(op.getProductPrecision());
  if (parts.loss == 0)
    return factor;
  Type type = FloatTF32Type::get(op.getContext());
  if (parts.type == "bf16")
    type = BFloat16Type::get(op.getContext());
  ScalarOp rounding = getRounding(type);
  rounding.roundoff = parts.loss;
  return nest.program.append(rounding, {factor});
}

/// Accumulators start from the old results, or from the neutral elements.
Error Contraction::appendBegin() {
  nest.program.section = ScalarProgram::begin;
  SmallVector<Type> types = op.getAccumulatorTypes();
  SmallVector<TypedAttr> neutral = op.getNeutralElements();
  Registers old = elements(Nest::output);
  for (auto [i, type] : llvm::enumerate(types)) {
    nest.accumulators.push_back(nest.program.addRegister());
    unsigned start;
    if (op.getOverwrite()) {
      std::optional<Scalar> value = findScalar(neutral[i]);
      if (!value)
        return createStringError("expected neutral elements that are numbers");
      start = nest.program.addConstant(*value);
    } else {
      start = convert(old[i], op.getElementType(i), type);
    }
    nest.program.appendCopy(start, nest.accumulators.back());
  }
  return Error::success();
}

/// Appends the map; returns the registers of the values to accumulate.
Expected<Contraction::Registers> Contraction::appendMap() {
  Registers inputs = elements(Nest::input);
  Type type = op.getAccumulatorTypes().front();
  if (!op.getMap().empty()) {
    Expected<Registers> values = appendRegion(op.getMap(), inputs);
    std::optional<Factors> factors = Factors::match(op);
    if (!values || !factors || op.getProductPrecision() == Precision::IEEE)
      return values;
    // Of rounded factors, which are of the accumulator's type.
    Expected<Registers> exact =
        nest.program.findAll({factors->getValue(0), factors->getValue(1)});
    if (!exact)
      return exact.takeError();
    return Registers{nest.program.append(
        getProduct(type), {round((*exact)[0]), round((*exact)[1])})};
  }
  std::optional<unsigned> product;
  for (auto [reg, input] : llvm::zip_equal(inputs, op.getInputs())) {
    unsigned factor = round(convert(reg, elementType(input), type));
    product = product
                  ? nest.program.append(getProduct(type), {*product, factor})
                  : factor;
  }
  return Registers{*product};
}

Error Contraction::appendBody() {
  nest.program.section = ScalarProgram::body;
  Expected<Registers> values = appendMap();
  if (!values)
    return values.takeError();
  Registers updated;
  if (!op.getCombine().empty()) {
    Registers arguments = nest.accumulators;
    llvm::append_range(arguments, *values);
    Expected<Registers> yielded = appendRegion(op.getCombine(), arguments);
    if (!yielded)
      return yielded.takeError();
    // One accumulator may be yielded in the place of another.
    for (unsigned reg : *yielded)
      updated.push_back(nest.program.append(getCopy(), {reg}));
  } else {
    for (auto [accumulator, value, type] :
         llvm::zip_equal(nest.accumulators, *values, op.getAccumulatorTypes()))
      updated.push_back(
          nest.program.append(getSum(type), {accumulator, value}));
  }
  for (auto [from, to] : llvm::zip_equal(updated, nest.accumulators))
    nest.program.appendCopy(from, to);
  return Error::success();
}

Error Contraction::appendEnd() {
  nest.program.section = ScalarProgram::end;
  Registers results;
  if (!op.getEpilogue().empty()) {
    Registers arguments = nest.accumulators;
    llvm::append_range(arguments, elements(Nest::side));
    if (Error error =
            appendRegion(op.getEpilogue(), arguments).moveInto(results))
      return error;
  } else {
    for (auto [i, accumulator, type] :
         llvm::enumerate(nest.accumulators, op.getAccumulatorTypes()))
      results.push_back(convert(accumulator, type, op.getElementType(i)));
  }
  MutableArrayRef<Nest::Operand> outputs = nest.operands;
  for (auto [output, result] :
       llvm::zip_equal(outputs.take_back(results.size()), results))
    output.result = result;
  return Error::success();
}

bool Contraction::hasRealFactors() {
  return op.isMultiplyAdd() && op.getProductPrecision() == Precision::IEEE &&
         isa<FloatType>(op.getAccumulatorTypes().front()) &&
         llvm::all_of(op.getInputs(), [](Value input) {
           return isa<FloatType>(elementType(input));
         });
}

Error Contraction::evaluate() {
  if (Error error = extentsOf(op, state).moveInto(nest.extents))
    return error;
  for (unsigned i = 0; i != op.getNumIterators(); ++i)
    nest.isInner.push_back(op.isContracted(i));
  if (hasRealFactors()) {
    nest.multiplyAdd = getSum(op.getAccumulatorTypes().front());
    if (op.mayReorder())
      nest.shortSum =
          findShortSum(op.getInputs(), op.getAccumulatorTypes().front(), state);
  }
  for (auto step : {&Contraction::addOperands, &Contraction::appendBegin,
                    &Contraction::appendBody, &Contraction::appendEnd})
    if (Error error = (this->*step)())
      return error;
  if (Error error = nest.run(state))
    return error;
  ArrayRef<Nest::Operand> outputs = nest.operands;
  for (auto [result, output] :
       llvm::zip(op.getResults(), outputs.take_back(op.getOutputs().size())))
    state.set(result, output.view);
  return Error::success();
}

void addStructuredOps(OpTable &table) {
  table.addStep<ContractOp>([](ContractOp op, State &state) {
    return Contraction(op, state).evaluate();
  });
  table.addSteps<SumOp>([](SumOp sum, Steps &steps, State &state) {
    for (ContractOp term : sum.getTerms()) // terms add to what is there
      OpTable::appendStep(term, steps, state, [=](State &state) {
        return Contraction(term, state).evaluate();
      });
    return Error::success();
  });
}

} // namespace mlir::tc::reference
