//===- FloatTest.cpp - Floating-point instructions against the host -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.3 and 9.7.6, on edge values.
//
//===----------------------------------------------------------------------===//

#include "Reference/Semantics.h"

#include <cfenv>

using namespace tc::emulator::test;

namespace {

float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0, x)
                                                          : x;
}

float saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

/// Computes under a rounding mode; volatile keeps the compiler from folding.
template <typename T, typename Operation>
T rounded(int mode, Operation operation, T a, T b) {
  volatile T x = a, y = b;
  std::fesetround(mode);
  volatile T result = operation(x, y);
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Float, AddSubtractMultiply) {
  check("add.f32 $d, $a, $b;", +[](float a, float b) { return a + b; });
  check("add.rn.f64 $d, $a, $b;", +[](double a, double b) { return a + b; });
  check("sub.rn.f32 $d, $a, $b;", +[](float a, float b) { return a - b; });
  check("sub.f64 $d, $a, $b;", +[](double a, double b) { return a - b; });
  check("mul.f32 $d, $a, $b;", +[](float a, float b) { return a * b; });
  check("mul.rn.f64 $d, $a, $b;", +[](double a, double b) { return a * b; });
}

TEST(Float, FlushAndSaturate) {
  check(
      "add.ftz.f32 $d, $a, $b;",
      +[](float a, float b) { return flush(flush(a) + flush(b)); });
  check(
      "mul.ftz.f32 $d, $a, $b;",
      +[](float a, float b) { return flush(flush(a) * flush(b)); });
  check(
      "add.sat.f32 $d, $a, $b;",
      +[](float a, float b) { return saturate(a + b); });
  check(
      "fma.rn.ftz.sat.f32 $d, $a, $b, $c;", +[](float a, float b, float c) {
        return saturate(flush(std::fma(flush(a), flush(b), flush(c))));
      });
}

TEST(Float, RoundingModes) {
  check(
      "add.rz.f32 $d, $a, $b;", +[](float a, float b) {
        return rounded(
            FE_TOWARDZERO, [](float x, float y) { return x + y; }, a, b);
      });
  check(
      "sub.rm.f64 $d, $a, $b;", +[](double a, double b) {
        return rounded(
            FE_DOWNWARD, [](double x, double y) { return x - y; }, a, b);
      });
  check(
      "mul.rp.f32 $d, $a, $b;", +[](float a, float b) {
        return rounded(FE_UPWARD, [](float x, float y) { return x * y; }, a, b);
      });
  check(
      "div.rz.f64 $d, $a, $b;", +[](double a, double b) {
        return rounded(
            FE_TOWARDZERO, [](double x, double y) { return x / y; }, a, b);
      });
  check(
      "fma.rm.f32 $d, $a, $b, $a;", +[](float a, float b) {
        return rounded(
            FE_DOWNWARD, [](float x, float y) { return std::fma(x, y, x); }, a,
            b);
      });
  check(
      "sqrt.rp.f32 $d, $a;", +[](float a) {
        return rounded(
            FE_UPWARD, [](float x, float) { return std::sqrt(x); }, a, 0.0f);
      });
}

TEST(Float, FusedMultiplyAddRoundsOnce) {
  check(
      "fma.rn.f32 $d, $a, $b, $c;",
      +[](float a, float b, float c) { return std::fma(a, b, c); });
  check(
      "fma.rn.f64 $d, $a, $b, $c;",
      +[](double a, double b, double c) { return std::fma(a, b, c); });
  // (1 + e)(1 - e) - 1 is -e^2 when fused and 0 when not.
  float e = std::numeric_limits<float>::epsilon();
  checkOn<float, float, float, float>(
      "fma.rn.f32 $d, $a, $b, $c;",
      +[](float, float, float) {
        float e = std::numeric_limits<float>::epsilon();
        return -e * e;
      },
      {1 + e}, {1 - e}, {-1});
}

TEST(Float, ProductAndSumAreNotContracted) {
  check(
      ".reg .f32 %t; mul.rn.f32 %t, $a, $b; add.rn.f32 $d, %t, $c;",
      +[](float a, float b, float c) {
        volatile float product = a * b;
        return product + c;
      });
}

TEST(Float, Divide) {
  check("div.rn.f32 $d, $a, $b;", +[](float a, float b) { return a / b; });
  check("div.rn.f64 $d, $a, $b;", +[](double a, double b) { return a / b; });
  check("rcp.rn.f64 $d, $a;", +[](double a) { return 1 / a; });
  check(
      "rcp.approx.ftz.f32 $d, $a;",
      +[](float a) { return flush(1 / flush(a)); });
  check("sqrt.rn.f32 $d, $a;", +[](float a) { return std::sqrt(a); });
  check("sqrt.rn.f64 $d, $a;", +[](double a) { return std::sqrt(a); });
  check("rsqrt.approx.f32 $d, $a;", +[](float a) { return 1 / std::sqrt(a); });
}

