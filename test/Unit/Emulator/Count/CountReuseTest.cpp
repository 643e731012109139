//===- CountReuseTest.cpp - What blocks touch together --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of matrices in 10 by 100 tiles, of which the last row does half
// as much: block (i, j), j fastest, reads 32 sectors of row i of a, half of
// them in the last row, and 16 of column j of b, and writes 8 or 4 of its own.
//
//===----------------------------------------------------------------------===//

#include "Count/CountHarness.h"
#include "tc/Emulator/Reuse.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

const BlockBox tiles{{{100, true}, {10}}};
const Reuse ofA = makeReuse(tiles, 32, {32, 16}, {32, 48});
const Reuse ofB = makeReuse(tiles, 16, {16, 16}, {32, 16});
const Reuse ofC = makeReuse(tiles, 8, {8, 4}, {16, 12});
/// More than any of these tiles has.
constexpr double kAll = 1e9;

TEST(CountReuse, AlongAxes) {
  EXPECT_DOUBLE_EQ(ofA.axes[0].shared, 1);
  EXPECT_DOUBLE_EQ(ofA.axes[1].shared, 0);
  EXPECT_DOUBLE_EQ(ofA.axes[1].length, 9.5);
  EXPECT_DOUBLE_EQ(ofB.axes[0].shared, 0);
  EXPECT_DOUBLE_EQ(ofB.axes[1].shared, 1);
  EXPECT_DOUBLE_EQ(ofC.axes[1].shared, 0);
}

TEST(CountReuse, Touched) {
  EXPECT_DOUBLE_EQ(ofA.touchedByAll(), 32 * 9.5);
  EXPECT_DOUBLE_EQ(ofB.touchedByAll(), 16 * 100);
  EXPECT_DOUBLE_EQ(ofC.touchedByAll(), 8 * 9.5 * 100);
  // A row and a half of blocks.
  EXPECT_DOUBLE_EQ(ofA.touchedBy(150), 32 * 1.5);
  EXPECT_DOUBLE_EQ(ofB.touchedBy(150), 16 * 100);
  EXPECT_DOUBLE_EQ(ofC.touchedBy(150), 8 * 150);
  EXPECT_DOUBLE_EQ(ofB.touchedBy(50), 16 * 50);
  EXPECT_DOUBLE_EQ(ofA.touchedBy(1), 32);
}

TEST(CountReuse, Moved) {
  auto none = [](unsigned) { return false; };
  auto inner = [](unsigned axis) { return axis == 0; };
  auto all = [](unsigned) { return true; };
  // One at a time: each block moves its own.
  EXPECT_DOUBLE_EQ(ofA.movedTo(1, kAll, none), 32 * 9.5 * 100);
  EXPECT_DOUBLE_EQ(ofB.movedTo(1, kAll, none), 16 * 10 * 100);
  // Half a row at a time moves a row of a twice.
  EXPECT_DOUBLE_EQ(ofA.movedTo(50, kAll, none), 32 * 9.5 * 2);
  // Two rows at a time move b once for both; a column of b is all blocks'.
  EXPECT_DOUBLE_EQ(ofB.movedTo(200, kAll, none), 16 * 100 * 10 / 2);
  EXPECT_DOUBLE_EQ(ofA.movedTo(200, kAll, none), 32 * 9.5);
  // What is kept from block to block.
  EXPECT_DOUBLE_EQ(ofA.movedTo(1, kAll, inner), 32 * 9.5);
  EXPECT_DOUBLE_EQ(ofB.movedTo(1, kAll, inner), 16 * 10 * 100);
  EXPECT_DOUBLE_EQ(ofB.movedTo(1, kAll, all), 16 * 100);
  // Nothing is shared.
  EXPECT_DOUBLE_EQ(ofC.movedTo(200, kAll, all), 8 * 9.5 * 100);
}

// Blocks whose number says nothing of what they share read no more at a time
// than there is.
TEST(CountReuse, MovedAtMostAll) {
  Reuse linear = makeReuse(BlockBox{{{1000}}}, 10, {10}, {20});
  auto none = [](unsigned) { return false; };
  EXPECT_DOUBLE_EQ(linear.movedTo(100, kAll, none), 10 * 1000);
  EXPECT_DOUBLE_EQ(linear.movedTo(100, 250, none), 250 * 10);
  EXPECT_DOUBLE_EQ(linear.movedTo(1, 250, none), 10 * 1000);
}

