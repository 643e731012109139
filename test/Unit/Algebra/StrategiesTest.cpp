//===- StrategiesTest.cpp - Strategies obey the limits --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each strategy on many shapes: the limits, the laws at every point of small
// spaces and at samples of huge ones, and what it is meant to look like.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Strategies.h"
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

/// x, y, z as numbers, at the values of symbols.
static Ints axes(const Axes &axes, const Numbers &number = Numbers(false)) {
  return {number.at(axes.x), number.at(axes.y), number.at(axes.z)};
}

static void expectWithin(const LaunchExtents &launch, const Numbers &number,
                         const LaunchLimits &limits) {
  Ints grid = axes(launch.grid, number), block = axes(launch.block, number);
  EXPECT_LE(grid[0], limits.gridX);
  EXPECT_LE(grid[1], limits.gridY);
  EXPECT_LE(grid[2], limits.gridZ);
  EXPECT_LE(block[0], limits.blockX);
  EXPECT_LE(block[1], limits.blockY);
  EXPECT_LE(block[2], limits.blockZ);
  EXPECT_LE(block[0] * block[1] * block[2], limits.blockThreads);
}

/// inverse(forward(i)) = i, and the guard holds, at random members.
static void expectLawsAtSamples(const Mapping &mapping, const Ints &extents) {
  std::mt19937_64 random(7);
  SmallVector<AffineExpr> forward = mapping.forward(dimsUpTo(extents.size()));
  SmallVector<AffineExpr> thread = dimsUpTo(mapping.image().rank());
  SmallVector<AffineExpr> inverse = mapping.inverse(thread);
  SmallVector<AffineExpr> guard = mapping.guard(thread);
  Numbers number(false);
  for (unsigned sample = 0; sample < 20; ++sample) {
    Ints index;
    for (int64_t extent : extents)
      index.push_back(sample == 0 ? extent - 1 : random() % extent);
    Ints t = number.at(forward, index);
    EXPECT_EQ(number.at(inverse, t), index);
    EXPECT_TRUE(hold(guard, number, t));
    EXPECT_TRUE(isMember(mapping.image(), number, t));
  }
}

//===----------------------------------------------------------------------===//
// The default
//===----------------------------------------------------------------------===//

/// Ranks 1 to 8: ones, primes, powers, odd shapes, and what no axis holds.
static std::vector<Ints> shapes() {
  std::vector<Ints> result = {
      {},
      {1},
      {31},
      {32},
      {33},
      {100},
      {1000},
      {65537},
      {int64_t(1) << 40},
      {INT64_MAX},
      {1, 1},
      {7, 13},
      {1, 257},
      {257, 1},
      {100000, 32},
      {32, 100000},
      {65536, 65536, 2},
      {70000, 70000, 1},
      {3, 5, 7},
      {16, 16, 16, 16},
      {1, 1, 1, 1},
      {2, 3, 5, 7, 11},
      {24, 20, 24, 20, 24, 16},
      {16, 16, 16, 16, 16, 16},
      {100, 100, 100, 100, 100, 100, 100},
      {1, 33, 1, 2, 1, 65, 1, 3},
      {2, 2, 2, 2, 2, 2, 2, 2},
      {31, 31, 31, 31, 31, 31, 31, 31},
      {int64_t(1) << 31, int64_t(1) << 31},
      {0},
      {4, 0, 8},
  };
  std::mt19937 random(11);
  for (unsigned i = 0; i < 300; ++i) {
    Ints extents;
    for (unsigned rank = 1 + random() % 8; rank > 0; --rank)
      extents.push_back(1 + random() % (random() % 4 == 0 ? 300 : 40));
    result.push_back(extents);
  }
  return result;
}

TEST(FitDevice, ObeysTheLimitsForEveryShape) {
  for (const Ints &extents : shapes()) {
    SCOPED_TRACE(testing::PrintToString(extents));
    llvm::Expected<Mapping> mapping = fitDevice(denseSpace(extents));
    ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
    expectWithin(*mapping->launch(), Numbers(false), {});
    if (!llvm::is_contained(extents, 0))
      expectLawsAtSamples(*mapping, extents);
  }
}

