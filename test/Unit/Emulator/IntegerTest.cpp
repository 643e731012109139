//===- IntegerTest.cpp - Integer instructions against the host ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.1, 9.7.2 and 9.7.8, on edge values.
//
//===----------------------------------------------------------------------===//

#include "Reference/Semantics.h"

using namespace tc::emulator::test;

namespace {

using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i128 = __int128;
using u128 = unsigned __int128;

TEST(Integer, AddSubtract) {
  check("add.s32 $d, $a, $b;", +[](u32 a, u32 b) { return a + b; });
  check("add.u16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(a + b); });
  check("add.s64 $d, $a, $b;", +[](u64 a, u64 b) { return a + b; });
  check("sub.u32 $d, $a, $b;", +[](u32 a, u32 b) { return a - b; });
  check("sub.s64 $d, $a, $b;", +[](u64 a, u64 b) { return a - b; });
  check("neg.s32 $d, $a;", +[](u32 a) { return 0 - a; });
  check("abs.s32 $d, $a;", +[](i32 a) { return a < 0 ? 0 - u32(a) : u32(a); });
  check("abs.s64 $d, $a;", +[](i64 a) { return a < 0 ? 0 - u64(a) : u64(a); });
}

i32 clamp(i64 value) {
  return std::min<i64>(std::max<i64>(value, INT32_MIN), INT32_MAX);
}

TEST(Integer, Saturate) {
  check(
      "add.sat.s32 $d, $a, $b;",
      +[](i32 a, i32 b) { return clamp(i64(a) + b); });
  check(
      "sub.sat.s32 $d, $a, $b;",
      +[](i32 a, i32 b) { return clamp(i64(a) - b); });
}

TEST(Integer, Multiply) {
  check("mul.lo.s32 $d, $a, $b;", +[](u32 a, u32 b) { return a * b; });
  check(
      "mul.hi.s32 $d, $a, $b;",
      +[](i32 a, i32 b) { return i32(i64(a) * b >> 32); });
  check(
      "mul.hi.u32 $d, $a, $b;",
      +[](u32 a, u32 b) { return u32(u64(a) * b >> 32); });
  check(
      "mul.hi.s64 $d, $a, $b;",
      +[](i64 a, i64 b) { return i64(i128(a) * b >> 64); });
  check(
      "mul.hi.u64 $d, $a, $b;",
      +[](u64 a, u64 b) { return u64(u128(a) * b >> 64); });
  check(
      "mul.hi.u16 $d, $a, $b;",
      +[](u16 a, u16 b) { return u16(u32(a) * b >> 16); });
  check("mul.wide.s32 $d, $a, $b;", +[](i32 a, i32 b) { return i64(a) * b; });
  check("mul.wide.u32 $d, $a, $b;", +[](u32 a, u32 b) { return u64(a) * b; });
  check("mul.wide.s16 $d, $a, $b;", +[](i16 a, i16 b) { return i32(a) * b; });
  check(
      "mul24.lo.u32 $d, $a, $b;",
      +[](u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff)); });
  check(
      "mul24.hi.s32 $d, $a, $b;", +[](i32 a, i32 b) {
        return i32(i64(i32(u32(a) << 8) >> 8) * (i32(u32(b) << 8) >> 8) >> 16);
      });
}

