//===- SignOffsets.cpp - Offsets may be negative --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SIGNOFFSETS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct SignOffsetsPass : tc::impl::SignOffsetsBase<SignOffsetsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto address = dyn_cast<LLVM::GEPOp>(op))
        address.setNoWrapFlags(address.getNoWrapFlags() &
                               ~LLVM::GEPNoWrapFlags::nuw);
      if (auto sum = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op))
        sum.setOverflowFlags(sum.getOverflowFlags() &
                             ~LLVM::IntegerOverflowFlags::nuw);
    });
  }
};
} // namespace
