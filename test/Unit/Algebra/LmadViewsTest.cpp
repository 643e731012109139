//===- LmadViewsTest.cpp - Laws of views ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each view says what position each index of the result reaches; here it is
// asked for all of them, with constants and with symbols.
//
//===----------------------------------------------------------------------===//

#include "LmadSamples.h"
#include "tc/Algebra/LmadQueries.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

INSTANTIATE_TEST_SUITE_P(Samples, LmadLaws,
                         testing::Combine(testing::ValuesIn(lmadNumbers()),
                                          testing::Bool()));

/// `list` with `value` in place of entry `i`.
static Ints with(Ints list, unsigned i, int64_t value) {
  list[i] = value;
  return list;
}
static Ints without(Ints list, unsigned i) {
  list.erase(list.begin() + i);
  return list;
}
static Ints inserted(Ints list, unsigned i, int64_t value) {
  list.insert(list.begin() + i, value);
  return list;
}

TEST_P(LmadLaws, SliceReadsEveryStep) {
  for (unsigned k = 0; k < rank; ++k) {
    for (const Ints &cut : {Ints{1, 2, 1}, {0, 2, 2}, {2, 3, -1}, {0, 0, 1}}) {
      Lmad result =
          slice(lmad, k, number(cut[0]), number(cut[1]), number(cut[2]));
      sample.expectLaw(result, with(sizes, k, cut[1]), [&](const Ints &i) {
        return sample.at(with(i, k, cut[0] + i[k] * cut[2]));
      });
    }
  }
}

TEST_P(LmadLaws, SliceOfAllDimensionsIsSliceOfEach) {
  SmallVector<AffineExpr> ones(rank, constant(1)), twos(rank, constant(2));
  Lmad all = slice(lmad, ones, twos, ones), each = lmad;
  for (unsigned k = 0; k < rank; ++k)
    each = slice(each, k, 1, 2);
  EXPECT_EQ(all, each);
}

TEST_P(LmadLaws, FixDimReadsOneIndex) {
  for (unsigned k = 0; k < rank; ++k) {
    Lmad result = fixDim(lmad, k, number(2));
    sample.expectLaw(result, without(sizes, k), [&](const Ints &i) {
      return sample.at(inserted(i, k, 2));
    });
  }
}

