//===- LowerInteger.cpp - Integer arithmetic ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.1 and 9.7.2, without the bit-field instructions.
// Division by zero has no specified result; here it is what the GPUs give, all
// ones for the quotient and the dividend for the remainder, and never traps.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower/Lower.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

Value *extend(Emitter &e, Value *value, bool isSigned, unsigned bits) {
  Type *type = e.intType(bits);
  return isSigned ? e.b.CreateSExt(value, type) : e.b.CreateZExt(value, type);
}

/// The product that .lo, .hi or .wide asks for; .wide has twice the width.
Value *multiply(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1), *y = e.arg(in, 2);
  if (in.get("HiLo") == "lo")
    return e.b.CreateMul(x, y);
  unsigned bits = ptx::getBits(in.type);
  bool isSigned = ptx::isSigned(in.type);
  Value *product = e.b.CreateMul(extend(e, x, isSigned, 2 * bits),
                                 extend(e, y, isSigned, 2 * bits));
  if (in.has("wide"))
    return product;
  return e.b.CreateTrunc(e.b.CreateLShr(product, bits), e.intType(bits));
}

/// The 48-bit product of the low 24 bits: bits 16..47 or 0..31 of it.
Value *multiply24(Emitter &e, const Instruction &in) {
  bool isSigned = ptx::isSigned(in.type);
  auto narrow = [&](unsigned index) {
    Value *high = e.b.CreateShl(e.arg(in, index), 8);
    Value *low = isSigned ? e.b.CreateAShr(high, 8) : e.b.CreateLShr(high, 8);
    return extend(e, low, isSigned, 64);
  };
  Value *product = e.b.CreateMul(narrow(1), narrow(2));
  if (in.get("HiLo") != "lo")
    product = e.b.CreateLShr(product, 16);
  return e.b.CreateTrunc(product, e.intType(32));
}

Value *binary(Emitter &e, Intrinsic::ID id, Value *x, Value *y) {
  return e.b.CreateBinaryIntrinsic(id, x, y);
}

struct Division {
  Value *x, *y;  ///< y is made safe: 1 where the division would trap
  Value *isZero; ///< the divisor was zero
};

Division makeSafe(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1), *y = e.arg(in, 2);
  Type *type = x->getType();
  Value *isZero = e.b.CreateICmpEQ(y, ConstantInt::get(type, 0));
  Value *traps = isZero;
  if (ptx::isSigned(in.type)) {
    // The least value divided by -1 is itself: as if divided by 1.
    Value *isLeast = e.b.CreateICmpEQ(
        x, ConstantInt::get(type,
                            APInt::getSignedMinValue(ptx::getBits(in.type))));
    Value *isMinusOne = e.b.CreateICmpEQ(y, ConstantInt::getAllOnesValue(type));
    traps = e.b.CreateOr(traps, e.b.CreateAnd(isLeast, isMinusOne));
  }
  return {x, e.b.CreateSelect(traps, ConstantInt::get(type, 1), y), isZero};
}

} // namespace

void add(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateAdd(e.arg(in, 1), e.arg(in, 2)));
}

void addSaturated(Emitter &e, const Instruction &in) {
  e.result(in, binary(e, Intrinsic::sadd_sat, e.arg(in, 1), e.arg(in, 2)));
}

void sub(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateSub(e.arg(in, 1), e.arg(in, 2)));
}

void subSaturated(Emitter &e, const Instruction &in) {
  e.result(in, binary(e, Intrinsic::ssub_sat, e.arg(in, 1), e.arg(in, 2)));
}

void mul(Emitter &e, const Instruction &in) { e.result(in, multiply(e, in)); }

void mad(Emitter &e, const Instruction &in) {
  Value *product = multiply(e, in);
  Value *addend =
      e.readBits(in.operands[3], product->getType()->getScalarSizeInBits());
  e.result(in, in.has("sat") ? binary(e, Intrinsic::sadd_sat, product, addend)
                             : e.b.CreateAdd(product, addend));
}

void mul24(Emitter &e, const Instruction &in) {
  e.result(in, multiply24(e, in));
}

void mad24(Emitter &e, const Instruction &in) {
  Value *product = multiply24(e, in), *addend = e.arg(in, 3);
  e.result(in, in.has("sat") ? binary(e, Intrinsic::sadd_sat, product, addend)
                             : e.b.CreateAdd(product, addend));
}

/// c plus the products of the bytes of a, or of its halves, and those of b: the
/// lower two or the upper two for halves.
void dot(Emitter &e, const Instruction &in) {
  bool isHalves = in.root == "dp2a";
  unsigned count = isHalves ? 2 : 4, bits = 32 / count;
  unsigned first = isHalves && in.get("HiLo") == "hi" ? 2 : 0;
  auto part = [&](Value *value, unsigned index, unsigned bits, StringRef set) {
    Value *top = e.b.CreateShl(value, 32 - bits * (index + 1));
    return in.get(set) == "s32" ? e.b.CreateAShr(top, 32 - bits)
                                : e.b.CreateLShr(top, 32 - bits);
  };
  Value *x = e.arg(in, 1), *y = e.arg(in, 2), *sum = e.arg(in, 3);
  for (unsigned i = 0; i < count; ++i)
    sum = e.b.CreateAdd(sum, e.b.CreateMul(part(x, i, bits, "Int32"),
                                           part(y, first + i, 8, "DotType")));
  e.result(in, sum);
}

