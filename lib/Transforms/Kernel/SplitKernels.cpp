//===- SplitKernels.cpp - A module for each kernel ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SPLITKERNELS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

static bool isKernel(Operation &op) {
  auto function = dyn_cast<gpu::GPUFuncOp>(op);
  return function && function.isKernel();
}

/// Is `op` a constant that nothing outside of its module sees? Each kernel may
/// have its own, until `tc-merge-kernels`.
static bool isOwnConstant(Operation &op) {
  auto global = dyn_cast<memref::GlobalOp>(op);
  return global && global.getConstant() && global.isPrivate();
}

namespace {
struct SplitKernelsPass : tc::impl::SplitKernelsBase<SplitKernelsPass> {
  void runOnOperation() override;

private:
  using Constants = SmallVector<memref::GlobalOp>;

  void split(gpu::GPUModuleOp kernels, SymbolTable &symbols);
  gpu::GPUModuleOp moveOut(gpu::GPUFuncOp kernel, const Constants &constants,
                           gpu::GPUModuleOp behind, SymbolTable &symbols);

  /// Where the kernels are that were moved.
  DenseMap<SymbolRefAttr, SymbolRefAttr> moved;
};
} // namespace

/// Moves `kernel` into a module of its own behind `behind`, with copies of the
/// constants that it reads.
gpu::GPUModuleOp SplitKernelsPass::moveOut(gpu::GPUFuncOp kernel,
                                           const Constants &constants,
                                           gpu::GPUModuleOp behind,
                                           SymbolTable &symbols) {
  auto from = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto to = cast<gpu::GPUModuleOp>(from->cloneWithoutRegions());
  to.setName((from.getName() + "_" + kernel.getName()).str());
  symbols.insert(to, std::next(behind->getIterator()));
  auto builder = OpBuilder::atBlockBegin(&to.getBodyRegion().emplaceBlock());
  for (memref::GlobalOp constant : constants)
    if (!SymbolTable::symbolKnownUseEmpty(constant, kernel))
      builder.clone(*constant);
  auto name = FlatSymbolRefAttr::get(kernel);
  moved[SymbolRefAttr::get(from.getNameAttr(), name)] =
      SymbolRefAttr::get(to.getNameAttr(), name);
  kernel->moveBefore(to.getBody(), to.getBody()->end());
  return to;
}

/// Leaves the first kernel in `kernels`.
void SplitKernelsPass::split(gpu::GPUModuleOp kernels, SymbolTable &symbols) {
  SmallVector<gpu::GPUFuncOp> functions;
  Constants constants;
  for (Operation &op : *kernels.getBody()) {
    if (isKernel(op))
      functions.push_back(cast<gpu::GPUFuncOp>(op));
    else if (isOwnConstant(op))
      constants.push_back(cast<memref::GlobalOp>(op));
    else
      return;
  }
  if (functions.size() < 2)
    return;
  gpu::GPUModuleOp last = kernels;
  for (gpu::GPUFuncOp kernel : llvm::drop_begin(functions))
    last = moveOut(kernel, constants, last, symbols);
  for (memref::GlobalOp constant : constants)
    if (SymbolTable::symbolKnownUseEmpty(constant, functions.front()))
      constant.erase();
}

void SplitKernelsPass::runOnOperation() {
  moved.clear();
  SymbolTable symbols(getOperation());
  for (auto kernels :
       llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>()))
    split(kernels, symbols);
  if (moved.empty())
    return;
  getOperation().walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolRefAttr to = moved.lookup(launch.getKernel()))
      launch.setKernelAttr(to);
  });
}
