//===- BoundKernels.cpp - All the registers a block may have --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_BOUNDKERNELS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct BoundKernelsPass : tc::impl::BoundKernelsBase<BoundKernelsPass> {
  void runOnOperation() override {
    StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && !kernel->hasAttr(name))
        kernel->setAttr(name, Builder(kernel).getI32IntegerAttr(1));
  }
};
} // namespace
