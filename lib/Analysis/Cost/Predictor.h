//===- Predictor.h - The cost of one plan -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_COST_PREDICTOR_H
#define TC_LIB_ANALYSIS_COST_PREDICTOR_H

#include "Cost/Traffic.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/Schedules.h"

namespace mlir::tc {

/// What one plan costs: amounts first, then times.
class Predictor {
public:
  Predictor(const Workload &work, const TilePlan &plan, const Machine &machine,
            TrafficCache &cache)
      : work(work), plan(plan), machine(machine), traffic(work, plan, cache) {}
  KernelCost run();

private:
  struct PackSlots {
    double all = 0, integer = 0; ///< and those of them for the integer units
  };

  void predictBlock();
  void predictOccupancy();
  void predictInputs();
  void predictCombine();
  void predictResults();
  void predictSlots();
  void predictMemory();
  void predictBound();
  double getWaste();
  LaunchDemand getDemand();
  void addLocal(StringRef name, double amount, double perCycle);
  void addGlobal(StringRef name, double amount, double perSecond);
  /// Warps of all blocks.
  double countWarps() { return traffic.blocks * double(traffic.warps); }
  int64_t countSpare() const;
  double countThreadResults() const;
  double getComputedShare(decltype(countComputed) &count) const;
  std::pair<StringRef, double> getArithmeticRate() const;
  double countThreadSlots() const;
  bool areWrittenOut(const InputTraffic &input) const;
  double countPlaceSlots(const InputTraffic &input) const;
  double countSharedSlots(const InputTraffic &input) const;
  double countIndexSlots(const InputTraffic &input) const;
  double countSetupSlots(const InputTraffic &input) const;
  void predictLoops();
  int64_t countTogether(const InputTraffic &input) const;
  Requests getReads(unsigned k) const;
  double countTrips() const;
  double countLoopSlots() const;
  double countStepRounds() const;
  bool isStepBare() const;
  double countFragment(const Access &input, ArrayRef<int64_t> unrolled) const;
  PackSlots countPackSlots() const;
  double countFactorSlots() const;
  double countConversionSlots() const;
  int64_t countHeldTerms(const InputTraffic &input) const;
  double countFragments() const;
  bool shareAddress(const InputTraffic &input) const;
  double countCopyRegisters() const;
  double countEdgeRegisters() const;

  const Workload &work;
  const TilePlan &plan;
  const Machine &machine;
  Traffic traffic;
  SmallVector<const InputTraffic *, 2> inputs;
  /// As many as the plan says, or one where copies of narrow numbers, one by
  /// one, cannot run ahead.
  int64_t stages = 1;
  /// Steps of each contracted iterator that are written out, since one access
  /// brings the values of all.
  PerIterator unrolled;
  /// The iterations of each contracted loop of a step, and how often it is
  /// written out.
  SmallVector<int64_t> loopExtents, loopCounts;
  /// For each input, how many reads of iterations that are written out LLVM
  /// puts into one.
  SmallVector<int64_t, 2> together;
  double copyRequests = 0, readRequests = 0, writeBackRequests = 0;
  /// Of shared memory, where threads combine what they have of a result, and
  /// the barriers of a block for that.
  double combineRequests = 0, combineBarriers = 0;
  double copyIndexSlots = 0;
  /// Cycles in which copies load and store at the same time.
  double copyOverlap = 0;
  /// Of threads, by warps.
  double multiplyAdds = 0;
  KernelCost cost;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_PREDICTOR_H
