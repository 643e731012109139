//===- Error.cpp - The runtime's start and its errors ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver is opened by the first call that needs it.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

#include <cstdio>
#include <mutex>
#include <set>

using namespace tc::cudart;

namespace {

/// What every thread shares.
struct Runtime {
  const Driver *driver = nullptr;
  CUcontext context = nullptr;
  Error error = 0; ///< of its start
};

/// Those that the driver does not have come with a text.
constexpr struct {
  Error error;
  const char *name;
  const char *text = nullptr;
} names[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue"},
    {2, "cudaErrorMemoryAllocation"},
    {3, "cudaErrorInitializationError"},
    {4, "cudaErrorCudartUnloading"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {21, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {35, "cudaErrorInsufficientDriver", "there is no driver, or an old one"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice"},
    {101, "cudaErrorInvalidDevice"},
    {200, "cudaErrorInvalidKernelImage"},
    {201, "cudaErrorDeviceUninitialized"},
    {209, "cudaErrorNoKernelImageForDevice"},
    {218, "cudaErrorInvalidPtx"},
    {304, "cudaErrorOperatingSystem"},
    {400, "cudaErrorInvalidResourceHandle"},
    {401, "cudaErrorIllegalState"},
    {500, "cudaErrorSymbolNotFound"},
    {600, "cudaErrorNotReady"},
    {700, "cudaErrorIllegalAddress"},
    {701, "cudaErrorLaunchOutOfResources"},
    {702, "cudaErrorLaunchTimeout"},
    {709, "cudaErrorContextIsDestroyed"},
    {710, "cudaErrorAssert"},
    {712, "cudaErrorHostMemoryAlreadyRegistered"},
    {713, "cudaErrorHostMemoryNotRegistered"},
    {716, "cudaErrorMisalignedAddress"},
    {719, "cudaErrorLaunchFailure"},
    {720, "cudaErrorCooperativeLaunchTooLarge"},
    {800, "cudaErrorNotPermitted"},
    {801, "cudaErrorNotSupported"},
    {900, "cudaErrorStreamCaptureUnsupported"},
    {901, "cudaErrorStreamCaptureInvalidated"},
    {902, "cudaErrorStreamCaptureMerge"},
    {903, "cudaErrorStreamCaptureUnmatched"},
    {904, "cudaErrorStreamCaptureUnjoined"},
    {905, "cudaErrorStreamCaptureIsolation"},
    {906, "cudaErrorStreamCaptureImplicit"},
    {907, "cudaErrorCapturedEvent"},
    {908, "cudaErrorStreamCaptureWrongThread"},
    {910, "cudaErrorGraphExecUpdateFailure"},
    {912, "cudaErrorInvalidClusterSize"},
    {999, "cudaErrorUnknown"},
};

thread_local Error lastError = 0;

Runtime start() {
  Runtime runtime;
  std::string error;
  runtime.driver = openDriver(DriverKind::Cuda, "", error);
  if (!runtime.driver) {
    // A program that only sees a number would not know why. lint: allow prints
    std::fprintf(stderr, "libcudart of tc: %s\n", error.c_str());
    runtime.error = 35;
    return runtime;
  }
  runtime.error = runtime.driver->cuDevicePrimaryCtxRetain(&runtime.context, 0);
  return runtime;
}

Runtime &getRuntime() {
  static auto *runtime = new Runtime(start()); // to the very end
  return *runtime;
}

} // namespace

Error tc::cudart::enter(const Driver *&driver) {
  Runtime &runtime = getRuntime();
  if (runtime.error)
    return runtime.error;
  driver = runtime.driver;
  // A program may use contexts of its own beside the runtime.
  CUcontext current = nullptr;
  if (driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current)
    return 0;
  return driver->cuCtxSetCurrent(runtime.context);
}

Error tc::cudart::keep(Error error) {
  // Not an error, and no program expects it to be kept.
  if (error && error != CUDA_ERROR_NOT_READY)
    lastError = error;
  return error;
}

Error tc::cudart::missing(const char *call) {
  static std::mutex mutex;
  static auto *told = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(mutex);
  if (told->insert(call).second) // lint: allow prints, because of the same
    std::fprintf(stderr, "libcudart of tc: %s is not there\n", call);
  return keep(CUDA_ERROR_NOT_SUPPORTED);
}

extern "C" {

Error cudaGetLastError() {
  Error error = lastError;
  lastError = 0;
  return error;
}

Error cudaPeekAtLastError() { return lastError; }

const char *cudaGetErrorName(Error error) {
  for (const auto &row : names)
    if (row.error == error)
      return row.name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(Error error) {
  for (const auto &row : names)
    if (row.error == error && row.text)
      return row.text;
  const Driver *driver = nullptr;
  const char *text = nullptr;
  if (enter(driver) || driver->cuGetErrorString(CUresult(error), &text) ||
      !text)
    return cudaGetErrorName(error);
  return text;
}

Error cudaDriverGetVersion(int *version) {
  return call([=](const Driver &d) { return d.cuDriverGetVersion(version); });
}

Error cudaRuntimeGetVersion(int *version) {
  if (!version)
    return keep(CUDA_ERROR_INVALID_VALUE);
  *version = 13000;
  return 0;
}

Error cudaGetDriverEntryPoint(const char *name, void **function,
                              unsigned long long flags, int *found) {
  return call([=](const Driver &d) {
    return d.cuGetProcAddress_v2(name, function, 13000, flags, found);
  });
}

Error cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                       unsigned version,
                                       unsigned long long flags, int *found) {
  return call([=](const Driver &d) {
    return d.cuGetProcAddress_v2(name, function, int(version), flags, found);
  });
}
}
