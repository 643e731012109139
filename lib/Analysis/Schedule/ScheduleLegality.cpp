//===- ScheduleLegality.cpp - Which schedules are legal -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Schedules.h"

#include "Cost/Registers.h"
#include "Saturating.h"
#include "Schedule/MmaLegality.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/LibraryProduct.h"
#include "tc/Analysis/Split.h"
#include "tc/Analysis/Staging.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/Scalars.h"
#include "tc/Target/Occupancy.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

int64_t mlir::tc::getAccumulatorWords(ContractOp op) {
  int64_t words = 0;
  for (Type type : op.getAccumulatorTypes())
    words += llvm::divideCeil(getBytes(type), 4);
  return words;
}

/// A contracted iterator that has several threads, if there is one.
static std::optional<unsigned> findSharingThreads(ContractOp op,
                                                  ScheduleAttr schedule) {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (op.isContracted(i) && schedule.getThread(op.getIterator(i)) > 1)
      return i;
  return std::nullopt;
}

/// What a thread holds at a time along the iterators that `vary`.
static int64_t countPlaces(ContractOp op, ScheduleAttr schedule,
                           function_ref<bool(unsigned)> vary) {
  int64_t held = 1;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (StringRef name = op.getIterator(i); vary(i))
      held = multiplyAll(
          {held, schedule.getRegister(name), schedule.getVector(name)});
  return held;
}

int64_t mlir::tc::countResults(ContractOp op, ScheduleAttr schedule) {
  return countPlaces(op, schedule,
                     [&](unsigned i) { return !op.isContracted(i); });
}

/// Bytes of the accumulators of all threads, where threads share results.
static int64_t getPartialBytes(ContractOp op, ScheduleAttr schedule) {
  if (!findSharingThreads(op, schedule))
    return 0;
  int64_t elements =
      multiply(countResults(op, schedule), schedule.getNumThreads());
  int64_t bytes = 0;
  for (Type type : op.getAccumulatorTypes())
    bytes = add(bytes,
                roundUp(multiply(elements, getBytes(type)), kSharedAlignment));
  return bytes;
}

ScheduleAttr mlir::tc::completeSchedule(ContractOp op,
                                        const StrideTable &access,
                                        ScheduleAttr schedule) {
  return completeUnrolling(op, completeStaging(op, access, schedule));
}

/// Registers, or those of doubles, of an input that a lane holds of the
/// terms at a time.
static int64_t countFragmentValues(ContractOp op, const TilePlan &plan,
                                   ScheduleAttr schedule, const Access &input) {
  int64_t own = countPlaces(op, schedule, [&](unsigned i) {
    return !op.isContracted(i) && input.variesWith(i);
  });
  const Components &components = *plan.mma->components;
  if (input.variesWith(plan.mma->pair))
    own = llvm::divideCeil(multiply(own, components.ofSecond),
                           kMmaColumnsPerLane * components.count);
  return multiplyAll({own, int64_t(plan.mma->product->parts),
                      int64_t(llvm::divideCeil(plan.mma->countTerms(),
                                               plan.mma->shape->perRegister))});
}

ScheduleNeeds mlir::tc::getNeeds(ContractOp op, const StrideTable &access,
                                 ScheduleAttr schedule) {
  ScheduleNeeds needs;
  TilePlan plan = getPlan(op, schedule);
  needs.threads = schedule.getNumThreads();
  needs.registers =
      multiply(countResults(op, schedule), getAccumulatorWords(op));
  for (auto [k, input] : llvm::enumerate(access.inputs)) {
    // Elements of a thread's results, for the neighbours along contracted
    // iterators that go together.
    int64_t values = countPlaces(op, schedule, [&input = input](unsigned i) {
      return input.variesWith(i);
    });
    if (plan.mma)
      values = countFragmentValues(op, plan, schedule, input);
    needs.registers = add(needs.registers,
                          multiply(values, llvm::divideCeil(input.bytes, 4)));
    // Buffers lie one after the other, each aligned.
    int64_t tile = countStagedBytes(op, k, input, schedule);
    needs.stageBytes.push_back(
        multiply(roundUp(tile, kSharedAlignment), schedule.getStages()));
  }
  needs.partialBytes = getPartialBytes(op, schedule);
  needs.sharedBytes = add(addAll(needs.stageBytes), needs.partialBytes);
  needs.registers = add(needs.registers, kBaseRegisters);
  return needs;
}

/// Registers that hold what has been loaded for a step ahead, where copies are
/// not asynchronous.
static int64_t countHeld(const ScheduleNeeds &needs, ScheduleAttr schedule,
                         MachineAttr machine) {
  if (schedule.getStages() == 1 || machine.hasAsyncCopies())
    return 0;
  int64_t bytes = addAll(needs.stageBytes) / schedule.getStages();
  return llvm::divideCeil(bytes, multiply(needs.threads, 4));
}

