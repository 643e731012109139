//===- CompareTest.cpp - Errors against their bounds
//------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace mlir::tc;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Reals, each of which an implementation may have wrong by `error`.
Array uncertain(ArrayRef<double> values, double error) {
  Array array = realArray({int64_t(values.size())}, values);
  for (Scalar &element : array.elements)
    element.inherited = error;
  return array;
}

Comparison compareReals(ArrayRef<double> got, const Array &reference) {
  return compare(realArray({int64_t(got.size())}, got), reference);
}

TEST(CompareTest, FindsTheWorstElement) {
  Array reference = uncertain({1, 2, 4}, 0.25);
  Comparison same = compareReals({1, 2, 4}, reference);
  EXPECT_EQ(same.maxError, 0);
  EXPECT_TRUE(same.isDueToRounding());
  Comparison off = compareReals({1, 2.5, 4.125}, reference);
  EXPECT_EQ(off.worst, 1);
  EXPECT_EQ(off.error, 0.5);
  EXPECT_EQ(off.bound, 0.25);
  EXPECT_FALSE(off.isDueToRounding());
  // Relative to the largest element.
  EXPECT_EQ(off.maxError, 0.125);
  EXPECT_EQ(off.maxBound, 0.0625);
}

TEST(CompareTest, BoundsWiderThanTheLargestElementJudgeNothing) {
  Array reference = uncertain({1, 2}, 0.5);
  EXPECT_EQ(compareReals({1, 2}, reference).unjudged, 0);
  reference.elements[1].inherited = 2.5;
  Comparison comparison = compareReals({1, 0}, reference);
  EXPECT_EQ(comparison.unjudged, 1);
  EXPECT_EQ(comparison.firstUnjudged, 1);
  EXPECT_EQ(comparison.maxBound, 0.25);
  EXPECT_TRUE(comparison.isDueToRounding());
  // What is beyond even such a bound is wrong.
  EXPECT_FALSE(compareReals({1, 5}, reference).isDueToRounding());
}

TEST(CompareTest, WhatNobodyWritesIsNotJudged) {
  Array reference = uncertain({1, 2}, 0);
  reference.elements[0] = Scalar::unwritten();
  Comparison comparison = compareReals({7, 2}, reference);
  EXPECT_EQ(comparison.unjudged, 1);
  EXPECT_TRUE(comparison.isDueToRounding());
}

TEST(CompareTest, ZeroWithoutErrorIsExact) {
  Array reference = uncertain({0}, 0);
  EXPECT_TRUE(compareReals({0}, reference).isDueToRounding());
  Comparison off = compareReals({1e-300}, reference);
  EXPECT_FALSE(off.isDueToRounding());
  EXPECT_EQ(off.maxError, infinity);
}

TEST(CompareTest, InfinitiesAndNaNMatchThemselvesAlone) {
  double nan = std::nan("");
  Array reference = uncertain({1}, 0.5);
  EXPECT_FALSE(compareReals({nan}, reference).isDueToRounding());
  EXPECT_FALSE(compareReals({infinity}, reference).isDueToRounding());
  EXPECT_TRUE(compareReals({nan}, uncertain({nan}, 0)).isDueToRounding());
  EXPECT_FALSE(compareReals({0}, uncertain({nan}, 0)).isDueToRounding());
  Array large = uncertain({infinity}, 0);
  EXPECT_TRUE(compareReals({infinity}, large).isDueToRounding());
  EXPECT_FALSE(compareReals({-infinity}, large).isDueToRounding());
  EXPECT_FALSE(compareReals({0}, large).isDueToRounding());
}

TEST(CompareTest, ComplexErrorsAreThoseOfTheModulus) {
  Array reference = realArray({1}, {3}), got = realArray({1}, {3});
  reference.elements[0] = Scalar::of({3, 4}); // of modulus 5
  got.elements[0].imaginary = 3;
  EXPECT_EQ(compare(got, reference).maxError, 0.2);
}

TEST(CompareTest, IntegersAreEqualUnlessRoundingDecidesThem) {
  int64_t large = (int64_t(1) << 53) + 1;
  Array reference = integerArray({2}, {3, large});
  EXPECT_TRUE(compare(reference, reference).isDueToRounding());
  Array got = integerArray({2}, {3, large - 1});
  Comparison off = compare(got, reference);
  EXPECT_FALSE(off.isDueToRounding());
  EXPECT_EQ(off.worst, 1);
  reference.elements[1].inherited = 1;
  EXPECT_TRUE(compare(got, reference).isDueToRounding());
}

TEST(ToleranceTest, GrowsWithTheRoundings) {
  EXPECT_NEAR(relativeBound(0x1p-24), 0x1p-24, 0x1p-40);
  EXPECT_NEAR(relativeBound(4095 * 0x1p-24), 4095 * 0x1p-24, 1e-7);
  EXPECT_EQ(relativeBound(0.5), infinity);
}

TEST(ToleranceTest, ASumInF32KeepsIt) {
  // The same sign throughout is the worst case of a sum in order.
  float sum = 0;
  double exact = 0;
  for (int k = 0; k != 10000; ++k) {
    float a = 0.1f + 1e-6f * k, b = 0.7f;
    sum += a * b;
    exact += double(a) * b;
  }
  Scalar reference = Scalar::of(exact);
  reference.roundoff = 20000 * 0x1p-24f;
  EXPECT_GT(std::fabs(sum - exact), 0);
  EXPECT_LE(std::fabs(sum - exact), reference.error());
}

} // namespace
