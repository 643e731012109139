//===- ConvertTest.cpp - Conversions and moves against the host -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.9, on edge values.
//
//===----------------------------------------------------------------------===//

#include "Reference/Semantics.h"

#include "llvm/ADT/APFloat.h"

#include <cfenv>

using namespace tc::emulator::test;

namespace {

using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

TEST(Convert, Integers) {
  check("cvt.u64.u32 $d, $a;", +[](u32 a) { return u64(a); });
  check("cvt.s64.s32 $d, $a;", +[](i32 a) { return i64(a); });
  check("cvt.u64.s32 $d, $a;", +[](i32 a) { return u64(i64(a)); });
  check("cvt.u32.u64 $d, $a;", +[](u64 a) { return u32(a); });
  check("cvt.u32.u8 $d, $a;", +[](u32 a) { return u32(u8(a)); });
  check("cvt.s32.s8 $d, $a;", +[](u32 a) { return i32(i8(a)); });
  check("cvt.s16.s8 $d, $a;", +[](u16 a) { return i16(i8(a)); });
  // The destination is wider than its type: extended by the type's sign.
  check("cvt.s8.s32 $d, $a;", +[](i32 a) { return i32(i8(a)); });
  check("cvt.u8.u32 $d, $a;", +[](u32 a) { return u32(u8(a)); });
  check("cvt.u16.u32 $d, $a;", +[](u32 a) { return u16(a); });
}

TEST(Convert, IntegersSaturate) {
  check(
      "cvt.sat.u8.s32 $d, $a;", +[](i32 a) {
        return u32(a < 0 ? 0 : a > 255 ? 255 : a);
      });
  check(
      "cvt.sat.s8.s32 $d, $a;", +[](i32 a) {
        return i32(a < -128 ? -128 : a > 127 ? 127 : a);
      });
  check(
      "cvt.sat.s32.u64 $d, $a;",
      +[](u64 a) { return i32(a > INT32_MAX ? INT32_MAX : a); });
  check(
      "cvt.sat.u32.s64 $d, $a;", +[](i64 a) {
        return u32(a < 0 ? 0 : a > UINT32_MAX ? UINT32_MAX : a);
      });
}

/// Clamps; NaN gives what section 9.7.9.21 says.
template <typename To, typename From>
To toInteger(From value) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value))
    return sizeof(From) == 8 || sizeof(To) == 8
               ? To(u64(1) << (sizeof(To) * 8 - 1))
               : 0;
  if (value <= From(Limits::min()))
    return Limits::min();
  if (value >= std::ldexp(From(1), Limits::digits))
    return Limits::max();
  return To(value);
}

TEST(Convert, FloatToInteger) {
  check(
      "cvt.rzi.s32.f32 $d, $a;",
      +[](float a) { return toInteger<i32>(std::trunc(a)); });
  check(
      "cvt.rni.s32.f32 $d, $a;",
      +[](float a) { return toInteger<i32>(std::nearbyint(a)); });
  check(
      "cvt.rmi.s32.f64 $d, $a;",
      +[](double a) { return toInteger<i32>(std::floor(a)); });
  check(
      "cvt.rpi.u32.f32 $d, $a;",
      +[](float a) { return toInteger<u32>(std::ceil(a)); });
  check(
      "cvt.rzi.s64.f64 $d, $a;",
      +[](double a) { return toInteger<i64>(std::trunc(a)); });
  check(
      "cvt.rzi.u64.f32 $d, $a;",
      +[](float a) { return toInteger<u64>(std::trunc(a)); });
  check(
      "cvt.rzi.u8.f32 $d, $a;",
      +[](float a) { return u32(toInteger<u8>(std::trunc(a))); });
}

template <typename To, typename From>
To convert(int mode, From value) {
  volatile From x = value;
  std::fesetround(mode);
  volatile To result = To(x);
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Convert, IntegerToFloat) {
  check("cvt.rn.f32.s32 $d, $a;", +[](i32 a) { return float(a); });
  check("cvt.rn.f32.u32 $d, $a;", +[](u32 a) { return float(a); });
  check("cvt.rn.f32.u64 $d, $a;", +[](u64 a) { return float(a); });
  check("cvt.rn.f64.s64 $d, $a;", +[](i64 a) { return double(a); });
  check("cvt.rn.f32.s16 $d, $a;", +[](i16 a) { return float(a); });
  check(
      "cvt.rz.f32.s32 $d, $a;",
      +[](i32 a) { return convert<float>(FE_TOWARDZERO, a); });
  check(
      "cvt.rp.f64.s64 $d, $a;",
      +[](i64 a) { return convert<double>(FE_UPWARD, a); });
  check(
      "cvt.rm.f32.u64 $d, $a;",
      +[](u64 a) { return convert<float>(FE_DOWNWARD, a); });
}

