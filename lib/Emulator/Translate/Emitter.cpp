//===- Emitter.cpp - Emission of LLVM IR for a kernel ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk over blocks and instructions: for how many lanes each is emitted,
// and under which mask.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Isa/Isa.h"
#include "Translate/Control.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace tc::emulator {

static std::unique_ptr<Control> createControl(Emitter &e, Mode mode) {
  switch (mode) {
  case Mode::Thread:
    return createThreadControl(e);
  case Mode::Warp:
    return createWarpControl(e);
  case Mode::Masked:
    return createMaskedControl(e);
  }
  llvm_unreachable("all modes are handled");
}

Emitter::Emitter(Function *fn, const Translation &translation)
    : b(fn->getContext()), fn(fn), translation(translation),
      plan(translation.plan), flat(*translation.plan.flat),
      slots(flat.registers.size()),
      flow(createControl(*this, translation.mode)) {}

Emitter::~Emitter() = default;

void Emitter::run() {
  entry = BasicBlock::Create(fn->getContext(), "entry", fn);
  flow->run();
}

//===----------------------------------------------------------------------===//
// Blocks and instructions
//===----------------------------------------------------------------------===//

/// Adds to the current block's number `field` of BlockCount.
void Emitter::addToCount(unsigned field, Value *amount) {
  Value *counts =
      loadField(blockState(), offsetof(BlockState, counts), b.getPtrTy());
  Value *at = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), counts,
                                           3 * currentBlock + field);
  amount = b.CreateZExt(amount, b.getInt64Ty());
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), amount), at);
}

void Emitter::countBlock() {
  if (!translation.hooks.blocks)
    return;
  Value *lanes = maskBits();
  addToCount(0, b.CreateIsNotNull(lanes));
  addToCount(1, b.CreateUnaryIntrinsic(Intrinsic::ctpop, lanes));
  if (translation.hooks.entries)
    callOnce("tc_emulator_enter", b.getVoidTy(),
             {warpState(), b.getInt32(currentBlock), lanes});
}

void Emitter::countBranch(Value *condition) {
  if (!translation.hooks.blocks || !condition->getType()->isVectorTy())
    return;
  Value *lanes = maskBits(), *taken = b.CreateAnd(toBits(condition), lanes);
  addToCount(
      2, b.CreateAnd(b.CreateIsNotNull(taken), b.CreateICmpNE(taken, lanes)));
}

void Emitter::emitBlock(unsigned index) {
  const Flow &graph = translation.flow;
  const Block &block = graph.blocks[index];
  currentBlock = index;
  // Lanes that may have to come again are counted when they are through.
  bool mayWait = translation.mode == Mode::Masked && block.first < block.end &&
                 !flat.body[block.first].guard &&
                 (isCollective(flat.body[block.first]) ||
                  isBarrier(flat.body[block.first]));
  if (!mayWait)
    countBlock();
  bool isPassed = false;
  for (unsigned i = block.first; i < block.end; ++i) {
    const ptx::Instruction &in = flat.body[i];
    emit(in);
    isPassed = isTerminator(in) || (translation.mode == Mode::Masked &&
                                    (isCollective(in) || isBarrier(in)));
  }
  if (isPassed)
    return;
  flushUndefined();
  if (index + 1 == graph.blocks.size())
    flow->end(nullptr, 0);
  else
    flow->jump(index + 1);
}

/// Lanes of the instruction: one where one result serves for all.
unsigned Emitter::chooseWidth(const ptx::Instruction &in) {
  if (translation.mode == Mode::Thread)
    return 1;
  if (translation.mode == Mode::Masked)
    return warpSize;
  bool isStore = in.root == "st";
  if (isStore && !isPartAccess(flat, in)) {
    bool isUniform = plan.sites[siteOf(in)].space != ptx::Space::Local;
    for (const ptx::Operand &operand : in.operands)
      isUniform &= translation.shapes->shapeOf(operand).isUniform();
    return isUniform ? 1 : warpSize;
  }
  Shape shape = translation.shapes->evaluate(in);
  if (!shape.isScalar())
    return warpSize;
  if (shape.isUniform())
    return 1;
  bool isHeld = true;
  visitDefinitions(flat, in, [&](unsigned reg) {
    isHeld &= translation.shapes->registers[reg].isScalar();
  });
  return isHeld ? 1 : warpSize;
}

