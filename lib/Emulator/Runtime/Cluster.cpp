//===- Cluster.cpp - Barriers of a cluster --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// barrier.cluster (PTX ISA 9.0, section 9.7.13.3): every thread of the cluster
// that has not ended arrives, and each then waits for the others. A thread may
// do other things in between. It arrives at the next phase only after its wait,
// so one phase is open at a time, while waits for the last one may be left.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"
#include "Count/Counter.h"
#include "Runtime/Scheduler.h"

#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace tc::emulator {

bool Scheduler::arriveAtCluster(Step &step) {
  WarpState &warp = step.warp;
  uint32_t number = warp.getNumber(), lanes = step.active;
  if (uint32_t twice = lanes & warp.arrived)
    return fail(step, llvm::countr_zero(twice),
                "arrives at the barrier of the cluster again without having "
                "waited (barrier.cluster.wait) in between",
                FindingClass::Barrier);
  uint32_t &site = cluster.siteOfWarp[number];
  if (launch.plan.sites[step.site].isAligned && cluster.arrived[number] &&
      site != step.site)
    return fail(step, llvm::countr_zero(lanes),
                "threads of one warp are at different barriers, the other at " +
                    Twine(describeSite(launch, site)),
                FindingClass::Barrier);
  site = step.site;
  if (launch.checker)
    launch.checker->arriveAtCluster(
        warp, lanes, step.instruction.get("ClusterOrder") != "relaxed");
  warp.arrived |= lanes;
  cluster.arrived[number] |= lanes;
  cluster.isEmpty = false;
  completeCluster();
  return true;
}

/// Ends the phase if every thread that has not ended has arrived.
void Scheduler::completeCluster() {
  bool isComplete =
      !cluster.isEmpty && llvm::all_of(warps, [&](const WarpState &warp) {
        return !(warp.live & ~cluster.arrived[warp.getNumber()]);
      });
  if (!isComplete)
    return;
  if (launch.checker)
    launch.checker->completeCluster();
  for (uint32_t rank = 0; launch.counter && rank < teams.size(); ++rank)
    launch.counter->endStep(rank);
  for (WarpState &warp : warps) {
    uint32_t number = warp.getNumber();
    cluster.passing[number] = std::exchange(cluster.arrived[number], 0);
    warp.waiting &= ~cluster.waiting[number];
  }
  for (Strand &strand : strands)
    if (strand.status == Status::Waiting &&
        strand.lanes & cluster.waiting[strand.warp->getNumber()])
      strand.status = Status::Ready;
  cluster.isEmpty = true;
  pauses = spins = 0;
}

/// All threads of a block have ended, while others of the cluster go on.
void Scheduler::endBlock(const Team &team) {
  // Slots know its shared memory.
  llvm::fill(launch.slots, Slot());
  if (!launch.checker)
    return;
  uint32_t rank = team.block->rank;
  std::optional<CheckFinding> late = launch.checker->findLateAccess(rank);
  if (!late)
    return;
  const WarpState &other = warps[late->thread / warpSize];
  auto describeIt = [&] {
    return "race: access to the shared memory of block " +
           describeBlock(*team.block) +
           " is not ordered before the end of that block, as a barrier of the "
           "cluster behind it does";
  };
  if (launch.options.checks.has(Checks::Races))
    reportSite(other, late->thread % warpSize, late->site, FindingClass::Race,
               describeIt, late->address % clusterWindow);
}

bool Scheduler::isEverybodyWaiting() const {
  return llvm::all_of(warps, [&](const WarpState &warp) {
    return !(warp.live & ~cluster.waiting[warp.getNumber()]);
  });
}

bool Scheduler::meetCluster(Step &step) {
  if (step.instruction.has("arrive"))
    return arriveAtCluster(step);
  WarpState &warp = step.warp;
  uint32_t number = warp.getNumber(), &passing = cluster.passing[number];
  if (uint32_t early = step.active & ~warp.arrived)
    return fail(step, llvm::countr_zero(early),
                "waits at the barrier of the cluster without having arrived "
                "(barrier.cluster.arrive)",
                FindingClass::Barrier);
  cluster.waiting[number] |= step.active;
  current->site = step.site;
  // In masked code the other lanes of the warp run while these wait.
  while (!isMasked[number] && (passing & step.active) != step.active)
    if (!yield(Status::Waiting))
      return false;
  step.done = passing & step.active;
  warp.waiting |= step.active & ~step.done;
  if (!step.done)
    return true;
  if (launch.checker &&
      !launch.checker->awaitCluster(warp, step.done, isEverybodyWaiting()))
    return false;
  passing &= ~step.done;
  warp.arrived &= ~step.done;
  cluster.waiting[number] &= ~step.done;
  return true;
}

} // namespace tc::emulator
