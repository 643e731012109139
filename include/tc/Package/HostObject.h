//===- HostObject.h - Host code as an object file ------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as constant data, host functions, and the C functions in front of
// them, compiled to one relocatable object for a host.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_HOSTOBJECT_H
#define TC_PACKAGE_HOSTOBJECT_H

#include "tc/Package/GpuBinary.h"
#include "tc/Package/HostEntry.h"
#include "tc/Package/HostTarget.h"
#include "tc/Package/Signature.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace mlir::tc {

/// Host code in the LLVM dialect, whose functions take words of
/// tcPackagedVariant: that of the contraction, called as it is, and the one of
/// getWorkspaceFunctionName.
using HostFunctions = OwningOpRef<ModuleOp>;

/// What was compiled for one chip.
struct PackagedVariant {
  std::string chip;
  unsigned capability = 0;
  bool isExact = false;
  unsigned ptxVersion = 0; ///< 10 * major + minor
  SmallVector<KernelBinary> images;
  SmallVector<LaunchedKernel> kernels;
  SmallVector<SmallVector<int64_t>> products; ///< words of each tcProduct
  HostFunctions host;
};

/// What was compiled for CPUs of one level.
struct PackagedCpu {
  unsigned level = 0; ///< as in HostLevel
  HostFunctions host;
};

/// Only moves, as its host code does.
struct PackagedEntry {
  PackagedEntry() = default;
  PackagedEntry(PackagedEntry &&) = default;
  PackagedEntry &operator=(PackagedEntry &&) = default;

  Signature signature;
  std::string description; ///< JSON text, which the object holds
  std::vector<PackagedVariant> variants;
  std::vector<PackagedCpu> cpus; ///< levels ascend; none: for devices alone
};

/// Compiles the entries. The same entries give the same bytes.
llvm::Expected<std::string> compileHostObject(ArrayRef<PackagedEntry> entries,
                                              const HostTarget &target);

} // namespace mlir::tc

#endif // TC_PACKAGE_HOSTOBJECT_H
