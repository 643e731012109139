//===- ProgrammaticToMgpu.cpp - Launches that may begin early -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call before each of them.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"
#include "tc/Package/Overlap.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTPROGRAMMATICTOMGPU
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ConvertProgrammaticToMgpuPass
    : tc::impl::ConvertProgrammaticToMgpuBase<ConvertProgrammaticToMgpuPass> {
  void runOnOperation() override {
    TCDialect::ProgrammaticAttrHelper programmatic(&getContext());
    SmallVector<gpu::LaunchFuncOp> launches;
    getOperation()->walk([&](gpu::LaunchFuncOp launch) {
      if (programmatic.isAttrPresent(launch))
        launches.push_back(launch);
    });
    OpBuilder builder(&getContext());
    for (gpu::LaunchFuncOp launch : launches) {
      FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
          builder, getOperation(), kMgpuOverlapName, /*paramTypes=*/{},
          LLVM::LLVMVoidType::get(&getContext()));
      if (failed(function))
        return signalPassFailure();
      builder.setInsertionPoint(launch);
      LLVM::CallOp::create(builder, launch.getLoc(), *function, ValueRange());
      programmatic.removeAttr(launch);
    }
  }
};
} // namespace