TEST(FitDevice, ObeysTheLawsAtEveryPoint) {
  for (const Ints &extents : {Ints{},
                              {1},
                              {5},
                              {37},
                              {300},
                              {3, 40},
                              {40, 3},
                              {2, 3, 33},
                              {65, 2, 3},
                              {2, 1, 3, 4, 5},
                              {2, 2, 2, 2, 3, 3, 1, 2},
                              {3, 0}}) {
    SCOPED_TRACE(testing::PrintToString(extents));
    expectLaws(*fitDevice(denseSpace(extents)), Numbers(false));
  }
}

TEST(FitDevice, ObeysTheLawsForStepsAndBounds) {
  SpaceNumbers ranges = {{3, 17, 5, 2}, {-4, 40, 3, 1}, {0, 3}};
  for (bool symbolic : {false, true}) {
    Numbers number(symbolic);
    IndexSpace space = makeSpace(ranges, number);
    llvm::Expected<Mapping> mapping = fitDevice(space);
    ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
    expectLaws(*mapping, number);
  }
}

TEST(FitDevice, ObeysSmallLimitsAtEveryPoint) {
  // So small that the grid needs its z axis.
  LaunchLimits limits;
  limits.gridX = 5;
  limits.gridY = 4;
  limits.gridZ = 9;
  limits.blockX = limits.blockThreads = 8;
  limits.blockY = 2;
  limits.warpSize = 4;
  for (const Ints &extents : {Ints{700},
                              {40, 9},
                              {3, 7, 11},
                              {2, 3, 2, 5, 7},
                              {1, 1, 600, 1},
                              {61, 8}}) {
    for (bool symbolic : {false, true}) {
      SCOPED_TRACE(testing::PrintToString(extents));
      Numbers number(symbolic);
      IndexSpace space = makeSpace(denseNumbers(extents), number);
      llvm::Expected<Mapping> mapping = fitDevice(space, limits, 8);
      ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
      expectWithin(*mapping->launch(), number, limits);
      expectLaws(*mapping, number);
    }
  }
}

TEST(FitDevice, SymbolicExtentsObeyTheLimitsWhateverTheyAre) {
  IndexSpace space = symbolicSpace({symbol(0), symbol(1)});
  llvm::Expected<Mapping> mapping = fitDevice(space);
  ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
  for (int64_t n : {int64_t(0), int64_t(1), int64_t(255), int64_t(1) << 20,
                    int64_t(1) << 40})
    for (int64_t m : {1, 7, 1 << 21}) {
      Numbers number(true);
      number(Ints{n, m});
      expectWithin(*mapping->launch(), number, {});
      // No more blocks than rounding each axis up leaves idle.
      Ints grid = axes(mapping->launch()->grid, number);
      int64_t blocks = grid[0] * grid[1] * grid[2],
              needed = (n * m + 255) / 256;
      EXPECT_GE(blocks, needed);
      EXPECT_LE(blocks - needed, grid[2] * (grid[0] + grid[1]));
    }
}

TEST(FitDevice, StaysCloseToTheSpace) {
  // Nothing to recover: two dimensions of the block and one of the grid.
  EXPECT_EQ(print(*fitDevice(denseSpace({1000, 8, 32}))), "<grid_block(2)>");
  EXPECT_EQ(print(*fitDevice(denseSpace({4096, 256}))), "<grid_block(1)>");
  // Short rows fold until they fill a warp.
  llvm::Expected<Mapping> folded = fitDevice(denseSpace({64, 64, 3, 3}));
  EXPECT_EQ(axes(folded->launch()->block)[0] % 32, 0);
}

TEST(FitDevice, FillsWarpsAndWastesLittle) {
  for (const Ints &extents : shapes()) {
    double total = 1;
    for (int64_t extent : extents)
      total *= double(extent);
    if (total < 1024 || total > double(int64_t(1) << 40))
      continue;
    SCOPED_TRACE(testing::PrintToString(extents));
    LaunchExtents launch = *fitDevice(denseSpace(extents))->launch();
    Ints grid = axes(launch.grid), block = axes(launch.block);
    EXPECT_EQ(block[0] % 32, 0);
    int64_t threads = block[0] * block[1];
    EXPECT_GE(threads, 64);
    EXPECT_LE(double(grid[0] * grid[1] * grid[2] * threads), 1.31 * total);
  }
}

TEST(FitDevice, RefusesMoreThanADeviceCanStart) {
  llvm::Expected<Mapping> mapping = fitDevice(denseSpace({INT64_MAX, 7}));
  ASSERT_FALSE(bool(mapping));
  EXPECT_NE(llvm::toString(mapping.takeError()).find("2^63-1 indices"),
            std::string::npos);
  LaunchLimits limits;
  limits.gridX = limits.gridY = limits.gridZ = 2;
  mapping = fitDevice(denseSpace({100000}), limits);
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected at most 2 for grid z, got 99");
}

