//===- Access.cpp - Checked memory accesses -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is checked for bounds and alignment with one compare: the offset
// into an allocation, rotated right by log2 of the access size, must be less
// than the number of accesses that fit. Misaligned offsets rotate into huge
// numbers. What fails goes to the runtime out of line, through a function that
// preserves all registers, so that the fast path pays no spills.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tc::emulator {

/// The out-of-line half: bool (thread, address, site).
Function *Emitter::slowCheck() {
  Module *module = fn->getParent();
  if (Function *known = module->getFunction("slow_check"))
    return known;
  auto *type = FunctionType::get(
      b.getInt1Ty(), {b.getPtrTy(), b.getInt64Ty(), b.getInt32Ty()}, false);
  Function *slow = Function::Create(type, GlobalValue::InternalLinkage,
                                    "slow_check", module);
  slow->setCallingConv(CallingConv::PreserveAll);
  slow->addFnAttr(Attribute::NoInline);
  slow->addFnAttr(Attribute::Cold);
  IRBuilder<>::InsertPointGuard keep(b);
  b.SetInsertPoint(BasicBlock::Create(fn->getContext(), "", slow));
  b.CreateRet(callRuntime("tc_emulator_check", b.getInt1Ty(),
                          {slow->getArg(0), slow->getArg(1), slow->getArg(2)}));
  return slow;
}

Value *Emitter::rotate(Value *offset, unsigned shift) {
  if (shift == 0)
    return offset;
  return b.CreateIntrinsic(Intrinsic::fshr, {b.getInt64Ty()},
                           {offset, offset, b.getInt64(shift)});
}

Value *Emitter::accessShared(Value *address, unsigned shift, uint32_t site) {
  Value *offset = b.CreateSub(address, b.getInt64(sharedStart));
  Value *count =
      loadField(blockState(), offsetof(BlockState, sharedCount) + 8 * shift,
                b.getInt64Ty());
  Value *isFine = b.CreateICmpULT(rotate(offset, shift), count);
  BasicBlock *bad = BasicBlock::Create(fn->getContext(), "", fn);
  continueIf(isFine, bad);
  {
    IRBuilder<>::InsertPointGuard keep(b);
    b.SetInsertPoint(bad);
    b.CreateCall(slowCheck(), {threadState(), address, b.getInt32(site)})
        ->setCallingConv(CallingConv::PreserveAll);
    b.CreateBr(endBlock());
  }
  Value *base =
      loadField(blockState(), offsetof(BlockState, shared), b.getPtrTy());
  return b.CreateGEP(b.getInt8Ty(), base, offset);
}

Value *Emitter::accessLocal(Value *address, unsigned shift, uint32_t site) {
  Value *offset = b.CreateSub(address, b.getInt64(localStart));
  Value *isFine = b.CreateICmpULT(
      rotate(offset, shift), b.getInt64(countAccesses(plan.localBytes, shift)));
  BasicBlock *bad = BasicBlock::Create(fn->getContext(), "", fn);
  continueIf(isFine, bad);
  {
    IRBuilder<>::InsertPointGuard keep(b);
    b.SetInsertPoint(bad);
    b.CreateCall(slowCheck(), {threadState(), address, b.getInt32(site)})
        ->setCallingConv(CallingConv::PreserveAll);
    b.CreateBr(endBlock());
  }
  Value *base = local ? local : ConstantPointerNull::get(b.getPtrTy());
  return b.CreateGEP(b.getInt8Ty(), base, offset);
}

Value *Emitter::accessSlot(Value *address, unsigned shift, uint32_t site) {
  Value *slots =
      loadField(blockState(), offsetof(BlockState, slots), b.getPtrTy());
  Value *slot = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots,
                                             uint64_t(site) * sizeof(Slot));
  Value *base = b.CreateLoad(b.getInt64Ty(), slot);
  Value *count = b.CreateLoad(
      b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slot, 8));
  Value *isFine =
      b.CreateICmpULT(rotate(b.CreateSub(address, base), shift), count);
  BasicBlock *slow = BasicBlock::Create(fn->getContext(), "", fn);
  continueIf(isFine, slow);
  BasicBlock *fine = b.GetInsertBlock();
  {
    IRBuilder<>::InsertPointGuard keep(b);
    b.SetInsertPoint(slow);
    CallInst *isFound =
        b.CreateCall(slowCheck(), {threadState(), address, b.getInt32(site)});
    isFound->setCallingConv(CallingConv::PreserveAll);
    b.CreateCondBr(isFound, fine, endBlock());
  }
  return b.CreateIntToPtr(address, b.getPtrTy());
}

Value *Emitter::access(const ptx::Instruction &in, const ptx::Operand &address,
                       ptx::Space space, unsigned bytes, bool isStore) {
  const ptx::Operand &base = address.elements.front();
  bool isParameter = base.kind == ptx::Operand::Kind::Variable &&
                     base.variable->space == ptx::Space::Param;
  // Checked by the verifier.
  if (isParameter)
    return b.CreateConstInBoundsGEP1_64(
        b.getInt8Ty(), parameterPointer(*base.variable), address.offset);
  unsigned width = 64;
  if (base.kind == ptx::Operand::Kind::Register)
    width = ptx::getBits(source.registers[base.reg].type);
  Value *value = b.CreateZExt(readBits(base, width), b.getInt64Ty());
  value = b.CreateAdd(value, b.getInt64(address.offset));
  unsigned shift = Log2_32(bytes);
  uint32_t site = addSite(in, space, bytes, isStore);
  if (space == ptx::Space::Shared)
    return accessShared(value, shift, site);
  if (space == ptx::Space::Local)
    return accessLocal(value, shift, site);
  return accessSlot(value, shift, site);
}

Value *Emitter::genericBase(ptx::Space space) {
  if (space == ptx::Space::Shared) {
    Value *base =
        loadField(blockState(), offsetof(BlockState, shared), b.getPtrTy());
    return b.CreateSub(b.CreatePtrToInt(base, b.getInt64Ty()),
                       b.getInt64(sharedStart));
  }
  if (space == ptx::Space::Local && local)
    return b.CreateSub(b.CreatePtrToInt(local, b.getInt64Ty()),
                       b.getInt64(localStart));
  return b.getInt64(0);
}

} // namespace tc::emulator
