//===- StructuredOps.cpp - Structured ops as nests ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOps.h"

#include "Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace llvm;

namespace mlir::tc::reference {

bool isStructuredOp(Operation *op) { return isa<linalg::LinalgOp>(op); }

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
    return std::move(error);
  Block &body = *op.getBlock();
  if (Error error = nest.body.append(body))
    return std::move(error);
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

Expected<int64_t> evaluateStructuredOp(Operation *op, State &state) {
  return evaluateLinalg(cast<linalg::LinalgOp>(op), state);
}

} // namespace mlir::tc::reference