TEST(FitDevice, RefusesASpaceThatIsNone) {
  llvm::Expected<Mapping> mapping = fitDevice(staticSpace({{0, 4, 0, 1}}));
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected a step of at least 1, got 0 in dimension 0");
}

//===----------------------------------------------------------------------===//
// The strategies of the paper
//===----------------------------------------------------------------------===//

TEST(Jing, IsTableOneOfThePaper) {
  auto launch = [](const Ints &extents) {
    LaunchExtents launch = *jing(denseSpace(extents))->launch();
    return std::pair(axes(launch.grid), axes(launch.block));
  };
  EXPECT_EQ(launch({100}), std::pair(Ints({4, 1, 1}), Ints({32, 1, 1})));
  EXPECT_EQ(launch({100, 40}), std::pair(Ints({2, 4, 1}), Ints({32, 32, 1})));
  EXPECT_EQ(launch({5, 6, 7}), std::pair(Ints({5, 1, 1}), Ints({7, 6, 1})));
  EXPECT_EQ(launch({4, 5, 6, 7}), std::pair(Ints({5, 4, 1}), Ints({7, 6, 1})));
  EXPECT_EQ(launch({3, 4, 5, 6, 7}),
            std::pair(Ints({5, 4, 3}), Ints({7, 6, 1})));
}

TEST(Jing, RefusesOtherRanks) {
  llvm::Expected<Mapping> mapping = jing(denseSpace({1, 1, 1, 1, 1, 1}));
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected an index space of rank 1 to 5, got rank 6");
  mapping = jing(denseSpace({}));
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected an index space of rank 1 to 5, got rank 0");
}

TEST(Jing, DoesNotLookAtLimits) {
  llvm::Expected<Mapping> mapping = jing(denseSpace({2, 100, 100}));
  ASSERT_TRUE(bool(mapping));
  EXPECT_EQ(llvm::toString(checkLimits(*mapping, {})),
            "expected at most 1024 for threads of a block, got 10000");
}

/// Every strategy of the paper on small spaces, static and symbolic.
class PaperStrategies
    : public testing::TestWithParam<std::tuple<SpaceNumbers, bool>> {};

INSTANTIATE_TEST_SUITE_P(
    Samples, PaperStrategies,
    testing::Combine(
        testing::Values(
            SpaceNumbers{{0, 70}}, SpaceNumbers{{3, 50, 4, 3}},
            SpaceNumbers{{1, 36}, {2, 9, 2, 1}},
            SpaceNumbers{{0, 3}, {0, 4}, {0, 5}},
            SpaceNumbers{{0, 2}, {1, 4, 2, 1}, {0, 2}, {0, 3}},
            denseNumbers({2, 2, 2, 2, 3}), denseNumbers({2, 2, 1, 2, 3, 2}),
            SpaceNumbers{
                {1, 4, 2, 1}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 3}}),
        testing::Bool()));

TEST_P(PaperStrategies, ObeyTheLaws) {
  const auto &[ranges, symbolic] = GetParam();
  Numbers number(symbolic);
  IndexSpace space = makeSpace(ranges, number);
  auto expectGood = [&](llvm::Expected<Mapping> mapping) {
    ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
    expectLaws(*mapping, number);
    EXPECT_TRUE(mapping->launch().has_value());
  };
  expectGood(jingExt(space));
  expectGood(foldAll(space, {}, 32));
}

TEST(FoldAll, HasABlockForEachMultiprocessor) {
  EXPECT_EQ(chooseFoldedBlock(0, 132), 32);
  EXPECT_EQ(chooseFoldedBlock(1000, 132), 32); // there are no smaller blocks
  EXPECT_EQ(chooseFoldedBlock(10000, 132), 64);
  EXPECT_EQ(chooseFoldedBlock(131 * 256, 132), 224);
  EXPECT_EQ(chooseFoldedBlock(131 * 256 + 1, 132), 256);
  EXPECT_EQ(chooseFoldedBlock(INT64_MAX, 132), 256);
  for (int64_t points = 1; points < 50000; points += 7)
    for (int64_t multiprocessors : {1, 40, 132}) {
      int64_t threads = chooseFoldedBlock(points, multiprocessors);
      EXPECT_EQ(threads % 32, 0);
      // As many as that allows.
      EXPECT_TRUE(threads == 32 ||
                  (points + threads - 1) / threads >= multiprocessors);
      int64_t more = threads + 32;
      EXPECT_TRUE(threads == 256 ||
                  (points + more - 1) / more < multiprocessors);
    }
}

