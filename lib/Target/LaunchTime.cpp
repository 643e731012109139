//===- LaunchTime.cpp - Simulated time of a launch, level A ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/LaunchTime.h"

#include "tc/Target/Queueing.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlir::tc {

/// Parts of a block that go their own way: its warps, where nobody waits at a
/// barrier.
static double countMembers(const LaunchDemand &demand) {
  return demand.barriers < 1 ? std::max(demand.warpsPerBlock, 1.0) : 1;
}

/// Cycles from asking global memory to the answer.
static double getReadCycles(const LaunchDemand &demand,
                            const Machine::Latencies &cycles) {
  return cycles.l1 +
         demand.l1Misses * (cycles.l2 - cycles.l1 +
                            demand.l2Misses * (cycles.dram - cycles.l2));
}

/// For how long the warps of a block gather at its barriers.
static double getBarrierCycles(const LaunchDemand &demand,
                               const Machine::Latencies &cycles) {
  return demand.barriers * (cycles.barrier + cycles.shared);
}

/// By how much longer the two take a member that has the multiprocessor to
/// itself: its warps leave partitions idle.
static double getIdleCycles(const LaunchDemand &demand, const Machine &machine,
                            double arithmetic, double loadStore) {
  double partitions = double(machine.partitionsPerSm);
  double warps = std::max(demand.warpsPerBlock, 1.0) / countMembers(demand);
  double alone =
      arithmetic * std::ceil(warps / partitions) * partitions / warps;
  double depth = std::max(demand.depth, 1.0);
  auto getBoth = [&](double a, double b) {
    return std::max(a, b) + std::min(a, b) / depth;
  };
  return getBoth(alone, loadStore) - getBoth(arithmetic, loadStore);
}

namespace {
/// What a block of the fullest multiprocessors spends, in cycles of these.
struct BlockTime {
  BlockTime(const LaunchDemand &demand, const Machine &machine);
  /// From one block's end to the next one's, for each number of blocks that
  /// start together, up to `most`.
  llvm::SmallVector<double> getCycles(int64_t most) const;

  double members; ///< that run side by side, station after station
  double arithmetic, loadStore;
  double idle; ///< of a member
  StationDemand l2, dram;
  double common; ///< that blocks wait at barriers, all together
  double think;  ///< latencies that nothing hides, those of copies apart
  double copy;   ///< latencies of copies
  double hiding; ///< of copies
};
} // namespace

BlockTime::BlockTime(const LaunchDemand &demand, const Machine &machine)
    : members(countMembers(demand)),
      arithmetic(demand.arithmeticCycles / demand.blocks),
      loadStore(demand.loadStoreCycles / demand.blocks),
      idle(getIdleCycles(demand, machine, arithmetic / members,
                         loadStore / members)),
      common(getBarrierCycles(demand, machine.latencies)) {
  double &hidden = arithmetic < loadStore ? arithmetic : loadStore;
  hidden /= std::max(demand.depth, 1.0);
  double sms = std::min(double(machine.smCount), demand.blocks);
  // Cycles that a block's share of `bytes` takes at this multiprocessor's share
  // of `perSecond`.
  auto getShare = [&](double bytes, double perSecond, double most) {
    double perCycle = std::min(perSecond / sms / machine.clockHz, most);
    return bytes / demand.blocks / perCycle;
  };
  double l2Rate = machine.l2BytesPerSecond, l2Most = machine.l2BytesPerCycle;
  double dramRate = machine.dramBytesPerSecond * machine.dramEfficiency;
  double infinite = std::numeric_limits<double>::infinity();
  double l2Read =
      32 * machine.getL2Slots(demand.l2ReadBytes / 32, demand.l2ReadLines);
  l2.waited = getShare(l2Read, l2Rate, l2Most);
  l2.posted = getShare(demand.l2WrittenBytes, l2Rate, l2Most);
  dram.waited = getShare(demand.dramReadBytes, dramRate, infinite);
  dram.posted = getShare(demand.dramWrittenBytes, dramRate, infinite);
  l2.ahead = dram.ahead = demand.copied;
  // What is asked first has no step before it.
  double ahead = demand.ahead * (1 - 1 / std::max(demand.rounds, 1.0));
  hiding = ahead * (arithmetic + loadStore + idle * members);
  double latency = demand.rounds * getReadCycles(demand, machine.latencies);
  think = machine.latencies.block + machine.latencies.dram +
          (1 - demand.copied) * std::max(latency - hiding, 0.0);
  copy = demand.copied * latency;
}

