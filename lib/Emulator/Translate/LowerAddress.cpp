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
#include "Translate/Lower.h"

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
  Value *isLocal = e.number(1, 0);
  if (e.plan.localBytes)
    isLocal = isWithin(field(e.warpState(), offsetof(WarpState, local)),
                       e.b.getInt64(e.plan.localStride() * warpSize));
  StringRef space = in.get("IsSpace");
  Value *result = space == "local" ? isLocal
                  : space == "global"
                      ? e.b.CreateNot(e.b.CreateOr(isShared, isLocal))
                      : isShared;
  e.write(in.operands[0], result, ptx::Type::Pred);
}

/// A cache policy is opaque, and nothing looks at it.
void createPolicy(Emitter &e, const Instruction &in) {
  e.write(in.operands[0], e.number(64, 0), ptx::Type::B64);
}

} // namespace tc::emulator::lower
