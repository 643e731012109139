//===- CublasLt.cpp - cuBLASLt, opened at run time ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for the library and checks what was found.
//
//===----------------------------------------------------------------------===//

#include "Library/CublasLt.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <vector>

using namespace tc::runtime;

namespace {
constexpr size_t oldestVersion = 12, newestVersion = 13;

/// What became of looking, and why.
struct Found {
  lt::Library *library = nullptr;
  std::string why;
};
} // namespace

/// CUBLAS_VERSION is 10000 * major + 100 * minor + patch.
static std::string nameVersion(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100);
}

/// Fills the table. Says what is wrong with the library, if anything is.
static std::string fill(lt::Library &library, void *handle) {
  auto getVersion =
      reinterpret_cast<size_t (*)()>(dlsym(handle, "cublasLtGetVersion"));
  if (!getVersion)
    return "expected cuBLASLt, got a library without cublasLtGetVersion";
  size_t version = getVersion();
  if (version / 10000 < oldestVersion || version / 10000 > newestVersion)
    return "expected cuBLASLt " + std::to_string(oldestVersion) + " or " +
           std::to_string(newestVersion) + ", got version " +
           nameVersion(version);
  std::string missing;
#define TC_LOOK(name, symbol, parameters)                                      \
  library.name =                                                               \
      reinterpret_cast<decltype(library.name)>(dlsym(handle, #symbol));        \
  if (!library.name)                                                           \
    missing += (missing.empty() ? "" : ", ") + std::string(#symbol);
  TC_CUBLASLT_CALLS(TC_LOOK)
#undef TC_LOOK
  return missing.empty()
             ? ""
             : "expected cuBLASLt, got a library without " + missing;
}

static Found look(bool isEmulator) {
  const char *chosen = getenv("TC_CUBLASLT_LIBRARY");
  std::string name = chosen ? chosen : "";
  std::vector<std::string> candidates{name};
  if (name == "none")
    return {nullptr, "TC_CUBLASLT_LIBRARY is none"};
  if (name.empty() && isEmulator)
    return {nullptr, "expected TC_CUBLASLT_LIBRARY to name a library that "
                     "computes on the CPU, since kernels are emulated"};
  if (name.empty())
    candidates = {"libcublasLt.so.13", "libcublasLt.so.12"};
  Found found;
  for (const std::string &path : candidates) {
    // Its threads and state are its own: it is never closed.
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *reason = dlerror();
      found.why += (found.why.empty() ? "" : "; ") +
                   std::string(reason ? reason : path + ": cannot be opened");
      continue;
    }
    auto *library = new lt::Library;
    library->path = path;
    std::string problem = fill(*library, handle);
    if (problem.empty())
      return {library, ""};
    delete library;
    return {nullptr, path + ": " + problem};
  }
  return found;
}

const lt::Library *lt::open(const Driver &driver, std::string &why) {
  static std::mutex mutex;
  static auto &known = *new std::map<bool, Found>;
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, isNew] = known.try_emplace(driver.isEmulator());
  if (isNew)
    place->second = look(driver.isEmulator());
  why = place->second.why;
  return place->second.library;
}
