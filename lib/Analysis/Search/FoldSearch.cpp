//===- FoldSearch.cpp - Plans folded into tensor instructions -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/FoldSearch.h"

#include "Saturating.h"
#include "Schedule/MmaLegality.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/Factors.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The instructions for `op` that are faster than multiply-adds; or why there
/// are none.
static std::variant<SmallVector<const MmaShape *, 4>, std::string>
findShapes(ContractOp op, const Workload &work, MachineAttr machine) {
  std::optional<Factors> factors = Factors::match(op);
  if (!factors)
    return std::string("expected a sum of products of two inputs, or of a "
                       "function of each");
  Machine rates = getRates(machine);
  double least = getRate(work.unit, rates).second;
  SmallVector<const MmaShape *, 4> shapes;
  Type type = factors->getType(0);
  Precision precision = op.getProductPrecision();
  const Decomposition &product = getDecomposition(precision);
  std::string problem, slow;
  llvm::raw_string_ostream(problem)
      << "there is none with " << (op.getMap().empty() ? "inputs" : "factors")
      << " of " << type;
  for (const MmaShape &shape : getMmaShapes()) {
    bool isOther = !product.type.empty() && shape.getType() != product.type;
    bool isOfShape = llvm::any_of(
        getInputTypes(shape, precision, op.getContext()),
        [&](Type real) { return getNumberLike(real, type) == type; });
    if (isOther || !isOfShape)
      continue;
    if (auto found = findInstructionProblem(op, shape, machine))
      problem = *found;
    else if (rates.getMmaPerCycle(shape.getType()) <=
             least * product.countProducts())
      slow = ("tensor units of " + machine.getChip() + " are no faster for " +
              shape.getType())
                 .str();
    else
      shapes.push_back(&shape);
  }
  if (shapes.empty())
    return slow.empty() ? problem : slow;
  return shapes;
}

std::variant<FoldSpace, std::string>
mlir::tc::getFoldSpace(ContractOp op, const Workload &work,
                       MachineAttr machine) {
  FoldSpace space;
  auto shapes = findShapes(op, work, machine);
  if (auto *problem = std::get_if<std::string>(&shapes))
    return *problem;
  space.shapes = std::get<0>(shapes);
  space.product = &getDecomposition(op.getProductPrecision());
  space.components = &getComponents(op.getAccumulatorTypes().front());
  auto haveLess = [](const MmaShape *a, const MmaShape *b) {
    return a->m < b->m;
  };
  int64_t rows = (*llvm::max_element(space.shapes, haveLess))->m;
  llvm::erase_if(space.shapes,
                 [&](const MmaShape *shape) { return shape->m < rows; });
  const Access &result = work.stored.front();
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    bool first = work.inputs[0].variesWith(i),
         second = work.inputs[1].variesWith(i);
    if (work.contracted[i])
      space.sums.push_back(i);
    else if (first != second)
      space.results[second].push_back(i);
  }
  auto getDistance = [&](unsigned i) { return result.getDistance(i); };
  for (auto &iterators : space.results)
    llvm::stable_sort(iterators, [&](unsigned a, unsigned b) {
      return getDistance(a) > getDistance(b);
    });
  llvm::stable_sort(space.sums, [&](unsigned a, unsigned b) {
    return work.getDensest(a) < work.getDensest(b);
  });
  auto &[first, second] = space.results;
  if (first.empty() || second.empty() || space.sums.empty())
    return std::string("expected iterators that are contracted, and others of "
                       "each input alone");
  // Neighbouring lanes are along columns, and so are neighbours of a result.
  space.columnInput =
      getDistance(second.back()) <= getDistance(first.back()) ? 1 : 0;
  return space;
}

/// `lanes`, a power of two, of what `count` gives for each iterator, the last
/// ones first; none where there are not as many.
static std::optional<SmallVector<LaneFactor, 4>>
takeLanes(ArrayRef<unsigned> iterators, int64_t lanes,
          function_ref<int64_t(unsigned)> count) {
  SmallVector<LaneFactor, 4> taken;
  for (unsigned i : llvm::reverse(iterators)) {
    auto factor = int64_t(llvm::MinAlign(lanes, count(i)));
    lanes /= factor;
    if (factor > 1)
      taken.insert(taken.begin(), {i, factor});
  }
  return lanes == 1 ? std::optional(taken) : std::nullopt;
}

FoldSpace mlir::tc::renumberResults(FoldSpace space, ContractOp op,
                                    ContractOp lead) {
  for (auto &iterators : space.results)
    for (unsigned &i : iterators)
      i = *lead.findIterator(op.getIterator(i));
  return space;
}

static bool areAmong(ArrayRef<LaneFactor> lanes, ArrayRef<unsigned> iterators) {
  return llvm::all_of(lanes, [&](const LaneFactor &lane) {
    return llvm::is_contained(iterators, lane.iterator);
  });
}

