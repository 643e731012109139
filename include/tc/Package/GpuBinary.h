//===- GpuBinary.h - The contents of gpu.binary -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what the pipeline left in a module: the text of each kernel module, and
// how the host launches its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_GPUBINARY_H
#define TC_PACKAGE_GPUBINARY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>

namespace mlir::tc {

/// One launch in the host code. An extent that is no constant is 0.
struct HostLaunch {
  std::string module;           ///< the gpu.binary
  std::string kernel;           ///< the function in it
  std::array<int64_t, 3> grid;  ///< blocks along x, y, z
  std::array<int64_t, 3> block; ///< threads along x, y, z
  int64_t dynamicSharedBytes;   ///< 0 when it is not given
};

/// The launches of `module` in the order of the program text.
llvm::SmallVector<HostLaunch> findLaunches(ModuleOp module);

/// The kernels of one gpu.binary.
struct KernelBinary {
  std::string module; ///< its name
  std::string ptx;    ///< the text of its object
  std::string cubin;  ///< what ptxas makes of it; empty where it is not asked
};

/// The gpu.binary ops of `module`. Fails when one has not exactly one object.
llvm::Expected<llvm::SmallVector<KernelBinary>>
readGpuBinaries(ModuleOp module);

} // namespace mlir::tc

#endif // TC_PACKAGE_GPUBINARY_H
