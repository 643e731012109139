//===- Ptxas.h - PTX text to a cubin ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs NVIDIA's assembler and reads what it says about each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PTXAS_H
#define TC_PACKAGE_PTXAS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace mlir::tc {

/// What one kernel takes of its chip, as ptxas -v reports it.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0;   ///< per thread
  int64_t stackBytes = 0;  ///< local memory per thread
  int64_t spillBytes = 0;  ///< stored and loaded to spill registers, per thread
  int64_t sharedBytes = 0; ///< static, per block
};

/// What ptxas makes of one PTX module.
struct Assembly {
  std::string cubin; ///< an ELF image
  llvm::SmallVector<KernelResources> kernels;

  /// The resources of the kernel of that name, or null.
  const KernelResources *find(llvm::StringRef kernel) const;
};

/// Assembles `ptx` for `chip` ("sm_90a") with the ptxas at `program`. The error
/// carries what ptxas said. What it wrote is a whole ELF file, or an error.
/// What was assembled last is kept: the same again takes no time.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                  llvm::StringRef program);

/// Reads the report that `ptxas -v` prints.
llvm::SmallVector<KernelResources> parsePtxasReport(llvm::StringRef text);

} // namespace mlir::tc

#endif // TC_PACKAGE_PTXAS_H