void Emitter::emit(const ptx::Instruction &in) {
  const isa::Row &row = *in.form->row;
  width = chooseWidth(in);
  guard = nullptr;
  if (translation.hooks.bounds && !translation.flow.touches.empty() &&
      translation.flow.touches.test(siteOf(in)))
    touch(in, readGuard(in));
  checkUses(in);
  // Control may go elsewhere, or the runtime changes what is undefined.
  if (isTerminator(in) || row.run)
    flushUndefined();
  if (isTerminator(in))
    return row.lower(*this, in);
  if (isCollective(in) || isBarrier(in))
    return flow->meet(in, readGuard(in));
  if (translation.mode == Mode::Warp &&
      is_contained(translation.shapes->tests, siteOf(in)))
    emitTest(in);
  auto body = [&] { row.run ? step(in) : row.lower(*this, in); };
  Value *condition = readGuard(in);
  if (!condition) {
    body();
  } else if (row.effect == isa::Effect::Pure) {
    guard = condition;
    body();
    guard = nullptr;
  } else {
    emitUnder(condition, body);
  }
  if (!row.run)
    followResults(in);
}

/// Runs `body` for the lanes for which `condition` holds, if there are any.
void Emitter::emitUnder(Value *condition, function_ref<void()> body) {
  BasicBlock *taken = newBlock(), *after = newBlock();
  Value *outer = mask;
  if (!condition->getType()->isVectorTy()) {
    b.CreateCondBr(condition, taken, after);
  } else {
    mask = outer ? b.CreateAnd(outer, condition) : condition;
    b.CreateCondBr(isAny(mask), taken, after);
    guard = mask;
  }
  b.SetInsertPoint(taken);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  mask = outer;
  guard = nullptr;
}

