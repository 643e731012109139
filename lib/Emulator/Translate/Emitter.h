//===- Emitter.h - Emits LLVM IR for one PTX function -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering functions build on: operands as LLVM values, checked
// accesses, branches and calls of the runtime. Registers are bits: each is a
// stack slot of its declared width that SROA turns into SSA; a value gets its
// type where it is used.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_EMITTER_H
#define TC_LIB_EMULATOR_TRANSLATE_EMITTER_H

#include "Runtime/State.h"
#include "Translate/Plan.h"

#include "llvm/IR/IRBuilder.h"

namespace tc::emulator {

/// Host address of a module-level .global or .const variable.
using VariableAddress =
    llvm::function_ref<uint64_t(const ptx::Variable &variable)>;

class Emitter {
public:
  /// `callees` maps the functions reached to their declarations in the module
  /// of `fn`.
  using Callees = llvm::DenseMap<const ptx::Function *, llvm::Function *>;

  Emitter(llvm::Function *fn, const ptx::Function &source, KernelPlan &plan,
          const Callees &callees, VariableAddress variableAddress);

  /// Translates the whole body.
  void run();

  llvm::IRBuilder<> b;

  /// Lanes that the current instruction is emitted for: 1, or all of a warp.
  /// Every value and type below is a scalar, or a vector of that many.
  unsigned width = 1;

  // Types and constants, one lane or all.
  llvm::Type *laneType(llvm::Type *scalar);
  llvm::Type *intType(unsigned bits) { return laneType(b.getIntNTy(bits)); }
  /// half, float or double for .f16, .f32 and .f64; else the integer of that
  /// width.
  llvm::Type *typeOf(ptx::Type type);
  llvm::Constant *number(unsigned bits, uint64_t value) {
    return llvm::ConstantInt::get(intType(bits), value);
  }
  llvm::Constant *real(ptx::Type type, double value) {
    return llvm::ConstantFP::get(typeOf(type), value);
  }

  // Operands (Operands.cpp).
  /// The value of a source operand as `type`.
  llvm::Value *read(const ptx::Operand &operand, ptx::Type type);
  /// The value of operand `index` as the instruction's type.
  llvm::Value *arg(const ptx::Instruction &in, unsigned index) {
    return read(in.operands[index], in.type);
  }
  /// The bits of a source operand, `width` of them.
  llvm::Value *readBits(const ptx::Operand &operand, unsigned width);
  /// Writes a destination, widened to the register as `type` says. When the
  /// instruction has a guard that was not branched around, it is a select.
  void write(const ptx::Operand &operand, llvm::Value *value, ptx::Type type);
  /// Writes operand 0 as the instruction's type.
  void result(const ptx::Instruction &in, llvm::Value *value) {
    write(in.operands[0], value, in.type);
  }
  llvm::Value *readSpecial(const ptx::Operand &operand);
  /// The address a variable has in its own space.
  llvm::Value *addressOf(const ptx::Variable &variable);
  /// The carry of the extended-precision instructions, an i1 slot.
  llvm::Value *carry();

  // Memory (Access.cpp).
  /// Host pointer to `bytes` at the address operand; the thread ends with a
  /// fault if they are not accessible in `space`.
  llvm::Value *access(const ptx::Instruction &in, const ptx::Operand &address,
                      ptx::Space space, unsigned bytes, bool isStore);
  /// Host address at which shared or local memory starts, less its first
  /// address: what turns one of its addresses into a generic one.
  llvm::Value *genericBase(ptx::Space space);

  // Control.
  llvm::BasicBlock *blockOf(unsigned instruction) {
    return blocks[instruction];
  }
  /// Goes on in a new block when `condition` holds, else at `otherwise`, which
  /// is unlikely.
  void continueIf(llvm::Value *condition, llvm::BasicBlock *otherwise);
  /// Where a thread ends: by `exit`, or by a fault.
  llvm::BasicBlock *endBlock();
  uint32_t addSite(const ptx::Instruction &in,
                   ptx::Space space = ptx::Space::Generic, uint32_t bytes = 0,
                   bool isStore = false);
  /// Calls `name`, a function of the runtime or of libm, once a lane. The
  /// result's type is that of one lane, or of all.
  llvm::CallInst *callRuntime(llvm::StringRef name, llvm::Type *result,
                              llvm::ArrayRef<llvm::Value *> arguments);
  llvm::CallInst *callFunction(const ptx::Function &callee,
                               llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *parameterPointer(const ptx::Variable &variable);
  /// The guard as an i1, or null.
  llvm::Value *readGuard(const ptx::Instruction &in);
  /// Loads a field that does not change while the thread runs.
  llvm::Value *loadField(llvm::Value *base, uint64_t offset, llvm::Type *type);

  llvm::Value *threadState() { return fn->getArg(0); }
  llvm::Value *blockState() { return fn->getArg(1); }
  const ptx::Function &function() const { return source; }

private:
  void prepare();
  void prepareParameters();
  void emit(const ptx::Instruction &in, unsigned index);
  llvm::Value *slotOf(unsigned reg);
  llvm::Value *createSlot(llvm::Type *type);
  llvm::Function *slowCheck();

  llvm::Value *accessShared(llvm::Value *address, unsigned shift,
                            uint32_t site);
  llvm::Value *accessLocal(llvm::Value *address, unsigned shift, uint32_t site);
  llvm::Value *accessSlot(llvm::Value *address, unsigned shift, uint32_t site);
  llvm::Value *rotate(llvm::Value *offset, unsigned shift);

  llvm::Function *fn;
  const ptx::Function &source;
  KernelPlan &plan;
  const Callees &callees;
  VariableAddress variableAddress;
  std::vector<llvm::Value *> slots;
  std::vector<llvm::BasicBlock *> blocks;
  llvm::DenseMap<const ptx::Variable *, llvm::Value *> parameters;
  llvm::BasicBlock *end = nullptr;
  llvm::BasicBlock *entry = nullptr;
  llvm::Value *local = nullptr;
  llvm::Value *carrySlot = nullptr;
  llvm::Value *guard = nullptr;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_EMITTER_H
