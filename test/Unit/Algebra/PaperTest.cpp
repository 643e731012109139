//===- PaperTest.cpp - The listings of Janssen and Scholz -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "On Mapping N-Dimensional Data-Parallelism Efficiently into
// GPU-Thread-Spaces" (IFL 2021): what its listings 7, 8 and 10 compute on the
// host and in the kernel, and the folds of section 7.2. CombinatorsTest.cpp has
// the examples of section 4, StrategiesTest.cpp table 1.
//
//===----------------------------------------------------------------------===//

#include "SpaceSamples.h"
#include "tc/Algebra/Strategies.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;
using C = Combinator;

/// The partitions of listing 5: every even, every odd index below 1000, and the
/// ones from there to 1500.
static const SpaceNumbers kPartitions[] = {
    {{0, 1000, 2, 1}}, {{1, 1000, 2, 1}}, {{1000, 1500}}};

static Mapping getJing(const SpaceNumbers &ranges) {
  Numbers number(false);
  return llvm::cantFail(jing(makeSpace(ranges, number)));
}

// Where 32 divides an extent, the d/32 + 1 of the paper starts a block of idle
// threads that is not started here.
TEST(Paper, Listing7GridsAndBlocks) {
  const int64_t grids[] = {32, 32, 16};
  for (auto [partition, grid] : llvm::zip_equal(kPartitions, grids)) {
    LaunchExtents launch = *getJing(partition).launch();
    EXPECT_EQ(launch.grid.x, constant(grid));
    EXPECT_EQ(launch.grid.y, constant(1));
    EXPECT_EQ(launch.block.x, constant(32));
    EXPECT_EQ(launch.block.y, constant(1));
  }
}

TEST(Paper, Listing8IndicesAndGuards) {
  AffineExpr block = dim(0), thread = dim(1);
  AffineExpr linear = block * 32 + thread;
  SmallVector<AffineExpr> launched = {block, thread};
  for (auto [partition, lower] :
       llvm::zip_equal(kPartitions, ArrayRef<int64_t>{0, 1, 1000})) {
    Mapping mapping = getJing(partition);
    EXPECT_EQ(mapping.inverse(launched),
              SmallVector<AffineExpr>{linear + lower});
    // A thread beyond the upper bound, and one between the steps, has no work.
    SmallVector<AffineExpr> guard = mapping.guard(launched);
    Numbers number(false);
    const RangeNumbers &range = partition.front();
    int64_t extent = range.upper - range.lower;
    for (int64_t t = 0; t < 1024 && t / 32 * 32 < extent; ++t)
      EXPECT_EQ(hold(guard, number, {t / 32, t % 32}),
                t % range.step == 0 && t < extent)
          << t;
    EXPECT_EQ(guard.size(), range.step == 1 ? 1u : 2u);
  }
}

TEST(Paper, Listing10HostAndKernel) {
  AffineExpr lb1 = symbol(0), lb0 = symbol(1), ub1 = symbol(2), ub0 = symbol(3);
  AffineExpr one = constant(1);
  IndexSpace space(context(), {{lb1, ub1, one, one}, {lb0, ub0, one, one}});
  auto mapping =
      Mapping::get(space, {C::shiftLb(), C::splitLast(32), C::gridBlock(1)});
  ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
  LaunchExtents launch = *mapping->launch();
  EXPECT_EQ(launch.grid.x, (ub0 - lb0).ceilDiv(32));
  EXPECT_EQ(launch.grid.y, ub1 - lb1);
  EXPECT_EQ(launch.grid.z, one);
  EXPECT_EQ(launch.block.x, constant(32));
  Axes block = {dim(0), dim(1), dim(2)}, thread = {dim(3), dim(4), dim(5)};
  SmallVector<AffineExpr> index =
      mapping->inverse(mapping->threadAt(block, thread));
  EXPECT_EQ(index[0], dim(1) + lb1);
  EXPECT_EQ(index[1], dim(0) * 32 + dim(3) + lb0);
}

// Section 7.2: pairs of neighbours fold until at most five dimensions are left;
// of an odd number the innermost one stays.
TEST(Paper, JingExtFoldsPairs) {
  auto launch = [](const Ints &extents) {
    Mapping mapping = llvm::cantFail(jingExt(denseSpace(extents)));
    LaunchExtents found = *mapping.launch();
    return *staticValues({found.grid.z, found.grid.y, found.grid.x,
                          found.block.y, found.block.x});
  };
  using Extents = SmallVector<int64_t>;
  EXPECT_EQ(launch({2, 3, 4, 5, 6, 7}), (Extents{1, 1, 6, 20, 42}));
  EXPECT_EQ(launch({2, 3, 4, 5, 6, 7, 8}), (Extents{1, 6, 20, 42, 8}));
  EXPECT_EQ(launch({2, 3, 2, 3, 2, 3, 2, 3, 5}), (Extents{6, 6, 6, 6, 5}));
  // Ten become five, eleven six and then three.
  EXPECT_EQ(launch({2, 1, 2, 2, 2, 3, 2, 2, 3, 2}), (Extents{2, 4, 6, 4, 6}));
  EXPECT_EQ(launch({2, 1, 2, 2, 2, 3, 2, 1, 3, 2, 7}),
            (Extents{1, 1, 8, 12, 42}));
}

// What is left undefined in the paper is an error: too many threads in a block,
// which it finds at run time, and lengths that exceed an axis.
TEST(Paper, FailuresAreErrors) {
  auto failure = [](const Ints &extents) {
    Mapping mapping = llvm::cantFail(jingExt(denseSpace(extents)));
    return llvm::toString(checkLimits(mapping, {}));
  };
  EXPECT_EQ(failure({8, 33, 32}),
            "expected at most 1024 for threads of a block, got 1056");
  EXPECT_EQ(failure({2, 2, 1, 2000}),
            "expected at most 1024 for block x, got 2000");
  EXPECT_EQ(failure({65536, 2, 2, 2}),
            "expected at most 65535 for grid y, got 65536");
  EXPECT_EQ(failure({65536, 2, 2, 2, 2}),
            "expected at most 65535 for grid z, got 65536");
  EXPECT_EQ(failure({1, 2, 2, 40, 3, 20, 33}),
            "expected at most 1024 for threads of a block, got 1980");
}
