//===- ReferenceFloat.cpp - Floating point by APFloat
//----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, comparison and conversion of floating-point numbers.
//
//===----------------------------------------------------------------------===//

#include "Reference/Reference.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSwitch.h"

#include <cfenv>
#include <cmath>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using llvm::StringRef;

namespace tc::emulator::test {

using namespace reference;
using ptx::Instruction;

namespace {

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
convertTo(APFloat value, const llvm::fltSemantics &to,
          llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) {
  bool losesInfo;
  value.convert(to, mode, &losesInfo);
  return value;
}

APFloat zeroLike(const APFloat &value, bool isNegative = false) {
  return APFloat::getZero(value.getSemantics(), isNegative);
}
APFloat oneLike(const APFloat &value) {
  return convertTo(APFloat(1.0), value.getSemantics());
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
  double x = convertTo(value, APFloat::IEEEdouble()).convertToDouble();
  double y = llvm::StringSwitch<double (*)(double)>(in.root)
                 .Case("sin", std::sin)
                 .Case("cos", std::cos)
                 .Case("lg2", std::log2)
                 .Case("ex2", std::exp2)
                 .Case("tanh", std::tanh)
                 .Default(+[](double v) { return 1 / std::sqrt(v); })(x);
  return convertTo(APFloat(y), value.getSemantics());
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

/// To a format of 8 to 32 bits, which .satfinite keeps finite.
uint64_t encode(const Instruction &in, APFloat value, StringRef type,
                StringRef mode) {
  const llvm::fltSemantics &to = semantics(type);
  bool isByte = type.starts_with("e");
  if (value.isNaN())
    return isByte ? 0x7f : type == "tf32" ? 0x7fffffff : 0x7fff;
  value = limit(in, value);
  APFloat most = convertTo(APFloat::getLargest(to), value.getSemantics());
  APFloat magnitude = value;
  magnitude.clearSign();
  if (in.has("satfinite") && magnitude > most) {
    bool isNegative = value.isNegative();
    value = most;
    if (isNegative)
      value.changeSign();
  }
  APFloat result = convertTo(value, to, getMode(mode));
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
    APFloat half = convertTo(byte, APFloat::IEEEhalf());
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
  return result.getZExtValue();
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
  value =
      convertTo(limit(in, value), semantics(ptx::getName(to)), getMode(mode));
  return toBits(to == Type::F32 ? flush(in, value) : value);
}

} // namespace

Bits reference::realArithmetic(const Instruction &in, const Bits &sources) {
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
Bits reference::mixedArithmetic(const Instruction &in, const Bits &sources) {
  std::vector<APFloat> values;
  for (size_t i = 0; i + 1 < sources.size(); ++i)
    values.push_back(
        convertTo(toFloat(in.type, sources[i]), APFloat::IEEEsingle()));
  values.push_back(toFloat(Type::F32, sources.back()));
  return {toBits(limit(in, computePart(in, values)))};
}

bool reference::holds(StringRef cmp, int order) {
  return llvm::StringSwitch<bool>(cmp)
      .Case("eq", order == 0)
      .Case("ne", order != 0)
      .Cases({"lt", "lo"}, order < 0)
      .Cases({"le", "ls"}, order <= 0)
      .Cases({"gt", "hi"}, order > 0)
      .Default(order >= 0);
}

bool reference::compareReals(const Instruction &in, const Bits &s,
                             unsigned shift) {
  StringRef cmp = in.get("Cmp");
  APFloat x = flush(in, toFloat(in.type, s[0] >> shift));
  APFloat y = flush(in, toFloat(in.type, s[1] >> shift));
  bool isUnordered = x.isNaN() || y.isNaN();
  if (cmp == "num" || cmp == "nan")
    return isUnordered == (cmp == "nan");
  bool acceptsNaN = cmp.size() == 3 && cmp.ends_with("u");
  if (isUnordered)
    return acceptsNaN;
  return holds(cmp.take_front(2), x < y ? -1 : x > y);
}

Bits reference::classify(const Instruction &in, const Bits &s) {
  APFloat x = toFloat(in.type, s[0]);
  return {llvm::StringSwitch<bool>(in.get("TestOp"))
              .Case("finite", x.isFinite())
              .Case("infinite", x.isInfinity())
              .Case("number", !x.isNaN())
              .Case("notanumber", x.isNaN())
              .Case("normal", x.isNormal())
              .Default(x.isDenormal())};
}

bool reference::isAtLeastZero(const Instruction &in, uint64_t bits) {
  APFloat value = flush(in, toFloat(Type::F32, bits));
  return !value.isNaN() && (value.isZero() || !value.isNegative());
}

uint64_t reference::encodeOne(Type type) {
  return toBits(convertTo(APFloat(1.0), semantics(ptx::getName(type))));
}

/// A destination register wider than the type is extended by its sign.
Bits reference::convert(const Instruction &in, const Bits &s) {
  if (in.has("pack"))
    return convertPack(in, s);
  if (in.has("Dst"))
    return {convertScalar(in, s[0], *ptx::findType(in.get("Src")),
                          *ptx::findType(in.get("Dst")))};
  bool widens = in.has("Quarters") && ptx::findType(in.modifiers.back()) ==
                                          ptx::findType(in.get("Quarters"));
  return widens ? convertWiden(in, s) : convertNarrow(in, s);
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
