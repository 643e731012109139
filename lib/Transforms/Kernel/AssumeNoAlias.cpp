//===- AssumeNoAlias.cpp - Buffers of a kernel that do not overlap --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Only where threads are independent] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ASSUMENOALIAS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does no thread of `kernel` learn what another one does?
static bool areThreadsIndependent(gpu::GPUFuncOp kernel) {
  return !containsOp(kernel, [&](Operation *op) {
    return op != kernel && !isa<memref::LoadOp, memref::StoreOp>(op) &&
           !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !op->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(op) &&
           !isa<memref::AllocaOp>(op);
  });
}

static void annotate(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel) {
  SmallVector<Value> buffers =
      llvm::map_to_vector(launch.getKernelOperands(),
                          [](Value value) { return findBuffer(value); });
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    auto isOther = [&, i = i, buffer = buffer](auto other) {
      return other.index() == i || !isa<MemRefType>(other.value().getType()) ||
             areDistinct(buffer, other.value());
    };
    if (isa<MemRefType>(buffer.getType()) &&
        llvm::all_of(llvm::enumerate(buffers), isOther))
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
  }
}

namespace {
struct AssumeNoAliasPass : tc::impl::AssumeNoAliasBase<AssumeNoAliasPass> {
  void runOnOperation() override {
    // What one launch says of a kernel another one need not.
    SymbolTableCollection symbols;
    DenseMap<gpu::GPUFuncOp, SmallVector<gpu::LaunchFuncOp>> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernelAttr()))
        launches[kernel].push_back(launch);
    });
    for (auto &[kernel, own] : launches)
      if (own.size() == 1 && areThreadsIndependent(kernel))
        annotate(own.front(), kernel);
  }
};
} // namespace

// Note [Only where threads are independent]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// To LLVM memory of a `noalias` argument whose address is not stored is nobody
// else's: no call changes it, and a barrier is a call. It would keep in a
// register what another thread of the block has written in between. So kernels
// with a barrier, an atomic update, PTX or any other op that is not a plain
// load or store stay as they are.
