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

#include <numeric>

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
  unsigned bits = ptx::getBits(type);
  if (operand.kind == Kind::Immediate) {
    APInt value(64, convertLiteral(operand, type));
    return b.CreateBitCast(
        ConstantInt::get(intType(bits), value.sextOrTrunc(bits)), typeOf(type));
  }
  return b.CreateBitCast(readBits(operand, bits), typeOf(type));
}

Value *Emitter::readBits(const ptx::Operand &operand, unsigned bits) {
  Value *value = nullptr;
  switch (operand.kind) {
  case Kind::Register:
    value = readRegister(operand.reg);
    if (operand.negated)
      value = b.CreateNot(value);
    break;
  case Kind::Immediate:
    return ConstantInt::get(intType(bits),
                            APInt(64, operand.bits).sextOrTrunc(bits));
  case Kind::Special:
    value = readSpecial(operand);
    break;
  case Kind::Variable:
    value =
        b.CreateAdd(addressOf(*operand.variable), b.getInt64(operand.offset));
    break;
  default:
    // The verifier lets nothing else through.
    return number(bits, 0);
  }
  if (width != 1 && !value->getType()->isVectorTy())
    value = b.CreateVectorSplat(width, value);
  return b.CreateZExtOrTrunc(value, intType(bits));
}

Value *Emitter::readSum(const ptx::Operand &base, int64_t offset,
                        bool mayWrap) {
  if (offset == 0)
    return readBits(base, 64);
  bool isShort = mayWrap && base.kind == Kind::Register &&
                 ptx::getBits(flat.registers[base.reg].type) == 32;
  if (!isShort)
    return b.CreateAdd(readBits(base, 64), number(64, offset));
  Value *sum = b.CreateAdd(readBits(base, 32), number(32, uint32_t(offset)));
  return b.CreateZExt(sum, intType(64));
}

void Emitter::write(const ptx::Operand &operand, Value *value, ptx::Type type) {
  if (operand.kind != Kind::Register)
    return;
  Type *bits = b.getIntNTy(value->getType()->getScalarSizeInBits());
  if (value->getType()->isVectorTy())
    bits = FixedVectorType::get(bits, warpSize);
  writeRegister(operand.reg, b.CreateBitCast(value, bits), ptx::isSigned(type));
}

std::optional<unsigned> Emitter::findPart(const ptx::Operand &address,
                                          unsigned offset) {
  auto found = flat.parts.find(
      {address.elements.front().variable, uint32_t(address.offset + offset)});
  if (found == flat.parts.end())
    return std::nullopt;
  return found->second;
}

/// The address of a variable in its own space.
Value *Emitter::addressOf(const ptx::Variable &variable) {
  auto known = plan.addresses.find(&variable);
  if (known != plan.addresses.end())
    return b.getInt64(known->second);
  if (variable.space != ptx::Space::Param)
    return b.getInt64(translation.variableAddress(variable));
  Value *buffer =
      loadField(blockState(), offsetof(BlockState, parameters), b.getPtrTy());
  return b.CreateAdd(b.CreatePtrToInt(buffer, b.getInt64Ty()),
                     b.getInt64(variable.offset));
}

/// The value in the current lane or lanes. At width 1 in a warp: in lane 0, as
/// the base of the shape.
Value *Emitter::readSpecial(const ptx::Operand &operand) {
  using ptx::Special;
  Type *i32 = b.getInt32Ty();
  auto blockField = [&](size_t offset) {
    return loadField(blockState(), offset + 4 * operand.dim, i32);
  };
  auto warpIndex = [&] {
    return loadField(warpState(), offsetof(WarpState, index), i32);
  };
  auto lane = [&]() -> Value * {
    if (translation.mode == Mode::Thread)
      return fn->getArg(2);
    if (width == 1)
      return b.getInt32(0);
    Offsets lanes;
    std::iota(lanes.begin(), lanes.end(), 0);
    return offsetsToValue(lanes, 32);
  };
  // In a cooperative launch a block is a cluster of its own.
  auto ofCluster = [&](Value *value, Value *alone) {
    Value *isCooperative =
        loadField(blockState(), offsetof(BlockState, isCooperative), i32);
    return b.CreateSelect(b.CreateIsNotNull(isCooperative), alone, value);
  };
  auto laneBit = [&](uint32_t bit) {
    return b.CreateShl(number(32, bit), lane());
  };
  switch (operand.special) {
  case Special::Tid: {
    uint64_t offset =
        offsetof(WarpState, tid) + operand.dim * warpSize * sizeof(uint32_t);
    if (translation.mode != Mode::Thread)
      return loadField(warpState(), offset, intType(32));
    Value *row =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), warpState(), offset);
    return loadField(b.CreateGEP(i32, row, fn->getArg(2)), 0, i32);
  }
  case Special::NTid:
    return blockField(offsetof(BlockState, blockDim));
  case Special::CtaId:
    return blockField(offsetof(BlockState, blockIndex));
  case Special::NCtaId:
    return blockField(offsetof(BlockState, gridDim));
  case Special::LaneId:
    return lane();
  case Special::WarpId:
    return warpIndex();
  case Special::NWarpId:
    return b.getInt32(32);
  case Special::LaneMaskEq:
    return laneBit(1);
  case Special::LaneMaskLt:
    return b.CreateSub(laneBit(1), number(32, 1));
  case Special::LaneMaskLe:
    return b.CreateSub(laneBit(2), number(32, 1));
  case Special::LaneMaskGt:
    return b.CreateNeg(laneBit(2));
  case Special::LaneMaskGe:
    return b.CreateNeg(laneBit(1));
  case Special::DynamicShared:
    return loadField(blockState(), offsetof(BlockState, dynamicShared), i32);
  case Special::TotalShared:
    return loadField(blockState(), offsetof(BlockState, totalShared), i32);
  case Special::ClusterId:
    return ofCluster(blockField(offsetof(BlockState, clusterIndex)),
                     blockField(offsetof(BlockState, blockIndex)));
  case Special::NClusterId:
    return ofCluster(blockField(offsetof(BlockState, clusterGrid)),
                     blockField(offsetof(BlockState, gridDim)));
  case Special::ClusterCtaId:
    return ofCluster(blockField(offsetof(BlockState, indexInCluster)),
                     b.getInt32(0));
  case Special::ClusterNCtaId:
    return ofCluster(blockField(offsetof(BlockState, clusterDim)),
                     b.getInt32(1));
  case Special::ClusterCtaRank:
    return ofCluster(loadField(blockState(), offsetof(BlockState, rank), i32),
                     b.getInt32(0));
  case Special::ClusterNCtaRank:
    return ofCluster(
        loadField(blockState(), offsetof(BlockState, clusterBlocks), i32),
        b.getInt32(1));
  case Special::GridWorkspace:
    return blockField(offsetof(BlockState, gridWorkspace));
  case Special::IsExplicitCluster:
    return loadField(blockState(), offsetof(BlockState, isExplicitCluster),
                     i32);
  case Special::NSmId:
    return b.getInt32(1);
  case Special::Clock:
  case Special::Clock64:
  case Special::GlobalTimer: {
    // It moves when it is read, so that waiting for it ends.
    Value *clock = b.CreateConstGEP1_64(b.getInt8Ty(), warpState(),
                                        offsetof(WarpState, clock));
    Value *time = b.CreateAdd(b.CreateLoad(b.getInt64Ty(), clock),
                              b.getInt64(WarpState::clockStep));
    b.CreateStore(time, clock);
    return time;
  }
  default:
    return b.getInt64(0);
  }
}

} // namespace tc::emulator
