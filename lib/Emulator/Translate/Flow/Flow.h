//===- Flow.h - Basic blocks, dominance and liveness of a body --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control-flow graph of a flat body. Blocks also begin at instructions that
// bring the lanes of a warp together and behind barriers, so that a lane's
// position is always a block.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_FLOW_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_FLOW_H

#include "Isa/Isa.h"
#include "Translate/Flow/Flatten.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::emulator {

/// The registers an instruction reads and writes. A guarded write also keeps
/// the old value, so it reads too.
void visitUses(const FlatBody &flat, const ptx::Instruction &in,
               llvm::function_ref<void(unsigned)> visit);
/// The registers whose values it works on: not its guard.
void visitSources(const FlatBody &flat, const ptx::Instruction &in,
                  llvm::function_ref<void(unsigned)> visit);
void visitDefinitions(const FlatBody &flat, const ptx::Instruction &in,
                      llvm::function_ref<void(unsigned)> visit);

/// `wgmma.wait_group`: it writes what earlier instructions named, and the
/// registers that these read are read until then.
bool writesLate(const ptx::Instruction &in);

/// The operand is written, and not read.
bool isDestination(const isa::OperandSpec &spec);
/// The lanes of a warp come together to execute it.
bool isCollective(const ptx::Instruction &in);
/// `bar` and `barrier`, which may make a warp wait for others.
bool isBarrier(const ptx::Instruction &in);
/// Control does not go on to the next instruction, or only where the guard does
/// not hold.
bool isTerminator(const ptx::Instruction &in);

struct Block {
  unsigned first = 0, end = 0; ///< instructions [first, end)
  /// Blocks that may come next: the target of a jump, then what follows.
  llvm::SmallVector<unsigned, 2> successors, predecessors;
  /// A lane may end here, by `exit`, `ret` or the end of the body.
  bool mayEnd = false;
  /// The block at which all its successors meet; `Flow::none` if they may end
  /// apart.
  unsigned join = 0;
  llvm::BitVector liveIn, liveOut;
};

struct Flow {
  static constexpr unsigned none = ~0u;

  /// `cuts` are instructions at which a block must begin as well.
  Flow(const FlatBody &flat, llvm::ArrayRef<unsigned> cuts);

  /// Lanes wait at the start of the block until no other of their warp can run.
  bool meets(const FlatBody &flat, unsigned block) const;
  unsigned blockAt(unsigned instruction) const { return blockOf[instruction]; }
  /// The blocks that a lane may run between leaving `block` and its join.
  llvm::SmallVector<unsigned> getRegion(unsigned block) const;

  std::vector<Block> blocks;
  /// Reverse postorder from the entry, what follows a loop after all of it: a
  /// join comes after whatever leads to it.
  std::vector<unsigned> order;
  /// The place of each block in `order`; those that are not reached come last.
  std::vector<unsigned> rank;
  /// Registers that some block needs from another one: lanes that wait there
  /// have them.
  llvm::BitVector crossing;
  /// Instructions that the runtime is told of since they access registers of
  /// `wgmma`, perhaps at a wrong time (Touches.cpp).
  llvm::BitVector touches;

private:
  void findBlocks(const FlatBody &flat, llvm::ArrayRef<unsigned> cuts);
  void connect(const FlatBody &flat);
  void findOrder(llvm::function_ref<unsigned(unsigned, unsigned)> loopsAround);
  void orderBlocks();
  void findJoins();
  void findLiveness(const FlatBody &flat);
  void findTouches(const FlatBody &flat);

  std::vector<unsigned> blockOf;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_FLOW_H
