//===- Reference.cpp - What instructions compute, a second time -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers in 128 bits, and which function is the reference of which
// instruction.
//
//===----------------------------------------------------------------------===//

#include "Reference/Reference.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using llvm::StringRef;

namespace tc::emulator::test {

using namespace reference;
using ptx::Instruction;

namespace {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Wide multiply(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type);
  if (in.root.ends_with("24")) {
    Wide product = extend(s[0], 24, ptx::isSigned(in.type)) *
                   extend(s[1], 24, ptx::isSigned(in.type));
    return in.get("HiLo") == "hi" || in.has("hi") ? product >> 16 : product;
  }
  // Two factors of 64 bits without a sign need all of the 128 bits.
  Wide product = Wide((unsigned __int128)number(in, s[0]) *
                      (unsigned __int128)number(in, s[1]));
  if (in.has("wide") || in.get("HiLo") == "lo")
    return product;
  return Wide((unsigned __int128)product >> bits);
}

Bits pairInteger(const Instruction &in, const Bits &s) {
  bool isSigned = ptx::isSigned(in.type);
  uint64_t result = 0;
  for (unsigned shift : {0, 16}) {
    Wide x = extend(s[0] >> shift, 16, isSigned);
    Wide y = extend(s[1] >> shift, 16, isSigned);
    Wide value = in.root == "add"   ? x + y
                 : in.root == "min" ? std::min(x, y)
                                    : std::max(x, y);
    if (in.has("relu"))
      value = std::max(value, Wide(0));
    result |= cut(value, 16) << shift;
  }
  return {result};
}

Bits integerArithmetic(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type);
  bool isSigned = ptx::isSigned(in.type);
  Wide x = number(in, s[0]), y = s.size() > 1 ? number(in, s[1]) : 0;
  Wide result = 0;
  StringRef op = in.root;
  if (op == "add")
    result = x + y;
  else if (op == "sub")
    result = x - y;
  else if (op == "mul" || op == "mul24")
    result = multiply(in, s);
  else if (op == "mad" || op == "mad24")
    result =
        Wide((unsigned __int128)extend(
                 cut(multiply(in, s), in.has("wide") ? 2 * bits : bits),
                 in.has("wide") ? std::min(2 * bits, 64u) : bits, isSigned) +
             (unsigned __int128)extend(s[2], in.has("wide") ? 2 * bits : bits,
                                       isSigned));
  else if (op == "sad")
    result = number(in, s[2]) + (x < y ? y - x : x - y);
  else if (op == "div")
    result = y == 0 ? -1 : x / y;
  else if (op == "rem")
    result = y == 0 ? x : x % y;
  else if (op == "abs")
    result = x < 0 ? -x : x;
  else if (op == "neg")
    result = -x;
  else
    result = op == "min" ? std::min(x, y) : std::max(x, y);
  if (in.has("sat"))
    result = clampTo(result, bits, true);
  if (in.has("relu"))
    result = std::max(result, Wide(0));
  return {cut(result, in.has("wide") ? 2 * bits : bits)};
}

/// add, sub, mul and the rest that have integer and floating-point forms.
Bits arithmetic(const Instruction &in, const Bits &sources) {
  if (in.has("Half"))
    return mixedArithmetic(in, sources);
  if (isReal(in.type))
    return realArithmetic(in, sources);
  return isPacked(in.type) ? pairInteger(in, sources)
                           : integerArithmetic(in, sources);
}

Bits dot(const Instruction &in, const Bits &s) {
  bool isHalves = in.root == "dp2a";
  unsigned count = isHalves ? 2 : 4, bits = 32 / count;
  unsigned first = in.get("HiLo") == "hi" ? 2 : 0;
  Wide sum = Wide(s[2]);
  for (unsigned i = 0; i < count; ++i)
    sum += extend(s[0] >> (bits * i), bits, in.get("Int32") == "s32") *
           extend(s[1] >> (8 * (first + i)), 8, in.get("DotType") == "s32");
  return {cut(sum, 32)};
}

