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

/// Registers for the parts of terms of one row that are written out, where a
/// product is several tensor instructions. ptxas brings the parts of all terms
/// early: of the kernels of benchmarks/tensor.py in tf32x3 four spilled with 48
/// on sm_90a, and six on sm_80; none does with 32.
static constexpr int64_t kMostParts = 32;

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

int64_t mlir::tc::getMostTerms(const MmaFold &fold) {
  if (!fold.product->isSeveral())
    return std::numeric_limits<int64_t>::max();
  return kMostParts * fold.shape->perRegister /
         int64_t(fold.components->count * fold.product->parts);
}

PerIterator mlir::tc::getWrittenTerms(const TilePlan &plan,
                                      ArrayRef<unsigned> sums) {
  const MmaFold &fold = *plan.mma;
  PerIterator written(plan.step.size(), 1);
  int64_t terms = 1;
  for (unsigned i : sums) {
    written[i] = plan.step[i];
    terms = multiply(terms, written[i]);
  }
  // What an access brings is written out as far as may be.
  SmallVector<unsigned, 8> order(sums);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return plan.vector[a] < plan.vector[b];
  });
  int64_t most = getMostTerms(fold),
          whole = std::max(fold.shape->k, fold.promote);
  for (unsigned i : order) {
    int64_t together = multiply(plan.vector[i], fold.getLanes(i));
    for (int64_t passes = 2;
         terms > most && multiply(passes, together) <= written[i];) {
      if (written[i] % (passes * together) != 0 ||
          terms % (passes * whole) != 0) {
        ++passes;
        continue;
      }
      written[i] /= passes;
      terms /= passes;
    }
  }
  return written;
}

/// Iterations of a thread along a contracted iterator in a whole step, the
/// elements of a vector apart.
static int64_t countIterations(ScheduleAttr schedule, StringRef iterator) {
  return schedule.getStep(iterator) / schedule.getThread(iterator);
}

/// The contracted iterators of `op`.
static SmallVector<unsigned, 8> getSums(ContractOp op) {
  return llvm::filter_to_vector<8>(
      llvm::seq(op.getNumIterators()),
      [&](unsigned i) { return op.isContracted(i); });
}

/// With tensor instructions: nothing where steps are unrolled whole.
static ScheduleAttr completeFolded(ContractOp op, ScheduleAttr schedule) {
  TilePlan plan = getPlan(op, schedule);
  SmallVector<unsigned, 8> sums = getSums(op);
  PerIterator written = getWrittenTerms(plan, sums);
  if (llvm::all_of(sums,
                   [&](unsigned i) { return written[i] == plan.step[i]; }))
    return schedule;
  SmallVector<Factor> unroll;
  for (unsigned i : sums)
    if (plan.step[i] > 1)
      unroll.push_back(
          {StringAttr::get(op.getContext(), op.getIterator(i)), written[i]});
  return schedule.withUnroll(unroll);
}

ScheduleAttr mlir::tc::completeUnrolling(ContractOp op, ScheduleAttr schedule) {
  if (!schedule.getUnroll().empty())
    return schedule;
  if (schedule.getUnit())
    return completeFolded(op, schedule);
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

/// What is wrong with the passes of loops over tensor instructions.
static std::optional<std::string> findPassProblem(ContractOp op,
                                                  ScheduleAttr schedule) {
  MmaAttr unit = schedule.getUnit();
  int64_t terms = 1;
  for (unsigned i : getSums(op)) {
    StringRef name = op.getIterator(i);
    int64_t written = schedule.findUnroll(name).value_or(1),
            step = schedule.getStep(name),
            together =
                multiply(unit.getTermLanes(name), schedule.getVector(name));
    if (step % written != 0 || written % together != 0)
      return "expected to unroll the loop over '" + name.str() +
             "' by a divisor of its step " + std::to_string(step) +
             ", and a multiple of its lanes and vector, " +
             std::to_string(together) + ", got " + std::to_string(written);
    terms = multiply(terms, written);
  }
  if (int64_t whole = unit.getShape().k; terms % whole != 0)
    return "expected to unroll a multiple of " + std::to_string(whole) +
           " terms for " + unit.getShape().name.str() + ", got " +
           std::to_string(terms);
  return std::nullopt;
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
  if (schedule.getUnit() && !schedule.getUnroll().empty())
    return findPassProblem(op, schedule);
  return std::nullopt;
}
