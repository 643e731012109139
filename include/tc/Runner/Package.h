//===- Package.h - A program as a package --------------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program for several chips and for the CPU, and writes what links
// it into programs of other languages. docs/Packaging.md describes the result.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_PACKAGE_H
#define TC_RUNNER_PACKAGE_H

#include "tc/Package/Directory.h"
#include "tc/Package/HostObject.h"
#include "tc/Runner/Compile.h"

namespace mlir::tc {

struct PackageOptions {
  std::string name;       ///< of the package; empty: that of its only program
  CompileOptions compile; ///< but for its chip and forms
  std::vector<std::string> chips; ///< as sm_90a; none: for the CPU alone
  HostTarget host;
};

/// Refuses names that C, or a file, cannot have.
llvm::Error checkPackageName(llvm::StringRef name);

/// The interface of `program`, whose host code takes arguments of these types
/// and writes to these. Fails for arguments that C has no type for.
llvm::Expected<Signature> makeSignature(Program &program, ArrayRef<Type> types,
                                        ArrayRef<bool> isWritten);

/// The files of a package of all `programs`. `notes` says what was left out,
/// and why.
llvm::Expected<PackageFiles> makePackage(MutableArrayRef<Program> programs,
                                         const PackageOptions &options,
                                         std::string &notes);

} // namespace mlir::tc

#endif // TC_RUNNER_PACKAGE_H
