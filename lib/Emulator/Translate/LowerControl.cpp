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
#include "Translate/Lower.h"

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

/// An index beyond the table is undefined; here it is a fault. It has no guard:
/// Flatten made that a branch around it.
void brx(Emitter &e, const Instruction &in) {
  SmallVector<unsigned> targets;
  for (unsigned target : in.targets)
    targets.push_back(blockAt(e, target));
  e.control().jumpTable(in, e.read(in.operands[0], ptx::Type::U32), targets);
}

static void endThread(Emitter &e, const Instruction &in) {
  e.control().end(e.readGuard(in), e.currentBlock + 1);
}

/// In a kernel, `ret` ends the thread just as well.
void ret(Emitter &e, const Instruction &in) { endThread(e, in); }

void exit(Emitter &e, const Instruction &in) { endThread(e, in); }

} // namespace tc::emulator::lower
