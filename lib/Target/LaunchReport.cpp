//===- LaunchReport.cpp - Simulated times as text and JSON ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/LaunchTime.h"

#include "tc/Schema/Structure.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::tc {

namespace schema {

template <>
const Structure<LaunchDemand> &describe<LaunchDemand>() {
  using D = LaunchDemand;
  static const auto structure =
      Structure<D>("demand", "What a launch asks of its machine.")
          .member("blocks", &D::blocks, "of the grid")
          .member("warps_per_block", &D::warpsPerBlock, "of a block")
          .member("blocks_per_multiprocessor", &D::blocksPerSm,
                  "that one multiprocessor holds")
          .member("arithmetic_cycles", &D::arithmeticCycles,
                  "of a multiprocessor's busiest pipe, or its schedulers, for "
                  "the whole launch",
                  "cycles")
          .member("load_store_cycles", &D::loadStoreCycles,
                  "of its load/store unit", "cycles")
          .member("l2_read_bytes", &D::l2ReadBytes, "from L2", "bytes")
          .member("l2_written_bytes", &D::l2WrittenBytes, "to L2", "bytes")
          .member("l2_read_lines", &D::l2ReadLines,
                  "lines of each request from L2 by itself")
          .member("dram_read_bytes", &D::dramReadBytes, "from memory", "bytes")
          .member("dram_written_bytes", &D::dramWrittenBytes, "to memory",
                  "bytes")
          .member("l1_misses", &D::l1Misses,
                  "of the loads that a warp waits for, the share that L1 does "
                  "not have")
          .member("l2_misses", &D::l2Misses,
                  "of those, the share that L2 does not have either")
          .member("rounds", &D::rounds,
                  "times that a warp waits for what it reads from global "
                  "memory")
          .member("ahead", &D::ahead,
                  "steps of its loop between asking and waiting")
          .member("copied", &D::copied,
                  "of the rounds, the share that waits for asynchronous copies")
          .member("barriers", &D::barriers, "of a warp")
          .member("depth", &D::depth,
                  "multiply-adds of one result in a row, between loads");
  return structure;
}

template <>
const Structure<StationTime> &describe<StationTime>() {
  static const auto structure =
      Structure<StationTime>("station", "What a block spends at a station.")
          .member("name", &StationTime::name,
                  "a unit, a memory, or what a block alone waits for")
          .member("cycles", &StationTime::cycles,
                  "of a block, without waiting in queues", "cycles");
  return structure;
}

template <>
const Structure<SimulatedTime> &describe<SimulatedTime>() {
  using T = SimulatedTime;
  static const auto structure =
      Structure<T>("simulated-time", "A simulated time, level A.")
          .member("machine", &T::machine, "the chip")
          .member(
              "level", [](const T &) { return llvm::StringRef("A"); }, "A")
          .member("seconds", &T::seconds, "simulated, of the launch", "seconds")
          .member("launch_seconds", &T::launchSeconds,
                  "the part that it takes to start a kernel", "seconds")
          .member("cycles_per_block", &T::cyclesPerBlock,
                  "from the end of one block to the end of the next, on one "
                  "multiprocessor",
                  "cycles")
          .member("limiter", &T::limiter,
                  "the station with the largest share of the time")
          .member("stations", &T::stations,
                  "units and memories, and what a block alone waits for "
                  "besides them")
          .member("demand", &T::demand, "what the launch asks of the machine")
          .optional("error", &T::error,
                    "the mean error against published times on that machine, "
                    "as a share, if there are any");
  return structure;
}

} // namespace schema

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
