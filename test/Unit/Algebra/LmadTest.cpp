//===- LmadTest.cpp - The LMAD itself -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Construction, printing, verification, row-major and padded layouts, and the
// table at the head of Lmad.h.
//
//===----------------------------------------------------------------------===//

#include "LmadSamples.h"
#include "tc/Algebra/LmadQueries.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

static Lmad of(int64_t offset, const Ints &sizes, const Ints &strides) {
  return Lmad::get(context(), offset, sizes, strides);
}

static std::string print(const Lmad &lmad) {
  std::string text;
  llvm::raw_string_ostream(text) << lmad;
  return text;
}

/// The message of `Lmad::verify`; empty when it succeeds.
static std::string verify(ArrayRef<AffineExpr> sizes,
                          ArrayRef<AffineExpr> strides) {
  return llvm::toString(Lmad::verify(constant(0), sizes, strides));
}

TEST(Lmad, KnowsItsStaticParts) {
  Lmad lmad = of(3, {4, 5}, {10, -1});
  EXPECT_TRUE(lmad.isStatic());
  EXPECT_EQ(lmad.rank(), 2u);
  EXPECT_EQ(lmad.staticOffset(), 3);
  EXPECT_EQ(lmad.staticSizes(), (SmallVector<int64_t>{4, 5}));
  EXPECT_EQ(lmad.staticStrides(), (SmallVector<int64_t>{10, -1}));
  Lmad symbolic = Lmad::get(constant(0), {symbol(0)}, {constant(2)});
  EXPECT_FALSE(symbolic.isStatic());
  EXPECT_EQ(symbolic.staticSizes(), std::nullopt);
  EXPECT_EQ(symbolic.dim(0).staticStride(), 2);
}

TEST(Lmad, ComparesAndHashesByValue) {
  EXPECT_EQ(of(1, {2}, {3}), of(1, {2}, {3}));
  EXPECT_NE(of(1, {2}, {3}), of(1, {2}, {4}));
  EXPECT_EQ(hash_value(of(1, {2}, {3})), hash_value(of(1, {2}, {3})));
}

TEST(Lmad, Prints) {
  EXPECT_EQ(print(of(8, {16, 2}, {256, -1})), "8 + [16 : 256, 2 : -1]");
  EXPECT_EQ(print(Lmad::point(constant(5))), "5 + []");
  EXPECT_EQ(print(Lmad::get(dim(0), {symbol(0)}, {symbol(1)})),
            "d0 + [s0 : s1]");
}

TEST(Lmad, VerifiesItsParts) {
  EXPECT_EQ(verify({constant(2)}, {symbol(0)}), "");
  EXPECT_EQ(verify({constant(2)}, {}),
            "expected as many strides as sizes, got 0 strides and 1 sizes");
  EXPECT_EQ(verify({constant(1), constant(-2)}, {constant(1), constant(1)}),
            "expected size 1 to be at least 0, got -2");
  EXPECT_EQ(verify({dim(0)}, {constant(1)}),
            "expected size 0 over constants and symbols");
  EXPECT_EQ(verify({constant(1)}, {dim(0)}),
            "expected stride 0 over constants and symbols");
}

TEST(Lmad, RowMajorCountsUp) {
  EXPECT_EQ(rowMajor({2, 3, 4}, context()), of(0, {2, 3, 4}, {12, 4, 1}));
  EXPECT_EQ(rowMajor(ArrayRef<int64_t>{}, context()), Lmad::point(constant(0)));
  Lmad symbolic = rowMajor({symbol(0), symbol(1)}, context());
  EXPECT_EQ(symbolic.stride(0), symbol(1));
}

