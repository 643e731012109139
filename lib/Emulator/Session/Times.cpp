//===- Times.cpp - Times of what was counted ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted and simulated times of a launch on the machines that a user names.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Counts.h"
#include "tc/Emulator/Session.h"
#include "tc/Emulator/Trace.h"
#include "tc/Target/Occupancy.h"

#include "llvm/Support/FormatVariadic.h"

namespace tc::emulator {

static MachineTimes tellTimes(const LaunchReport &report,
                              const TimedMachine &timed) {
  const LaunchCounts &counts = *report.counts;
  const mlir::tc::Machine &machine = timed.machine;
  MachineTimes times;
  times.machine = machine.name.str();
  times.registers = timed.registers;
  auto blocks =
      unsigned(mlir::tc::occupancy(machine, int64_t(counts.block.count()),
                                   timed.registers, int64_t(counts.sharedBytes))
                   .blocksPerSm);
  times.blocksPerSm = blocks;
  if (!blocks)
    return times;
  times.counted = countTime(counts, machine, blocks);
  times.simulated = simulateTime(counts, machine, blocks);
  if (report.trace)
    times.traced =
        simulateTrace(*report.trace, counts, machine, blocks, timed.registers);
  return times;
}

std::vector<MachineTimes> tellTimes(const LaunchReport &report,
                                    llvm::ArrayRef<TimedMachine> machines) {
  std::vector<MachineTimes> all;
  for (const TimedMachine &timed : machines)
    all.push_back(tellTimes(report, timed));
  return all;
}

void printTimes(const LaunchReport &report,
                llvm::ArrayRef<TimedMachine> machines, llvm::raw_ostream &os,
                bool hasTerms) {
  for (const MachineTimes &times : tellTimes(report, machines)) {
    if (!times.counted) {
      os << "no block fits on " << times.machine << '\n';
      continue;
    }
    times.counted->print(os);
    if (hasTerms)
      times.counted->printTerms(os);
    print(*times.simulated, os);
    if (times.traced)
      times.traced->print(os);
    os << llvm::formatv(
        "  {0} blocks on a multiprocessor, by {1}\n", times.blocksPerSm,
        times.registers ? std::to_string(times.registers) +
                              " registers a thread, shared memory and warps"
                        : "shared memory and warps; registers not known");
  }
}

} // namespace tc::emulator
