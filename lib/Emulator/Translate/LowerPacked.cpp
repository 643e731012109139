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

/// add, min and max of both halves.
void pairInteger(Emitter &e, const Instruction &in) {
  Type *type = FixedVectorType::get(e.intType(16), 2);
  Value *x = e.b.CreateBitCast(e.arg(in, 1), type);
  Value *y = e.b.CreateBitCast(e.arg(in, 2), type);
  bool isSigned = ptx::isSigned(in.type);
  Value *result = nullptr;
  if (in.root == "add")
    result = e.b.CreateAdd(x, y);
  else if (in.root == "min")
    result = e.b.CreateBinaryIntrinsic(
        isSigned ? Intrinsic::smin : Intrinsic::umin, x, y);
  else
    result = e.b.CreateBinaryIntrinsic(
        isSigned ? Intrinsic::smax : Intrinsic::umax, x, y);
  e.result(in, e.b.CreateBitCast(result, e.intType(32)));
}

/// add, sub, mul and fma of both halves.
void pairFloat(Emitter &e, const Instruction &in) {
  Type *type = FixedVectorType::get(e.b.getFloatTy(), 2);
  Value *result = PoisonValue::get(type);
  for (unsigned half = 0; half < 2; ++half) {
    SmallVector<Value *> values;
    for (unsigned i = 1; i < in.operands.size(); ++i) {
      Value *pair = e.b.CreateBitCast(e.arg(in, i), type);
      values.push_back(flushInput(e, in, e.b.CreateExtractElement(pair, half)));
    }
    Value *value =
        flushInput(e, in, compute(e, in.root, in.get("Rnd"), values));
    result = e.b.CreateInsertElement(result, value, half);
  }
  e.result(in, e.b.CreateBitCast(result, e.intType(64)));
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
