//===- PredictBlock.cpp - Threads, registers, shared memory of a block ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost/Predictor.h"
#include "Cost/Registers.h"
#include "Saturating.h"

#include "tc/IR/LoopHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

// See Note [Estimates] in CostModel.cpp.
static constexpr double kRegistersPerCopy = 1;
/// An address that copies share, and what ptxas holds of some of them.
static constexpr double kSharedAddress = 8;
/// No average: the least that keeps schedules from spilling that were seen to,
/// just below a limit (`./dev bench odd`).
static constexpr double kRegistersPerEdge = 0.3;
/// Such that `benchmarks/tensor.py` finds no spills: of the kernels with edges
/// two spilled, estimated at 221 and 227 without these.
static constexpr double kRegistersOfFoldedEdges = 8;
/// With tensor instructions ptxas finds room for so many copies of a thread; of
/// each more it keeps the place at hand. Of guarded ones, element by element,
/// it computes most places anew (registers of the products of `./dev bench
/// odd`).
static constexpr double kFreeCopies = 16, kRegistersPerFoldedCopy = 1.2,
                        kFreeGuardedCopies = 10, kRegistersPerGuardedCopy = 0.3;
/// What a loop over steps keeps: its counter, and where its next copies are.
static constexpr double kRegistersOfSteps = 12;
/// More than any chip has.
static constexpr double kMostValues = 1e6;
/// For the parts of numbers while they are made; and of parts that are made,
/// the share that is held at a time.
static constexpr double kRegistersOfParts = 30, kShareOfParts = 0.25;

/// A complex number of f32.
static bool isPairOfFloats(const Access &input) {
  return input.bytes == 8 && isa_and_nonnull<ComplexType>(input.type);
}

/// Registers for values of an input: those of a thread's results, for all steps
/// that are written out along `iterators`.
double Predictor::countFragment(const Access &input,
                                ArrayRef<int64_t> unrolled) const {
  double values = double(llvm::divideCeil(input.bytes, int64_t(4)));
  for (unsigned i = 0, n = work.getNumIterators(); i < n; ++i)
    if (input.variesWith(i))
      values *= double(work.contracted[i] ? unrolled[i]
                                          : plan.reg[i] * plan.vector[i]);
  return values;
}

/// Terms of an input that a lane holds: those of one instruction after another,
/// or of several that are promoted together; or more, where one access brings
/// terms of several. See LowerMma for the order.
int64_t Predictor::countHeldTerms(const InputTraffic &input) const {
  int64_t held = 1;
  unsigned along = input.dims.empty() ? 0 : input.dims.back().iterator;
  if (input.read > 1 && work.contracted[along])
    for (unsigned i : work.getSums())
      held *= i < along ? 1 : plan.vector[i];
  return std::max(held, plan.mma->countTerms());
}

/// Of a number of a fragment, over those that it takes in shared memory: narrow
/// ones are together in one. One that is rounded is held as it was loaded.
static double getRegistersOfTerm(const MmaFold &fold) {
  double together = double(fold.shape->perRegister);
  if (fold.product->isSeveral())
    return kShareOfParts * fold.product->parts / together;
  return fold.product->type.empty() ? 1 / together : 1;
}

/// Registers for the values of inputs that a thread holds at a time: those of
/// one input only as far as an access goes, those of others for all steps that
/// are written out. See LowerMicrokernel for the order. Of doubles ptxas brings
/// more early, unless several iterators are written out; of terms of complex
/// floats, which take four multiply-adds each, less: those of one result.
double Predictor::countFragments() const {
  if (plan.mma) {
    double held = 0;
    PerIterator once(unrolled.size(), 1);
    const Components &components = *plan.mma->components;
    double ofColumn = double(components.ofSecond) / components.count /
                      double(kMmaColumnsPerLane);
    for (auto [input, array] : llvm::zip_equal(inputs, work.inputs))
      held += countFragment(array, once) * double(countHeldTerms(*input)) *
              getRegistersOfTerm(*plan.mma) *
              (array.variesWith(plan.mma->pair) ? ofColumn : 1);
    // Where a product is several instructions, ptxas has those of many results
    // under way, each with accumulators of its own.
    if (plan.mma->product->isSeveral())
      held += countThreadResults() * double(work.accumulatorWords) +
              kRegistersOfParts * components.count;
    else if (plan.mma->promote > 0)
      held += countThreadResults() * double(work.accumulatorWords);
    return held;
  }
  double all = 0, saved = 0;
  for (auto [input, array, count] :
       llvm::zip_equal(inputs, work.inputs, together)) {
    double held = countFragment(array, unrolled) * double(count);
    PerIterator access(unrolled.size(), 1);
    double results = 1;
    if (input->read > 1)
      if (unsigned i = input->dims.back().iterator; work.contracted[i]) {
        access[i] = input->read;
        for (unsigned r : work.getResults())
          if (isPairOfFloats(array) && array.variesWith(r))
            results *= double(plan.reg[r] * plan.vector[r]);
      }
    all += held;
    saved = std::max(saved, held - countFragment(array, access) *
                                       double(count) / results);
  }
  bool isWide = llvm::any_of(work.inputs, [](const Access &input) {
    return input.bytes > 4 && !isPairOfFloats(input);
  });
  bool isNested = llvm::count_if(unrolled, [](int64_t n) { return n > 1; }) > 1;
  return isWide && !isNested ? all : all - saved;
}

