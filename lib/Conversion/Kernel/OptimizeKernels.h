//===- OptimizeKernels.h - LLVM's passes that kernels need ------*- C++ -*-===//
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

/// Inlines what the kernels of `module` call, and optimises them for `machine`
/// as far as they gain from it.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine);

/// Has a kernel an innermost loop so short that instructions saved in its
/// addresses show? See Note [Strength reduction].
bool hasShortLoop(llvm::Module &module);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_OPTIMIZEKERNELS_H