/// Two .f32 in one register of 64 bits.
uint64_t pair(float low, float high) {
  return uint64_t(llvm::bit_cast<uint32_t>(high)) << 32 |
         llvm::bit_cast<uint32_t>(low);
}

TEST(Float, Pairs) {
  const std::vector<float> values = {0, 1, -2.5f, 1e30f, 1e-42f};
  checkOn<uint64_t, float, float>(
      ".reg .b64 %x, %y; mov.b64 %x, {$a, $b}; mov.b64 %y, {$b, $b}; "
      "fma.rn.f32x2 $d, %x, %y, %x;",
      +[](float a, float b) {
        return pair(std::fma(a, b, a), std::fma(b, b, b));
      },
      values, values);
  checkOn<uint64_t, float, float>(
      ".reg .b64 %x, %y; mov.b64 %x, {$a, $b}; mov.b64 %y, {$b, $b}; "
      "sub.rn.ftz.f32x2 $d, %x, %y;",
      +[](float a, float b) { return pair(flush(flush(a) - flush(b)), 0.0f); },
      values, values);
  checkOn<uint64_t, float, float>(
      ".reg .b64 %x, %y; mov.b64 %x, {$a, $b}; mov.b64 %y, {$b, $b}; "
      "add.rz.f32x2 %x, %x, %y; mul.f32x2 $d, %x, %y;",
      +[](float a, float b) {
        auto add = [](float x, float y) { return x + y; };
        return pair(rounded(FE_TOWARDZERO, add, a, b) * b,
                    rounded(FE_TOWARDZERO, add, b, b) * b);
      },
      values, values);
}

TEST(Float, MixedPrecision) {
  // 1.5 and -0.25 in .f16, 1.0078125 in .bf16.
  checkOn<float, uint16_t, float>(
      "add.rn.f32.f16 $d, $a, $b;",
      +[](uint16_t a, float b) { return (a == 0x3e00 ? 1.5f : -0.25f) + b; },
      {0x3e00, 0xb400}, edges<float>());
  checkOn<float, uint16_t, float>(
      "fma.rn.f32.bf16 $d, $a, $a, $b;",
      +[](uint16_t, float b) { return std::fma(1.0078125f, 1.0078125f, b); },
      {0x3f81}, edges<float>());
}

TEST(Float, Elementary) {
  check("sin.approx.f32 $d, $a;", +[](float a) { return sinf(a); });
  check("cos.approx.f32 $d, $a;", +[](float a) { return cosf(a); });
  check("lg2.approx.f32 $d, $a;", +[](float a) { return log2f(a); });
  check(
      "ex2.approx.ftz.f32 $d, $a;",
      +[](float a) { return flush(exp2f(flush(a))); });
  check("tanh.approx.f32 $d, $a;", +[](float a) { return tanhf(a); });
}

/// NaN loses, and -0 is less than +0.
template <typename T>
T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T>
T maximum(T a, T b) {
  return -minimum<T>(-a, -b);
}

TEST(Float, MinMax) {
  check("min.f32 $d, $a, $b;", minimum<float>);
  check("max.f32 $d, $a, $b;", maximum<float>);
  check("min.f64 $d, $a, $b;", minimum<double>);
  check("max.f64 $d, $a, $b;", maximum<double>);
  check(
      "max.NaN.f32 $d, $a, $b;", +[](float a, float b) {
        return std::isnan(a) || std::isnan(b) ? NAN : maximum(a, b);
      });
}

/// LLVM 22's llvm.maximumnum gives NaN here on hosts with AVX-512.
TEST(Float, MaximumOfNumberAndNaN) {
  check(
      "max.f32 $d, $a, 0f3F800000;", +[](float a) { return maximum(a, 1.0f); });
  check(
      "max.f64 $d, 0d3FF0000000000000, $a;",
      +[](double a) { return maximum(1.0, a); });
}

TEST(Float, Signs) {
  check("abs.f32 $d, $a;", +[](float a) { return std::fabs(a); });
  check("neg.f64 $d, $a;", +[](double a) { return -a; });
  check("abs.ftz.f32 $d, $a;", +[](float a) { return std::fabs(flush(a)); });
  check(
      "copysign.f32 $d, $a, $b;",
      +[](float a, float b) { return std::copysign(b, a); });
}

