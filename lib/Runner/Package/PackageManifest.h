//===- PackageManifest.h - The manifest of a package ---------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is in a package, as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_PACKAGE_PACKAGEMANIFEST_H
#define TC_LIB_RUNNER_PACKAGE_PACKAGEMANIFEST_H

#include "tc/Runner/Package.h"

namespace mlir::tc {

/// One contraction of the package.
struct EntryReport {
  const Program *program = nullptr;
  std::string source;                ///< the program as MLIR text
  std::vector<Compilation> variants; ///< but for their code
};

/// The path of an image in the package, without its ending.
std::string getImagePath(const PackagedVariant &variant,
                         const KernelBinary &image);

/// What the manifest says of a function, as JSON: without its variants.
std::string formatDescription(const PackagedEntry &entry,
                              const EntryReport &report);

/// The JSON text. `reports` are of the entries, all of `host` is known,
/// `levels` are those that CPU code was compiled for, and `files` are those of
/// the package, without the manifest.
std::string formatManifest(StringRef package, ArrayRef<PackagedEntry> entries,
                           ArrayRef<EntryReport> reports,
                           const HostTarget &host, ArrayRef<HostLevel> levels,
                           const PackageFiles &files);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_PACKAGE_PACKAGEMANIFEST_H
