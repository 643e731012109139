//===- Directory.cpp - A package as a directory ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files are written beside the place they go to, which a rename then takes.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Directory.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

std::string hashOf(StringRef bytes) {
  SHA256 hash;
  hash.update(bytes);
  return toHex(hash.final(), /*LowerCase=*/true);
}

static Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

static bool isEmptyDirectory(StringRef path) {
  std::error_code code;
  sys::fs::directory_iterator first(path, code), end;
  return !code && first == end;
}

Error checkDirectory(StringRef path) {
  SmallString<128> manifest(path);
  sys::path::append(manifest, manifestName);
  if (!sys::fs::exists(path) || sys::fs::exists(manifest) ||
      (sys::fs::is_directory(path) && isEmptyDirectory(path)))
    return Error::success();
  return createStringError("expected '" + path +
                           "' to be a package, an empty directory, or nothing, "
                           "got something else");
}

static Error writeOne(StringRef path, StringRef bytes) {
  if (std::error_code code =
          sys::fs::create_directories(sys::path::parent_path(path)))
    return cannotWrite(path, code);
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (code)
    return cannotWrite(path, code);
  stream << bytes;
  stream.close();
  code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

/// Puts the directory `fresh` where `path` is, if that is there.
static Error replace(StringRef path, StringRef fresh) {
  SmallString<128> old;
  bool isThere = sys::fs::exists(path);
  if (isThere) {
    sys::fs::createUniquePath(path + ".%%%%%%.old", old,
                              /*MakeAbsolute=*/false);
    if (std::error_code code = sys::fs::rename(path, old))
      return cannotWrite(path, code);
  }
  if (std::error_code code = sys::fs::rename(fresh, path)) {
    if (isThere)
      (void)sys::fs::rename(old, path);
    return cannotWrite(path, code);
  }
  if (isThere)
    (void)sys::fs::remove_directories(old);
  return Error::success();
}

Error writeDirectory(StringRef given, const PackageFiles &files) {
  SmallString<128> path(given);
  while (path.size() > 1 && sys::path::is_separator(path.back()))
    path.pop_back();
  if (Error error = checkDirectory(path))
    return error;
  SmallString<128> fresh;
  sys::fs::createUniquePath(path + ".%%%%%%.tmp", fresh,
                            /*MakeAbsolute=*/false);
  scope_exit remove([&] { (void)sys::fs::remove_directories(fresh); });
  for (const auto &[name, bytes] : files) {
    SmallString<128> file(fresh);
    sys::path::append(file, name);
    if (Error error = writeOne(file, bytes))
      return error;
  }
  return replace(path, fresh);
}

} // namespace mlir::tc
