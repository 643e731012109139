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
         unit == other.unit;
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
  plan.unit = schedule.getUnit();
  for (const Factor &factor : schedule.getThread())
    if (auto i = op.findIterator(factor.iterator.getValue());
        i && factor.value > 1)
      plan.lanes.push_back({*i, factor.value});
  return plan;
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
      llvm::map_to_vector(plan.lanes, [&](const LaneFactor &lane) {
        return name(lane.iterator, lane.threads);
      });
  return ScheduleAttr::get(op.getContext(), lanes, collect(plan.reg),
                           collect(plan.step), collect(plan.vector),
                           collect(plan.split), plan.stages, plan.resident,
                           plan.unit ? Kernel::Mma : Kernel::Fma, plan.unit);
}
