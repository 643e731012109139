//===- stub_driver.cpp - A CUDA driver that does nothing ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libcuda.so.1 where only the calls matter: what a launch costs on
// the host, which device it goes to, what is loaded. Kernels do not run. Devices
// are as the environment says:
//
//   TC_STUB_DEVICES   capabilities, as "90,80" (default 90)
//   TC_STUB_VERSION   the CUDA version, as 12080 (default 13000)
//   TC_STUB_CUBIN     1: machine code is loaded, too (default 0)
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/driver_api.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace tc::runtime;

namespace {
/// A context, or a stream: what device it is of.
struct OnDevice {
  int device;
};

struct Memory {
  size_t bytes;
  int device;
};

struct Stub {
  std::vector<int> capabilities;
  int version = 13000;
  bool takesCubin = false;
  OnDevice contexts[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  std::mutex mutex;
  std::map<uintptr_t, Memory> memory;
  std::atomic<int> loads{0}, launches{0}, device{-1};
};
} // namespace

static int numberFrom(const char *variable, int otherwise) {
  const char *text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

static Stub &stub() {
  static Stub *made = [] {
    auto *fresh = new Stub;
    const char *devices = getenv("TC_STUB_DEVICES");
    for (const char *at = devices ? devices : "90"; at && *at;) {
      fresh->capabilities.push_back(atoi(at));
      at = strchr(at, ',');
      at = at ? at + 1 : nullptr;
    }
    fresh->version = numberFrom("TC_STUB_VERSION", 13000);
    fresh->takesCubin = numberFrom("TC_STUB_CUBIN", 0) != 0;
    return fresh;
  }();
  return *made;
}

static thread_local std::vector<CUcontext> current;

static OnDevice *deviceOf(const void *handle) {
  return static_cast<OnDevice *>(const_cast<void *>(handle));
}

static int currentDevice() {
  return current.empty() || !current.back() ? -1
                                            : deviceOf(current.back())->device;
}

extern "C" {
//===----------------------------------------------------------------------===//
// What tests ask
//===----------------------------------------------------------------------===//

int stubLoads() { return stub().loads; }
int stubLaunches() { return stub().launches; }
int stubLaunchDevice() { return stub().device; } ///< of the last launch

//===----------------------------------------------------------------------===//
// The driver, devices, contexts
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) {
  *version = stub().version;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char **name) {
  *name = "CUDA_ERROR_OF_STUB";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "the stub says no";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = static_cast<int>(stub().capabilities.size());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= static_cast<int>(stub().capabilities.size()))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  int capability = stub().capabilities[device];
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? capability / 10
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
               ? capability % 10
               : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = reinterpret_cast<CUcontext>(&stub().contexts[device]);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  current.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = current.back();
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = current.empty() ? nullptr : current.back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = currentDevice();
  return *device < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(new OnDevice{currentDevice()});
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(
      &stub().contexts[deviceOf(stream)->device]);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  std::lock_guard<std::mutex> lock(stub().mutex);
  stub().memory[reinterpret_cast<uintptr_t>(memory)] = {bytes, currentDevice()};
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **values, CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(stub().mutex);
  auto at = stub().memory.upper_bound(static_cast<uintptr_t>(address));
  const Memory *memory = nullptr;
  if (at != stub().memory.begin()) {
    --at;
    if (static_cast<uintptr_t>(address) - at->first < at->second.bytes)
      memory = &at->second;
  }
  for (unsigned i = 0; i != count; ++i)
    switch (attributes[i]) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(values[i]) = memory ? CU_MEMORYTYPE_DEVICE : 0u;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *>(values[i]) = memory ? memory->device : -2;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<bool *>(values[i]) = false;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr *>(values[i]) = memory ? at->first : 0;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t *>(values[i]) = memory ? memory->bytes : 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned,
                            CUjit_option *, void **) {
  bool isElf = memcmp(image, "\177ELF", 4) == 0;
  if (isElf && !stub().takesCubin)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  ++stub().loads;
  *module = reinterpret_cast<CUmodule>(new OnDevice{currentDevice()});
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *) {
  *function = reinterpret_cast<CUfunction>(module);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction) {
  *value = 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **) {
  ++stub().launches;
  stub().device = deviceOf(function)->device;
  return deviceOf(function)->device == currentDevice()
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}
}
