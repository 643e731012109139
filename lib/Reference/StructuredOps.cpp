//===- StructuredOps.cpp - Structured ops as nests ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOps.h"

#include "Nest.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace llvm;

namespace mlir::tc::reference {

bool isStructuredOp(Operation *op) {
  return isa<linalg::LinalgOp, ContractOp>(op);
}

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

/// Does `body`, with one output, add the product of all its inputs to it?
static bool isMultiplyAdd(Block &body) {
  Operation *yield = body.getTerminator();
  if (body.getNumArguments() < 2 || yield->getNumOperands() != 1)
    return false;
  auto sum = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value accumulator = body.getArguments().back();
  if (sum.getLhs() != accumulator && sum.getRhs() != accumulator)
    return false;
  Value product = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  SmallVector<bool> seen(body.getNumArguments() - 1, false);
  return collectFactors(product, seen) &&
         llvm::all_of(seen, [](bool b) { return b; });
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// The view of an operand. A result on tensors is computed in a copy.
static Expected<View> viewOf(OpOperand &operand, bool isOutput, State &state) {
  const View *view = state.find(operand.get());
  if (!view)
    return createStringError("operand %u has no known value",
                             operand.getOperandNumber());
  if (isOutput && isa<TensorType>(operand.get().getType()))
    return view->clone();
  return *view;
}

/// The extents of the iterators, from the shapes of the operands.
static Expected<SmallVector<int64_t>> extentsOf(linalg::LinalgOp op,
                                                State &state) {
  SmallVector<int64_t> sizes;
  for (OpOperand &operand : op->getOpOperands()) {
    const View *view = state.find(operand.get());
    if (!view)
      return createStringError("operand %u has no known value",
                               operand.getOperandNumber());
    sizes.append(view->sizes.begin(), view->sizes.end());
  }
  AffineMap map = op.getShapesToLoopsMap();
  if (!map || map.getNumDims() != sizes.size())
    return createStringError("extents do not follow from the operands");
  return map.compose(sizes);
}

static Error addOperands(linalg::LinalgOp op, State &state, Nest &nest) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isOutput = op.isDpsInit(&operand);
    Expected<View> view = viewOf(operand, isOutput, state);
    if (!view)
      return view.takeError();
    unsigned input =
        nest.body.addRegister(op.getMatchingBlockArgument(&operand));
    if (Error error = nest.addOperand(std::move(*view),
                                      op.getMatchingIndexingMap(&operand),
                                      input, isOutput))
      return error;
  }
  return Error::success();
}

static Expected<int64_t> evaluateLinalg(linalg::LinalgOp op, State &state) {
  Nest nest;
  Expected<SmallVector<int64_t>> extents = extentsOf(op, state);
  if (!extents)
    return extents.takeError();
  nest.extents = *extents;
  if (Error error = addOperands(op, state, nest))
    return error;
  Block &body = *op.getBlock();
  if (Error error = nest.body.append(body))
    return error;
  MutableArrayRef<Nest::Operand> outputs = nest.operands;
  outputs = outputs.take_back(op.getNumDpsInits());
  for (auto [output, yielded] :
       llvm::zip(outputs, body.getTerminator()->getOperands())) {
    Expected<unsigned> result = nest.body.find(yielded);
    if (!result)
      return result.takeError();
    output.result = *result;
  }
  nest.isMultiplyAdd = isMultiplyAdd(body);
  nest.run();
  for (auto [result, output] : llvm::zip(op->getResults(), outputs))
    state.set(result, output.view);
  return nest.countRoundings();
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
    const View *known = state.find(cast<Value>(extent));
    if (!known)
      return createStringError("an extent has no known value");
    extents.push_back(int64_t(known->front().value));
  }
  return extents;
}

/// Appends a region with its arguments bound to `arguments`; returns the
/// register of what it yields.
static Expected<unsigned> appendRegion(ScalarProgram &program, Region &region,
                                       ArrayRef<unsigned> arguments) {
  for (auto [argument, reg] : llvm::zip(region.getArguments(), arguments))
    program.alias(argument, reg);
  Block &block = region.front();
  if (Error error = program.append(block))
    return error;
  return program.find(block.getTerminator()->getOperand(0));
}

/// Appends combine(accumulator, map(inputs)); returns the result's register.
static Expected<unsigned> appendBody(ContractOp op, ScalarProgram &program,
                                     ArrayRef<unsigned> inputs,
                                     unsigned accumulator) {
  unsigned mapped = inputs.front();
  if (op.getMap().empty()) {
    for (unsigned input : inputs.drop_front())
      mapped = program.append(multiply, mapped, input);
  } else {
    Expected<unsigned> yielded = appendRegion(program, op.getMap(), inputs);
    if (!yielded)
      return yielded.takeError();
    mapped = *yielded;
  }
  if (op.getCombine().empty())
    return program.append(add, accumulator, mapped);
  return appendRegion(program, op.getCombine(), {accumulator, mapped});
}

static Expected<int64_t> evaluateContract(ContractOp op, State &state) {
  Nest nest;
  Expected<SmallVector<int64_t>> extents = extentsOf(op, state);
  if (!extents)
    return extents.takeError();
  nest.extents = *extents;
  SmallVector<unsigned> inputs;
  for (auto [i, operand] : llvm::enumerate(op.getInputsMutable())) {
    Expected<View> view = viewOf(operand, /*isOutput=*/false, state);
    if (!view)
      return view.takeError();
    inputs.push_back(nest.body.addRegister(nullptr));
    if (Error error = nest.addOperand(std::move(*view), op.getInputMap(i),
                                      inputs.back(), /*isOutput=*/false))
      return error;
  }
  if (op.getOutputs().size() != 1 || !op.getSides().empty() ||
      !op.getEpilogue().empty())
    return createStringError("expected one result without an epilogue");
  Expected<View> output =
      viewOf(op.getOutputsMutable()[0], /*isOutput=*/true, state);
  if (!output)
    return output.takeError();
  if (op.getOverwrite()) {
    auto neutral = dyn_cast<FloatAttr>(op.getNeutralElements().front());
    if (!neutral)
      return createStringError("expected a neutral element of float type");
    double value = neutral.getValueAsDouble();
    output->forEach([&](int64_t at) {
      (*output->storage)[at] = {value, std::fabs(value)};
    });
  }
  unsigned accumulator = nest.body.addRegister(nullptr);
  if (Error error = nest.addOperand(*output, op.getOutputMap(), accumulator,
                                    /*isOutput=*/true))
    return error;
  Expected<unsigned> result = appendBody(op, nest.body, inputs, accumulator);
  if (!result)
    return result.takeError();
  nest.operands.back().result = *result;
  nest.isMultiplyAdd = op.isMultiplyAdd();
  nest.run();
  for (Value value : op.getResults())
    state.set(value, *output);
  return nest.countRoundings();
}

Expected<int64_t> evaluateStructuredOp(Operation *op, State &state) {
  if (auto contract = dyn_cast<ContractOp>(op))
    return evaluateContract(contract, state);
  return evaluateLinalg(cast<linalg::LinalgOp>(op), state);
}

} // namespace mlir::tc::reference