/// c + |a - b|, the difference taken without overflow.
void sad(Emitter &e, const Instruction &in) {
  bool isSigned = ptx::isSigned(in.type);
  Value *x = e.arg(in, 1), *y = e.arg(in, 2);
  Value *isLess = isSigned ? e.b.CreateICmpSLT(x, y) : e.b.CreateICmpULT(x, y);
  Value *distance =
      e.b.CreateSelect(isLess, e.b.CreateSub(y, x), e.b.CreateSub(x, y));
  e.result(in, e.b.CreateAdd(e.arg(in, 3), distance));
}

/// |a - b| of each byte: in place, or added up on c.
void absDifferences(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1), *y = e.arg(in, 2);
  Value *result = in.has("add") ? e.arg(in, 3) : e.number(32, 0);
  unsigned bits = in.root == "vabsdiff2" ? 16 : 8;
  for (unsigned shift = 0; shift < 32; shift += bits) {
    auto part = [&](Value *value) {
      return e.b.CreateAnd(e.b.CreateLShr(value, shift), (1 << bits) - 1);
    };
    Value *distance = binary(e, Intrinsic::abs, e.b.CreateSub(part(x), part(y)),
                             e.b.getFalse());
    result = in.has("add")
                 ? e.b.CreateAdd(result, distance)
                 : e.b.CreateOr(result, e.b.CreateShl(distance, shift));
  }
  e.result(in, result);
}

void divInteger(Emitter &e, const Instruction &in) {
  Division d = makeSafe(e, in);
  Value *quotient = ptx::isSigned(in.type) ? e.b.CreateSDiv(d.x, d.y)
                                           : e.b.CreateUDiv(d.x, d.y);
  e.result(in,
           e.b.CreateSelect(d.isZero, Constant::getAllOnesValue(d.x->getType()),
                            quotient));
}

void rem(Emitter &e, const Instruction &in) {
  Division d = makeSafe(e, in);
  Value *remainder = ptx::isSigned(in.type) ? e.b.CreateSRem(d.x, d.y)
                                            : e.b.CreateURem(d.x, d.y);
  e.result(in, e.b.CreateSelect(d.isZero, d.x, remainder));
}

void absInteger(Emitter &e, const Instruction &in) {
  e.result(in, binary(e, Intrinsic::abs, e.arg(in, 1), e.b.getFalse()));
}

void negInteger(Emitter &e, const Instruction &in) {
  e.result(in, e.b.CreateNeg(e.arg(in, 1)));
}

/// min and max; .relu takes zero for a negative result.
void extremeInteger(Emitter &e, const Instruction &in) {
  bool isSigned = ptx::isSigned(in.type);
  Intrinsic::ID id = in.root == "min"
                         ? (isSigned ? Intrinsic::smin : Intrinsic::umin)
                         : (isSigned ? Intrinsic::smax : Intrinsic::umax);
  Value *value = binary(e, id, e.arg(in, 1), e.arg(in, 2));
  if (in.has("relu"))
    value = binary(e, Intrinsic::smax, value,
                   ConstantInt::get(value->getType(), 0));
  e.result(in, value);
}

//===----------------------------------------------------------------------===//
// Extended precision: the carry flag CC.CF is a register of the thread.
//===----------------------------------------------------------------------===//

namespace {

/// The flag as a number of `type`, when the instruction reads it.
Value *readCarry(Emitter &e, Type *type) {
  return e.b.CreateZExt(e.readCarry(), type);
}

/// x + y + `carry`, which may be null for none. CC.CF goes out as the
/// instruction says.
void addWithCarry(Emitter &e, const Instruction &in, Value *x, Value *y,
                  Value *carry) {
  Value *result = e.b.CreateAdd(x, y);
  Value *flag = e.b.CreateICmpULT(result, x);
  if (carry) {
    Value *next = e.b.CreateAdd(result, carry);
    flag = e.b.CreateOr(flag, e.b.CreateICmpULT(next, result));
    result = next;
  }
  if (in.has("cc"))
    e.writeCarry(flag);
  e.result(in, result);
}

} // namespace

void addCarry(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  addWithCarry(e, in, x, e.arg(in, 2),
               in.root == "addc" ? readCarry(e, x->getType()) : nullptr);
}

/// x - y is x + ~y + 1, and the flag its carry: not the borrow, as the document
/// has it, but what ptxas makes of it. Only code that mixes sums and
/// differences can tell.
void subBorrow(Emitter &e, const Instruction &in) {
  Value *x = e.arg(in, 1);
  addWithCarry(e, in, x, e.b.CreateNot(e.arg(in, 2)),
               in.root == "subc" ? readCarry(e, x->getType())
                                 : ConstantInt::get(x->getType(), 1));
}

void madCarry(Emitter &e, const Instruction &in) {
  Value *product = multiply(e, in);
  addWithCarry(e, in, product, e.arg(in, 3),
               in.root == "madc" ? readCarry(e, product->getType()) : nullptr);
}

} // namespace tc::emulator::lower
