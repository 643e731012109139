//===- CheckTest.cpp - Each check, with a fault and without ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plants faults into short sequences of accesses of two warps, and runs each
// sequence again where it is right.
//
//===----------------------------------------------------------------------===//

#include "Check/CheckHarness.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

//===----------------------------------------------------------------------===//
// The fast path
//===----------------------------------------------------------------------===//

/// Every level of vectors does what plain code does, on cells of all kinds.
TEST(Lanes, LoopsAgree) {
  std::mt19937_64 random(1);
  auto pick = [&](uint64_t count) { return random() % count; };
  const LaneLoops &host = getLaneLoops(), &plain = getPlainLaneLoops();
  for (unsigned round = 0; round < 20000; ++round) {
    Cell window[4];
    for (Cell &tick : window)
      tick = cell::start(pick(6));
    std::sort(window, window + 3);
    cell::Window bounds{window[0], window[1], window[2],
                        pick(2) ? 0 : window[0]};
    // Two stretches, some of whose cells several lanes access.
    uint32_t shift = pick(3), count = 1 + pick(64);
    Stretch stretches[2] = {{pick(8), count}, {72, uint32_t(1 + pick(56))}};
    uint32_t owners[128];
    for (uint32_t i = 0; i < 128; ++i)
      owners[i] = i >> shift << cell::threadShift | (pick(16) == 0);
    Cell write[128], read[2][128], written[2][128];
    // Mostly one kind, so that whole rows are settled now and then.
    unsigned kinds = 1 + pick(3);
    for (uint32_t i = 0; i < 128; ++i) {
      auto any = [&] {
        return cell::make(pick(kinds), pick(2) ? i >> shift : pick(64), pick(9),
                          pick(kinds)) |
               Cell(pick(kinds) == 1);
      };
      write[i] = any();
      read[0][i] = read[1][i] = any();
      std::copy_n(write, 128, written[0]);
      std::copy_n(write, 128, written[1]);
    }
    auto readers = Readers(pick(3));
    uint64_t salt = random();
    Cell first = cell::make(7, 0, 3, 0);
    bool results[2][3];
    for (unsigned i : {0, 1}) {
      const LaneLoops &loops = i ? host : plain;
      LaneCells cells{write, read[i], stretches, owners, first};
      results[i][0] = loops.mayWrite(cells, bounds);
      results[i][1] = loops.read(cells, bounds, readers, salt);
      results[i][2] = loops.readOnly(cells, bounds, readers, salt);
      loops.write({written[i], read[i], stretches, owners, first});
    }
    ASSERT_TRUE(std::equal(results[0], results[0] + 3, results[1]));
    ASSERT_TRUE(std::equal(read[0], read[0] + 128, read[1]));
    ASSERT_TRUE(std::equal(written[0], written[0] + 128, written[1]));
  }
}

TEST(Lanes, StepsAgree) {
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 20000; ++round) {
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = random() % 8 && lane
                            ? addresses[lane - 1] + random() % 2 * 4
                            : random() % 64;
    LaneSteps host = getLaneLoops().compare(addresses, 4);
    LaneSteps plain = getPlainLaneLoops().compare(addresses, 4);
    ASSERT_EQ(host.follows, plain.follows);
    ASSERT_EQ(host.stays, plain.stays);
    ASSERT_EQ(plain.stays & 1, addresses[0] == addresses[1]);
  }
}

//===----------------------------------------------------------------------===//
// Races in a block
//===----------------------------------------------------------------------===//

TEST(Race, ReadOfAnotherThreadsWrite) {
  for (bool hasBarrier : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.at(35, writes, tile + 40, Other));
    if (hasBarrier) {
      EXPECT_TRUE(run.checker->meetBlock());
    }
    EXPECT_EQ(run.at(3, reads, tile + 40), hasBarrier);
    if (hasBarrier)
      continue;
    const CheckFinding &finding = *run.checker->getFinding();
    EXPECT_EQ(finding.what, FindingClass::Race);
    EXPECT_EQ(finding.thread, 3u);
    EXPECT_EQ(finding.address, tile + 40);
    EXPECT_TRUE(finding.other->isWrite && finding.other->isKnown &&
                finding.other->isSameBlock);
    EXPECT_EQ(finding.other->thread, 35u);
    EXPECT_EQ(finding.other->site, Other);
  }
}

