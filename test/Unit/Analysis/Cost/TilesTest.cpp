//===- TilesTest.cpp - Shared-memory tiles --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "tc/Analysis/Tiles.h"

#include <algorithm>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::tc;

namespace {

/// Positions of all index vectors of a tile.
std::vector<int64_t> getPositions(const StageTile &tile) {
  std::vector<int64_t> positions = {0};
  for (auto [size, stride] : llvm::zip_equal(tile.sizes, tile.strides)) {
    std::vector<int64_t> next;
    for (int64_t position : positions)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(position + i * stride);
    positions = std::move(next);
  }
  return positions;
}

int64_t countThreads(ArrayRef<TileDim> dims) {
  int64_t threads = 1;
  for (const TileDim &dim : dims)
    threads *= dim.threads;
  return threads;
}

class RandomTiles : public testing::Test {
protected:
  /// Dimensions of which some have threads, in a random order of those.
  SmallVector<TileDim> getDims(std::mt19937_64 &random) {
    SmallVector<TileDim> dims(random() % 6);
    SmallVector<TileDim *> order;
    for (TileDim &dim : dims) {
      dim.threads = random() % 2 ? 1 + random() % 4 : 1;
      dim.size = dim.threads * (1 + random() % 4);
      order.push_back(&dim);
    }
    std::shuffle(order.begin(), order.end(), random);
    int64_t faster = 1;
    for (TileDim *dim : order) {
      dim->threadStride = faster;
      faster *= dim->threads;
    }
    return dims;
  }
};

TEST_F(RandomTiles, NeverOverlapAndFit) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 400; ++run) {
    SmallVector<TileDim> dims = getDims(random);
    StageTile tile = getStageTile(dims, 4, countThreads(dims));
    std::vector<int64_t> positions = getPositions(tile);
    std::set<int64_t> distinct(positions.begin(), positions.end());
    EXPECT_EQ(distinct.size(), positions.size());
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LT(*distinct.rbegin(), tile.elements);
  }
}

TEST_F(RandomTiles, KeepChunksWhole) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 400; ++run) {
    SmallVector<TileDim> dims = getDims(random);
    StageTile tile = getStageTile(dims, 4, countThreads(dims));
    if (tile.chunk == 1)
      continue;
    EXPECT_EQ(tile.chunk, tile.sizes.back());
    EXPECT_EQ(tile.strides.back(), 1);
    for (int64_t stride : ArrayRef(tile.strides).drop_back())
      EXPECT_EQ(stride % tile.chunk, 0);
  }
}

TEST(TilesTest, PadWhereLanesCollide) {
  // 32 threads along rows of 32: a column is one bank, unless rows are odd.
  StageTile tile = getStageTile({{32, 32, 1}, {32, 1, 1}}, 4, 32);
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{33, 1}));
  EXPECT_EQ(tile.elements, 32 * 33);
  // 32 requests fill, 32 read; none collides.
  EXPECT_EQ(tile.wavefronts, 64);
  // Threads along the row: nothing to pad.
  tile = getStageTile({{32, 1, 1}, {32, 32, 1}}, 4, 32);
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{32, 1}));
  EXPECT_EQ(tile.wavefronts, 64);
}

TEST(TilesTest, PadByWholeChunks) {
  // 8 threads along rows of 4 chunks of 16 bytes: rows 5 chunks apart read
  // without collisions, by quarters of a warp.
  StageTile tile = getStageTile({{32, 32, 1}, {4, 1, 1}, {4, 1, 1}}, 4, 32);
  EXPECT_EQ(tile.chunk, 4);
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{20, 4, 1}));
  // Chunks that are rows of their own need no gap.
  tile = getStageTile({{4, 1, 1}, {32, 32, 1}, {4, 1, 1}}, 4, 32);
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{128, 4, 1}));
  EXPECT_EQ(tile.wavefronts, 16 + 16);
}

TEST(TilesTest, OfNothingIsOneElement) {
  StageTile tile = getStageTile({}, 4, 32);
  EXPECT_EQ(tile.elements, 1);
  EXPECT_EQ(tile.chunk, 1);
}