/// Registers for the copies that a thread makes at a time, with tensor
/// instructions: where an input sticks out, element by element, as in the
/// variant that assumes no alignment.
double Predictor::countCopyRegisters() const {
  if (!plan.mma)
    return 0;
  double copies = 0, guarded = 0;
  for (const InputTraffic *input : inputs) {
    if (shareAddress(*input))
      continue;
    double own = input->fill.requests / double(traffic.warps);
    bool sticksOut = llvm::any_of(input->dims, [&](const TileDim &dim) {
      return work.extents[dim.iterator] % traffic.getFactor(dim.iterator) != 0;
    });
    if (sticksOut)
      guarded += std::min(own * double(input->copied), double(kMostCopyRounds));
    else
      copies += std::min(own, double(kMostCopyRounds));
  }
  return kRegistersPerGuardedCopy *
             std::max(guarded - kFreeGuardedCopies, 0.0) +
         kRegistersPerFoldedCopy * std::max(copies - kFreeCopies, 0.0);
}

/// Registers for what sticks out: how much of a tile is inside, along each
/// dimension; and of what is read in place, the address of each row. With
/// tensor instructions copies have their own, and where a product is several,
/// the second copy of the instructions, for edges, takes some.
double Predictor::countEdgeRegisters() const {
  if (plan.mma)
    return plan.mma->product->isSeveral() && getComputedShare(countComputed) < 1
               ? kRegistersOfFoldedEdges
               : 0;
  auto sticksOut = [&](unsigned i) {
    return work.extents[i] % traffic.getFactor(i) != 0;
  };
  double registers = 0;
  for (auto [input, array] : llvm::zip_equal(inputs, work.inputs)) {
    double rows = 1, dims = 0;
    for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
      if (!array.variesWith(i) || !sticksOut(i))
        continue;
      dims += 1;
      rows *= work.contracted[i] ? 1 : double(plan.reg[i]);
    }
    registers += !input->isInPlace ? kRegistersPerEdge * dims
                 : rows > 1        ? rows
                                   : 0;
  }
  return registers;
}

void Predictor::predictBlock() {
  cost.threads = traffic.threads;
  cost.blocks = traffic.blocks;
  cost.steps = traffic.steps * work.repeats;
  // Without terms to gather each result is stored at once.
  double values = work.countPoints() == work.countResults()
                      ? 0
                      : countThreadResults() * double(work.accumulatorWords);
  double copied = 0; // registers for copies
  stages = plan.stages;
  for (unsigned k = 0, e = work.inputs.size(); k < e; ++k) {
    inputs.push_back(&traffic.getInput(k));
    if (!inputs[k]->isInPlace && inputs[k]->copied * work.inputs[k].bytes < 4)
      stages = 1;
  }
  for (unsigned k = 0, e = work.inputs.size(); k < e; ++k) {
    int64_t bytes = multiply(inputs[k]->tile.elements, work.inputs[k].bytes);
    cost.sharedBytes = add(cost.sharedBytes, roundUp(bytes, kSharedAlignment));
    double copies = std::min(
        inputs[k]->fill.requests / double(traffic.warps),
        shareAddress(*inputs[k]) ? kSharedAddress : double(kMostCopyRounds));
    copied += kRegistersPerCopy * copies;
    // Without cp.async what is ahead is held, too.
    if (stages > 1 && !machine.hasAsyncCopies())
      copied +=
          copies * double(llvm::divideCeil(
                       inputs[k]->copied * work.inputs[k].bytes, int64_t(4)));
  }
  predictLoops();
  copied += countCopyRegisters();
  values += countFragments() + countEdgeRegisters();
  cost.sharedBytes = multiply(cost.sharedBytes, stages);
  // Threads that share results show them each other.
  bool areShared = llvm::any_of(plan.lanes, [&](const LaneFactor &lane) {
    return work.contracted[lane.iterator];
  });
  if (areShared)
    cost.sharedBytes +=
        traffic.threads *
        int64_t(countThreadResults() * double(4 * work.accumulatorWords));
  cost.sharedBytes = std::max(cost.sharedBytes, work.sharedBytes);
  auto getRegisters = [](double held) {
    return kBaseRegisters + int64_t(std::min(held, kMostValues));
  };
  cost.registersAtOnce = cost.registers = getRegisters(values + copied);
  // In a single step a thread copies before it multiplies, not beside that.
  if (cost.steps == 1)
    cost.registers = getRegisters(std::max(values - kRegistersOfSteps, copied));
}