TEST(Race, WriteAfterTheReadsOfAWarp) {
  for (bool hasBarrier : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
    EXPECT_TRUE(run.checker->meetBlock());
    EXPECT_TRUE(run.lanes(0, ~0u, reads, tile, 0));
    EXPECT_TRUE(run.lanes(1, ~0u, reads, tile, 4));
    if (hasBarrier) {
      EXPECT_TRUE(run.checker->meetBlock());
    }
    EXPECT_EQ(run.at(5, writes, tile), hasBarrier);
  }
}

TEST(Race, TwoWrites) {
  Kernel run;
  EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
  EXPECT_TRUE(run.lanes(1, ~0u, writes, tile + 128, 4));
  EXPECT_FALSE(run.lanes(1, ~0u, writes, tile + 4 * 31, 4));
  EXPECT_EQ(run.checker->getFinding()->other->thread, 31u);
  EXPECT_EQ(run.checker->getFinding()->thread, 32u);
}

TEST(Race, LanesOfOneInstruction) {
  uint64_t values[32] = {};
  Kernel run;
  EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 0, Plain, 4, values));
  run.launch();
  values[7] = 1;
  EXPECT_FALSE(run.lanes(0, ~0u, writes, tile, 0, Plain, 4, values));
  EXPECT_TRUE(run.checker->getFinding()->other->isSameInstruction);
  run.launch();
  EXPECT_TRUE(run.lanes(0, ~(1u << 7), writes, tile, 0, Plain, 4, values));
  // Two lanes far from each other.
  uint64_t addresses[32];
  for (uint32_t lane = 0; lane < 32; ++lane)
    addresses[lane] = tile + (lane == 19 ? 7 : lane) * 64;
  run.launch();
  EXPECT_FALSE(
      run.checker->access(run.warps[0], {Plain, ~0u, ptx::Space::Shared, 4,
                                         writes, false, addresses, values, 1}));
  EXPECT_EQ(run.checker->getFinding()->other->thread, 7u);
}

TEST(Race, SmallNeighboursAreApart) {
  for (unsigned granule : {1, 2}) {
    CheckSetup setup;
    setup.sharedGranule = granule;
    Kernel run(setup);
    EXPECT_TRUE(run.at(0, writes, tile, Plain, 2));
    EXPECT_EQ(run.at(1, writes, tile + 2, Plain, 2), granule == 1);
  }
}

TEST(Race, WideAccessMeetsNarrow) {
  Kernel run;
  EXPECT_TRUE(run.at(0, writes, tile + 12));
  EXPECT_FALSE(run.at(1, writes, tile, Plain, 16));
  EXPECT_EQ(run.checker->getFinding()->other->thread, 0u);
}

//===----------------------------------------------------------------------===//
// Atomics, volatile accesses
//===----------------------------------------------------------------------===//

class Modes : public testing::TestWithParam<bool> {
protected:
  CheckSetup setup() const {
    CheckSetup setup;
    setup.isFine = GetParam();
    return setup;
  }
};

TEST_P(Modes, AtomicsDoNotRace) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, tile));
  EXPECT_TRUE(run.checker->meetBlock());
  for (uint32_t warp : {0, 1, 0, 1})
    EXPECT_TRUE(run.lanes(warp, ~0u, updates, tile, 0, InDevice));
  EXPECT_TRUE(run.checker->meetBlock());
  EXPECT_TRUE(run.lanes(1, ~0u, reads, tile, 0));
}

TEST_P(Modes, AtomicsAfterWriteOfOneThread) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, tile));
  // Thread 0 itself may; it does not make its weak write a strong one.
  EXPECT_TRUE(run.at(0, updates, tile, InDevice));
  EXPECT_FALSE(run.at(1, updates, tile, InDevice));
  EXPECT_EQ(run.found(), FindingClass::Race);
}

TEST_P(Modes, ReadWithoutBarrierAfterAtomics) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, tile));
  EXPECT_TRUE(run.checker->meetBlock());
  EXPECT_TRUE(run.lanes(0, ~0u, updates, tile, 0, InDevice));
  EXPECT_FALSE(run.at(3, reads, tile));
}

TEST_P(Modes, StrongAccessesOfEnoughScope) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, run.data, InDevice));
  EXPECT_TRUE(run.at(1, reads, run.data, InDevice));
  EXPECT_TRUE(run.at(33, writes, run.data, InBlock));
  run.block(1);
  EXPECT_FALSE(run.at(0, writes, run.data, InDevice))
      << "the last write is strong in its own block only";
}

TEST_P(Modes, StrongMeetsWeak) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, run.data, InDevice));
  EXPECT_FALSE(run.at(1, reads, run.data));
}

