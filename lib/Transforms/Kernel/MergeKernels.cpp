//===- MergeKernels.cpp - One module for the kernels of a function --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_MERGEKERNELS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does `op` declare what is defined elsewhere: memory that the launch sizes,
/// or a function of libdevice?
static bool isDeclaration(Operation &op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return function.isExternal();
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getLinkage() == LLVM::Linkage::External &&
         !global.getValueOrNull() && !global.getInitializerBlock();
}

/// Is `op` a constant that nothing outside of its module sees?
static bool isOwnConstant(Operation &op) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getConstant() &&
         (global.getLinkage() == LLVM::Linkage::Private ||
          global.getLinkage() == LLVM::Linkage::Internal);
}

/// Does `op` declare something that `to` declares in the same words, or is it a
/// constant that `to` has, too?
static bool isDeclaredIn(Operation &op, gpu::GPUModuleOp to) {
  if (!isDeclaration(op) && !isOwnConstant(op))
    return false;
  Operation *other = to.lookupSymbol(cast<SymbolOpInterface>(op).getName());
  return other && OperationEquivalence::isEquivalentTo(
                      &op, other, OperationEquivalence::IgnoreLocations);
}

/// Is all of `from` lowered, for the same target as `to`, and has it no symbol
/// that `to` has, but for what both declare alike, and constants?
static bool canMerge(gpu::GPUModuleOp from, gpu::GPUModuleOp to) {
  if (from == to || from.getTargetsAttr() != to.getTargetsAttr() ||
      from.getOffloadingHandlerAttr() != to.getOffloadingHandlerAttr())
    return false;
  return llvm::all_of(*from.getBody(), [&](Operation &op) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    return !isa<gpu::GPUFuncOp>(op) &&
           (!symbol || !to.lookupSymbol(symbol.getName()) ||
            isDeclaredIn(op, to));
  });
}

/// Moves everything of `from` into `to`, and erases `from`.
static void merge(gpu::GPUModuleOp from, gpu::GPUModuleOp to) {
  for (Operation &op : llvm::make_early_inc_range(*from.getBody()))
    if (isDeclaredIn(op, to))
      op.erase();
  to.getBody()->getOperations().splice(to.getBody()->end(),
                                       from.getBody()->getOperations());
  // It gave the width of an index; there are none any more.
  to->removeAttr(DLTIDialect::kDataLayoutAttrName);
  from.erase();
}

namespace {
struct MergeKernelsPass : tc::impl::MergeKernelsBase<MergeKernelsPass> {
  void runOnOperation() override {
    ModuleOp program = getOperation();
    SmallVector<gpu::LaunchFuncOp> launches;
    program.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    llvm::DenseMap<Operation *, gpu::GPUModuleOp> firstOf;
    for (gpu::LaunchFuncOp launch : launches) {
      auto function = launch->getParentOfType<FunctionOpInterface>();
      auto kernels =
          program.lookupSymbol<gpu::GPUModuleOp>(launch.getKernelModuleName());
      if (!function || !kernels)
        continue;
      gpu::GPUModuleOp &first = firstOf[function];
      if (!first)
        first = kernels;
      if (!canMerge(kernels, first))
        continue;
      for (auto &[other, theirs] : firstOf)
        if (theirs == kernels)
          theirs = first;
      StringAttr from = kernels.getNameAttr(), to = first.getNameAttr();
      merge(kernels, first);
      for (gpu::LaunchFuncOp other : launches)
        if (other.getKernelModuleName() == from)
          other.setKernelAttr(SymbolRefAttr::get(
              to, FlatSymbolRefAttr::get(other.getKernelName())));
    }
  }
};
} // namespace
