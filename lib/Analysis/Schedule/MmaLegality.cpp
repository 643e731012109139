//===- MmaLegality.cpp - Which schedules a tensor instruction can take ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/MmaLegality.h"

#include "Saturating.h"

#include "tc/Analysis/Staging.h"
#include "tc/IR/Factors.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

static std::string describe(const Twine &text) { return text.str(); }

static std::string print(ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(types, os, " or ");
  return text;
}

/// Whether each input varies with `i`: rows and columns of a product vary in
/// one each.
static bool isAlongOnly(const StrideTable &access, unsigned input, unsigned i) {
  return access.inputs[input].variesWith(i) &&
         !access.inputs[1 - input].variesWith(i);
}

/// The input with the rows of `unit`: that with the iterators of `m`.
static unsigned getRowInput(ContractOp op, const StrideTable &access,
                            MmaAttr unit) {
  StringRef row = unit.getM().front().iterator.getValue();
  return access.inputs[0].variesWith(*op.findIterator(row)) ? 0 : 1;
}

std::optional<std::string>
mlir::tc::findInstructionProblem(ContractOp op, const MmaShape &shape,
                                 MachineAttr machine) {
  if (auto problem = machine.findInstructionProblem(shape))
    return problem;
  std::optional<Factors> factors = Factors::match(op);
  if (!factors)
    return describe("expected a sum of products of two inputs, or of a "
                    "function of each, for " +
                    shape.name);
  Precision precision = op.getProductPrecision();
  Type like = factors->getType(0),
       sum = getNumberLike(getSumType(shape, op.getContext()), like);
  auto reals = getInputTypes(shape, precision, op.getContext());
  auto inputs = llvm::map_to_vector<2>(
      reals, [&](Type real) { return getNumberLike(real, like); });
  if (op.getAccumulatorTypes().front() != sum)
    return describe("expected accumulators of " + print(sum) + " for " +
                    shape.name);
  for (unsigned k : {0, 1})
    if (!llvm::is_contained(inputs, factors->getType(k)))
      return describe("expected " +
                      Twine(op.getMap().empty() ? "inputs" : "factors") +
                      " of " + print(inputs) + " for " + shape.name);
  if (reals.front().isF32() &&
      getDecomposition(precision).type != shape.getType())
    return describe("expected a contraction with precision " +
                    listPrecisions(shape.getType()) + " for " + shape.name);
  if (!op.mayReorder())
    return describe("expected terms in any order for " + shape.name);
  return std::nullopt;
}

/// Lanes are threads along result iterators, rows of one input and columns of
/// the other.
static std::optional<std::string> findLaneProblem(ContractOp op,
                                                  const StrideTable &access,
                                                  ScheduleAttr schedule) {
  MmaAttr unit = schedule.getUnit();
  unsigned rowInput = getRowInput(op, access, unit);
  for (auto [factors, input] :
       {std::pair(unit.getM(), rowInput), std::pair(unit.getN(), 1 - rowInput)})
    for (const Factor &factor : factors) {
      StringRef name = factor.iterator.getValue();
      if (!isAlongOnly(access, input, *op.findIterator(name)))
        return describe("expected '" + name + "' to be an iterator of input " +
                        Twine(input) + " alone, as all of " +
                        (input == rowInput ? "m" : "n"));
      if (schedule.getThread(name) % factor.value != 0)
        return describe("expected a multiple of " + Twine(factor.value) +
                        " threads along '" + name + "', got " +
                        Twine(schedule.getThread(name)));
    }
  for (const Factor &factor : schedule.getThread()) {
    StringRef name = factor.iterator.getValue();
    if (schedule.getFastThread(name) > 1)
      return describe("expected '" + name +
                      "' once in 'thread' with kernel mma");
    if (factor.value > 1 && op.isContracted(*op.findIterator(name)))
      return describe("expected no threads along contracted '" + name +
                      "' with kernel mma, got " + Twine(factor.value));
  }
  return std::nullopt;
}

static int64_t countStepTerms(ScheduleAttr schedule) {
  int64_t terms = 1;
  for (const Factor &factor : schedule.getStep())
    terms = multiply(terms, factor.value);
  return terms;
}

