//===- Launcher.cpp - The C launcher: devices, memory, timing -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tc_runtime.h that needs no module.
//
//===----------------------------------------------------------------------===//

#include "LauncherState.h"

#include <new>

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int tcDeviceOpen(const char *kind, const char *library, int ordinal,
                 tcDevice **device) {
  if (!device)
    return fail(TC_INVALID_ARGUMENT, "tcDeviceOpen: expected a place for the "
                                     "device, got null");
  *device = nullptr;
  std::string error;
  std::optional<DriverKind> chosen = chooseDriverKind(kind, error);
  if (!chosen)
    return fail(TC_INVALID_ARGUMENT, "tcDeviceOpen: " + error);
  auto opened = std::make_unique<tcDevice>();
  if (!opened->session.open(*chosen, library ? library : "", ordinal, error))
    return fail(TC_NO_DEVICE, error);
  useDriver(*opened->session.driver);
  *device = opened.release();
  return TC_OK;
}

int tcDeviceClose(tcDevice *device) {
  if (!device)
    return TC_OK;
  std::unique_ptr<tcDevice> closing(device);
  const Session &session = closing->session;
  return check(*session.driver, "cuDevicePrimaryCtxRelease",
               session.driver->cuDevicePrimaryCtxRelease_v2(session.device));
}

const char *tcDeviceKind(const tcDevice *device) {
  if (!device)
    return nullptr;
  return device->session.driver->isEmulator() ? "emulator" : "cuda";
}

const char *tcDeviceLibrary(const tcDevice *device) {
  return device ? device->session.driver->library.c_str() : nullptr;
}

int tcDeviceName(tcDevice *device, char *name, size_t size) {
  return withDevice(device, "tcDeviceName", [&](const Driver &driver) {
    int length = size > 4096 ? 4096 : static_cast<int>(size);
    return check(driver, "cuDeviceGetName",
                 driver.cuDeviceGetName(name, length, device->session.device));
  });
}

int tcDeviceAttribute(tcDevice *device, int attribute, int *value) {
  return withDevice(device, "tcDeviceAttribute", [&](const Driver &driver) {
    return check(
        driver, "cuDeviceGetAttribute",
        driver.cuDeviceGetAttribute(value, attribute, device->session.device));
  });
}

int tcSynchronize(tcDevice *device) {
  return callDriver(device, "tcSynchronize", "cuCtxSynchronize",
                    &Driver::cuCtxSynchronize);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int tcAllocate(tcDevice *device, size_t bytes, tcAddress *address) {
  return withDevice(device, "tcAllocate", [&](const Driver &driver) {
    if (!address)
      return fail(TC_INVALID_ARGUMENT, "tcAllocate: expected a place for the "
                                       "address, got null");
    CUdeviceptr allocated = 0;
    CUresult result = driver.cuMemAlloc_v2(&allocated, bytes);
    if (result == CUDA_SUCCESS)
      *address = allocated;
    return check(driver, "cuMemAlloc", result);
  });
}

int tcFree(tcDevice *device, tcAddress address) {
  return callDriver(device, "tcFree", "cuMemFree", &Driver::cuMemFree_v2,
                    address);
}

int tcCopyIn(tcDevice *device, tcAddress to, const void *from, size_t bytes) {
  return callDriver(device, "tcCopyIn", "cuMemcpyHtoD",
                    &Driver::cuMemcpyHtoD_v2, to, from, bytes);
}

int tcCopyOut(tcDevice *device, void *to, tcAddress from, size_t bytes) {
  return callDriver(device, "tcCopyOut", "cuMemcpyDtoH",
                    &Driver::cuMemcpyDtoH_v2, to, from, bytes);
}

int tcFill(tcDevice *device, tcAddress to, unsigned char value, size_t bytes) {
  return callDriver(device, "tcFill", "cuMemsetD8", &Driver::cuMemsetD8_v2, to,
                    value, bytes);
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

int tcEventCreate(tcDevice *device, tcEvent **event) {
  return withDevice(device, "tcEventCreate", [&](const Driver &driver) {
    if (!event)
      return fail(TC_INVALID_ARGUMENT,
                  "tcEventCreate: expected a place for the event, got null");
    CUevent handle = nullptr;
    CUresult result = driver.cuEventCreate(&handle, /*flags=*/0);
    *event = result == CUDA_SUCCESS ? new tcEvent{device, handle} : nullptr;
    return check(driver, "cuEventCreate", result);
  });
}

int tcEventDestroy(tcEvent *event) {
  if (!event)
    return TC_OK;
  std::unique_ptr<tcEvent> dying(event);
  return callDriver(event->device, "tcEventDestroy", "cuEventDestroy",
                    &Driver::cuEventDestroy_v2, event->handle);
}

int tcEventRecord(tcEvent *event) {
  tcDevice *device = event ? event->device : nullptr;
  return withDevice(device, "tcEventRecord", [&](const Driver &driver) {
    return check(driver, "cuEventRecord",
                 driver.cuEventRecord(event->handle, /*stream=*/nullptr));
  });
}

int tcEventSeconds(tcEvent *start, tcEvent *end, double *seconds) {
  tcDevice *device = start && end && seconds ? start->device : nullptr;
  return withDevice(device, "tcEventSeconds", [&](const Driver &driver) {
    float milliseconds = 0;
    int status = check(driver, "cuEventSynchronize",
                       driver.cuEventSynchronize(end->handle));
    if (status != TC_OK)
      return status;
    status = check(
        driver, "cuEventElapsedTime",
        driver.cuEventElapsedTime(&milliseconds, start->handle, end->handle));
    if (status == TC_OK)
      *seconds = milliseconds / 1000.0;
    return status;
  });
}