TEST_P(LmadLaws, PermuteReordersIndices) {
  SmallVector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0);
  do {
    Ints resultSizes;
    for (unsigned from : order)
      resultSizes.push_back(sizes[from]);
    sample.expectLaw(permute(lmad, order), resultSizes, [&](const Ints &i) {
      Ints original(rank);
      for (unsigned k = 0; k < rank; ++k)
        original[order[k]] = i[k];
      return sample.at(original);
    });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(LmadLaws, BroadcastIgnoresItsIndex) {
  for (unsigned k = 0; k <= rank; ++k)
    sample.expectLaw(broadcast(lmad, k, number(3)), inserted(sizes, k, 3),
                     [&](const Ints &i) { return sample.at(without(i, k)); });
}

TEST_P(LmadLaws, DiagonalReadsBothAtOneIndex) {
  for (unsigned a = 0; a < rank; ++a) {
    for (unsigned b = 0; b < rank; ++b) {
      if (a == b)
        continue;
      std::optional<Lmad> result = diagonal(lmad, a, b);
      if (symbolic) {
        // Two symbols are not proven equal, whatever their values are.
        EXPECT_FALSE(result.has_value());
        continue;
      }
      ASSERT_TRUE(result.has_value());
      unsigned low = std::min(a, b), high = std::max(a, b);
      Ints resultSizes =
          with(without(sizes, high), low, std::min(sizes[a], sizes[b]));
      sample.expectLaw(*result, resultSizes, [&](const Ints &i) {
        return sample.at(inserted(i, high, i[low]));
      });
    }
  }
}

TEST_P(LmadLaws, WindowAddsItsTwoIndices) {
  for (unsigned k = 0; k < rank; ++k) {
    for (const Ints &steps : {Ints{1, 1}, {2, 1}, {1, 3}}) {
      Lmad result = window(lmad, k, number(2), number(3), number(steps[0]),
                           number(steps[1]));
      Ints resultSizes = inserted(with(sizes, k, 2), k + 1, 3);
      sample.expectLaw(result, resultSizes, [&](const Ints &i) {
        int64_t read = i[k] * steps[0] + i[k + 1] * steps[1];
        return sample.at(without(with(i, k, read), k + 1));
      });
    }
  }
}

TEST_P(LmadLaws, ReverseReadsBackwards) {
  for (unsigned k = 0; k < rank; ++k) {
    Lmad result = reverse(lmad, k);
    sample.expectLaw(result, sizes, [&](const Ints &i) {
      return sample.at(with(i, k, sizes[k] - 1 - i[k]));
    });
    EXPECT_EQ(sample.sequence(reverse(result, k)), sample.sequence(lmad));
  }
}

TEST_P(LmadLaws, SplitDimKeepsTheSequence) {
  for (unsigned k = 0; k < rank; ++k) {
    for (int64_t inner : {1, 2, 3}) {
      std::optional<Lmad> result = splitDim(lmad, k, inner);
      bool divides = symbolic ? inner == 1 : sizes[k] % inner == 0;
      ASSERT_EQ(result.has_value(), divides);
      if (!divides)
        continue;
      EXPECT_EQ(sample.sizes(*result),
                inserted(with(sizes, k, sizes[k] / inner), k + 1, inner));
      EXPECT_EQ(sample.sequence(*result), sample.sequence(lmad));
    }
    EXPECT_FALSE(splitDim(lmad, k, 0).has_value());
    EXPECT_FALSE(splitDim(lmad, k, -1).has_value());
  }
}

TEST_P(LmadLaws, MergeDimsKeepsTheSequence) {
  for (unsigned k = 0; k + 1 < rank; ++k)
    if (std::optional<Lmad> result = mergeDims(lmad, k)) {
      EXPECT_EQ(result->rank(), rank - 1);
      EXPECT_EQ(sample.sequence(*result), sample.sequence(lmad));
    }
}

TEST_P(LmadLaws, MergeAdjacentKeepsTheSequenceAndIsANormalForm) {
  Lmad result = mergeAdjacent(lmad);
  EXPECT_EQ(sample.sequence(result), sample.sequence(lmad));
  EXPECT_EQ(mergeAdjacent(result), result);
  for (unsigned k = 0; k + 1 < result.rank(); ++k)
    EXPECT_FALSE(mergeDims(result, k).has_value());
  for (const LmadDim &dim : result.dimensions())
    EXPECT_NE(dim.staticSize(), 1);
}

TEST_P(LmadLaws, DropUnitDimsKeepsTheSequence) {
  EXPECT_EQ(sample.sequence(dropUnitDims(lmad)), sample.sequence(lmad));
}

TEST_P(LmadLaws, IndexFlatEnumeratesRowMajor) {
  Ints expected = sample.sequence(lmad);
  AffineExpr position = lmad.indexFlat(dim(0));
  for (unsigned flat = 0; flat < expected.size(); ++flat)
    EXPECT_EQ(number.at(position, {flat}), expected[flat]);
  EXPECT_EQ(number.at(lmad.numIndices()), int64_t(expected.size()));
}

TEST_P(LmadLaws, ComposeIsSubstitution) {
  // Each dimension is read at 1 + 2 * i - j over a box of 3 x 2.
  SmallVector<AffineExpr> box = number(Ints{3, 2});
  Lmad access = Lmad::get(constant(1), box, {constant(2), constant(-1)});
  SmallVector<Lmad> indices(rank, access);
  sample.expectLaw(compose(lmad, indices, box), {3, 2}, [&](const Ints &i) {
    return sample.at(Ints(rank, 1 + 2 * i[0] - i[1]));
  });
}

TEST_P(LmadLaws, ComposeWithAMapReadsThroughIt) {
  // Iterators (i, j, r): j is read by nothing, dimension k by i + k * r.
  SmallVector<AffineExpr> box = number(Ints{2, 3, 2}), results;
  for (unsigned k = 0; k < rank; ++k)
    results.push_back(dim(0) + dim(2) * k + 1);
  AffineMap map =
      AffineMap::get(3, number.symbols().size(), results, context());
  std::optional<Lmad> result = compose(lmad, map, box);
  ASSERT_TRUE(result.has_value());
  sample.expectLaw(*result, {2, 3, 2}, [&](const Ints &i) {
    Ints index;
    for (unsigned k = 0; k < rank; ++k)
      index.push_back(i[0] + i[2] * k + 1);
    return sample.at(index);
  });
}

TEST_P(LmadLaws, ComposeRefusesAMapThatIsNotLinear) {
  SmallVector<AffineExpr> results(rank, dim(0).floorDiv(2));
  AffineMap map = AffineMap::get(1, 0, results, context());
  EXPECT_FALSE(compose(lmad, map, {constant(4)}).has_value());
}

TEST_P(LmadLaws, ComposeFlatReadsRowMajorPositions) {
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  unsigned composed = 0;
  for (const LmadNumbers &inner : lmadNumbers()) {
    Lmad flat = Lmad::get(context(), inner.offset, inner.sizes, inner.strides);
    std::optional<Lmad> result = composeFlat(lmad, flat);
    if (!result)
      continue;
    ++composed;
    EXPECT_EQ(sample.sizes(*result), inner.sizes);
    AffineExpr position = lmad.indexFlat(dim(0));
    forEachIndex(inner.sizes, [&](const Ints &i) {
      int64_t at = number.at(flat.index(dimsUpTo(flat.rank())), i);
      if (at >= 0 && at < total) {
        EXPECT_EQ(sample.at(*result, i), number.at(position, {at}));
      }
    });
  }
  // One dimension is always closed under it.
  if (mergeAdjacent(lmad).rank() <= 1) {
    EXPECT_EQ(composed, lmadNumbers().size());
  }
}

TEST(LmadViews, ComposeFlatSplitsDigits) {
  // Column 2 of a padded 4 x 8 tile, by flat positions 2, 10, 18, 26.
  Lmad tile = Lmad::get(context(), 100, {4, 8}, {9, 1});
  Lmad column = Lmad::get(context(), 2, {4}, {8});
  EXPECT_EQ(composeFlat(tile, column), Lmad::get(context(), 102, {4}, {9}));
  // Backwards from the last element of a row, and two rows at a time.
  Lmad backwards = Lmad::get(context(), 7, {2, 8}, {16, -1});
  EXPECT_EQ(composeFlat(tile, backwards),
            Lmad::get(context(), 107, {2, 8}, {18, -1}));
}

TEST(LmadViews, ComposeFlatRefusesACarry) {
  Lmad tile = Lmad::get(context(), 0, {4, 8}, {9, 1});
  EXPECT_FALSE(composeFlat(tile, Lmad::get(context(), 0, {9}, {1})));
  EXPECT_FALSE(composeFlat(tile, Lmad::get(context(), 6, {2, 2}, {8, 3})));
  EXPECT_FALSE(composeFlat(tile, Lmad::get(context(), 0, {3}, {7})));
  Lmad symbolic = Lmad::get(constant(0), {symbol(0), symbol(1)},
                            {symbol(1) + 1, constant(1)});
  EXPECT_FALSE(composeFlat(symbolic, Lmad::get(context(), 0, {2}, {1})));
}

TEST(LmadViews, SymbolicDimensionsMergeWhenTheirStridesMultiply) {
  // A row-major s0 x s1 x s2, whose strides were written in another order.
  AffineExpr a = symbol(0), b = symbol(1), c = symbol(2);
  Lmad array = Lmad::get(constant(0), {a, b, c}, {c * b, c, constant(1)});
  Lmad merged = mergeAdjacent(array);
  ASSERT_EQ(merged.rank(), 1u);
  EXPECT_TRUE(isProvablyEqual(merged.size(0), a * b * c));
  EXPECT_EQ(merged.dim(0).staticStride(), 1);
  std::optional<Lmad> split = splitDim(merged, 0, b * a, c);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->stride(0), c);
  EXPECT_FALSE(splitDim(merged, 0, a, c).has_value());
}

TEST(LmadViews, DiagonalOfOneSymbolicSize) {
  AffineExpr n = symbol(0);
  std::optional<Lmad> trace =
      diagonal(rowMajor(ArrayRef<AffineExpr>{n, n}, context()), 0, 1);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->size(0), n);
  EXPECT_TRUE(isProvablyEqual(trace->stride(0), n + 1));
}

TEST(LmadViews, SplitDimOfASymbolicMultiple) {
  Lmad lmad = Lmad::get(constant(0), {symbol(0) * 8}, {constant(3)});
  std::optional<Lmad> split = splitDim(lmad, 0, 4);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->size(0), symbol(0) * 2);
  EXPECT_EQ(split->dim(0).staticStride(), 12);
}

TEST(LmadViews, SubstitutePutsValuesIn) {
  Lmad lmad = Lmad::get(dim(0) + symbol(0), {symbol(1)}, {symbol(0)});
  EXPECT_EQ(substitute(lmad, {constant(4)}, {constant(2), constant(6)}),
            Lmad::get(context(), 6, {6}, {2}));
}
