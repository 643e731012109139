//===- ExpandFunctions.cpp - The pass tc-expand-functions -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Where functions come from] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"
#include "tc/Package/Toolkit.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_EXPANDFUNCTIONS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// Is there an instruction, or a short sequence that LLVM knows?
static bool hasInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

static bool isFunction(Operation *op) {
  return isa<arith::RemFOp>(op) ||
         (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !hasInstruction(op));
}

/// math.clampf as the maximum and minimum that its definition names. Upstream's
/// expansion (LLVM 22) exchanges the bounds: it clamps 0 to [-1, 1] as 1.
static void expandClamp(math::ClampFOp op) {
  OpBuilder builder(op);
  Value low = arith::MinimumFOp::create(builder, op.getLoc(), op.getValue(),
                                        op.getMax());
  Value result =
      arith::MaximumFOp::create(builder, op.getLoc(), low, op.getMin());
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Complex functions as functions of real and imaginary parts.
static LogicalResult expandComplex(Operation *root) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  populateComplexToStandardConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<complex::ComplexDialect>();
  target.addLegalDialect<arith::ArithDialect, math::MathDialect>();
  // These are converted to LLVM as they are.
  target.addLegalOp<complex::AddOp, complex::SubOp, complex::MulOp,
                    complex::ConstantOp, complex::CreateOp, complex::ReOp,
                    complex::ImOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(root, target, std::move(patterns));
}

/// Functions of floats as polynomials in f32, which serve f16 and bf16 too.
static LogicalResult approximate(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  auto all = [](StringRef) { return true; };
  math::populateExpansionPatterns(patterns,
                                  {"acosh", "asinh", "atanh", "cosh", "exp2",
                                   "powf", "rsqrt", "sinh", "tan"});
  populateMathF32ExpansionPatterns(patterns, all);
  populateMathPolynomialApproximationPatterns(patterns, all);
  return applyPatternsGreedily(root, std::move(patterns));
}

namespace {
struct ExpandFunctionsPass
    : tc::impl::ExpandFunctionsBase<ExpandFunctionsPass> {
  using ExpandFunctionsBase::ExpandFunctionsBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(expandComplex(root)))
      return signalPassFailure();
    root->walk(expandClamp);
    if (!containsOp(*root, isFunction))
      return;
    llvm::Expected<std::string> libdevice = findLibdevice();
    bool isThere = bool(libdevice);
    std::string reason =
        isThere ? "it is not used here" : toString(libdevice.takeError());
    if (isThere && !own)
      return;
    if (failed(approximate(root)))
      return signalPassFailure();
    WalkResult result = root->walk([&](Operation *op) {
      return isFunction(op) ? WalkResult(reportMissing(op, reason))
                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// `reason` says why there is no libdevice.
  static LogicalResult reportMissing(Operation *op, StringRef reason) {
    return op->emitOpError("expected a function that tc has without the CUDA "
                           "toolkit's libdevice, which are most of those of "
                           "f16, bf16 and f32; got one of ")
           << op->getResult(0).getType() << ", and of libdevice: " << reason;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Note [Where functions come from]
//===----------------------------------------------------------------------===//
//
// A GPU has no instruction for most functions (exp, log, tanh, ...). NVIDIA's
// are in libdevice, a file of LLVM bitcode in the CUDA toolkit, which
// convert-nvvm-to-binary links when it is there. Upstream's conversion calls
// libdevice for everything, and where the file is missing leaves a call to
// nothing in the PTX. So here: what an instruction does needs no library at all
// (convert-fma-to-llvm); functions are libdevice's where it is; else those of
// f32 are polynomials, and others are reported.
