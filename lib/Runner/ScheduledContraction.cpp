//===- ScheduledContraction.cpp - What was decided, as plain data ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/ScheduledContraction.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace mlir::tc {

/// Of the schedules that a page lists.
static constexpr unsigned rankedCount = 8;

/// "i = 16, j = 8".
static std::string format(ArrayRef<Factor> factors) {
  return llvm::join(llvm::map_range(factors,
                                    [](const Factor &factor) {
                                      return factor.iterator.str() + " = " +
                                             std::to_string(factor.value);
                                    }),
                    ", ");
}

static std::string format(ArrayRef<StagingAttr> staging) {
  return llvm::join(llvm::map_range(staging,
                                    [](StagingAttr input) -> std::string {
                                      if (input.isInPlace())
                                        return "in_place";
                                      return "[" + format(input.getStrides()) +
                                             "] by " +
                                             std::to_string(input.getChunk());
                                    }),
                    "; ");
}

static std::vector<std::pair<std::string, std::string>>
listKeys(ScheduleAttr schedule) {
  std::vector<std::pair<std::string, std::string>> keys = {
      {"thread", format(schedule.getThread())},
      {"register", format(schedule.getReg())},
      {"step", format(schedule.getStep())},
      {"vector", format(schedule.getVector())},
      {"split", format(schedule.getSplit())},
      {"stage", format(schedule.getStaging())},
      {"unroll", format(schedule.getUnroll())},
      {"stages", std::to_string(schedule.getStages())},
      {"resident", std::to_string(schedule.getResident())},
      {"kernel", stringifyKernel(schedule.getKernel()).str()}};
  if (MmaAttr unit = schedule.getUnit()) {
    std::string text =
        unit.getInstruction().str() + ", m: " + format(unit.getM()) +
        "; n: " + format(unit.getN()) + "; k: " + format(unit.getK());
    if (unit.getPromote())
      text += "; promote: " + std::to_string(unit.getPromote());
    keys.push_back({"unit", text});
  }
  llvm::erase_if(keys, [](const auto &key) { return key.second.empty(); });
  return keys;
}

static std::vector<RankedSchedule>
rank(ContractOp op, const StrideTable &access, MachineAttr machine) {
  std::vector<RankedSchedule> ranked;
  ScheduleAttr carriedOut = op.getScheduleAttr();
  for (RankedPlan &best : searchPlans(op, access, machine, rankedCount)) {
    ScheduleAttr schedule =
        completeSchedule(op, access, getSchedule(op, best.plan));
    ranked.push_back({llvm::to_string(schedule), std::move(best.cost),
                      schedule == carriedOut});
  }
  return ranked;
}

ScheduledContraction describe(ContractOp op, const StrideTable &access,
                              MachineAttr machine, bool isOfSum) {
  ScheduledContraction described;
  ScheduleAttr schedule = op.getScheduleAttr();
  described.access = access;
  described.access.extentValues.clear(); // they may not outlive the op
  described.work = getWorkload(op, access);
  described.plan = getPlan(op, schedule);
  described.keys = listKeys(schedule);
  described.isOfSum = isOfSum;
  for (auto [k, input] : llvm::enumerate(access.inputs)) {
    StagedInput &staged = described.inputs.emplace_back();
    staged.dims = getTileDims(op, schedule, input);
    ArrayRef<StagingAttr> staging = schedule.getStaging();
    if (k >= staging.size() || staging[k].isInPlace())
      continue;
    staged.chunk = staging[k].getChunk();
    for (const Factor &stride : staging[k].getStrides())
      staged.strides.push_back(stride.value);
  }
  if (isOfSum || llvm::is_contained(access.extents, 0))
    return described;
  described.cost = predictCost(op, access, schedule, machine);
  if (!described.cost && !isSplit(schedule))
    described.cost =
        predictCost(described.work, described.plan, getRates(machine));
  if (access.hasKnownPoints())
    described.ranked = rank(op, access, machine);
  return described;
}

} // namespace mlir::tc
