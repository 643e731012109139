//===- LaunchReport.cpp - Simulated times as text and JSON ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/LaunchTime.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::tc {

llvm::json::Object toJson(const LaunchDemand &demand) {
  return llvm::json::Object{{"blocks", demand.blocks},
                            {"warps_per_block", demand.warpsPerBlock},
                            {"blocks_per_multiprocessor", demand.blocksPerSm},
                            {"arithmetic_cycles", demand.arithmeticCycles},
                            {"load_store_cycles", demand.loadStoreCycles},
                            {"l2_read_bytes", demand.l2ReadBytes},
                            {"l2_written_bytes", demand.l2WrittenBytes},
                            {"l2_read_lines", demand.l2ReadLines},
                            {"dram_read_bytes", demand.dramReadBytes},
                            {"dram_written_bytes", demand.dramWrittenBytes},
                            {"l1_misses", demand.l1Misses},
                            {"l2_misses", demand.l2Misses},
                            {"rounds", demand.rounds},
                            {"ahead", demand.ahead},
                            {"barriers", demand.barriers},
                            {"depth", demand.depth}};
}

llvm::json::Object toJson(const SimulatedTime &time) {
  llvm::json::Array stations;
  for (const StationTime &station : time.stations)
    stations.push_back(
        llvm::json::Object{{"name", station.name}, {"cycles", station.cycles}});
  llvm::json::Object object{{"machine", time.machine},
                            {"level", "A"},
                            {"seconds", time.seconds},
                            {"launch_seconds", time.launchSeconds},
                            {"cycles_per_block", time.cyclesPerBlock},
                            {"limiter", time.limiter},
                            {"stations", std::move(stations)},
                            {"demand", toJson(time.demand)}};
  if (time.error > 0)
    object["error"] = time.error;
  return object;
}

std::string describeError(double error) {
  if (error <= 0)
    return "unvalidated on this machine";
  return llvm::formatv("error {0:F0} % on average", error * 100).str();
}

void print(const SimulatedTime &time, llvm::raw_ostream &os) {
  os << llvm::formatv(
      "simulated time (A) on {0}: {1:F2} us, most of it {2}; {3}\n",
      time.machine, time.seconds * 1e6,
      time.limiter.empty() ? "launch" : time.limiter,
      describeError(time.error));
  if (!time.stations.empty())
    printStations(time, os);
}

void printStations(const SimulatedTime &time, llvm::raw_ostream &os) {
  os << llvm::formatv("  a block every {0:F0} cycles of a multiprocessor:",
                      time.cyclesPerBlock);
  for (const StationTime &station : time.stations)
    os << llvm::formatv(" {0} {1:F0}", station.name, station.cycles);
  os << '\n';
}

} // namespace mlir::tc
