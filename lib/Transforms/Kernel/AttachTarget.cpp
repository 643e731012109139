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
#include "tc/Target/Mma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ATTACHTARGET
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// The version of PTX that the text of a `tc.ptx` is of, by what ptxas says of
/// instructions that are newer than what chips ask for by themselves.
static int64_t getPtxVersion(StringRef text) {
  // The instruction, and a modifier that it has.
  static constexpr std::tuple<StringLiteral, StringLiteral, int64_t> known[] = {
      {"st.async", "", 81},
      {"st.async", ".mmio", 87},
      {"red.async", "", 81},
      {"multimem.", "", 81},
      {"atom.", ".v2.", 81},
      {"atom.", ".v4.", 81},
      {"red.", ".v2.", 81},
      {"red.", ".v4.", 81},
      {"tensormap.replace", "", 83},
      {"fence.proxy.tensormap", "", 83},
      {"mma.sync", ".e4m3", 84},
      {"mma.sync", ".e5m2", 84},
      {"fence.", ".sync_restrict", 86},
      {"add.", ".f32x2", 86},
      {"mul.", ".f32x2", 86},
      {"fma.", ".f32x2", 86},
      {"clusterlaunchcontrol", "", 86},
      {"tcgen05", "", 86},
  };
  int64_t version = 0;
  for (const auto &[instruction, modifier, since] : known)
    if (text.contains(instruction) && text.contains(modifier))
      version = std::max(version, since);
  return version;
}

/// The version of PTX, 10 * major + minor, that an instruction is of, if it is
/// newer than what chips ask for by themselves.
static int64_t getPtxVersion(Operation *op) {
  if (isa<NVVM::ConvertF8x2ToF16x2Op, NVVM::ConvertF32x2ToF8x2Op>(op))
    return 81;
  if (auto convert = dyn_cast<NVVM::ConvertF32x2ToBF16x2Op>(op))
    return convert.getSat() == NVVM::SaturationMode::SATFINITE ? 81 : 0;
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return getPtxVersion(text.getAsmString());
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  int64_t version = 0;
  for (const MmaShape &shape : getMmaShapes())
    if (call && call.getIntrin().starts_with(shape.intrinsic.split('{').first))
      version = std::max(version, shape.ptxVersion);
  return version;
}

/// LLVM's name for the version of PTX that has all instructions of `kernels`;
/// at least that of `machine`.
static std::string getPtxFeature(gpu::GPUModuleOp kernels,
                                 const Machine &machine) {
  int64_t version = machine.ptxVersion;
  kernels.walk(
      [&](Operation *op) { version = std::max(version, getPtxVersion(op)); });
  return version == machine.ptxVersion ? machine.ptxFeature.str()
                                       : "+ptx" + std::to_string(version);
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
    auto target = NVVM::NVVMTargetAttr::get(&getContext(), optLevel,
                                            "nvptx64-nvidia-cuda", known->name,
                                            getPtxFeature(kernels, *known));
    kernels.setTargetsAttr(ArrayAttr::get(&getContext(), target));
    return success();
  }
};
} // namespace
