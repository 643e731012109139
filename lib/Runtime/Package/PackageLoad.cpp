//===- PackageLoad.cpp - Kernels of a package in a context ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which variant a device gets, and its loading, once for each context.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Package/Package.h"
#include "Session.h"

#include <algorithm>
#include <mutex>

using namespace tc::runtime;

static std::atomic<const Driver *> driverInUse{nullptr};

void tc::runtime::useDriver(const Driver &driver) {
  driverInUse.store(&driver, std::memory_order_release);
}

const Driver *tc::runtime::findDriver() {
  if (const Driver *driver = driverInUse.load(std::memory_order_acquire))
    return driver;
  std::string error;
  std::optional<DriverKind> kind = chooseDriverKind(nullptr, error);
  const Driver *driver = kind ? openDriver(*kind, "", error) : nullptr;
  if (driver)
    useDriver(*driver);
  else
    fail(TC_NO_DEVICE, error);
  return driver;
}

//===----------------------------------------------------------------------===//
// Which variant
//===----------------------------------------------------------------------===//

/// The CUDA version (1000 * major + 10 * minor) whose driver first took this
/// version of the PTX ISA ("Release Notes" of the PTX ISA, table 42).
static int driverFor(uint32_t ptxVersion) {
  int major = static_cast<int>(ptxVersion / 10), minor = ptxVersion % 10;
  if (major == 6)
    return minor < 3 ? 9000 + 10 * minor : 10000 + 10 * (minor - 3);
  if (major == 8 && minor > 5) // 12.6 has PTX 8.5, too
    return 12000 + 10 * (minor + 1);
  return 1000 * (major + 4) + 10 * minor;
}

static std::string nameVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Machine code runs on its capability and later ones of the same generation.
static bool takesCubin(const tcPackagedVariant &variant, unsigned capability) {
  return variant.isExact ? variant.capability == capability
                         : variant.capability / 10 == capability / 10 &&
                               variant.capability <= capability;
}

static bool takesPtx(const tcPackagedVariant &variant, unsigned capability) {
  return variant.isExact ? variant.capability == capability
                         : variant.capability <= capability;
}

/// Those that can run on the device, the ones nearest to it first.
static std::vector<const tcPackagedVariant *>
findCandidates(const tcPackagedEntry &entry, unsigned capability) {
  std::vector<const tcPackagedVariant *> candidates;
  for (uint32_t i = 0; i != entry.numVariants; ++i)
    if (takesPtx(entry.variants[i], capability))
      candidates.push_back(&entry.variants[i]);
  auto rank = [](const tcPackagedVariant *variant) {
    return 2 * variant->capability + variant->isExact;
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](auto *a, auto *b) { return rank(a) > rank(b); });
  return candidates;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// Entry states: the variants loaded so far, newest first.
struct State {
  std::mutex mutex;
  std::atomic<LoadedVariant *> loaded{nullptr};
};

/// Loads the kernels of one entry into the current context.
class Loader {
public:
  Loader(const Driver &driver, const tcPackagedEntry &entry)
      : driver(driver), entry(entry) {}

  std::unique_ptr<LoadedVariant> load(CUcontext context, int &status);

private:
  int askDevice(LoadedVariant &loaded);
  bool loadImages(const tcPackagedVariant &variant,
                  const tcPackagedImage *images, LoadedVariant &loaded);
  bool loadVariant(const tcPackagedVariant &variant, LoadedVariant &loaded);
  int refuse(bool hasCandidates) const;

  const Driver &driver;
  const tcPackagedEntry &entry;
  unsigned capability = 0;
  int version = 0;
  tcStatus failure = TC_INVALID_IMAGE; ///< of the variants that were tried
  std::string reasons;
};
} // namespace

int Loader::askDevice(LoadedVariant &loaded) {
  constexpr CUdevice_attribute pageableMemoryAccess = 88;
  int major = 0, minor = 0, pageable = 0;
  auto ask = [&](CUdevice_attribute attribute, int &value) {
    return driver.cuDeviceGetAttribute(&value, attribute, loaded.device);
  };
  CUresult result = driver.cuCtxGetDevice
                        ? driver.cuCtxGetDevice(&loaded.device)
                        : CUDA_ERROR_NOT_SUPPORTED;
  if (result == CUDA_SUCCESS)
    result = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major);
  if (result == CUDA_SUCCESS)
    result = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
  if (result == CUDA_SUCCESS)
    result = driver.cuDriverGetVersion(&version);
  if (result != CUDA_SUCCESS)
    return check(driver, "cuDeviceGetAttribute", result);
  // A driver that does not know the question has no such memory.
  if (ask(pageableMemoryAccess, pageable) == CUDA_SUCCESS)
    loaded.readsHostMemory = pageable != 0;
  capability = static_cast<unsigned>(10 * major + minor);
  return TC_OK;
}

