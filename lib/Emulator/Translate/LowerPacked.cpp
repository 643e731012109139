//===- LowerPacked.cpp - Packed and mixed-precision arithmetic ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two values in one register (.s16x2, .u16x2, .f32x2), and .f32 arithmetic with
// operands of 16 bits: PTX ISA, sections 9.7.1, 9.7.3 and 9.7.5.
//
//===----------------------------------------------------------------------===//

#include "Translate/FloatOps.h"
#include "Translate/Lower.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

/// The lower half of a register, or the upper one, half as wide.
Value *getHalf(Emitter &e, Value *pair, unsigned half) {
  unsigned bits = pair->getType()->getScalarSizeInBits() / 2;
  return e.b.CreateTrunc(half ? e.b.CreateLShr(pair, bits) : pair,
                         e.intType(bits));
}

Value *join(Emitter &e, Value *low, Value *high) {
  unsigned bits = low->getType()->getScalarSizeInBits();
  Type *type = e.intType(2 * bits);
  return e.b.CreateOr(e.b.CreateShl(e.b.CreateZExt(high, type), bits),
                      e.b.CreateZExt(low, type));
}

} // namespace

/// add, min and max of both halves.
void pairInteger(Emitter &e, const Instruction &in) {
  bool isSigned = ptx::isSigned(in.type), isMin = in.root == "min";
  Intrinsic::ID signedId = isMin ? Intrinsic::smin : Intrinsic::smax;
  Intrinsic::ID unsignedId = isMin ? Intrinsic::umin : Intrinsic::umax;
  Value *halves[2];
  for (unsigned half = 0; half < 2; ++half) {
    Value *x = getHalf(e, e.arg(in, 1), half);
    Value *y = getHalf(e, e.arg(in, 2), half);
    halves[half] =
        in.root == "add"
            ? e.b.CreateAdd(x, y)
            : e.b.CreateBinaryIntrinsic(isSigned ? signedId : unsignedId, x, y);
  }
  e.result(in, join(e, halves[0], halves[1]));
}

/// add, sub, mul and fma of both halves.
void pairFloat(Emitter &e, const Instruction &in) {
  Value *halves[2];
  for (unsigned half = 0; half < 2; ++half) {
    SmallVector<Value *> values;
    for (unsigned i = 1; i < in.operands.size(); ++i)
      values.push_back(
          flushInput(e, in,
                     e.b.CreateBitCast(getHalf(e, e.arg(in, i), half),
                                       e.typeOf(ptx::Type::F32))));
    Value *value =
        flushInput(e, in, compute(e, in.root, in.get("Rnd"), values));
    halves[half] = e.b.CreateBitCast(value, e.intType(32));
  }
  e.result(in, join(e, halves[0], halves[1]));
}

/// The sources of 16 bits are widened; the arithmetic and the last source are
/// .f32.
void mixedFloat(Emitter &e, const Instruction &in) {
  SmallVector<Value *> values;
  for (unsigned i = 1; i + 1 < in.operands.size(); ++i)
    values.push_back(widenHalf(e, e.arg(in, i), in.type));
  values.push_back(e.read(in.operands.back(), ptx::Type::F32));
  Value *result = compute(e, in.root, in.get("Rnd"), values);
  e.write(in.operands[0], in.has("sat") ? saturate(e, result) : result,
          ptx::Type::F32);
}

} // namespace tc::emulator::lower
