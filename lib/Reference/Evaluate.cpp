//===- Evaluate.cpp - Reference evaluation of a function ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/BufferOps.h"
#include "Steps/Steps.h"
#include "Values/ScalarProgram.h"

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;
using namespace mlir::tc::reference;

namespace mlir::tc {

std::vector<double> Array::values() const {
  auto values = llvm::map_range(elements, [](auto &x) { return x.value; });
  return {values.begin(), values.end()};
}
std::vector<int64_t> Array::integers() const {
  auto numbers = llvm::map_range(elements, [](auto &x) { return x.integer; });
  return {numbers.begin(), numbers.end()};
}

//===----------------------------------------------------------------------===//
// Arrays to views and back
//===----------------------------------------------------------------------===//

static Expected<View> toView(const Array &array, Type type) {
  Expected<View> view = allocate(type, array.shape);
  if (!view)
    return view;
  auto next = array.elements.begin();
  view->forEach([&](int64_t place) { view->at(place) = *next++; });
  return view;
}

static Array toArray(const View &view, Type type) {
  Array array{view.sizes, {}, getElementTypeOrSelf(type).isIntOrIndex()};
  array.elements.reserve(view.count());
  view.forEach(
      [&](int64_t place) { array.elements.push_back(view.at(place)); });
  return array;
}

static Error checkArgument(BlockArgument argument, const Array &array) {
  SmallVector<int64_t> expected;
  if (auto shaped = dyn_cast<ShapedType>(argument.getType())) {
    if (!shaped.hasRank())
      return createStringError("argument %u has no rank",
                               argument.getArgNumber());
    expected.assign(shaped.getShape().begin(), shaped.getShape().end());
  }
  bool isInteger = getElementTypeOrSelf(argument.getType()).isIntOrIndex();
  if (failed(verifyCompatibleShape(expected, array.shape)) ||
      int64_t(array.elements.size()) !=
          ShapedType::getNumElements(array.shape) ||
      array.isInteger != isInteger)
    return createStringError("array for argument %u does not have its type",
                             argument.getArgNumber());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Prefixes an error with the place of `op` in the source.
static Error atOp(Operation *op, Error error) {
  std::string text;
  raw_string_ostream stream(text);
  stream << op->getLoc() << ": '" << op->getName() << "': ";
  return createStringError(text + toString(std::move(error)));
}

static Error setArguments(func::FuncOp function, ArrayRef<Array> arrays,
                          State &state) {
  for (auto [argument, array] : llvm::zip(function.getArguments(), arrays)) {
    if (Error error = checkArgument(argument, array))
      return error;
    if (!isa<ShapedType>(argument.getType())) {
      state.set(argument, array.elements.front());
      continue;
    }
    if (Error error = state.set(argument, toView(array, argument.getType())))
      return error;
  }
  return Error::success();
}

/// Takes the results, and what is in the memrefs that were given.
static Error takeResults(func::FuncOp function, MutableArrayRef<Array> arrays,
                         State &state, Evaluation &evaluation) {
  auto take = [&](Value value) {
    return toArray(state.viewOf(value), value.getType());
  };
  for (auto [argument, array] : llvm::zip(function.getArguments(), arrays))
    if (isa<MemRefType>(argument.getType()))
      array = take(argument);
  OperandRange results = function.front().getTerminator()->getOperands();
  if (!state.areKnown(results))
    return createStringError("a result has no known value");
  evaluation.results.reserve(results.size());
  for (Value result : results)
    evaluation.results.push_back(take(result));
  return Error::success();
}

static Error run(func::FuncOp function, State &state) {
  Steps steps;
  if (Error error = steps.append(function.front(), state))
    return atOp(state.failed, std::move(error));
  if (Error error = steps.run(state))
    return atOp(state.failed, std::move(error));
  return Error::success();
}

/// The same op on tensors, which are copies of the buffers it works on; its
/// results are put back after `builder`'s place.
static linalg::AggregatedOpInterface
liftToTensors(OpBuilder &builder, linalg::AggregatedOpInterface op) {
  auto outputs = cast<DestinationStyleOpInterface>(*op).getDpsInitsMutable();
  Location loc = op->getLoc();
  SmallVector<Value> operands, destinations;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool isOutput =
        llvm::is_contained(llvm::make_pointer_range(outputs), &operand);
    if (auto type = dyn_cast<MemRefType>(value.getType())) {
      auto tensor =
          RankedTensorType::get(type.getShape(), type.getElementType());
      value = bufferization::ToTensorOp::create(builder, loc, tensor, value);
      if (isOutput) {
        destinations.push_back(operand.get());
        types.push_back(tensor);
      }
    }
    operands.push_back(value);
  }
  Operation *lifted = clone(builder, op, types, operands);
  for (auto [result, place] :
       llvm::zip_equal(lifted->getResults(), destinations))
    bufferization::MaterializeInDestinationOp::create(builder, loc, result,
                                                      place)
        .setWritable(true);
  op->erase();
  builder.setInsertionPoint(lifted);
  return cast<linalg::AggregatedOpInterface>(lifted);
}

/// Replaces ops that are none of linalg's nests, as linalg.softmax, by those
/// that upstream defines them by: ops on tensors.
static Error decomposeAggregates(func::FuncOp function) {
  function.getContext()->loadDialect<bufferization::BufferizationDialect>();
  for (auto op : collectOps<linalg::AggregatedOpInterface>(function)) {
    OpBuilder builder(op);
    if (cast<DestinationStyleOpInterface>(*op).hasPureBufferSemantics())
      op = liftToTensors(builder, op);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(builder);
    if (failed(values))
      return atOp(op, createNoMeaningError(op));
    op->replaceAllUsesWith(*values);
    op->erase();
  }
  return Error::success();
}

Expected<Evaluation> evaluate(func::FuncOp function,
                              MutableArrayRef<Array> arguments,
                              const EvaluateOptions &options) {
  auto inFunction = [&](Error error) {
    return createStringError("function '" + function.getName() +
                             "': " + toString(std::move(error)));
  };
  if (!llvm::hasSingleElement(function.getBody()))
    return inFunction(createStringError("expected one block"));
  if (function.getNumArguments() != arguments.size())
    return inFunction(createStringError("expected an array for each argument"));
  OwningOpRef<func::FuncOp> decomposed;
  if (containsOp(function, llvm::IsaPred<linalg::AggregatedOpInterface>)) {
    decomposed = function.clone();
    function = *decomposed;
    if (Error error = decomposeAggregates(function))
      return error;
  }
  State state;
  state.f8SumBits = options.f8SumBits;
  state.copiesRead = options.copiesRead;
  if (options.checkIndependence)
    state.independence.emplace();
  if (Error error = setArguments(function, arguments, state))
    return error;
  if (Error error = run(function, state))
    return error;
  Evaluation evaluation;
  if (Error error = takeResults(function, arguments, state, evaluation))
    return inFunction(std::move(error));
  evaluation.undecided = state.undecided;
  if (state.firstUndecided)
    raw_string_ostream(evaluation.firstUndecided)
        << state.firstUndecided->getLoc();
  return evaluation;
}

} // namespace mlir::tc