TEST(Convert, Floats) {
  check("cvt.f64.f32 $d, $a;", +[](float a) { return double(a); });
  check("cvt.rn.f32.f64 $d, $a;", +[](double a) { return float(a); });
  check(
      "cvt.rz.f32.f64 $d, $a;",
      +[](double a) { return convert<float>(FE_TOWARDZERO, a); });
  check(
      "cvt.rm.f32.f64 $d, $a;",
      +[](double a) { return convert<float>(FE_DOWNWARD, a); });
  check("cvt.rni.f32.f32 $d, $a;", +[](float a) { return std::nearbyint(a); });
  check("cvt.rmi.f64.f64 $d, $a;", +[](double a) { return std::floor(a); });
  check("cvt.rpi.f32.f32 $d, $a;", +[](float a) { return std::ceil(a); });
  check(
      "cvt.sat.f32.f32 $d, $a;",
      +[](float a) { return a > 0 ? (a < 1 ? a : 1) : 0.0f; });
}

/// A 16-bit format by LLVM's software floating point; NaN as PTX makes it.
u16 narrow(float value, const llvm::fltSemantics &format, u16 nan) {
  if (std::isnan(value))
    return nan;
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return u16(result.bitcastToAPInt().getZExtValue());
}

std::vector<float> halfEdges() {
  std::vector<float> values = edges<float>();
  values.pop_back(); // NaN payloads are not specified
  for (float value : {65504.0f, 65520.0f, 6e-8f, 2.98e-8f, 1.0009765f, 3.14159f,
                      -1.00390625f, 1.01171875f})
    values.push_back(value);
  return values;
}

TEST(Convert, HalfFormats) {
  checkOn<u16, float>(
      "cvt.rn.f16.f32 $d, $a;",
      +[](float a) { return narrow(a, llvm::APFloat::IEEEhalf(), 0x7fff); },
      halfEdges());
  check(
      "cvt.rn.bf16.f32 $d, $a;",
      +[](float a) { return narrow(a, llvm::APFloat::BFloat(), 0x7fff); });
  checkOn<float, u16>(
      "cvt.f32.f16 $d, $a;",
      +[](u16 a) {
        llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, a));
        bool losesInfo;
        value.convert(llvm::APFloat::IEEEsingle(),
                      llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        return value.convertToFloat();
      },
      {0, 1, 0x3ff, 0x400, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0xfc00, 0x8000,
       0x7e00});
  checkOn<float, u16>(
      "cvt.f32.bf16 $d, $a;",
      +[](u16 a) { return llvm::bit_cast<float>(u32(a) << 16); },
      {0, 1, 0x3f80, 0xbf81, 0x7f80, 0x8000, 0x7fc0});
  check(
      "cvt.rn.bf16x2.f32 $d, $a, $b;", +[](float a, float b) {
        return u32(narrow(a, llvm::APFloat::BFloat(), 0x7fff)) << 16 |
               narrow(b, llvm::APFloat::BFloat(), 0x7fff);
      });
}

TEST(Move, PackAndUnpack) {
  check(
      "mov.b64 $d, {$a, $b};", +[](u32 a, u32 b) { return u64(b) << 32 | a; });
  check(
      ".reg .b32 %lo, %hi; mov.b64 {%lo, %hi}, $a; xor.b32 $d, %lo, %hi;",
      +[](u64 a) { return u32(a) ^ u32(a >> 32); });
  check(
      ".reg .b32 %hi; mov.b64 {_, %hi}, $a; mov.b32 $d, %hi;",
      +[](u64 a) { return u32(a >> 32); });
  check(
      ".reg .b16 %x, %y; mov.b32 {%x, %y}, $a; mov.b32 $d, {%y, %x};",
      +[](u32 a) { return a << 16 | a >> 16; });
}

TEST(Move, Constants) {
  check(
      "mov.f32 $d, 0f3FC00000; add.f32 $d, $d, $a;",
      +[](float a) { return 1.5f + a; });
  check(
      "mov.b32 $d, 0f3FC00000; add.f32 $d, $d, 2.5;",
      +[](float) { return 4.0f; });
  check(
      "mov.u32 $d, 0x10; add.u32 $d, $d, 0b11; add.u32 $d, $d, 010U;",
      +[](u32) { return 16u + 3 + 8; });
  check("add.s64 $d, $a, -1;", +[](u64 a) { return a - 1; });
  check(
      "mul.f64 $d, $a, 0dC000000000000000;", +[](double a) { return a * -2; });
}

/// Registers nobody wrote are zero.
TEST(Move, RegistersStartAsZero) {
  check(".reg .b32 %fresh; add.u32 $d, %fresh, $a;", +[](u32 a) { return a; });
}

} // namespace
