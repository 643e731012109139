//===- ScalarBitsTest.cpp - Tests of scalars by their bits ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Package/ScalarBits.h"
#include "tc-runtime/tc_package.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc::runtime;

namespace {
struct Format {
  const char *name;
  DLDataType type;
  int exponentBits, fractionBits;
  uint64_t largest; ///< the bits of the largest number
  bool saturates;   ///< else what is larger becomes an infinity
  uint64_t notANumber;
};
} // namespace

static const Format formats[] = {
    {"f16", {TC_CODE_FLOAT, 16, 1}, 5, 10, 0x7bff, false, 0x7e00},
    {"bf16", {TC_CODE_BFLOAT, 16, 1}, 8, 7, 0x7f7f, false, 0x7fc0},
    {"f8e4m3", {TC_CODE_FLOAT8_E4M3, 8, 1}, 4, 3, 0x7e, true, 0x7f},
    {"f8e5m2", {TC_CODE_FLOAT8_E5M2, 8, 1}, 5, 2, 0x7b, true, 0x7e}};

/// What the bits of a number that is not negative mean.
static double valueOf(const Format &format, uint64_t bits) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  auto exponent = static_cast<int>(bits >> format.fractionBits);
  uint64_t fraction = bits & ((uint64_t(1) << format.fractionBits) - 1);
  if (exponent != 0)
    fraction += uint64_t(1) << format.fractionBits;
  return std::ldexp(static_cast<double>(fraction),
                    std::max(exponent, 1) - bias - format.fractionBits);
}

TEST(ScalarBits, RoundsToTheNearestNumberAndHalfWayToEven) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Format &format : formats) {
    SCOPED_TRACE(format.name);
    uint64_t sign = uint64_t(1) << (format.exponentBits + format.fractionBits);
    for (uint64_t bits = 0; bits != format.largest; ++bits) {
      double low = valueOf(format, bits), high = valueOf(format, bits + 1);
      double middle = low + (high - low) / 2;
      ASSERT_EQ(scalarBits(format.type, low), bits);
      ASSERT_EQ(scalarBits(format.type, -low), sign | bits);
      ASSERT_EQ(scalarBits(format.type, middle), bits + bits % 2);
      ASSERT_EQ(scalarBits(format.type, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(scalarBits(format.type, std::nextafter(middle, infinity)),
                bits + 1);
    }
  }
}

TEST(ScalarBits, LargeNumbersSaturateOrBecomeInfinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Format &format : formats) {
    SCOPED_TRACE(format.name);
    uint64_t beyond = format.largest + (format.saturates ? 0 : 1);
    EXPECT_EQ(scalarBits(format.type, valueOf(format, format.largest)),
              format.largest);
    EXPECT_EQ(scalarBits(format.type, 2 * valueOf(format, format.largest)),
              beyond);
    EXPECT_EQ(scalarBits(format.type, 1e300), beyond);
    EXPECT_EQ(scalarBits(format.type, infinity), beyond);
    EXPECT_EQ(scalarBits(format.type, std::nan("")), format.notANumber);
  }
}

TEST(ScalarBits, WholeNumbersFitOrAreNone) {
  DLDataType i8{TC_CODE_INT, 8, 1}, u16{TC_CODE_UINT, 16, 1},
      i64{TC_CODE_INT, 64, 1}, u64{TC_CODE_UINT, 64, 1}, i1{TC_CODE_BOOL, 8, 1},
      f32{TC_CODE_FLOAT, 32, 1};
  EXPECT_EQ(scalarBits(i8, int64_t(127)), 127u);
  EXPECT_EQ(scalarBits(i8, int64_t(-128)), 128u);
  EXPECT_EQ(scalarBits(i8, int64_t(128)), std::nullopt);
  EXPECT_EQ(scalarBits(i8, int64_t(-129)), std::nullopt);
  EXPECT_EQ(scalarBits(u16, int64_t(65535)), 65535u);
  EXPECT_EQ(scalarBits(u16, int64_t(65536)), std::nullopt);
  EXPECT_EQ(scalarBits(u16, int64_t(-1)), std::nullopt);
  EXPECT_EQ(scalarBits(i64, INT64_MIN), uint64_t(1) << 63);
  EXPECT_EQ(scalarBits(u64, INT64_MAX), uint64_t(INT64_MAX));
  EXPECT_EQ(scalarBits(i1, int64_t(1)), 1u);
  EXPECT_EQ(scalarBits(i1, int64_t(2)), std::nullopt);
  EXPECT_EQ(scalarBits(f32, int64_t(-2)), 0xc0000000u);
  EXPECT_EQ(scalarBits(i8, 1.0), std::nullopt);
}
