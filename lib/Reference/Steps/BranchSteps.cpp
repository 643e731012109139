//===- BranchSteps.cpp - Control flow that values decide ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Lanes.h"
#include "Steps/Steps.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

namespace {
/// One side of a branch; an empty region does nothing.
struct Side {
  Steps steps;
  Assignment results;

  Side(Operation *op, Region &region, State &state)
      : results(region.empty() ? ValueRange() : getYielded(region),
                region.empty() ? ValueRange() : ValueRange(op->getResults()),
                state) {}

  Error run(State &state) {
    if (Error error = steps.run(state))
      return error;
    results.run(state);
    return Error::success();
  }
  Error runTogether(State &state, Lanes &lanes) {
    if (Error error = steps.runTogether(state, lanes))
      return error;
    results.runTogether(state, lanes);
    return Error::success();
  }
};
} // namespace

using GetCondition = unique_function<Expected<bool>(State &)>;

/// A branch in which lanes of a warp meet, so that all have to take it.
static void appendTogether(Operation *op, GetCondition getCondition,
                           SmallVector<Side, 2> sides, Steps &steps) {
  steps.appendTogether(
      op,
      [getCondition = std::move(getCondition),
       sides = std::move(sides)](State &state, Lanes &lanes) mutable -> Error {
        Expected<bool> isTaken =
            lanes.agreeOn<bool>("condition", state, getCondition);
        if (!isTaken)
          return isTaken.takeError();
        return sides[*isTaken ? 0 : 1].runTogether(state, lanes);
      });
}

static Error appendIf(Operation *op, GetCondition getCondition, Steps &steps,
                      State &state) {
  SmallVector<Side, 2> sides; // then, else
  for (Region &region : op->getRegions()) {
    Side &side = sides.emplace_back(op, region, state);
    if (!region.empty())
      if (Error error = side.steps.append(region.front(), state))
        return error;
  }
  if (llvm::any_of(sides, [](const Side &side) { return side.steps.meet(); })) {
    appendTogether(op, std::move(getCondition), std::move(sides), steps);
    return Error::success();
  }
  steps.append(op,
               [getCondition = std::move(getCondition),
                sides = std::move(sides)](State &state) mutable -> Error {
                 Expected<bool> condition = getCondition(state);
                 if (!condition)
                   return condition.takeError();
                 return sides[*condition ? 0 : 1].run(state);
               });
  return Error::success();
}

/// The truth value with a number.
static bool isTrue(Operation *op, unsigned number, State &state) {
  const Scalar &condition = state.scalar(number);
  if (condition.inherited != 0)
    state.noteUndecided(op);
  return condition.integer != 0;
}

static Error compile(scf::IfOp op, Steps &steps, State &state) {
  unsigned number = state.numberOf(op.getCondition());
  return appendIf(
      op, [=](State &state) { return isTrue(op, number, state); }, steps,
      state);
}

static Error compile(affine::AffineIfOp op, Steps &steps, State &state) {
  IntegerSet set = op.getIntegerSet();
  AffineCode code(AffineMap::get(set.getNumDims(), set.getNumSymbols(),
                                 set.getConstraints(), op->getContext()),
                  op->getOperands(), state);
  return appendIf(
      op,
      [=](State &state) -> Expected<bool> {
        SmallVector<int64_t, 4> values;
        if (Error error = code.run(state, values))
          return error;
        return llvm::all_of(llvm::enumerate(values), [&](auto value) {
          return set.isEq(value.index()) ? value.value() == 0
                                         : value.value() >= 0;
        });
      },
      steps, state);
}

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

/// More iterations of one loop are taken for a loop that does not end.
static constexpr int64_t maxIterations = int64_t(1) << 28;

static Error compile(scf::WhileOp op, Steps &steps, State &state) {
  Steps before, after;
  if (Error error = before.append(*op.getBeforeBody(), state))
    return error;
  if (Error error = after.append(*op.getAfterBody(), state))
    return error;
  unsigned condition = state.numberOf(op.getConditionOp().getCondition());
  ValueRange passed = op.getConditionOp().getArgs();
  Assignment start(op.getInits(), op.getBeforeArguments(), state);
  Assignment go(passed, op.getAfterArguments(), state);
  Assignment next(op.getYieldOp().getOperands(), op.getBeforeArguments(),
                  state);
  Assignment end(passed, op.getResults(), state);
  steps.append(op,
               [=, before = std::move(before),
                after = std::move(after)](State &state) mutable -> Error {
                 start.run(state);
                 for (int64_t i = 0; i != maxIterations; ++i) {
                   if (Error error = before.run(state))
                     return error;
                   if (!isTrue(op, condition, state)) {
                     end.run(state);
                     return Error::success();
                   }
                   go.run(state);
                   if (Error error = after.run(state))
                     return error;
                   next.run(state);
                 }
                 return createStringError(
                     "expected a loop that ends, got 2^28 iterations");
               });
  return Error::success();
}

void addBranchSteps(OpTable &table) {
  table.addSteps<scf::IfOp, scf::WhileOp, affine::AffineIfOp>(
      [](auto op, Steps &steps, State &state) {
        return compile(op, steps, state);
      });
  table.addStep<ThresholdOp>([](ThresholdOp op, State &state) {
    int64_t number = state.integerOf(op.getNumber());
    state.set(op, Scalar::ofInteger(number >= int64_t(op.getDefaultLimit())));
    return Error::success();
  });
  // The meaning of a program does not depend on a library.
  table.addStep<LibraryProductOp>([](LibraryProductOp op, State &state) {
    state.set(op, Scalar::ofInteger(0));
    return Error::success();
  });
}

} // namespace mlir::tc::reference
