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

#include "Translate/Lower/FloatOps.h"
#include "Translate/Lower/Formats.h"
#include "Translate/Lower/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

/// Clamps an integer of type `from` to the range of one of `bits` bits.
Value *clampInteger(Emitter &e, Value *value, ptx::Type from, bool toSigned,
                    unsigned bits) {
  bool fromSigned = ptx::isSigned(from);
  unsigned fromBits = ptx::getBits(from);
  Type *type = value->getType();
  if (fromSigned && (!toSigned || bits < fromBits)) {
    APInt least = toSigned ? APInt::getSignedMinValue(bits).sext(fromBits)
                           : APInt(fromBits, 0);
    value = e.b.CreateBinaryIntrinsic(Intrinsic::smax, value,
                                      ConstantInt::get(type, least));
  }
  if (bits - toSigned >= fromBits - fromSigned)
    return value;
  APInt most = APInt::getLowBitsSet(fromBits, bits - toSigned);
  return e.b.CreateBinaryIntrinsic(fromSigned ? Intrinsic::smin
                                              : Intrinsic::umin,
                                   value, ConstantInt::get(type, most));
}

/// The number `value` in a format of 8 to 32 bits, which lie in that many.
Value *encodeAs(Emitter &e, Value *value, StringRef name, StringRef rounding,
                bool isSaturated) {
  unsigned mode = getRounding(rounding);
  Encoding encoding{StringSwitch<Format>(name)
                        .Cases({"f16", "f16x2"}, Format::F16)
                        .Cases({"bf16", "bf16x2"}, Format::BF16)
                        .Case("tf32", Format::TF32)
                        .Case("e4m3x2", Format::E4M3)
                        .Default(Format::E5M2),
                    Rounding(mode), isSaturated};
  bool isHalf = encoding.format <= Format::BF16;
  bool isSingle = value->getType()->getScalarType()->isFloatTy();
  if (isHalf && isSingle && mode == 0 && !isSaturated)
    return narrow(e, value,
                  encoding.format == Format::F16 ? ptx::Type::F16
                                                 : ptx::Type::BF16);
  if (encoding.format == Format::TF32 && rounding == "rna" && !isSaturated) {
    Value *bits = e.b.CreateBitCast(value, e.intType(32));
    bits = e.b.CreateAnd(e.b.CreateAdd(bits, e.number(32, 0x1000)), 0xffffe000);
    return e.b.CreateSelect(e.b.CreateFCmpUNO(value, value),
                            e.number(32, 0x7fffffff), bits);
  }
  if (isSingle)
    value = e.b.CreateFPExt(value, e.typeOf(ptx::Type::F64));
  Value *bits = e.callRuntime("tc_emulator_encode_f64", e.intType(32),
                              {value, e.number(32, encoding.pack())});
  unsigned width = isHalf ? 16 : encoding.format == Format::TF32 ? 32 : 8;
  return e.b.CreateTrunc(bits, e.intType(width));
}

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
};

/// .sat clamps to the range of the destination.
Value *Conversion::intToInt(Value *value) {
  unsigned bits = ptx::getBits(to);
  if (in.has("sat"))
    value = clampInteger(e, value, from, ptx::isSigned(to), bits);
  return ptx::isSigned(from) ? e.b.CreateSExtOrTrunc(value, e.intType(bits))
                             : e.b.CreateZExtOrTrunc(value, e.intType(bits));
}

Value *Conversion::intToFloat(Value *value) {
  bool isSigned = ptx::isSigned(from), isHalf = ptx::getBits(to) == 16;
  unsigned mode = getRounding(rounding());
  // .sat asks for [0, 1], and that is exact.
  if (in.has("sat"))
    value =
        isSigned
            ? e.b.CreateBinaryIntrinsic(
                  Intrinsic::smin,
                  e.b.CreateBinaryIntrinsic(
                      Intrinsic::smax, value,
                      ConstantInt::get(value->getType(), 0)),
                  ConstantInt::get(value->getType(), 1))
            : e.b.CreateBinaryIntrinsic(Intrinsic::umin, value,
                                        ConstantInt::get(value->getType(), 1));
  if (mode == 0 && !isHalf)
    return isSigned ? e.b.CreateSIToFP(value, e.typeOf(to))
                    : e.b.CreateUIToFP(value, e.typeOf(to));
  // Beyond the integers that .f32 holds exactly, .f16 is infinite.
  if (mode == 0 && to == ptx::Type::F16) {
    Type *real = e.typeOf(ptx::Type::F32);
    return narrow(e,
                  isSigned ? e.b.CreateSIToFP(value, real)
                           : e.b.CreateUIToFP(value, real),
                  to);
  }
  Type *i64 = e.intType(64);
  value = isSigned ? e.b.CreateSExt(value, i64) : e.b.CreateZExt(value, i64);
  std::string kind = isSigned ? "s64" : "u64";
  if (!isHalf)
    return e.callRuntime("tc_emulator_from_" + kind + "_" +
                             ptx::getName(to).str(),
                         e.typeOf(to), {value, e.number(32, mode)});
  Encoding encoding{to == ptx::Type::F16 ? Format::F16 : Format::BF16,
                    Rounding(mode)};
  Value *bits = e.callRuntime("tc_emulator_encode_" + kind, e.intType(32),
                              {value, e.number(32, encoding.pack())});
  return e.b.CreateTrunc(bits, e.intType(16));
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

Value *Conversion::floatToFloat(Value *value) {
  if (isWhole())
    value = roundToWhole(value);
  value = clamp(e, in, value);
  if (ptx::getBits(to) == 16)
    return encodeAs(e, value, ptx::getName(to), rounding(), false);
  if (to == ptx::Type::F64)
    return e.b.CreateFPExt(value, e.typeOf(to));
  if (from == ptx::Type::F64) {
    unsigned mode = getRounding(rounding());
    value = mode ? e.callRuntime("tc_emulator_narrow", e.typeOf(to),
                                 {value, e.number(32, mode)})
                 : e.b.CreateFPTrunc(value, e.typeOf(to));
  }
  return flushInput(e, in, value, to);
}

} // namespace

