//===- GpuBinary.cpp - The contents of gpu.binary -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/GpuBinary.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mlir::tc {

static int64_t constantOr0(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return 0;
}

static std::array<int64_t, 3> constantsOf(gpu::KernelDim3 dims) {
  return {constantOr0(dims.x), constantOr0(dims.y), constantOr0(dims.z)};
}

SmallVector<HostLaunch> findLaunches(ModuleOp module) {
  SmallVector<HostLaunch> launches;
  module.walk([&](gpu::LaunchFuncOp op) {
    launches.push_back({op.getKernelModuleName().str(),
                        op.getKernelName().str(),
                        constantsOf(op.getGridSizeOperandValues()),
                        constantsOf(op.getBlockSizeOperandValues()),
                        constantOr0(op.getDynamicSharedMemorySize())});
  });
  return launches;
}

llvm::Expected<SmallVector<KernelBinary>> readGpuBinaries(ModuleOp module) {
  SmallVector<KernelBinary> binaries;
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    if (binary.getObjects().size() != 1)
      return llvm::createStringError("gpu.binary '" + binary.getName() +
                                     "': expected one object, got " +
                                     Twine(binary.getObjects().size()));
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    StringRef bytes = object.getObject().getValue();
    // Text ends with the zero that a driver expects.
    if (object.getFormat() == gpu::CompilationTarget::Assembly)
      bytes = bytes.rtrim('\0');
    binaries.push_back({binary.getName().str(), bytes.str(), ""});
  }
  return binaries;
}

} // namespace mlir::tc