bool Loader::loadImages(const tcPackagedVariant &variant,
                        const tcPackagedImage *images, LoadedVariant &loaded) {
  std::vector<CUmodule> modules;
  auto giveUp = [&](CUresult result, const std::string &error) {
    failure = classify(result);
    reasons += std::string("\n") + variant.chip + ": " + error;
    for (CUmodule module : modules)
      driver.cuModuleUnload(module);
    return false;
  };
  for (uint32_t i = 0; i != variant.numImages; ++i) {
    CUmodule module = nullptr;
    std::string error;
    CUresult result = loadModule(driver, images[i].data,
                                 /*optimizationLevel=*/-1, module, error);
    if (result != CUDA_SUCCESS)
      return giveUp(result, error);
    modules.push_back(module);
  }
  loaded.kernels = std::make_unique<LoadedKernel[]>(variant.numKernels);
  for (uint64_t i = 0; i != variant.numKernels; ++i) {
    const tcPackagedKernel &kernel = variant.kernels[i];
    CUresult result = driver.cuModuleGetFunction(
        &loaded.kernels[i].function, modules[kernel.image], kernel.name);
    if (result != CUDA_SUCCESS)
      return giveUp(result, driver.describe("cuModuleGetFunction", result) +
                                "\n" + kernel.name);
  }
  loaded.variant = &variant;
  return true;
}

bool Loader::loadVariant(const tcPackagedVariant &variant,
                         LoadedVariant &loaded) {
  bool hasCubins = variant.numImages == 0 || variant.cubins[0].data;
  if (hasCubins && takesCubin(variant, capability) &&
      loadImages(variant, variant.cubins, loaded))
    return true;
  int needed = driverFor(variant.ptxVersion);
  if (version < needed) {
    failure = TC_DRIVER_TOO_OLD;
    reasons += std::string("\n") + variant.chip +
               ": expected a driver for CUDA " + nameVersion(needed) +
               " or later, got " + nameVersion(version);
    return false;
  }
  return loadImages(variant, variant.ptx, loaded);
}

int Loader::refuse(bool hasCandidates) const {
  std::string device = " compute capability " +
                       std::to_string(capability / 10) + "." +
                       std::to_string(capability % 10);
  if (hasCandidates)
    return failIn(entry, failure,
                  "expected kernels that " + driver.library + " takes for" +
                      device + reasons);
  if (entry.numVariants == 0)
    return failIn(entry, TC_NO_VARIANT,
                  "expected kernels for a GPU, got a package for the CPU "
                  "alone");
  std::string chips;
  for (uint32_t i = 0; i != entry.numVariants; ++i)
    chips += (i ? ", " : "") + std::string(entry.variants[i].chip);
  return failIn(entry, TC_NO_VARIANT,
                "expected a device for " + chips + ", got" + device);
}

std::unique_ptr<LoadedVariant> Loader::load(CUcontext context, int &status) {
  auto loaded = std::make_unique<LoadedVariant>();
  loaded->context = context;
  status = askDevice(*loaded);
  if (status != TC_OK)
    return nullptr;
  auto candidates = findCandidates(entry, capability);
  for (const tcPackagedVariant *variant : candidates)
    if (loadVariant(*variant, *loaded))
      return loaded;
  status = refuse(!candidates.empty());
  return nullptr;
}

/// The entry's state, made by whoever comes first.
static State &stateOf(const tcPackagedEntry &entry) {
  auto &slot = *reinterpret_cast<std::atomic<State *> *>(entry.state);
  State *state = slot.load(std::memory_order_acquire);
  if (state)
    return *state;
  auto *fresh = new State;
  if (slot.compare_exchange_strong(state, fresh, std::memory_order_acq_rel))
    return *fresh;
  delete fresh;
  return *state;
}

static const LoadedVariant *lookUp(const State &state, CUcontext context,
                                   unsigned long long id) {
  const LoadedVariant *loaded = state.loaded.load(std::memory_order_acquire);
  while (loaded && (loaded->context != context || loaded->contextId != id))
    loaded = loaded->next;
  return loaded;
}

const LoadedVariant *tc::runtime::findLoaded(const Driver &driver,
                                             const tcPackagedEntry &entry,
                                             CUcontext context, int &status) {
  // A new context may come to lie where one was destroyed.
  unsigned long long id = 0;
  if (driver.cuCtxGetId && driver.cuCtxGetId(context, &id) != CUDA_SUCCESS)
    id = 0;
  State &state = stateOf(entry);
  if (const LoadedVariant *loaded = lookUp(state, context, id))
    return loaded;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (const LoadedVariant *loaded = lookUp(state, context, id))
    return loaded;
  std::unique_ptr<LoadedVariant> fresh =
      Loader(driver, entry).load(context, status);
  if (!fresh)
    return nullptr;
  fresh->contextId = id;
  fresh->next = state.loaded.load(std::memory_order_relaxed);
  state.loaded.store(fresh.get(), std::memory_order_release);
  return fresh.release();
}
