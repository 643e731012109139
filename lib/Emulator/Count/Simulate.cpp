//===- Simulate.cpp - Simulated time of what was counted ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From counts to what the launch asks of each station of a multiprocessor.
//
//===----------------------------------------------------------------------===//

#include "Count/GroupRate.h"
#include "tc/Emulator/Counts.h"

#include <array>
#include <map>

using mlir::tc::LaunchDemand;
using mlir::tc::Machine;
using mlir::tc::SimulatedTime;

namespace tc::emulator {

namespace {
class DemandOfCounts {
public:
  DemandOfCounts(const LaunchCounts &counts, const Machine &machine)
      : counts(counts), machine(machine) {}
  LaunchDemand get(unsigned blocksPerSm) const;

private:
  double getUnitCycles(llvm::StringRef unit, double perCycle) const;
  double getGroupCycles() const;
  double getArithmeticCycles() const;
  double getCopyOverlap() const;
  double getLoadStoreCycles() const;

  const LaunchCounts &counts;
  const Machine &machine;
};
} // namespace

double DemandOfCounts::getUnitCycles(llvm::StringRef unit,
                                     double perCycle) const {
  return perCycle > 0 ? counts.getOperations(unit) / perCycle : 0;
}

/// Of `wgmma`, of which a kernel seldom has several types.
double DemandOfCounts::getGroupCycles() const {
  double cycles = 0;
  for (llvm::StringRef type : {"f16", "tf32", "s8", "f8", "b1"})
    cycles +=
        getUnitCycles(("wgmma." + type).str(), getGroupRate(machine, type));
  return cycles;
}

/// Cycles of the busiest pipe, or of the schedulers.
double DemandOfCounts::getArithmeticCycles() const {
  const Machine &m = machine;
  double issued = double(counts.getIssued()) / double(m.issuedPerCycle);
  double f32 = getUnitCycles("f32", double(m.f32FmaPerCycle));
  if (m.sharesF32WithInteger)
    f32 += getUnitCycles("integer", double(m.f32FmaPerCycle));
  return std::max({issued, f32, getUnitCycles("f64", double(m.f64FmaPerCycle)),
                   getUnitCycles("f16", double(m.f16FmaPerCycle)),
                   getUnitCycles("integer", double(m.integerPerCycle)),
                   getUnitCycles("convert", double(m.convertPerCycle)),
                   getUnitCycles("special", double(m.specialPerCycle)),
                   getUnitCycles("mma.f16", m.getMmaPerCycle("f16")),
                   getUnitCycles("mma.tf32", m.getMmaPerCycle("tf32")),
                   getUnitCycles("mma.f64", m.getMmaPerCycle("f64")),
                   getUnitCycles("mma.s8", m.getMmaPerCycle("s8")),
                   getUnitCycles("mma.f8", m.getMmaPerCycle("f8")),
                   getGroupCycles()});
}

/// Of copies from global to shared memory, what loading, and storing without
/// conflicts, take together: a copy stores a line as it comes. See Note
/// [Copies] in lib/Target/LaunchTime.cpp.
double DemandOfCounts::getCopyOverlap() const {
  std::map<uint32_t, std::array<double, 2>>
      cycles; // to load and store, by site
  for (const SiteCounts &site : counts.sites)
    if (llvm::StringRef(site.opcode).starts_with("cp.async")) {
      const AccessCounts &counts = site.counts;
      auto &[load, store] = cycles[site.site];
      if (site.space == "shared")
        store += machine.getSharedCycles(double(counts.machineRequests),
                                         double(counts.idealWavefronts));
      else
        load += machine.getGlobalCycles(double(counts.requests),
                                        double(counts.sectors),
                                        double(counts.lines));
    }
  double overlap = 0;
  for (const auto &[site, both] : cycles)
    overlap += std::min(both[0], both[1]);
  return overlap;
}

double DemandOfCounts::getLoadStoreCycles() const {
  double cycles = -getCopyOverlap();
  for (const AccessClass &access : counts.memory) {
    const AccessCounts &counts = access.counts;
    if (access.space == "shared")
      cycles += machine.getSharedCycles(double(counts.machineRequests),
                                        double(counts.machineWavefronts));
    else if (access.space == "global" || access.space == "local")
      cycles +=
          machine.getGlobalCycles(double(counts.requests),
                                  double(counts.sectors), double(counts.lines));
  }
  return cycles;
}

LaunchDemand DemandOfCounts::get(unsigned blocksPerSm) const {
  LaunchDemand demand;
  demand.blocks = double(counts.grid.count());
  demand.warpsPerBlock = double((counts.block.count() + 31) / 32);
  demand.blocksPerSm = std::max(blocksPerSm, 1u);
  demand.arithmeticCycles = getArithmeticCycles();
  demand.loadStoreCycles = getLoadStoreCycles();
  AccessCounts read = counts.getMemory("global", "read");
  demand.l2ReadBytes = 32 * double(read.l2Sectors);
  demand.l2WrittenBytes = double(counts.getL2Bytes()) - demand.l2ReadBytes;
  demand.l2ReadLines = double(read.l2Lines);
  uint64_t together = uint64_t(machine.smCount) * std::max(blocksPerSm, 1u);
  DramBytes dram =
      counts.estimateDramBytes(uint64_t(machine.l2Bytes), together);
  demand.dramReadBytes = dram.read;
  auto getShare = [](double part, double all) {
    return all > 0 ? std::min(part / all, 1.0) : 1;
  };
  AccessCounts write = counts.getMemory("global", "write");
  demand.dramWrittenBytes = machine.getStoredDramBytes(
      double(dram.written), demand.l2WrittenBytes,
      machine.getScatteredStoreBytes(double(write.bytes), double(write.sectors),
                                     double(write.lines)));
  demand.l1Misses = getShare(double(read.l2Sectors), double(read.sectors));
  demand.l2Misses = getShare(dram.read, demand.l2ReadBytes);
  demand.rounds = counts.waits.rounds;
  demand.ahead = counts.waits.ahead;
  demand.copied = counts.waits.copied;
  demand.barriers = counts.waits.barriers;
  demand.depth = counts.waits.depth;
  return demand;
}

SimulatedTime simulateTime(const LaunchCounts &counts, const Machine &machine,
                           unsigned blocksPerSm) {
  return simulateLaunch(DemandOfCounts(counts, machine).get(blocksPerSm),
                        machine);
}

} // namespace tc::emulator
