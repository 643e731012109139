//===- LmadQueriesTest.cpp - Queries against enumeration ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every query against the points themselves: exact where it says so, and never
// wrong where it is conservative.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/LmadQueries.h"
#include "LmadSamples.h"

#include <random>
#include <set>

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

static Lmad of(int64_t offset, const Ints &sizes, const Ints &strides) {
  return Lmad::get(context(), offset, sizes, strides);
}

/// Random LMADs of rank up to 3 with few points.
static std::vector<Lmad> randomLmads(unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::vector<Lmad> lmads;
  for (unsigned i = 0; i < count; ++i) {
    Ints sizes, strides;
    for (int64_t rank = pick(0, 3); rank > 0; --rank) {
      sizes.push_back(pick(0, 9) == 0 ? 0 : pick(1, 4));
      strides.push_back(pick(0, 2) == 0 ? pick(-2, 2) : pick(-12, 12));
    }
    lmads.push_back(of(pick(-10, 10), sizes, strides));
  }
  return lmads;
}

TEST(LmadQueries, EnumerateIsTheIndexFunctionInOrder) {
  for (const Lmad &lmad : randomLmads(200, 1)) {
    Ints expected;
    forEachIndex(*lmad.staticSizes(), [&](const Ints &i) {
      expected.push_back(*evaluate(lmad.index(dimsUpTo(lmad.rank())), i));
    });
    std::optional<SmallVector<int64_t>> points = enumerate(lmad);
    ASSERT_TRUE(points.has_value());
    EXPECT_EQ(Ints(points->begin(), points->end()), expected);
    std::set<int64_t> set(expected.begin(), expected.end());
    EXPECT_EQ(*pointSet(lmad), SmallVector<int64_t>(set.begin(), set.end()));
  }
}

TEST(LmadQueries, EnumerateRefusesWhatIsTooMuch) {
  EXPECT_FALSE(enumerate(of(0, {1 << 11, 1 << 11}, {1, 1})));
  EXPECT_TRUE(enumerate(of(0, {1 << 11, 1 << 11, 0}, {1, 1, 1})));
  EXPECT_FALSE(enumerate(of(0, {3}, {INT64_MAX})));
  EXPECT_FALSE(enumerate(Lmad::get(constant(0), {symbol(0)}, {constant(1)})));
}

TEST(LmadQueries, ContiguityIsExactForStaticLmads) {
  unsigned dense = 0, rowMajor = 0;
  for (const Lmad &lmad : randomLmads(2000, 2)) {
    SmallVector<int64_t> points = *enumerate(lmad), set = *pointSet(lmad);
    bool counts = true;
    for (unsigned i = 0; i < points.size(); ++i)
      counts &= points[i] == *lmad.staticOffset() + i;
    bool interval =
        set.empty() || set.back() - set.front() + 1 == int64_t(set.size());
    EXPECT_EQ(isRowMajorDense(lmad), counts) << testing::PrintToString(points);
    EXPECT_EQ(isDense(lmad), interval) << testing::PrintToString(points);
    dense += interval;
    rowMajor += counts;
  }
  EXPECT_GT(dense, 100u); // the samples reach both answers
  EXPECT_GT(rowMajor, 100u);
}

TEST(LmadQueries, InnermostRunIsTheFirstStretch) {
  for (const Lmad &lmad : randomLmads(2000, 3)) {
    SmallVector<int64_t> points = *enumerate(lmad);
    int64_t run = *staticValue(innermostRun(lmad));
    for (int64_t begin = 0; begin < int64_t(points.size()); begin += run)
      for (int64_t i = 0; i < run; ++i)
        EXPECT_EQ(points[begin + i], points[begin] + i);
  }
  EXPECT_EQ(innermostRun(of(0, {2, 3, 4}, {13, 4, 1})), 12);
  EXPECT_EQ(innermostRun(of(0, {2, 3, 4}, {12, 4, 1})), 24);
  EXPECT_EQ(innermostRun(of(0, {2, 4, 1}, {1, 1, 9})), 4);
  EXPECT_EQ(innermostRun(of(0, {4}, {2})), 1);
}

TEST(LmadQueries, InjectivityIsNeverClaimedWrongly) {
  unsigned claimed = 0, injective = 0;
  for (const Lmad &lmad : randomLmads(2000, 4)) {
    bool truth = enumerate(lmad)->size() == pointSet(lmad)->size();
    EXPECT_TRUE(truth || !isInjective(lmad));
    if (lmad.rank() <= 1) {
      EXPECT_EQ(isInjective(lmad), truth);
    }
    injective += truth;
    claimed += isInjective(lmad);
  }
  EXPECT_GT(claimed * 10, injective * 7); // and most often where it holds
}

TEST(LmadQueries, FootprintIsTheLeastAndGreatestPoint) {
  for (const Lmad &lmad : randomLmads(500, 5)) {
    SmallVector<int64_t> set = *pointSet(lmad);
    std::optional<Footprint> print = footprint(lmad);
    ASSERT_EQ(print.has_value(), !set.empty());
    if (print) {
      EXPECT_EQ(staticValue(print->min), set.front());
      EXPECT_EQ(staticValue(print->max), set.back());
    }
  }
  EXPECT_FALSE(footprint(of(3, {3}, {INT64_MAX / 2})));
  EXPECT_FALSE(footprint(of(0, {INT64_MAX}, {2})));
}

