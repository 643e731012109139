//===- TilesTest.cpp - Shared-memory tiles --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "tc/Analysis/Tiles.h"

#include <set>

using namespace mlir;
using namespace mlir::tc;

namespace {

ScheduleAttr getSchedule(MLIRContext &context,
                         ArrayRef<std::pair<StringRef, int64_t>> thread,
                         ArrayRef<std::pair<StringRef, int64_t>> reg,
                         ArrayRef<std::pair<StringRef, int64_t>> step) {
  auto make = [&](ArrayRef<std::pair<StringRef, int64_t>> list) {
    return llvm::map_to_vector(list, [&](auto pair) {
      return Factor{StringAttr::get(&context, pair.first), pair.second};
    });
  };
  return ScheduleAttr::get(&context, make(thread), make(reg), make(step),
                           Kernel::Fma);
}

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

/// Thesis, equations 19 to 23, written out: dimensions from `split` on have a
/// size together, made odd when it is even; the others lie that far apart.
SmallVector<int64_t> getPaddedStrides(ArrayRef<int64_t> sizes, size_t split) {
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (d + 1 == split && split < sizes.size() && stride % 2 == 0)
      ++stride;
    strides[d] = stride;
    stride *= sizes[d];
  }
  return strides;
}

class RandomTiles : public testing::Test {
protected:
  RandomTiles() { context.loadDialect<TCDialect>(); }

  /// A tile of `rank` dimensions, of which `fastest` is walked by the fastest
  /// threads; none when it is the rank.
  StageTile getTile(std::mt19937_64 &random, unsigned rank, unsigned fastest) {
    static constexpr StringRef names[] = {"a", "b", "c", "d", "e"};
    SmallVector<std::pair<StringRef, int64_t>> thread, reg, step;
    for (unsigned d = 0; d < rank; ++d) {
      bool contracted = d != fastest && random() % 3 == 0;
      if (contracted) {
        step.emplace_back(names[d], 1 + random() % 6);
        continue;
      }
      if (d != fastest)
        thread.emplace_back(names[d], 1 + random() % 3);
      reg.emplace_back(names[d], 1 + random() % 3);
    }
    if (fastest < rank)
      thread.emplace_back(names[fastest], 1 + random() % 4);
    else
      thread.emplace_back("elsewhere", 8);
    return getStageTile(getSchedule(context, thread, reg, step),
                        ArrayRef(names).take_front(rank), &context);
  }

  MLIRContext context;
};

TEST_F(RandomTiles, NeverOverlapAndFit) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 400; ++run) {
    unsigned rank = random() % 6, fastest = random() % (rank + 1);
    StageTile tile = getTile(random, rank, fastest);
    std::vector<int64_t> positions = getPositions(tile);
    std::set<int64_t> distinct(positions.begin(), positions.end());
    EXPECT_EQ(distinct.size(), positions.size());
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LT(*distinct.rbegin(), tile.elements);
  }
}

TEST_F(RandomTiles, ArePaddedByTheRule) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 400; ++run) {
    unsigned rank = random() % 6, fastest = random() % (rank + 1);
    StageTile tile = getTile(random, rank, fastest);
    EXPECT_EQ(tile.strides, getPaddedStrides(tile.sizes, fastest + 1));
    // What lanes step over is odd, so that they fall into different banks.
    if (fastest + 1 < rank) {
      EXPECT_EQ(tile.strides[fastest] % 2, 1);
    }
  }
}

TEST(TilesTest, HaveTheSizesOfTheSchedule) {
  MLIRContext context;
  context.loadDialect<TCDialect>();
  ScheduleAttr schedule =
      getSchedule(context, {{"i", 4}, {"j", 8}}, {{"j", 2}}, {{"q", 6}});
  StageTile tile = getStageTile(schedule, {"j", "q"}, &context);
  EXPECT_EQ(tile.sizes, (SmallVector<int64_t>{16, 6}));
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{7, 1}));
  EXPECT_EQ(tile.elements, 112);
  tile = getStageTile(schedule, {"i", "q"}, &context);
  EXPECT_EQ(tile.strides, (SmallVector<int64_t>{6, 1}));
  tile = getStageTile(schedule, {}, &context);
  EXPECT_EQ(tile.elements, 1);
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
  FailureOr<ContractAccess> access = getContractAccess(op);
  ASSERT_TRUE(succeeded(access));
  // By the size of the stride, whatever its sign.
  EXPECT_EQ(getTileOrder(op, schedule, access->inputs[0]),
            (SmallVector<unsigned>{2, 1, 0}));
  // Iterators the operand does not vary with are not there.
  EXPECT_EQ(getTileOrder(op, schedule, access->output()),
            (SmallVector<unsigned>{0, 2}));
}

} // namespace
