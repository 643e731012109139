//===- TilePlan.cpp - A schedule as numbers by iterator -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/TilePlan.h"

#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

void TilePlan::resize(unsigned iterators) {
  for (PerIterator *factors : {&thread, &reg, &vector, &step, &split})
    factors->resize(iterators, 1);
}

int64_t TilePlan::getBlock(unsigned i) const {
  return multiplyAll({thread[i], reg[i], vector[i]});
}

int64_t TilePlan::getNumThreads() const { return multiplyAll(thread); }

bool TilePlan::operator==(const TilePlan &other) const {
  return thread == other.thread && reg == other.reg && vector == other.vector &&
         step == other.step && split == other.split && lanes == other.lanes &&
         stages == other.stages && resident == other.resident &&
         mma == other.mma;
}

int64_t MmaFold::countTerms() const {
  return product->isSeveral()
             ? std::max(shape->countTerms(), promote / kMmaColumnLanes)
             : shape->countTerms();
}

int64_t MmaFold::getLanes(unsigned i) const {
  int64_t lanes = 1;
  for (ArrayRef<LaneFactor> list : {rows, columns, terms})
    for (const LaneFactor &lane : list)
      if (lane.iterator == i)
        lanes *= lane.threads;
  return lanes;
}

unsigned mlir::tc::findPair(const TilePlan &plan,
                            function_ref<bool(unsigned)> isColumn) {
  unsigned found = 0;
  for (bool mayHaveThreads : {true, false})
    for (unsigned i = 0, e = plan.thread.size(); i < e; ++i) {
      bool isFree = mayHaveThreads || plan.thread[i] == 1;
      if (isColumn(i) && (plan.vector[i] % kMmaColumnsPerLane == 0 ||
                          (isFree && plan.reg[i] % kMmaColumnsPerLane == 0)))
        found = i;
    }
  return found;
}

/// Of an op with two inputs; others have no tensor instruction.
static std::optional<MmaFold> getFold(ContractOp op, const TilePlan &plan,
                                      MmaAttr unit) {
  auto collect = [&](ArrayRef<Factor> factors) {
    SmallVector<LaneFactor, 4> lanes;
    for (const Factor &factor : factors)
      if (auto i = op.findIterator(factor.iterator.getValue()))
        lanes.push_back({*i, factor.value});
    return lanes;
  };
  MmaFold fold{
      &unit.getShape(),     collect(unit.getM()),
      collect(unit.getN()), collect(unit.getK()),
      /*pair=*/0,           &getDecomposition(op.getProductPrecision())};
  fold.promote = unit.getPromotedTerms(op.getProductPrecision());
  if (op.getInputs().size() != 2 || fold.columns.empty())
    return std::nullopt;
  fold.components = &getComponents(op.getAccumulatorTypes().front());
  auto isAlong = [&](unsigned input, unsigned i) {
    return op.getInputMap(input).isFunctionOfDim(i);
  };
  unsigned columnInput = isAlong(0, fold.columns.front().iterator) ? 0 : 1;
  fold.pair = findPair(plan, [&](unsigned i) {
    return !op.isContracted(i) && isAlong(columnInput, i) &&
           !isAlong(1 - columnInput, i);
  });
  return fold;
}

TilePlan mlir::tc::getPlan(ContractOp op, ScheduleAttr schedule) {
  unsigned count = op.getNumIterators();
  TilePlan plan(count);
  for (unsigned i = 0; i < count; ++i) {
    StringRef name = op.getIterator(i);
    plan.thread[i] = schedule.getThread(name);
    plan.reg[i] = schedule.getRegister(name);
    plan.step[i] = schedule.getStep(name);
    plan.vector[i] = schedule.getVector(name);
    plan.split[i] = schedule.getSplit(name);
  }
  plan.stages = schedule.getStages();
  plan.resident = schedule.getResident();
  if (MmaAttr unit = schedule.getUnit())
    plan.mma = getFold(op, plan, unit);
  // Warps first, then the lanes of each.
  for (const Factor &factor : schedule.getThread()) {
    std::optional<unsigned> i = op.findIterator(factor.iterator.getValue());
    if (!i)
      continue;
    int64_t lanes =
        plan.mma && !op.isContracted(*i) ? plan.mma->getLanes(*i) : 1;
    if (int64_t threads = factor.value / lanes; threads > 1)
      plan.lanes.push_back({*i, threads});
  }
  if (plan.mma)
    for (ArrayRef<LaneFactor> lanes : {plan.mma->rows, plan.mma->columns})
      llvm::append_range(plan.lanes, lanes);
  return plan;
}

/// The threads that `plan` lists, those of warps and lanes together.
static SmallVector<LaneFactor> mergeLanes(const TilePlan &plan) {
  SmallVector<LaneFactor> merged =
      llvm::to_vector(llvm::ArrayRef<LaneFactor>(plan.lanes));
  if (!plan.mma)
    return merged;
  for (size_t n = 0; n < merged.size(); ++n)
    for (size_t later = merged.size() - 1; later > n; --later)
      if (merged[later].iterator == merged[n].iterator) {
        merged[n].threads *= merged[later].threads;
        merged.erase(merged.begin() + later);
      }
  return merged;
}

ScheduleAttr mlir::tc::getSchedule(ContractOp op, const TilePlan &plan) {
  auto name = [&](unsigned i, int64_t factor) {
    return Factor{StringAttr::get(op.getContext(), op.getIterator(i)), factor};
  };
  auto collect = [&](ArrayRef<int64_t> factors) {
    SmallVector<Factor> named;
    for (auto [i, factor] : llvm::enumerate(factors))
      if (factor > 1)
        named.push_back(name(i, factor));
    return named;
  };
  SmallVector<Factor> lanes =
      llvm::map_to_vector(mergeLanes(plan), [&](const LaneFactor &lane) {
        return name(lane.iterator, lane.threads);
      });
  MmaAttr unit;
  if (plan.mma) {
    auto fold = [&](ArrayRef<LaneFactor> folded) {
      return llvm::map_to_vector(folded, [&](const LaneFactor &lane) {
        return name(lane.iterator, lane.threads);
      });
    };
    unit = MmaAttr::get(op.getContext(),
                        StringAttr::get(op.getContext(), plan.mma->shape->name),
                        fold(plan.mma->rows), fold(plan.mma->columns),
                        fold(plan.mma->terms),
                        std::min(plan.mma->promote, multiplyAll(plan.step)));
  }
  return ScheduleAttr::get(op.getContext(), lanes, collect(plan.reg),
                           collect(plan.step), collect(plan.vector),
                           collect(plan.split), plan.stages, plan.resident,
                           unit ? Kernel::Mma : Kernel::Fma, unit);
}
