//===- ExprsTest.cpp - Arithmetic on affine expressions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparison, linear forms, evaluation, and index vectors.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

TEST(Exprs, EvaluatesEveryKind) {
  AffineExpr d = dim(0), s = symbol(0);
  EXPECT_EQ(evaluate(d * s + 3, {5}, {7}), 38);
  EXPECT_EQ(evaluate(d.floorDiv(s), {-5}, {3}), -2);
  EXPECT_EQ(evaluate(d.ceilDiv(s), {-5}, {3}), -1);
  EXPECT_EQ(evaluate(d % s, {-5}, {3}), 1);
}

TEST(Exprs, EvaluatesToNothingWhereThereIsNoValue) {
  AffineExpr d = dim(0), s = symbol(0);
  EXPECT_EQ(evaluate(d, {}), std::nullopt);
  EXPECT_EQ(evaluate(s, {}, {}), std::nullopt);
  EXPECT_EQ(evaluate(d.floorDiv(s), {1}, {0}), std::nullopt);
  EXPECT_EQ(evaluate(d % s, {1}, {-2}), std::nullopt);
  EXPECT_EQ(evaluate(d * s, {INT64_MAX}, {2}), std::nullopt);
  EXPECT_EQ(evaluate(d + s, {INT64_MAX}, {1}), std::nullopt);
}

TEST(Exprs, FindsLinearForms) {
  AffineExpr s = symbol(0);
  std::optional<LinearForm> form =
      linearForm((dim(0) * 2 + dim(1)) * 5 + dim(0) + s - 1, 3);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->constant, s - 1);
  EXPECT_EQ(ArrayRef(form->factors), ArrayRef<int64_t>({11, 5, 0}));
}

TEST(Exprs, RefusesWhatIsNotLinear) {
  EXPECT_FALSE(linearForm(dim(0).floorDiv(2), 1));
  EXPECT_FALSE(linearForm(dim(0) % symbol(0), 1));
  EXPECT_FALSE(linearForm(dim(0) * symbol(0), 1));
  EXPECT_FALSE(linearForm(dim(1), 1));
  EXPECT_FALSE(linearForm((dim(0) * INT64_MAX + dim(1)) * 2, 2));
}

class IndexVectors : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Exprs, IndexVectors, testing::Bool());

TEST_P(IndexVectors, DelinearizeCountsRowMajor) {
  for (const Ints &sizes :
       {Ints{}, {5}, {3, 4}, {1, 4}, {4, 1}, {2, 1, 3}, {3, 2, 4}, {1, 1}}) {
    Numbers number(GetParam());
    SmallVector<AffineExpr> extents = number(sizes);
    SmallVector<AffineExpr> back = delinearize(dim(0), extents);
    int64_t position = 0;
    forEachIndex(sizes, [&](const Ints &index) {
      EXPECT_EQ(number.at(back, {position++}), index);
    });
  }
}

TEST(Exprs, DelinearizeCostsNothingForUnitDimensions) {
  SmallVector<AffineExpr> index =
      delinearize(dim(0), {constant(1), constant(8), constant(1)});
  EXPECT_EQ(index[0], 0);
  EXPECT_EQ(index[1], dim(0));
  EXPECT_EQ(index[2], 0);
}
