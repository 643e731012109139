//===- LowerControl.cpp - Control flow and synchronisation ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.12, 9.7.13 and 9.7.19. Where lanes go is a matter of
// the mode; calls of functions with a body are gone.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"
#include "Translate/Lower/Lower.h"

using namespace llvm;

namespace tc::emulator::lower {

static unsigned blockAt(Emitter &e, unsigned instruction) {
  return e.translation.flow.blockAt(instruction);
}

void bra(Emitter &e, const Instruction &in) {
  unsigned target = blockAt(e, in.targets.front());
  Value *guard = e.readGuard(in);
  if (guard)
    e.countBranch(guard);
  if (guard && target != e.currentBlock + 1)
    e.control().branch(guard, target, e.currentBlock + 1);
  else
    e.control().jump(target);
}

static void jumpTable(Emitter &e, const Instruction &in, Value *index) {
  SmallVector<unsigned> targets;
  for (unsigned target : in.targets)
    targets.push_back(blockAt(e, target));
  e.control().jumpTable(in, index, targets);
}

/// One lane decides where all go to the same place.
static void narrow(Emitter &e, const ptx::Operand &operand) {
  if (e.translation.mode == Mode::Warp &&
      e.translation.shapes->shapeOf(operand).isUniform())
    e.width = 1;
}

/// An index beyond the table is undefined; here it is a fault. It has no guard:
/// Flatten made that a branch around it.
void brx(Emitter &e, const Instruction &in) {
  narrow(e, in.operands[0]);
  jumpTable(e, in, e.read(in.operands[0], ptx::Type::U32));
}

/// What Flatten left of a call: see Note [Frames] there.
void callBranch(Emitter &e, const Instruction &in) {
  narrow(e, in.operands[0]);
  Value *value = e.read(in.operands[0], ptx::Type::U64);
  Value *outside = e.number(32, in.targets.size());
  if (in.branch == Instruction::Branch::Stack) {
    uint64_t end =
        e.plan.addresses.lookup(e.flat.stack.get()) + FlatBody::stackBytes;
    Value *isFull = e.b.CreateICmpUGT(value, e.number(64, end));
    return jumpTable(e, in, e.b.CreateSelect(isFull, outside, e.number(32, 0)));
  }
  Value *index = outside;
  for (auto [i, callee] : enumerate(in.callees))
    index = e.b.CreateSelect(
        e.b.CreateICmpEQ(value, e.number(64, callee->getAddress())),
        e.number(32, i), index);
  jumpTable(e, in, index);
}

static void endThread(Emitter &e, const Instruction &in) {
  e.control().end(e.readGuard(in), e.currentBlock + 1);
}

/// In a kernel, `ret` ends the thread just as well.
void ret(Emitter &e, const Instruction &in) { endThread(e, in); }

void exit(Emitter &e, const Instruction &in) { endThread(e, in); }

} // namespace tc::emulator::lower
