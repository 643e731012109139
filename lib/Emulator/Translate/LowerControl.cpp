//===- LowerControl.cpp - Control flow and synchronisation ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.12, 9.7.13 and 9.7.19. A translated function returns
// whether the thread has ended, by `exit` or by a fault; callers pass it on.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

BasicBlock *newBlock(Emitter &e) {
  return BasicBlock::Create(e.b.getContext(), "",
                            e.b.GetInsertBlock()->getParent());
}

/// Where control goes when the guard is false; null without a guard. What is
/// emitted next runs when it is true.
BasicBlock *skipUnlessGuard(Emitter &e, const Instruction &in) {
  Value *guard = e.readGuard(in);
  if (!guard)
    return nullptr;
  BasicBlock *taken = newBlock(e), *after = newBlock(e);
  e.b.CreateCondBr(guard, taken, after);
  e.b.SetInsertPoint(taken);
  return after;
}

void reportTrap(Emitter &e, const Instruction &in) {
  e.callRuntime("tc_emulator_trap", e.b.getVoidTy(),
                {e.threadState(), e.b.getInt32(e.addSite(in))});
  e.b.CreateBr(e.endBlock());
}

} // namespace

void bra(Emitter &e, const Instruction &in) {
  BasicBlock *target = e.blockOf(in.targets.front());
  Value *guard = e.readGuard(in);
  if (!guard) {
    e.b.CreateBr(target);
    return;
  }
  BasicBlock *after = newBlock(e);
  e.b.CreateCondBr(guard, target, after);
  e.b.SetInsertPoint(after);
}

/// An index beyond the table is undefined; here it is a fault.
void brx(Emitter &e, const Instruction &in) {
  BasicBlock *after = skipUnlessGuard(e, in);
  Value *index = e.read(in.operands[0], ptx::Type::U32);
  BasicBlock *outside = newBlock(e);
  SwitchInst *jump = e.b.CreateSwitch(index, outside, in.targets.size());
  for (unsigned i = 0; i < in.targets.size(); ++i)
    jump->addCase(e.b.getInt32(i), e.blockOf(in.targets[i]));
  e.b.SetInsertPoint(outside);
  reportTrap(e, in);
  if (after)
    e.b.SetInsertPoint(after);
}

void call(Emitter &e, const Instruction &in) {
  SmallVector<Value *> arguments;
  for (const auto *list : {&in.results, &in.arguments})
    for (const ptx::Operand &operand : *list)
      arguments.push_back(e.parameterPointer(*operand.variable));
  Value *hasEnded = e.callFunction(*in.target, arguments);
  e.continueIf(e.b.CreateNot(hasEnded), e.endBlock());
}

/// In a kernel, `ret` ends the thread just as well.
void ret(Emitter &e, const Instruction &) { e.b.CreateRet(e.b.getFalse()); }

void exit(Emitter &e, const Instruction &) { e.b.CreateBr(e.endBlock()); }

void trap(Emitter &e, const Instruction &in) { reportTrap(e, in); }

void barrier(Emitter &e, const Instruction &in) {
  Value *count = e.b.getInt32(0);
  if (in.operands.size() > 1)
    count = e.read(in.operands[1], ptx::Type::U32);
  Value *mayGoOn =
      e.callRuntime("tc_emulator_barrier", e.b.getInt1Ty(),
                    {e.threadState(), e.read(in.operands[0], ptx::Type::U32),
                     count, e.b.getInt32(e.addSite(in))});
  e.continueIf(mayGoOn, e.endBlock());
}

void warpBarrier(Emitter &e, const Instruction &in) {
  Value *mayGoOn =
      e.callRuntime("tc_emulator_warp_barrier", e.b.getInt1Ty(),
                    {e.threadState(), e.read(in.operands[0], ptx::Type::B32),
                     e.b.getInt32(e.addSite(in))});
  e.continueIf(mayGoOn, e.endBlock());
}

/// The threads of a launch share one host thread: only the compiler must keep
/// the order.
void fence(Emitter &e, const Instruction &) {
  e.b.CreateFence(AtomicOrdering::SequentiallyConsistent,
                  SyncScope::SingleThread);
}

} // namespace tc::emulator::lower
