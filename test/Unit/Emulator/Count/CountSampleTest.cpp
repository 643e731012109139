//===- CountSampleTest.cpp - Which blocks stand for a grid ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Blocks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>

using namespace tc::emulator;
using testing::ElementsAre;

namespace {

TEST(CountSample, Boxes) {
  // 5 along the fastest axis, 3 even ones, 1, 4.
  BlockBox box{{{5}, {3, true}, {1}, {4}}};
  EXPECT_EQ(box.count(), 60u);
  // Indices (3, 1, 0, 2) and, along each axis, one further.
  EXPECT_EQ(box.getBase(), 3u + 5 * (1 + 3 * 2));
  EXPECT_EQ(box.findNext(0), 4u + 5 * (1 + 3 * 2));
  EXPECT_EQ(box.findNext(1), 3u + 5 * (2 + 3 * 2));
  EXPECT_EQ(box.findNext(2), std::nullopt);
  EXPECT_EQ(box.findNext(3), 3u + 5 * (1 + 3 * 3));
  EXPECT_EQ(box.classOf(0), 0u);
  EXPECT_EQ(box.classOf(box.getBase()), 0u);
  EXPECT_EQ(box.classOf(59), 0b1001u);
  EXPECT_EQ(box.classOf(44), 0b0001u);
  // Every class has as many blocks as are of it.
  std::map<uint32_t, uint64_t> blocks;
  for (uint64_t block = 0; block < 60; ++block)
    ++blocks[box.classOf(block)];
  EXPECT_EQ(blocks.size(), 4u);
  for (auto [found, count] : blocks)
    EXPECT_EQ(box.countOf(found), count) << found;
  // No block is at the last index of an axis that has none to tell apart.
  EXPECT_EQ(box.countOf(0b0010), 0u);
  EXPECT_EQ(box.countOf(0b0100), 0u);
}

// The base, its neighbours along both axes, and no more where all are alike.
TEST(CountSample, OfEvenBoxes) {
  BlockBox box{{{5, true}, {4, true}}};
  EXPECT_THAT(chooseBlocks(box, 1, 1), ElementsAre(13, 14, 18));
  EXPECT_EQ(chooseBlocks(box, 7, 1).size(), 7u);
  EXPECT_EQ(chooseBlocks(box, 20, 1).size(), 20u);
}

// One of each class too: the neighbours are of two, the corner of another.
TEST(CountSample, OfUnevenBoxes) {
  EXPECT_THAT(chooseBlocks(BlockBox{{{5}, {4}}}, 1, 1),
              ElementsAre(13, 14, 18, 19));
  EXPECT_THAT(chooseBlocks(BlockBox{{{5}, {4, true}}}, 1, 1),
              ElementsAre(13, 14, 18));
  EXPECT_THAT(chooseBlocks(BlockBox{{{1}, {9}}}, 1, 1), ElementsAre(7, 8));
}

TEST(CountSample, AllWhenEnough) {
  EXPECT_THAT(chooseBlocks({3, 2, 1}, 6, 1, true),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(chooseBlocks({3, 2, 1}, 100, 1, true),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(chooseBlocks({1, 1, 1}, 1, 1, true), ElementsAre(0));
}

TEST(CountSample, CornersAlways) {
  // x fastest: (0,0) (4,0) (0,3) (4,3).
  EXPECT_THAT(chooseBlocks({5, 4, 1}, 1, 7, false), ElementsAre(0, 4, 15, 19));
  // And (3,2) (4,2) (3,3).
  EXPECT_THAT(chooseBlocks({5, 4, 1}, 1, 7, true),
              ElementsAre(0, 4, 13, 14, 15, 18, 19));
  EXPECT_THAT(chooseBlocks({1, 9, 1}, 2, 7, true), ElementsAre(0, 7, 8));
  EXPECT_THAT(
      chooseBlocks({5, 4, 3}, 8, 7, true),
      ElementsAre(0, 4, 15, 19, 33, 34, 38, 39, 40, 44, 53, 54, 55, 58, 59));
}

TEST(CountSample, SortedWithoutRepetitionAndSeeded) {
  Dim3 grid{100, 50, 20};
  std::vector<uint64_t> blocks = chooseBlocks(grid, 1000, 1, true);
  EXPECT_EQ(blocks.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end(),
                             std::less_equal<uint64_t>()));
  EXPECT_LT(blocks.back(), grid.count());
  EXPECT_EQ(blocks, chooseBlocks(grid, 1000, 1, true));
  EXPECT_NE(blocks, chooseBlocks(grid, 1000, 2, true));
  auto isOnFace = [&](uint64_t block) {
    uint64_t x = block % 100, y = block / 100 % 50, z = block / 5000;
    return x == 0 || x == 99 || y == 0 || y == 49 || z == 0 || z == 19;
  };
  // A quarter of them on purpose, and a sixth of the others by chance.
  auto onFaces = std::count_if(blocks.begin(), blocks.end(), isOnFace);
  EXPECT_GT(onFaces, 250);
  EXPECT_LT(onFaces, 500);
}

TEST(CountSample, LargestGrid) {
  Dim3 grid{2147483647, 65535, 65535};
  std::vector<uint64_t> blocks = chooseBlocks(grid, 100, 3, true);
  EXPECT_EQ(blocks.size(), 100u);
  EXPECT_EQ(blocks.front(), 0u);
  EXPECT_EQ(blocks.back(), grid.count() - 1);
}

} // namespace
