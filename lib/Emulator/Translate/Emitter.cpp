//===- Emitter.cpp - Emits LLVM IR for one PTX function -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a translated function: its blocks, its registers, its
// parameters, and the walk over its instructions.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Isa/Isa.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tc::emulator {

Emitter::Emitter(Function *fn, const ptx::Function &source, KernelPlan &plan,
                 const Callees &callees, VariableAddress variableAddress)
    : b(fn->getContext()), fn(fn), source(source), plan(plan), callees(callees),
      variableAddress(variableAddress) {}

void Emitter::run() {
  prepare();
  for (unsigned i = 0; i < source.body.size(); ++i) {
    if (blocks[i] && b.GetInsertBlock() != blocks[i]) {
      if (!b.GetInsertBlock()->getTerminator())
        b.CreateBr(blocks[i]);
      b.SetInsertPoint(blocks[i]);
    }
    emit(source.body[i], i);
  }
  // A body may end without `ret`, or with a label behind its last instruction.
  BasicBlock *last = blocks.back();
  if (last && last != b.GetInsertBlock()) {
    if (!b.GetInsertBlock()->getTerminator())
      b.CreateBr(last);
    b.SetInsertPoint(last);
  }
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateRet(b.getFalse());
  BranchInst::Create(blocks[0], entry);
}

/// Blocks begin at branch targets; registers start as zero.
void Emitter::prepare() {
  LLVMContext &context = fn->getContext();
  entry = BasicBlock::Create(context, "entry", fn);
  blocks.assign(source.body.size() + 1, nullptr);
  blocks[0] = BasicBlock::Create(context, "body", fn);
  for (const ptx::Instruction &in : source.body)
    for (unsigned target : in.targets)
      if (!blocks[target])
        blocks[target] = BasicBlock::Create(context, "", fn);
  slots.assign(source.registers.size(), nullptr);
  b.SetInsertPoint(entry);
  if (!source.isEntry) {
    local = fn->getArg(2);
  } else if (plan.localBytes) {
    Type *type = ArrayType::get(b.getInt8Ty(), plan.localBytes);
    AllocaInst *memory = b.CreateAlloca(type);
    memory->setAlignment(Align(plan.localAlign));
    local = memory;
    // All ones: NaN in every format, so that a value never written shows.
    b.CreateMemSet(local, b.getInt8(0xff), plan.localBytes, Align(64));
    if (plan.localEscapes)
      b.CreateStore(local,
                    b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), threadState(),
                                                 offsetof(ThreadState, local)));
  }
  prepareParameters();
  b.SetInsertPoint(blocks[0]);
}

/// Kernel parameters lie in the launch's buffer. A device function gets a
/// pointer for each result and parameter; the .param variables of its calls are
/// stack slots.
void Emitter::prepareParameters() {
  if (source.isEntry) {
    if (source.parameters.empty())
      return;
    Value *buffer =
        loadField(blockState(), offsetof(BlockState, parameters), b.getPtrTy());
    for (const ptx::Variable *variable : source.parameters)
      parameters[variable] =
          b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), buffer, variable->offset);
  } else {
    unsigned index = 3;
    for (const auto *list : {&source.results, &source.parameters})
      for (const ptx::Variable *variable : *list)
        parameters[variable] = fn->getArg(index++);
  }
  for (const ptx::Variable &variable : source.variables) {
    if (variable.space != ptx::Space::Param || variable.isFormal)
      continue;
    AllocaInst *memory =
        b.CreateAlloca(ArrayType::get(b.getInt8Ty(), variable.bytes));
    memory->setAlignment(Align(16));
    b.CreateMemSet(memory, b.getInt8(0), variable.bytes, Align(16));
    parameters[&variable] = memory;
  }
}

void Emitter::emit(const ptx::Instruction &in, unsigned index) {
  // Code behind a jump that no label leads to.
  if (b.GetInsertBlock()->getTerminator())
    return;
  guard = nullptr;
  const isa::Row &row = *in.form->row;
  if (!in.guard || !in.targets.empty())
    return row.lower(*this, in);
  Value *condition = readGuard(in);
  if (row.effect == isa::Effect::Pure) {
    guard = condition;
    return row.lower(*this, in);
  }
  BasicBlock *taken = BasicBlock::Create(fn->getContext(), "", fn);
  BasicBlock *after = BasicBlock::Create(fn->getContext(), "", fn);
  b.CreateCondBr(condition, taken, after);
  b.SetInsertPoint(taken);
  row.lower(*this, in);
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value *Emitter::readGuard(const ptx::Instruction &in) {
  if (!in.guard)
    return nullptr;
  Value *value = b.CreateLoad(b.getInt1Ty(), slotOf(*in.guard));
  return in.guardNegated ? b.CreateNot(value) : value;
}

Value *Emitter::createSlot(Type *type) {
  IRBuilder<> at(entry, entry->begin());
  Value *slot = at.CreateAlloca(type);
  at.CreateStore(Constant::getNullValue(type), slot);
  return slot;
}

Value *Emitter::slotOf(unsigned reg) {
  if (!slots[reg])
    slots[reg] = createSlot(intType(ptx::getBits(source.registers[reg].type)));
  return slots[reg];
}

Value *Emitter::carry() {
  if (!carrySlot)
    carrySlot = createSlot(b.getInt1Ty());
  return carrySlot;
}

Value *Emitter::loadField(Value *base, uint64_t offset, Type *type) {
  Value *field = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  LoadInst *load = b.CreateLoad(type, field);
  load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(fn->getContext(), {}));
  return load;
}

BasicBlock *Emitter::endBlock() {
  if (!end) {
    end = BasicBlock::Create(fn->getContext(), "end", fn);
    IRBuilder<>(end).CreateRet(b.getTrue());
  }
  return end;
}

void Emitter::continueIf(Value *condition, BasicBlock *otherwise) {
  BasicBlock *next = BasicBlock::Create(fn->getContext(), "", fn);
  b.CreateCondBr(condition, next, otherwise,
                 MDBuilder(fn->getContext()).createLikelyBranchWeights());
  b.SetInsertPoint(next);
}

uint32_t Emitter::addSite(const ptx::Instruction &in, ptx::Space space,
                          uint32_t bytes, bool isStore) {
  bool isAligned = in.root == "bar" || in.has("aligned");
  plan.sites.push_back({&in, space, bytes, isStore, isAligned});
  return plan.sites.size() - 1;
}

CallInst *Emitter::callRuntime(StringRef name, Type *result,
                               ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = fn->getParent()->getOrInsertFunction(
      name, FunctionType::get(result, types, false));
  CallInst *call = b.CreateCall(callee, arguments);
  // A C bool fills a byte whose upper bits are zero.
  if (result->isIntegerTy(1))
    call->addRetAttr(Attribute::ZExt);
  return call;
}

CallInst *Emitter::callFunction(const ptx::Function &callee,
                                ArrayRef<Value *> arguments) {
  SmallVector<Value *> all = {threadState(), blockState(),
                              local ? local
                                    : ConstantPointerNull::get(b.getPtrTy())};
  all.append(arguments.begin(), arguments.end());
  return b.CreateCall(callees.lookup(&callee), all);
}

Value *Emitter::parameterPointer(const ptx::Variable &variable) {
  return parameters.lookup(&variable);
}

} // namespace tc::emulator