// Tiles that overlap by a quarter along both axes, as those of a convolution.
TEST(CountReuse, Overlaps) {
  Reuse halo = makeReuse(BlockBox{{{4}, {3}}}, 100, {100, 100}, {175, 175});
  EXPECT_DOUBLE_EQ(halo.axes[0].shared, 0.25);
  EXPECT_DOUBLE_EQ(halo.touchedByAll(), 100 * 3.25 * 2.5);
}

TEST(CountReuse, SmallBoxes) {
  Reuse one = makeReuse(BlockBox{{{1}, {1}}}, 7, {0, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(one.touchedByAll(), 7);
  EXPECT_DOUBLE_EQ(one.movedTo(5, kAll, [](unsigned) { return false; }), 7);
  // The second of two blocks touches more than the first, and half of that too.
  Reuse two = makeReuse(BlockBox{{{2}}}, 10, {30}, {35});
  EXPECT_DOUBLE_EQ(two.touchedByAll(), 35);
  // Nothing touched, nothing moved.
  EXPECT_DOUBLE_EQ(makeReuse(tiles, 0, {1, 1}, {1, 1}).touchedByAll(), 0);
}

/// The counts of the product.
LaunchCounts makeProduct() {
  LaunchCounts counts;
  counts.grid = {1000, 1, 1};
  counts.box = tiles;
  counts.memory = {{"global", "read", {}}};
  counts.memory[0].counts.l2Sectors = 950 * 40 + 1000 * 16;
  AllocationCounts a, b, c;
  a.readReuse = a.touchedReuse = ofA;
  a.allRead = a.allTouched = {0, 304};
  b.readReuse = b.touchedReuse = ofB;
  b.allRead = b.allTouched = {0, 1600};
  c.writtenReuse = c.touchedReuse = ofC;
  c.allWritten = c.allTouched = {0, 7600};
  for (const AllocationCounts &part : {a, b, c})
    counts.add(part);
  return counts;
}

// In sectors: all touch 9504.
TEST(CountReuse, DramBytes) {
  LaunchCounts counts = makeProduct();
  auto estimate = [&](uint64_t l2Sectors, uint64_t together) {
    uint64_t bytes =
        uint64_t(counts.estimateDramBytes(32 * l2Sectors, together).sum());
    EXPECT_EQ(bytes % 32, 0u);
    return bytes / 32;
  };
  // L2 holds all, or what a row of blocks and one more touch: 32 * 1.01 + 1600
  // + 808 = 2440.3.
  EXPECT_EQ(estimate(9504, 1), 9504u);
  EXPECT_EQ(estimate(2441, 1), 9504u);
  // Not that, but two blocks: b is moved for each row.
  EXPECT_EQ(estimate(2440, 1), 304u + 1600 * 10 + 7600);
  EXPECT_EQ(estimate(80, 1), 304u + 1600 * 10 + 7600);
  // Not even those, 32 + 2 * 16 + 2 * 8: no reuse at all.
  EXPECT_EQ(estimate(79, 1), 950u * 40 + 1000 * 16);
  // Nor by so many at once; but these are neighbours: 2 rows share b, and a.
  EXPECT_EQ(estimate(79, 200), 304u + 1600 * 10 / 2 + 7600);
  // All at once.
  EXPECT_EQ(estimate(0, 5000), 9504u);
}

TEST(CountReuse, DramBytesAreWithinBounds) {
  LaunchCounts counts = makeProduct();
  // L1 served some.
  counts.memory[0].counts.l2Sectors = 20000;
  EXPECT_DOUBLE_EQ(counts.estimateDramBytes(0, 1).sum(), 32u * 20000);
  // Of an allocation whose reuse is not known, what is distinct.
  AllocationCounts unknown;
  unknown.allRead = unknown.allTouched = {0, 500};
  counts.add(unknown);
  EXPECT_DOUBLE_EQ(counts.estimateDramBytes(1 << 30, 1).sum(),
                   32u * (9504 + 500));
}

} // namespace
