//===- Device.cpp - Device queries of the emulated driver -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver itself, its one device, and the texts of its errors.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

struct Attribute {
  CUdevice_attribute number;
  int value;
};

} // namespace

/// The shape of an H100 SXM (NVIDIA H100 Tensor Core GPU Architecture, table 3;
/// CUDA C++ Programming Guide, technical specifications of compute capability
/// 9.0). What the emulator does not do (tensor maps) is 0, as is every
/// attribute that is not listed.
static const Attribute attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, limits::threadsPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, limits::blockX},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, limits::blockY},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, limits::blockZ},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, limits::gridX},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, limits::gridYZ},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, limits::gridYZ},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, limits::sharedPerBlock},
    {9, 65536}, // constant memory, bytes
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, limits::warpSize},
    {11, 2147483647}, // pitch of a copy, bytes
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {13, 1980000}, // clock, kHz
    {14, 512},     // texture alignment, bytes
    {15, 1},       // copies beside kernels
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors},
    {19, 1},       // maps host memory
    {31, 1},       // concurrent kernels
    {36, 2619000}, // memory clock, kHz
    {37, 5120},    // memory bus, bits
    {38, l2Bytes}, // L2 cache
    {39, limits::threadsPerMultiprocessor},
    {40, 3}, // copy engines
    {41, 1}, // unified addressing
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {78, 1}, // stream priorities
    {79, 1}, // global memory in L1
    {80, 1}, // local memory in L1
    {81, limits::sharedPerMultiprocessor},
    {82, 65536}, // registers of a multiprocessor
    {83, 1},     // managed memory
    {87, 2},     // single over double precision rate
    {89, 1},     // managed memory beside kernels
    {91, 1},     // registered host memory keeps its address
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     limits::sharedPerBlockOptIn},
    {95, 1}, // cooperative launches
    {99, 1}, // host memory can be registered
    {106, limits::blocksPerMultiprocessor},
    {108, persistingL2Bytes},
    {109, accessPolicyWindow},
    {111, limits::reservedSharedPerBlock},
    {115, 1}, // memory pools
    {120, 1}, // clusters
};

/// The largest attribute number of CUDA 13.0.
static constexpr CUdevice_attribute lastAttribute = 147;

size_t driver::getTotalMemory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

CUresult driver::checkDevice(Call &call, CUdevice device) {
  if (!call || device == 0)
    return call.status();
  return call.fail(CUDA_ERROR_INVALID_DEVICE,
                   "expected device 0, got " + llvm::Twine(device));
}

CUresult driver::checkPlace(Call &call, const void *place) {
  if (!call || place)
    return call.status();
  return call.fail(CUDA_ERROR_INVALID_VALUE,
                   "expected a place for the result, got null");
}

/// Where the device would sit if there were one.
static const char busId[] = "0000:00:00.0";

/// Copies as much of a text as fits.
static CUresult answerText(Call &call, char *place, int length,
                           llvm::StringRef text) {
  if (CUresult bad = checkPlace(call, place))
    return bad;
  if (length < 1)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a length of at least 1, got " +
                         llvm::Twine(length));
  text = text.take_front(length - 1);
  memcpy(place, text.data(), text.size());
  place[text.size()] = '\0';
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuInit(unsigned flags) {
  Call call("cuInit", Needs::Nothing);
  if (flags != 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected flags 0, got " + llvm::Twine(flags));
  if (!call.state.misconfigured.empty()) {
    printLine(call.state.misconfigured);
    return call.fail(CUDA_ERROR_INVALID_VALUE, call.state.misconfigured);
  }
  call.state.initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  switch (static_cast<int>(error)) {
#define TC_CASE(result, code, text)                                            \
  case code:                                                                   \
    *name = #result;                                                           \
    return CUDA_SUCCESS;
    TC_DRIVER_RESULTS(TC_CASE)
#undef TC_CASE
  }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **string) {
  if (!string)
    return CUDA_ERROR_INVALID_VALUE;
  switch (static_cast<int>(error)) {
#define TC_CASE(result, code, text)                                            \
  case code:                                                                   \
    *string = text;                                                            \
    return CUDA_SUCCESS;
    TC_DRIVER_RESULTS(TC_CASE)
#undef TC_CASE
  }
  *string = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  Call call("cuDeviceGet", Needs::Driver);
  if (CUresult bad = checkPlace(call, device))
    return bad;
  if (CUresult bad = checkDevice(call, ordinal))
    return bad;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  Call call("cuDeviceGetName", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  return answerText(call, name, length, "tc emulator (sm_90)");
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  Call call("cuDeviceGetPCIBusId", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  return answerText(call, text, length, busId);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  Call call("cuDeviceGetByPCIBusId", Needs::Driver);
  if (CUresult bad = checkPlace(call, text ? device : nullptr))
    return bad;
  if (llvm::StringRef(text) != busId)
    return call.fail(CUDA_ERROR_INVALID_DEVICE,
                     llvm::Twine("expected ") + busId + ", got " + text);
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  Call call("cuDeviceGetAttribute", Needs::Driver);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  if (attribute < 1 || attribute > lastAttribute)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute from 1 to 147, got " +
                         llvm::Twine(attribute));
  const auto *found =
      std::find_if(std::begin(attributes), std::end(attributes),
                   [&](const Attribute &a) { return a.number == attribute; });
  *value = found == std::end(attributes) ? 0 : found->value;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  Call call("cuDeviceTotalMem", Needs::Driver);
  if (CUresult bad = checkPlace(call, bytes))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  *bytes = getTotalMemory();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  Call call("cuDeviceGetUuid", Needs::Driver);
  if (CUresult bad = checkPlace(call, uuid))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  memcpy(uuid->bytes, "tc-cuda-emulator", sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  Call call("cuDeviceComputeCapability", Needs::Driver);
  if (CUresult bad = checkPlace(call, major ? minor : nullptr))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
