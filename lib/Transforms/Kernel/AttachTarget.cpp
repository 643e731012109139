//===- AttachTarget.cpp - Which chip kernels are compiled for -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Target/Machine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ATTACHTARGET
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// LLVM's name for version 8.1 of PTX where `kernels` have an instruction of
/// it, and `feature`, of an older one or a newer one, elsewhere.
static StringRef getPtxFeature(gpu::GPUModuleOp kernels, StringRef feature) {
  bool isNewer = false;
  kernels.walk([&](NVVM::ConvertF32x2ToBF16x2Op op) {
    isNewer |= op.getSat() == NVVM::SaturationMode::SATFINITE;
  });
  return isNewer && feature == "+ptx80" ? "+ptx81" : feature;
}

namespace {
struct AttachTargetPass : tc::impl::AttachTargetBase<AttachTargetPass> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    // A wrong chip is an error in a program without kernels, too.
    if (!chip.empty()) {
      llvm::Expected<Machine> known = mlir::tc::findMachine(chip);
      if (!known) {
        mlir::emitError(getOperation().getLoc(),
                        llvm::toString(known.takeError()));
        return signalPassFailure();
      }
    }
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      if (!kernels.getTargetsAttr() && failed(attach(kernels)))
        return signalPassFailure();
  }

  LogicalResult attach(gpu::GPUModuleOp kernels) {
    FailureOr<MachineAttr> machine = MachineAttr::find(kernels, chip);
    if (failed(machine))
      return failure();
    llvm::Expected<Machine> known = mlir::tc::findMachine(machine->getChip());
    if (!known)
      return kernels.emitError() << llvm::toString(known.takeError());
    auto target = NVVM::NVVMTargetAttr::get(
        &getContext(), optLevel, "nvptx64-nvidia-cuda", known->name,
        getPtxFeature(kernels, known->ptxFeature));
    kernels.setTargetsAttr(ArrayAttr::get(&getContext(), target));
    return success();
  }
};
} // namespace