void cvt(Emitter &e, const Instruction &in) {
  ptx::Type to = *ptx::findType(in.get("Dst"));
  ptx::Type from = *ptx::findType(in.get("Src"));
  Conversion conversion{e, in, to, from};
  bool toFloat = ptx::isFloat(to), fromFloat = ptx::isFloat(from);
  if (to == from && !conversion.isWhole() && !in.has("sat") && !in.has("ftz"))
    return e.write(in.operands[0], e.read(in.operands[1], from), to);
  Value *value = nullptr;
  if (!fromFloat) {
    value = e.read(in.operands[1], from);
    value = toFloat ? conversion.intToFloat(value) : conversion.intToInt(value);
  } else {
    value = readPart(e, in.operands[1], from, 0);
    if (from == ptx::Type::F32)
      value = flushInput(e, in, value, from);
    value =
        toFloat ? conversion.floatToFloat(value) : conversion.floatToInt(value);
  }
  e.write(in.operands[0], value, to);
}

/// To .tf32, to a 16-bit format, or to two of 16 or 8 bits in one register,
/// where the first operand is the upper half.
void cvtNarrow(Emitter &e, const Instruction &in) {
  StringRef name = "tf32";
  for (StringRef set : {"Half", "Packed", "Quarters"})
    if (in.has(set))
      name = in.get(set);
  SmallVector<Value *, 2> values;
  if (in.has("f16x2"))
    for (unsigned part : {0, 1})
      values.push_back(readPart(e, in.operands[1], ptx::Type::F16X2, part));
  else
    for (const ptx::Operand &operand : reverse(drop_begin(in.operands)))
      values.push_back(e.read(operand, ptx::Type::F32));
  StringRef rounding = in.has("Rnd2") ? in.get("Rnd2") : in.get("rna");
  for (Value *&value : values)
    value =
        encodeAs(e, clamp(e, in, value), name, rounding, in.has("satfinite"));
  e.write(in.operands[0], joinParts(e, values), ptx::Type::B32);
}

/// Two numbers of 8 bits as .f16x2.
void cvtWiden(Emitter &e, const Instruction &in) {
  Value *bits = e.readBits(in.operands[1], 16);
  bool isE4M3 = in.get("Quarters") == "e4m3x2";
  SmallVector<Value *, 2> parts;
  for (unsigned part : {0, 1}) {
    Value *byte = e.b.CreateAnd(e.b.CreateLShr(bits, 8 * part), 0xff);
    Value *magnitude = e.b.CreateAnd(byte, 0x7f);
    // .e5m2 is the upper half of .f16. The exponent of .e4m3, moved in place,
    // is 8 too small.
    Value *half = e.b.CreateShl(magnitude, isE4M3 ? 7 : 8);
    Value *isNaN =
        e.b.CreateICmpUGT(magnitude, e.number(16, isE4M3 ? 0x7e : 0x7c));
    if (isE4M3) {
      Value *real =
          e.b.CreateFPExt(e.b.CreateBitCast(half, e.laneType(e.b.getHalfTy())),
                          e.typeOf(ptx::Type::F32));
      half = narrow(e, e.b.CreateFMul(real, e.real(ptx::Type::F32, 256)),
                    ptx::Type::F16);
    }
    Value *sign = e.b.CreateShl(e.b.CreateAnd(byte, 0x80), 8);
    Value *isNegative = e.b.CreateICmpNE(sign, e.number(16, 0));
    half = in.has("relu") ? e.b.CreateSelect(isNegative, e.number(16, 0), half)
                          : e.b.CreateOr(half, sign);
    parts.push_back(e.b.CreateSelect(isNaN, e.number(16, 0x7fff), half));
  }
  e.write(in.operands[0], joinParts(e, parts), ptx::Type::B32);
}

/// Two integers, saturated, below what a third one has.
void cvtPack(Emitter &e, const Instruction &in) {
  bool isBelow = in.has("SmallInt");
  StringRef type = in.get(isBelow ? "SmallInt" : "Int16");
  bool isSigned = type.consume_front("s");
  type.consume_front("u");
  unsigned bits = 0;
  type.getAsInteger(10, bits);
  auto read = [&](unsigned index) {
    Value *value = e.read(in.operands[index], ptx::Type::S32);
    value = clampInteger(e, value, ptx::Type::S32, isSigned, bits);
    return e.b.CreateAnd(value, (uint64_t(1) << bits) - 1);
  };
  Value *result = e.b.CreateOr(e.b.CreateShl(read(1), bits), read(2));
  if (isBelow)
    result = e.b.CreateOr(
        result,
        e.b.CreateShl(e.read(in.operands[3], ptx::Type::B32), 2 * bits));
  e.write(in.operands[0], result, ptx::Type::B32);
}

} // namespace tc::emulator::lower
