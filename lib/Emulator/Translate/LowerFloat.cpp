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

#include "Translate/FloatOps.h"
#include "Translate/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator {

Value *flush(Emitter &e, Value *value) {
  Value *least = ConstantFP::get(
      value->getType(),
      APFloat::getSmallestNormalized(
          value->getType()->getScalarType()->getFltSemantics()));
  Value *magnitude = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *zero = e.b.CreateBinaryIntrinsic(
      Intrinsic::copysign, ConstantFP::get(value->getType(), 0.0), value);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(magnitude, least), zero, value);
}

Value *flushInput(Emitter &e, const ptx::Instruction &in, Value *value) {
  return in.has("ftz") && value->getType()->getScalarType()->isFloatTy()
             ? flush(e, value)
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

/// tc_emulator_<op>_<f32|f64>(values..., mode).
static Value *callRounded(Emitter &e, StringRef op, unsigned mode,
                          ArrayRef<Value *> values) {
  Type *type = values[0]->getType();
  SmallVector<Value *> all(values);
  all.push_back(e.number(32, mode));
  std::string name = ("tc_emulator_" + op +
                      (type->getScalarType()->isFloatTy() ? "_f32" : "_f64"))
                         .str();
  return e.callRuntime(name, type, all);
}

Value *compute(Emitter &e, StringRef op, StringRef mode,
               ArrayRef<Value *> values) {
  if (unsigned rounding = getRounding(mode))
    return callRounded(e, op, rounding, values);
  if (op == "add")
    return e.b.CreateFAdd(values[0], values[1]);
  if (op == "sub")
    return e.b.CreateFSub(values[0], values[1]);
  if (op == "mul")
    return e.b.CreateFMul(values[0], values[1]);
  if (op == "div")
    return e.b.CreateFDiv(values[0], values[1]);
  Intrinsic::ID id = op == "fma" ? Intrinsic::fma : Intrinsic::sqrt;
  return e.b.CreateIntrinsic(id, {values[0]->getType()}, values);
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

Value *one(Value *like) { return ConstantFP::get(like->getType(), 1.0); }

/// The instruction `op` on its sources, flushed before and after.
void arithmetic(Emitter &e, const Instruction &in, StringRef op) {
  SmallVector<Value *> values;
  for (unsigned i = 1; i < in.operands.size(); ++i)
    values.push_back(input(e, in, i));
  output(e, in, compute(e, op, in.get("Rnd"), values));
}

} // namespace

void addFloat(Emitter &e, const Instruction &in) { arithmetic(e, in, "add"); }
void subFloat(Emitter &e, const Instruction &in) { arithmetic(e, in, "sub"); }
void mulFloat(Emitter &e, const Instruction &in) { arithmetic(e, in, "mul"); }
void fma(Emitter &e, const Instruction &in) { arithmetic(e, in, "fma"); }
void divFloat(Emitter &e, const Instruction &in) { arithmetic(e, in, "div"); }
void sqrt(Emitter &e, const Instruction &in) { arithmetic(e, in, "sqrt"); }

void rcp(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1);
  output(e, in, compute(e, "div", in.get("Rnd"), {one(x), x}));
}

void rsqrt(Emitter &e, const Instruction &in) {
  Value *x = input(e, in, 1);
  output(e, in,
         e.b.CreateFDiv(one(x), e.b.CreateUnaryIntrinsic(Intrinsic::sqrt, x)));
}

void elementary(Emitter &e, const Instruction &in) {
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(in.root)
                         .Case("sin", Intrinsic::sin)
                         .Case("cos", Intrinsic::cos)
                         .Case("lg2", Intrinsic::log2)
                         .Case("ex2", Intrinsic::exp2)
                         .Default(Intrinsic::tanh);
  output(e, in, e.b.CreateUnaryIntrinsic(id, input(e, in, 1)));
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
  Type *bits = e.intType(type->getScalarSizeInBits());
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
