//===- TemporaryFile.cpp - Files that programs exchange -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

TemporaryFile::Remover::~Remover() {
  sys::fs::remove(path);
  sys::DontRemoveFileOnSignal(path);
}

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix,
                                              StringRef contents) {
  SmallString<128> folder, path;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  int descriptor;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tc", suffix, descriptor, path))
    return createStringError(code,
                             "cannot make a temporary file in '" + folder +
                                 "' (TMPDIR names another): " + code.message());
  sys::RemoveFileOnSignal(path);
  TemporaryFile file(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return createStringError(
        code, "cannot write the temporary file '" + path +
                  "' (TMPDIR names another folder): " + code.message());
  }
  return file;
}

Expected<std::string> TemporaryFile::read() const {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path());
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read what a program wrote: " +
                                 buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace mlir::tc
