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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

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

/// Is `op` a variable or a constant that nothing outside of its module sees?
static bool isOwn(Operation &op) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && (global.getLinkage() == LLVM::Linkage::Private ||
                    global.getLinkage() == LLVM::Linkage::Internal);
}

static bool isOwnConstant(Operation &op) {
  return isOwn(op) && cast<LLVM::GlobalOp>(op).getConstant();
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

/// The version of PTX that a target asks for, 10 * major + minor; 0 if none.
static int64_t getPtxVersion(NVVM::NVVMTargetAttr target) {
  StringRef feature = target.getFeatures();
  int64_t version = 0;
  return feature.consume_front("+ptx") && !feature.getAsInteger(10, version)
             ? version
             : 0;
}

/// The targets for what two modules have together: those of the later version
/// of PTX, where nothing else differs.
static FailureOr<ArrayAttr> joinTargets(ArrayAttr a, ArrayAttr b) {
  if (a == b)
    return a;
  if (!a || !b || a.size() != 1 || b.size() != 1)
    return failure();
  auto one = dyn_cast<NVVM::NVVMTargetAttr>(a[0]);
  auto other = dyn_cast<NVVM::NVVMTargetAttr>(b[0]);
  if (!one || !other || getPtxVersion(one) == 0 || getPtxVersion(other) == 0)
    return failure();
  auto withFeatures = NVVM::NVVMTargetAttr::get(
      one.getContext(), one.getO(), one.getTriple(), one.getChip(),
      other.getFeatures(), one.getFlags(), one.getLink(),
      one.getVerifyTarget());
  if (withFeatures != other)
    return failure();
  return getPtxVersion(one) < getPtxVersion(other) ? b : a;
}

/// Is all of `from` lowered, for the same chip as `to`, and is no symbol a
/// function or a variable of both that others see?
static bool canMerge(gpu::GPUModuleOp from, gpu::GPUModuleOp to) {
  if (from == to ||
      failed(joinTargets(from.getTargetsAttr(), to.getTargetsAttr())) ||
      from.getOffloadingHandlerAttr() != to.getOffloadingHandlerAttr())
    return false;
  return llvm::all_of(*from.getBody(), [&](Operation &op) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    return !isa<gpu::GPUFuncOp>(op) &&
           (!symbol || !to.lookupSymbol(symbol.getName()) || isOwn(op) ||
            isDeclaredIn(op, to));
  });
}

/// Moves everything of `from` into `to`, and erases `from`.
static void merge(gpu::GPUModuleOp from, gpu::GPUModuleOp to) {
  SymbolTable ofFrom(from), ofTo(to);
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !ofTo.lookup(symbol.getName()))
      continue;
    if (isDeclaredIn(op, to))
      ofFrom.erase(&op);
    else // a name that is free in both there always is
      (void)ofFrom.renameToUnique(&op, {&ofTo});
  }
  to.getBody()->getOperations().splice(to.getBody()->end(),
                                       from.getBody()->getOperations());
  to.setTargetsAttr(*joinTargets(from.getTargetsAttr(), to.getTargetsAttr()));
  // It gave the width of an index; there are none any more.
  to->removeAttr(DLTIDialect::kDataLayoutAttrName);
  from.erase();
}

namespace {
struct MergeKernelsPass : tc::impl::MergeKernelsBase<MergeKernelsPass> {
  void runOnOperation() override;

private:
  using Launches = SmallVector<gpu::LaunchFuncOp>;

  void mergeModulesOf(ArrayRef<gpu::LaunchFuncOp> launches,
                      const Launches &all);
};
} // namespace

/// Merges what these launches of a function use.
void MergeKernelsPass::mergeModulesOf(ArrayRef<gpu::LaunchFuncOp> launches,
                                      const Launches &all) {
  llvm::SetVector<gpu::GPUModuleOp> found;
  for (gpu::LaunchFuncOp launch : launches)
    if (auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>(
            launch.getKernelModuleName()))
      found.insert(kernels);
  SmallVector<gpu::GPUModuleOp> modules = found.takeVector();
  llvm::sort(modules, [](gpu::GPUModuleOp a, gpu::GPUModuleOp b) {
    return a->isBeforeInBlock(b);
  });
  for (gpu::GPUModuleOp kernels : llvm::drop_begin(modules, !modules.empty())) {
    if (!canMerge(kernels, modules.front()))
      continue;
    StringAttr from = kernels.getNameAttr(), to = modules.front().getNameAttr();
    merge(kernels, modules.front());
    for (gpu::LaunchFuncOp launch : all)
      if (launch.getKernelModuleName() == from)
        launch.setKernelAttr(SymbolRefAttr::get(
            to, FlatSymbolRefAttr::get(launch.getKernelName())));
  }
}

void MergeKernelsPass::runOnOperation() {
  Launches all;
  llvm::MapVector<Operation *, Launches> launchesOf;
  getOperation().walk([&](gpu::LaunchFuncOp launch) {
    all.push_back(launch);
    if (auto function = launch->getParentOfType<FunctionOpInterface>())
      launchesOf[function].push_back(launch);
  });
  for (auto &[function, launches] : launchesOf)
    mergeModulesOf(launches, all);
}
