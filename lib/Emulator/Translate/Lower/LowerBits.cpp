//===- LowerBits.cpp - Bit fields, logic and shifts -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.1.14 to 9.7.1.20, 9.7.8 and `prmt`.
// Shift amounts clamp at the width, where LLVM's shifts are undefined.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

unsigned bitsOf(const Instruction &in) { return ptx::getBits(in.type); }

/// x << n or x >> n with 0 (or the sign) for n at or above the width. `n` has
/// the type of x and is taken as unsigned.
Value *shiftLeft(Emitter &e, Value *x, Value *n) {
  unsigned bits = x->getType()->getScalarSizeInBits();
  Constant *width = ConstantInt::get(x->getType(), bits);
  Value *inRange = e.b.CreateICmpULT(n, width);
  Value *safe = e.b.CreateAnd(n, ConstantInt::get(x->getType(), bits - 1));
  return e.b.CreateSelect(inRange, e.b.CreateShl(x, safe),
                          Constant::getNullValue(x->getType()));
}

Value *shiftRight(Emitter &e, Value *x, Value *n, bool isSigned) {
  unsigned bits = x->getType()->getScalarSizeInBits();
  Constant *last = ConstantInt::get(x->getType(), bits - 1);
  if (isSigned)
    return e.b.CreateAShr(x,
                          e.b.CreateBinaryIntrinsic(Intrinsic::umin, n, last));
  Value *inRange = e.b.CreateICmpULE(n, last);
  return e.b.CreateSelect(inRange, e.b.CreateLShr(x, e.b.CreateAnd(n, last)),
                          Constant::getNullValue(x->getType()));
}

/// A shift amount, which is .u32, in the type of what is shifted.
Value *readAmount(Emitter &e, const Instruction &in, unsigned index,
                  Type *type) {
  Value *amount = e.read(in.operands[index], ptx::Type::U32);
  unsigned bits = type->getScalarSizeInBits();
  if (bits < 32)
    amount =
        e.b.CreateBinaryIntrinsic(Intrinsic::umin, amount, e.number(32, bits));
  return e.b.CreateZExtOrTrunc(amount, type);
}

/// 2^n - 1 for n up to the width of `type`.
Value *lowMask(Emitter &e, Value *n, Type *type) {
  return e.b.CreateNot(shiftLeft(e, Constant::getAllOnesValue(type), n));
}

void unary(Emitter &e, const Instruction &in, Intrinsic::ID id) {
  Value *value = e.b.CreateUnaryIntrinsic(id, e.arg(in, 1));
  e.result(in, value);
}

} // namespace

void popc(Emitter &e, const Instruction &in) {
  Value *count = e.b.CreateUnaryIntrinsic(Intrinsic::ctpop, e.arg(in, 1));
  e.write(in.operands[0], e.b.CreateZExtOrTrunc(count, e.intType(32)),
          ptx::Type::U32);
}

void clz(Emitter &e, const Instruction &in) {
  Value *count =
      e.b.CreateBinaryIntrinsic(Intrinsic::ctlz, e.arg(in, 1), e.b.getFalse());
  e.write(in.operands[0], e.b.CreateZExtOrTrunc(count, e.intType(32)),
          ptx::Type::U32);
}

/// Position of the most significant bit that differs from the sign (signed) or
/// is set; .shiftamt counts from the top; all ones when there is none.
void bfind(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  unsigned bits = bitsOf(in);
  Value *zero = Constant::getNullValue(x->getType());
  if (ptx::isSigned(in.type))
    x = e.b.CreateSelect(e.b.CreateICmpSLT(x, zero), e.b.CreateNot(x), x);
  Value *leading = e.b.CreateZExtOrTrunc(
      e.b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, e.b.getFalse()),
      e.intType(32));
  Value *position = in.has("shiftamt")
                        ? leading
                        : e.b.CreateSub(e.number(32, bits - 1), leading);
  e.write(in.operands[0],
          e.b.CreateSelect(e.b.CreateICmpEQ(x, zero),
                           e.number(32, ~uint32_t(0)), position),
          ptx::Type::U32);
}

void brev(Emitter &e, const Instruction &in) {
  unary(e, in, Intrinsic::bitreverse);
}

/// `len` bits from `pos`; beyond the top comes the sign bit (signed) or zero.
/// Both operands count modulo 256.
void bfe(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  Type *type = x->getType();
  unsigned bits = bitsOf(in);
  auto readByte = [&](unsigned index) {
    return e.b.CreateAnd(readAmount(e, in, index, type),
                         ConstantInt::get(type, 0xff));
  };
  Value *pos = readByte(2), *len = readByte(3);
  Constant *width = ConstantInt::get(type, bits);
  bool isSigned = ptx::isSigned(in.type);
  Value *shifted = shiftRight(e, x, pos, isSigned);
  Value *clamped = e.b.CreateBinaryIntrinsic(Intrinsic::umin, len, width);
  if (!isSigned)
    return e.result(in, e.b.CreateAnd(shifted, lowMask(e, clamped, type)));
  // Move the field to the top and back; a shift by the width is 0 bits long.
  Value *up = e.b.CreateSub(width, clamped);
  Value *field = shiftRight(e, shiftLeft(e, shifted, up), up, true);
  Value *isEmpty = e.b.CreateICmpEQ(len, Constant::getNullValue(type));
  e.result(in, e.b.CreateSelect(isEmpty, Constant::getNullValue(type), field));
}