TEST(TilesTest, TakeVectorsAsDimensions) {
  Program program(
      {"memref<24x64xf32>", "memref<64xf32>"},
      "tc.contract (i = 64, q = 24) "
      "ins(%0[q, i] : memref<24x64xf32>) outs(%1[i] : "
      "memref<64xf32>) {schedule = #tc.schedule<thread = [i = 8], "
      "register = [i = 2], step = [q = 6], vector = [i = 4, q = 2], "
      "kernel = fma>}");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(access));
  SmallVector<TileDim> dims =
      getTileDims(program.op, program.op.getScheduleAttr(), access->inputs[0]);
  ASSERT_EQ(dims.size(), 4u);
  EXPECT_EQ(dims[0].size, 3); // q, by two
  EXPECT_EQ(dims[1].size, 2);
  EXPECT_EQ(dims[2].size, 16); // i, by four
  EXPECT_EQ(dims[2].threads, 8);
  EXPECT_EQ(dims[3].size, 4);
  EXPECT_EQ(dims[3].threads, 1);
  EXPECT_EQ(getChunk(dims, 4), 4);
  EXPECT_EQ(getChunk(dims, 8), 1); // 32 bytes are too many
}

TEST(TilesTest, OfNoReuseAreReadInPlace) {
  // All 32 threads along the rows of lanes, or along rows of 16 bytes.
  EXPECT_TRUE(isReadInPlace({{8, 1, 1, 32}, {32, 32, 1, 1}}, 4, 32));
  EXPECT_TRUE(isReadInPlace({{64, 32, 1, 4}, {4, 1, 1, 1}}, 4, 32));
  // Two warps read the same; lanes go along columns; rows are apart, far from
  // their neighbours, or not known to be near.
  EXPECT_FALSE(isReadInPlace({{8, 1, 1, 32}, {32, 32, 1, 1}}, 4, 64));
  EXPECT_FALSE(isReadInPlace({{32, 32, 1, 32}, {32, 1, 1, 1}}, 4, 32));
  EXPECT_FALSE(
      isReadInPlace({{4, 4, 8, 8}, {8, 8, 1, 64}, {4, 1, 1, 1}}, 4, 32));
  EXPECT_FALSE(isReadInPlace({{64, 32, 1}, {4, 1, 1, 1}}, 4, 32));
  // One thread has no neighbours.
  EXPECT_FALSE(isReadInPlace({{8, 1, 1, 1}}, 4, 1));
}

TEST(TilesTest, AreInMemoryOrder) {
  Program program({"memref<8x6x4xf32>", "memref<4x8xf32>"},
                  "tc.contract (i = 4, j = 6, k = 8) "
                  "ins(%0[k, 5 - j, i] : memref<8x6x4xf32>) outs(%1[i, k] : "
                  "memref<4x8xf32>) {schedule = #tc.schedule<thread = [k = 8], "
                  "register = [i = 2], step = [j = 3], kernel = fma>}");
  ContractOp op = program.op;
  ScheduleAttr schedule = op.getScheduleAttr();
  EXPECT_EQ(getTileFactor(op, schedule, 0), 2);
  EXPECT_EQ(getTileFactor(op, schedule, 1), 3);
  EXPECT_EQ(getTileFactor(op, schedule, 2), 8);
  FailureOr<StrideTable> access = getStrideTable(op);
  ASSERT_TRUE(succeeded(access));
  auto getOrder = [&](const Access &operand) {
    return llvm::map_to_vector(getTileDims(op, schedule, operand),
                               [](const TileDim &dim) { return dim.iterator; });
  };
  // By the size of the stride, whatever its sign.
  EXPECT_EQ(getOrder(access->inputs[0]), (SmallVector<unsigned>{2, 1, 0}));
  // Iterators the operand does not vary with are not there.
  EXPECT_EQ(getOrder(access->output()), (SmallVector<unsigned>{0, 2}));
}

} // namespace
