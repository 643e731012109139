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

using namespace llvm;

namespace mlir::tc::reference {

namespace {
/// The regions of a reduction as steps. What is combined so far is in the first
/// arguments of `combine`.
struct ReductionSteps {
  Steps map, combine, finish;
  /// init to what is combined; a term to the second arguments of `combine`;
  /// what that yields to the first; what is combined to `finish`, for a scan
  /// behind the indices.
  Assignment begin, add, carry, give;
  /// The places of the indices in `map`.
  SmallVector<unsigned> indices;

  Error runCombine(State &state) {
    add.run(state);
    if (Error error = combine.run(state))
      return error;
    carry.run(state);
    return Error::success();
  }
  Error runFinish(State &state) {
    give.run(state);
    return finish.run(state);
  }
};
} // namespace

template <typename FoldOp>
static Expected<ReductionSteps> compileRegions(FoldOp op, State &state) {
  Steps steps[3];
  for (auto [part, region] : llvm::zip_equal(steps, op->getRegions()))
    if (Error error = part.append(region.front(), state))
      return std::move(error);
  size_t count = op.getInits().size();
  ValueRange indices = op.getMap().getArguments();
  ValueRange pair = op.getCombine().getArguments();
  ValueRange combined = pair.take_front(count);
  SmallVector<Value> given(combined);
  if (isa<ScanOp>(op))
    given.insert(given.begin(), indices.begin(), indices.end());
  return ReductionSteps{
      std::move(steps[0]),
      std::move(steps[1]),
      std::move(steps[2]),
      Assignment(op.getInits(), combined, state),
      Assignment(getYielded(op.getMap()), pair.drop_front(count), state),
      Assignment(getYielded(op.getCombine()), combined, state),
      Assignment(given, op.getFinish().getArguments(), state),
      state.numbersOf(indices)};
}

static Error run(ReduceOp op, ReductionSteps &steps, State &state) {
  steps.begin.run(state);
  auto iterate = [&]() -> Error {
    if (Error error = steps.map.run(state))
      return error;
    return steps.runCombine(state);
  };
  Expected<Ranges> ranges = getRangesOf(op, state);
  if (!ranges)
    return ranges.takeError();
  if (Error error = forEachIndex(op, *ranges, steps.indices, state, iterate))
    return error;
  return steps.runFinish(state);
}

static Error run(ScanOp op, ReductionSteps &steps, State &state) {
  steps.begin.run(state);
  auto iterate = [&]() -> Error {
    if (Error error = steps.map.run(state))
      return error;
    if (op.getExclusive())
      if (Error error = steps.runFinish(state))
        return error;
    if (Error error = steps.runCombine(state))
      return error;
    return op.getExclusive() ? Error::success() : steps.runFinish(state);
  };
  Expected<Ranges> ranges = getRangesOf(op, state);
  if (!ranges)
    return ranges.takeError();
  return forEachIndex(op, *ranges, steps.indices, state, iterate);
}

template <typename FoldOp>
static Error compile(FoldOp op, Steps &steps, State &state) {
  Expected<ReductionSteps> compiled = compileRegions(op, state);
  if (!compiled)
    return compiled.takeError();
  steps.append(op, [op, regions = std::move(*compiled)](State &state) mutable {
    return run(op, regions, state);
  });
  return Error::success();
}

void addReduceSteps(OpTable &table) {
  table.addSteps<ReduceOp, ScanOp>([](auto op, Steps &steps, State &state) {
    return compile(op, steps, state);
  });
}

} // namespace mlir::tc::reference
