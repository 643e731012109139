//===- UndefinedCode.cpp - Following undefined values ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Next to what a kernel computes, computes which lanes of a result depend on
// memory that nobody wrote: those of any operand, but for a selection those of
// what is selected. Only registers that may be undefined at all take part
// (Flow/Undefined.h), and only in warps that have found such memory
// (WarpState::hasUndefined). Others pay for one test of many instructions: at
// the end of a basic block, at stores of what may be undefined, and where it
// decides something. Behind that test is the code for all instructions since
// the last one.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"

using namespace llvm;

namespace tc::emulator {

/// The values of a vector operand, or the operand itself.
static ArrayRef<ptx::Operand> elementsOf(const ptx::Operand &operand) {
  if (operand.kind == ptx::Operand::Kind::Vector)
    return operand.elements;
  return operand;
}

/// A mask in WarpState::undefined or ::holes.
Value *Emitter::undefinedAt(uint64_t field, uint32_t index) {
  return b.CreateConstInBoundsGEP1_64(
      b.getInt32Ty(), loadField(warpState(), field, b.getPtrTy()), index);
}

Value *Emitter::readUndefined(unsigned reg) {
  if (!mayBeUndefined(reg))
    return b.getInt32(0);
  auto [known, isNew] = undefined.insert({reg, {nullptr, false}});
  if (isNew)
    known->second.first = b.CreateLoad(
        b.getInt32Ty(), undefinedAt(offsetof(WarpState, undefined), reg));
  return known->second.first;
}

void Emitter::writeUndefined(unsigned reg, Value *lanes, Value *active) {
  if (!mayBeUndefined(reg))
    return;
  if (active)
    lanes = b.CreateOr(b.CreateAnd(lanes, active),
                       b.CreateAnd(readUndefined(reg), b.CreateNot(active)));
  undefined[reg] = {lanes, true};
}

void Emitter::flushUndefined(function_ref<void()> use) {
  if (pending.empty() && !use)
    return;
  Value *has = b.CreateLoad(
      b.getInt32Ty(),
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), warpState(),
                                   offsetof(WarpState, hasUndefined)));
  BasicBlock *follow = newBlock("follow");
  continueIf(b.CreateIsNull(has), follow);
  BasicBlock *next = b.GetInsertBlock();
  b.SetInsertPoint(follow);
  for (const Pending &step : pending)
    this->follow(step);
  pending.clear();
  for (auto &[reg, value] : undefined)
    if (value.second)
      b.CreateStore(value.first,
                    undefinedAt(offsetof(WarpState, undefined), reg));
  if (use)
    use();
  undefined.clear();
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

/// The lanes that execute `in`; null for all of a warp.
Value *Emitter::activeBits(const ptx::Instruction &in) {
  bool isAll = !mask && translation.mode == Mode::Warp;
  if (!in.guard)
    return isAll ? nullptr : maskBits();
  Value *condition = readGuard(in);
  if (!condition->getType()->isVectorTy())
    return b.CreateSelect(condition, maskBits(), b.getInt32(0));
  Value *bits = toBits(condition);
  return isAll ? bits : b.CreateAnd(bits, maskBits());
}

/// Tells the runtime of the lanes of a register, if there are any. The launch
/// may end with it.
void Emitter::tellUndefined(const ptx::Instruction &in, StringRef function,
                            Value *lanes, unsigned reg, uint32_t detail) {
  BasicBlock *used = newBlock("undefined");
  continueIf(b.CreateIsNull(lanes), used);
  BasicBlock *next = b.GetInsertBlock();
  b.SetInsertPoint(used);
  Value *goesOn = callCold(function, b.getInt1Ty(),
                           {warpState(), b.getInt32(siteOf(in)), lanes,
                            b.getInt32(reg), b.getInt32(detail)});
  b.CreateCondBr(goesOn, next, faultBlock());
  b.SetInsertPoint(next);
}

