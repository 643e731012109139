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

namespace json = llvm::json;

namespace tc::emulator {

static unsigned getBlocksPerSm(const LaunchCounts &counts,
                               const TimedMachine &timed) {
  return unsigned(
      mlir::tc::occupancy(timed.machine, int64_t(counts.block.count()),
                          timed.registers, int64_t(counts.sharedBytes))
          .blocksPerSm);
}

/// The time (level B), where the launch was traced.
static std::optional<TracedTime> simulateTrace(const LaunchReport &report,
                                               const TimedMachine &timed,
                                               unsigned blocks) {
  if (!report.trace)
    return std::nullopt;
  return simulateTrace(*report.trace, *report.counts, timed.machine, blocks,
                       timed.registers);
}

json::Array timesToJson(const LaunchReport &report,
                        llvm::ArrayRef<TimedMachine> machines) {
  const LaunchCounts &counts = *report.counts;
  json::Array times;
  for (const TimedMachine &timed : machines) {
    unsigned blocks = getBlocksPerSm(counts, timed);
    json::Object object{{"machine", timed.machine.name},
                        {"blocks_per_multiprocessor", blocks}};
    if (timed.registers)
      object["registers"] = timed.registers;
    if (blocks) {
      object["counted"] = countTime(counts, timed.machine, blocks).toJson();
      object["simulated"] = toJson(simulateTime(counts, timed.machine, blocks));
      if (auto traced = simulateTrace(report, timed, blocks))
        object["simulated_b"] = traced->toJson();
    }
    times.push_back(std::move(object));
  }
  return times;
}

void printTimes(const LaunchReport &report,
                llvm::ArrayRef<TimedMachine> machines, llvm::raw_ostream &os,
                bool hasTerms) {
  const LaunchCounts &counts = *report.counts;
  for (const TimedMachine &timed : machines) {
    unsigned blocks = getBlocksPerSm(counts, timed);
    if (!blocks) {
      os << "no block fits on " << timed.machine.name << '\n';
      continue;
    }
    CountedTime time = countTime(counts, timed.machine, blocks);
    time.print(os);
    if (hasTerms)
      time.printTerms(os);
    print(simulateTime(counts, timed.machine, blocks), os);
    if (auto traced = simulateTrace(report, timed, blocks))
      traced->print(os);
    os << llvm::formatv("  {0} blocks on a multiprocessor, by {1}\n", blocks,
                        timed.registers
                            ? std::to_string(timed.registers) +
                                  " registers a thread, shared memory and warps"
                            : "shared memory and warps; registers not known");
  }
}

} // namespace tc::emulator