TEST(Float, Classes) {
  check(
      "testp.finite.f32 %p2, $a; selp.b32 $d, 1, 0, %p2;",
      +[](float a) { return uint32_t(std::isfinite(a)); });
  check(
      "testp.infinite.f64 %p2, $a; selp.b32 $d, 1, 0, %p2;",
      +[](double a) { return uint32_t(std::isinf(a)); });
  check(
      "testp.notanumber.f32 %p2, $a; selp.b32 $d, 1, 0, %p2;",
      +[](float a) { return uint32_t(std::isnan(a)); });
  check(
      "testp.subnormal.f32 %p2, $a; selp.b32 $d, 1, 0, %p2;",
      +[](float a) { return uint32_t(std::fpclassify(a) == FP_SUBNORMAL); });
  check(
      "testp.normal.f64 %p2, $a; selp.b32 $d, 1, 0, %p2;",
      +[](double a) { return uint32_t(std::fpclassify(a) == FP_NORMAL); });
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

/// The instruction that leaves %p2 in $d.
std::string comparing(const char *form) {
  return std::string("setp.") + form + " %p2, $a, $b; selp.b32 $d, 1, 0, %p2;";
}

TEST(Compare, FloatsOrderedAndUnordered) {
  using f = float;
  auto on = [](const char *form, uint32_t (*reference)(f, f)) {
    check(comparing(form), reference);
  };
  on("eq.f32", [](f a, f b) { return uint32_t(a == b); });
  on("ne.f32", [](f a, f b) { return uint32_t(a < b || a > b); });
  on("lt.f32", [](f a, f b) { return uint32_t(a < b); });
  on("le.f32", [](f a, f b) { return uint32_t(a <= b); });
  on("gt.f32", [](f a, f b) { return uint32_t(a > b); });
  on("ge.f32", [](f a, f b) { return uint32_t(a >= b); });
  on("equ.f32", [](f a, f b) { return uint32_t(!(a < b || a > b)); });
  on("neu.f32", [](f a, f b) { return uint32_t(a != b); });
  on("ltu.f32", [](f a, f b) { return uint32_t(!(a >= b)); });
  on("leu.f32", [](f a, f b) { return uint32_t(!(a > b)); });
  on("gtu.f32", [](f a, f b) { return uint32_t(!(a <= b)); });
  on("geu.f32", [](f a, f b) { return uint32_t(!(a < b)); });
  on("num.f32", [](f a, f b) { return uint32_t(a == a && b == b); });
  on("nan.f32", [](f a, f b) { return uint32_t(a != a || b != b); });
  on("lt.ftz.f32", [](f a, f b) { return uint32_t(flush(a) < flush(b)); });
}

TEST(Compare, Integers) {
  check(
      comparing("lt.s32"),
      +[](int32_t a, int32_t b) { return uint32_t(a < b); });
  check(
      comparing("lt.u32"),
      +[](uint32_t a, uint32_t b) { return uint32_t(a < b); });
  check(
      comparing("hs.u64"),
      +[](uint64_t a, uint64_t b) { return uint32_t(a >= b); });
  check(
      comparing("ls.u32"),
      +[](uint32_t a, uint32_t b) { return uint32_t(a <= b); });
  check(
      comparing("ge.s64"),
      +[](int64_t a, int64_t b) { return uint32_t(a >= b); });
  check(
      comparing("ne.b16"),
      +[](uint16_t a, uint16_t b) { return uint32_t(a != b); });
}

TEST(Compare, BooleanAndPair) {
  check(
      "setp.eq.s32 %p1, $a, 0; setp.lt.and.s32 %p2|%p3, $a, $b, !%p1;"
      "selp.b32 $d, 1, 0, %p2; @%p3 add.s32 $d, $d, 2;",
      +[](int32_t a, int32_t b) {
        return uint32_t(a < b && a) + 2 * uint32_t(!(a < b) && a);
      });
  check(
      "setp.eq.s32 %p1, $a, 0; setp.lt.xor.s32 %p2, $a, $b, %p1;"
      "selp.b32 $d, 1, 0, %p2;",
      +[](int32_t a, int32_t b) { return uint32_t((a < b) != (a == 0)); });
}

TEST(Compare, Set) {
  check(
      "set.lt.u32.s32 $d, $a, $b;",
      +[](int32_t a, int32_t b) { return a < b ? ~0u : 0; });
  check(
      "set.gtu.f32.f32 $d, $a, $b;",
      +[](float a, float b) { return a <= b ? 0.0f : 1.0f; });
}

TEST(Compare, Select) {
  check(
      "slct.b32.s32 $d, $a, $b, $c;",
      +[](uint32_t a, uint32_t b, int32_t c) { return c >= 0 ? a : b; });
  check(
      "slct.f32.f32 $d, $a, $b, $c;",
      +[](float a, float b, float c) { return c >= 0 ? a : b; });
}

/// A false guard leaves the old value.
TEST(Compare, Guards) {
  check(
      "setp.lt.s32 %p2, $a, $b; mov.b32 $d, 7; @%p2 add.s32 $d, $a, $b;",
      +[](int32_t a, int32_t b) {
        return a < b ? uint32_t(a) + uint32_t(b) : 7u;
      });
  check(
      "setp.lt.s32 %p2, $a, $b; mov.b32 $d, 7; @!%p2 sub.s32 $d, $a, $b;",
      +[](int32_t a, int32_t b) {
        return a < b ? 7u : uint32_t(a) - uint32_t(b);
      });
}

} // namespace
