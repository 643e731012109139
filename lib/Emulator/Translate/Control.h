//===- Control.h - How lanes move from block to block -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs between the modes of translated code. See Note [Modes] in
// Control.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_CONTROL_H
#define TC_LIB_EMULATOR_TRANSLATE_CONTROL_H

#include "Translate/Emitter.h"

namespace tc::emulator {

class Control {
public:
  explicit Control(Emitter &e);
  virtual ~Control() = default;

  /// Emits all blocks.
  virtual void run() = 0;
  /// The current lanes go to `block`.
  virtual void jump(unsigned block) = 0;
  /// Those for which `condition` (scalar or lanes) holds go to `taken`.
  virtual void branch(llvm::Value *condition, unsigned taken,
                      unsigned other) = 0;
  /// Each lane goes to targets[index], or fails as `in` does.
  virtual void jumpTable(const ptx::Instruction &in, llvm::Value *index,
                         llvm::ArrayRef<unsigned> targets) = 0;
  /// The current lanes end; with a condition, the others go to `next`.
  virtual void end(llvm::Value *condition, unsigned next) = 0;
  /// Runs an instruction for which lanes or warps may wait.
  virtual void meet(const ptx::Instruction &in, llvm::Value *guard) = 0;
  /// The memory of a register and the lanes it has: 1 or all.
  virtual llvm::Value *createSlot(unsigned reg) = 0;
  virtual unsigned slotWidth(unsigned reg) const = 0;
  /// The lane or lanes that the function runs, as an i32.
  virtual llvm::Value *allLanes() = 0;
  /// What the function returns after a fault.
  virtual void emitFault() { e.b.CreateRetVoid(); }
  /// A scalar of the warp does not hold: it goes on as `block` in masked code.
  virtual void leave(unsigned block) {}

protected:
  const Block &blockOf(unsigned index) const { return flow.blocks[index]; }

  Emitter &e;
  const Flow &flow;
  std::vector<llvm::BasicBlock *> blocks;
};

std::unique_ptr<Control> createThreadControl(Emitter &e);
std::unique_ptr<Control> createWarpControl(Emitter &e);
std::unique_ptr<Control> createMaskedControl(Emitter &e);

/// A block as masked code knows it.
uint32_t positionOf(const Emitter &e, unsigned block);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_CONTROL_H
