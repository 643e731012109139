//===- FmaToLLVM.cpp - Functions of one instruction to LLVM's -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
      .Case([](arith::MaxNumFOp) { return "maxnum"; })
      .Case([](arith::MinNumFOp) { return "minnum"; })
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

static bool isClassTest(Operation *op) {
  return isa<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(
      op);
}

/// Tests of what kind a float is, as comparisons, which hold in any rounding.
static void replaceClassTest(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value value = op->getOperand(0);
  Type type = value.getType();
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  auto compare = [&](arith::CmpFPredicate how, Value a, Value b) -> Value {
    return arith::CmpFOp::create(builder, loc, how, a, b);
  };
  auto constant = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, number));
  };
  Value result;
  if (isa<math::IsNaNOp>(op)) {
    result = compare(arith::CmpFPredicate::UNO, value, value);
  } else {
    Value size = LLVM::CallIntrinsicOp::create(
                     builder, loc, type, builder.getStringAttr("llvm.fabs"),
                     ValueRange{value})
                     .getResult(0);
    Value infinity = constant(APFloat::getInf(format));
    result = compare(isa<math::IsInfOp>(op) ? arith::CmpFPredicate::OEQ
                                            : arith::CmpFPredicate::OLT,
                     size, infinity);
    if (isa<math::IsNormalOp>(op)) {
      Value least = constant(APFloat::getSmallestNormalized(format));
      Value isLarge = compare(arith::CmpFPredicate::OGE, size, least);
      result = arith::AndIOp::create(builder, loc, result, isLarge);
    }
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// math.absi of the smallest integer is that integer.
static void replaceAbs(math::AbsIOp op) {
  OpBuilder builder(op);
  Value result =
      LLVM::AbsOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                          /*is_int_min_poison=*/false);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct ConvertFmaToLLVMPass
    : tc::impl::ConvertFmaToLLVMBase<ConvertFmaToLLVMPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isClassTest(op) && isa<FloatType>(op->getOperand(0).getType()))
        return replaceClassTest(op);
      auto abs = dyn_cast<math::AbsIOp>(op);
      if (abs && isa<IntegerType>(abs.getType()))
        return replaceAbs(abs);
      StringRef intrinsic = findIntrinsic(op);
      if (!intrinsic.empty() && isa<FloatType>(op->getResult(0).getType()))
        replace(op, intrinsic);
    });
  }
};
} // namespace
