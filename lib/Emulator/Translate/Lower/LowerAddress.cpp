//===- LowerAddress.cpp - Questions about addresses -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.9.18 and 9.7.9.19.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower/Lower.h"

using namespace llvm;

namespace tc::emulator::lower {

/// Whether a generic address lies in the block's shared memory, in the local
/// memory of any lane, or in neither.
void isspacep(Emitter &e, const Instruction &in) {
  Value *address = e.read(in.operands[1], ptx::Type::U64);
  auto isWithin = [&](Value *start, Value *count) {
    if (e.width > 1) {
      start = e.b.CreateVectorSplat(e.width, start);
      count = e.b.CreateVectorSplat(e.width, count);
    }
    return e.b.CreateICmpULT(e.b.CreateSub(address, start), count);
  };
  Type *i64 = e.b.getInt64Ty();
  auto field = [&](Value *base, uint64_t offset) {
    return e.loadField(base, offset, i64);
  };
  Value *isShared =
      isWithin(field(e.blockState(), offsetof(BlockState, shared)),
               field(e.blockState(), offsetof(BlockState, sharedCount)));
  Value *inCluster =
      isWithin(field(e.blockState(), offsetof(BlockState, clusterShared)),
               field(e.blockState(), offsetof(BlockState, clusterBytes)));
  Value *isLocal = e.number(1, 0);
  if (e.plan.localBytes)
    isLocal = isWithin(field(e.warpState(), offsetof(WarpState, local)),
                       e.b.getInt64(e.plan.localStride() * warpSize));
  StringRef space = in.get("IsSpace");
  Value *result = space == "local" ? isLocal
                  : space == "global"
                      ? e.b.CreateNot(e.b.CreateOr(inCluster, isLocal))
                  : space == "shared::cluster" ? inCluster
                                               : isShared;
  e.write(in.operands[0], result, ptx::Type::Pred);
}

/// A cache policy is opaque, and nothing looks at it.
/// Where an address is in the shared memory of the block of another rank; null
/// where there is no such rank.
void mapa(Emitter &e, const Instruction &in) {
  unsigned bits = ptx::getBits(in.type);
  Value *address =
      e.b.CreateZExt(e.readBits(in.operands[1], bits), e.intType(64));
  Value *rank = e.b.CreateZExt(e.readBits(in.operands[2], 32), e.intType(64));
  Value *count = e.b.CreateZExt(e.loadField(e.blockState(),
                                            offsetof(BlockState, clusterBlocks),
                                            e.b.getInt32Ty()),
                                e.b.getInt64Ty());
  if (e.width > 1)
    count = e.b.CreateVectorSplat(e.width, count);
  Value *start = e.number(64, 0);
  if (!in.has("shared::cluster"))
    start = e.b.CreateAdd(e.clusterStart(), e.number(64, sharedStart));
  Value *offset = e.b.CreateAnd(e.b.CreateSub(address, start),
                                e.number(64, clusterWindow - 1));
  Value *window = e.b.CreateMul(e.b.CreateAdd(rank, e.number(64, 1)),
                                e.number(64, clusterWindow));
  Value *mapped = e.b.CreateAdd(start, e.b.CreateAdd(window, offset));
  e.result(in, e.b.CreateTrunc(e.b.CreateSelect(e.b.CreateICmpULT(rank, count),
                                                mapped, e.number(64, 0)),
                               e.intType(bits)));
}

void getctarank(Emitter &e, const Instruction &in) {
  unsigned bits = ptx::getBits(in.type);
  Value *address =
      e.b.CreateZExt(e.readBits(in.operands[1], bits), e.intType(64));
  if (!in.has("shared::cluster"))
    address = e.b.CreateSub(
        address, e.b.CreateAdd(e.clusterStart(), e.number(64, sharedStart)));
  Value *own =
      e.loadField(e.blockState(), offsetof(BlockState, rank), e.b.getInt32Ty());
  if (e.width > 1)
    own = e.b.CreateVectorSplat(e.width, own);
  Value *window = e.b.CreateTrunc(
      e.b.CreateLShr(address, Log2_64(clusterWindow)), e.intType(32));
  Value *isOwn = e.b.CreateICmpEQ(window, e.number(32, 0));
  e.write(in.operands[0],
          e.b.CreateSelect(isOwn, own, e.b.CreateSub(window, e.number(32, 1))),
          ptx::Type::U32);
}

void createPolicy(Emitter &e, const Instruction &in) {
  e.write(in.operands[0], e.number(64, 0), ptx::Type::B64);
}

} // namespace tc::emulator::lower
