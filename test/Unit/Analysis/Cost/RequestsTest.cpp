//===- RequestsTest.cpp - What one access of a warp costs -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Requests.h"

// What the emulator counts by.
#include "Count/Pattern.h"

#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::tc;

namespace {

using Lanes = llvm::SmallVector<int64_t, 32>;

/// Lane l at `from` + l * `stride`.
Lanes getLanes(int64_t stride, int64_t from = 0, int64_t count = 32) {
  Lanes lanes;
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back(from + lane * stride);
  return lanes;
}

TEST(RequestsTest, CountSectors) {
  EXPECT_EQ(countSectors({}, 4), 0);
  EXPECT_EQ(countSectors(getLanes(0), 4), 1);
  EXPECT_EQ(countSectors(getLanes(4), 4), 4);
  EXPECT_EQ(countSectors(getLanes(4, 4), 4), 5) << "not aligned";
  EXPECT_EQ(countSectors(getLanes(-4, 124), 4), 4) << "falling";
  EXPECT_EQ(countLines(getLanes(4), 4), 1);
  EXPECT_EQ(countLines(getLanes(4, 4), 4), 2) << "not aligned";
  EXPECT_EQ(countLines(getLanes(32), 4), 8);
  EXPECT_EQ(countSectors(getLanes(8), 4), 8) << "every other";
  EXPECT_EQ(countSectors(getLanes(1024), 4), 32) << "transposed";
  EXPECT_EQ(countSectors(getLanes(16), 16), 16);
  EXPECT_EQ(countSectors(getLanes(64, 24), 16), 64) << "across two sectors";
  EXPECT_EQ(countSectors({100, 0, 4, 101, 28}, 4), 2);
}

TEST(RequestsTest, CountWavefronts) {
  for (bool isRead : {false, true}) {
    EXPECT_EQ(countWavefronts({}, 4, isRead), 0);
    EXPECT_EQ(countWavefronts(getLanes(4), 4, isRead), 1);
    EXPECT_EQ(countWavefronts(getLanes(0), 4, isRead), 1) << "one word";
    EXPECT_EQ(countWavefronts(getLanes(8), 4, isRead), 2);
    EXPECT_EQ(countWavefronts(getLanes(12), 4, isRead), 1) << "odd";
    EXPECT_EQ(countWavefronts(getLanes(128), 4, isRead), 32) << "one bank";
    EXPECT_EQ(countWavefronts(getLanes(132), 4, isRead), 1) << "padded";
    EXPECT_EQ(countWavefronts(getLanes(8), 8, isRead), 2) << "half warps";
    EXPECT_EQ(countWavefronts(getLanes(16), 16, isRead), 4) << "quarters";
    EXPECT_EQ(countWavefronts(getLanes(16, 0, 9), 16, isRead), 2);
    EXPECT_EQ(countWavefronts(getLanes(1), 1, isRead), 1);
  }
  Lanes pairs;
  for (int64_t lane = 0; lane < 32; ++lane)
    pairs.push_back(lane / 2 * 16);
  EXPECT_EQ(countWavefronts(pairs, 16, /*isRead=*/true), 2);
  EXPECT_EQ(countWavefronts(pairs, 16, /*isRead=*/false), 4);
}

/// Lanes as kernels have them: a few strides over a few coordinates.
Lanes getRandomLanes(std::mt19937_64 &random, int64_t bytes) {
  int64_t inner = 1 + random() % 32, count = 1 + random() % 32;
  int64_t strides[] = {int64_t(random() % 70) * bytes,
                       int64_t(random() % 300) * bytes};
  Lanes lanes;
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back(lane % inner * strides[0] + lane / inner * strides[1]);
  return lanes;
}

TEST(RequestsTest, AgreeWithTheEmulator) {
  namespace emulator = tc::emulator;
  std::mt19937_64 random(7);
  for (int run = 0; run < 4000; ++run) {
    int64_t bytes = int64_t(1) << random() % 5;
    Lanes lanes = getRandomLanes(random, bytes);
    uint64_t addresses[32] = {};
    std::copy(lanes.begin(), lanes.end(), addresses);
    uint32_t mask = uint32_t((uint64_t(1) << lanes.size()) - 1);
    EXPECT_EQ(
        countSectors(lanes, bytes),
        emulator::countGlobal(addresses, mask, bytes, [](uint64_t, uint64_t) {
        }).sectors);
    for (bool isRead : {false, true}) {
      auto kind =
          isRead ? emulator::AccessKind::Read : emulator::AccessKind::Write;
      emulator::SharedPattern pattern = emulator::countShared(
          addresses, mask, bytes, kind, /*isMatrix=*/false);
      SCOPED_TRACE("run " + std::to_string(run) + ", " + std::to_string(bytes) +
                   " bytes, " + std::to_string(lanes.size()) + " lanes");
      int64_t wavefronts = countWavefronts(lanes, bytes, isRead);
      EXPECT_EQ(wavefronts, pattern.wavefronts);
      EXPECT_EQ(countIdealWavefronts(lanes, bytes, isRead),
                pattern.idealWavefronts);
    }
  }
}

} // namespace