TEST(FoldAll, ObeysTheLimitsForEveryShape) {
  for (const Ints &extents : shapes()) {
    SCOPED_TRACE(testing::PrintToString(extents));
    llvm::Expected<Mapping> mapping = foldAll(denseSpace(extents));
    ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
    expectWithin(*mapping->launch(), Numbers(false), {});
  }
}

//===----------------------------------------------------------------------===//
// One level at a time
//===----------------------------------------------------------------------===//

TEST(MapToGrid, IsOneAxisWhileThatFits) {
  llvm::Expected<Mapping> mapping = mapToGrid(denseSpace({16, 1, 32, 4}));
  ASSERT_TRUE(bool(mapping));
  EXPECT_EQ(axes(*mapping->axes()), (Ints{2048, 1, 1}));
  EXPECT_TRUE(mapping->guard(dimsUpTo(1)).empty());
  expectLaws(*mapping, Numbers(false));
}

TEST(MapToGrid, SplitsWhatOneAxisDoesNotHold) {
  Ints extents = {70000, 70000, 3};
  llvm::Expected<Mapping> mapping = mapToGrid(denseSpace(extents));
  ASSERT_TRUE(bool(mapping));
  Ints found = axes(*mapping->axes());
  EXPECT_LE(found[0], 2147483647);
  EXPECT_EQ(found[1], 7);
  EXPECT_EQ(found[2], 1);
  expectLawsAtSamples(*mapping, extents);
}

TEST(MapToGrid, UsesThreeAxesAndAGuard) {
  LaunchLimits limits;
  limits.gridX = 4;
  limits.gridY = 3;
  limits.gridZ = 5;
  llvm::Expected<Mapping> mapping = mapToGrid(denseSpace({5, 7}), limits);
  ASSERT_TRUE(bool(mapping));
  Ints found = axes(*mapping->axes());
  EXPECT_LE(found[0], 4);
  EXPECT_LE(found[1], 3);
  EXPECT_LE(found[2], 5);
  EXPECT_FALSE(mapping->guard(dimsUpTo(3)).empty());
  expectLaws(*mapping, Numbers(false));
  limits.gridZ = 2;
  mapping = mapToGrid(denseSpace({5, 7}), limits);
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected at most 2 for grid z, got 4");
}

TEST(MapToGrid, RefusesSpacesWithBoundsOrSteps) {
  llvm::Expected<Mapping> mapping = mapToGrid(staticSpace({{1, 4}}));
  ASSERT_FALSE(bool(mapping));
  EXPECT_EQ(llvm::toString(mapping.takeError()),
            "expected a zero-based, dense index space");
}

TEST(MapToThreads, IsOneLinearAxis) {
  llvm::Expected<Mapping> mapping = mapToThreads(denseSpace({4, 2, 16}));
  ASSERT_TRUE(bool(mapping));
  EXPECT_EQ(axes(*mapping->axes()), (Ints{128, 1, 1}));
  expectLaws(*mapping, Numbers(false));
  // Nothing to map is one thread.
  EXPECT_EQ(axes(*mapToThreads(denseSpace({}))->axes()), (Ints{1, 1, 1}));
}

TEST(Mapping, ThreadAtIsTheOrderOfTheAxes) {
  Axes block = {dim(0), dim(1), dim(2)}, thread = {dim(3), dim(4), dim(5)};
  llvm::Expected<Mapping> mapping = jing(denseSpace({3, 4, 5, 6, 7}));
  ASSERT_TRUE(bool(mapping));
  EXPECT_EQ(mapping->threadAt(block, thread),
            (SmallVector<AffineExpr>{dim(2), dim(1), dim(0), dim(4), dim(3)}));
  llvm::Expected<Mapping> plain = Mapping::get(denseSpace({4, 5}), {});
  EXPECT_EQ(plain->threadAt(block), (SmallVector<AffineExpr>{dim(1), dim(0)}));
  EXPECT_EQ(plain->launch().has_value(), false);
  EXPECT_EQ(axes(*plain->axes()), (Ints{5, 4, 1}));
}
