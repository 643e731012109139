//===- LowerFloat.cpp - Floating-point arithmetic -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.3. Rounding to nearest is the host's own arithmetic,
// never contracted; the other modes go through the runtime (Rounding.cpp). The
// .approx instructions give the correctly rounded or libm result, which lies
// within every bound the document states.
//
//===----------------------------------------------------------------------===//

#include "FloatOps.h"
#include "Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator {

Value *flush(Emitter &e, Value *value) {
  Value *least = ConstantFP::get(
      value->getType(),
      APFloat::getSmallestNormalized(value->getType()->getFltSemantics()));
  Value *magnitude = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *zero = e.b.CreateBinaryIntrinsic(
      Intrinsic::copysign, ConstantFP::get(value->getType(), 0.0), value);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(magnitude, least), zero, value);
}

Value *flushInput(Emitter &e, const ptx::Instruction &in, Value *value) {
  return in.has("ftz") && value->getType()->isFloatTy() ? flush(e, value)
                                                        : value;
}

Value *saturate(Emitter &e, Value *value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0);
  Value *one = ConstantFP::get(value->getType(), 1.0);
  Value *low = e.b.CreateSelect(e.b.CreateFCmpOGT(value, zero), value, zero);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(low, one), low, one);
}

unsigned getRounding(StringRef mode) {
  return StringSwitch<unsigned>(mode)
      .Case("rz", 1)
      .Case("rm", 2)
      .Case("rp", 3)
      .Default(0);
}

namespace lower {

namespace {

Value *input(Emitter &e, const Instruction &in, unsigned index) {
  return flushInput(e, in, e.arg(in, index));
}

void output(Emitter &e, const Instruction &in, Value *value) {
  value = flushInput(e, in, value);
  e.result(in, in.has("sat") ? saturate(e, value) : value);
}

/// Calls tc_emulator_<operation>_<f32|f64>(arguments..., mode).
Value *callRounded(Emitter &e, const Instruction &in, StringRef operation,
                   ArrayRef<Value *> arguments) {
  SmallVector<Value *> all(arguments);
  all.push_back(e.b.getInt32(getRounding(in.get("Rnd"))));
  std::string name =
      ("tc_emulator_" + operation + "_" + ptx::getName(in.type)).str();
  return e.callRuntime(name, arguments[0]->getType(), all);
}

bool isNearest(const Instruction &in) { return !getRounding(in.get("Rnd")); }

Value *callMath(Emitter &e, StringRef name, Value *value) {
  return e.callRuntime(name, value->getType(), {value});
}

Value *one(Value *like) { return ConstantFP::get(like->getType(), 1.0); }

} // namespace

void addFloat(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1), *y = input(e, in, 2);
  output(e, in,
         isNearest(in) ? e.b.CreateFAdd(x, y)
                       : callRounded(e, in, "add", {x, y}));
}

void subFloat(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1), *y = input(e, in, 2);
  output(e, in,
         isNearest(in) ? e.b.CreateFSub(x, y)
                       : callRounded(e, in, "sub", {x, y}));
}

void mulFloat(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1), *y = input(e, in, 2);
  output(e, in,
         isNearest(in) ? e.b.CreateFMul(x, y)
                       : callRounded(e, in, "mul", {x, y}));
}

void fma(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1), *y = input(e, in, 2), *z = input(e, in, 3);
  output(e, in,
         isNearest(in)
             ? e.b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z})
             : callRounded(e, in, "fma", {x, y, z}));
}

void divFloat(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1), *y = input(e, in, 2);
  output(e, in,
         isNearest(in) ? e.b.CreateFDiv(x, y)
                       : callRounded(e, in, "div", {x, y}));
}

void rcp(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1);
  output(e, in,
         isNearest(in) ? e.b.CreateFDiv(one(x), x)
                       : callRounded(e, in, "div", {one(x), x}));
}

void sqrt(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1);
  output(e, in,
         isNearest(in) ? e.b.CreateUnaryIntrinsic(Intrinsic::sqrt, x)
                       : callRounded(e, in, "sqrt", {x}));
}

