//===- CompareTest.cpp - Errors relative to magnitudes --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir::tc;

namespace {

constexpr double smallestF32 = 0x1p-126;

TEST(CompareTest, FindsTheWorstElement) {
  Array reference = Array::of({3}, {1, 2, 4});
  Comparison same = compare(Array::of({3}, {1, 2, 4}), reference, smallestF32);
  EXPECT_EQ(same.maxRelativeError, 0);
  Comparison off =
      compare(Array::of({3}, {1, 2.5, 4.5}), reference, smallestF32);
  EXPECT_EQ(off.maxRelativeError, 0.25);
  EXPECT_EQ(off.worst, 1);
}

TEST(CompareTest, IsRelativeToTheMagnitude) {
  Array reference = Array::of({1}, {0.5});
  reference.elements[0].magnitude = 8;
  EXPECT_EQ(
      compare(Array::of({1}, {1.5}), reference, smallestF32).maxRelativeError,
      0.125);
}

TEST(CompareTest, AnythingButZeroIsInfinitelyWrongWithoutTerms) {
  Array reference = Array::of({1}, {0});
  EXPECT_EQ(
      compare(Array::of({1}, {0}), reference, smallestF32).maxRelativeError, 0);
  EXPECT_TRUE(
      std::isinf(compare(Array::of({1}, {1e-300}), reference, smallestF32)
                     .maxRelativeError));
}

TEST(CompareTest, NotANumberMatchesOnlyItself) {
  double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  Array reference = Array::of({1}, {1});
  EXPECT_TRUE(std::isinf(
      compare(Array::of({1}, {nan}), reference, smallestF32).maxRelativeError));
  EXPECT_TRUE(
      std::isinf(compare(Array::of({1}, {infinity}), reference, smallestF32)
                     .maxRelativeError));
  EXPECT_EQ(compare(Array::of({1}, {nan}), Array::of({1}, {nan}), smallestF32)
                .maxRelativeError,
            0);
  EXPECT_EQ(compare(Array::of({1}, {-infinity}), Array::of({1}, {infinity}),
                    smallestF32)
                .maxRelativeError,
            infinity);
}

TEST(CompareTest, ErrorsBelowTheSmallestNormalAreAbsolute) {
  Array reference = Array::of({1}, {0x1p-140});
  EXPECT_EQ(
      compare(Array::of({1}, {0}), reference, smallestF32).maxRelativeError,
      0x1p-14);
}

TEST(CompareTest, ComplexErrorsAreThoseOfTheModulus) {
  Array reference = Array::of({1}, {3}), got = Array::of({1}, {3});
  reference.elements[0] = Scalar::of({3, 4}); // of magnitude 5
  got.elements[0].imaginary = 3;
  EXPECT_EQ(compare(got, reference, smallestF32).maxRelativeError, 0.2);
}

TEST(CompareTest, IntegersAreEqualOrInfinitelyWrong) {
  int64_t large = (int64_t(1) << 53) + 1;
  Array reference = Array::ofIntegers({2}, {3, large});
  EXPECT_EQ(compare(reference, reference, 0).maxRelativeError, 0);
  Comparison off =
      compare(Array::ofIntegers({2}, {3, large - 1}), reference, 0);
  EXPECT_TRUE(std::isinf(off.maxRelativeError));
  EXPECT_EQ(off.worst, 1);
}

TEST(ToleranceTest, GrowsWithTheRoundings) {
  EXPECT_NEAR(toleranceFor(1, 0x1p-24), 0x1p-24, 0x1p-40);
  EXPECT_NEAR(toleranceFor(4095, 4095 * 0x1p-24), 4095 * 0x1p-24, 1e-7);
  EXPECT_LT(toleranceFor(4095, 4095 * 0x1p-53), 1e-12);
  EXPECT_GT(toleranceFor(int64_t(1) << 60, 0x1p36), 1);
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
  Array reference = Array::of({1}, {exact});
  double error =
      compare(Array::of({1}, {sum}), reference, smallestF32).maxRelativeError;
  EXPECT_GT(error, 0);
  EXPECT_LE(error, toleranceFor(20000, 20000 * 0x1p-24));
}

} // namespace
