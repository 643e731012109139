//===- CopyTeamTest.cpp - Which threads copy a tile -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/CopyTeam.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

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

/// 60 rows of 28 words and 60 of 140 words: the latter are longer than a round,
/// and split into parts of 28.
TEST(CopyTeam, SplitsLongRows) {
  CopyTeam team = getCopyTeam({12, 140}, 120, 4);
  EXPECT_EQ(team.along, (Sizes{4, 28}));
  EXPECT_EQ(team.countRounds(), 15);
}

/// 8 rows of 12 doubles each: a part of 4 would be a regular team, but asks for
/// three times as many lines.
TEST(CopyTeam, LeavesShortRowsWhole) {
  EXPECT_FALSE(getCopyTeam({8, 12, 12}, 128, 8).isRegular());
  EXPECT_TRUE(getCopyTeam({8, 12, 12}, 128, 32).isRegular());
}

/// What one round does has a place for each thread anyway.
TEST(CopyTeam, OneRoundIsLinear) {
  EXPECT_FALSE(getCopyTeam({7, 9}, 64, 4).isRegular());
  EXPECT_FALSE(getCopyTeam({}, 64, 4).isRegular());
}

/// More rounds are not written out.
TEST(CopyTeam, ManyRoundsAreLinear) {
  EXPECT_FALSE(getCopyTeam({17, 64}, 64, 4).isRegular());
  EXPECT_TRUE(getCopyTeam({16, 64}, 64, 4).isRegular());
}

/// Each chunk of a tile is copied once, by few more rounds than all threads
/// take.
TEST(CopyTeam, RandomTeamsCoverTiles) {
  std::mt19937 random(7);
  auto draw = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, most)(random);
  };
  unsigned regular = 0;
  for (unsigned turn = 0; turn < 4000; ++turn) {
    Sizes sizes;
    for (int64_t d = 0, rank = draw(3); d < rank; ++d)
      sizes.push_back(draw(rank == 1 ? 600 : 40));
    int64_t threads = draw(256), bytes = int64_t(4) << (draw(3) - 1);
    CopyTeam team = getCopyTeam(sizes, threads, bytes);
    if (!team.isRegular())
      continue;
    ++regular;
    ASSERT_LE(team.threads, threads);
    ASSERT_EQ(team.threads, llvm::product_of(team.along, int64_t(1)));
    int64_t least =
        llvm::divideCeil(llvm::product_of(sizes, int64_t(1)), threads);
    ASSERT_LE(8 * team.countRounds(), 9 * least);
    // Along a dimension, `along` threads go as many further in each round.
    for (size_t d = 0; d < sizes.size(); ++d) {
      ASSERT_LE(sizes[d], team.along[d] * team.countRounds(d));
      ASSERT_GT(sizes[d], team.along[d] * (team.countRounds(d) - 1));
    }
  }
  EXPECT_GT(regular, 1000u);
}
