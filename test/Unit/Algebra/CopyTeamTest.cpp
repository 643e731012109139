//===- CopyTeamTest.cpp - Which threads copy a tile -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/CopyTeam.h"

#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>
#include <set>
#include <vector>

using namespace mlir;
using namespace mlir::tc;

using Sizes = SmallVector<int64_t>;

/// Rows of 9 words are whole in a round: 27 of them by 243 of 250 threads.
TEST(CopyTeam, LeavesThreadsOutForWholeRows) {
  CopyTeam team = getCopyTeam({125, 9}, 250, 4);
  EXPECT_EQ(team.along, (Sizes{27, 9}));
  EXPECT_EQ(team.threads, 243);
  EXPECT_EQ(team.countRounds(), 5);
}

/// Where all threads copy whole rows nothing is better.
TEST(CopyTeam, TakesAllThreadsWhereRowsDivide) {
  CopyTeam team = getCopyTeam({16, 32}, 128, 16);
  EXPECT_EQ(team.along, (Sizes{4, 32}));
  EXPECT_EQ(team.threads, 128);
}

/// Rows of 140 words are longer than a round of 120: each is split into 5 parts
/// of 28.
TEST(CopyTeam, SplitsLongRows) {
  CopyTeam team = getCopyTeam({12, 140}, 120, 4);
  EXPECT_EQ(team.along, (Sizes{4, 28}));
  EXPECT_EQ(team.countRounds(), 15);
}

/// 8 rows of 12 doubles each: parts of 4 would keep all threads busy, but ask
/// for three times as many lines.
TEST(CopyTeam, LeavesShortRowsWhole) {
  EXPECT_EQ(getCopyTeam({8, 12, 12}, 128, 8).along, (Sizes{2, 4, 12}));
  EXPECT_EQ(getCopyTeam({8, 12, 12}, 128, 32).along, (Sizes{8, 4, 4}));
}

/// 33 threads are two warps, which would copy rows of 33 almost twice as often.
TEST(CopyTeam, CountsWarpsThatCopy) {
  EXPECT_FALSE(getCopyTeam({20, 33}, 64, 2).isRegular());
  EXPECT_EQ(getCopyTeam({20, 32}, 40, 2).along, (Sizes{1, 32}));
}

/// What one round does has a place for each thread anyway.
TEST(CopyTeam, OneRoundIsLinear) {
  EXPECT_FALSE(getCopyTeam({7, 9}, 64, 4).isRegular());
  EXPECT_FALSE(getCopyTeam({}, 64, 4).isRegular());
}

/// More rounds are a loop.
TEST(CopyTeam, ManyRoundsAreLinear) {
  EXPECT_FALSE(getCopyTeam({65, 64}, 64, 4).isRegular());
  EXPECT_TRUE(getCopyTeam({64, 64}, 64, 4).isRegular());
}

static void expectEachChunkOnce(const CopyTeam &team) {
  std::set<std::vector<int64_t>> copied;
  int64_t copies = 0;
  for (int64_t round = 0; round < team.countRounds(); ++round)
    for (int64_t warp = 0; warp < team.threads; warp += kWarpSize) {
      int64_t lanes = std::min(kWarpSize, team.threads - warp);
      std::vector<std::vector<int64_t>> chunks(lanes);
      for (size_t d = 0; d < team.sizes.size(); ++d)
        for (auto [chunk, place] :
             llvm::zip_equal(chunks, team.getPlaces(d, warp, lanes, round)))
          chunk.push_back(place);
      for (const std::vector<int64_t> &chunk : chunks) {
        bool rests = false;
        for (auto [place, size] : llvm::zip_equal(chunk, team.sizes))
          rests |= place >= size;
        if (rests)
          continue;
        ++copies;
        copied.insert(chunk);
      }
    }
  int64_t chunks = llvm::product_of(team.sizes, int64_t(1));
  ASSERT_EQ(copies, chunks);
  ASSERT_EQ(int64_t(copied.size()), chunks);
}

/// Each chunk of a tile is copied once, by few more requests than all threads
/// make.
TEST(CopyTeam, RandomTeamsCoverTiles) {
  std::mt19937 random(7);
  auto draw = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, most)(random);
  };
  unsigned regular = 0;
  for (unsigned turn = 0; turn < 2000; ++turn) {
    Sizes sizes;
    for (int64_t d = 0, rank = draw(3); d < rank; ++d)
      sizes.push_back(draw(rank == 1 ? 600 : 16));
    int64_t threads = draw(256), bytes = int64_t(4) << (draw(3) - 1);
    CopyTeam team = getCopyTeam(sizes, threads, bytes);
    expectEachChunkOnce(team);
    if (!team.isRegular())
      continue;
    ++regular;
    ASSERT_LE(team.threads, threads);
    ASSERT_EQ(team.threads, llvm::product_of(team.along, int64_t(1)));
    auto countRequests = [](const CopyTeam &team) {
      return team.countRounds() * llvm::divideCeil(team.threads, int64_t(32));
    };
    ASSERT_LE(8 * countRequests(team),
              9 * countRequests({team.sizes, {}, threads}));
  }
  EXPECT_GT(regular, 500u);
}
