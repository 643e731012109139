//===- Files.cpp - Whole files in and out ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Files/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

static Error cannotRead(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot read '" + path + "': " + code.message());
}

/// Appends to `contents` until it has `bytes`, or the stream ends.
static Error readUpTo(sys::fs::file_t file, StringRef path, size_t bytes,
                      SmallVectorImpl<char> &contents) {
  constexpr size_t atATime = 1 << 20;
  while (contents.size() < bytes) {
    size_t had = contents.size();
    size_t wanted = std::min(bytes - had, atATime);
    contents.resize_for_overwrite(had + wanted);
    Expected<size_t> got = sys::fs::readNativeFile(
        file, MutableArrayRef<char>(contents.data() + had, wanted));
    contents.truncate(had + (got ? *got : 0));
    if (!got)
      return cannotRead(path, errorToErrorCode(got.takeError()));
    if (*got == 0)
      break;
  }
  return Error::success();
}

static Expected<std::unique_ptr<MemoryBuffer>>
readStream(sys::fs::file_t file, StringRef path, StreamBound bound) {
  SmallVector<char, 0> contents;
  if (Error error = readUpTo(file, path, streamHeadBytes, contents))
    return std::move(error);
  Expected<uint64_t> most = bound(StringRef(contents.data(), contents.size()));
  if (!most)
    return most.takeError();
  if (*most == std::numeric_limits<uint64_t>::max())
    --*most; // one more byte tells whether there is an end
  if (Error error = readUpTo(file, path, *most + 1, contents))
    return std::move(error);
  if (contents.size() > *most)
    return createStringError("cannot read '" + path + "': expected at most " +
                             Twine(*most) +
                             " bytes of what is not a regular file");
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(contents), path, /*RequiresNullTerminator=*/true);
}

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path,
                                                 StreamBound bound) {
  if (path == "-") {
    auto noBound = [](StringRef) -> Expected<uint64_t> {
      return std::numeric_limits<uint64_t>::max();
    };
    sys::fs::file_status status;
    bool isRegular =
        !sys::fs::status(/*FD=*/0, status) && sys::fs::is_regular_file(status);
    return readStream(sys::fs::getStdinHandle(), "<stdin>",
                      isRegular ? StreamBound(noBound) : bound);
  }
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return cannotRead(path, errorToErrorCode(file.takeError()));
  scope_exit close([&] { sys::fs::closeFile(*file); });
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(*file, status))
    return cannotRead(path, code);
  if (!sys::fs::is_regular_file(status))
    return readStream(*file, path, bound);
  auto buffer = MemoryBuffer::getOpenFile(*file, path, status.getSize());
  if (!buffer)
    return cannotRead(path, buffer.getError());
  return std::move(*buffer);
}

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path) {
  return readFile(
      path, [](StringRef) -> Expected<uint64_t> { return uint64_t(1) << 30; });
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

Error writeFile(StringRef given, StringRef bytes) {
  if (given == "-") {
    outs().flush();
    if (std::error_code code = writeBytes(/*descriptor=*/1, bytes))
      return cannotWrite("standard output", code.message());
    return Error::success();
  }
  // A link stays, and leads to the new file.
  SmallString<128> path(given);
  if (sys::fs::is_symlink_file(given))
    if (std::error_code code = sys::fs::real_path(given, path))
      return cannotWrite(given, "the symbolic link: " + code.message());
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

Error errorIn(const Twine &where, Error error) {
  return createStringError(where + ": " + toString(std::move(error)));
}

} // namespace mlir::tc
