//===- LibraryPath.cpp - Where the emulator lies --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the folder of the code at hand, and from it the emulator.
//
//===----------------------------------------------------------------------===//

#include "LibraryPath.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace tc::runtime;

static const char emulatorName[] = "libtc-cuda-emulator.so";

/// The executable's path. dladdr would give argv[0], which may be relative to a
/// folder that is no longer the current one.
static std::string getExecutable() {
  std::string path(256, '\0');
  while (true) {
    ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    if (length < 0)
      return "";
    if (static_cast<size_t>(length) < path.size()) {
      path.resize(length);
      return path;
    }
    path.resize(2 * path.size());
  }
}

/// The path of the object that holds this function.
static std::string getOwnObject() {
  Dl_info info = {};
  void *map = nullptr;
  auto *self = reinterpret_cast<void *>(&getOwnDirectory);
  if (!dladdr1(self, &info, &map, RTLD_DL_LINKMAP) || !map)
    return "";
  const char *name = static_cast<const link_map *>(map)->l_name;
  return name && *name ? std::string(name) : getExecutable();
}

std::string tc::runtime::getOwnDirectory() {
  std::string object = getOwnObject();
  if (char *resolved = realpath(object.c_str(), nullptr)) {
    object = resolved;
    free(resolved);
  }
  size_t slash = object.rfind('/');
  return slash == std::string::npos ? "" : object.substr(0, slash);
}

std::vector<std::string> tc::runtime::emulatorCandidates() {
  const char *chosen = getenv("TC_EMULATOR_LIBRARY");
  if (chosen && *chosen)
    return {chosen};
  std::vector<std::string> candidates;
  // Not in folders above: a package may lie where others write, too.
  std::string here = getOwnDirectory();
  if (!here.empty())
    candidates.push_back(here + "/" + emulatorName);
  candidates.push_back(emulatorName);
  return candidates;
}