Bits absDifferences(const Instruction &in, const Bits &s) {
  unsigned bits = in.root == "vabsdiff2" ? 16 : 8;
  uint64_t packed = 0, sum = s[2];
  for (unsigned shift = 0; shift < 32; shift += bits) {
    auto part = [&](uint64_t value) { return int(cut(value >> shift, bits)); };
    uint64_t difference = std::abs(part(s[0]) - part(s[1]));
    packed |= difference << shift;
    sum += difference;
  }
  return {in.has("add") ? cut(Wide(sum), 32) : packed};
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Bits count(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type);
  uint64_t x = s[0];
  if (in.root == "popc")
    return {uint64_t(llvm::popcount(x))};
  uint64_t leading = llvm::countl_zero(x) - (64 - bits);
  if (in.root == "clz")
    return {leading};
  if (in.root == "brev") {
    uint64_t reversed = 0;
    for (unsigned i = 0; i < bits; ++i)
      reversed |= (x >> i & 1) << (bits - 1 - i);
    return {reversed};
  }
  // bfind.
  if (ptx::isSigned(in.type) && x >> (bits - 1))
    x = cut(~Wide(x), bits);
  if (x == 0)
    return {0xffffffff};
  unsigned top = llvm::Log2_64(x);
  return {in.has("shiftamt") ? bits - 1 - top : top};
}

Bits extractField(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type), pos = s[1] & 255, len = s[2] & 255;
  bool isSigned = ptx::isSigned(in.type);
  unsigned last = std::min(pos + len - 1, bits - 1);
  bool sign = isSigned && len && (s[0] >> last & 1);
  uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i)
    if (i < len && pos + i < bits ? s[0] >> (pos + i) & 1 : sign)
      result |= uint64_t(1) << i;
  return {result};
}

Bits insertField(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type), pos = s[2] & 255, len = s[3] & 255;
  uint64_t result = s[1];
  for (unsigned i = 0; i < len && pos + i < bits; ++i) {
    uint64_t bit = uint64_t(1) << (pos + i);
    result = s[0] >> i & 1 ? result | bit : result & ~bit;
  }
  return {result};
}

Bits findNth(const Instruction &, const Bits &s) {
  int64_t pos = int64_t(s[1]), offset = int32_t(uint32_t(s[2]));
  auto isSet = [&](int64_t at) { return at < 32 && s[0] >> at & 1; };
  if (offset == 0)
    return {isSet(pos) ? uint64_t(pos) : 0xffffffff};
  int64_t left = std::abs(offset) - 1;
  for (int64_t step = offset > 0 ? 1 : -1; pos >= 0 && pos < 32; pos += step)
    if (isSet(pos) && left-- == 0)
      return {uint64_t(pos)};
  return {0xffffffff};
}

/// The document's own code of `szext` and `bmsk`.
Bits extendField(const Instruction &in, const Bits &s) {
  unsigned n = s[1] & 31;
  bool isTooLarge = s[1] >= 32 && in.get("Clamp") == "clamp";
  uint32_t mask = isTooLarge ? 0 : ~0u << n, x = uint32_t(s[0]);
  bool sign = n && !isTooLarge && in.type == Type::S32 && x >> (n - 1) & 1;
  return {uint64_t((x & ~mask) | (sign ? mask : 0))};
}
Bits makeMask(const Instruction &in, const Bits &s) {
  bool isClamp = in.get("Clamp") == "clamp";
  unsigned a = s[0] & 31, b = s[1] & 31, sum = a + b;
  uint32_t mask0 = ~0u << a, mask1 = sum < 32 ? ~0u << sum : 0;
  if (isClamp && s[0] >= 32)
    mask0 = 0;
  if (isClamp && (s[0] >= 32 || s[1] >= 32))
    mask1 = 0;
  return {uint64_t(mask0 & ~mask1)};
}

Bits logic(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type);
  if (in.root == "and")
    return {s[0] & s[1]};
  if (in.root == "or")
    return {s[0] | s[1]};
  if (in.root == "xor")
    return {s[0] ^ s[1]};
  if (in.root == "not")
    return {cut(~Wide(s[0]), bits)};
  return {s[0] == 0}; // cnot
}

Bits lookUp(const Instruction &in, const Bits &s) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned row =
        (s[0] >> i & 1) << 2 | (s[1] >> i & 1) << 1 | (s[2] >> i & 1);
    result |= (s[3] >> row & 1) << i;
  }
  if (!in.has("LogicOp"))
    return {result};
  bool any = result != 0, other = s[4];
  return {result, in.get("LogicOp") == "or" ? any || other : any && other};
}

Bits shift(const Instruction &in, const Bits &s) {
  unsigned bits = ptx::getBits(in.type);
  unsigned n = unsigned(std::min<uint64_t>(s[1], bits));
  if (in.root == "shl")
    return {cut(Wide(s[0]) << n, bits)};
  return {cut(number(in, s[0]) >> n, bits)};
}

Bits funnel(const Instruction &in, const Bits &s) {
  unsigned n =
      in.get("Clamp") == "clamp" ? std::min<uint64_t>(s[2], 32) : s[2] & 31;
  unsigned __int128 pair = (unsigned __int128)(s[1] << 32 | s[0]);
  return {in.get("Direction") == "l" ? cut(Wide(pair << n >> 32), 32)
                                     : cut(Wide(pair >> n), 32)};
}