TEST_P(Modes, WeakReaderAmongStrongOnes) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, reads, run.data));
  EXPECT_TRUE(run.at(1, reads, run.data, InDevice));
  EXPECT_TRUE(run.at(2, reads, run.data, InDevice));
  // Of the readers only thread 0 is weak.
  EXPECT_TRUE(run.at(0, writes, run.data, InDevice));
  EXPECT_FALSE(run.at(1, writes, run.data, InDevice));
  EXPECT_EQ(run.checker->getFinding()->other->thread, 0u);
}

/// Threads count on one location, by lanes and warps of three blocks. Whoever
/// counted last may reset it: its atomic observed all others (PTX ISA, 8.9.5).
TEST_P(Modes, LastAtomicObservesTheOthers) {
  for (uint32_t resets : {35u, 34u, 3u, 63u}) {
    Kernel run(setup());
    for (uint64_t block : {0, 1, 2}) {
      if (block)
        run.block(block);
      EXPECT_TRUE(run.lanes(0, ~0u, updates, run.data, 0, InDevice));
      EXPECT_TRUE(run.lanes(1, 15, updates, run.data, 0, InDevice));
    }
    EXPECT_EQ(run.at(resets, writes, run.data), resets == 35) << resets;
    EXPECT_EQ(run.found(),
              resets == 35 ? std::nullopt : std::optional(FindingClass::Race));
  }
}

/// What the last one observed, its block knows after a barrier; a later block
/// does not.
TEST_P(Modes, ObservationGoesOnAtBarriers) {
  for (bool isSameBlock : {true, false}) {
    Kernel run(setup());
    EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
    run.block(1);
    EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
    EXPECT_TRUE(run.checker->meetBlock());
    if (!isSameBlock)
      run.block(2);
    EXPECT_EQ(run.at(5, writes, run.data), isSameBlock);
  }
}

/// Relaxed atomics order the location that they are on and no other, which the
/// value tells of and the program around it may not.
TEST_P(Modes, ObservationOrdersOneLocation) {
  Kernel run(setup());
  EXPECT_TRUE(run.at(0, writes, run.data + 4));
  EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
  run.block(1);
  EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
  EXPECT_TRUE(run.at(0, reads, run.data));
  EXPECT_FALSE(run.at(0, reads, run.data + 4));
}

/// A strong store ends the chain: who finds it has not seen what was before.
/// Readers are observed by nobody.
TEST_P(Modes, WhatIsNotObserved) {
  for (AccessKind first : {updates, reads})
    for (AccessKind second : {updates, writes}) {
      Kernel run(setup());
      EXPECT_TRUE(run.at(0, first, run.data, InDevice));
      run.block(1);
      EXPECT_TRUE(run.at(1, second, run.data, InDevice));
      EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
      EXPECT_TRUE(run.checker->meetBlock());
      EXPECT_EQ(run.at(0, writes, run.data),
                first == updates && second == updates);
    }
}

