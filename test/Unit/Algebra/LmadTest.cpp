//===- LmadTest.cpp - LMADs against their points --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables at the head of Lmad.h, the law of composition at every index, and
// each question against the points themselves: never wrong where it is
// conservative.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Lmad.h"
#include "Samples.h"

#include <random>
#include <set>

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

/// The index function, by the definition.
static int64_t at(const Lmad &lmad, const Ints &index) {
  int64_t position = lmad.offset;
  for (auto [i, stride] : llvm::zip_equal(index, lmad.strides))
    position += i * stride;
  return position;
}

/// The point set, by the definition; `count` index vectors reach it.
static std::set<int64_t> pointsOf(const Lmad &lmad, unsigned &count) {
  std::set<int64_t> points;
  count = 0;
  forEachIndex(lmad.sizes, [&](const Ints &index) {
    points.insert(at(lmad, index));
    ++count;
  });
  return points;
}

static AffineMap mapOf(unsigned numDims, ArrayRef<AffineExpr> results) {
  return AffineMap::get(numDims, /*symbolCount=*/0, results, context());
}

static void expectParts(const std::optional<Lmad> &lmad, int64_t offset,
                        const Ints &sizes, const Ints &strides) {
  ASSERT_TRUE(lmad.has_value());
  EXPECT_EQ(lmad->offset, offset);
  EXPECT_EQ(Ints(lmad->sizes.begin(), lmad->sizes.end()), sizes);
  EXPECT_EQ(Ints(lmad->strides.begin(), lmad->strides.end()), strides);
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

TEST(Lmad, TableOfAContraction) {
  AffineExpr a = dim(0), b = dim(1), q = dim(2);
  Ints extents = {8, 16, 4};
  expectParts(compose(Lmad(0, {8, 4}, {4, 1}), mapOf(3, {a, q}), extents), 0,
              extents, {4, 0, 1});
  expectParts(compose(Lmad(0, {4, 16}, {16, 1}), mapOf(3, {q, b}), extents), 0,
              extents, {0, 1, 16});
  expectParts(compose(Lmad(0, {8, 16}, {16, 1}), mapOf(3, {a, b}), extents), 0,
              extents, {16, 1, 0});
}

TEST(Lmad, TableOfReadings) {
  AffineExpr i = dim(0), j = dim(1);
  Lmad t(0, {6, 6}, {6, 1}), v(0, {8}, {1});
  auto expectReading = [](const Lmad &layout, ArrayRef<AffineExpr> subscripts,
                          int64_t offset, const Ints &sizes,
                          const Ints &strides) {
    expectParts(compose(layout, mapOf(sizes.size(), subscripts), sizes), offset,
                sizes, strides);
  };
  expectReading(t, {j, i}, 0, {6, 6}, {1, 6});
  expectReading(t, {i * 2 + 2, j}, 12, {2, 6}, {12, 1});
  expectReading(t, {i, constant(1)}, 1, {6}, {6});
  expectReading(t, {i, i}, 0, {6}, {7});
  expectReading(t, {5 - i, j}, 30, {6, 6}, {-6, 1});
  expectReading(v, {j}, 0, {6, 8}, {0, 1});
  expectReading(v, {i + j}, 0, {6, 3}, {1, 1});
  expectReading(t, {i + 2, j + 2}, 14, {4, 4}, {6, 1});
}

TEST(Lmad, ComposeReadsThroughTheMap) {
  // Row-major, permuted, padded, overlapping, reversed, broadcast, empty.
  const Lmad layouts[] = {{5, {}, {}},
                          {3, {4}, {2}},
                          {0, {5}, {-1}},
                          {0, {3, 4}, {4, 1}},
                          {7, {4, 3}, {1, 4}},
                          {100, {3, 3}, {-10, 3}},
                          {0, {4, 3}, {1, 1}},
                          {5, {2, 3, 4}, {12, 4, 1}},
                          {0, {2, 3, 4}, {0, 5, 1}},
                          {0, {2, 0, 3}, {3, 3, 1}},
                          {1, {2, 2, 3, 2}, {13, 6, 2, 1}}};
  Ints box = {2, 3, 2};
  for (const Lmad &layout : layouts) {
    // Iterators (i, j, r): j is read by nothing, axis k by i + k * r + 1.
    SmallVector<AffineExpr> subscripts;
    for (unsigned k = 0; k < layout.sizes.size(); ++k)
      subscripts.push_back(dim(0) + dim(2) * k + 1);
    std::optional<Lmad> access = compose(layout, mapOf(3, subscripts), box);
    ASSERT_TRUE(access.has_value());
    EXPECT_EQ(Ints(access->sizes.begin(), access->sizes.end()), box);
    forEachIndex(box, [&](const Ints &i) {
      Ints read;
      for (unsigned k = 0; k < layout.sizes.size(); ++k)
        read.push_back(i[0] + i[2] * k + 1);
      EXPECT_EQ(at(*access, i), at(layout, read));
    });
  }
}

TEST(Lmad, ComposeRefusesWhatHasNoStride) {
  Lmad line(0, {8}, {1}), far(0, {2, 2}, {INT64_MAX, INT64_MAX});
  EXPECT_FALSE(compose(line, mapOf(1, {dim(0).floorDiv(2)}), {4}));
  EXPECT_FALSE(
      compose(line, AffineMap::get(1, 1, dim(0) * symbol(0), context()), {4}));
  EXPECT_FALSE(compose(far, mapOf(1, {dim(0), dim(0)}), {1}));
  EXPECT_FALSE(compose(far, mapOf(1, {dim(0) + 1, dim(0) + 1}), {1}));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

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
    lmads.emplace_back(pick(-10, 10), sizes, strides);
  }
  return lmads;
}

