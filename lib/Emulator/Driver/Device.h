//===- Device.h - Limits of the emulated device -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits that launches are checked against, and checks that many calls
// share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_DEVICE_H
#define TC_LIB_EMULATOR_DRIVER_DEVICE_H

#include "State.h"

namespace tc::emulator::driver {

/// The CUDA version this driver says it is: 13.0.
inline constexpr int driverVersion = 13000;

/// Limits of compute capability 9.0 (CUDA C++ Programming Guide, technical
/// specifications). Shared memory in bytes.
namespace limits {
inline constexpr int threadsPerBlock = 1024;
inline constexpr int blockX = 1024, blockY = 1024, blockZ = 64;
inline constexpr int gridX = 2147483647, gridYZ = 65535;
inline constexpr int warpSize = 32;
inline constexpr int sharedPerBlock = 48 * 1024;
inline constexpr int sharedPerBlockOptIn = 227 * 1024;
inline constexpr int sharedPerMultiprocessor = 228 * 1024;
inline constexpr int reservedSharedPerBlock = 1024;
inline constexpr int threadsPerMultiprocessor = 2048;
inline constexpr int blocksPerMultiprocessor = 32;
} // namespace limits

/// Of a stream; 0 is the least.
inline constexpr int greatestPriority = -5;

inline constexpr int multiprocessors = 132;

/// In bytes: of L2, how much may be set aside for what stays, and of memory,
/// how much a window of it may have. The shares are those of an A100; no
/// document has them for an H100.
inline constexpr int l2Bytes = 52428800;
inline constexpr int persistingL2Bytes = l2Bytes / 4 * 3;
inline constexpr int accessPolicyWindow = 134213632;

/// The memory that may be allocated, in bytes: the machine's.
size_t getTotalMemory();

/// The call's status, or what it must return where the device is not device 0,
/// or where `place` is null.
CUresult checkDevice(Call &call, CUdevice device);
CUresult checkPlace(Call &call, const void *place);

/// A call that answers with one value.
template <typename T>
CUresult answer(Call &&call, T *place, std::common_type_t<T> value) {
  if (CUresult bad = checkPlace(call, place))
    return bad;
  *place = value;
  return CUDA_SUCCESS;
}

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_DEVICE_H
