//===- Directory.h - A package as a directory ----------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of a package, written all or none.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_DIRECTORY_H
#define TC_PACKAGE_DIRECTORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace mlir::tc {

/// Contents by path, relative and with slashes.
using PackageFiles = std::map<std::string, std::string>;

/// The name of the manifest, by which a package is known.
inline constexpr llvm::StringLiteral manifestName = "manifest.json";

/// The SHA-256 of some bytes, in hexadecimal digits.
std::string hashOf(llvm::StringRef bytes);

/// Refuses a path that is something else than a package, an empty directory, or
/// nothing. A package has the files that its manifest lists, as they were
/// written, and no others; the error names one that is not so.
llvm::Error checkDirectory(llvm::StringRef path);

/// Makes the directory `path`, or replaces the package or empty directory that
/// it is. Of a symbolic link what it leads to is replaced. On failure all is as
/// it was.
llvm::Error writeDirectory(llvm::StringRef path, const PackageFiles &files);

} // namespace mlir::tc

#endif // TC_PACKAGE_DIRECTORY_H
