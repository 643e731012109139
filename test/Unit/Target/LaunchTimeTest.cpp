//===- LaunchTimeTest.cpp - Simulated time of a launch, level A -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thing that level A knows of, on a machine with round numbers.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/LaunchTime.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir::tc;

namespace {

/// 10 multiprocessors at 1 GHz; each has 64 bytes a cycle of L2 and 10 of
/// memory.
Machine getMachine() {
  Machine machine;
  machine.name = "round";
  machine.clockHz = 1e9;
  machine.smCount = 10;
  machine.l2BytesPerSecond = 640e9;
  machine.dramBytesPerSecond = 100e9;
  machine.dramEfficiency = 1;
  machine.launchSeconds = 2e-6;
  machine.latencies = {/*shared=*/30, /*l1=*/40, /*l2=*/200, /*dram=*/400,
                       /*barrier=*/20};
  return machine;
}

/// A block on each multiprocessor: 1000 cycles of arithmetic and 600 of loads.
LaunchDemand getDemand() {
  LaunchDemand demand;
  demand.blocks = 10;
  demand.warpsPerBlock = 8;
  demand.barriers = 10;
  demand.arithmeticCycles = 10000;
  demand.loadStoreCycles = 6000;
  return demand;
}

double getCycles(const LaunchDemand &demand) {
  return simulateLaunch(demand, getMachine()).cyclesPerBlock;
}

/// 200 to start and 400 for the first load; 50 a barrier.
constexpr double kStart = 200 + 400 + 10 * 50;

} // namespace

TEST(LaunchTime, OneBlockTakesTheSumOfItsStations) {
  LaunchDemand demand = getDemand();
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600);
  SimulatedTime time = simulateLaunch(demand, getMachine());
  EXPECT_DOUBLE_EQ(time.seconds, 2e-6 + (kStart + 1600) * 1e-9);
  EXPECT_EQ(time.limiter, "latency");
  // 640 bytes of L2, 300 of memory a block.
  demand.l2ReadBytes = 6400;
  demand.dramReadBytes = 3000;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 10 + 30);
}

TEST(LaunchTime, CopiesOfALoopHideTheShorterStation) {
  LaunchDemand demand = getDemand();
  demand.depth = 4;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1000 + 150);
  std::swap(demand.arithmeticCycles, demand.loadStoreCycles);
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1000 + 150);
}

TEST(LaunchTime, FewWarpsLeavePartitionsIdle) {
  LaunchDemand demand = getDemand();
  demand.warpsPerBlock = 2; // on two partitions of four
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 2000 + 600);
  SimulatedTime time = simulateLaunch(demand, getMachine());
  EXPECT_EQ(time.stations.back().name, "idle partitions");
  EXPECT_DOUBLE_EQ(time.stations.back().cycles, 1000);
  demand.warpsPerBlock = 5; // two of them on one partition
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 600);
  demand.depth = 4;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 150);
  // Hidden under loads, they lose no more than what then sticks out.
  std::swap(demand.arithmeticCycles, demand.loadStoreCycles);
  demand.warpsPerBlock = 4;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1000 + 150);
  demand.warpsPerBlock = 2;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1200 + 250);
  // Two blocks of two warps have a half of the partitions each.
  demand = getDemand();
  demand.warpsPerBlock = 2;
  demand.loadStoreCycles = 0;
  double alone = getCycles(demand);
  demand.blocks = 20;
  demand.arithmeticCycles *= 2;
  demand.blocksPerSm = 2;
  EXPECT_DOUBLE_EQ(getCycles(demand), alone / 2);
  // Many blocks fill all partitions.
  demand = getDemand();
  demand.blocks = 640;
  demand.arithmeticCycles *= 64;
  demand.loadStoreCycles *= 64;
  demand.blocksPerSm = 32;
  double full = getCycles(demand);
  demand.warpsPerBlock = 2;
  EXPECT_NEAR(getCycles(demand) / full, 1, 0.01);
}

