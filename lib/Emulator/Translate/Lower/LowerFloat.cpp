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

#include "Translate/Lower/FloatOps.h"
#include "Translate/Lower/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator {

Constant *canonicalNaN(Type *type) {
  const fltSemantics &semantics = type->getScalarType()->getFltSemantics();
  unsigned bits = type->getScalarSizeInBits();
  APInt payload = bits == 64 ? APInt(64, 0x7ff8000000000000)
                             : APInt::getSignedMaxValue(bits);
  return ConstantFP::get(type, APFloat(semantics, payload));
}

Value *flush(Emitter &e, Value *value, ptx::Type type) {
  const fltSemantics &semantics = type == ptx::Type::F16 ? APFloat::IEEEhalf()
                                  : type == ptx::Type::F64
                                      ? APFloat::IEEEdouble()
                                      : APFloat::IEEEsingle();
  double least = APFloat::getSmallestNormalized(semantics).convertToDouble();
  Value *magnitude = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *zero = e.b.CreateBinaryIntrinsic(
      Intrinsic::copysign, ConstantFP::get(value->getType(), 0.0), value);
  return e.b.CreateSelect(
      e.b.CreateFCmpOLT(magnitude, ConstantFP::get(value->getType(), least)),
      zero, value);
}

Value *flushInput(Emitter &e, const ptx::Instruction &in, Value *value,
                  ptx::Type type) {
  bool flushes = in.has("ftz") && type != ptx::Type::F64 &&
                 value->getType()->isFPOrFPVectorTy();
  return flushes ? flush(e, value, type) : value;
}

Value *saturate(Emitter &e, Value *value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0);
  Value *one = ConstantFP::get(value->getType(), 1.0);
  Value *low = e.b.CreateSelect(e.b.CreateFCmpOGT(value, zero), value, zero);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(low, one), low, one);
}

Value *rectify(Emitter &e, Value *value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0);
  return e.b.CreateSelect(e.b.CreateFCmpUGT(value, zero), value, zero);
}

Value *clamp(Emitter &e, const ptx::Instruction &in, Value *value) {
  if (in.has("sat"))
    return saturate(e, value);
  return in.has("relu") ? rectify(e, value) : value;
}

unsigned getRounding(StringRef mode) {
  return StringSwitch<unsigned>(mode)
      .Case("rz", 1)
      .Case("rm", 2)
      .Case("rp", 3)
      .Case("rna", 4)
      .Default(0);
}

/// tc_emulator_<op>_<f32|f64>(values..., mode).
static Value *callRounded(Emitter &e, StringRef op, unsigned mode,
                          ArrayRef<Value *> values) {
  Type *type = values[0]->getType();
  SmallVector<Value *> all(values);
  all.push_back(e.number(32, mode));
  bool isSingle = type->getScalarType()->isFloatTy();
  std::string name = ("tc_emulator_" + op + (isSingle ? "_f32" : "_f64")).str();
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

Value *one(Value *like) { return ConstantFP::get(like->getType(), 1.0); }

using Operation = function_ref<Value *(ArrayRef<Value *>)>;

/// Computes each part of the result from those of the sources, flushed before
/// and after.
void forEachPart(Emitter &e, const Instruction &in, Operation operation) {
  ptx::Type type = getPart(in.type);
  SmallVector<Value *, 2> results;
  for (unsigned part = 0; part < countParts(in.type); ++part) {
    SmallVector<Value *> values;
    for (unsigned i = 1; i < in.operands.size(); ++i)
      values.push_back(
          flushInput(e, in, readPart(e, in.operands[i], in.type, part), type));
    Value *value = operation(values);
    // What is subnormal shows after rounding only.
    if (in.has("ftz") && type == ptx::Type::F16)
      value =
          e.b.CreateFPExt(e.b.CreateFPTrunc(value, e.laneType(e.b.getHalfTy())),
                          value->getType());
    value = clamp(e, in, flushInput(e, in, value, type));
    results.push_back(narrow(e, value, type));
  }
  e.result(in, joinParts(e, results));
}

/// x * y + z of 16-bit numbers held as .f32, rounded to odd: the rounding to
/// the 16-bit format that follows is then the only one that counts. See Note
/// [Rounding to odd].
Value *fuseHalf(Emitter &e, ArrayRef<Value *> values) {
  Type *wide = e.typeOf(ptx::Type::F64), *i64 = e.intType(64);
  SmallVector<Value *, 3> x;
  for (Value *value : values)
    x.push_back(e.b.CreateFPExt(value, wide));
  Value *zero = ConstantFP::get(wide, 0.0);
  Value *product = e.b.CreateFMul(x[0], x[1]);
  Value *sum = e.b.CreateFAdd(product, x[2]);
  Value *other = e.b.CreateFSub(sum, product);
  Value *rest =
      e.b.CreateFAdd(e.b.CreateFSub(product, e.b.CreateFSub(sum, other)),
                     e.b.CreateFSub(x[2], other));
  // Where a rest is left, the odd one of the two neighbours of the exact sum.
  auto makeOdd = [&](Value *bits, Value *isInexact, Value *grows) {
    Value *one = ConstantInt::get(bits->getType(), 1);
    Value *next = e.b.CreateSelect(grows, bits, e.b.CreateSub(bits, one));
    Value *isEven = e.b.CreateICmpEQ(e.b.CreateAnd(bits, one),
                                     Constant::getNullValue(bits->getType()));
    return e.b.CreateSelect(e.b.CreateAnd(isInexact, isEven),
                            e.b.CreateOr(next, one), bits);
  };
  Value *grows = e.b.CreateICmpEQ(e.b.CreateFCmpOGT(rest, zero),
                                  e.b.CreateFCmpOGT(sum, zero));
  Value *exact =
      e.b.CreateBitCast(makeOdd(e.b.CreateBitCast(sum, i64),
                                e.b.CreateFCmpONE(rest, zero), grows),
                        wide);
  Type *single = e.typeOf(ptx::Type::F32);
  Value *cut = e.b.CreateFPTrunc(exact, single);
  Value *back = e.b.CreateFPExt(cut, wide);
  auto magnitude = [&](Value *value) {
    return e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  };
  Value *isLess = e.b.CreateFCmpOLT(magnitude(back), magnitude(exact));
  Value *bits = makeOdd(e.b.CreateBitCast(cut, e.intType(32)),
                        e.b.CreateFCmpONE(back, exact), isLess);
  return e.b.CreateBitCast(bits, single);
}

} // namespace

