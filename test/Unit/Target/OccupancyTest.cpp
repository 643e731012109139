//===- OccupancyTest.cpp - How many blocks a multiprocessor holds ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the occupancies that were computed for the kernels of a COGENT run
// over the TCCG benchmark (threads, registers and shared bytes as compiled),
// and at the limits.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Occupancy.h"

#include <gtest/gtest.h>

using namespace mlir::tc;

/// A kernel and its occupancy in percent, limited by registers.
struct Kernel {
  Machine machine;
  int64_t threads, registers, sharedBytes;
  double percent;
};

class OccupancyOfKernels : public testing::TestWithParam<Kernel> {};

TEST_P(OccupancyOfKernels, IsLimitedByRegisters) {
  const Kernel &kernel = GetParam();
  Occupancy result = occupancy(kernel.machine, kernel.threads, kernel.registers,
                               kernel.sharedBytes);
  EXPECT_DOUBLE_EQ(result.fraction * 100, kernel.percent);
  EXPECT_EQ(result.limiter, OccupancyLimiter::Registers);
  EXPECT_EQ(result.warpsPerSm, result.blocksPerSm * kernel.threads / 32);
}

INSTANTIATE_TEST_SUITE_P(
    Cogent, OccupancyOfKernels,
    testing::Values(Kernel{sm90(), 128, 124, 16384, 25},  // sd1_1 f64
                    Kernel{sm90(), 128, 72, 8192, 43.75}, // sd1_1 f32
                    Kernel{sm90(), 256, 70, 16384, 37.5}, // sd1_3 f64
                    Kernel{sm90(), 256, 40, 8192, 75},    // sd1_3 f32
                    Kernel{sm90(), 256, 64, 16384, 50},   // sd1_6 f64
                    Kernel{sm90(), 128, 80, 8192, 37.5},  // sd2_1 f32
                    Kernel{sm90(), 256, 128, 24576, 25},  // tccg 4 f64
                    Kernel{sm90(), 256, 72, 12288, 37.5}, // tccg 4 f32
                    Kernel{sm90(), 256, 48, 8192, 62.5},  // tccg 2 f32
                    Kernel{sm90(), 128, 64, 4096, 50},    // tccg 1 f32
                    Kernel{sm80(), 128, 124, 16384, 25},  // sd1_1 f64
                    Kernel{sm80(), 128, 72, 8192, 43.75}, // sd1_1 f32
                    Kernel{sm80(), 256, 72, 12288, 37.5}));

TEST(Occupancy, CountsTheReservedBytesOfSharedMemory) {
  // 113 KiB and one reserved: two blocks in 228 KiB.
  EXPECT_EQ(occupancy(sm90(), 128, 32, 113 * 1024).blocksPerSm, 2);
  Occupancy one = occupancy(sm90(), 128, 32, 113 * 1024 + 1);
  EXPECT_EQ(one.blocksPerSm, 1);
  EXPECT_EQ(one.limiter, OccupancyLimiter::SharedMemory);
  // Nothing is reserved on sm_75.
  EXPECT_EQ(occupancy(sm75(), 128, 32, 32 * 1024).blocksPerSm, 2);
}

TEST(Occupancy, IsLimitedByWarps) {
  Occupancy result = occupancy(sm90(), 1024, 32, 0);
  EXPECT_EQ(result.blocksPerSm, 2);
  EXPECT_DOUBLE_EQ(result.fraction, 1);
  // Both registers and warps allow two blocks.
  EXPECT_EQ(result.limiter, OccupancyLimiter::Registers);
  EXPECT_EQ(occupancy(sm90(), 512, 24, 0).limiter, OccupancyLimiter::Warps);
  // 1536 threads hold one block of 1024.
  EXPECT_EQ(occupancy(sm89(), 1024, 24, 0).blocksPerSm, 1);
}

TEST(Occupancy, IsLimitedByBlocks) {
  Occupancy result = occupancy(sm86(), 32, 32, 0);
  EXPECT_EQ(result.blocksPerSm, 16);
  EXPECT_EQ(result.limiter, OccupancyLimiter::Blocks);
  EXPECT_EQ(occupancy(sm89(), 32, 32, 0).blocksPerSm, 24);
}

TEST(Occupancy, RoundsWarpsUp) {
  // 33 threads are two warps.
  EXPECT_EQ(occupancy(sm90(), 33, 32, 0).warpsPerSm, 64);
}

TEST(Occupancy, IsNothingWhereALaunchFails) {
  EXPECT_EQ(occupancy(sm90(), 1025, 32, 0).blocksPerSm, 0);
  EXPECT_EQ(occupancy(sm90(), 0, 32, 0).blocksPerSm, 0);
  EXPECT_EQ(occupancy(sm90(), 32, 256, 0).blocksPerSm, 0);
  EXPECT_EQ(occupancy(sm90(), 1024, 65, 0).blocksPerSm, 0);
  // With 255 registers a partition holds two warps: eight in all.
  EXPECT_EQ(occupancy(sm90(), 256, 255, 0).blocksPerSm, 1);
  EXPECT_EQ(occupancy(sm90(), 288, 255, 0).blocksPerSm, 0);
  EXPECT_EQ(occupancy(sm90(), 32, 32, 227 * 1024).blocksPerSm, 1);
  EXPECT_EQ(occupancy(sm90(), 32, 32, 227 * 1024 + 1).blocksPerSm, 0);
  EXPECT_EQ(stringify(occupancy(sm90(), 1024, 65, 0).limiter), "registers");
}
