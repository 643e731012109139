//===- DeclareShared.cpp - Dynamic shared memory is external --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_DECLARESHARED
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Is `global` shared memory whose size a launch gives?
static bool isDynamicShared(LLVM::GlobalOp global) {
  auto type = dyn_cast<LLVM::LLVMArrayType>(global.getType());
  return type && type.getNumElements() == 0 &&
         global.getAddrSpace() == unsigned(NVVM::NVVMMemorySpace::Shared);
}

namespace {
struct DeclareSharedPass : tc::impl::DeclareSharedBase<DeclareSharedPass> {
  void runOnOperation() override {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (isDynamicShared(global))
        global.setLinkage(LLVM::Linkage::External);
  }
};
} // namespace