void Emitter::checkUses(const ptx::Instruction &in) {
  if (!translation.undefined)
    return;
  struct Use {
    unsigned reg;
    UndefinedUse how;
    Value *active;
  };
  SmallVector<Use> uses;
  llvm::SmallDenseSet<unsigned> seen;
  bool isPure = in.form->row->effect == isa::Effect::Pure;
  if (in.guard && (isTerminator(in) || !isPure) && mayBeUndefined(*in.guard))
    uses.push_back(
        {*in.guard, UndefinedUse::Branch, mask ? maskBits() : nullptr});
  auto add = [&](unsigned reg, UndefinedUse how) {
    if (mayBeUndefined(reg) && seen.insert(reg).second)
      uses.push_back({reg, how, activeBits(in)});
  };
  for (const ptx::Operand &operand : in.operands)
    if (operand.kind == ptx::Operand::Kind::Address &&
        operand.elements.front().kind == ptx::Operand::Kind::Register)
      add(operand.elements.front().reg, UndefinedUse::Address);
  if (isTerminator(in))
    visitSources(flat, in,
                 [&](unsigned reg) { add(reg, UndefinedUse::Branch); });
  else if (plan.sites[siteOf(in)].isAtomic)
    visitSources(flat, in,
                 [&](unsigned reg) { add(reg, UndefinedUse::Atomic); });
  if (uses.empty())
    return;
  flushUndefined([&] {
    for (const Use &use : uses) {
      Value *lanes = readUndefined(use.reg);
      if (use.active)
        lanes = b.CreateAnd(lanes, use.active);
      tellUndefined(in, "tc_emulator_undefined", lanes, use.reg,
                    uint32_t(use.how));
    }
  });
}

/// After an instruction; what of it the code behind the test needs is kept.
void Emitter::followResults(const ptx::Instruction &in) {
  if (!translation.undefined)
    return;
  const Site &site = plan.sites[siteOf(in)];
  bool isStore =
      site.bytes && !isPartAccess(flat, in) && site.isStore && !site.isAtomic;
  bool isAny = false;
  auto add = [&](unsigned reg) { isAny |= mayBeUndefined(reg); };
  if (isStore)
    for (const ptx::Operand &element : elementsOf(in.operands[1])) {
      if (element.kind == ptx::Operand::Kind::Register)
        add(element.reg);
    }
  else
    visitDefinitions(flat, in, add);
  if (!isAny)
    return;
  Pending step{&in, isStore, activeBits(in)};
  if (in.root == "selp" &&
      in.operands[3].kind == ptx::Operand::Kind::Register) {
    unsigned old = std::exchange(width, slotWidth(in.operands[3].reg));
    step.condition = readRegister(in.operands[3].reg);
    width = old;
  }
  pending.push_back(step);
  // The runtime knows where a warp stored last, not before that.
  if (isStore)
    flushUndefined();
}

void Emitter::followStore(const Pending &step) {
  for (auto [i, element] : enumerate(elementsOf(step.in->operands[1]))) {
    if (element.kind != ptx::Operand::Kind::Register ||
        !mayBeUndefined(element.reg))
      continue;
    Value *lanes = readUndefined(element.reg);
    if (step.active)
      lanes = b.CreateAnd(lanes, step.active);
    tellUndefined(*step.in, "tc_emulator_undefined_store", lanes, element.reg,
                  i);
  }
}

void Emitter::follow(const Pending &step) {
  if (step.isStore)
    return followStore(step);
  const ptx::Instruction &in = *step.in;
  Value *active = step.active;
  uint32_t hole = translation.undefined->holes[siteOf(in)];
  if (hole != UndefinedPlan::none) {
    for (auto [i, element] : enumerate(elementsOf(in.operands[0])))
      if (element.kind == ptx::Operand::Kind::Register)
        writeUndefined(
            element.reg,
            b.CreateLoad(b.getInt32Ty(),
                         undefinedAt(offsetof(WarpState, holes), hole + i)),
            active);
    return;
  }
  Value *lanes = b.getInt32(0);
  auto add = [&](unsigned reg) {
    if (mayBeUndefined(reg))
      lanes = b.CreateOr(lanes, readUndefined(reg));
  };
  auto of = [&](const ptx::Operand &operand) -> Value * {
    return operand.kind == ptx::Operand::Kind::Register
               ? readUndefined(operand.reg)
               : b.getInt32(0);
  };
  const Site &site = plan.sites[siteOf(in)];
  bool isMemory = site.bytes && !isPartAccess(flat, in);
  if (Value *condition = step.condition) {
    Value *first = of(in.operands[1]), *second = of(in.operands[2]);
    if (condition->getType()->isVectorTy())
      lanes = b.CreateOr(b.CreateAnd(first, toBits(condition)),
                         b.CreateAnd(second, b.CreateNot(toBits(condition))));
    else
      lanes = b.CreateSelect(condition, first, second);
    add(in.operands[3].reg);
  } else if (!isMemory) {
    visitSources(flat, in, add);
  }
  if (in.guard)
    add(*in.guard);
  // Where its guard is undefined, so is whether it has a result.
  if (in.guard && mayBeUndefined(*in.guard))
    active = b.CreateOr(active, readUndefined(*in.guard));
  visitDefinitions(flat, in,
                   [&](unsigned reg) { writeUndefined(reg, lanes, active); });
}

} // namespace tc::emulator
