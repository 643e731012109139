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

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_EXPANDFUNCTIONS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// Is the toolkit's library of functions where the NVVM target links it from?
static bool findLibdevice() {
  StringRef toolkit = NVVM::getCUDAToolkitPath();
  if (toolkit.empty())
    return false;
  llvm::SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return llvm::sys::fs::is_regular_file(path);
}

/// Is there an instruction, or a short sequence that LLVM knows?
static bool hasInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

static bool isFunction(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !hasInstruction(op);
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
    bool any = root->walk([](Operation *op) {
                     return isFunction(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
                   })
                   .wasInterrupted();
    if (!any || (!own && findLibdevice()))
      return;
    if (failed(approximate(root)))
      return signalPassFailure();
    WalkResult result = root->walk([](Operation *op) {
      return isFunction(op) ? WalkResult(reportMissing(op))
                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult reportMissing(Operation *op) {
    return op->emitOpError("expected functions of f16, bf16 or f32 without the "
                           "CUDA toolkit's libdevice, which has those of f64 "
                           "(set CUDA_HOME to the toolkit's folder, where "
                           "nvvm/libdevice/libdevice.10.bc is); got ")
           << op->getResult(0).getType();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Note [Where functions come from]
//===----------------------------------------------------------------------===//
//
// A GPU has no instruction for most functions (exp, log, tanh, ...). NVIDIA's
// are in libdevice, a file of LLVM bitcode in the CUDA toolkit, which the NVVM
// target links when it is there. Upstream's conversion calls libdevice for
// everything, and where the file is missing leaves a call to nothing in the
// PTX. So here: what an instruction does needs no library at all
// (convert-fma-to-llvm); functions are libdevice's where it is; else those of
// f32 are polynomials, and others are reported.
