//===- LowerConvert.cpp - Conversions -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.9.21.
//
//===----------------------------------------------------------------------===//

#include "Translate/FloatOps.h"
#include "Translate/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator {

Value *widenHalf(Emitter &e, Value *bits, ptx::Type type) {
  Type *real = e.typeOf(ptx::Type::F32);
  if (type == ptx::Type::F16)
    return e.b.CreateFPExt(e.b.CreateBitCast(bits, e.laneType(e.b.getHalfTy())),
                           real);
  return e.b.CreateBitCast(
      e.b.CreateShl(e.b.CreateZExt(bits, e.intType(32)), 16), real);
}

namespace lower {

namespace {

/// One conversion: where from, where to, and how.
struct Conversion {
  Emitter &e;
  const Instruction &in;
  ptx::Type to, from;

  StringRef rounding() const { return in.get("Rounding"); }
  bool isWhole() const { return rounding().size() == 3; }

  Value *intToInt(Value *value);
  Value *intToFloat(Value *value);
  Value *floatToInt(Value *value);
  Value *floatToFloat(Value *value);
  Value *roundToWhole(Value *value);
  Value *widen(Value *value);
  Value *narrow(Value *value);
};

/// .sat clamps to the range of the destination.
Value *Conversion::intToInt(Value *value) {
  bool fromSigned = ptx::isSigned(from), toSigned = ptx::isSigned(to);
  unsigned bits = ptx::getBits(to), fromBits = ptx::getBits(from);
  if (in.has("sat")) {
    // Bits of the greatest number of each, and whether the least ones differ.
    unsigned most = bits - toSigned, fromMost = fromBits - fromSigned;
    if (fromSigned && (!toSigned || bits < fromBits))
      value = e.b.CreateBinaryIntrinsic(
          Intrinsic::smax, value,
          ConstantInt::get(value->getType(),
                           toSigned
                               ? APInt::getSignedMinValue(bits).sext(fromBits)
                               : APInt(fromBits, 0)));
    if (most < fromMost)
      value = e.b.CreateBinaryIntrinsic(
          fromSigned ? Intrinsic::smin : Intrinsic::umin, value,
          ConstantInt::get(value->getType(),
                           APInt::getLowBitsSet(fromBits, most)));
  }
  return fromSigned ? e.b.CreateSExtOrTrunc(value, e.intType(bits))
                    : e.b.CreateZExtOrTrunc(value, e.intType(bits));
}

Value *Conversion::intToFloat(Value *value) {
  bool isSigned = ptx::isSigned(from);
  unsigned mode = getRounding(rounding());
  if (mode == 0)
    return isSigned ? e.b.CreateSIToFP(value, e.typeOf(to))
                    : e.b.CreateUIToFP(value, e.typeOf(to));
  Type *i64 = e.intType(64);
  value = isSigned ? e.b.CreateSExt(value, i64) : e.b.CreateZExt(value, i64);
  std::string name = std::string("tc_emulator_from_") +
                     (isSigned ? "s64_" : "u64_") + ptx::getName(to).str();
  return e.callRuntime(name, e.typeOf(to), {value, e.number(32, mode)});
}

Value *Conversion::roundToWhole(Value *value) {
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(rounding())
                         .Case("rni", Intrinsic::roundeven)
                         .Case("rzi", Intrinsic::trunc)
                         .Case("rmi", Intrinsic::floor)
                         .Default(Intrinsic::ceil);
  return e.b.CreateUnaryIntrinsic(id, value);
}

/// Out of range clamps. NaN gives zero, but the top bit alone when the source
/// is .f64 or the destination has 64 bits.
Value *Conversion::floatToInt(Value *value) {
  unsigned bits = ptx::getBits(to);
  Type *type = e.intType(bits);
  Intrinsic::ID id =
      ptx::isSigned(to) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *whole =
      e.b.CreateIntrinsic(id, {type, value->getType()}, {roundToWhole(value)});
  if (from != ptx::Type::F64 && bits != 64)
    return whole;
  Value *isNaN = e.b.CreateFCmpUNO(value, value);
  return e.b.CreateSelect(
      isNaN, ConstantInt::get(type, APInt::getOneBitSet(bits, bits - 1)),
      whole);
}

/// The 16-bit formats as .f32; the others as they are.
Value *Conversion::widen(Value *value) {
  return ptx::getBits(from) == 16 ? widenHalf(e, value, from) : value;
}

/// .f32 to a 16-bit format, to nearest even.
Value *toHalf(Emitter &e, Value *value, bool isBrain) {
  if (!isBrain)
    return e.b.CreateBitCast(
        e.b.CreateFPTrunc(value, e.laneType(e.b.getHalfTy())), e.intType(16));
  Type *i32 = e.intType(32);
  Value *bits = e.b.CreateBitCast(value, i32);
  Value *lowest = e.b.CreateAnd(e.b.CreateLShr(bits, 16), 1);
  Value *rounded =
      e.b.CreateAdd(e.b.CreateAdd(bits, e.number(32, 0x7fff)), lowest);
  rounded = e.b.CreateSelect(e.b.CreateFCmpUNO(value, value),
                             e.number(32, 0x7fff0000), rounded);
  return e.b.CreateTrunc(e.b.CreateLShr(rounded, 16), e.intType(16));
}

Value *Conversion::narrow(Value *value) {
  if (ptx::getBits(to) == 16)
    return toHalf(e, value, to == ptx::Type::BF16);
  unsigned mode = getRounding(rounding());
  if (mode == 0)
    return e.b.CreateFPTrunc(value, e.typeOf(to));
  return e.callRuntime("tc_emulator_narrow", e.typeOf(to),
                       {value, e.number(32, mode)});
}

Value *Conversion::floatToFloat(Value *value) {
  if (isWhole())
    value = roundToWhole(value);
  if (to == from)
    return value;
  // A 16-bit source was widened to .f32 before.
  if (to == ptx::Type::F64)
    return e.b.CreateFPExt(value, e.typeOf(to));
  if (ptx::getBits(to) < ptx::getBits(from))
    return narrow(value);
  return value;
}

} // namespace

void cvt(Emitter &e, const Instruction &in) {
  ptx::Type to = *ptx::findType(in.get("Dst"));
  ptx::Type from = *ptx::findType(in.get("Src"));
  Conversion conversion{e, in, to, from};
  Value *value = e.read(in.operands[1], from);
  bool toFloat = ptx::isFloat(to), fromFloat = ptx::isFloat(from);
  // A copy of a 16-bit format stays what it is.
  if (fromFloat && !(to == from && ptx::getBits(to) == 16))
    value = flushInput(e, in, conversion.widen(value));
  if (!fromFloat)
    value = toFloat ? conversion.intToFloat(value) : conversion.intToInt(value);
  else
    value =
        toFloat ? conversion.floatToFloat(value) : conversion.floatToInt(value);
  if (toFloat && value->getType()->isFPOrFPVectorTy()) {
    value = flushInput(e, in, value);
    if (in.has("sat"))
      value = saturate(e, value);
  }
  e.write(in.operands[0], value, to);
}

/// Two .f32 into one register: the first operand is the upper half.
void cvtPacked(Emitter &e, const Instruction &in) {
  bool isBrain = in.get("Packed") == "bf16x2";
  Type *i32 = e.intType(32);
  auto half = [&](unsigned index) {
    return e.b.CreateZExt(
        toHalf(e, e.read(in.operands[index], ptx::Type::F32), isBrain), i32);
  };
  Value *high = half(1), *low = half(2);
  e.write(in.operands[0], e.b.CreateOr(e.b.CreateShl(high, 16), low),
          ptx::Type::B32);
}

} // namespace lower
} // namespace tc::emulator
