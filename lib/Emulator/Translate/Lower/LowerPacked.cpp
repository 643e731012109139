//===- LowerPacked.cpp - Packed and mixed-precision arithmetic ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several values in one register, and .f32 arithmetic with operands of 16 bits:
// PTX ISA, sections 9.7.1, 9.7.3 and 9.7.5.
//
//===----------------------------------------------------------------------===//

#include "Translate/Lower/FloatOps.h"
#include "Translate/Lower/Lower.h"

using namespace llvm;

namespace tc::emulator {

ptx::Type getPart(ptx::Type type) {
  switch (type) {
  case ptx::Type::F16X2:
    return ptx::Type::F16;
  case ptx::Type::BF16X2:
    return ptx::Type::BF16;
  case ptx::Type::F32X2:
    return ptx::Type::F32;
  default:
    return type;
  }
}

Value *readPart(Emitter &e, const ptx::Operand &operand, ptx::Type type,
                unsigned part) {
  ptx::Type scalar = getPart(type);
  Value *value = e.read(operand, type);
  if (scalar != type) {
    unsigned bits = ptx::getBits(scalar);
    value =
        e.b.CreateTrunc(e.b.CreateLShr(value, part * bits), e.intType(bits));
  }
  if (ptx::getBits(scalar) == 64)
    return value;
  Type *real = e.typeOf(ptx::Type::F32);
  if (scalar == ptx::Type::F16)
    return e.b.CreateFPExt(
        e.b.CreateBitCast(value, e.laneType(e.b.getHalfTy())), real);
  if (scalar == ptx::Type::BF16)
    value = e.b.CreateShl(e.b.CreateZExt(value, e.intType(32)), 16);
  return e.b.CreateBitCast(value, real);
}

Value *narrow(Emitter &e, Value *value, ptx::Type type) {
  Type *half = e.intType(16), *i32 = e.intType(32);
  Value *isNaN = e.b.CreateFCmpUNO(value, value), *bits = nullptr;
  if (type == ptx::Type::F16) {
    bits = e.b.CreateBitCast(
        e.b.CreateFPTrunc(value, e.laneType(e.b.getHalfTy())), half);
  } else if (type == ptx::Type::BF16) {
    bits = e.b.CreateBitCast(value, i32);
    Value *lowest = e.b.CreateAnd(e.b.CreateLShr(bits, 16), 1);
    bits = e.b.CreateAdd(e.b.CreateAdd(bits, e.number(32, 0x7fff)), lowest);
    bits = e.b.CreateTrunc(e.b.CreateLShr(bits, 16), half);
  } else {
    return e.b.CreateBitCast(value, e.intType(ptx::getBits(type)));
  }
  return e.b.CreateSelect(isNaN, e.number(16, 0x7fff), bits);
}

Value *joinParts(Emitter &e, ArrayRef<Value *> parts) {
  if (parts.size() == 1)
    return parts[0];
  unsigned bits = parts[0]->getType()->getScalarSizeInBits();
  Type *type = e.intType(2 * bits);
  return e.b.CreateOr(e.b.CreateShl(e.b.CreateZExt(parts[1], type), bits),
                      e.b.CreateZExt(parts[0], type));
}

namespace lower {

/// add, min and max of both halves.
void pairInteger(Emitter &e, const Instruction &in) {
  bool isSigned = ptx::isSigned(in.type), isMin = in.root == "min";
  Intrinsic::ID signedId = isMin ? Intrinsic::smin : Intrinsic::smax;
  Intrinsic::ID unsignedId = isMin ? Intrinsic::umin : Intrinsic::umax;
  SmallVector<Value *, 2> halves;
  for (unsigned half = 0; half < 2; ++half) {
    auto read = [&](unsigned index) {
      return e.b.CreateTrunc(e.b.CreateLShr(e.arg(in, index), 16 * half),
                             e.intType(16));
    };
    Value *value =
        in.root == "add"
            ? e.b.CreateAdd(read(1), read(2))
            : e.b.CreateBinaryIntrinsic(isSigned ? signedId : unsignedId,
                                        read(1), read(2));
    if (in.has("relu"))
      value =
          e.b.CreateBinaryIntrinsic(Intrinsic::smax, value, e.number(16, 0));
    halves.push_back(value);
  }
  e.result(in, joinParts(e, halves));
}

/// The sources of 16 bits are widened; the arithmetic and the last source are
/// .f32.
void mixedFloat(Emitter &e, const Instruction &in) {
  SmallVector<Value *> values;
  for (unsigned i = 1; i + 1 < in.operands.size(); ++i)
    values.push_back(readPart(e, in.operands[i], in.type, 0));
  values.push_back(e.read(in.operands.back(), ptx::Type::F32));
  Value *result = compute(e, in.root, in.get("Rnd"), values);
  e.write(in.operands[0], in.has("sat") ? saturate(e, result) : result,
          ptx::Type::F32);
}

} // namespace lower
} // namespace tc::emulator