TEST(Integer, MultiplyAdd) {
  check(
      "mad.lo.s32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 c) { return a * b + c; });
  check(
      "mad.hi.u32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 c) { return u32(u64(a) * b >> 32) + c; });
  check(
      "mad.wide.u32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u64 c) { return u64(a) * b + c; });
  check(
      "mad.wide.s32 $d, $a, $b, $c;",
      +[](i32 a, i32 b, u64 c) { return u64(i64(a) * b) + c; });
  check(
      "mad.lo.u64 $d, $a, $b, $c;",
      +[](u64 a, u64 b, u64 c) { return a * b + c; });
  check(
      "mad24.lo.u32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 c) {
        return u32(u64(a & 0xffffff) * (b & 0xffffff)) + c;
      });
  check(
      "sad.s32 $d, $a, $b, $c;", +[](i32 a, i32 b, u32 c) {
        return c + u32(a > b ? i64(a) - b : i64(b) - a);
      });
}

/// Division by zero: all ones, and the dividend for the remainder.
TEST(Integer, DivideNeverTraps) {
  check(
      "div.s32 $d, $a, $b;",
      +[](i32 a, i32 b) { return b == 0 ? -1 : i32(i64(a) / b); });
  check(
      "div.u32 $d, $a, $b;",
      +[](u32 a, u32 b) { return b == 0 ? ~0u : a / b; });
  check(
      "div.s64 $d, $a, $b;",
      +[](i64 a, i64 b) { return b == 0 ? i64(-1) : i64(i128(a) / b); });
  check(
      "div.u64 $d, $a, $b;",
      +[](u64 a, u64 b) { return b == 0 ? ~u64(0) : a / b; });
  check(
      "div.s16 $d, $a, $b;",
      +[](i16 a, i16 b) { return b == 0 ? i16(-1) : i16(a / b); });
  check(
      "rem.s32 $d, $a, $b;",
      +[](i32 a, i32 b) { return b == 0 ? a : i32(i64(a) % b); });
  check(
      "rem.u64 $d, $a, $b;", +[](u64 a, u64 b) { return b == 0 ? a : a % b; });
}

TEST(Integer, MinMax) {
  check("min.s32 $d, $a, $b;", +[](i32 a, i32 b) { return std::min(a, b); });
  check("min.u32 $d, $a, $b;", +[](u32 a, u32 b) { return std::min(a, b); });
  check("max.s64 $d, $a, $b;", +[](i64 a, i64 b) { return std::max(a, b); });
  check("max.u16 $d, $a, $b;", +[](u16 a, u16 b) { return std::max(a, b); });
}

/// Applies `operation` to both 16-bit halves.
template <typename T, typename Operation>
u32 onHalves(u32 a, u32 b, Operation operation) {
  u16 low = u16(operation(T(a), T(b)));
  u16 high = u16(operation(T(a >> 16), T(b >> 16)));
  return u32(high) << 16 | low;
}

TEST(Integer, Pairs) {
  check(
      "add.s16x2 $d, $a, $b;", +[](u32 a, u32 b) {
        return onHalves<u16>(a, b, [](u16 x, u16 y) { return x + y; });
      });
  check(
      "min.s16x2 $d, $a, $b;", +[](u32 a, u32 b) {
        return onHalves<i16>(a, b, [](i16 x, i16 y) { return std::min(x, y); });
      });
  check(
      "max.u16x2 $d, $a, $b;", +[](u32 a, u32 b) {
        return onHalves<u16>(a, b, [](u16 x, u16 y) { return std::max(x, y); });
      });
}

TEST(Integer, CarryChain) {
  // 128-bit sum and difference of {b, a} and {e, c}; the high words.
  check(
      ".reg .b64 %lo; add.cc.u64 %lo, $a, $c; addc.u64 $d, $b, $e;",
      +[](u64 a, u64 b, u64 c, u64 e) {
        return u64(((u128(b) << 64 | a) + (u128(e) << 64 | c)) >> 64);
      });
  check(
      ".reg .b64 %lo; sub.cc.u64 %lo, $a, $c; subc.u64 $d, $b, $e;",
      +[](u64 a, u64 b, u64 c, u64 e) {
        return u64(((u128(b) << 64 | a) - (u128(e) << 64 | c)) >> 64);
      });
  // Sums that take the flag of a difference, and the other way round: it is
  // the carry of a + ~b + 1.
  check(
      ".reg .b32 %lo; sub.cc.u32 %lo, $a, $b; addc.u32 $d, $c, 0;",
      +[](u32 a, u32 b, u32 c) { return u32(c + (a >= b)); });
  check(
      ".reg .b32 %lo; add.cc.u32 %lo, $a, $b; subc.u32 $d, $c, 7;",
      +[](u32 a, u32 b, u32 c) { return u32(c - 8 + (a + b < a)); });
  check(
      ".reg .b32 %lo; mad.lo.cc.u32 %lo, $a, $b, $c; "
      "madc.hi.u32 $d, $a, $b, 0;",
      +[](u32 a, u32 b, u32 c) { return u32((u64(a) * b + c) >> 32); });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

TEST(Bits, Logic) {
  check("and.b32 $d, $a, $b;", +[](u32 a, u32 b) { return a & b; });
  check("or.b64 $d, $a, $b;", +[](u64 a, u64 b) { return a | b; });
  check("xor.b16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(a ^ b); });
  check("not.b32 $d, $a;", +[](u32 a) { return ~a; });
  check("cnot.b32 $d, $a;", +[](u32 a) { return u32(a == 0); });
  check(
      "lop3.b32 $d, $a, $b, $c, 0x96;",
      +[](u32 a, u32 b, u32 c) { return a ^ b ^ c; });
  check(
      "lop3.b32 $d, $a, $b, $c, 0xca;",
      +[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
}

TEST(Bits, ShiftsClampAtTheWidth) {
  check(
      "shl.b32 $d, $a, $b;", +[](u32 a, u32 b) { return b > 31 ? 0 : a << b; });
  check(
      "shl.b64 $d, $a, $b;", +[](u64 a, u32 b) { return b > 63 ? 0 : a << b; });
  check(
      "shl.b16 $d, $a, $b;",
      +[](u16 a, u32 b) { return u16(b > 15 ? 0 : a << b); });
  check(
      "shr.u32 $d, $a, $b;", +[](u32 a, u32 b) { return b > 31 ? 0 : a >> b; });
  check(
      "shr.s32 $d, $a, $b;",
      +[](i32 a, u32 b) { return a >> std::min(b, 31u); });
  check(
      "shr.s64 $d, $a, $b;",
      +[](i64 a, u32 b) { return a >> std::min(b, 63u); });
  check(
      "shr.s16 $d, $a, $b;",
      +[](i16 a, u32 b) { return i16(a >> std::min(b, 15u)); });
}

TEST(Bits, FunnelShift) {
  check(
      "shf.l.wrap.b32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 c) {
        return u32((u64(b) << 32 | a) << (c & 31) >> 32);
      });
  check(
      "shf.r.wrap.b32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 c) { return u32((u64(b) << 32 | a) >> (c & 31)); });
  check(
      "shf.l.clamp.b32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 c) {
        return u32((u64(b) << 32 | a) << std::min(c, 32u) >> 32);
      });
  check(
      "shf.r.clamp.b32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 c) {
        return u32((u64(b) << 32 | a) >> std::min(c, 32u));
      });
}

TEST(Bits, Count) {
  check("popc.b32 $d, $a;", +[](u32 a) { return u32(llvm::popcount(a)); });
  check("popc.b64 $d, $a;", +[](u64 a) { return u32(llvm::popcount(a)); });
  check("clz.b32 $d, $a;", +[](u32 a) { return u32(llvm::countl_zero(a)); });
  check("clz.b64 $d, $a;", +[](u64 a) { return u32(llvm::countl_zero(a)); });
  check("brev.b32 $d, $a;", +[](u32 a) { return llvm::reverseBits(a); });
  check("brev.b64 $d, $a;", +[](u64 a) { return llvm::reverseBits(a); });
}

/// The document's own loop.
u32 bfind(u64 value, int msb) {
  for (int i = msb; i >= 0; --i)
    if (value >> i & 1)
      return i;
  return ~0u;
}

TEST(Bits, FindLeading) {
  check("bfind.u32 $d, $a;", +[](u32 a) { return bfind(a, 31); });
  check(
      "bfind.s32 $d, $a;",
      +[](i32 a) { return bfind(u32(a < 0 ? ~a : a), 31); });
  check("bfind.s64 $d, $a;", +[](i64 a) { return bfind(a < 0 ? ~a : a, 63); });
  check(
      "bfind.shiftamt.u32 $d, $a;", +[](u32 a) {
        u32 at = bfind(a, 31);
        return at == ~0u ? at : 31 - at;
      });
}

/// Section 9.7.1.19, as the document writes it.
u64 bfe(u64 a, u32 pos, u32 len, int msb, bool isSigned) {
  pos &= 0xff;
  len &= 0xff;
  bool sbit = false;
  if (isSigned && len != 0)
    sbit = a >> std::min<u32>(pos + len - 1, msb) & 1;
  u64 d = 0;
  for (int i = 0; i <= msb; ++i) {
    bool bit = u32(i) < len && pos + i <= u32(msb) ? a >> (pos + i) & 1 : sbit;
    d |= u64(bit) << i;
  }
  return d;
}

u64 bfi(u64 a, u64 b, u32 pos, u32 len, int msb) {
  pos &= 0xff;
  len &= 0xff;
  u64 f = b;
  for (u32 i = 0; i < len && pos + i <= u32(msb); ++i) {
    f &= ~(u64(1) << (pos + i));
    f |= (i < 64 ? a >> i & 1 : 0) << (pos + i);
  }
  return f;
}

TEST(Bits, Fields) {
  check(
      "bfe.u32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 c) { return u32(bfe(a, b, c, 31, false)); });
  check(
      "bfe.s32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 c) { return u32(bfe(a, b, c, 31, true)); });
  check(
      "bfe.u64 $d, $a, $b, $c;",
      +[](u64 a, u32 b, u32 c) { return bfe(a, b, c, 63, false); });
  check(
      "bfe.s64 $d, $a, $b, $c;",
      +[](u64 a, u32 b, u32 c) { return bfe(a, b, c, 63, true); });
  check(
      "bfi.b32 $d, $a, $b, $c, $e;",
      +[](u32 a, u32 b, u32 c, u32 e) { return u32(bfi(a, b, c, e, 31)); });
  check(
      "bfi.b64 $d, $a, $b, $c, $e;",
      +[](u64 a, u64 b, u32 c, u32 e) { return bfi(a, b, c, e, 63); });
}

u32 permute(u32 a, u32 b, u32 selector) {
  u64 pair = u64(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 nibble = selector >> 4 * i & 15;
    u32 byte = pair >> 8 * (nibble & 7) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

TEST(Bits, Permute) {
  checkOn<u32, u32, u32, u32>(
      "prmt.b32 $d, $a, $b, $c;", permute, fewEdges<u32>(), fewEdges<u32>(),
      {0x3210, 0x7654, 0x5410, 0xfedc, 0x0123, 0x8888, 0x9180, 0xffff7531});
}

} // namespace
