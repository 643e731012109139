//===- TCToGPU.cpp - Mapped nests to GPU kernels --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"
#include "TCToLoops/TCToLoops.h"

#include "tc/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTTCTOGPU
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ConvertTCToGPUPass : tc::impl::ConvertTCToGPUBase<ConvertTCToGPUPass> {
  using ConvertTCToGPUBase::ConvertTCToGPUBase;

  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(lowerThresholds(function, noteThresholds)) ||
          failed(lowerLibraryProducts(function)) || failed(convert(function)))
        return signalPassFailure();
  }

  LogicalResult convert(func::FuncOp function) {
    SmallVector<ParOp> grids = collectOps<ParOp>(function, [](ParOp op) {
      return op.getLevel() == Level::Grid || op.getLevel() == Level::Device;
    });
    FailureOr<MachineAttr> machine = MachineAttr::find(function, chip);
    if (failed(machine))
      return failure();
    for (ParOp grid : grids)
      if (grid.hasClusters() && !machine->hasClusters())
        return grid.emitOpError("expected a chip with clusters for a tc.par "
                                "cluster, sm_90 or later, got ")
               << machine->getChip();
    IRRewriter builder(&getContext());
    auto variants = TCDialect::VariantAttrHelper(&getContext());
    for (ParOp grid : grids) {
      KernelContext kernel{builder, grid, *machine, variants.getAttr(grid)};
      if (failed(lowerGrid(kernel)))
        return failure();
    }
    lowerHostLoops(function);
    eraseHostViews(function);
    if (failed(verifyConverted(function)))
      return failure();
    if (failed(verifyHostSpace(function)))
      return failure();
    if (grids.empty() && !copiesHostSpace(function))
      return success();
    if (failed(verifyHostAccesses(function)))
      return failure();
    moveBuffersToDevice(function);
    return success();
  }

  /// What is left of linalg and tc has no kernel; say so here, not as a failed
  /// conversion further on.
  LogicalResult verifyConverted(func::FuncOp function) {
    WalkResult result =
        function.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
          StringRef dialect = op->getName().getDialectNamespace();
          if (dialect != TCDialect::getDialectNamespace() &&
              dialect != "linalg")
            return WalkResult::advance();
          if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
            return op->emitError("expected memrefs by now, got '")
                   << op->getName() << "' on tensors; bufferize first";
          if (auto par = dyn_cast<ParOp>(op); par && par.getLevel())
            return par.emitOpError("expected level 'grid' or 'device' outside "
                                   "of any other tc.par, got '")
                   << stringifyLevel(*par.getLevel()) << "'";
          InFlightDiagnostic error =
              op->emitError("expected every operation to be part of a kernel "
                            "by now, got '")
              << op->getName() << "'";
          if (dialect == "linalg")
            error << "; remarks of convert-linalg-to-tc say why it was left";
          return error;
        });
    return failure(result.wasInterrupted());
  }

  /// Is `memref` memory of the host: by its type, a constant, or of its stack?
  /// Kernels get what they use of the latter on the device, views of it too.
  static bool isOfHost(Value memref) {
    if (isInHostSpace(memref))
      return true;
    Value root = findBuffer(memref);
    if (root.getDefiningOp<memref::GetGlobalOp>() && root == memref)
      return true;
    return isa_and_nonnull<memref::GetGlobalOp, memref::AllocaOp>(
               root.getDefiningOp()) &&
           !isUsedByKernel(root);
  }

  /// A host that reads or writes memory of the device itself would crash.
  LogicalResult verifyHostAccesses(func::FuncOp function) {
    WalkResult result = function.walk([](Operation *op) -> WalkResult {
      Value memref =
          TypeSwitch<Operation *, Value>(op)
              .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
                    affine::AffineLoadOp, affine::AffineStoreOp,
                    affine::AffineVectorLoadOp, affine::AffineVectorStoreOp>(
                  [](auto access) { return access.getMemref(); })
              .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
                    vector::MaskedStoreOp, vector::GatherOp, vector::ScatterOp,
                    vector::TransferReadOp, vector::TransferWriteOp>(
                  [](auto access) { return access.getBase(); })
              .Default(Value());
      if (!memref || isOfHost(memref) || op->getParentOfType<gpu::LaunchOp>())
        return WalkResult::advance();
      return op->emitOpError("expected accesses of buffers in a tc.par, since "
                             "the host does not reach the memory of the "
                             "device");
    });
    return failure(result.wasInterrupted());
  }

  /// Loops round kernels are the host's.
  void lowerHostLoops(func::FuncOp function) {
    IRRewriter rewriter(&getContext());
    function.walk([&](SeqOp loop) {
      if (loop->getParentOfType<gpu::LaunchOp>())
        return;
      rewriter.setInsertionPoint(loop);
      lowerSeq(rewriter, loop);
    });
  }

  /// Kernels view buffers themselves; views on the host have served.
  void eraseHostViews(func::FuncOp function) {
    SmallVector<ViewOp> views = collectOps<ViewOp>(function);
    for (ViewOp view : llvm::reverse(views))
      if (view.use_empty())
        view.erase();
  }
};
} // namespace