TEST(Lmad, TableOfReadings) {
  Lmad t = rowMajor({6, 6}, context()), v = rowMajor({8}, context());
  EXPECT_EQ(permute(t, {1, 0}), of(0, {6, 6}, {1, 6}));
  EXPECT_EQ(slice(t, 0, 2, 2, 2), of(12, {2, 6}, {12, 1}));
  EXPECT_EQ(slice(t, 1, 1, 1), of(1, {6, 1}, {6, 1}));
  EXPECT_EQ(diagonal(t, 0, 1), of(0, {6}, {7}));
  EXPECT_EQ(reverse(t, 0), of(30, {6, 6}, {-6, 1}));
  EXPECT_EQ(broadcast(v, 0, 6), of(0, {6, 8}, {0, 1}));
  EXPECT_EQ(window(v, 0, 6, 3), of(0, {6, 3}, {1, 1}));
  EXPECT_EQ(mergeAdjacent(t), of(0, {36}, {1}));
  Lmad tile = slice(slice(t, 0, 2, 4), 1, 2, 4);
  EXPECT_EQ(tile, of(14, {4, 4}, {6, 1}));
  EXPECT_FALSE(isDense(tile));
}

TEST(Lmad, TableOfAContraction) {
  AffineMap x = AffineMap::get(3, 0, {dim(0), dim(2)}, context());
  AffineMap y = AffineMap::get(3, 0, {dim(2), dim(1)}, context());
  AffineMap z = AffineMap::get(3, 0, {dim(0), dim(1)}, context());
  SmallVector<AffineExpr> extents = {constant(8), constant(16), constant(4)};
  EXPECT_EQ(compose(rowMajor({8, 4}, context()), x, extents),
            of(0, {8, 16, 4}, {4, 0, 1}));
  EXPECT_EQ(compose(rowMajor({4, 16}, context()), y, extents),
            of(0, {8, 16, 4}, {0, 1, 16}));
  EXPECT_EQ(compose(rowMajor({8, 16}, context()), z, extents),
            of(0, {8, 16, 4}, {16, 1, 0}));
}

TEST(Lmad, PadsInnerDimensionsTogetherWhenTheyAreEven) {
  // Thesis section 4.4.1: S_a * (S_b * S_c + 1).
  PaddedTile tile = paddedRowMajor({4, 2, 8}, 1, context());
  EXPECT_EQ(tile.layout, of(0, {4, 2, 8}, {17, 8, 1}));
  EXPECT_EQ(staticValue(tile.elements), 68);
  tile = paddedRowMajor({3, 4, 8}, 2, context());
  EXPECT_EQ(tile.layout, of(0, {3, 4, 8}, {36, 9, 1}));
  EXPECT_EQ(staticValue(tile.elements), 108);
}

TEST(Lmad, DoesNotPadOddProducts) {
  PaddedTile tile = paddedRowMajor({4, 3, 5}, 1, context());
  EXPECT_EQ(tile.layout, of(0, {4, 3, 5}, {15, 5, 1}));
  EXPECT_EQ(staticValue(tile.elements), 60);
}

TEST(Lmad, PaddingAtTheEndsIsRowMajor) {
  EXPECT_EQ(paddedRowMajor({4, 8}, 2, context()).layout,
            rowMajor({4, 8}, context()));
  EXPECT_EQ(paddedRowMajor({4, 8}, 0, context()).layout,
            rowMajor({4, 8}, context()));
  EXPECT_EQ(staticValue(paddedRowMajor({4, 8}, 0, context()).elements), 33);
}

TEST(Lmad, PaddingAvoidsBankConflicts) {
  // 32 lanes walk the outer dimension: 32 banks when the stride is odd.
  for (int64_t inner : {8, 15, 16, 32, 36}) {
    Lmad tile = paddedRowMajor({32, inner}, 1, context()).layout;
    std::set<int64_t> banks;
    for (int64_t lane = 0; lane < 32; ++lane)
      banks.insert(*evaluate(tile.index({dim(0), constant(0)}), {lane}) % 32);
    EXPECT_EQ(banks.size(), 32u) << inner;
  }
}

TEST(Lmad, SymbolicPaddingAgreesWithStaticPadding) {
  PaddedTile symbolic =
      paddedRowMajor({symbol(0), symbol(1), symbol(2)}, 1, context());
  for (const Ints &sizes : {Ints{4, 2, 8}, {4, 3, 5}, {2, 1, 6}}) {
    PaddedTile tile = paddedRowMajor(sizes, 1, context());
    EXPECT_EQ(substitute(symbolic.layout, {},
                         getAffineConstantExprs(sizes, context())),
              tile.layout);
    EXPECT_EQ(evaluate(symbolic.elements, {}, sizes),
              staticValue(tile.elements));
  }
}