TEST(LaunchTime, RoundsWaitUnlessAskedAhead) {
  LaunchDemand demand = getDemand();
  demand.rounds = 8;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 8 * 200);
  // All steps but the first, of 1400 cycles, hide what loads wait for, not the
  // time of L2.
  demand.ahead = 1;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 200);
  demand.l2ReadBytes = 10000; // 15.625 cycles a block
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 200 + 15.625);
  demand.ahead = 2;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 15.625);
  demand.l2ReadBytes = 0;
  // Of copies they hide a part.
  demand.copied = 1;
  auto getRest = [](double asked, double hiding) {
    return asked * asked / (asked + hiding);
  };
  demand.ahead = 1;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + getRest(1600, 1400));
  demand.ahead = 3;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + getRest(1600, 3 * 1400));
  // The time of L2 and memory is hidden, too.
  demand.l2ReadBytes = demand.dramReadBytes = 10000; // 15.625 and 100 a block
  EXPECT_DOUBLE_EQ(getCycles(demand),
                   kStart + 1600 + getRest(1715.625, 3 * 1400));
  // Nothing does where there is one step.
  demand.rounds = 1;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 200 + 115.625);
  // Half of the reads go to memory.
  demand.rounds = 8;
  demand.ahead = 0;
  demand.l2ReadBytes = 6400;
  demand.dramReadBytes = 3200;
  demand.l2Misses = 0.5;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600 + 10 + 32 + 8 * 300);
}

TEST(LaunchTime, LoadsThatL1ServesWaitLess) {
  LaunchDemand demand = getDemand();
  demand.rounds = 10;
  demand.l2ReadBytes = 6400; // 10 cycles a block
  double allOfL2 = getCycles(demand);
  // One in four goes to L2: 40 + (200 - 40) / 4 cycles, not 200.
  demand.l1Misses = 0.25;
  const auto &cycles = getMachine().latencies;
  EXPECT_DOUBLE_EQ(getCycles(demand),
                   allOfL2 - 10 * 0.75 * (cycles.l2 - cycles.l1));
  // Half of those go to memory.
  demand.l2Misses = 0.5;
  EXPECT_DOUBLE_EQ(getCycles(demand),
                   allOfL2 - 10 * 0.75 * (cycles.l2 - cycles.l1) +
                       10 * 0.25 * 0.5 * (cycles.dram - cycles.l2));
}

TEST(LaunchTime, ResidentBlocksOverlap) {
  LaunchDemand demand = getDemand();
  demand.blocks = 40;
  demand.arithmeticCycles *= 4;
  demand.loadStoreCycles *= 4;
  EXPECT_DOUBLE_EQ(getCycles(demand), kStart + 1600);
  double before = getCycles(demand);
  for (int64_t resident : {2, 4}) {
    demand.blocksPerSm = resident;
    EXPECT_LT(getCycles(demand), before);
    before = getCycles(demand);
    EXPECT_GT(before, 1000);
  }
  // More than there are change nothing.
  demand.blocksPerSm = 32;
  EXPECT_DOUBLE_EQ(getCycles(demand), before);
}

TEST(LaunchTime, TheLastBlocksHaveTheMultiprocessorToThemselves) {
  LaunchDemand demand = getDemand();
  auto getTime = [&](double blocks, int64_t resident) {
    LaunchDemand all = demand;
    all.blocks = 10 * blocks;
    all.arithmeticCycles *= blocks;
    all.loadStoreCycles *= blocks;
    all.blocksPerSm = resident;
    return simulateLaunch(all, getMachine()).seconds - 2e-6;
  };
  // Six together, then two: as two launches.
  EXPECT_DOUBLE_EQ(getTime(8, 6), getTime(6, 6) + getTime(2, 6));
  EXPECT_DOUBLE_EQ(getTime(12, 6), 2 * getTime(6, 6));
  EXPECT_GT(getTime(8, 6), getTime(8, 4));
}

