//===- LaunchTime.h - Simulated time of a launch, level A -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a launch in closed form: the blocks of a multiprocessor go round
// in a queueing network (Queueing.h) whose stations are its units and its
// shares of L2 and memory. Unlike the largest term of a counted time it knows
// phases, latencies and occupancy; it may err either way. See Note [Level A] in
// lib/Target/LaunchTime.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_LAUNCHTIME_H
#define TC_TARGET_LAUNCHTIME_H

#include "tc/Schema/Describe.h"
#include "tc/Target/Machine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tc {

/// What a launch asks of its machine. Amounts are of the whole launch.
struct LaunchDemand {
  double blocks = 0;
  double warpsPerBlock = 0;
  int64_t blocksPerSm = 1; ///< that one multiprocessor holds
  /// Cycles of a multiprocessor: of its busiest pipe or its schedulers, and of
  /// its load/store unit.
  double arithmeticCycles = 0, loadStoreCycles = 0;
  double l2ReadBytes = 0, l2WrittenBytes = 0;
  double l2ReadLines = 0; ///< of each request by itself
  double dramReadBytes = 0, dramWrittenBytes = 0;

  /// Of the loads that a warp waits for the share that L1 does not have, and of
  /// those the share that L2 does not have either.
  double l1Misses = 1, l2Misses = 0;

  // Of one warp.
  /// Times that it waits for what it reads from global memory.
  double rounds = 0;
  /// Steps of its loop that lie between asking and waiting; 0: it waits at
  /// once.
  double ahead = 0;
  /// Of the rounds, the share that waits for asynchronous copies, which need no
  /// thread to end.
  double copied = 0;
  double barriers = 0;
  /// Multiply-adds of one result in a row, between loads that depend on nothing
  /// in between: how often a loop's body is written out.
  double depth = 1;
};

/// A station, and what a block spends there.
struct StationTime {
  llvm::StringRef name; ///< "arithmetic", "load/store", "l2", "dram", "latency"
  double cycles = 0;    ///< of a block, waiting in queues not counted
};

struct SimulatedTime {
  llvm::StringRef machine;
  LaunchDemand demand;
  /// Mean error against published times on it; 0: not validated. In words:
  /// describeError.
  double error = 0;
  double seconds = 0;
  double launchSeconds = 0;
  double cyclesPerBlock = 0; ///< from one block's end to the next one's, mean
  llvm::SmallVector<StationTime, 7> stations;
  /// Name of the station whose share of the time is the largest.
  llvm::StringRef limiter;
};

/// The simulated time (level A). Infinite where a block does not fit.
SimulatedTime simulateLaunch(const LaunchDemand &demand,
                             const Machine &machine);

/// "error 12 % on average", or that nothing validates it.
std::string describeError(double error);
/// A line for the time and one for the stations.
void print(const SimulatedTime &time, llvm::raw_ostream &os);
/// The line of it that says how long each station is busy with a block.
void printStations(const SimulatedTime &time, llvm::raw_ostream &os);

namespace schema {
template <>
const Structure<SimulatedTime> &describe();
} // namespace schema

} // namespace mlir::tc

#endif // TC_TARGET_LAUNCHTIME_H
