//===- Unrolling.cpp - How far contracted loops are unrolled --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Unrolling.h"

#include "Saturating.h"

#include "tc/Analysis/Schedules.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::tc;

/// Instructions of one pass of the innermost loop: enough to hide what a loop
/// costs beside its arithmetic, and little enough for the instruction cache.
static constexpr int64_t kMostInstructions = 640;
/// Half of a thread's registers. With so many accumulators a partition has one
/// warp or two, and nobody computes while one waits for the first loads of a
/// pass. So passes are longer.
static constexpr int64_t kManyAccumulators = 128, kLongerPass = 4;

/// As many of `extent` steps as there is room for, without a rest where that
/// costs less than half of them.
static int64_t fitCount(int64_t extent, int64_t room) {
  int64_t most = std::clamp<int64_t>(extent, 1, std::max<int64_t>(room, 1));
  for (int64_t count = most; 2 * count > most; --count)
    if (extent % count == 0)
      return count;
  return most;
}

SmallVector<int64_t> mlir::tc::getUnrollCounts(int64_t instructions,
                                               ArrayRef<int64_t> extents,
                                               int64_t accumulators) {
  SmallVector<int64_t> counts(extents.size(), 1);
  int64_t most =
      kMostInstructions * (accumulators < kManyAccumulators ? 1 : kLongerPass);
  int64_t room = most / std::max<int64_t>(instructions, 1);
  for (size_t l = extents.size(); l-- > 0;) {
    counts[l] = fitCount(extents[l], room);
    if (counts[l] < extents[l])
      break;
    room /= counts[l];
  }
  return counts;
}

/// Iterations of a thread along a contracted iterator in a whole step, the
/// elements of a vector apart.
static int64_t countIterations(ScheduleAttr schedule, StringRef iterator) {
  return schedule.getStep(iterator) / schedule.getThread(iterator);
}

ScheduleAttr mlir::tc::completeUnrolling(ContractOp op, ScheduleAttr schedule) {
  // Tensor instructions leave little to unroll: it is unrolled whole.
  if (!schedule.getUnroll().empty() || schedule.getUnit())
    return schedule;
  // A term is an instruction, or two of half the rate; and there are loads.
  int64_t accumulators =
      multiply(countResults(op, schedule), getAccumulatorWords(op));
  int64_t instructions = add(accumulators, int64_t(op.getInputs().size()));
  SmallVector<Factor> unroll;
  SmallVector<int64_t> extents;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t iterations = countIterations(schedule, name);
    if (!op.isContracted(i) || iterations < 2)
      continue;
    int64_t vector = schedule.getVector(name);
    unroll.push_back({StringAttr::get(op.getContext(), name), vector});
    extents.push_back(iterations / vector);
    if (vector <= kMostUnrolledElements)
      instructions = multiply(instructions, vector);
  }
  for (auto [factor, count] : llvm::zip_equal(
           unroll, getUnrollCounts(instructions, extents, accumulators)))
    factor.value *= count;
  return schedule.withUnroll(unroll);
}

std::optional<std::string> mlir::tc::findUnrollProblem(ContractOp op,
                                                       ScheduleAttr schedule) {
  for (const Factor &factor : schedule.getUnroll()) {
    StringRef name = factor.iterator.getValue();
    int64_t most = countIterations(schedule, name);
    int64_t vector = schedule.getVector(name);
    if (factor.value > most || factor.value % vector != 0)
      return "expected to unroll the loop over '" + name.str() +
             "' by at most " + std::to_string(most) +
             (vector > 1
                  ? ", a multiple of its vector " + std::to_string(vector)
                  : std::string()) +
             ", got " + std::to_string(factor.value);
  }
  return std::nullopt;
}
