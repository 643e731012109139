//===- Memory.h - Memory of the emulated driver -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What allocations, pools and copies share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_MEMORY_MEMORY_H
#define TC_LIB_EMULATOR_DRIVER_MEMORY_MEMORY_H

#include "Device.h"

#include <algorithm>
#include <optional>

namespace tc::emulator::driver {

/// Allocates in the call's context, and counts it in `pool` unless null.
CUresult allocateDevice(Call &call, CUdeviceptr *address, size_t bytes,
                        Owner owner, CUmemoryPool pool = nullptr);

/// Counts an allocation of a pool, or its end. Null and dead pools count
/// nothing.
void count(State &state, CUmemoryPool pool, size_t bytes, bool isFreed);

/// What one end of a copy must be.
enum class Side {
  Device, ///< inside one allocation
  Host,   ///< not null
  Either  ///< inside one allocation if it begins in one, else host memory
};

/// One end of a copy.
struct End {
  uintptr_t address;
  Side side;
};

inline End onDevice(CUdeviceptr address) {
  return {static_cast<uintptr_t>(address), Side::Device};
}
inline End onEither(CUdeviceptr address) {
  return {static_cast<uintptr_t>(address), Side::Either};
}
inline End onHost(const void *address) {
  return {reinterpret_cast<uintptr_t>(address), Side::Host};
}

/// The bytes from an address to the end of its allocation, which a node of a
/// graph may make later; nothing for one that the driver does not know.
std::optional<size_t> countKnown(State &state, uintptr_t address);

/// Checks that `bytes` (>= 1) may be touched at one end.
CUresult checkEnd(const Call &call, End end, size_t bytes);

/// Of a call that copies or fills: the stream of an asynchronous one. None: it
/// is done in the default stream.
using MaybeStream = std::optional<CUstream>;

/// Whether kernels could access all these bytes now.
bool isThere(State &state, uintptr_t address, size_t bytes);

/// Copies or fills in the stream that was entered, or in the graph that it is
/// captured in. Waits for it as CUDA says (Driver API, API synchronization
/// behavior): if an end is memory of the host that the driver does not know, or
/// the call is synchronous and not all ends are of the device alone.
CUresult doInOrder(Call &call, MaybeStream stream, llvm::ArrayRef<End> ends,
                   Step step);

/// A copy of rows, or of one.
CUresult copyRows(const char *name, const CUDA_MEMCPY3D &copy,
                  MaybeStream stream);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_MEMORY_MEMORY_H
