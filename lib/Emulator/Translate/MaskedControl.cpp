//===- MaskedControl.cpp - Warps whose lanes have their own positions -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mode::Masked of Note [Modes] (Control.cpp). Registers live in the warp's
// frame; the runtime chooses which block runs next, for which lanes.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

using namespace llvm;

namespace tc::emulator {

namespace {

class MaskedControl : public Control {
public:
  using Control::Control;

  void run() override;
  void jump(unsigned block) override;
  void branch(Value *condition, unsigned taken, unsigned other) override;
  void jumpTable(const ptx::Instruction &in, Value *index,
                 ArrayRef<unsigned> targets) override;
  void end(Value *condition, unsigned next) override;
  void meet(const ptx::Instruction &in, Value *guard) override;
  Value *createSlot(unsigned reg) override {
    IRBuilder<> at(e.entry);
    return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), frame,
                                         e.translation.frameOffsets[reg]);
  }
  unsigned slotWidth(unsigned) const override { return warpSize; }
  Value *allLanes() override { return active; }
  void emitFault() override { e.b.CreateRet(e.b.getFalse()); }

private:
  void move(Value *lanes, Value *positions);
  Value *positionVector(unsigned block) {
    return e.b.CreateVectorSplat(warpSize, e.b.getInt32(positionOf(e, block)));
  }

  Value *frame = nullptr;
  Value *active = nullptr; ///< of the current block, an i32
  BasicBlock *dispatch = nullptr;
};

void MaskedControl::run() {
  e.b.SetInsertPoint(e.entry);
  frame =
      e.loadField(e.warpState(), offsetof(WarpState, frame), e.b.getPtrTy());
  dispatch = e.newBlock("dispatch");
  for (unsigned i = 0; i < flow.blocks.size(); ++i)
    blocks.push_back(e.newBlock());
  e.b.SetInsertPoint(dispatch);
  Value *position = e.callOnce("tc_emulator_dispatch", e.b.getInt32Ty(),
                               {e.warpState(), e.fn->getArg(2)});
  BasicBlock *joined = e.newBlock("joined");
  SwitchInst *choose =
      e.b.CreateSwitch(position, e.faultBlock(), flow.blocks.size() + 1);
  choose->addCase(e.b.getInt32(warpJoined), joined);
  for (unsigned i = 0; i < flow.blocks.size(); ++i)
    choose->addCase(e.b.getInt32(positionOf(e, i)), blocks[i]);
  e.b.SetInsertPoint(joined);
  e.b.CreateRet(e.b.getTrue());
  for (unsigned i = 0; i < flow.blocks.size(); ++i) {
    e.b.SetInsertPoint(blocks[i]);
    Value *field = e.b.CreateConstInBoundsGEP1_64(
        e.b.getInt8Ty(), e.warpState(), offsetof(WarpState, active));
    active = e.b.CreateLoad(e.b.getInt32Ty(), field);
    e.mask = e.toLanes(active);
    e.emitBlock(i);
  }
  e.b.SetInsertPoint(e.entry);
  e.b.CreateBr(dispatch);
}

/// Sets the positions of some lanes.
void MaskedControl::move(Value *lanes, Value *positions) {
  Type *type = FixedVectorType::get(e.b.getInt32Ty(), warpSize);
  Value *old = e.b.CreateAlignedLoad(type, frame, lanesAlign);
  e.b.CreateAlignedStore(e.b.CreateSelect(lanes, positions, old), frame,
                         lanesAlign);
}

/// Lanes that are alone need no dispatcher, except where others may have to
/// come or the warp may return.
void MaskedControl::jump(unsigned block) {
  BasicBlock *apart = e.newBlock();
  uint32_t position = positionOf(e, block);
  if (!(position & collectiveBlock)) {
    Value *live = e.b.CreateLoad(
        e.b.getInt32Ty(),
        e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), e.warpState(),
                                       offsetof(WarpState, live)));
    Value *isAlone = e.b.CreateAnd(
        e.b.CreateICmpEQ(active, live),
        e.b.CreateICmpNE(e.fn->getArg(2), e.b.getInt32(position)));
    e.b.CreateCondBr(isAlone, blocks[block], apart);
  } else {
    e.b.CreateBr(apart);
  }
  e.b.SetInsertPoint(apart);
  move(e.mask, positionVector(block));
  e.b.CreateBr(dispatch);
}

