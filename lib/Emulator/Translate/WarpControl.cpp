//===- WarpControl.cpp - Warps whose lanes run together -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mode::Warp of Note [Modes] (Control.cpp).
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

using namespace llvm;

namespace tc::emulator {

namespace {

class WarpControl : public Control {
public:
  explicit WarpControl(Emitter &e)
      : Control(e), shapes(*e.translation.shapes),
        isInside(flow.blocks.size()) {}

  void run() override;
  void jump(unsigned block) override;
  void branch(Value *condition, unsigned taken, unsigned other) override;
  void jumpTable(const ptx::Instruction &in, Value *index,
                 ArrayRef<unsigned> targets) override;
  void end(Value *condition, unsigned next) override;
  void meet(const ptx::Instruction &in, Value *guard) override;
  Value *createSlot(unsigned reg) override;
  unsigned slotWidth(unsigned reg) const override {
    return shapes.registers[reg].isScalar() ? 1 : warpSize;
  }
  Value *allLanes() override { return e.b.getInt32(~0u); }
  void leave(unsigned block) override;

private:
  void runRegion(Value *condition, unsigned taken, unsigned other);
  void addLanes(unsigned block, Value *lanes);
  void spillLive(const BitVector &live);
  void reloadLive(const BitVector &live);
  void callMasked(unsigned join);
  Value *frameSlot(unsigned reg);
  Value *frameOf();