/// The rows and columns of `plan` where `columnInput` has the columns; with
/// `known` lanes, these.
static std::optional<MmaFold> findFold(const FoldSpace &space,
                                       const TilePlan &plan,
                                       unsigned columnInput,
                                       const LaneLayout *known) {
  ArrayRef<unsigned> rowIterators = space.results[1 - columnInput],
                     columnIterators = space.results[columnInput];
  auto getThreads = [&](unsigned i) { return plan.thread[i]; };
  auto isPaired = [&](unsigned i) {
    return plan.reg[i] % kMmaColumnsPerLane == 0 ||
           plan.vector[i] % kMmaColumnsPerLane == 0;
  };
  int64_t rows = 1;
  for (unsigned i : rowIterators)
    rows = multiplyAll({rows, plan.reg[i], plan.vector[i]});
  auto rowLanes = takeLanes(rowIterators, kMmaRowLanes, getThreads);
  auto columnLanes = takeLanes(columnIterators, kMmaColumnLanes, getThreads);
  if (known && (!areAmong(known->rows, rowIterators) ||
                !areAmong(known->columns, columnIterators)))
    return std::nullopt;
  if (known) {
    rowLanes = known->rows;
    columnLanes = known->columns;
  }
  if (!rowLanes || !columnLanes || !llvm::any_of(columnIterators, isPaired) ||
      rows % space.shapes.front()->countRows() != 0)
    return std::nullopt;
  auto hasPair = [&](const LaneFactor &lane) {
    return isPaired(lane.iterator);
  };
  bool hasSeveralRows = space.shapes.front()->countRows() > 1;
  if (space.isOfTerm && (!llvm::any_of(*columnLanes, hasPair) ||
                         (hasSeveralRows && !llvm::any_of(*rowLanes, hasPair))))
    return std::nullopt;
  MmaFold fold;
  fold.product = space.product;
  fold.components = space.components;
  fold.rows = std::move(*rowLanes);
  fold.columns = std::move(*columnLanes);
  fold.pair = findPair(
      plan, [&](unsigned i) { return llvm::is_contained(columnIterators, i); });
  return fold;
}

/// With the columns on the side where they are best, or on the other.
static std::optional<MmaFold> findFold(const FoldSpace &space,
                                       const TilePlan &plan,
                                       const LaneLayout *known = nullptr) {
  auto fold = findFold(space, plan, space.columnInput, known);
  return fold ? fold : findFold(space, plan, 1 - space.columnInput, known);
}

bool mlir::tc::canFold(const FoldSpace &space, const TilePlan &plan) {
  return findFold(space, plan) &&
         llvm::all_of(space.others, [&](const FoldSpace &other) {
           return findFold(other, plan).has_value();
         });
}

/// As one of `known`, or as is best for it.
static MmaFold chooseFold(const FoldSpace &space, const TilePlan &plan,
                          ArrayRef<LaneLayout> known) {
  for (const LaneLayout &layout : known)
    if (auto fold = findFold(space, plan, &layout))
      return *fold;
  return *findFold(space, plan);
}

void mlir::tc::foldResults(const FoldSpace &space, TilePlan &plan,
                           ArrayRef<LaneLayout> known) {
  MmaFold fold = chooseFold(space, plan, known);
  // Warps are what is left of the threads along each iterator.
  SmallVector<LaneFactor, 8> lanes;
  for (const LaneFactor &lane : plan.lanes) {
    unsigned i = lane.iterator;
    int64_t warps = plan.thread[i] / fold.getLanes(i);
    bool isThere = llvm::any_of(
        lanes, [&](const LaneFactor &other) { return other.iterator == i; });
    if (warps > 1 && !isThere)
      lanes.push_back({i, warps});
  }
  for (ArrayRef<LaneFactor> folded : {fold.rows, fold.columns})
    llvm::append_range(lanes, folded);
  plan.lanes = std::move(lanes);
  plan.mma = std::move(fold);
}

/// The instruction with the most terms, up to `most`, that `terms` are whole
/// ones of; null if there is none.
static const MmaShape *findShape(const FoldSpace &space, int64_t terms,
                                 int64_t most) {
  const MmaShape *found = nullptr;
  for (const MmaShape *shape : space.shapes)
    if (shape->k <= most && terms % shape->k == 0 &&
        (!found || shape->k > found->k))
      found = shape;
  return found;
}

static void setShape(const FoldSpace &space, const MmaShape *shape,
                     TilePlan &plan) {
  plan.mma->shape = shape;
  plan.mma->promote = shape ? getPromotedTerms(*shape, *space.product) : 0;
}

bool mlir::tc::foldTerms(const FoldSpace &space, TilePlan &plan) {
  int64_t terms = 1;
  for (unsigned i : space.sums)
    terms *= plan.step[i];
  SmallVector<unsigned, 8> order(llvm::reverse(space.sums));
  auto lanes = takeLanes(order, kMmaColumnLanes, [&](unsigned i) {
    return plan.step[i] / plan.vector[i];
  });
  setShape(space, findShape(space, terms, terms), plan);
  if (!lanes || !plan.mma->shape)
    return false;
  plan.mma->terms = *lanes;
  return multiplyAll(getWrittenTerms(plan, space.sums)) <=
         getMostTerms(*plan.mma);
}

bool mlir::tc::shrinkFold(const FoldSpace &space, TilePlan &plan) {
  int64_t terms = plan.mma->shape->k;
  const MmaShape *shape = findShape(space, terms, terms - 1);
  if (shape)
    setShape(space, shape, plan);
  return shape;
}

std::optional<std::string>
mlir::tc::findTensorProblem(ContractOp op, const StrideTable &access,
                            MachineAttr machine) {
  auto space = getFoldSpace(op, getWorkload(op, access), machine);
  auto *problem = std::get_if<std::string>(&space);
  return problem ? std::optional(*problem) : std::nullopt;
}