llvm::SmallVector<double> BlockTime::getCycles(int64_t most) const {
  StationDemand stations[] = {{arithmetic}, {loadStore}, l2, dram};
  for (StationDemand &station : stations) {
    station.waited /= members;
    station.posted /= members;
  }
  if (arithmetic > 0)
    stations[0].servers += idle * members / arithmetic;
  auto each = int64_t(members);
  llvm::SmallVector<double> throughputs =
      getThroughputs({stations, think, copy, hiding / members}, most * each);
  llvm::SmallVector<double> cycles;
  for (int64_t together = 1; together <= most; ++together)
    cycles.push_back(common / double(together) +
                     members / throughputs[together * each - 1]);
  return cycles;
}

/// How long a block keeps each station busy, and waits for latencies that
/// nothing in it hides.
static void addStations(const BlockTime &block, SimulatedTime &time) {
  double copied = block.copy + block.l2.waited * block.l2.ahead +
                  block.dram.waited * block.dram.ahead;
  double exposed = copied > 0 ? copied / (copied + block.hiding) : 0;
  time.stations = {
      {"arithmetic", block.arithmetic},
      {"load/store", block.loadStore},
      {"l2", block.l2.waited + block.l2.posted},
      {"dram", block.dram.waited + block.dram.posted},
      {"latency", block.common + block.think + block.copy * exposed},
      {"idle partitions", block.idle}};
  time.limiter =
      llvm::max_element(time.stations, [](const auto &a, const auto &b) {
        return a.cycles < b.cycles;
      })->name;
}

/// The time where a multiprocessor, one of the fullest, has blocks.
static SimulatedTime simulateBlocks(const LaunchDemand &demand,
                                    const Machine &machine) {
  SimulatedTime time;
  time.machine = machine.name;
  time.demand = demand;
  time.error = machine.levelAError;
  time.launchSeconds = machine.launchSeconds;
  BlockTime block(demand, machine);
  addStations(block, time);
  auto blocks = int64_t(std::ceil(demand.blocks / double(machine.smCount)));
  int64_t resident = std::min(blocks, demand.blocksPerSm);
  llvm::SmallVector<double> cycles = block.getCycles(resident);
  double starts =
      machine.cyclesPerStart * std::min(double(machine.smCount), demand.blocks);
  if (starts > 0) {
    time.stations.push_back({"block starts", starts});
    if (starts > cycles.back())
      time.limiter = "block starts";
  }
  // Sets of all that are resident, and what is left.
  int64_t rest = blocks % resident;
  double all = double(blocks - rest) * std::max(cycles.back(), starts);
  if (rest > 0)
    all += double(rest) * std::max(cycles[rest - 1], starts);
  time.cyclesPerBlock = all / double(blocks);
  time.seconds = time.launchSeconds + all / machine.clockHz;
  return time;
}

SimulatedTime simulateLaunch(const LaunchDemand &demand,
                             const Machine &machine) {
  if (demand.blocks > 0 && demand.blocksPerSm > 0)
    return simulateBlocks(demand, machine);
  SimulatedTime time;
  time.machine = machine.name;
  time.demand = demand;
  time.launchSeconds = machine.launchSeconds;
  time.seconds = demand.blocks > 0 ? std::numeric_limits<double>::infinity()
                                   : time.launchSeconds;
  return time;
}

} // namespace mlir::tc