Bits permute(const Instruction &in, const Bits &s) {
  StringRef mode = in.get("PermuteMode");
  uint64_t pair = s[1] << 32 | s[0], result = 0;
  unsigned c = s[2] & 3;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned from = mode == "f4e"    ? c + i
                    : mode == "b4e"  ? (c - i) & 7
                    : mode == "rc8"  ? c
                    : mode == "ecl"  ? std::max(c, i)
                    : mode == "ecr"  ? std::min(c, i)
                    : mode == "rc16" ? (c & 1) * 2 + (i & 1)
                                     : s[2] >> (4 * i) & 15;
    uint64_t byte = pair >> (8 * (from & 7)) & 255;
    if (mode.empty() && from & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return {result};
}

//===----------------------------------------------------------------------===//
// Comparison, selection and moves
//===----------------------------------------------------------------------===//

bool comparePart(const Instruction &in, const Bits &s, unsigned shift) {
  if (!isReal(in.type)) {
    Wide x = number(in, s[0]), y = number(in, s[1]);
    return holds(in.get("Cmp"), x < y ? -1 : x > y);
  }
  return compareReals(in, s, shift);
}

bool join(const Instruction &in, const Bits &s, bool value) {
  if (!in.has("BoolOp"))
    return value;
  bool other = s[2];
  return in.get("BoolOp") == "and"  ? value && other
         : in.get("BoolOp") == "or" ? value || other
                                    : value != other;
}

Bits setPredicates(const Instruction &in, const Bits &s) {
  bool first = comparePart(in, s, 0);
  bool second = isPacked(in.type) ? comparePart(in, s, 16) : !first;
  return {join(in, s, first), join(in, s, second)};
}

Bits setNumber(const Instruction &in, const Bits &s) {
  Type to = *ptx::findType(in.get("SetType"));
  auto encode = [&](bool value, unsigned bits) -> uint64_t {
    if (!value)
      return 0;
    return isReal(to) ? encodeOne(to) : llvm::maskTrailingOnes<uint64_t>(bits);
  };
  if (!isPacked(in.type))
    return {encode(join(in, s, comparePart(in, s, 0)), ptx::getBits(to))};
  return {encode(join(in, s, comparePart(in, s, 0)), 16) |
          encode(join(in, s, comparePart(in, s, 16)), 16) << 16};
}

Bits select(const Instruction &in, const Bits &s) {
  if (in.root == "selp")
    return {s[2] ? s[0] : s[1]};
  bool first = in.type == Type::F32 ? isAtLeastZero(in, s[2])
                                    : int32_t(uint32_t(s[2])) >= 0;
  return {first ? s[0] : s[1]};
}

Bits copySign(const Instruction &in, const Bits &s) {
  uint64_t sign = uint64_t(1) << (ptx::getBits(in.type) - 1);
  return {(s[1] & ~sign) | (s[0] & sign)};
}

Bits move(const Instruction &, const Bits &s) { return {s[0]}; }
Bits policy(const Instruction &, const Bits &) { return {0}; }

} // namespace

Reference findReference(StringRef root) {
  return llvm::StringSwitch<Reference>(root)
      .Cases({"add", "sub", "mul", "mad", "mul24", "mad24"}, arithmetic)
      .Cases({"sad", "div", "rem", "abs", "neg", "min", "max"}, arithmetic)
      .Cases({"fma", "rcp", "sqrt", "rsqrt"}, arithmetic)
      .Cases({"sin", "cos", "lg2", "ex2", "tanh"}, arithmetic)
      .Cases({"dp4a", "dp2a"}, dot)
      .Cases({"vabsdiff2", "vabsdiff4"}, absDifferences)
      .Cases({"popc", "clz", "brev", "bfind"}, count)
      .Case("bfe", extractField)
      .Case("bfi", insertField)
      .Case("fns", findNth)
      .Case("szext", extendField)
      .Case("bmsk", makeMask)
      .Cases({"and", "or", "xor", "not", "cnot"}, logic)
      .Case("lop3", lookUp)
      .Cases({"shl", "shr"}, shift)
      .Case("shf", funnel)
      .Case("prmt", permute)
      .Case("setp", setPredicates)
      .Case("set", setNumber)
      .Cases({"selp", "slct"}, select)
      .Case("testp", reference::classify)
      .Case("copysign", copySign)
      .Case("mov", move)
      .Case("createpolicy", policy)
      .Case("cvt", reference::convert)
      .Default(nullptr);
}

} // namespace tc::emulator::test
