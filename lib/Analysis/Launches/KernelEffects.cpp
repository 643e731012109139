//===- KernelEffects.cpp - What kernels do with their arguments -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows each memref that a kernel is given, as a view or as an address,
// through ops without effects, to the ops that read and write by it.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/DeviceWork.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

/// Each pair of elements of two kernels is a question to the solver.
static constexpr size_t kMostElements = 16;

namespace {
/// One argument on its way through the kernel.
class ArgumentTracer {
public:
  ArgumentTracer(BlockArgument argument, NestValues &values)
      : argument(argument), values(values) {}

  KernelArgument run();

private:
  void visit(OpOperand &use);
  void touch(Operation *op, bool reads, bool writes);

  BlockArgument argument;
  NestValues &values;
  KernelArgument result;
  llvm::SetVector<Value> reached;
};
} // namespace

/// Counts an op that reaches the argument's memory.
void ArgumentTracer::touch(Operation *op, bool reads, bool writes) {
  result.reads |= reads;
  result.writes |= writes;
  if (!result.elements)
    return;
  for (NestAccess &access : getAccesses(op, values)) {
    if (access.buffer != argument)
      continue;
    bool isUseful = access.isKnown() &&
                    result.elements->size() < kMostElements &&
                    isa<MemRefType>(argument.getType());
    if (!isUseful) {
      result.elements.reset();
      return;
    }
    result.elements->push_back(std::move(access));
    return;
  }
  result.elements.reset(); // by an address
}

/// Copies of NVVM that tell no effects: they read global memory.
static bool isAsyncRead(Operation *op) {
  return isa<NVVM::CpAsyncOp, NVVM::CpAsyncBulkGlobalToSharedClusterOp,
             NVVM::PrefetchOp>(op);
}

/// Sizes and strides are no way to the memory.
static bool isOnlyMeasured(Operation *op) { return isa<memref::DimOp>(op); }

void ArgumentTracer::visit(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isOnlyMeasured(op))
    return;
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    reached.insert(metadata.getBaseBuffer());
    return;
  }
  if (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
      !op->hasTrait<OpTrait::IsTerminator>()) {
    reached.insert(op->result_begin(), op->result_end());
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (isAsyncRead(op) || !effects)
    return touch(op, /*reads=*/true, /*writes=*/!isAsyncRead(op));
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  bool isTold = false;
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (instance.getValue() != use.get())
      continue;
    isTold = true;
    bool reads = isa<MemoryEffects::Read>(instance.getEffect());
    touch(op, reads, !reads);
  }
  if (!isTold) // its address goes somewhere
    touch(op, /*reads=*/true, /*writes=*/true);
}

KernelArgument ArgumentTracer::run() {
  reached.insert(argument);
  for (size_t i = 0; i != reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses())
      visit(use);
  return std::move(result);
}

/// Does `op` depend on what launches have in common beside arguments: memory of
/// the module, or the text that kernels print?
static bool touchesModule(Operation *op) {
  if (isa<gpu::PrintfOp, memref::GetGlobalOp>(op))
    return true;
  auto address = dyn_cast<LLVM::AddressOfOp>(op);
  return address &&
         cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() !=
             static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
}

KernelEffects mlir::tc::getKernelEffects(gpu::GPUFuncOp kernel,
                                         NestValues &values) {
  KernelEffects effects;
  effects.touchesAnything =
      kernel.isExternal() || containsOp(kernel, touchesModule);
  for (BlockArgument argument : kernel.getArguments()) {
    if (effects.arguments.size() == kernel.getNumArguments())
      break; // memory of the block
    if (isa<BaseMemRefType>(argument.getType()))
      effects.arguments.push_back(ArgumentTracer(argument, values).run());
    else
      effects.arguments.push_back({});
  }
  return effects;
}