TEST(LaunchTime, WarpsWithoutBarriersOverlapInABlock) {
  LaunchDemand demand = getDemand();
  demand.barriers = 0;
  // Eight warps of 125 and 75 cycles that think for 600, two on a partition.
  double cycles = getCycles(demand);
  EXPECT_GT(cycles, 1000);
  EXPECT_LT(cycles, 1600);
  demand.warpsPerBlock = 1; // on one partition of four
  EXPECT_DOUBLE_EQ(getCycles(demand), 600 + 4000 + 600);
}

TEST(LaunchTime, NobodyWaitsForStores) {
  LaunchDemand demand = getDemand();
  double without = getCycles(demand);
  demand.dramWrittenBytes = 30000; // 300 cycles a block
  EXPECT_NEAR(getCycles(demand), without, 0.01);
  // Until memory does nothing else.
  demand.dramWrittenBytes = 1e6;
  EXPECT_NEAR(getCycles(demand), 10 * 50 + 10000, 1);
  // Reads behind them wait.
  demand.dramWrittenBytes = 30000;
  demand.l2ReadBytes = demand.dramReadBytes = 30000;
  EXPECT_GT(getCycles(demand), without + 300);
}

TEST(LaunchTime, BlocksComeNoFasterThanTheChipStartsThem) {
  LaunchDemand demand = getDemand();
  demand.blocks = 1000;
  demand.blocksPerSm = 8;
  Machine machine = getMachine();
  double alone = simulateLaunch(demand, machine).cyclesPerBlock;
  // One start every 2 cycles of the chip is one every 20 of each of its ten.
  machine.cyclesPerStart = 2;
  SimulatedTime time = simulateLaunch(demand, machine);
  EXPECT_DOUBLE_EQ(time.cyclesPerBlock, alone);
  EXPECT_EQ(time.stations.back().name, "block starts");
  EXPECT_DOUBLE_EQ(time.stations.back().cycles, 20);
  EXPECT_NE(time.limiter, "block starts");
  machine.cyclesPerStart = alone;
  time = simulateLaunch(demand, machine);
  EXPECT_DOUBLE_EQ(time.cyclesPerBlock, 10 * alone);
  EXPECT_DOUBLE_EQ(time.seconds, 2e-6 + 100 * 10 * alone * 1e-9);
  EXPECT_EQ(time.limiter, "block starts");
}

TEST(LaunchTime, BlocksThatDoNotFit) {
  LaunchDemand demand = getDemand();
  demand.blocksPerSm = 0;
  EXPECT_TRUE(std::isinf(simulateLaunch(demand, getMachine()).seconds));
  demand.blocks = 0;
  EXPECT_DOUBLE_EQ(simulateLaunch(demand, getMachine()).seconds, 2e-6);
}

// COGENT's TCCG 22 on a V100, from its counts: 51.2 ms of f64, 30.7 ms of the
// load/store unit; 71.3 ms were measured.
TEST(LaunchTime, AKernelThatWasMeasured) {
  llvm::Expected<Machine> machine = findSimulatedMachine("V100");
  ASSERT_TRUE(bool(machine));
  LaunchDemand demand;
  demand.blocks = 3600;
  demand.warpsPerBlock = 8;
  demand.blocksPerSm = 2;
  demand.arithmeticCycles = 5.375e9;
  demand.loadStoreCycles = 3.227e9;
  demand.l2ReadBytes = 25.80e9;
  demand.l2WrittenBytes = 0.21e9;
  demand.dramReadBytes = 14.38e9;
  demand.l2Misses = demand.dramReadBytes / demand.l2ReadBytes;
  demand.dramWrittenBytes = 0.13e9;
  demand.rounds = 972;
  demand.barriers = 648;
  demand.depth = 4;
  EXPECT_NEAR(simulateLaunch(demand, *machine).seconds, 71.3e-3, 0.1 * 71.3e-3);
}
