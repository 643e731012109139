//===- OptimizeKernels.h - LLVM's passes over kernels -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_KERNEL_OPTIMIZEKERNELS_H
#define TC_LIB_CONVERSION_KERNEL_OPTIMIZEKERNELS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::tc {

/// Does `module` hold kernels and nothing that they call?
bool holdsKernelsAlone(const llvm::Module &module);

/// Cleans up the kernels of a module that holds nothing else. Leaves loops as
/// they are, but for those of a few iterations.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_OPTIMIZEKERNELS_H
