//===- UnrollingTest.cpp - Loops are unrolled as far as code stays small --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Unrolling.h"

#include "gmock/gmock.h"

#include <limits>

using namespace mlir::tc;
using testing::ElementsAre;

namespace {

TEST(UnrollingTest, UnrollsWholeLoopsFromTheInside) {
  EXPECT_THAT(getUnrollCounts(64, {8}, 0), ElementsAre(8));
  EXPECT_THAT(getUnrollCounts(64, {2, 4}, 0), ElementsAre(2, 4));
  EXPECT_THAT(getUnrollCounts(1, {4, 5, 6}, 0), ElementsAre(4, 5, 6));
}

TEST(UnrollingTest, StopsWhereTheBodyWouldBeLarge) {
  EXPECT_THAT(getUnrollCounts(64, {16}, 0), ElementsAre(8));
  EXPECT_THAT(getUnrollCounts(64, {4, 8}, 0), ElementsAre(1, 8));
  EXPECT_THAT(getUnrollCounts(288, {2, 8}, 0), ElementsAre(1, 2));
  // Four times as far where accumulators leave room for few warps.
  EXPECT_THAT(getUnrollCounts(288, {2, 8}, 127), ElementsAre(1, 2));
  EXPECT_THAT(getUnrollCounts(288, {2, 8}, 128), ElementsAre(1, 8));
  EXPECT_THAT(getUnrollCounts(5000, {2, 8}, 0), ElementsAre(1, 1));
}

TEST(UnrollingTest, LeavesNoRestWhereThatIsCheap) {
  EXPECT_THAT(getUnrollCounts(64, {12}, 0), ElementsAre(6));
  // 13 has no divisors: the last three are for a loop of their own.
  EXPECT_THAT(getUnrollCounts(64, {13}, 0), ElementsAre(10));
}

TEST(UnrollingTest, TakesAnyExtent) {
  EXPECT_THAT(getUnrollCounts(1, {}, 0), ElementsAre());
  EXPECT_THAT(getUnrollCounts(0, {0, 1}, 0), ElementsAre(1, 1));
  int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(getUnrollCounts(most, {most, most}, 0), ElementsAre(1, 1));
  EXPECT_THAT(getUnrollCounts(1, {4, int64_t(1) << 40}, 0),
              ElementsAre(1, 512));
}

} // namespace