TEST(Lmad, InjectivityIsNeverClaimedWrongly) {
  unsigned claimed = 0, injective = 0;
  for (const Lmad &lmad : randomLmads(2000, 4)) {
    unsigned count;
    bool truth = pointsOf(lmad, count).size() == count;
    bool claim = isInjective(lmad);
    EXPECT_TRUE(truth || !claim);
    if (lmad.sizes.size() <= 1) {
      EXPECT_EQ(claim, truth);
    }
    injective += truth;
    claimed += claim;
  }
  EXPECT_GT(claimed * 10, injective * 7); // and most often where it holds
}

TEST(Lmad, InjectivityDoesNotOverflow) {
  EXPECT_TRUE(isInjective(Lmad(0, {1, 2}, {INT64_MIN, 1})));
  EXPECT_FALSE(isInjective(Lmad(0, {2}, {INT64_MIN})));
  EXPECT_FALSE(isInjective(Lmad(0, {3, 2}, {INT64_MAX - 1, INT64_MAX})));
  // Without points there are no two that meet.
  EXPECT_TRUE(isInjective(Lmad(0, {3, 0, 2}, {INT64_MIN, 1, 0})));
}

TEST(Lmad, RangeIsThatOfALinearExpression) {
  std::optional<Footprint> range = findRange(dim(0) * 3 - dim(1) + 5, {4, 6});
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->min, 0);
  EXPECT_EQ(range->max, 14);
  EXPECT_FALSE(findRange(dim(0) % 2, {4}));
  EXPECT_FALSE(findRange(dim(0), {0}));
  EXPECT_FALSE(findRange(dim(0) + INT64_MAX, {2}));
}

TEST(Lmad, FootprintIsTheLeastAndGreatestPoint) {
  for (const Lmad &lmad : randomLmads(500, 5)) {
    unsigned count;
    std::set<int64_t> points = pointsOf(lmad, count);
    EXPECT_EQ(isEmpty(lmad), points.empty());
    std::optional<Footprint> print = footprint(lmad);
    ASSERT_EQ(print.has_value(), !points.empty());
    if (print) {
      EXPECT_EQ(print->min, *points.begin());
      EXPECT_EQ(print->max, *points.rbegin());
    }
  }
  EXPECT_FALSE(footprint(Lmad(3, {3}, {INT64_MAX / 2})));
  EXPECT_FALSE(footprint(Lmad(0, {INT64_MAX}, {2})));
}