void MaskedControl::branch(Value *condition, unsigned taken, unsigned other) {
  Value *bits = e.toBits(e.b.CreateAnd(condition, e.mask));
  BasicBlock *all = e.newBlock(), *notAll = e.newBlock(), *none = e.newBlock(),
             *some = e.newBlock();
  e.b.CreateCondBr(e.b.CreateICmpEQ(bits, active), all, notAll);
  e.b.SetInsertPoint(notAll);
  e.b.CreateCondBr(e.b.CreateICmpEQ(bits, e.b.getInt32(0)), none, some);
  e.b.SetInsertPoint(some);
  move(e.mask, e.b.CreateSelect(condition, positionVector(taken),
                                positionVector(other)));
  e.b.CreateBr(dispatch);
  e.b.SetInsertPoint(all);
  jump(taken);
  e.b.SetInsertPoint(none);
  jump(other);
}

void MaskedControl::jumpTable(const ptx::Instruction &in, Value *index,
                              ArrayRef<unsigned> targets) {
  Constant *count = ConstantInt::get(index->getType(), targets.size());
  Value *isOutside = e.b.CreateAnd(e.b.CreateICmpUGE(index, count), e.mask);
  BasicBlock *outside = e.newBlock(), *inside = e.newBlock();
  e.b.CreateCondBr(e.isAny(isOutside), outside, inside);
  e.b.SetInsertPoint(outside);
  Value *lanes = e.mask;
  e.mask = isOutside;
  e.step(in);
  e.mask = lanes;
  e.b.CreateBr(e.faultBlock());
  e.b.SetInsertPoint(inside);
  Value *positions = ConstantInt::get(index->getType(), 0);
  for (unsigned i = 0; i < targets.size(); ++i)
    positions = e.b.CreateSelect(
        e.b.CreateICmpEQ(index, ConstantInt::get(index->getType(), i)),
        positionVector(targets[i]), positions);
  move(e.mask, positions);
  e.b.CreateBr(dispatch);
}

void MaskedControl::end(Value *condition, unsigned next) {
  Value *lanes = condition ? e.b.CreateAnd(condition, e.mask) : e.mask;
  if (condition)
    move(e.mask, positionVector(next));
  e.callOnce("tc_emulator_end", e.b.getVoidTy(),
             {e.warpState(), e.toBits(lanes)});
  e.b.CreateBr(dispatch);
}

/// The last instruction of its block. Lanes that have to wait stay there and
/// execute it again when they are chosen next.
void MaskedControl::meet(const ptx::Instruction &in, Value *guard) {
  Value *lanes = e.mask;
  Value *passing = guard ? e.b.CreateAnd(lanes, e.b.CreateNot(guard)) : nullptr;
  BasicBlock *after = e.newBlock();
  if (guard) {
    BasicBlock *taken = e.newBlock();
    move(passing, positionVector(e.currentBlock + 1));
    e.mask = e.b.CreateAnd(lanes, guard);
    e.b.CreateCondBr(e.isAny(e.mask), taken, after);
    e.b.SetInsertPoint(taken);
  }
  e.step(in); // leaves the lanes that are done in `mask`
  if (!guard)
    e.countBlock();
  move(e.mask, positionVector(e.currentBlock + 1));
  e.b.CreateBr(after);
  e.b.SetInsertPoint(after);
  e.mask = lanes;
  e.b.CreateBr(dispatch);
}

} // namespace

std::unique_ptr<Control> createMaskedControl(Emitter &e) {
  return std::make_unique<MaskedControl>(e);
}

} // namespace tc::emulator