  const Shapes &shapes;
  BitVector isInside; ///< blocks that are executed under masks
  /// While a region is emitted: the lanes that go to each of its blocks.
  DenseMap<unsigned, Value *> incoming;
  bool isInRegion = false;
};

void WarpControl::run() {
  for (unsigned index : flow.order)
    if (shapes.isPredicated.test(index) && !isInside.test(index))
      for (unsigned inside : flow.getRegion(index))
        isInside.set(inside);
  for (unsigned i = 0; i < flow.blocks.size(); ++i)
    blocks.push_back(isInside.test(i) ? nullptr : e.newBlock());
  for (unsigned i = 0; i < flow.blocks.size(); ++i) {
    if (isInside.test(i))
      continue;
    e.b.SetInsertPoint(blocks[i]);
    e.emitBlock(i);
  }
  e.b.SetInsertPoint(e.entry);
  e.b.CreateBr(blocks[0]);
}

Value *WarpControl::createSlot(unsigned reg) {
  IRBuilder<> at(e.entry, e.entry->begin());
  Type *type = at.getIntNTy(ptx::getBits(e.flat.registers[reg].type));
  if (slotWidth(reg) != 1)
    type = FixedVectorType::get(type, warpSize);
  Value *slot = at.CreateAlloca(type);
  at.CreateStore(Constant::getNullValue(type), slot);
  return slot;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void WarpControl::jump(unsigned block) {
  if (!isInRegion)
    e.b.CreateBr(blocks[block]);
  else
    addLanes(block, e.mask);
}

void WarpControl::branch(Value *condition, unsigned taken, unsigned other) {
  if (isInRegion) {
    if (!condition->getType()->isVectorTy())
      condition = e.b.CreateVectorSplat(warpSize, condition);
    addLanes(taken, e.b.CreateAnd(e.mask, condition));
    addLanes(other, e.b.CreateAnd(e.mask, e.b.CreateNot(condition)));
    return;
  }
  unsigned from = e.currentBlock;
  if (!condition->getType()->isVectorTy()) {
    e.b.CreateCondBr(condition, blocks[taken], blocks[other]);
    return;
  }
  if (shapes.isPredicated.test(from))
    return runRegion(condition, taken, other);
  BasicBlock *apart = e.newBlock("apart");
  SwitchInst *choose = e.b.CreateSwitch(e.toBits(condition), apart, 2);
  choose->addCase(e.b.getInt32(0), blocks[other]);
  choose->addCase(e.b.getInt32(~0u), blocks[taken]);
  e.b.SetInsertPoint(apart);
  BitVector live = flow.blocks[taken].liveIn;
  live |= flow.blocks[other].liveIn;
  spillLive(live);
  auto position = [&](unsigned block) {
    return e.b.CreateVectorSplat(warpSize, e.b.getInt32(positionOf(e, block)));
  };
  e.b.CreateStore(e.b.CreateSelect(condition, position(taken), position(other)),
                  frameOf());
  callMasked(blockOf(from).join);
}

void WarpControl::addLanes(unsigned block, Value *lanes) {
  auto found = incoming.find(block);
  // Lanes that go to the join need no more.
  if (found == incoming.end())
    return;
  Type *type = FixedVectorType::get(e.b.getInt1Ty(), warpSize);
  Value *old = e.b.CreateLoad(type, found->second);
  e.b.CreateStore(e.b.CreateOr(old, lanes), found->second);
}

/// Executes the blocks up to the join in one pass, each for its lanes.
void WarpControl::runRegion(Value *condition, unsigned taken, unsigned other) {
  unsigned from = e.currentBlock, join = blockOf(from).join;
  Type *type = FixedVectorType::get(e.b.getInt1Ty(), warpSize);
  SmallVector<unsigned> region = flow.getRegion(from);
  for (unsigned index : region) {
    IRBuilder<> at(e.entry, e.entry->begin());
    incoming[index] = at.CreateAlloca(type);
    e.b.CreateStore(Constant::getNullValue(type), incoming[index]);
  }
  addLanes(taken, condition);
  addLanes(other, e.b.CreateNot(condition));
  isInRegion = true;
  for (unsigned index : region) {
    Value *lanes = e.b.CreateLoad(type, incoming[index]);
    BasicBlock *body = e.newBlock(), *after = e.newBlock();
    e.b.CreateCondBr(e.isAny(lanes), body, after);
    e.b.SetInsertPoint(body);
    e.mask = lanes;
    e.emitBlock(index);
    e.b.CreateBr(after);
    e.b.SetInsertPoint(after);
  }
  isInRegion = false;
  e.mask = nullptr;
  incoming.clear();
  e.b.CreateBr(blocks[join]);
}

void WarpControl::jumpTable(const ptx::Instruction &in, Value *index,
                            ArrayRef<unsigned> targets) {
  BasicBlock *outside = e.newBlock();
  auto failOutside = [&](Value *lanes = nullptr) {
    e.b.SetInsertPoint(outside);
    e.mask = lanes;
    e.step(in);
    e.mask = nullptr;
    e.b.CreateBr(e.faultBlock());
  };
  if (!index->getType()->isVectorTy()) {
    SwitchInst *jump = e.b.CreateSwitch(index, outside, targets.size());
    for (unsigned i = 0; i < targets.size(); ++i)
      jump->addCase(e.b.getInt32(i), blocks[targets[i]]);
    return failOutside();
  }
  Constant *count = ConstantInt::get(index->getType(), targets.size());
  Value *isOutside = e.b.CreateICmpUGE(index, count);
  BasicBlock *inside = e.newBlock(), *same = e.newBlock(),
             *apart = e.newBlock("apart");
  e.b.CreateCondBr(e.isAny(isOutside), outside, inside);
  failOutside(isOutside);
  e.b.SetInsertPoint(inside);
  // Lanes that cannot part must not: their scalars are not read again.
  if (all_equal(targets)) {
    if (targets.empty())
      e.b.CreateBr(e.faultBlock());
    else
      e.b.CreateBr(blocks[targets.front()]);
    apart->eraseFromParent();
    same->eraseFromParent();
    return;
  }
  Value *first = e.b.CreateExtractElement(index, uint64_t(0));
  Value *differs =
      e.b.CreateICmpNE(index, e.b.CreateVectorSplat(warpSize, first));
  e.b.CreateCondBr(e.isAny(differs), apart, same);
  e.b.SetInsertPoint(same);
  SwitchInst *jump = e.b.CreateSwitch(first, e.faultBlock(), targets.size());
  for (unsigned i = 0; i < targets.size(); ++i)
    jump->addCase(e.b.getInt32(i), blocks[targets[i]]);
  e.b.SetInsertPoint(apart);
  BitVector live(e.flat.registers.size());
  Value *positions = ConstantInt::get(index->getType(), 0);
  for (unsigned i = 0; i < targets.size(); ++i) {
    live |= flow.blocks[targets[i]].liveIn;
    positions = e.b.CreateSelect(
        e.b.CreateICmpEQ(index, ConstantInt::get(index->getType(), i)),
        ConstantInt::get(index->getType(), positionOf(e, targets[i])),
        positions);
  }
  spillLive(live);
  e.b.CreateAlignedStore(positions, frameOf(), lanesAlign);
  callMasked(blockOf(e.currentBlock).join);
}

void WarpControl::end(Value *condition, unsigned next) {
  if (!condition) {
    e.b.CreateRetVoid();
    return;
  }
  BasicBlock *ends = e.newBlock();
  if (!condition->getType()->isVectorTy()) {
    e.b.CreateCondBr(condition, ends, blocks[next]);
    e.b.SetInsertPoint(ends);
    e.b.CreateRetVoid();
    return;
  }
  BasicBlock *apart = e.newBlock("apart");
  Value *bits = e.toBits(condition);
  SwitchInst *choose = e.b.CreateSwitch(bits, apart, 2);
  choose->addCase(e.b.getInt32(0), blocks[next]);
  choose->addCase(e.b.getInt32(~0u), ends);
  e.b.SetInsertPoint(ends);
  e.b.CreateRetVoid();
  e.b.SetInsertPoint(apart);
  e.callOnce("tc_emulator_end", e.b.getVoidTy(), {e.warpState(), bits});
  leave(next);
}

void WarpControl::meet(const ptx::Instruction &in, Value *guard) {
  if (!guard || !guard->getType()->isVectorTy()) {
    BasicBlock *after = e.newBlock();
    if (guard) {
      BasicBlock *taken = e.newBlock();
      e.b.CreateCondBr(guard, taken, after);
      e.b.SetInsertPoint(taken);
    }
    e.step(in);
    e.b.CreateBr(after);
    e.b.SetInsertPoint(after);
    return;
  }
  // Some lanes may wait and others not: only masked code has positions.
  BasicBlock *together = e.newBlock(), *after = e.newBlock(),
             *apart = e.newBlock("apart");
  SwitchInst *choose = e.b.CreateSwitch(e.toBits(guard), apart, 2);
  choose->addCase(e.b.getInt32(0), after);
  choose->addCase(e.b.getInt32(~0u), together);
  e.b.SetInsertPoint(apart);
  leave(e.currentBlock);
  e.b.SetInsertPoint(together);
  e.step(in);
  e.b.CreateBr(after);
  e.b.SetInsertPoint(after);
}

//===----------------------------------------------------------------------===//
// Leaving for masked code
//===----------------------------------------------------------------------===//

Value *WarpControl::frameOf() {
  return e.loadField(e.warpState(), offsetof(WarpState, frame), e.b.getPtrTy());
}

Value *WarpControl::frameSlot(unsigned reg) {
  return e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), frameOf(),
                                        e.translation.frameOffsets[reg]);
}

void WarpControl::spillLive(const BitVector &live) {
  unsigned width = e.width;
  e.width = warpSize;
  for (unsigned reg : live.set_bits())
    e.b.CreateAlignedStore(e.readRegister(reg), frameSlot(reg), lanesAlign);
  e.width = width;
}

/// A scalar register has not been written while the lanes were apart.
void WarpControl::reloadLive(const BitVector &live) {
  for (unsigned reg : live.set_bits()) {
    if (slotWidth(reg) == 1)
      continue;
    Type *type = FixedVectorType::get(
        e.b.getIntNTy(ptx::getBits(e.flat.registers[reg].type)), warpSize);
    unsigned width = e.width;
    e.width = warpSize;
    e.writeRegister(reg,
                    e.b.CreateAlignedLoad(type, frameSlot(reg), lanesAlign));
    e.width = width;
  }
}

/// Goes on as `block`, in which all lanes are, to the end of the kernel.
void WarpControl::leave(unsigned block) {
  spillLive(blockOf(block).liveIn);
  e.b.CreateAlignedStore(
      e.b.CreateVectorSplat(warpSize, e.b.getInt32(positionOf(e, block))),
      frameOf(), lanesAlign);
  callMasked(Flow::none);
}

/// Runs masked code until all lanes are at `join`.
void WarpControl::callMasked(unsigned join) {
  uint32_t stop = join == Flow::none ? warpEnded : positionOf(e, join);
  Value *isBack = e.callOnce("tc_emulator_masked", e.b.getInt1Ty(),
                             {e.warpState(), e.b.getInt32(stop)});
  if (join == Flow::none) {
    e.b.CreateRetVoid();
    return;
  }
  BasicBlock *back = e.newBlock("back");
  e.b.CreateCondBr(isBack, back, e.faultBlock());
  e.b.SetInsertPoint(back);
  reloadLive(blockOf(join).liveIn);
  e.b.CreateBr(blocks[join]);
}

} // namespace

std::unique_ptr<Control> createWarpControl(Emitter &e) {
  return std::make_unique<WarpControl>(e);
}

} // namespace tc::emulator
