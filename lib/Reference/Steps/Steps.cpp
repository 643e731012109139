//===- Steps.cpp - Regions compiled to steps ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"

#include "Memory/BufferOps.h"
#include "Memory/ViewOps.h"
#include "StructuredOps.h"
#include "TensorOps.h"
#include "Values/ScalarProgram.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Ops without regions
//===----------------------------------------------------------------------===//

static Error compileScalar(Operation *op, Steps &steps, State &state) {
  std::optional<ScalarOp> scalar = findScalarOp(op);
  if (!scalar)
    return createStringError("op '" + op->getName().getStringRef() +
                             "' has no meaning in the reference evaluation");
  unsigned count = op->getNumOperands(), from[3] = {};
  for (auto [number, operand] : llvm::zip(from, op->getOperands()))
    number = state.numberOf(operand);
  unsigned result = state.numberOf(op->getResult(0));
  steps.append(op, [=](State &state) -> Error {
    Scalar arguments[3];
    for (unsigned i = 0; i != count; ++i)
      arguments[i] = state.scalar(from[i]);
    state.scalar(result) = scalar->apply({arguments, count});
    return Error::success();
  });
  return Error::success();
}

/// affine.apply, affine.min and affine.max.
static void compileAffine(Operation *op, AffineMap map, Steps &steps,
                          State &state) {
  bool isMin = isa<affine::AffineMinOp>(op);
  unsigned to = state.numberOf(op->getResult(0));
  AffineCode code(map, op->getOperands(), state);
  steps.append(op, [=, code = std::move(code)](State &state) -> Error {
    SmallVector<int64_t, 4> results;
    if (Error error = code.run(state, results))
      return error;
    int64_t result =
        isMin ? *llvm::min_element(results) : *llvm::max_element(results);
    state.scalar(to) = Scalar::ofInteger(result);
    return Error::success();
  });
}

static void compileSum(SumOp sum, Steps &steps) {
  for (ContractOp term : sum.getTerms()) // terms add to what is there
    steps.append(term, [term](State &state) -> Error {
      return evaluateStructuredOp(term, state);
    });
}

/// Barriers order what the evaluation runs in order anyway, and a cache only
/// says where a copy may be read.
static bool hasNoEffect(Operation *op) {
  return isa<gpu::BarrierOp, CacheOp>(op);
}

static Expected<bool> compileSimple(Operation *op, Steps &steps, State &state) {
  using Evaluate = Error (*)(Operation *, State &);
  Evaluate function = isStructuredOp(op) ? evaluateStructuredOp
                      : isBufferOp(op)   ? evaluateBufferOp
                      : isViewOp(op)     ? evaluateViewOp
                      : isTensorOp(op)   ? evaluateTensorOp
                                         : Evaluate(nullptr);
  if (function) {
    for (Value result : op->getResults())
      state.numberOf(result);
    steps.append(op,
                 [=](State &state) -> Error { return function(op, state); });
  } else if (auto sum = dyn_cast<SumOp>(op)) {
    compileSum(sum, steps);
  } else if (std::optional<Scalar> constant = findConstant(op)) {
    state.set(op->getResult(0), *constant);
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    compileAffine(op, apply.getMap(), steps, state);
  } else if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    compileAffine(op, min.getMap(), steps, state);
  } else if (auto max = dyn_cast<affine::AffineMaxOp>(op)) {
    compileAffine(op, max.getMap(), steps, state);
  } else {
    return hasNoEffect(op);
  }
  return true;
}

static Error compileOp(Operation *op, Steps &steps, State &state) {
  for (auto compile : {compileSimple, compileAccess, compileLoop,
                       compileReduction, compileBranch}) {
    Expected<bool> isDone = compile(op, steps, state);
    if (!isDone)
      return isDone.takeError();
    if (*isDone)
      return Error::success();
  }
  return compileScalar(op, steps, state);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Expected<Steps> Steps::compile(Block &block, State &state) {
  Steps steps;
  for (Operation &op : block.without_terminator())
    if (Error error = compileOp(&op, steps, state)) {
      if (!state.failed)
        state.failed = &op;
      return std::move(error);
    }
  return std::move(steps);
}

Error Steps::run(State &state) {
  for (Step &step : list)
    if (Error error = step.run(state)) {
      if (!state.failed)
        state.failed = step.op;
      return error;
    }
  return Error::success();
}

Assignment::Assignment(ValueRange from, ValueRange to, State &state) {
  for (auto [source, target] : llvm::zip_equal(from, to))
    moves.push_back({state.numberOf(source), state.numberOf(target),
                     isa<ShapedType>(source.getType())});
}

void Assignment::run(State &state) const {
  SmallVector<Scalar, 4> scalars;
  SmallVector<View, 1> views;
  for (const Move &move : moves)
    if (move.isView)
      views.push_back(state.view(move.from));
    else
      scalars.push_back(state.scalar(move.from));
  auto scalar = scalars.begin();
  auto view = views.begin();
  for (const Move &move : moves)
    if (move.isView)
      state.view(move.to) = std::move(*view++);
    else
      state.scalar(move.to) = *scalar++;
}

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

AffineCode::AffineCode(AffineMap map, ValueRange values, State &state)
    : map(map) {
  for (Value value : values)
    operands.push_back(state.numberOf(value));
}

/// The value of `expr`; nothing where it divides by a number below 1.
static std::optional<int64_t> evaluate(AffineExpr expr, unsigned dims,
                                       ArrayRef<unsigned> operands,
                                       State &state) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return state.scalar(operands[dim.getPosition()]).integer;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return state.scalar(operands[dims + symbol.getPosition()]).integer;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = evaluate(binary.getLHS(), dims, operands, state);
  auto rhs = evaluate(binary.getRHS(), dims, operands, state);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return int64_t(uint64_t(*lhs) + uint64_t(*rhs));
  if (expr.getKind() == AffineExprKind::Mul)
    return int64_t(uint64_t(*lhs) * uint64_t(*rhs));
  if (*rhs < 1)
    return std::nullopt;
  int64_t remainder = *lhs % *rhs, quotient = *lhs / *rhs;
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return remainder < 0 ? remainder + *rhs : remainder;
  case AffineExprKind::FloorDiv:
    return quotient - (remainder < 0);
  default: // CeilDiv
    return quotient + (remainder > 0);
  }
}

Error AffineCode::run(State &state, SmallVectorImpl<int64_t> &results) const {
  for (AffineExpr expr : map.getResults()) {
    std::optional<int64_t> result =
        evaluate(expr, map.getNumDims(), operands, state);
    if (!result)
      return createStringError("expected to divide by a number of at least 1");
    results.push_back(*result);
  }
  return Error::success();
}

} // namespace mlir::tc::reference
