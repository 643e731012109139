//===- ReduceSteps.cpp - tc.reduce and tc.scan --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One term after the other, in the order of their indices.
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"
#include "Values/Ranges.h"

#include "tc/IR/TC.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mlir::tc::reference {

namespace {
/// The regions of a reduction as steps. What is combined so far is in the first
/// arguments of `combine`.
struct ReductionSteps {
  Steps map, combine, finish;
  /// init to what is combined; a term to the second arguments of `combine`;
  /// what that yields to the first; what is combined to `finish`.
  Assignment begin, add, carry, give;
  /// The places of the indices in `map`, and for a scan in `finish`.
  SmallVector<unsigned> indices, finished;

  Error runMap(State &state, ArrayRef<int64_t> index) {
    setIndices(state, indices, index);
    return map.run(state);
  }
  Error runCombine(State &state) {
    add.run(state);
    if (Error error = combine.run(state))
      return error;
    carry.run(state);
    return Error::success();
  }
  Error runFinish(State &state, ArrayRef<int64_t> index) {
    setIndices(state, finished, index);
    give.run(state);
    return finish.run(state);
  }

private:
  static void setIndices(State &state, ArrayRef<unsigned> places,
                         ArrayRef<int64_t> index) {
    for (auto [place, i] : llvm::zip_equal(places, index))
      state.scalar(place) = Scalar::ofInteger(i);
  }
};
} // namespace

static ValueRange getYielded(Region &region) {
  return region.front().getTerminator()->getOperands();
}

static SmallVector<unsigned> getPlaces(ValueRange values, State &state) {
  SmallVector<unsigned> places;
  for (Value value : values)
    places.push_back(state.numberOf(value));
  return places;
}

template <typename FoldOp>
static Expected<ReductionSteps> compileRegions(FoldOp op, State &state) {
  Expected<Steps> map = Steps::compile(op.getMap().front(), state);
  if (!map)
    return map.takeError();
  Expected<Steps> combine = Steps::compile(op.getCombine().front(), state);
  if (!combine)
    return combine.takeError();
  Expected<Steps> finish = Steps::compile(op.getFinish().front(), state);
  if (!finish)
    return finish.takeError();
  size_t count = op.getInits().size();
  ValueRange pair = op.getCombine().getArguments();
  ValueRange given = op.getFinish().getArguments();
  ValueRange combined = pair.take_front(count);
  return ReductionSteps{
      std::move(*map),
      std::move(*combine),
      std::move(*finish),
      Assignment(op.getInits(), combined, state),
      Assignment(getYielded(op.getMap()), pair.drop_front(count), state),
      Assignment(getYielded(op.getCombine()), combined, state),
      Assignment(combined, given.take_back(count), state),
      getPlaces(op.getMap().getArguments(), state),
      getPlaces(given.drop_back(count), state)};
}

/// Calls `visit` for each index of `op`, as iterations that must not conflict
/// if that is checked.
template <typename FoldOp>
static Error forEachTerm(FoldOp op, State &state,
                         function_ref<Error(ArrayRef<int64_t>)> visit) {
  Ranges ranges = getRangesOf(op, state);
  if (state.independence)
    state.independence->enter(op);
  Error error = forEachIndex(ranges, [&](ArrayRef<int64_t> index) -> Error {
    if (state.independence)
      if (Error error = state.independence->start(index))
        return error;
    return visit(index);
  });
  if (!error && state.independence)
    state.independence->leave();
  return error;
}

static Error run(ReduceOp op, ReductionSteps &steps, State &state) {
  steps.begin.run(state);
  Error error = forEachTerm(op, state, [&](ArrayRef<int64_t> index) -> Error {
    if (Error error = steps.runMap(state, index))
      return error;
    return steps.runCombine(state);
  });
  return error ? std::move(error) : steps.runFinish(state, {});
}

static Error run(ScanOp op, ReductionSteps &steps, State &state) {
  steps.begin.run(state);
  return forEachTerm(op, state, [&](ArrayRef<int64_t> index) -> Error {
    if (Error error = steps.runMap(state, index))
      return error;
    if (op.getExclusive())
      if (Error error = steps.runFinish(state, index))
        return error;
    if (Error error = steps.runCombine(state))
      return error;
    return op.getExclusive() ? Error::success() : steps.runFinish(state, index);
  });
}

template <typename FoldOp>
static Expected<bool> compile(FoldOp op, Steps &steps, State &state) {
  Expected<ReductionSteps> compiled = compileRegions(op, state);
  if (!compiled)
    return compiled.takeError();
  steps.append(op, [op, regions = std::move(*compiled)](State &state) mutable {
    return run(op, regions, state);
  });
  return true;
}

Expected<bool> compileReduction(Operation *op, Steps &steps, State &state) {
  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case<ReduceOp, ScanOp>(
          [&](auto fold) { return compile(fold, steps, state); })
      .Default([](Operation *) -> Expected<bool> { return false; });
}

} // namespace mlir::tc::reference