static std::string describe(const Twine &text) { return text.str(); }

/// Vectors, and those of neighbouring lanes, are all there or all not.
static std::optional<std::string> findVectorProblem(ContractOp op,
                                                    const StrideTable &access,
                                                    ScheduleAttr schedule) {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t vector = schedule.getVector(name);
    int64_t lanes = schedule.getFastThread(name);
    int64_t together = multiply(vector, lanes), extent = access.extents[i];
    auto expect = [&](const Twine &what, const Twine &found) {
      return describe("expected " + what + " of '" + name +
                      "' to be a multiple of its vector " + Twine(vector) +
                      (lanes > 1 ? " and " + Twine(lanes) + " lanes" : "") +
                      ", got " + found);
    };
    if (together == 1)
      continue;
    if (ShapedType::isDynamic(extent) && lanes > 1)
      return expect("the extent", "a dynamic one");
    if (!ShapedType::isDynamic(extent) && extent % together != 0)
      return expect("the extent", Twine(extent));
    if (int64_t step = schedule.getStep(name);
        op.isContracted(i) && step % together != 0)
      return expect("the step", Twine(step));
  }
  return std::nullopt;
}

/// Threads of one result take turns along a step.
static std::optional<std::string> findThreadProblem(ContractOp op,
                                                    ScheduleAttr schedule) {
  std::optional<unsigned> sharing = findSharingThreads(op, schedule);
  if (!sharing)
    return std::nullopt;
  if (!op.mayReorder())
    return describe("expected no threads along contracted '" +
                    op.getIterator(*sharing) +
                    "', since terms are to be combined in order; got " +
                    Twine(schedule.getThread(op.getIterator(*sharing))));
  for (unsigned i = *sharing, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t threads = schedule.getThread(name), step = schedule.getStep(name),
            vector = schedule.getVector(name);
    std::string each =
        vector > 1 ? " threads times its vector " + std::to_string(vector)
                   : " threads";
    if (op.isContracted(i) && step % multiply(threads, vector) != 0)
      return describe("expected the step of '" + name +
                      "' to be a multiple of its " + Twine(threads) + each +
                      ", got " + Twine(step));
  }
  return std::nullopt;
}

/// See Note [Terms in order].
static std::optional<std::string> findOrderProblem(ContractOp op,
                                                   const StrideTable &access,
                                                   ScheduleAttr schedule) {
  bool isWhole = true;
  for (unsigned i = op.getNumIterators(); !op.mayReorder() && i-- != 0;) {
    int64_t step = schedule.getStep(op.getIterator(i));
    if (!access.contracted[i])
      continue;
    if (!isWhole && step > 1)
      return describe("expected no step of '" + op.getIterator(i) +
                      "' before whole steps of the contracted iterators after "
                      "it, since terms are to be combined in order; got " +
                      Twine(step));
    isWhole &= step == access.extents[i];
  }
  return std::nullopt;
}

std::optional<std::string>
mlir::tc::findScheduleProblem(ContractOp op, const StrideTable &access,
                              ScheduleAttr schedule, MachineAttr machine) {
  if (schedule.asksLibrary()) {
    std::string problem;
    if (!findLibraryProduct(op, access, problem))
      return "kernel = library: " + problem;
    schedule = schedule.dropLibrary();
  }
  if (isSplit(schedule)) {
    if (auto problem = findSplitProblem(op, access, schedule))
      return problem;
    return findScheduleProblem(op, getPartAccess(op, access, schedule),
                               schedule.dropSplit(), machine);
  }
  if (auto problem = findVectorProblem(op, access, schedule))
    return problem;
  if (auto problem = findMmaProblem(op, access, schedule, machine))
    return problem;
  StringRef chip = machine.getChip();
  // Before tiles are split over them: no later product of threads overflows.
  if (int64_t threads = schedule.getNumThreads();
      threads > machine.getMaxBlockThreads())
    return describe("expected at most " + Twine(machine.getMaxBlockThreads()) +
                    " threads in a block of " + chip + ", got " +
                    Twine(threads));
  if (auto problem = findStagingProblem(op, access, schedule))
    return problem;
  if (auto problem = findUnrollProblem(op, schedule))
    return problem;
  ScheduleNeeds needs = getNeeds(op, access, schedule);
  if (auto problem = machine.findSharedProblem(needs.sharedBytes))
    return problem;
  Machine rates = getRates(machine);
  int64_t available = getMostRegisters(rates, needs.threads);
  int64_t registers = add(needs.registers, countHeld(needs, schedule, machine));
  if (registers > available)
    return describe("expected at most " + Twine(available) +
                    " registers in a thread of a block of " +
                    Twine(needs.threads) + " on " + chip +
                    ", got an estimate of " + Twine(registers));
  int64_t most =
      occupancy(rates, needs.threads, /*registers=*/0, needs.sharedBytes)
          .blocksPerSm;
  if (int64_t resident = schedule.getResident();
      resident > std::max<int64_t>(most, 1))
    return describe("expected at most " + Twine(most) + " blocks of " +
                    Twine(needs.threads) + " threads on a multiprocessor of " +
                    chip + ", got " + Twine(resident));
  if (auto problem = findThreadProblem(op, schedule))
    return problem;
  return findOrderProblem(op, access, schedule);
}