TEST(LmadQueries, SymbolicFootprintNeedsSigns) {
  AffineExpr n = symbol(0), m = symbol(1);
  Lmad array = rowMajor({n, m}, context());
  EXPECT_FALSE(footprint(array));
  std::optional<Footprint> print = footprint(array, Symbols::NonNegative);
  ASSERT_TRUE(print.has_value());
  EXPECT_EQ(staticValue(print->min), 0);
  EXPECT_TRUE(isProvablyEqual(print->max, n * m - 1));
  print = footprint(reverse(array, 0), Symbols::NonNegative);
  ASSERT_TRUE(print.has_value());
  EXPECT_TRUE(isProvablyEqual(print->min, constant(0)));
  EXPECT_TRUE(isProvablyEqual(print->max, n * m - 1));
  // The sign of s0 - s1 is not known even so.
  Lmad unknown = Lmad::get(constant(0), {n}, {n - m});
  EXPECT_FALSE(footprint(unknown, Symbols::NonNegative));
}

TEST(LmadQueries, DisjointnessIsNeverClaimedWrongly) {
  std::vector<Lmad> lmads = randomLmads(250, 6);
  unsigned claimed = 0, disjoint = 0;
  for (const Lmad &a : lmads) {
    SmallVector<int64_t> left = *pointSet(a);
    std::set<int64_t> points(left.begin(), left.end());
    for (const Lmad &b : lmads) {
      bool truth = llvm::none_of(*pointSet(b), [&](int64_t point) {
        return points.count(point) != 0;
      });
      bool claim = areDisjoint(a, b);
      EXPECT_TRUE(truth || !claim);
      EXPECT_EQ(claim, areDisjoint(b, a));
      claimed += claim;
      disjoint += truth;
    }
  }
  EXPECT_GT(claimed * 10, disjoint * 5); // and often where it holds
}

TEST(LmadQueries, DisjointByEachTest) {
  // By intervals, by the divisor, and by levels.
  EXPECT_TRUE(areDisjoint(of(0, {8}, {1}), of(8, {8}, {1})));
  EXPECT_TRUE(areDisjoint(of(0, {9}, {2}), of(1, {9}, {2})));
  Lmad left = of(0, {16, 16}, {64, 1}), right = of(16, {16, 16}, {64, 1});
  EXPECT_TRUE(areDisjoint(left, right));
  EXPECT_TRUE(areDisjoint(right, left));
  EXPECT_FALSE(areDisjoint(left, of(15, {16, 16}, {64, 1})));
  // Tiles of different shapes, one of them walked backwards.
  EXPECT_TRUE(areDisjoint(of(0, {4, 16}, {64, 1}), of(23, {9, 8}, {64, -1})));
}

TEST(LmadQueries, SymbolicDisjointness) {
  AffineExpr n = symbol(0);
  // Even and odd elements of any length, at any offset.
  Lmad even = Lmad::get(dim(0) * n, {n}, {constant(2)});
  Lmad odd = Lmad::get(n * dim(0) + 1, {n}, {constant(4)});
  EXPECT_TRUE(areDisjoint(even, odd));
  EXPECT_FALSE(areDisjoint(even, Lmad::get(dim(0), {n}, {constant(2)})));
  // Constant tiles at a symbolic offset.
  Lmad first = Lmad::get(n, {constant(8)}, {constant(1)});
  Lmad second = Lmad::get(n + 8, {constant(8)}, {constant(1)});
  EXPECT_TRUE(areDisjoint(first, second));
  EXPECT_FALSE(areDisjoint(first, first));
}

TEST(LmadQueries, SymbolicRowMajorArraysInAnyOrder) {
  AffineExpr n = symbol(0), m = symbol(1);
  Lmad array = rowMajor({n, m, constant(3)}, context());
  EXPECT_TRUE(isRowMajorDense(array));
  Lmad other = reverse(permute(array, {2, 0, 1}), 1);
  EXPECT_FALSE(isRowMajorDense(other));
  EXPECT_TRUE(isDense(other));
  EXPECT_TRUE(isInjective(other));
  EXPECT_TRUE(isDense(broadcast(other, 1, n)));
  EXPECT_FALSE(isInjective(broadcast(other, 1, n)));
  EXPECT_FALSE(isDense(slice(array, 1, 0, 2)));
  EXPECT_TRUE(isProvablyEqual(innermostRun(array), n * m * 3));
}

TEST(LmadQueries, UnitStrideDim) {
  EXPECT_EQ(unitStrideDim(of(0, {4, 8, 1}, {1, 4, 1})), 0u);
  EXPECT_EQ(unitStrideDim(of(0, {4, 8}, {1, 1})), 1u);
  EXPECT_EQ(unitStrideDim(of(0, {4, 8}, {16, 2})), std::nullopt);
}

TEST(LmadQueries, KnownAlignment) {
  EXPECT_EQ(knownAlignment(of(8, {4, 8}, {12, 1}), 1), 4);
  EXPECT_EQ(knownAlignment(of(8, {4, 8}, {12, 1})), 1);
  EXPECT_EQ(knownAlignment(of(0, {8}, {1}), 0), 0);
  EXPECT_EQ(knownAlignment(of(0, {1, 8}, {3, 1}), 1), 0);
  Lmad symbolic = Lmad::get(dim(0) * 4, {symbol(0), constant(8)},
                            {symbol(1) * 6, constant(1)});
  EXPECT_EQ(knownAlignment(symbolic, 1), 2);
}
