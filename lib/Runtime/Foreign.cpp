//===- Foreign.cpp - Contexts, streams and memory of others ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tc_runtime.h that works with what another library made.
//
//===----------------------------------------------------------------------===//

#include "LauncherState.h"
#include "StreamMemory.h"

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int tcDeviceEnter(tcDevice *device) {
  if (!device)
    return fail(TC_INVALID_ARGUMENT,
                "tcDeviceEnter: expected a handle, got null");
  const Session &session = device->session;
  return check(*session.driver, "cuCtxPushCurrent",
               session.driver->cuCtxPushCurrent_v2(session.context));
}

int tcDeviceLeave(tcDevice *device) {
  if (!device)
    return fail(TC_INVALID_ARGUMENT,
                "tcDeviceLeave: expected a handle, got null");
  CUcontext popped = nullptr;
  const Driver &driver = *device->session.driver;
  return check(driver, "cuCtxPopCurrent", driver.cuCtxPopCurrent_v2(&popped));
}

int tcAddressDevice(tcDevice *device, tcAddress address, int *number) {
  return withDevice(device, "tcAddressDevice", [&](const Driver &driver) {
    if (!number)
      return fail(TC_INVALID_ARGUMENT,
                  "tcAddressDevice: expected a place for the number, got null");
    if (!driver.cuPointerGetAttributes)
      return fail(TC_DRIVER_TOO_OLD, driver.library +
                                         ": expected a driver for CUDA 9.2 or "
                                         "later");
    unsigned memoryType = 0;
    int ordinal = -1;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *places[] = {&memoryType, &ordinal};
    CUresult result =
        driver.cuPointerGetAttributes(2, attributes, places, address);
    if (result != CUDA_SUCCESS)
      return check(driver, "cuPointerGetAttributes", result);
    if (memoryType == 0)
      return fail(TC_INVALID_ARGUMENT, "expected an address in memory that " +
                                           driver.library + " knows, got " +
                                           hexOf(address));
    *number = memoryType == CU_MEMORYTYPE_DEVICE ? ordinal : -1;
    return static_cast<int>(TC_OK);
  });
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

int tcStreamSynchronize(tcDevice *device, void *stream) {
  return callDriver(device, "tcStreamSynchronize", "cuStreamSynchronize",
                    &Driver::cuStreamSynchronize,
                    static_cast<CUstream>(stream));
}

static int waitByEvent(const Driver &driver, CUstream stream, CUstream other) {
  CUevent event = nullptr;
  CUresult result = driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS)
    return check(driver, "cuEventCreate", result);
  const char *call = "cuEventRecord";
  result = driver.cuEventRecord(event, other);
  if (result == CUDA_SUCCESS) {
    call = "cuStreamWaitEvent";
    result = driver.cuStreamWaitEvent(stream, event, /*flags=*/0);
  }
  int status = check(driver, call, result);
  // The driver keeps what is still waited for.
  int freed = check(driver, "cuEventDestroy", driver.cuEventDestroy_v2(event));
  return status != TC_OK ? status : freed;
}

int tcStreamWait(tcDevice *device, void *stream, void *other) {
  return withDevice(device, "tcStreamWait", [&](const Driver &driver) {
    if (stream == other)
      return static_cast<int>(TC_OK);
    return waitByEvent(driver, static_cast<CUstream>(stream),
                       static_cast<CUstream>(other));
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int tcAllocateOn(tcDevice *device, size_t bytes, void *stream,
                 tcAddress *address) {
  return withDevice(device, "tcAllocateOn", [&](const Driver &driver) {
    if (!address)
      return fail(TC_INVALID_ARGUMENT,
                  "tcAllocateOn: expected a place for the address, got null");
    CUdeviceptr allocated = 0;
    int status =
        allocateOn(driver, bytes, static_cast<CUstream>(stream), allocated);
    if (status == TC_OK)
      *address = allocated;
    return status;
  });
}

int tcFreeOn(tcDevice *device, tcAddress address, void *stream) {
  return withDevice(device, "tcFreeOn", [&](const Driver &driver) {
    if (address == 0)
      return static_cast<int>(TC_OK);
    return freeOn(driver, address, static_cast<CUstream>(stream));
  });
}
