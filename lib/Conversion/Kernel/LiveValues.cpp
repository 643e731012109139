//===- LiveValues.cpp - Registers that a kernel cannot do without ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/LiveValues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

/// The value that takes the registers of `value`: an address at a constant
/// distance is part of the instruction that uses it. Null for what takes none.
static Instruction *findHolder(Value *value) {
  while (auto *address = dyn_cast<GetElementPtrInst>(value)) {
    if (!address->hasAllConstantIndices())
      break;
    value = address->getPointerOperand();
  }
  return dyn_cast<Instruction>(value);
}

static int64_t countRegisters(const Instruction &op) {
  Type *type = op.getType();
  if (!type->isSized() || type->isIntegerTy(1))
    return 0;
  return int64_t(divideCeil(
      op.getDataLayout().getTypeSizeInBits(type).getFixedValue(), 32));
}

namespace {
/// What is live at a place, and the registers of it.
struct LiveSet {
  DenseSet<Instruction *> values;
  int64_t registers = 0;

  void insert(Value *value) {
    Instruction *holder = findHolder(value);
    if (holder && values.insert(holder).second)
      registers += countRegisters(*holder);
  }
  void erase(Instruction *op) {
    if (values.erase(op))
      registers -= countRegisters(*op);
  }
};
} // namespace

/// What is live at the end of `block`; `heads` is what is live before the other
/// blocks, without their phis.
static LiveSet findLiveOut(BasicBlock &block,
                           const DenseMap<BasicBlock *, LiveSet> &heads) {
  LiveSet live;
  for (BasicBlock *next : successors(&block)) {
    if (auto head = heads.find(next); head != heads.end())
      for (Instruction *value : head->second.values)
        live.insert(value);
    for (PHINode &phi : next->phis())
      live.insert(phi.getIncomingValueForBlock(&block));
  }
  return live;
}

int64_t mlir::tc::countLiveRegisters(Function &function) {
  DenseMap<BasicBlock *, LiveSet> heads;
  int64_t most = 0;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (BasicBlock &block : reverse(function)) {
      LiveSet live = findLiveOut(block, heads);
      most = std::max(most, live.registers);
      for (Instruction &op : reverse(block)) {
        live.erase(&op);
        if (isa<PHINode>(op) || findHolder(&op) != &op)
          continue;
        for (llvm::Value *operand : op.operand_values())
          live.insert(operand);
        most = std::max(most, live.registers);
      }
      // They only grow from one round to the next.
      LiveSet &head = heads[&block];
      isChanged |= live.values.size() > head.values.size();
      head = std::move(live);
    }
  }
  return most;
}
