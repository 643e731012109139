//===- Directory.cpp - A package as a directory ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files are written beside the place they go to, which a rename then takes.
// What was there goes if it is a package as it was written, down to the hash of
// every file; nothing else is ever deleted.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Directory.h"

#include "tc/Files/Files.h"
#include "tc/Package/Manifest.h"
#include "tc/Schema/Document.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <functional>
#include <optional>
#include <set>

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

//===----------------------------------------------------------------------===//
// Whose is what is there
//===----------------------------------------------------------------------===//

/// The hash of each file that a manifest lists, and of the manifest; nothing
/// where it is not one that `formatManifest` wrote.
static std::optional<StringMap<std::string>> readManifest(StringRef text) {
  auto manifest =
      expectedToOptional(schema::parse<manifest::Head>(text, manifestName));
  if (!manifest)
    return std::nullopt;
  StringMap<std::string> files;
  files[manifestName] = hashOf(text);
  for (const auto &[name, hash] : manifest->files)
    files[name] = hash;
  return files;
}

static std::optional<std::string> readWhole(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

/// Is the entry `name` of the package at `path` as it was written? A folder is,
/// if a file that is listed goes into it.
static bool isWritten(StringRef path, StringRef name, sys::fs::file_type type,
                      const StringMap<std::string> &files) {
  if (type == sys::fs::file_type::directory_file)
    return llvm::any_of(files.keys(), [&](StringRef file) {
      return file.consume_front(name) && file.starts_with("/");
    });
  auto known = files.find(name);
  if (type != sys::fs::file_type::regular_file || known == files.end())
    return false;
  std::optional<std::string> bytes = readWhole(path);
  return bytes && hashOf(*bytes) == known->second;
}

/// The files of the package at `path`; an error names what is not of it.
static Expected<StringMap<std::string>> listPackage(StringRef path) {
  auto refuse = [&](const Twine &got) {
    return createStringError("expected '" + path +
                             "' to be a package, an empty directory, or "
                             "nothing, got " +
                             got + "; nothing was written or deleted");
  };
  SmallString<128> manifest(path);
  sys::path::append(manifest, manifestName);
  std::optional<std::string> text = readWhole(manifest);
  if (!text)
    return refuse("something else");
  std::optional<StringMap<std::string>> files = readManifest(*text);
  if (!files)
    return refuse("a " + manifestName + " that is not of a package");
  std::error_code code;
  sys::fs::recursive_directory_iterator it(path, code,
                                           /*FollowSymlinks=*/false),
      end;
  for (; !code && it != end; it.increment(code)) {
    StringRef name = StringRef(it->path()).drop_front(path.size());
    name = name.ltrim('/');
    sys::fs::file_type type = it->type();
    if (type == sys::fs::file_type::type_unknown)
      type = sys::fs::get_file_type(it->path(), /*Follow=*/false);
    if (!isWritten(it->path(), name, type, *files))
      return refuse("a folder in which '" + name +
                    "' is not as its package was written");
  }
  if (code)
    return refuse("a folder that cannot be read: " + code.message());
  return std::move(*files);
}

Error checkDirectory(StringRef path) {
  if (!sys::fs::exists(path)) {
    if (!sys::fs::is_symlink_file(path))
      return Error::success();
    return createStringError("expected '" + path +
                             "' to be a package, an empty directory, or "
                             "nothing, got a symbolic link to nothing");
  }
  if (sys::fs::is_directory(path) && isEmptyDirectory(path))
    return Error::success();
  return listPackage(path).takeError();
}

/// Deletes the files of a package, and the folders that are empty then. What
/// came there meanwhile stays.
static Error removePackage(StringRef path,
                           const StringMap<std::string> &files) {
  std::set<std::string, std::greater<>> folders{path.str()};
  for (StringRef name : files.keys()) {
    SmallString<128> file(path);
    sys::path::append(file, name);
    (void)sys::fs::remove(file);
    for (StringRef folder = sys::path::parent_path(file);
         folder.size() > path.size(); folder = sys::path::parent_path(folder))
      folders.insert(folder.str());
  }
  // A folder's path is less than those of folders in it.
  for (const std::string &folder : folders)
    if (std::error_code code = sys::fs::remove(folder))
      return createStringError(
          code, "the package that was replaced is in '" + path + "', since '" +
                    folder + "' cannot be deleted: " + code.message());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Error writeOne(StringRef path, StringRef bytes) {
  if (std::error_code code =
          sys::fs::create_directories(sys::path::parent_path(path),
                                      /*IgnoreExisting=*/true,
                                      sys::fs::all_all)) // but the umask's
    return cannotWrite(path, code);
  return writeFile(path, bytes);
}

/// Puts the directory `fresh` where `path` is, if that is there.
static Error replace(StringRef path, StringRef fresh) {
  // This takes the place of nothing and of an empty directory alone.
  if (!sys::fs::rename(fresh, path))
    return Error::success();
  Expected<StringMap<std::string>> files = listPackage(path);
  if (!files)
    return files.takeError();
  SmallString<128> old;
  sys::fs::createUniquePath(path + ".%%%%%%.old", old, /*MakeAbsolute=*/false);
  if (std::error_code code = sys::fs::rename(path, old))
    return cannotWrite(path, code);
  if (std::error_code code = sys::fs::rename(fresh, path)) {
    (void)sys::fs::rename(old, path);
    return cannotWrite(path, code);
  }
  return removePackage(old, *files);
}

Error writeDirectory(StringRef given, const PackageFiles &files) {
  SmallString<128> path(given);
  while (path.size() > 1 && sys::path::is_separator(path.back()))
    path.pop_back();
  if (Error error = checkDirectory(path))
    return error;
  // A link stays, and what it leads to is replaced.
  SmallString<128> real;
  if (sys::fs::is_symlink_file(path) && !sys::fs::real_path(path, real))
    path = real;
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
