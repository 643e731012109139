//===- HostMemory.cpp - The memory that host code touches -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/DeviceWork.h"

#include "Nests/AccessPair.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isDeviceWork(Operation *op) {
  return isa<gpu::LaunchFuncOp, gpu::MemcpyOp, gpu::MemsetOp, gpu::DeallocOp>(
      op);
}

const KernelEffects &HostMemory::getEffects(gpu::GPUFuncOp kernel) {
  auto [known, isNew] = kernels.try_emplace(kernel);
  if (isNew)
    known->second = getKernelEffects(kernel, values);
  return known->second;
}

/// Is `value` computed from where a buffer lies?
static bool isAddress(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  if (value.getDefiningOp() && failed(getBackwardSlice(value, &slice, options)))
    return true;
  return llvm::any_of(slice,
                      llvm::IsaPred<memref::ExtractAlignedPointerAsIndexOp>);
}

/// The memref that `operand`, which may be the bare buffer of one, stands for.
static Value findView(Value operand) {
  auto metadata = operand.getDefiningOp<memref::ExtractStridedMetadataOp>();
  return metadata ? metadata.getSource() : operand;
}

/// The index that the host has passed as this operand, in as many bits as it
/// knows to be enough.
static Value skipCasts(Value operand) {
  while (Operation *op = operand.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp>(op))
      break;
    operand = op->getOperand(0);
  }
  return operand;
}

/// The element, in terms of what the kernel is launched with.
void HostMemory::substituteOperands(gpu::LaunchFuncOp launch,
                                    gpu::GPUFuncOp kernel,
                                    NestAccess &element) {
  DenseMap<AffineExpr, AffineExpr> replacement;
  auto collect = [&](AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      Value value = dim ? values.getValue(dim.getPosition()) : Value();
      auto argument =
          dyn_cast_or_null<BlockArgument>(value ? skipCasts(value) : Value());
      if (argument && argument.getOwner()->getParentOp() == kernel &&
          argument.getArgNumber() < launch.getNumKernelOperands())
        replacement[part] = values.trace(
            skipCasts(launch.getKernelOperand(argument.getArgNumber())));
    });
  };
  auto all = {&element.subscripts, &element.conditions};
  for (SmallVectorImpl<AffineExpr> *exprs : all)
    llvm::for_each(*exprs, collect);
  for (SmallVectorImpl<AffineExpr> *exprs : all)
    for (AffineExpr &expr : *exprs)
      expr = expr.replace(replacement);
}

void HostMemory::addLaunch(gpu::LaunchFuncOp launch, MemoryUse &use) {
  auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel) {
    use.touchesAnything = true;
    return;
  }
  const KernelEffects &effects = getEffects(kernel);
  use.touchesAnything |= effects.touchesAnything;
  for (auto [operand, argument] :
       llvm::zip_equal(launch.getKernelOperands(), effects.arguments)) {
    if (!isa<BaseMemRefType>(operand.getType())) {
      use.touchesAnything |= isAddress(operand);
      continue;
    }
    if (!argument.reads && !argument.writes)
      continue;
    Value view = findView(operand);
    NestAccess whole = getWholeAccess(launch, view, argument.writes, values);
    // Elements of a view have places of their own in the buffer below it.
    if (!argument.elements || view != operand || whole.buffer != view) {
      use.accesses.push_back(std::move(whole));
      continue;
    }
    for (NestAccess element : *argument.elements) {
      element.buffer = whole.buffer;
      substituteOperands(launch, kernel, element);
      use.accesses.push_back(std::move(element));
    }
  }
}

/// Adds what `op` itself does.
void HostMemory::addOp(Operation *op, MemoryUse &use) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch, use);
  if (isMemoryEffectFree(op) ||
      isa<gpu::WaitOp, gpu::AllocOp, gpu::HostRegisterOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (auto end = dyn_cast<gpu::HostUnregisterOp>(op)) {
    use.accesses.push_back(getWholeAccess(op, findBuffer(end.getValue()),
                                          /*writes=*/true, values));
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    use.touchesAnything = true;
    return;
  }
  llvm::append_range(use.accesses, getAccesses(op, values));
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (isa<MemoryEffects::Allocate>(instance.getEffect()))
      continue;
    Value memref = instance.getValue();
    if (!memref || !isa<BaseMemRefType>(memref.getType()))
      use.touchesAnything = true;
    else if (isa<MemoryEffects::Free>(instance.getEffect()))
      use.accesses.push_back(
          getWholeAccess(op, findBuffer(memref), /*writes=*/true, values));
  }
}

/// The buffers that `buffer` may be where loops carry it round: those that they
/// begin with.
static SetVector<Value> findCarried(Value buffer) {
  SetVector<Value> all;
  all.insert(buffer);
  SetVector<Value> first;
  for (size_t i = 0; i != all.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(all[i]);
    auto loop =
        argument
            ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp())
            : scf::ForOp();
    if (!loop) {
      first.insert(all[i]);
      continue;
    }
    all.insert(loop.getTiedLoopInit(argument)->get());
    all.insert(loop.getTiedLoopYieldedValue(argument)->get());
  }
  return first;
}

MemoryUse HostMemory::getUse(Operation *op) {
  MemoryUse found, use;
  op->walk([&](Operation *inner) { addOp(inner, found); });
  use.touchesAnything = found.touchesAnything;
  for (const NestAccess &access : found.accesses)
    for (Value buffer : findCarried(access.buffer)) {
      use.accesses.push_back(access);
      use.accesses.back().buffer = buffer;
    }
  Operation *function = op->getParentOfType<FunctionOpInterface>();
  for (NestAccess &access : use.accesses)
    if (!access.op->getParentOfType<gpu::GPUFuncOp>())
      access.op = function;
  return use;
}

/// The kernel that an element belongs to: each launch has threads of its own.
static void addKernel(const NestAccess &access,
                      SmallVectorImpl<Operation *> &kernels) {
  if (auto kernel = access.op->getParentOfType<gpu::GPUFuncOp>())
    kernels.push_back(kernel);
}

bool HostMemory::mayMeet(const NestAccess &first, const NestAccess &second) {
  if (!first.writes && !second.writes)
    return false;
  if (first.buffer != second.buffer)
    return !areDistinct(first.buffer, second.buffer);
  auto subscripts = alignSubscripts(first, second);
  if (!subscripts)
    return true;
  SmallVector<Operation *> kernels;
  addKernel(first, kernels);
  addKernel(second, kernels);
  AccessPair pair(kernels, values);
  pair.addSame(subscripts->first, subscripts->second);
  for (AffineExpr condition : first.conditions)
    pair.addNonNegative(condition);
  for (AffineExpr condition : second.conditions)
    pair.addNonNegative(pair.inSecond(condition));
  return !pair.isProvablyEmpty();
}

std::optional<MemoryConflict>
HostMemory::findConflict(const MemoryUse &first, const MemoryUse &second) {
  if (first.isEmpty() || second.isEmpty())
    return std::nullopt;
  if (first.touchesAnything || second.touchesAnything)
    return MemoryConflict();
  for (const NestAccess &one : first.accesses)
    for (const NestAccess &other : second.accesses)
      if (mayMeet(one, other))
        return MemoryConflict{&one, &other};
  return std::nullopt;
}
