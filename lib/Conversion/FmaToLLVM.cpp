//===- FmaToLLVM.cpp - Functions of one instruction to LLVM's -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTFMATOLLVM
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// The LLVM intrinsic that computes what `op` does, without `llvm.` and type.
static StringRef findIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AbsFOp) { return "fabs"; })
      .Case([](math::CeilOp) { return "ceil"; })
      .Case([](math::CopySignOp) { return "copysign"; })
      .Case([](math::FloorOp) { return "floor"; })
      .Case([](math::FmaOp) { return "fma"; })
      .Case([](math::RoundOp) { return "round"; })
      .Case([](math::RoundEvenOp) { return "roundeven"; })
      .Case([](math::SqrtOp) { return "sqrt"; })
      .Case([](math::TruncOp) { return "trunc"; })
      .Default(StringRef());
}

/// A call by name: of most of these intrinsics upstream's conversion of kernels
/// would make calls of libdevice, whoever put them there.
static void replace(Operation *op, StringRef intrinsic) {
  OpBuilder builder(op);
  Value result;
  if (isa<math::FmaOp>(op)) {
    result = LLVM::FMAOp::create(builder, op->getLoc(), op->getOperand(0),
                                 op->getOperand(1), op->getOperand(2));
  } else {
    auto name = builder.getStringAttr("llvm." + intrinsic);
    result = LLVM::CallIntrinsicOp::create(builder, op->getLoc(),
                                           op->getResult(0).getType(), name,
                                           op->getOperands())
                 .getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ConvertFmaToLLVMPass
    : tc::impl::ConvertFmaToLLVMBase<ConvertFmaToLLVMPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      StringRef intrinsic = findIntrinsic(op);
      if (!intrinsic.empty() && isa<FloatType>(op->getResult(0).getType()))
        replace(op, intrinsic);
    });
  }
};
} // namespace