/// What a lane holds comes in whole fragments.
static std::optional<std::string> findFragmentProblem(ContractOp op,
                                                      const StrideTable &access,
                                                      ScheduleAttr schedule) {
  MmaAttr unit = schedule.getUnit();
  const MmaShape &shape = unit.getShape();
  unsigned rowInput = getRowInput(op, access, unit);
  int64_t rows = 1;
  bool hasPair = false;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    if (op.isContracted(i)) {
      int64_t step = schedule.getStep(name), vector = schedule.getVector(name);
      if (int64_t lanes = unit.getTermLanes(name);
          step % multiply(lanes, vector) != 0)
        return describe("expected the step of '" + name +
                        "' to be a multiple of its " + Twine(lanes) +
                        " lanes and vector " + Twine(vector) + ", got " +
                        Twine(step));
      continue;
    }
    int64_t reg = schedule.getRegister(name), vector = schedule.getVector(name);
    if (isAlongOnly(access, rowInput, i))
      rows = multiplyAll({rows, reg, vector});
    else if (isAlongOnly(access, 1 - rowInput, i))
      hasPair |=
          reg % kMmaColumnsPerLane == 0 || vector % kMmaColumnsPerLane == 0;
  }
  if (rows % shape.countRows() != 0)
    return describe("expected a multiple of " + Twine(shape.countRows()) +
                    " rows of each lane for " + shape.name + ", got " +
                    Twine(rows));
  if (!hasPair)
    return describe("expected an even 'register' or 'vector' along an iterator "
                    "of the columns for " +
                    shape.name);
  if (int64_t terms = countStepTerms(schedule); terms % shape.k != 0)
    return describe("expected a step of a multiple of " + Twine(shape.k) +
                    " terms for " + shape.name + ", got " + Twine(terms));
  return std::nullopt;
}

/// The most terms that are promoted together, so that sums are as accurate as
/// docs/Accuracy.md promises; 0 if that promises nothing.
static int64_t getMostPromoted(ContractOp op, const MmaShape &shape) {
  if (!getDecomposition(op.getProductPrecision()).isSeveral())
    return shape.mostTerms;
  // A component of a complex sum has several products of each term.
  unsigned count = getComponents(op.getAccumulatorTypes().front()).count;
  return std::max(shape.k, kMostTermsOfParts / int64_t(count));
}

/// Terms that are promoted together are of one step.
static std::optional<std::string> findPromotionProblem(ContractOp op,
                                                       ScheduleAttr schedule) {
  MmaAttr unit = schedule.getUnit();
  if (unit.getPromote() == 0)
    return std::nullopt;
  int64_t terms = countStepTerms(schedule);
  if (unit.getPromote() > terms)
    return describe("expected 'promote' of at most the " + Twine(terms) +
                    " terms of a step, got " + Twine(unit.getPromote()));
  int64_t most = getMostPromoted(op, unit.getShape());
  if (most > 0 && unit.getPromote() > most)
    return describe("expected 'promote' of at most " + Twine(most) + " for " +
                    unit.getShape().name + " and precision " +
                    stringifyPrecision(op.getProductPrecision()) + ", got " +
                    Twine(unit.getPromote()));
  return std::nullopt;
}

/// Instructions take whole steps: terms beyond an extent have to be zero.
static std::optional<std::string> findFillProblem(ContractOp op,
                                                  const StrideTable &access,
                                                  ScheduleAttr schedule) {
  if (op.getMap().empty()) // zero times zero
    return std::nullopt;
  std::optional<Pads> pads;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t extent = access.extents[i],
            whole = multiply(schedule.getStep(name), schedule.getSplit(name));
    if (!op.isContracted(i) ||
        (ShapedType::isStatic(extent) && extent % whole == 0))
      continue;
    if (!pads)
      pads = findPads(op);
    if (!pads->covers[i])
      return describe("expected whole steps along '" + name +
                      "' with kernel mma, as no fill values of the inputs "
                      "make the map zero");
  }
  return std::nullopt;
}

std::optional<std::string> mlir::tc::findMmaProblem(ContractOp op,
                                                    const StrideTable &access,
                                                    ScheduleAttr schedule,
                                                    MachineAttr machine) {
  MmaAttr unit = schedule.getUnit();
  if (!unit)
    return std::nullopt;
  if (auto problem = findInstructionProblem(op, unit.getShape(), machine))
    return problem;
  if (auto problem = findLaneProblem(op, access, schedule))
    return problem;
  if (auto problem = findFragmentProblem(op, access, schedule))
    return problem;
  if (auto problem = findPromotionProblem(op, schedule))
    return problem;
  if (auto problem = findFillProblem(op, access, schedule))
    return problem;
  for (auto [k, staging] : llvm::enumerate(schedule.getStaging()))
    if (staging.isInPlace())
      return describe("expected input " + Twine(k) +
                      " to be staged with kernel mma, got in_place");
  return std::nullopt;
}
