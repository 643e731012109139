//===- MapCandidatesTest.cpp - Mappings worth comparing -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/MapCandidates.h"
#include "SpaceSamples.h"

#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

static std::string print(const Mapping &mapping) {
  std::string text;
  llvm::raw_string_ostream(text) << mapping;
  return text;
}

/// All proposals for a device, its dimensions chosen from the innermost four.
static std::vector<Mapping> propose(const IndexSpace &space,
                                    ArrayRef<int64_t> symbols,
                                    int64_t threads = 256) {
  SmallVector<unsigned> dims = getDimsOfSeveral(space);
  if (dims.size() > 4)
    dims.erase(dims.begin(), dims.end() - 4);
  return proposeForDevice({space, symbols, dims}, {}, threads);
}

static void expectWithin(const Mapping &mapping, const Numbers &number) {
  LaunchExtents launch = *mapping.launch();
  LaunchLimits limits;
  EXPECT_LE(number.at(launch.grid.x), limits.gridX);
  EXPECT_LE(number.at(launch.grid.y), limits.gridY);
  EXPECT_LE(number.at(launch.grid.z), limits.gridZ);
  SmallVector<int64_t> block =
      *staticValues({launch.block.x, launch.block.y, launch.block.z});
  EXPECT_LE(block[0] * block[1] * block[2], 256);
  EXPECT_LE(block[2], limits.blockZ);
}

static std::vector<SpaceNumbers> spaces() {
  std::vector<SpaceNumbers> result = {
      {{0, 70}, {0, 3}},
      {{0, 3}, {0, 70}},
      {{2, 20, 5, 2}, {-3, 9}},
      {{0, 1}, {0, 9}, {0, 1}, {0, 33}},
      {{0, 5}, {0, 6}, {1, 8}},
      {{0, 7}, {0, 3}, {0, 2}, {0, 5}},
      denseNumbers({2, 1, 2, 2, 1, 2, 1, 2, 2, 2})};
  std::mt19937 random(5);
  for (unsigned rank = 1; rank <= 10; ++rank) {
    SpaceNumbers ranges;
    int64_t room = 100;
    for (unsigned d = 0; d < rank; ++d) {
      int64_t extent = 1 + int64_t(random()) % std::min<int64_t>(room, 9);
      ranges.push_back({0, extent});
      room /= extent;
    }
    result.push_back(ranges);
  }
  return result;
}

TEST(MapCandidates, ObeyTheLawsAtEveryPoint) {
  size_t count = 0;
  for (const SpaceNumbers &ranges : spaces())
    for (bool symbolic : {false, true}) {
      Numbers number(symbolic);
      IndexSpace space = makeSpace(ranges, number);
      // All have the laws; some are looked at.
      for (auto [i, mapping] :
           llvm::enumerate(propose(space, number.symbols(), /*threads=*/16))) {
        expectWithin(mapping, number);
        if (i % 23 == 0)
          expectLaws(mapping, number);
        ASSERT_FALSE(HasFailure()) << print(mapping);
        ++count;
      }
    }
  EXPECT_GT(count, 1000u);
}

TEST(MapCandidates, ObeyTheLimitsForEveryExtent) {
  for (const Ints &extents : {Ints{int64_t(1) << 33},
                              {2147483647},
                              {65537, 65537},
                              {int64_t(1) << 31, 7},
                              {7, int64_t(1) << 31},
                              {100003, 100003, 2},
                              {31, 1, 31, 31, 1, 31, 31, 31}}) {
    SCOPED_TRACE(testing::PrintToString(extents));
    std::vector<Mapping> mappings = propose(denseSpace(extents), {});
    EXPECT_FALSE(mappings.empty());
    for (const Mapping &mapping : mappings)
      expectWithin(mapping, Numbers(false));
  }
}

TEST(MapCandidates, SymbolsAreOnlyAssumptions) {
  IndexSpace space = symbolicSpace({symbol(0), symbol(1), symbol(2)});
  std::vector<Mapping> mappings = propose(space, {250, 250, 250});
  EXPECT_GT(mappings.size(), 20u);
  for (const Ints &sizes : {Ints{0, 3, 4},
                            {1, 1, 1},
                            {int64_t(1) << 32, 3, 2},
                            {3, int64_t(1) << 32, 70000},
                            {5, 2, 100003}}) {
    Numbers number(true);
    number(sizes);
    for (const Mapping &mapping : mappings)
      expectWithin(mapping, number);
  }
}

TEST(MapCandidates, TeamsKeepToTheirThreads) {
  for (const SpaceNumbers &ranges : spaces()) {
    Numbers number(false);
    IndexSpace space = makeSpace(ranges, number);
    SmallVector<unsigned> dims = getDimsOfSeveral(space);
    if (dims.size() > 4)
      dims.erase(dims.begin(), dims.end() - 4);
    for (const Mapping &mapping : proposeForTeam({space, {}, dims}, 128, 32)) {
      EXPECT_LE(number.at(mapping.axes()->x), 128);
      EXPECT_EQ(number.at(mapping.axes()->y), 1);
      expectLaws(mapping, number);
    }
  }
}

TEST(MapCandidates, DimensionsOfOneIndexAreNoChoice) {
  Numbers number(false);
  IndexSpace space =
      makeSpace({{0, 1}, {3, 9}, {0, 4, 4, 1}, {0, 4, 4, 2}, {5, 6}}, number);
  EXPECT_EQ(getDimsOfSeveral(space), (SmallVector<unsigned>{1, 3}));
}

TEST(MapCandidates, NothingIsProposedForNothing) {
  EXPECT_TRUE(propose(denseSpace({4, 0}), {}).empty());
  EXPECT_TRUE(propose(denseSpace({}), {}).empty());
}

TEST(MapCandidates, CoarserMappingsObeyTheLawsAndStartFewerThreads) {
  size_t count = 0;
  auto getThreads = [](const Mapping &mapping, const Numbers &number) {
    LaunchExtents launch = *mapping.launch();
    return number.at(launch.grid.x) * number.at(launch.grid.y) *
           number.at(launch.grid.z) * number.at(launch.block.x) *
           number.at(launch.block.y) * number.at(launch.block.z);
  };
  for (const SpaceNumbers &ranges : spaces()) {
    Numbers number(false);
    IndexSpace space = makeSpace(ranges, number);
    for (const Mapping &mapping : propose(space, {}, /*threads=*/16))
      for (const Mapping &coarser : coarsen(mapping)) {
        EXPECT_EQ(coarser.serialRank(), 1u);
        EXPECT_LT(getThreads(coarser, number), getThreads(mapping, number));
        expectWithin(coarser, number);
        if (count++ % 23 == 0)
          expectLaws(coarser, number);
        ASSERT_FALSE(HasFailure()) << print(coarser);
      }
  }
  EXPECT_GT(count, 300u);
  // Nothing is known of a dynamic grid, and loops are there once.
  for (const Mapping &mapping : propose(symbolicSpace({symbol(0)}), {250}))
    EXPECT_TRUE(coarsen(mapping).empty()) << print(mapping);
  for (const Mapping &mapping : propose(denseSpace({100000}), {}))
    for (const Mapping &coarser : coarsen(mapping))
      EXPECT_TRUE(coarsen(coarser).empty()) << print(coarser);
}
