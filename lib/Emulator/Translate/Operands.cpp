//===- Operands.cpp - Operands as LLVM values -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing registers, constants, special registers and addresses.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"

using namespace llvm;

namespace tc::emulator {

using Kind = ptx::Operand::Kind;
using Literal = ptx::Operand::Literal;

Type *Emitter::laneType(Type *scalar) {
  return width == 1 ? scalar : FixedVectorType::get(scalar, width);
}

Type *Emitter::typeOf(ptx::Type type) {
  if (type == ptx::Type::F32)
    return laneType(b.getFloatTy());
  if (type == ptx::Type::F64)
    return laneType(b.getDoubleTy());
  return intType(ptx::getBits(type));
}

/// A constant's bits as a value of `type` (PTX ISA, section 4.5.2:
/// floating-point constants take the width of their use, integers are cut).
static uint64_t convertLiteral(const ptx::Operand &operand, ptx::Type type) {
  if (operand.literal == Literal::F64 && type == ptx::Type::F32)
    return bit_cast<uint32_t>(float(bit_cast<double>(operand.bits)));
  if (operand.literal == Literal::F32 && type == ptx::Type::F64)
    return bit_cast<uint64_t>(double(bit_cast<float>(uint32_t(operand.bits))));
  return operand.bits;
}

Value *Emitter::read(const ptx::Operand &operand, ptx::Type type) {
  unsigned width = ptx::getBits(type);
  Value *bits =
      operand.kind == Kind::Immediate
          ? ConstantInt::get(
                intType(width),
                APInt(64, convertLiteral(operand, type)).sextOrTrunc(width))
          : readBits(operand, width);
  return b.CreateBitCast(bits, typeOf(type));
}

Value *Emitter::readBits(const ptx::Operand &operand, unsigned width) {
  Value *value = nullptr;
  switch (operand.kind) {
  case Kind::Register: {
    unsigned bits = ptx::getBits(source.registers[operand.reg].type);
    value = b.CreateLoad(intType(bits), slotOf(operand.reg));
    if (operand.negated)
      value = b.CreateNot(value);
    break;
  }
  case Kind::Immediate:
    return ConstantInt::get(intType(width),
                            APInt(64, operand.bits).sextOrTrunc(width));
  case Kind::Special:
    value = readSpecial(operand);
    break;
  case Kind::Variable:
    value =
        b.CreateAdd(addressOf(*operand.variable), b.getInt64(operand.offset));
    break;
  default:
    // The verifier lets nothing else through.
    return ConstantInt::get(intType(width), 0);
  }
  return b.CreateZExtOrTrunc(value, intType(width));
}

void Emitter::write(const ptx::Operand &operand, Value *value, ptx::Type type) {
  if (operand.kind != Kind::Register)
    return;
  unsigned width = value->getType()->getPrimitiveSizeInBits();
  value = b.CreateBitCast(value, intType(width));
  Type *registerType =
      intType(ptx::getBits(source.registers[operand.reg].type));
  value = ptx::isSigned(type) ? b.CreateSExtOrTrunc(value, registerType)
                              : b.CreateZExtOrTrunc(value, registerType);
  Value *slot = slotOf(operand.reg);
  if (guard)
    value = b.CreateSelect(guard, value, b.CreateLoad(registerType, slot));
  b.CreateStore(value, slot);
}

Value *Emitter::addressOf(const ptx::Variable &variable) {
  switch (variable.space) {
  case ptx::Space::Shared:
  case ptx::Space::Local:
    return b.getInt64(plan.addresses.lookup(&variable));
  case ptx::Space::Param:
    return b.CreatePtrToInt(parameterPointer(variable), b.getInt64Ty());
  default:
    return b.getInt64(variableAddress(variable));
  }
}

Value *Emitter::readSpecial(const ptx::Operand &operand) {
  using ptx::Special;
  Type *i32 = b.getInt32Ty();
  auto blockField = [&](size_t offset) {
    return loadField(blockState(), offset + 4 * operand.dim, i32);
  };
  auto linear = [&] {
    return loadField(threadState(), offsetof(ThreadState, linear), i32);
  };
  auto laneBit = [&](uint32_t bit) {
    return b.CreateShl(b.getInt32(bit), b.CreateAnd(linear(), 31));
  };
  switch (operand.special) {
  case Special::Tid:
    return loadField(threadState(),
                     offsetof(ThreadState, index) + 4 * operand.dim, i32);
  case Special::NTid:
    return blockField(offsetof(BlockState, blockDim));
  case Special::CtaId:
    return blockField(offsetof(BlockState, blockIndex));
  case Special::NCtaId:
    return blockField(offsetof(BlockState, gridDim));
  case Special::LaneId:
    return b.CreateAnd(linear(), 31);
  case Special::WarpId:
    return b.CreateLShr(linear(), 5);
  case Special::NWarpId:
    return b.getInt32(32);
  case Special::LaneMaskEq:
    return laneBit(1);
  case Special::LaneMaskLt:
    return b.CreateSub(laneBit(1), b.getInt32(1));
  case Special::LaneMaskLe:
    return b.CreateSub(laneBit(2), b.getInt32(1));
  case Special::LaneMaskGt:
    return b.CreateNeg(laneBit(2));
  case Special::LaneMaskGe:
    return b.CreateNeg(laneBit(1));
  case Special::NSmId:
    return b.getInt32(1);
  case Special::DynamicShared:
    return loadField(blockState(), offsetof(BlockState, dynamicShared), i32);
  case Special::TotalShared:
    return loadField(blockState(), offsetof(BlockState, totalShared), i32);
  case Special::SmId:
  case Special::GridId:
  case Special::Clock:
  case Special::Clock64:
  case Special::GlobalTimer:
    return b.getInt64(0);
  }
  return b.getInt64(0);
}

} // namespace tc::emulator
