//===- Evaluate.cpp - Reference evaluation of a function ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "StructuredOps.h"
#include "ViewOps.h"

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace llvm;
using namespace mlir::tc::reference;

namespace mlir::tc {

Array Array::of(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Array array{SmallVector<int64_t>(shape), {}, /*isInteger=*/false};
  array.elements.reserve(values.size());
  for (double value : values)
    array.elements.push_back(Scalar::of(value));
  return array;
}

Array Array::ofIntegers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  Array array{SmallVector<int64_t>(shape), {}, /*isInteger=*/true};
  for (int64_t value : values)
    array.elements.push_back(Scalar::ofInteger(value));
  return array;
}

/// One member of all elements.
template <typename T>
static std::vector<T> gather(ArrayRef<Scalar> elements, T Scalar::*member) {
  std::vector<T> parts;
  parts.reserve(elements.size());
  for (const Scalar &element : elements)
    parts.push_back(element.*member);
  return parts;
}

std::vector<double> Array::values() const {
  return gather(elements, &Scalar::value);
}
std::vector<double> Array::magnitudes() const {
  return gather(elements, &Scalar::magnitude);
}
std::vector<int64_t> Array::integers() const {
  return gather(elements, &Scalar::integer);
}

//===----------------------------------------------------------------------===//
// Arrays to views and back
//===----------------------------------------------------------------------===//

static View toView(const Array &array) {
  View view = View::allocate(array.shape);
  *view.storage = array.elements;
  return view;
}

static Array toArray(const View &view, Type type) {
  Array array{view.sizes, {}, getElementTypeOrSelf(type).isIntOrIndex()};
  array.elements.reserve(view.count());
  view.forEach(
      [&](int64_t at) { array.elements.push_back((*view.storage)[at]); });
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
  size_t count = 1;
  bool matches = expected.size() == array.shape.size();
  for (size_t dim = 0; matches && dim != expected.size(); ++dim) {
    matches = ShapedType::isDynamic(expected[dim]) ||
              expected[dim] == array.shape[dim];
    count *= array.shape[dim];
  }
  bool isInteger = getElementTypeOrSelf(argument.getType()).isIntOrIndex();
  if (!matches || array.elements.size() != count ||
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

/// Computes a scalar op (arith, math) outside of structured ops.
static Error evaluateScalar(Operation *op, State &state) {
  ScalarProgram program;
  SmallVector<std::pair<unsigned, Scalar>> known;
  for (Value operand : op->getOperands())
    if (const View *view = state.find(operand); view && view->sizes.empty())
      known.push_back({program.addRegister(operand), view->front()});
  if (Error error = program.append(op))
    return error;
  state.roundings += program.countAll();
  Expected<unsigned> result = program.find(op->getResult(0));
  if (!result)
    return result.takeError();
  std::vector<Scalar> registers = program.initial();
  for (auto [reg, value] : known)
    registers[reg] = value;
  program.run(ScalarProgram::body, registers.data());
  View view = View::allocate({});
  view.storage->front() = registers[*result];
  state.set(op->getResult(0), std::move(view));
  return Error::success();
}

static Error evaluateOp(Operation *op, State &state) {
  if (auto sum = dyn_cast<SumOp>(op)) { // terms add to what is there
    for (ContractOp term : sum.getTerms())
      if (Error error = evaluateOp(term, state))
        return error;
    return Error::success();
  }
  if (isStructuredOp(op)) {
    Expected<Roundings> roundings = evaluateStructuredOp(op, state);
    if (!roundings)
      return roundings.takeError();
    state.roundings += *roundings;
    return Error::success();
  }
  if (isViewOp(op))
    return evaluateViewOp(op, state);
  return evaluateScalar(op, state);
}

Expected<Evaluation> evaluate(func::FuncOp function,
                              MutableArrayRef<Array> arguments) {
  if (!llvm::hasSingleElement(function.getBody()))
    return createStringError("function '" + function.getName() +
                             "': expected one block");
  if (function.getNumArguments() != arguments.size())
    return createStringError("function '" + function.getName() +
                             "': expected an array for each argument");
  State state;
  for (auto [argument, array] : llvm::zip(function.getArguments(), arguments)) {
    if (Error error = checkArgument(argument, array))
      return error;
    state.set(argument, toView(array));
  }
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    if (Error error = evaluateOp(&op, state))
      return atOp(&op, std::move(error));

  for (auto [argument, array] : llvm::zip(function.getArguments(), arguments))
    if (isa<MemRefType>(argument.getType()))
      array = toArray(*state.find(argument), argument.getType());
  Evaluation evaluation;
  evaluation.roundings = state.roundings.count;
  evaluation.error = state.roundings.error;
  for (Value result : block.getTerminator()->getOperands()) {
    const View *view = state.find(result);
    if (!view)
      return createStringError("function '" + function.getName() +
                               "': a returned value is not known");
    evaluation.results.push_back(toArray(*view, result.getType()));
  }
  return evaluation;
}

/// The buffer that views of any kind come from.
static Value getBase(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      value = view.getViewSource();
    else if (auto transpose = dyn_cast<memref::TransposeOp>(op))
      value = transpose.getIn(); // it is no ViewLikeOpInterface
    else
      break;
  }
  return value;
}

SmallVector<bool> findWrittenArguments(func::FuncOp function) {
  SmallVector<bool> written(function.getNumArguments(), false);
  auto mark = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(getBase(value));
    if (argument && argument.getOwner()->getParentOp() == function)
      written[argument.getArgNumber()] = true;
  };
  function.walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances)
      if (isa<MemoryEffects::Write>(instance.getEffect()) &&
          instance.getValue())
        mark(instance.getValue());
  });
  return written;
}

} // namespace mlir::tc