bool mlir::tc::changesLanes(ScheduleAttr before, ScheduleAttr after) {
  MmaAttr a = before.getUnit(), b = after.getUnit();
  return a && b && (a.getM() != b.getM() || a.getN() != b.getN());
}

/// Do two terms of a sum give each result the same threads, register and place
/// in a vector? Along the contracted iterators, of which each term has its own,
/// as many threads.
static bool agreeOnThreads(ContractOp a, ScheduleAttr ours, ContractOp b,
                           ScheduleAttr theirs) {
  auto isContracted = [](ContractOp op, const Factor &factor) {
    return op.isContracted(*op.findIterator(factor.iterator.getValue()));
  };
  for (unsigned i = 0, e = a.getNumIterators(); i < e; ++i)
    if (StringRef name = a.getIterator(i);
        !a.isContracted(i) && ours.getVector(name) != theirs.getVector(name))
      return false;
  return ours.getThread().size() == theirs.getThread().size() &&
         ours.getReg() == theirs.getReg() &&
         bool(ours.getUnit()) == bool(theirs.getUnit()) &&
         llvm::all_of(
             llvm::zip(ours.getThread(), theirs.getThread()), [&](auto pair) {
               auto &[x, y] = pair;
               return x == y || (x.value == y.value && isContracted(a, x) &&
                                 isContracted(b, y));
             });
}

static bool agreeOnThreads(ArrayRef<ContractOp> ops,
                           ArrayRef<ScheduleAttr> schedules) {
  return llvm::all_of(
      llvm::drop_begin(llvm::zip_equal(ops, schedules)), [&](auto pair) {
        auto [op, schedule] = pair;
        return agreeOnThreads(ops.front(), schedules.front(), op, schedule);
      });
}

std::optional<std::string> mlir::tc::findScheduleProblem(
    ArrayRef<ContractOp> ops, ArrayRef<StrideTable> accesses,
    ArrayRef<ScheduleAttr> schedules, MachineAttr machine) {
  if (ops.size() > 1 && llvm::any_of(schedules, isSplit))
    return describe("expected no split of a term of a tc.sum");
  if (ops.size() > 1 && llvm::any_of(schedules, [](ScheduleAttr schedule) {
        return schedule.asksLibrary();
      }))
    return describe("expected no library for a term of a tc.sum");
  if (!agreeOnThreads(ops, schedules))
    return describe("expected the same threads and registers for all terms of "
                    "a tc.sum");
  // By input and element type: what follows one another in the same memory.
  llvm::MapVector<std::pair<size_t, Type>, int64_t> most;
  for (auto [op, access, schedule] :
       llvm::zip_equal(ops, accesses, schedules)) {
    if (auto problem = findScheduleProblem(op, access, schedule, machine))
      return problem;
    ContractOp term = op;
    for (auto [k, bytes] :
         llvm::enumerate(getNeeds(term, access, schedule).stageBytes)) {
      Type element = getElementTypeOrSelf(term.getInputs()[k].getType());
      int64_t &largest = most[{k, element}];
      largest = std::max(largest, bytes);
    }
  }
  ContractOp first = ops.front();
  for (auto [before, after] : llvm::zip(schedules, llvm::drop_begin(schedules)))
    if (changesLanes(before, after)) {
      Type type = first.getAccumulatorTypes().front();
      int64_t &largest = most[{0, type}];
      largest =
          std::max(largest, multiply(before.getNumThreads(), getBytes(type)));
    }
  SmallVector<int64_t> bytes =
      llvm::map_to_vector(most, [](auto &entry) { return entry.second; });
  bytes.push_back(
      getNeeds(first, accesses.front(), schedules.front()).partialBytes);
  return machine.findSharedProblem(addAll(bytes));
}

// Note [Terms in order]
// ~~~~~~~~~~~~~~~~~~~~~
// A combine region that does not commute takes its terms in lexicographic
// order of the contracted iterators. Steps are taken in that order, and so are
// the terms of one step; together they are in order when an iterator is split
// into steps only if all before it are taken one by one and all after it whole.
