//===- PackageEntry.h - One program for a package ------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program to what a package has of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_PACKAGE_PACKAGEENTRY_H
#define TC_LIB_RUNNER_PACKAGE_PACKAGEENTRY_H

#include "Package/PackageManifest.h"

namespace mlir::tc {

/// Compiles one program for all chips and the CPU, or for the CPU alone.
class EntryCompiler {
public:
  /// Without ptxas there is no machine code. `levels` are those of the host.
  EntryCompiler(Program &program, const PackageOptions &options, bool hasPtxas,
                ArrayRef<HostLevel> levels, std::string &notes)
      : program(program), options(options), hasPtxas(hasPtxas), levels(levels),
        notes(notes) {}

  llvm::Error run();

  PackagedEntry entry;
  EntryReport report;

private:
  llvm::Error isolateFunction();
  llvm::Error compileFor(StringRef chip);
  llvm::Expected<PackagedCpu> compileCpu(const HostLevel &level);
  llvm::Error compileCpus();

  Program &program;
  const PackageOptions &options;
  bool hasPtxas;
  ArrayRef<HostLevel> levels;
  std::string &notes;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_PACKAGE_PACKAGEENTRY_H