// Note [Level A]
// ~~~~~~~~~~~~~~
// The customers are the blocks of the fullest multiprocessor, as many as are
// resident. Eight things decide how far from the counted lower bound a kernel
// is:
//
// - The warps of a block leave a barrier together and are served in turns, an
//   instruction each, by the load/store unit and by the pipes. So they also
//   come to the end of a station together, and a block is at one station at a
//   time: the sum of its times counts, not the largest. COGENT's kernels, whose
//   loops load, then multiply, are measured at more than any station takes
//   (TCCG 22 on a V100: 51.2 ms of f64, 30.7 ms of the load/store unit, 71.3 ms
//   measured).
// - A loop that is written out `depth` times lets ptxas load for the next copy
//   while it multiplies for this one. All but the first of `depth` parts of the
//   shorter of both stations lie under the longer (SGEMM on a Turing: 12.7 ms
//   of f32 and 12.4 ms of loads, written out 8 times, 14.3 ms measured). A
//   tensor instruction takes as long as many loads, so the parts are those of a
//   step.
// - The partitions are servers of one station, and a warp stays with one of
//   them: one of two warps computes at half the rate, and two such blocks do
//   not meet. What one block alone loses is printed as idle partitions.
// - Blocks do not wait for what they store: it slows its station down, and no
//   more. With waits, kernels that write much were 15 to 30 % too slow.
// - A warp that waits for global memory waits for its latency, the mean of
//   those of L1, L2 and memory by the sectors that each serves, and for its
//   share of their rates. What asynchronous copies asked ahead passes under the
//   steps of its loop that lie between: Note [Closed networks] in Queueing.cpp.
//   Loads into registers hide their latency there, not the rates: an SGEMM that
//   loads ahead is slower on a Turing than the same that does not (2471 us and
//   2108 at 2048).
// - Blocks are alike, and those that start together stay in step. Nobody
//   computes while they come to their barriers; and what is left after the last
//   full set (of eight blocks where six are resident, two) has less to hide
//   behind.
// - All multiprocessors get their blocks from one place, at its rate. Where
//   blocks are short, nothing else matters (CCSD(T) singles on an H200: 65536
//   blocks in 41.6 us, of which memory needs 33).
// - DRAM is as slow as what it moves, which is more than what is stored where
//   requests store in pieces. See Note [Stores that fill no sector].
//
// What is left out: pages beyond the reach of the TLB (TCCG 7 touches 193 of
// them on a multiprocessor and takes 2 to 4 times as long as simulated), blocks
// of different length (all are as the average), the order of instructions.

// Note [Stores that fill no sector]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// Measured on an H200: a request that stores 16 bytes of a sector costs as if
// the sector were read back, and one that stores a single sector of a line as
// if two were written, whether other requests store what is missing soon after
// or not. A transposition of 2048 x 2048 f32 in half sectors took 25.3 us, one
// of 1000 x 1500 f64 in whole ones, with 0.72 of the bytes, 10.3. Contractions
// in bf16 that store half sectors, one in each line, were 4.4 to 4.9 times as
// slow as simulated without this, and those in f64 that store whole ones, one
// in each line, 1.6 to 2.0 times.

// Note [Copies]
// ~~~~~~~~~~~~~
// A copy of 4 or 8 bytes a lane from global to shared memory takes about one
// wavefront for each line that it reads, as Nsight Compute counts them on an
// H200 (l1tex__data_pipe_lsu_wavefronts_mem_shared without those of other
// instructions, for a request): 3.3 of 3.0 lines, 4.3 of 4.0, 5.5 of 5.6, and
// 4.8 of 7.8 where lanes copy 4 bytes. With 16 bytes a lane, past L1, it takes
// fewer, 0.2 to 1.6 of 4. So what it takes to store without bank conflicts goes
// with what it takes to load.