/// Inserts the low `len` bits of a into b from `pos`.
void bfi(Emitter &e, const Instruction &in) {
  Value *field = e.arg(in, 1), *into = e.arg(in, 2);
  Type *type = field->getType();
  auto readByte = [&](unsigned index) {
    return e.b.CreateAnd(readAmount(e, in, index, type),
                         ConstantInt::get(type, 0xff));
  };
  Value *pos = readByte(3), *len = readByte(4);
  Value *mask = shiftLeft(e, lowMask(e, len, type), pos);
  Value *placed = e.b.CreateAnd(shiftLeft(e, field, pos), mask);
  e.result(in, e.b.CreateOr(placed, e.b.CreateAnd(into, e.b.CreateNot(mask))));
}

void bitAnd(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateAnd(e.arg(in, 1), e.arg(in, 2)));
}
void bitOr(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateOr(e.arg(in, 1), e.arg(in, 2)));
}
void bitXor(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateXor(e.arg(in, 1), e.arg(in, 2)));
}
void bitNot(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateNot(e.arg(in, 1)));
}

void cnot(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  Value *isZero = e.b.CreateICmpEQ(x, Constant::getNullValue(x->getType()));
  e.result(in, e.b.CreateZExt(isZero, x->getType()));
}

/// The truth table is the constant's bits, indexed by the bits of a, b, c. With
/// a predicate, that tells whether any bit is set, joined with the last
/// operand.
void lop3(Emitter &e, const Instruction &in) {
  Value *a = e.arg(in, 1), *b = e.arg(in, 2), *c = e.arg(in, 3);
  Value *result = e.number(32, 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(in.operands[4].bits >> row & 1))
      continue;
    Value *x = row & 4 ? a : e.b.CreateNot(a);
    Value *y = row & 2 ? b : e.b.CreateNot(b);
    Value *z = row & 1 ? c : e.b.CreateNot(c);
    result = e.b.CreateOr(result, e.b.CreateAnd(e.b.CreateAnd(x, y), z));
  }
  if (!in.has("LogicOp"))
    return e.result(in, result);
  Value *any = e.b.CreateICmpNE(result, e.number(32, 0));
  Value *other = e.read(in.operands[5], ptx::Type::Pred);
  any = in.get("LogicOp") == "or" ? e.b.CreateOr(any, other)
                                  : e.b.CreateAnd(any, other);
  e.write(in.operands[0].elements[0], result, in.type);
  e.write(in.operands[0].elements[1], any, ptx::Type::Pred);
}

/// `b` ones from bit `a` on.
void bmsk(Emitter &e, const Instruction &in) {
  Value *from = e.arg(in, 1), *count = e.arg(in, 2);
  if (in.get("Clamp") == "wrap") {
    from = e.b.CreateAnd(from, 31);
    count = e.b.CreateAnd(count, 31);
  }
  e.result(in, shiftLeft(e, lowMask(e, count, from->getType()), from));
}

/// The lower `b` bits, extended by the sign or by zeros.
void szext(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1), *count = e.arg(in, 2);
  count =
      in.get("Clamp") == "wrap"
          ? e.b.CreateAnd(count, 31)
          : e.b.CreateBinaryIntrinsic(Intrinsic::umin, count, e.number(32, 32));
  Value *up = e.b.CreateSub(e.number(32, 32), count);
  Value *field = shiftRight(e, shiftLeft(e, x, up), up, ptx::isSigned(in.type));
  Value *isEmpty = e.b.CreateICmpEQ(count, e.number(32, 0));
  e.result(in, e.b.CreateSelect(isEmpty, e.number(32, 0), field));
}

