//===- AnnotateKernels.cpp - What LLVM and ptxas may assume ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"
#include "tc/Target/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ANNOTATEKERNELS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does a thread hold integers of 2 to 31 bits?
static bool holdsNarrowIntegers(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([](memref::AllocaOp op) {
    Type element = op.getType().getElementType();
    bool isNarrow = isa<IntegerType>(element) && !element.isInteger(1) &&
                    element.getIntOrFloatBitWidth() < 32;
    return isNarrow ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {
struct AnnotateKernelsPass
    : tc::impl::AnnotateKernelsBase<AnnotateKernelsPass> {
  void runOnOperation() override {
    if (failed(checkVectors(getOperation())))
      return signalPassFailure();
    auto helper = TCDialect::ResidentAttrHelper(&getContext());
    auto resident =
        dyn_cast_if_present<DictionaryAttr>(helper.getAttr(getOperation()));
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      if (failed(checkBlockSize(kernel)))
        return signalPassFailure();
      boundBlock(kernel);
      annotate(kernel, resident ? resident.get(kernel.getName()) : Attribute());
    }
    if (helper.isAttrPresent(getOperation()))
      helper.removeAttr(getOperation());
  }

  /// Upstream takes vectors apart, so one that no thread can hold costs all of
  /// the compiler's memory.
  static LogicalResult checkVectors(gpu::GPUModuleOp kernels) {
    int64_t most = Machine().localBytesPerThread;
    auto check = [&](Value value) -> LogicalResult {
      auto type = dyn_cast<VectorType>(value.getType());
      if (!type || !type.getElementType().isIntOrFloat())
        return success();
      // The product of the extents may wrap.
      int64_t room = most * 8 / type.getElementTypeBitWidth();
      for (int64_t extent : type.getShape())
        room /= std::max<int64_t>(extent, 1);
      if (room > 0)
        return success();
      return emitError(value.getLoc(), "expected a vector of at most ")
             << most << " bytes, the local memory of a thread, got " << type;
    };
    WalkResult walked = kernels.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (failed(check(result)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          if (failed(check(argument)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  /// No chip has larger blocks than another.
  static LogicalResult checkBlockSize(gpu::GPUFuncOp kernel) {
    int64_t threads = 1, most = Machine().maxThreadsPerBlock;
    for (int32_t size :
         kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>())) {
      // What is no such number wrapped on its way to the attribute.
      if (size < 1 || size > most)
        return kernel.emitOpError("expected from 1 to ")
               << most << " threads along each axis of a block, got " << size;
      threads *= size;
    }
    if (threads > most)
      return kernel.emitOpError("expected at most ")
             << most << " threads in a block, got " << threads;
    return success();
  }

  /// Of a block whose extents are dynamic, ptxas has to leave registers for as
  /// many threads as there may be.
  static void boundBlock(gpu::GPUFuncOp kernel) {
    StringRef threads = NVVM::NVVMDialect::getMaxntidAttrName();
    if (!kernel.getKnownBlockSize() && !kernel->hasAttr(threads))
      kernel->setAttr(threads,
                      DenseI32ArrayAttr::get(kernel.getContext(),
                                             Machine().maxThreadsPerBlock));
  }

  /// `resident` is the number of blocks on a multiprocessor, where one is asked
  /// for.
  static void annotate(gpu::GPUFuncOp kernel, Attribute resident) {
    Builder builder(kernel);
    StringRef blocks = NVVM::NVVMDialect::getMinctasmAttrName();
    if (!kernel->hasAttr(blocks)) {
      kernel->setAttr(blocks,
                      resident ? resident : builder.getI32IntegerAttr(1));
      // It is a wish of a schedule's, which convert-nvvm-to-binary may refuse.
      if (resident)
        TCDialect::ResidentAttrHelper(builder.getContext())
            .setAttr(kernel, resident);
    }
    // See Note [Alignment of workgroup memory].
    StringRef align = LLVM::LLVMDialect::getAlignAttrName();
    for (unsigned i = 0, e = kernel.getNumWorkgroupAttributions(); i < e; ++i)
      if (!kernel.getWorkgroupAttributionAttr(i, align))
        kernel.setWorkgroupAttributionAttr(
            i, align, builder.getI64IntegerAttr(kSharedAlignment));
    // See Note [Narrow integers].
    StringAttr toLLVM = LLVM::LLVMFuncOp::getPassthroughAttrName(OperationName(
        LLVM::LLVMFuncOp::getOperationName(), kernel.getContext()));
    if (!kernel->hasAttr(toLLVM) && holdsNarrowIntegers(kernel))
      kernel->setAttr(toLLVM, builder.getStrArrayAttr({"noimplicitfloat"}));
  }
};
} // namespace

// Note [Alignment of workgroup memory]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// A buffer that says nothing becomes a global without an alignment. LLVM 22
// then counts on its preferred one, 16 bytes for an array of 16 bytes or more,
// and merges loads into wide ones; but its PTX printer writes the alignment of
// the element, 4 bytes, and where ptxas takes that at its word the wide loads
// are misaligned. The emulator found this. Stating 16 makes both agree.

// Note [Narrow integers]
// ~~~~~~~~~~~~~~~~~~~~~~
// LLVM's SLP vectorizer takes two i16 or four i8 for a vector of 32 bits. PTX
// multiplies no such vectors (sm_90 adds and compares two i16), so they are
// torn apart again, and multiply-adds with them; and of kernels with run-time
// extents and 64 accumulators each the search takes up to 8 s.
// gpu-module-to-binary has no option to leave one of LLVM's passes out, but the
// vectorizers keep away from functions that are `noimplicitfloat`, for which
// NVPTX has no other use. Pairs of f16 do have instructions, and stay.
