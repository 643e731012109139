//===- Files.h - Whole files in and out -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes whole files; "-" is standard input or output. A device or a
// pipe may have no end, so what is read of one is bounded.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FILES_FILES_H
#define TC_FILES_FILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>

namespace mlir::tc {

/// How many bytes a stream may have in all, given its first ones: all of them,
/// or streamHeadBytes.
using StreamBound =
    llvm::function_ref<llvm::Expected<uint64_t>(llvm::StringRef head)>;
inline constexpr uint64_t streamHeadBytes = 64 << 10;

/// The contents of the file at `path`. The error names the path. What is not a
/// regular file is refused when it has more than 1 GiB, or than `bound` says;
/// an error of `bound` is returned as it is.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path);
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path, StreamBound bound);

/// Writes `bytes` to `path`. The file appears whole or not at all: it is
/// written under a temporary name beside its place and then renamed.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// "WHERE: ", then the text of `error`.
llvm::Error errorIn(const llvm::Twine &where, llvm::Error error);

} // namespace mlir::tc

#endif // TC_FILES_FILES_H
