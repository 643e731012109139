//===- Steps.cpp - Regions compiled to steps ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"

#include "Steps/Lanes.h"

#include "StructuredOps.h"
#include "Values/ScalarProgram.h"
#include "Vectors/Vectors.h"

#include "tc/Algebra/Exprs.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Ops on scalars
//===----------------------------------------------------------------------===//

static Error compileScalar(Operation *op, Steps &steps, State &state) {
  std::optional<ScalarOp> scalar = findElementOp(op);
  if (!scalar)
    return createNoMeaningError(op);
  if (isa<VectorType>(op->getResult(0).getType())) {
    OpTable::appendStep(op, steps, state, [=](State &state) {
      return evaluateElements(op, *scalar, state);
    });
    return Error::success();
  }
  Instruction instruction{*scalar,
                          {state.numbersOf(op->getOperands())},
                          state.numberOf(op->getResult(0))};
  steps.append(op, [=](State &state) -> Error {
    instruction.run(&state.scalar(0));
    return Error::success();
  });
  return Error::success();
}

/// affine.apply, affine.min and affine.max.
template <typename AffineOp>
static Error compileAffine(AffineOp op, Steps &steps, State &state) {
  constexpr bool isMin = std::is_same_v<AffineOp, affine::AffineMinOp>;
  unsigned to = state.numberOf(op);
  AffineCode code(op.getMap(), op->getOperands(), state);
  steps.append(op, [=, code = std::move(code)](State &state) -> Error {
    SmallVector<int64_t, 4> results;
    if (Error error = code.run(state, results))
      return error;
    int64_t result =
        isMin ? *llvm::min_element(results) : *llvm::max_element(results);
    state.scalar(to) = Scalar::ofInteger(result);
    return Error::success();
  });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void OpTable::appendStep(Operation *op, Steps &steps, State &state,
                         unique_function<Error(State &)> function) {
  for (Value result : op->getResults())
    state.numberOf(result);
  steps.append(
      op, [op, function = std::move(function)](State &state) mutable -> Error {
        if (!state.areKnown(op->getOperands()))
          return createStringError("an operand has no known value");
        return function(state);
      });
}

static const OpTable &getTable() {
  static const OpTable table = [] {
    OpTable all;
    all.addSteps<affine::AffineApplyOp, affine::AffineMinOp,
                 affine::AffineMaxOp>([](auto op, Steps &steps, State &state) {
      return compileAffine(op, steps, state);
    });
    // Barriers order what the evaluation runs in order anyway, and a cache only
    // says where a copy may be read.
    all.addSteps<gpu::BarrierOp, CacheOp, memref::DeallocOp,
                 bufferization::DeallocTensorOp>(
        [](auto, Steps &, State &) { return Error::success(); });
    for (auto add : {addAccessSteps, addBranchSteps, addLaneSteps, addLoopSteps,
                     addReduceSteps, addBufferOps, addTensorOps, addViewOps,
                     addStructuredOps, addVectorAccesses, addVectorElementOps,
                     addVectorShapeOps, addWithSteps})
      add(all);
    return all;
  }();
  return table;
}

/// Vectors have static extents, and are no elements of buffers and tensors.
static Error checkVectors(Operation *op) {
  auto check = [](Type type) -> Error {
    auto vector = dyn_cast<VectorType>(type);
    if (vector && vector.isScalable())
      return createStringError(
          formatv("expected vectors of static extents, got {0}", type));
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && isa<VectorType>(shaped.getElementType()))
      return createStringError(
          formatv("expected elements that are numbers, got {0}", type));
    return Error::success();
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (Error error = check(type))
        return error;
  return Error::success();
}

static Error compileOp(Operation *op, Steps &steps, State &state) {
  if (Error error = checkVectors(op))
    return error;
  if (const OpTable::Compile *compile = getTable().find(op))
    return (*compile)(op, steps, state);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return compileScalar(op, steps, state);
  OpTable::appendStep(op, steps, state, [=](State &state) {
    return evaluateLinalg(structured, state);
  });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Error Steps::append(Block &block, State &state) {
  for (Operation &op : block.without_terminator())
    if (Error error = compileOp(&op, *this, state)) {
      if (!state.failed)
        state.failed = &op;
      return error;
    }
  return Error::success();
}

Error Steps::run(State &state) {
  for (Step &step : list) {
    Error error = step.run ? step.run(state)
                           : createStringError("expected a tc.par full round "
                                               "what lanes do together");
    if (error) {
      if (!state.failed)
        state.failed = step.op;
      return error;
    }
  }
  return Error::success();
}

Error Steps::runTogether(State &state, Lanes &lanes) {
  for (Step &step : list) {
    Error error =
        step.runTogether
            ? step.runTogether(state, lanes)
            : lanes.forEach(state, [&](size_t) { return step.run(state); });
    if (error) {
      if (!state.failed)
        state.failed = step.op;
      return error;
    }
  }
  return Error::success();
}

void Assignment::runTogether(State &state, Lanes &lanes) const {
  cantFail(lanes.forEach(state, [&](size_t) {
    run(state);
    return Error::success();
  }));
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
    : map(map), operands(state.numbersOf(values)) {}

Error AffineCode::run(State &state, SmallVectorImpl<int64_t> &results) const {
  SmallVector<int64_t, 4> values;
  for (unsigned operand : operands)
    values.push_back(state.scalar(operand).integer);
  ArrayRef<int64_t> dims = ArrayRef(values).take_front(map.getNumDims());
  ArrayRef<int64_t> symbols = ArrayRef(values).drop_front(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    std::optional<int64_t> result = tc::evaluate(expr, dims, symbols);
    if (!result)
      return createStringError("expected to divide by a number of at least 1, "
                               "and numbers of 64 bits");
    results.push_back(*result);
  }
  return Error::success();
}

} // namespace mlir::tc::reference
