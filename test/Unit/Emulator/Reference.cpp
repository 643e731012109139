//===- Reference.cpp - What instructions compute, a second time -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers in 128 bits, floating point by APFloat.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cfenv>
#include <cmath>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using llvm::StringRef;

namespace tc::emulator::test {

namespace {

using ptx::Instruction;
using Wide = __int128;

uint64_t cut(Wide value, unsigned bits) {
  return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(bits);
}
/// The number that `bits` of a register are.
Wide extend(uint64_t value, unsigned bits, bool isSigned) {
  return isSigned ? Wide(llvm::SignExtend64(value, bits))
                  : Wide(cut(value, bits));
}
Wide number(const Instruction &in, uint64_t value) {
  return extend(value, ptx::getBits(in.type), ptx::isSigned(in.type));
}
Wide clampTo(Wide value, unsigned bits, bool isSigned) {
  Wide most = (Wide(1) << (bits - isSigned)) - 1;
  Wide least = isSigned ? -most - 1 : 0;
  return std::min(std::max(value, least), most);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

const llvm::fltSemantics &semantics(StringRef type) {
  if (type.starts_with("f16"))
    return APFloat::IEEEhalf();
  if (type.starts_with("bf16"))
    return APFloat::BFloat();
  if (type == "tf32")
    return APFloat::FloatTF32();
  if (type == "e4m3x2")
    return APFloat::Float8E4M3FN();
  if (type == "e5m2x2")
    return APFloat::Float8E5M2();
  return type.starts_with("f32") ? APFloat::IEEEsingle()
                                 : APFloat::IEEEdouble();
}

bool isPacked(Type type) { return ptx::getName(type).ends_with("x2"); }
unsigned partBits(Type type) {
  return ptx::getBits(type) >> unsigned(isPacked(type));
}
bool isReal(Type type) {
  return ptx::isFloat(type) || type == Type::F16X2 || type == Type::BF16X2 ||
         type == Type::F32X2;
}

APFloat toFloat(Type type, uint64_t bits) {
  unsigned width = partBits(type);
  return APFloat(semantics(ptx::getName(type)), APInt(width, cut(bits, width)));
}
uint64_t toBits(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

llvm::RoundingMode getMode(StringRef name) {
  return llvm::StringSwitch<llvm::RoundingMode>(name)
      .Cases({"rz", "rzi"}, llvm::RoundingMode::TowardZero)
      .Cases({"rm", "rmi"}, llvm::RoundingMode::TowardNegative)
      .Cases({"rp", "rpi"}, llvm::RoundingMode::TowardPositive)
      .Case("rna", llvm::RoundingMode::NearestTiesToAway)
      .Default(llvm::RoundingMode::NearestTiesToEven);
}

APFloat
convert(APFloat value, const llvm::fltSemantics &to,
        llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) {
  bool losesInfo;
  value.convert(to, mode, &losesInfo);
  return value;
}

APFloat zeroLike(const APFloat &value, bool isNegative = false) {
  return APFloat::getZero(value.getSemantics(), isNegative);
}
APFloat oneLike(const APFloat &value) {
  return convert(APFloat(1.0), value.getSemantics());
}

APFloat flush(const Instruction &in, APFloat value) {
  bool isDouble = &value.getSemantics() == &APFloat::IEEEdouble();
  return in.has("ftz") && !isDouble && value.isDenormal()
             ? zeroLike(value, value.isNegative())
             : value;
}

APFloat limit(const Instruction &in, APFloat value) {
  if (in.has("sat")) {
    if (value.isNaN() || value.isNegative() || value.isZero())
      return zeroLike(value);
    APFloat one = oneLike(value);
    return value > one ? one : value;
  }
  if (in.has("relu") && !value.isNaN() &&
      (value.isNegative() || value.isZero()))
    return zeroLike(value);
  return value;
}

template <typename T>
T squareRoot(T value, StringRef mode) {
  int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile T operand = value;
  std::fesetround(modes[mode == "rz"   ? 1
                        : mode == "rm" ? 2
                        : mode == "rp" ? 3
                                       : 0]);
  volatile T root = std::sqrt(T(operand));
  std::fesetround(FE_TONEAREST);
  return root;
}

/// A function of one number by the host's double, rounded once more.
APFloat byHost(const Instruction &in, const APFloat &value) {
  double x = convert(value, APFloat::IEEEdouble()).convertToDouble();
  double y = llvm::StringSwitch<double (*)(double)>(in.root)
                 .Case("sin", std::sin)
                 .Case("cos", std::cos)
                 .Case("lg2", std::log2)
                 .Case("ex2", std::exp2)
                 .Case("tanh", std::tanh)
                 .Default(+[](double v) { return 1 / std::sqrt(v); })(x);
  return convert(APFloat(y), value.getSemantics());
}

APFloat extreme(const Instruction &in, APFloat x, APFloat y) {
  bool isMin = in.root == "min";
  bool isNegative = x.isNegative() != y.isNegative();
  if (in.has("xorsign")) {
    x.clearSign();
    y.clearSign();
  }
  APFloat result = x;
  if (x.isNaN() || y.isNaN()) {
    if (in.has("NaN") || (x.isNaN() && y.isNaN()))
      return APFloat::getNaN(x.getSemantics());
    result = x.isNaN() ? y : x;
  } else if (x.isZero() && y.isZero()) {
    result = zeroLike(x, isMin ? x.isNegative() || y.isNegative()
                               : x.isNegative() && y.isNegative());
  } else {
    result = (x < y) == isMin ? x : y;
  }
  if (in.has("xorsign") && result.isNegative() != isNegative)
    result.changeSign();
  return result;
}

/// One part of the result from those of the sources.
APFloat computePart(const Instruction &in, std::vector<APFloat> x) {
  StringRef name = in.get("Rnd");
  llvm::RoundingMode mode = getMode(name);
  APFloat result = x[0];
  StringRef op = in.root;
  if (op == "add")
    result.add(x[1], mode);
  else if (op == "sub")
    result.subtract(x[1], mode);
  else if (op == "mul")
    result.multiply(x[1], mode);
  else if (op == "div")
    result.divide(x[1], mode);
  else if (op == "fma" || op == "mad")
    result.fusedMultiplyAdd(x[1], x[2], mode);
  else if (op == "rcp") {
    result = oneLike(x[0]);
    result.divide(x[0], mode);
  } else if (op == "sqrt")
    result = &x[0].getSemantics() == &APFloat::IEEEsingle()
                 ? APFloat(squareRoot(x[0].convertToFloat(), name))
                 : APFloat(squareRoot(x[0].convertToDouble(), name));
  else if (op == "abs")
    result.clearSign();
  else if (op == "neg")
    result.changeSign();
  else if (op == "min" || op == "max")
    result = extreme(in, x[0], x[1]);
  else
    result = byHost(in, x[0]);
  return result;
}

Bits realArithmetic(const Instruction &in, const Bits &sources) {
  unsigned width = partBits(in.type);
  uint64_t result = 0;
  for (unsigned shift = 0; shift < ptx::getBits(in.type); shift += width) {
    std::vector<APFloat> parts;
    for (uint64_t source : sources)
      parts.push_back(flush(in, toFloat(in.type, source >> shift)));
    APFloat value = limit(in, flush(in, computePart(in, parts)));
    result |= toBits(value) << shift;
  }
  return {result};
}

/// Sources of 16 bits but for the last, which is .f32 as the result is.
Bits mixedArithmetic(const Instruction &in, const Bits &sources) {
  std::vector<APFloat> values;
  for (size_t i = 0; i + 1 < sources.size(); ++i)
    values.push_back(
        convert(toFloat(in.type, sources[i]), APFloat::IEEEsingle()));
  values.push_back(toFloat(Type::F32, sources.back()));
  return {toBits(limit(in, computePart(in, values)))};
}

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
  uint64_t bytes = 0, sum = s[2];
  for (unsigned shift = 0; shift < 32; shift += 8) {
    int difference = int(s[0] >> shift & 255) - int(s[1] >> shift & 255);
    bytes |= uint64_t(std::abs(difference)) << shift;
    sum += std::abs(difference);
  }
  return {in.has("add") ? cut(Wide(sum), 32) : bytes};
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

bool compareNumbers(StringRef cmp, int order) {
  return llvm::StringSwitch<bool>(cmp)
      .Case("eq", order == 0)
      .Case("ne", order != 0)
      .Cases({"lt", "lo"}, order < 0)
      .Cases({"le", "ls"}, order <= 0)
      .Cases({"gt", "hi"}, order > 0)
      .Default(order >= 0);
}

bool comparePart(const Instruction &in, const Bits &s, unsigned shift) {
  StringRef cmp = in.get("Cmp");
  if (!isReal(in.type)) {
    Wide x = number(in, s[0]), y = number(in, s[1]);
    return compareNumbers(cmp, x < y ? -1 : x > y);
  }
  APFloat x = flush(in, toFloat(in.type, s[0] >> shift));
  APFloat y = flush(in, toFloat(in.type, s[1] >> shift));
  bool isUnordered = x.isNaN() || y.isNaN();
  if (cmp == "num" || cmp == "nan")
    return isUnordered == (cmp == "nan");
  bool acceptsNaN = cmp.size() == 3 && cmp.ends_with("u");
  if (isUnordered)
    return acceptsNaN;
  return compareNumbers(cmp.take_front(2), x < y ? -1 : x > y);
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
    return isReal(to)
               ? toBits(convert(APFloat(1.0), semantics(ptx::getName(to))))
               : llvm::maskTrailingOnes<uint64_t>(bits);
  };
  if (!isPacked(in.type))
    return {encode(join(in, s, comparePart(in, s, 0)), ptx::getBits(to))};
  return {encode(join(in, s, comparePart(in, s, 0)), 16) |
          encode(join(in, s, comparePart(in, s, 16)), 16) << 16};
}

Bits select(const Instruction &in, const Bits &s) {
  if (in.root == "selp")
    return {s[2] ? s[0] : s[1]};
  bool first;
  if (in.type == Type::F32) {
    APFloat c = flush(in, toFloat(Type::F32, s[2]));
    first = !c.isNaN() && (c.isZero() || !c.isNegative());
  } else {
    first = int32_t(uint32_t(s[2])) >= 0;
  }
  return {first ? s[0] : s[1]};
}

Bits classify(const Instruction &in, const Bits &s) {
  APFloat x = toFloat(in.type, s[0]);
  return {llvm::StringSwitch<bool>(in.get("TestOp"))
              .Case("finite", x.isFinite())
              .Case("infinite", x.isInfinity())
              .Case("number", !x.isNaN())
              .Case("notanumber", x.isNaN())
              .Case("normal", x.isNormal())
              .Default(x.isDenormal())};
}

Bits copySign(const Instruction &in, const Bits &s) {
  uint64_t sign = uint64_t(1) << (ptx::getBits(in.type) - 1);
  return {(s[1] & ~sign) | (s[0] & sign)};
}

Bits move(const Instruction &, const Bits &s) { return {s[0]}; }
Bits policy(const Instruction &, const Bits &) { return {0}; }

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// To a format of 8 to 32 bits, which .satfinite keeps finite.
uint64_t encode(const Instruction &in, APFloat value, StringRef type,
                StringRef mode) {
  const llvm::fltSemantics &to = semantics(type);
  bool isByte = type.starts_with("e");
  if (value.isNaN())
    return isByte ? 0x7f : type == "tf32" ? 0x7fffffff : 0x7fff;
  value = limit(in, value);
  APFloat most = convert(APFloat::getLargest(to), value.getSemantics());
  APFloat magnitude = value;
  magnitude.clearSign();
  if (in.has("satfinite") && magnitude > most) {
    bool isNegative = value.isNegative();
    value = most;
    if (isNegative)
      value.changeSign();
  }
  APFloat result = convert(value, to, getMode(mode));
  return type == "tf32" ? toBits(result) << 13 : toBits(result);
}

StringRef findFormat(const Instruction &in) {
  for (StringRef set : {"Half", "Packed", "Quarters"})
    if (in.has(set))
      return in.get(set);
  return "tf32";
}

Bits convertNarrow(const Instruction &in, const Bits &s) {
  StringRef type = findFormat(in);
  StringRef mode = in.has("rna") ? "rna" : in.get("Rnd2");
  unsigned width = type.starts_with("e") ? 8 : 16;
  std::vector<APFloat> values;
  if (in.has("f16x2"))
    for (unsigned shift : {0, 16})
      values.push_back(toFloat(Type::F16, s[0] >> shift));
  else
    for (size_t i = s.size(); i-- > 0;)
      values.push_back(toFloat(Type::F32, s[i]));
  uint64_t result = 0;
  for (size_t i = 0; i < values.size(); ++i)
    result |= encode(in, values[i], type, mode) << (width * i);
  return {result};
}

Bits convertWiden(const Instruction &in, const Bits &s) {
  uint64_t result = 0;
  for (unsigned part : {0, 1}) {
    APFloat byte(semantics(in.get("Quarters")),
                 APInt(8, s[0] >> (8 * part) & 255));
    APFloat half = convert(byte, APFloat::IEEEhalf());
    result |= (byte.isNaN() ? 0x7fff : toBits(limit(in, half))) << (16 * part);
  }
  return {result};
}

Bits convertPack(const Instruction &in, const Bits &s) {
  StringRef type = in.get(s.size() > 2 ? "SmallInt" : "Int16");
  unsigned bits = 0;
  type.drop_front().getAsInteger(10, bits);
  auto clamped = [&](uint64_t value) {
    return cut(clampTo(int32_t(uint32_t(value)), bits, type[0] == 's'), bits);
  };
  uint64_t result = clamped(s[0]) << bits | clamped(s[1]);
  return {cut(result | (s.size() > 2 ? s[2] << (2 * bits) : 0), 32)};
}

uint64_t toInteger(const Instruction &in, const APFloat &value, Type from,
                   Type to) {
  unsigned bits = ptx::getBits(to);
  if (value.isNaN())
    return from == Type::F64 || bits == 64 ? uint64_t(1) << (bits - 1) : 0;
  APSInt result(bits, !ptx::isSigned(to));
  bool isExact;
  value.convertToInteger(result, getMode(in.get("Rounding")), &isExact);
  return cut(Wide(result.getExtValue()), bits);
}

uint64_t convertScalar(const Instruction &in, uint64_t source, Type from,
                       Type to) {
  unsigned bits = ptx::getBits(to);
  StringRef mode = in.get("Rounding");
  if (!isReal(from)) {
    Wide value = extend(source, ptx::getBits(from), ptx::isSigned(from));
    if (!isReal(to))
      return cut(in.has("sat") ? clampTo(value, bits, ptx::isSigned(to))
                               : value,
                 bits);
    APFloat result(semantics(ptx::getName(to)));
    result.convertFromAPInt(
        APInt(128, {uint64_t(value), uint64_t(value >> 64)}), true,
        getMode(mode));
    return toBits(limit(in, result));
  }
  APFloat value = toFloat(from, source);
  if (from == Type::F32)
    value = flush(in, value);
  if (!isReal(to))
    return toInteger(in, value, from, to);
  if (mode.size() == 3)
    value.roundToIntegral(getMode(mode));
  value = convert(limit(in, value), semantics(ptx::getName(to)), getMode(mode));
  return toBits(to == Type::F32 ? flush(in, value) : value);
}

/// A destination register wider than the type is extended by its sign.
Bits convertAny(const Instruction &in, const Bits &s) {
  if (in.has("pack"))
    return convertPack(in, s);
  if (in.has("Dst"))
    return {convertScalar(in, s[0], *ptx::findType(in.get("Src")),
                          *ptx::findType(in.get("Dst")))};
  bool widens = in.has("Quarters") && ptx::findType(in.modifiers.back()) ==
                                          ptx::findType(in.get("Quarters"));
  return widens ? convertWiden(in, s) : convertNarrow(in, s);
}

} // namespace

Reference findReference(StringRef root) {
  return llvm::StringSwitch<Reference>(root)
      .Cases({"add", "sub", "mul", "mad", "mul24", "mad24"}, arithmetic)
      .Cases({"sad", "div", "rem", "abs", "neg", "min", "max"}, arithmetic)
      .Cases({"fma", "rcp", "sqrt", "rsqrt"}, arithmetic)
      .Cases({"sin", "cos", "lg2", "ex2", "tanh"}, arithmetic)
      .Cases({"dp4a", "dp2a"}, dot)
      .Case("vabsdiff4", absDifferences)
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
      .Case("testp", classify)
      .Case("copysign", copySign)
      .Case("mov", move)
      .Case("createpolicy", policy)
      .Case("cvt", convertAny)
      .Default(nullptr);
}

bool isRight(const Instruction &in, Type type, uint64_t got,
             uint64_t expected) {
  unsigned width = isReal(type) ? partBits(type) : ptx::getBits(type);
  bool isApproximate = in.has("approx") || in.has("full");
  for (unsigned shift = 0; shift < ptx::getBits(type); shift += width) {
    uint64_t x = cut(got >> shift, width), y = cut(expected >> shift, width);
    if (x == y)
      continue;
    if (!isReal(type))
      return false;
    APFloat a = toFloat(type, x), b = toFloat(type, y);
    if (a.isNaN() && b.isNaN())
      continue;
    // The host's functions are good to a few units in the last place.
    if (!isApproximate || a.isNaN() || b.isNaN() ||
        std::abs(int64_t(x) - int64_t(y)) > 4)
      return false;
  }
  return true;
}

} // namespace tc::emulator::test