/// A widening keeps the shape of its source only if no lane wraps. The
/// instruction begins its block.
void Emitter::emitTest(const ptx::Instruction &in) {
  bool isSigned = ptx::isSigned(in.type), isConvert = in.root == "cvt";
  if (isConvert)
    isSigned = ptx::isSigned(*ptx::findType(in.get("Src")));
  BasicBlock *fine = nullptr;
  for (unsigned i = 1; i < (isConvert ? 2 : 3); ++i) {
    Shape shape = translation.shapes->shapeOf(in.operands[i]);
    if (shape.isUniform())
      continue;
    Value *base = readBits(in.operands[i], 32);
    Type *wide = b.getInt64Ty();
    base = isSigned ? b.CreateSExt(base, wide) : b.CreateZExt(base, wide);
    auto [least, most] =
        std::minmax_element(shape.offsets.begin(), shape.offsets.end());
    int64_t lowest = isSigned ? INT32_MIN : 0,
            highest = isSigned ? INT32_MAX : UINT32_MAX;
    Value *holds =
        b.CreateAnd(b.CreateICmpSGE(b.CreateAdd(base, b.getInt64(*least)),
                                    b.getInt64(lowest)),
                    b.CreateICmpSLE(b.CreateAdd(base, b.getInt64(*most)),
                                    b.getInt64(highest)));
    BasicBlock *wraps = newBlock("wraps");
    fine = newBlock();
    b.CreateCondBr(holds, fine, wraps,
                   MDBuilder(fn->getContext()).createLikelyBranchWeights());
    b.SetInsertPoint(wraps);
    flow->leave(currentBlock);
    b.SetInsertPoint(fine);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

unsigned Emitter::slotWidth(unsigned reg) const { return flow->slotWidth(reg); }

Value *Emitter::slotOf(unsigned reg) {
  if (!slots[reg])
    slots[reg] = flow->createSlot(reg);
  return slots[reg];
}

static Value *loadLanes(IRBuilder<> &b, Value *slot, unsigned bits,
                        unsigned lanes) {
  Type *type = b.getIntNTy(bits);
  if (lanes == 1)
    return b.CreateLoad(type, slot);
  return b.CreateAlignedLoad(FixedVectorType::get(type, lanes), slot,
                             lanesAlign);
}

Value *Emitter::readRegister(unsigned reg) {
  unsigned bits = ptx::getBits(flat.registers[reg].type);
  Value *value = loadLanes(b, slotOf(reg), bits, slotWidth(reg));
  if (width == 1 || slotWidth(reg) != 1)
    return value;
  value = b.CreateVectorSplat(width, value);
  const Shape &shape = translation.shapes->registers[reg];
  if (shape.isUniform())
    return value;
  return b.CreateAdd(value, offsetsToValue(shape.offsets, bits));
}

void Emitter::writeRegister(unsigned reg, Value *value, bool isSigned) {
  unsigned bits = ptx::getBits(flat.registers[reg].type);
  Type *type = b.getIntNTy(bits);
  if (value->getType()->isVectorTy())
    type = FixedVectorType::get(type, warpSize);
  value = isSigned ? b.CreateSExtOrTrunc(value, type)
                   : b.CreateZExtOrTrunc(value, type);
  unsigned lanes = slotWidth(reg);
  if (lanes != 1 && !value->getType()->isVectorTy())
    value = b.CreateVectorSplat(lanes, value);
  // Lanes that do not execute the block keep their value, where any block may
  // need it.
  Value *condition = guard;
  bool isLive = translation.flow.crossing.test(reg);
  if (mask && isLive && lanes != 1) {
    if (condition && !condition->getType()->isVectorTy())
      condition = b.CreateVectorSplat(lanes, condition);
    condition = condition ? b.CreateAnd(condition, mask) : mask;
  }
  if (condition)
    value = b.CreateSelect(condition, value,
                           loadLanes(b, slotOf(reg), bits, lanes));
  if (lanes == 1)
    b.CreateStore(value, slotOf(reg));
  else
    b.CreateAlignedStore(value, slotOf(reg), lanesAlign);
}

Value *Emitter::readGuard(const ptx::Instruction &in) {
  if (!in.guard)
    return nullptr;
  unsigned old = width;
  width = slotWidth(*in.guard);
  Value *value = readRegister(*in.guard);
  width = old;
  return in.guardNegated ? b.CreateNot(value) : value;
}

Value *Emitter::offsetsToValue(const Offsets &offsets, unsigned bits) {
  SmallVector<Constant *> values;
  for (int64_t offset : offsets)
    values.push_back(ConstantInt::get(
        b.getIntNTy(bits), APInt(64, offset, true).sextOrTrunc(bits)));
  return ConstantVector::get(values);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

BasicBlock *Emitter::newBlock(const Twine &name) {
  return BasicBlock::Create(fn->getContext(), name, fn);
}

BasicBlock *Emitter::faultBlock() {
  if (!fault) {
    fault = newBlock("fault");
    IRBuilder<>::InsertPointGuard keep(b);
    b.SetInsertPoint(fault);
    flow->emitFault();
  }
  return fault;
}

void Emitter::continueIf(Value *condition, BasicBlock *otherwise) {
  BasicBlock *next = newBlock();
  b.CreateCondBr(condition, next, otherwise,
                 MDBuilder(fn->getContext()).createLikelyBranchWeights());
  b.SetInsertPoint(next);
}

Value *Emitter::toBits(Value *lanes) {
  return b.CreateBitCast(lanes, b.getInt32Ty());
}

Value *Emitter::toLanes(Value *bits) {
  return b.CreateBitCast(bits, FixedVectorType::get(b.getInt1Ty(), warpSize));
}

Value *Emitter::isAny(Value *lanes) {
  if (!lanes->getType()->isVectorTy())
    return lanes;
  return b.CreateICmpNE(toBits(lanes), b.getInt32(0));
}

Value *Emitter::maskBits() { return mask ? toBits(mask) : flow->allLanes(); }

Value *Emitter::loadField(Value *base, uint64_t offset, Type *type) {
  Value *field = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  LoadInst *load = b.CreateAlignedLoad(
      type, field,
      Align(type->isVectorTy()    ? 4
            : type->isPointerTy() ? 8
                                  : type->getPrimitiveSizeInBits() / 8));
  load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(fn->getContext(), {}));
  return load;
}

} // namespace tc::emulator
