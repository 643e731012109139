//===- Files.cpp - Whole files in and out ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path +
                                 "': " + buffer.getError().message());
  return std::move(*buffer);
}

static Error cannotWrite(StringRef path, const Twine &why) {
  return createStringError(inconvertibleErrorCode(),
                           "cannot write '" + path + "': " + why);
}

/// Writes to a descriptor that the caller closes; the empty code on success.
static std::error_code writeBytes(int descriptor, StringRef bytes) {
  raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

Error writeFile(StringRef path, StringRef bytes) {
  if (path == "-") {
    outs().flush();
    if (std::error_code code = writeBytes(/*descriptor=*/1, bytes))
      return cannotWrite("standard output", code.message());
    return Error::success();
  }
  if (sys::fs::is_directory(path))
    return cannotWrite(path, "it is a directory");
  // A device or a pipe cannot be replaced by a renamed file.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status)) {
    std::error_code code;
    raw_fd_ostream stream(path, code);
    if (code)
      return cannotWrite(path, code.message());
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
    return code ? cannotWrite(path, code.message()) : Error::success();
  }
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return cannotWrite(path, toString(file.takeError()));
  if (std::error_code code = writeBytes(file->FD, bytes)) {
    consumeError(file->discard());
    return cannotWrite(path, code.message());
  }
  if (Error error = file->keep(path))
    return cannotWrite(path, toString(std::move(error)));
  return Error::success();
}

} // namespace mlir::tc