void rsqrt(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1);
  output(e, in,
         e.b.CreateFDiv(one(x), e.b.CreateUnaryIntrinsic(Intrinsic::sqrt, x)));
}

void elementary(Emitter &e, const Instruction &in) {
  StringRef name = StringSwitch<StringRef>(in.root)
                       .Case("sin", "sinf")
                       .Case("cos", "cosf")
                       .Case("lg2", "log2f")
                       .Case("ex2", "exp2f")
                       .Default("tanhf");
  output(e, in, callMath(e, name, input(e, in, 1)));
}

void absFloat(Emitter &e, const Instruction &in) {
  output(e, in, e.b.CreateUnaryIntrinsic(Intrinsic::fabs, input(e, in, 1)));
}

void negFloat(Emitter &e, const Instruction &in) {
  output(e, in, e.b.CreateFNeg(input(e, in, 1)));
}

void copysign(Emitter &e, const Instruction &in) {
  // PTX: the sign of a on the magnitude of b.
  e.result(in, e.b.CreateBinaryIntrinsic(Intrinsic::copysign, e.arg(in, 2),
                                         e.arg(in, 1)));
}

//===----------------------------------------------------------------------===//
// Minimum and maximum, as compare and select: see Note [No maximumnum].
//===----------------------------------------------------------------------===//

namespace {

/// One NaN loses against a number unless .NaN is there; -0 is less than +0.
void selectExtreme(Emitter &e, const Instruction &in, bool isMin) {
  Value *x = input(e, in, 1), *y = input(e, in, 2);
  Type *type = x->getType();
  Value *isLess = isMin ? e.b.CreateFCmpOLT(x, y) : e.b.CreateFCmpOGT(x, y);
  Value *extreme = e.b.CreateSelect(isLess, x, y);
  // Equal numbers differ at most in the sign, of zeros.
  Type *bits = e.intType(type->getPrimitiveSizeInBits());
  Value *xBits = e.b.CreateBitCast(x, bits),
        *yBits = e.b.CreateBitCast(y, bits);
  Value *same = e.b.CreateBitCast(
      isMin ? e.b.CreateOr(xBits, yBits) : e.b.CreateAnd(xBits, yBits), type);
  extreme = e.b.CreateSelect(e.b.CreateFCmpOEQ(x, y), same, extreme);
  Value *xIsNaN = e.b.CreateFCmpUNO(x, x), *yIsNaN = e.b.CreateFCmpUNO(y, y);
  Value *nan = ConstantFP::getNaN(type);
  Value *ifX = in.has("NaN") ? nan : y, *ifY = in.has("NaN") ? nan : x;
  extreme = e.b.CreateSelect(yIsNaN, ifY, extreme);
  extreme = e.b.CreateSelect(xIsNaN, ifX, extreme);
  output(e, in, extreme);
}

} // namespace

void minFloat(Emitter &e, const Instruction &in) { selectExtreme(e, in, true); }
void maxFloat(Emitter &e, const Instruction &in) {
  selectExtreme(e, in, false);
}

void testp(Emitter &e, const Instruction &in) {
  FPClassTest test = StringSwitch<FPClassTest>(in.get("TestOp"))
                         .Case("finite", fcFinite)
                         .Case("infinite", fcInf)
                         .Case("number", FPClassTest(fcFinite | fcInf))
                         .Case("notanumber", fcNan)
                         .Case("normal", fcNormal)
                         .Default(fcSubnormal);
  e.write(in.operands[0], e.b.createIsFPClass(e.arg(in, 1), test),
          ptx::Type::Pred);
}

} // namespace lower
} // namespace tc::emulator

// Note [No maximumnum]
// LLVM 22.1.8 miscompiles scalar llvm.maximumnum and llvm.minimumnum on hosts
// with AVX-512 when one operand is known not to be NaN: NaN comes out instead
// of the number. (Related: llvm/llvm-project issue 217376.)
