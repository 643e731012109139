//===- FmaToLLVM.cpp - math.fma to LLVM's intrinsic -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTFMATOLLVM
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ConvertFmaToLLVMPass
    : tc::impl::ConvertFmaToLLVMBase<ConvertFmaToLLVMPass> {
  void runOnOperation() override {
    getOperation().walk([](math::FmaOp op) {
      if (!isa<FloatType>(op.getType()))
        return;
      OpBuilder builder(op);
      op.replaceAllUsesWith(LLVM::FMAOp::create(builder, op.getLoc(), op.getA(),
                                                op.getB(), op.getC())
                                .getResult());
      op.erase();
    });
  }
};
} // namespace
