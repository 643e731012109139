//===- WritePtx.h - Kernels in the NVVM dialect to PTX ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_KERNEL_WRITEPTX_H
#define TC_LIB_CONVERSION_KERNEL_WRITEPTX_H

#include "tc/Package/Ptxas.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir::tc {

/// Kernels of a module that go through LLVM together, and what became of them.
struct KernelPart {
  /// A copy of the module with nothing but these kernels and what they use.
  OwningOpRef<ModuleOp> program;
  /// Empty until it is written.
  std::string ptx;
  /// Of each kernel in `ptx`, by name (countLiveRegisters).
  llvm::StringMap<int64_t> liveRegisters;
  /// What ptxas makes of `ptx`, where it was asked and could be.
  std::optional<Assembly> assembly;

  gpu::GPUModuleOp getKernels() {
    return *program->getOps<gpu::GPUModuleOp>().begin();
  }
};

/// A part for each kernel of a module in the NVVM dialect, or one for all where
/// kernels share functions or variables.
std::vector<KernelPart> splitKernels(gpu::GPUModuleOp kernels);

/// Writes the PTX of the parts that have none, each on a thread of its own, and
/// has ptxas assemble that of those for which `asksPtxas` holds. libdevice is
/// linked where something of it is called. Reports symbols that nobody defines,
/// and LLVM's errors.
LogicalResult writePtx(MutableArrayRef<KernelPart> parts,
                       NVVM::NVVMTargetAttr target,
                       function_ref<bool(KernelPart &)> asksPtxas);

/// Has every kernel a function of this name: the driver's, or libdevice's?
bool isOfEveryKernel(StringRef name);

/// The PTX of all parts as one module.
std::string joinPtx(ArrayRef<KernelPart> parts);

/// What the assembler makes of PTX.
llvm::Expected<Assembly> runPtxas(NVVM::NVVMTargetAttr target, StringRef ptx);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_WRITEPTX_H
