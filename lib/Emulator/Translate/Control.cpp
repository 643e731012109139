//===- Control.cpp - How lanes move from block to block -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the modes share, and the mode of one thread.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

using namespace llvm;

namespace tc::emulator {

Control::Control(Emitter &e) : e(e), flow(e.translation.flow) {}

uint32_t positionOf(const Emitter &e, unsigned block) {
  bool meets = e.translation.flow.meets(e.flat, block);
  return e.translation.flow.rank[block] | (meets ? collectiveBlock : 0);
}

namespace {

/// One lane: control flow is what the text says.
class ThreadControl : public Control {
public:
  using Control::Control;

  void run() override {
    for (unsigned i = 0; i < flow.blocks.size(); ++i)
      blocks.push_back(e.newBlock());
    e.b.SetInsertPoint(e.entry);
    for (unsigned i = 0; i < flow.blocks.size(); ++i) {
      e.b.SetInsertPoint(blocks[i]);
      e.emitBlock(i);
    }
    e.b.SetInsertPoint(e.entry);
    e.b.CreateBr(blocks[0]);
  }
  void jump(unsigned block) override { e.b.CreateBr(blocks[block]); }
  void branch(Value *condition, unsigned taken, unsigned other) override {
    e.b.CreateCondBr(condition, blocks[taken], blocks[other]);
  }
  void jumpTable(const ptx::Instruction &in, Value *index,
                 ArrayRef<unsigned> targets) override {
    BasicBlock *outside = e.newBlock();
    SwitchInst *jump = e.b.CreateSwitch(index, outside, targets.size());
    for (unsigned i = 0; i < targets.size(); ++i)
      jump->addCase(e.b.getInt32(i), blocks[targets[i]]);
    e.b.SetInsertPoint(outside);
    e.step(in);
    e.b.CreateBr(e.faultBlock());
  }
  void end(Value *condition, unsigned next) override {
    if (condition) {
      BasicBlock *ends = e.newBlock();
      e.b.CreateCondBr(condition, ends, blocks[next]);
      e.b.SetInsertPoint(ends);
    }
    e.b.CreateRetVoid();
  }
  void meet(const ptx::Instruction &in, Value *guard) override {
    BasicBlock *after = nullptr;
    if (guard) {
      BasicBlock *taken = e.newBlock();
      after = e.newBlock();
      e.b.CreateCondBr(guard, taken, after);
      e.b.SetInsertPoint(taken);
    }
    e.step(in);
    if (after) {
      e.b.CreateBr(after);
      e.b.SetInsertPoint(after);
    }
  }
  Value *createSlot(unsigned reg) override {
    IRBuilder<> at(e.entry, e.entry->begin());
    Type *type = at.getIntNTy(ptx::getBits(e.flat.registers[reg].type));
    Value *slot = at.CreateAlloca(type);
    at.CreateStore(Constant::getNullValue(type), slot);
    return slot;
  }
  unsigned slotWidth(unsigned) const override { return 1; }
  Value *allLanes() override {
    return e.b.CreateShl(e.b.getInt32(1), e.fn->getArg(2));
  }
};

} // namespace

std::unique_ptr<Control> createThreadControl(Emitter &e) {
  return std::make_unique<ThreadControl>(e);
}

} // namespace tc::emulator

// Note [Modes]
// A warp starts in the code of Mode::Warp: all 32 lanes run, together, so a
// register is a vector, or a scalar where its shape says so. When a branch
// sends lanes to different blocks and what they run until they meet again is
// short, that is executed in one pass under masks. Otherwise the warp leaves:
// its live registers are written to a frame in memory and the code of
// Mode::Masked goes on, in which every lane has its own position. Lanes at the
// same position run together, the first in the order of the flow (Flow::order)
// first: a join waits for all that lead to it, wherever the text has them. Once
// all lanes have come to the join of the branch, the warp returns. Masked code
// is compiled when it is first needed. A warp with fewer than 32 threads runs
// in it from the start.
//
// Instructions that bring lanes together run when no other lane can: that makes
// the groups as large as they can be.
//
// Mode::Thread runs one lane, as the text says; it is slow and simple, and the
// others are tested against it.
