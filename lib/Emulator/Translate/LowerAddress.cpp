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

/// Whether a generic address lies in the block's shared memory.
void isspacep(Emitter &e, const Instruction &in) {
  Value *address = e.read(in.operands[1], ptx::Type::U64);
  Value *offset = e.b.CreateSub(address, e.genericBase(ptx::Space::Shared));
  Value *count = e.loadField(e.blockState(), offsetof(BlockState, sharedCount),
                             e.b.getInt64Ty());
  if (offset->getType()->isVectorTy())
    count = e.b.CreateVectorSplat(warpSize, count);
  offset = e.b.CreateSub(offset, e.number(64, sharedStart));
  e.write(in.operands[0], e.b.CreateICmpULT(offset, count), ptx::Type::Pred);
}

/// A cache policy is opaque, and nothing looks at it.
void createPolicy(Emitter &e, const Instruction &in) {
  e.write(in.operands[0], e.number(64, 0), ptx::Type::B64);
}

} // namespace tc::emulator::lower