/// An atomic of another size is not morally strong with the earlier ones.
TEST_P(Modes, ObservationNeedsOneSize) {
  for (uint32_t bytes : {4, 8}) {
    Kernel run(setup());
    EXPECT_TRUE(run.at(0, updates, run.data, InDevice));
    run.block(1);
    EXPECT_TRUE(run.at(0, updates, run.data, InDevice, bytes));
    EXPECT_EQ(run.at(0, writes, run.data), bytes == 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Check, Modes, testing::Bool(), [](auto &info) {
  return info.param ? "Fine" : "BarriersOnly";
});

//===----------------------------------------------------------------------===//
// Finer synchronisation
//===----------------------------------------------------------------------===//

TEST(Race, WarpSyncOrdersItsLanesOnly) {
  Kernel run;
  EXPECT_TRUE(run.at(0, writes, tile));
  EXPECT_TRUE(run.at(0, writes, tile + 4));
  run.checker->meetWarp(run.warps[0], ~0u);
  EXPECT_TRUE(run.at(7, reads, tile));
  EXPECT_FALSE(run.at(39, reads, tile + 4));
}

TEST(Race, WarpSyncWithoutTheLane) {
  Kernel run;
  EXPECT_TRUE(run.at(0, writes, tile));
  run.checker->meetWarp(run.warps[0], ~1u);
  EXPECT_FALSE(run.at(7, reads, tile));
}

TEST(Race, NamedBarrierWithArrivals) {
  for (bool isLate : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
    run.checker->arrive(run.warps[0], ~0u, 3);
    // What comes after the arrival is not ordered by it.
    if (isLate) {
      EXPECT_TRUE(run.at(0, writes, tile));
    }
    std::vector<uint32_t> waiting;
    for (uint32_t thread = 32; thread < 64; ++thread)
      waiting.push_back(thread);
    run.checker->meet(waiting, 3);
    EXPECT_EQ(run.lanes(1, ~0u, reads, tile, 4), !isLate);
  }
}

TEST(Race, MbarrierPhases) {
  for (bool isLate : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.at(0, writes, tile));
    run.checker->arriveAt(run.warps[0], 0, tile + 512);
    run.checker->completePhase(tile + 512);
    // An arrival on the next phase is not yet waited for.
    EXPECT_TRUE(run.at(1, writes, tile + 4));
    run.checker->arriveAt(run.warps[0], 1, tile + 512);
    if (!isLate) {
      run.checker->completePhase(tile + 512);
    }
    run.checker->awaitPhase(run.warps[1], 0, tile + 512);
    EXPECT_TRUE(run.at(32, reads, tile));
    EXPECT_EQ(run.at(32, reads, tile + 4), !isLate);
  }
}

TEST(Race, ReleaseAndAcquireOnAFlag) {
  for (uint32_t site : {uint32_t(InDevice), uint32_t(Acquire)}) {
    Kernel run;
    EXPECT_TRUE(run.at(0, writes, run.data));
    EXPECT_TRUE(run.at(0, writes, run.data + 64, Release));
    EXPECT_TRUE(run.at(33, reads, run.data + 64, site));
    EXPECT_EQ(run.at(33, reads, run.data), site == Acquire);
  }
}

//===----------------------------------------------------------------------===//
// Races between blocks
//===----------------------------------------------------------------------===//

TEST(Race, BlocksOnOneElement) {
  for (AccessKind first : {reads, writes})
    for (AccessKind second : {reads, writes}) {
      Kernel run;
      EXPECT_TRUE(run.at(0, first, run.data));
      EXPECT_TRUE(run.checker->meetBlock());
      run.block(7);
      bool isRace = first == writes || second == writes;
      EXPECT_EQ(run.at(0, second, run.data), !isRace);
      if (isRace) {
        EXPECT_FALSE(run.checker->getFinding()->other->isSameBlock);
        EXPECT_EQ(run.checker->getFinding()->other->block, 0u);
      }
    }
}

TEST(Race, LaunchesAreOrdered) {
  Kernel run;
  EXPECT_TRUE(run.at(0, writes, run.data));
  run.launch();
  EXPECT_TRUE(run.at(1, reads, run.data));
  EXPECT_TRUE(run.at(1, writes, run.data));
}

/// CUDA's threadFenceReduction: every block leaves a sum, and the last one to
/// count adds them up.
enum class Fence { None, Block, Device };
static bool runLastBlock(Fence fence) {
  Kernel run;
  uint64_t counter = run.data + 1024, flag = tile;
  constexpr uint32_t blocks = 5;
  for (uint32_t block = 0; block < blocks; ++block) {
    if (block)
      run.block(block);
    EXPECT_TRUE(run.at(0, writes, run.data + 4 * block));
    if (fence != Fence::None)
      run.checker->fence(run.warps[0], 1,
                         fence == Fence::Device ? InDevice : InBlock);
    EXPECT_TRUE(run.at(0, updates, counter, InDevice));
    EXPECT_TRUE(run.at(0, writes, flag));
    EXPECT_TRUE(run.checker->meetBlock());
    EXPECT_TRUE(run.lanes(1, ~0u, reads, flag, 0));
  }
  return run.lanes(1, (1u << blocks) - 1, reads, run.data, 4);
}

TEST(Race, LastBlockSumsUp) {
  EXPECT_TRUE(runLastBlock(Fence::Device));
  EXPECT_FALSE(runLastBlock(Fence::Block));
  EXPECT_FALSE(runLastBlock(Fence::None));
}

/// All threads fence and meet; one of them then counts for all.
TEST(Race, FencesBeforeABarrierAreReleasedAfterIt) {
  for (bool hasFence : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.lanes(1, ~0u, writes, run.data, 4));
    if (hasFence)
      run.checker->fence(run.warps[1], ~0u, InDevice);
    EXPECT_TRUE(run.checker->meetBlock());
    EXPECT_TRUE(run.at(0, updates, run.data + 1024, InDevice));
    run.block(1);
    EXPECT_TRUE(run.at(3, updates, run.data + 1024, InDevice));
    run.checker->fence(run.warps[0], 8, InDevice);
    EXPECT_EQ(run.at(3, reads, run.data + 64), hasFence);
  }
}

} // namespace