/// add, sub, mul, fma, mad, div, sqrt.
void arithmetic(Emitter &e, const Instruction &in) {
  StringRef op = in.root == "mad" ? "fma" : in.root;
  bool isHalf = ptx::getBits(getPart(in.type)) == 16;
  forEachPart(e, in, [&](ArrayRef<Value *> x) {
    if (isHalf && op == "fma")
      return fuseHalf(e, x);
    return compute(e, op, in.get("Rnd"), x);
  });
}

void rcp(Emitter &e, const Instruction &in) {
  forEachPart(e, in, [&](ArrayRef<Value *> x) {
    return compute(e, "div", in.get("Rnd"), {one(x[0]), x[0]});
  });
}

/// abs, neg, rsqrt, sin, cos, lg2, ex2 and tanh.
void elementary(Emitter &e, const Instruction &in) {
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(in.root)
                         .Case("abs", Intrinsic::fabs)
                         .Case("rsqrt", Intrinsic::sqrt)
                         .Case("sin", Intrinsic::sin)
                         .Case("cos", Intrinsic::cos)
                         .Case("lg2", Intrinsic::log2)
                         .Case("ex2", Intrinsic::exp2)
                         .Default(Intrinsic::tanh);
  forEachPart(e, in, [&](ArrayRef<Value *> x) -> Value * {
    if (in.root == "neg")
      return e.b.CreateFNeg(x[0]);
    Value *value = e.b.CreateUnaryIntrinsic(id, x[0]);
    return in.root == "rsqrt" ? e.b.CreateFDiv(one(value), value) : value;
  });
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
Value *getExtreme(Emitter &e, const Instruction &in, Value *x, Value *y) {
  bool isMin = in.root == "min";
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
  Value *nan = canonicalNaN(type);
  Value *isNaN = in.has("NaN") ? e.b.CreateOr(xIsNaN, yIsNaN)
                               : e.b.CreateAnd(xIsNaN, yIsNaN);
  extreme = e.b.CreateSelect(yIsNaN, x, extreme);
  extreme = e.b.CreateSelect(xIsNaN, y, extreme);
  return e.b.CreateSelect(isNaN, nan, extreme);
}

} // namespace

/// With .xorsign.abs, of the magnitudes, with the product's sign.
void extreme(Emitter &e, const Instruction &in) {
  forEachPart(e, in, [&](ArrayRef<Value *> x) {
    if (!in.has("xorsign"))
      return getExtreme(e, in, x[0], x[1]);
    auto magnitude = [&](Value *value) {
      return e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
    };
    Value *value = getExtreme(e, in, magnitude(x[0]), magnitude(x[1]));
    Type *bits = e.intType(value->getType()->getScalarSizeInBits());
    Value *sign =
        e.b.CreateBitCast(e.b.CreateXor(e.b.CreateBitCast(x[0], bits),
                                        e.b.CreateBitCast(x[1], bits)),
                          value->getType());
    Value *isNaN = e.b.CreateFCmpUNO(value, value);
    return e.b.CreateSelect(
        isNaN, value,
        e.b.CreateBinaryIntrinsic(Intrinsic::copysign, value, sign));
  });
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

// Note [Rounding to odd]
// A value that is cut to fewer bits with its last bit set whenever something
// was lost, cannot lie on the border between two numbers of a format that has
// two bits less, nor on the wrong side of one. The exact sum of a product of
// two 16-bit numbers and a third may need more bits than .f64 has: the rest
// that is lost there, which is exact (Knuth's two-sum), decides.
