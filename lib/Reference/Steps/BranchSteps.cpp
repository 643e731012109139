//===- BranchSteps.cpp - Control flow that values decide ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

namespace {
/// One side of a branch.
struct Side {
  Steps steps;
  Assignment results;

  Error run(State &state) {
    if (Error error = steps.run(state))
      return error;
    results.run(state);
    return Error::success();
  }
};
} // namespace

/// The side that `region` is; an empty region does nothing.
static Expected<Side> compileSide(Operation *op, Region &region, State &state) {
  if (region.empty())
    return Side{Steps(), Assignment({}, {}, state)};
  Expected<Steps> steps = Steps::compile(region.front(), state);
  if (!steps)
    return steps.takeError();
  return Side{std::move(*steps),
              Assignment(region.front().getTerminator()->getOperands(),
                         op->getResults(), state)};
}

static Expected<bool>
appendIf(Operation *op, Region &thenRegion, Region &elseRegion,
         unique_function<Error(State &, bool &)> getCondition, Steps &steps,
         State &state) {
  Expected<Side> thenSide = compileSide(op, thenRegion, state);
  if (!thenSide)
    return thenSide.takeError();
  Expected<Side> elseSide = compileSide(op, elseRegion, state);
  if (!elseSide)
    return elseSide.takeError();
  steps.append(op,
               [getCondition = std::move(getCondition),
                first = std::move(*thenSide),
                second = std::move(*elseSide)](State &state) mutable -> Error {
                 bool condition = false;
                 if (Error error = getCondition(state, condition))
                   return error;
                 return condition ? first.run(state) : second.run(state);
               });
  return true;
}

/// The truth value with a number.
static bool isTrue(Operation *op, unsigned number, State &state) {
  const Scalar &condition = state.scalar(number);
  if (condition.inherited != 0)
    state.noteUndecided(op);
  return condition.integer != 0;
}

static Expected<bool> compile(scf::IfOp op, Steps &steps, State &state) {
  unsigned number = state.numberOf(op.getCondition());
  return appendIf(
      op, op.getThenRegion(), op.getElseRegion(),
      [=](State &state, bool &condition) -> Error {
        condition = isTrue(op, number, state);
        return Error::success();
      },
      steps, state);
}

static Expected<bool> compile(affine::AffineIfOp op, Steps &steps,
                              State &state) {
  IntegerSet set = op.getIntegerSet();
  AffineCode code(AffineMap::get(set.getNumDims(), set.getNumSymbols(),
                                 set.getConstraints(), op->getContext()),
                  op->getOperands(), state);
  return appendIf(
      op, op.getThenRegion(), op.getElseRegion(),
      [=](State &state, bool &condition) -> Error {
        SmallVector<int64_t, 4> values;
        if (Error error = code.run(state, values))
          return error;
        condition = true;
        for (auto [i, value] : llvm::enumerate(values))
          condition &= set.isEq(i) ? value == 0 : value >= 0;
        return Error::success();
      },
      steps, state);
}

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

/// More iterations of one loop are taken for a loop that does not end.
static constexpr int64_t maxIterations = int64_t(1) << 28;

static Expected<bool> compile(scf::WhileOp op, Steps &steps, State &state) {
  Expected<Steps> before = Steps::compile(*op.getBeforeBody(), state);
  if (!before)
    return before.takeError();
  Expected<Steps> after = Steps::compile(*op.getAfterBody(), state);
  if (!after)
    return after.takeError();
  unsigned condition = state.numberOf(op.getConditionOp().getCondition());
  ValueRange passed = op.getConditionOp().getArgs();
  Assignment start(op.getInits(), op.getBeforeArguments(), state);
  Assignment go(passed, op.getAfterArguments(), state);
  Assignment next(op.getYieldOp().getOperands(), op.getBeforeArguments(),
                  state);
  Assignment end(passed, op.getResults(), state);
  steps.append(op,
               [=, before = std::move(*before),
                after = std::move(*after)](State &state) mutable -> Error {
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
  return true;
}

Expected<bool> compileBranch(Operation *op, Steps &steps, State &state) {
  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case<scf::IfOp, scf::WhileOp, affine::AffineIfOp>(
          [&](auto branch) { return compile(branch, steps, state); })
      .Default([](Operation *) -> Expected<bool> { return false; });
}

} // namespace mlir::tc::reference
