//===- DefaultVectors.cpp - Vectors and stages without a search -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/DefaultVectors.h"

#include "Search/SearchAxes.h"
#include "Search/SearchSteps.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/Schedules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// What is added to a schedule.
struct Additions {
  bool vectors, stages;
};
} // namespace

/// Is an operand known to lie densely along iterator `i`?
static bool isDense(const ContractAccess &access, unsigned i) {
  auto isUnit = [&](const Access &operand) { return operand.strides[i] == 1; };
  return llvm::any_of(access.inputs, isUnit) ||
         llvm::any_of(access.outputs, isUnit);
}

/// Turns registers along result iterators into vectors, and takes the steps of
/// contracted iterators by vectors.
static void addVectors(const Workload &work, const ContractAccess &access,
                       TilePlan &plan) {
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    bool contracted = work.contracted[i];
    if (!isDense(access, i) || (contracted && !work.mayReorder))
      continue;
    int64_t own = contracted ? plan.step[i] / plan.thread[i] : plan.reg[i];
    for (int64_t vector : getVectors(work, i))
      if (plan.vector[i] == 1 && own % vector == 0 && vector <= kMostUnrolled) {
        plan.vector[i] = vector;
        plan.reg[i] = contracted ? 1 : own / vector;
      }
  }
}

/// The result iterators as in `lead`, which is of another op.
static void copyResults(ContractOp leadOp, const TilePlan &lead, ContractOp op,
                        const ContractAccess &access, TilePlan &plan) {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (!access.contracted[i]) {
      unsigned same = *leadOp.findIterator(op.getIterator(i));
      plan.reg[i] = lead.reg[same];
      plan.vector[i] = lead.vector[same];
    }
}

/// Are there copies to shared memory, in several steps?
static bool hasCopies(ContractOp op, const ContractAccess &access,
                      ScheduleAttr schedule) {
  bool hasSteps =
      llvm::any_of(llvm::seq(op.getNumIterators()), [&](unsigned i) {
        return access.contracted[i] &&
               schedule.getStep(op.getIterator(i)) != access.extents[i];
      });
  return hasSteps && llvm::any_of(getNeeds(op, access, schedule).stageBytes,
                                  [](int64_t bytes) { return bytes > 0; });
}

static SmallVector<ScheduleAttr> add(ArrayRef<ContractOp> ops,
                                     ArrayRef<ContractAccess> accesses,
                                     ArrayRef<ScheduleAttr> schedules,
                                     size_t lead, MachineAttr machine,
                                     Additions additions) {
  std::vector<TilePlan> plans;
  SmallVector<ScheduleAttr> added;
  Machine rates = getRates(machine);
  for (auto [op, access, schedule] :
       llvm::zip_equal(ops, accesses, schedules)) {
    Workload work = getWorkload(op, access);
    TilePlan &plan = plans.emplace_back(getPlan(op, schedule));
    if (additions.vectors)
      addVectors(work, access, plan);
    if (additions.stages && hasCopies(op, access, schedule))
      plan.stages = std::min<int64_t>(getMostStages(work, rates), 2);
  }
  for (auto [op, access, plan] : llvm::zip_equal(ops, accesses, plans)) {
    copyResults(ops[lead], plans[lead], op, access, plan);
    added.push_back(getSchedule(op, plan));
  }
  return added;
}

SmallVector<ScheduleAttr> mlir::tc::addVectorsAndStages(
    ArrayRef<ContractOp> ops, ArrayRef<ContractAccess> accesses,
    ArrayRef<ScheduleAttr> schedules, size_t lead, MachineAttr machine) {
  for (Additions additions : {Additions{true, true}, Additions{false, true},
                              Additions{true, false}}) {
    SmallVector<ScheduleAttr> added =
        add(ops, accesses, schedules, lead, machine, additions);
    if (!findScheduleProblem(ops, accesses, added, machine))
      return added;
  }
  return SmallVector<ScheduleAttr>(schedules);
}
