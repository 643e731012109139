//===- Driver.cpp - A CUDA driver opened at run time ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a driver library, fills the table, and initialises the driver once.
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/Driver.h"

#include "LibraryPath.h"

#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

using namespace tc::runtime;

std::optional<DriverKind> tc::runtime::findDriverKind(const std::string &name) {
  if (name == "auto")
    return DriverKind::Auto;
  if (name == "cuda")
    return DriverKind::Cuda;
  if (name == "emulator")
    return DriverKind::Emulator;
  return std::nullopt;
}

std::string Driver::describe(const char *call, CUresult result) const {
  const char *name = nullptr;
  const char *text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "no description";
  std::string message = std::string(call) + ": " + name + " (" +
                        std::to_string(static_cast<int>(result)) + "): " + text;
  const char *report = lastReport ? lastReport() : nullptr;
  if (report && *report)
    message += std::string("\n") + report;
  return message;
}

namespace {

enum class Need { Required, Optional };

/// Tables by the handle of their library. A driver has threads and state of its
/// own, so it is never closed, and this map never destroyed.
struct Opened {
  std::mutex mutex;
  std::map<void *, std::unique_ptr<Driver>> drivers;
};

} // namespace

static Opened &getOpened() {
  static auto *opened = new Opened;
  return *opened;
}

/// Looks up every call. Returns the names of required ones that are missing.
static std::string fill(Driver &driver, void *handle) {
  std::string missing;
  auto look = [&](auto &member, const char *symbol, Need need) {
    using Pointer = std::remove_reference_t<decltype(member)>;
    member = reinterpret_cast<Pointer>(dlsym(handle, symbol));
    if (!member && need == Need::Required)
      missing += (missing.empty() ? "" : ", ") + std::string(symbol);
  };
#define TC_LOOK(name, symbol, since, need, parameters)                         \
  look(driver.symbol, #symbol, Need::need);
  TC_DRIVER_CALLS(TC_LOOK)
#undef TC_LOOK
  look(driver.lastReport, "tcEmulatorLastReport", Need::Optional);
  return missing;
}

/// cuInit, and the question whether there is a device at all.
static bool start(const Driver &driver, std::string &error) {
  int devices = 0;
  const char *call = "cuInit";
  CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS) {
    call = "cuDeviceGetCount";
    result = driver.cuDeviceGetCount(&devices);
  }
  if (result != CUDA_SUCCESS)
    error = driver.library + ": " + driver.describe(call, result);
  else if (devices == 0)
    error = driver.library + ": expected a CUDA device, got a driver without";
  return result == CUDA_SUCCESS && devices != 0;
}

/// The driver in the library at `path`. `opened` is locked by the caller.
/// `isThere` says whether it is a library at all.
static const Driver *openLibrary(Opened &opened, const std::string &path,
                                 std::string &error, bool &isThere) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  isThere = handle != nullptr;
  if (!handle) {
    const char *reason = dlerror();
    error = reason ? reason : path + ": cannot be opened";
    return nullptr;
  }
  std::unique_ptr<Driver> &known = opened.drivers[handle];
  if (known)
    return known.get();
  auto driver = std::make_unique<Driver>();
  driver->library = path;
  std::string missing = fill(*driver, handle);
  if (!missing.empty()) {
    error = path + ": expected a CUDA driver, got a library without " + missing;
    return nullptr;
  }
  if (!start(*driver, error))
    return nullptr;
  known = std::move(driver);
  return known.get();
}

static const Driver *openCuda(Opened &opened, const std::string &library,
                              std::string &error) {
  std::string path = library.empty() ? "libcuda.so.1" : library;
  bool isThere = false;
  const Driver *driver = openLibrary(opened, path, error, isThere);
  if (!driver)
    error = "expected a CUDA driver with a device: " + error;
  return driver;
}

static const Driver *openEmulator(Opened &opened, const std::string &library,
                                  std::string &error) {
  std::vector<std::string> candidates = library.empty()
                                            ? emulatorCandidates()
                                            : std::vector<std::string>{library};
  std::string reasons;
  for (const std::string &path : candidates) {
    std::string reason;
    bool isThere = false;
    const Driver *driver = openLibrary(opened, path, reason, isThere);
    if (driver && driver->isEmulator())
      return driver;
    if (driver)
      reason = path + ": expected the emulator, got another CUDA driver";
    reasons += "\n  " + reason;
    if (isThere)
      break; // one further on would only hide what is wrong with this one
  }
  error = "expected the emulator's library (TC_EMULATOR_LIBRARY names it):" +
          reasons;
  return nullptr;
}

const Driver *tc::runtime::openDriver(DriverKind kind,
                                      const std::string &library,
                                      std::string &error) {
  Opened &opened = getOpened();
  std::lock_guard<std::mutex> lock(opened.mutex);
  if (kind == DriverKind::Cuda)
    return openCuda(opened, library, error);
  if (kind == DriverKind::Emulator)
    return openEmulator(opened, library, error);
  std::string noCuda, noEmulator;
  if (const Driver *driver = openCuda(opened, "", noCuda))
    return driver;
  if (const Driver *driver = openEmulator(opened, library, noEmulator))
    return driver;
  error = noCuda + "\n" + noEmulator;
  return nullptr;
}
