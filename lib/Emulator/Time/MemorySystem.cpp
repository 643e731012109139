//===- MemorySystem.cpp - What memory instructions wait for ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/MemorySystem.h"

#include <algorithm>

using mlir::tc::Machine;

namespace tc::emulator {

/// From the issue of a memory instruction to the load/store unit: an estimate.
static constexpr double kToUnit = 4;
/// Cycles of requests that may wait for L2 before the load/store unit stops.
static constexpr double kMostWaiting = 400;

MemoryDemand getDemand(const Request &request, OpKind kind,
                       const Machine &machine) {
  MemoryDemand demand;
  if (!request.requests)
    return demand;
  double lanes = request.requests * 32.0 / double(machine.memoryPerCycle);
  if (request.space == ptx::Space::Shared) {
    demand.kind = MemoryDemand::Kind::Shared;
    demand.cycles =
        float(std::max(request.wavefronts / machine.wavefrontsPerCycle, lanes));
    return demand;
  }
  if (request.space == ptx::Space::Const) {
    demand.kind = MemoryDemand::Kind::Constant;
    demand.cycles = float(request.wavefronts);
    return demand;
  }
  bool isLoad = kind == OpKind::Load || kind == OpKind::Copy;
  demand.kind = isLoad                  ? MemoryDemand::Kind::Load
                : kind == OpKind::Store ? MemoryDemand::Kind::Store
                                        : MemoryDemand::Kind::Atomic;
  // A line's tag takes a cycle, and so does what a wavefront would hold.
  double data = request.sectors / (4 * machine.wavefrontsPerCycle);
  // A copy stores a line as it comes (Note [Copies] in
  // lib/Target/LaunchTime.cpp).
  double stored = request.wavefronts / machine.wavefrontsPerCycle;
  demand.cycles = float(std::max({double(request.lines), data, lanes, stored}));
  if (request.space == ptx::Space::Local) // L1 holds what is spilled
    return demand;
  demand.sectors = float(request.l2Sectors);
  demand.l2Slots =
      float(isLoad ? machine.getL2Slots(request.l2Sectors, request.l2Lines)
                   : request.l2Sectors);
  return demand;
}

/// Cycles until all sectors have come, from L2 or from memory behind it.
double MemorySystem::readL2(const MemoryDemand &demand, double begin) {
  double sectors = demand.sectors;
  l2 = std::max(l2, begin) + demand.l2Slots * rates.l2;
  double done = l2 - rates.l2 + machine.latencies.l2 - kToUnit;
  // Whole requests miss, as often as sectors do.
  missed += sectors * rates.readMissed;
  if (missed < sectors)
    return done;
  missed -= sectors;
  // Stores that were kept back go to memory while nothing is read.
  double idle = std::max(begin - dram, 0.0);
  writes = std::max(writes - idle, 0.0);
  dram = std::max(dram, begin) + sectors * rates.dram;
  if (writes > rates.bufferedWrites) {
    dram += writes - rates.bufferedWrites;
    writes = rates.bufferedWrites;
  }
  return std::max(done, dram - rates.dram + machine.latencies.dram - kToUnit);
}

void MemorySystem::write(const MemoryDemand &demand, double begin) {
  l2 = std::max(l2, begin) + demand.l2Slots * rates.l2;
  double idle = std::max(begin - dram, 0.0);
  writes = std::max(writes - idle, 0.0);
  dram = std::max(dram, begin);
  writes += demand.sectors * rates.written * rates.dram;
  // Where no more is kept back, what comes next waits.
  if (writes > rates.bufferedWrites)
    unit = std::max(unit, begin + writes - rates.bufferedWrites);
}

MemorySystem::Answer MemorySystem::ask(const MemoryDemand &demand, double at) {
  using Kind = MemoryDemand::Kind;
  if (demand.kind == Kind::Constant) {
    double begin = std::max(at + kToUnit, constants);
    constants = begin + demand.cycles;
    return {begin, constants + machine.latencies.constant - kToUnit - 1};
  }
  double begin = std::max(at + kToUnit, unit);
  bool isFar = demand.sectors > 0;
  if (isFar && l2 - begin > kMostWaiting)
    begin = l2 - kMostWaiting;
  unit = begin + demand.cycles;
  Answer answer{begin, begin};
  switch (demand.kind) {
  case Kind::None:
  case Kind::Constant:
    break;
  case Kind::Shared:
    answer.done = unit + machine.latencies.shared - kToUnit - 1;
    break;
  case Kind::Load:
    answer.done =
        isFar ? readL2(demand, begin) : unit + machine.latencies.l1 - kToUnit;
    break;
  case Kind::Store:
    if (isFar)
      write(demand, begin);
    break;
  case Kind::Atomic:
    if (isFar)
      write(demand, begin);
    answer.done = l2 + machine.latencies.l2;
    break;
  }
  return answer;
}

double MemorySystem::getEnd() const {
  return std::max({unit, l2, dram + writes});
}

} // namespace tc::emulator
