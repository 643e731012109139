//===- Files.h - Whole files in and out -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes whole files; "-" is standard input or output.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_FILES_H
#define TC_FRONTEND_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace mlir::tc {

/// The contents of the file at `path`. The error names the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path);

/// Writes `bytes` to `path`. The file appears whole or not at all: it is
/// written under a temporary name beside its place and then renamed.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace mlir::tc

#endif // TC_FRONTEND_FILES_H
