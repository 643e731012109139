//===- WrittenArguments.cpp - Which arguments a function writes -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results that are not found here are not compared, so this takes an argument
// for written unless it is sure: a buffer may be any of those that reach it
// through views, selections, and the edges of control flow.
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace mlir::tc {

namespace {
/// By value: the arguments of the function whose buffers it may be.
class Origins {
public:
  explicit Origins(func::FuncOp function) {
    unsigned count = function.getNumArguments();
    for (auto [number, argument] : llvm::enumerate(function.getArguments()))
      if (isa<BaseMemRefType>(argument.getType()))
        of(argument, count).set(number);
    do {
      hasChanged = false;
      function.walk([&](Operation *op) { propagate(op); });
    } while (hasChanged);
  }

  const BitVector *find(Value value) const {
    auto entry = origins.find(value);
    return entry == origins.end() ? nullptr : &entry->second;
  }

private:
  BitVector &of(Value value, unsigned count) {
    BitVector &bits = origins[value];
    bits.resize(count);
    return bits;
  }

  void flow(Value from, Value to) {
    if (!isa<BaseMemRefType, TensorType>(to.getType()))
      return;
    auto known = origins.find(from);
    if (known == origins.end())
      return;
    BitVector bits = known->second; // `of` may move it
    BitVector &target = of(to, bits.size());
    hasChanged |= bits.test(target);
    target |= bits;
  }

  void propagate(Operation *op);
  void propagateToRegions(Operation *op);

  DenseMap<Value, BitVector> origins;
  bool hasChanged = false;
};
} // namespace

/// Is `result` a buffer that `op` makes?
static bool isAllocated(Operation *op, OpResult result) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.getEffectOnValue<MemoryEffects::Allocate>(result);
}

/// Along the edges that an op declares; without, from any to any.
void Origins::propagateToRegions(Operation *op) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping)
      for (Value input : inputs)
        flow(operand->get(), input);
    return;
  }
  SmallVector<Value> from = llvm::to_vector(op->getOperands());
  SmallVector<Value> to = llvm::to_vector_of<Value>(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      llvm::append_range(to, block.getArguments());
      if (block.mightHaveTerminator())
        llvm::append_range(from, block.getTerminator()->getOperands());
    }
  for (Value source : from)
    for (Value target : to)
      flow(source, target);
}

void Origins::propagate(Operation *op) {
  if (isa<func::FuncOp>(op))
    return;
  if (op->getNumRegions() != 0)
    return propagateToRegions(op);
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    for (auto [number, successor] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(number);
      for (auto [argument, i] :
           llvm::zip(successor->getArguments(), llvm::seq(operands.size())))
        if (Value operand = operands[i])
          flow(operand, argument);
    }
  for (OpResult result : op->getResults()) {
    // An op on tensors gives new ones; where it reads them does not matter.
    if (isAllocated(op, result) ||
        (isa<TensorType>(result.getType()) &&
         !isa<bufferization::ToTensorOp>(op) && !isa<CastOpInterface>(op)))
      continue;
    for (Value operand : op->getOperands())
      flow(operand, result);
  }
}

/// Calls `mark` with the buffers that `op` itself may write.
static void forEachWritten(Operation *op, function_ref<void(Value)> mark) {
  if (isa<CacheOp>(op))
    return; // its effect only keeps it in place
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    // What it does is what is in it, or unknown.
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !op->hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op->getOperands())
        mark(operand);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (!isa<MemoryEffects::Write>(instance.getEffect()))
      continue;
    if (Value value = instance.getValue())
      mark(value);
    else if (!instance.getSymbolRef() &&
             isa<SideEffects::DefaultResource>(instance.getResource()))
      for (Value operand : op->getOperands())
        mark(operand);
  }
}

SmallVector<bool> findWrittenArguments(func::FuncOp function) {
  SmallVector<bool> written(function.getNumArguments(), false);
  if (function.isExternal())
    return written;
  Origins origins(function);
  function.walk([&](Operation *op) {
    forEachWritten(op, [&](Value value) {
      const BitVector *bits = origins.find(value);
      if (bits && isa<BaseMemRefType>(value.getType()))
        for (unsigned number : bits->set_bits())
          written[number] = true;
    });
  });
  return written;
}

} // namespace mlir::tc