/// Position of the n-th set bit of a mask from a base upwards, or downwards for
/// negative n; 0 asks for the base itself. All ones when there is none.
void fns(Emitter &e, const Instruction &in) {
  Value *mask = e.arg(in, 1), *base = e.arg(in, 2), *n = e.arg(in, 3);
  Value *zero = e.number(32, 0), *last = e.number(32, 31);
  Value *isDown = e.b.CreateICmpSLT(n, zero),
        *isHere = e.b.CreateICmpEQ(n, zero);
  auto reversed = [&](Value *value) {
    return e.b.CreateUnaryIntrinsic(Intrinsic::bitreverse, value);
  };
  // Downwards is upwards in the reversed mask.
  mask = e.b.CreateSelect(isDown, reversed(mask), mask);
  Value *isInside = e.b.CreateICmpULT(base, e.number(32, 32));
  base = e.b.CreateSelect(isDown, e.b.CreateSub(last, base), base);
  Value *ones = Constant::getAllOnesValue(mask->getType());
  Value *above = shiftLeft(e, ones, base);
  Value *here = shiftLeft(e, e.number(32, 1), base);
  mask = e.b.CreateAnd(mask, e.b.CreateSelect(isHere, here, above));
  mask = e.b.CreateSelect(isInside, mask, zero);
  n = e.b.CreateBinaryIntrinsic(Intrinsic::abs, n, e.b.getFalse());
  for (unsigned dropped = 1; dropped < 32; ++dropped) {
    Value *rest = e.b.CreateAnd(mask, e.b.CreateSub(mask, e.number(32, 1)));
    Value *drops = e.b.CreateICmpUGT(n, e.number(32, dropped));
    mask = e.b.CreateSelect(drops, rest, mask);
  }
  Value *isNone = e.b.CreateOr(e.b.CreateICmpEQ(mask, zero),
                               e.b.CreateICmpUGT(n, e.number(32, 32)));
  Value *position =
      e.b.CreateBinaryIntrinsic(Intrinsic::cttz, mask, e.b.getFalse());
  position = e.b.CreateSelect(isDown, e.b.CreateSub(last, position), position);
  e.result(in, e.b.CreateSelect(isNone, ones, position));
}

/// Shifts the pair {b, a}: left gives the high word, right the low one.
void shf(Emitter &e, const Instruction &in) {
  Type *i64 = e.intType(64);
  Value *low = e.b.CreateZExt(e.arg(in, 1), i64);
  Value *high = e.b.CreateZExt(e.arg(in, 2), i64);
  Value *pair = e.b.CreateOr(e.b.CreateShl(high, 32), low);
  Value *amount = e.read(in.operands[3], ptx::Type::U32);
  amount =
      in.get("Clamp") == "clamp"
          ? e.b.CreateBinaryIntrinsic(Intrinsic::umin, amount, e.number(32, 32))
          : e.b.CreateAnd(amount, 31);
  amount = e.b.CreateZExt(amount, i64);
  Value *result = in.get("Direction") == "l"
                      ? e.b.CreateLShr(e.b.CreateShl(pair, amount), 32)
                      : e.b.CreateLShr(pair, amount);
  e.result(in, e.b.CreateTrunc(result, e.intType(32)));
}

void shl(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  e.result(in, shiftLeft(e, x, readAmount(e, in, 2, x->getType())));
}

void shr(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  e.result(in, shiftRight(e, x, readAmount(e, in, 2, x->getType()),
                          ptx::isSigned(in.type)));
}

/// The selectors that a mode of `prmt` has for c = 0, 1, 2 and 3.
static uint64_t getSelectors(StringRef mode) {
  return StringSwitch<uint64_t>(mode)
      .Case("f4e", 0x6543543243213210)
      .Case("b4e", 0x0123701267015670)
      .Case("rc8", 0x3333222211110000)
      .Case("ecl", 0x3333322232113210)
      .Case("ecr", 0x3210221011100000)
      .Default(0x3232101032321010);
}

/// Each nibble of c picks a byte of {b, a}, or with its top bit set that byte's
/// sign, eight times.
void prmt(Emitter &e, const Instruction &in) {
  Type *i64 = e.intType(64);
  Value *pair =
      e.b.CreateOr(e.b.CreateShl(e.b.CreateZExt(e.arg(in, 2), i64), 32),
                   e.b.CreateZExt(e.arg(in, 1), i64));
  Value *selector = e.b.CreateZExt(e.arg(in, 3), i64);
  if (in.has("PermuteMode"))
    selector = e.b.CreateLShr(e.number(64, getSelectors(in.get("PermuteMode"))),
                              e.b.CreateShl(e.b.CreateAnd(selector, 3), 4));
  Value *result = e.number(32, 0);
  for (unsigned i = 0; i < 4; ++i) {
    Value *nibble = e.b.CreateLShr(selector, 4 * i);
    Value *amount = e.b.CreateShl(e.b.CreateAnd(nibble, 7), 3);
    Value *byte = e.b.CreateTrunc(e.b.CreateLShr(pair, amount), e.intType(8));
    Value *isSign = e.b.CreateICmpNE(e.b.CreateAnd(nibble, 8), e.number(64, 0));
    byte = e.b.CreateSelect(isSign, e.b.CreateAShr(byte, 7), byte);
    result = e.b.CreateOr(
        result, e.b.CreateShl(e.b.CreateZExt(byte, e.intType(32)), 8 * i));
  }
  e.result(in, result);
}

} // namespace tc::emulator::lower
