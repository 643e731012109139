//===- LaneSteps.cpp - What the lanes of a warp do together ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Lanes.h"
#include "Steps/Steps.h"
#include "Values/ScalarProgram.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace llvm;

namespace mlir::tc::reference {

Error Lanes::forEach(State &state, function_ref<Error(size_t)> visit) {
  for (auto [number, own] : llvm::enumerate(values)) {
    state.swapValues(own);
    Error error = visit(number);
    state.swapValues(own);
    if (error)
      return error;
  }
  return Error::success();
}

SmallVector<Scalar> Lanes::collect(unsigned place) const {
  return llvm::map_to_vector(
      values, [&](const State::Values &own) { return own.scalars[place]; });
}

/// The lane whose value lane `own` gets.
static int64_t getSource(gpu::ShuffleMode mode, int64_t own, int64_t offset) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return own ^ offset;
  case gpu::ShuffleMode::UP:
    return own - offset;
  case gpu::ShuffleMode::DOWN:
    return own + offset;
  case gpu::ShuffleMode::IDX:
    return offset;
  }
  llvm_unreachable("unknown mode");
}

/// Lanes are the iterations of the innermost tc.par, in order. A value that
/// comes from no lane is the lane's own, as the hardware has it.
static Error compile(gpu::ShuffleOp op, Steps &steps, State &state) {
  auto par = op->getParentOfType<ParOp>();
  if (!par || !par.getFull() || isa<VectorType>(op.getType(0)))
    return createNoMeaningError(op);
  unsigned value = state.numberOf(op.getValue()),
           offset = state.numberOf(op.getOffset()),
           width = state.numberOf(op.getWidth()),
           result = state.numberOf(op.getShuffleResult()),
           valid = state.numberOf(op.getValid());
  steps.appendTogether(op, [=](State &state, Lanes &lanes) mutable -> Error {
    SmallVector<Scalar> given = lanes.collect(value);
    return lanes.forEach(state, [&](size_t own) -> Error {
      int64_t most = state.scalar(width).integer;
      if (int64_t(own) >= most || most > int64_t(Lanes::kMost))
        return createStringError("expected a width of at most 32 lanes, this "
                                 "one, %zu, among them, got %lld",
                                 own, (long long)most);
      // PTX reads five bits of the offset, and MLIR leaves more open.
      int64_t distance = state.scalar(offset).integer;
      if (distance < 0 || distance >= int64_t(Lanes::kMost))
        return createStringError(
            "expected an offset of 0 to 31 lanes, got %lld",
            (long long)distance);
      int64_t source = getSource(op.getMode(), int64_t(own), distance);
      bool isValid =
          source >= 0 && source < std::min<int64_t>(most, given.size());
      state.scalar(result) = given[isValid ? source : own];
      state.scalar(valid) = Scalar::ofInteger(isValid);
      return Error::success();
    });
  });
  return Error::success();
}

void addLaneSteps(OpTable &table) {
  table.addSteps<gpu::ShuffleOp>([](auto op, Steps &steps, State &state) {
    return compile(op, steps, state);
  });
}

} // namespace mlir::tc::reference
