//===- MemoryImpl.h - The allocations of a device ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Memory keeps behind its public face.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYIMPL_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYIMPL_H

#include "Check/Shadow.h"
#include "tc/Emulator/Emulator.h"

#include <map>
#include <mutex>
#include <optional>

namespace tc::emulator {

/// A stretch of memory that a kernel may access.
struct Region {
  uint64_t base = 0;
  uint64_t bytes = 0;
  bool contains(uint64_t address, uint64_t size) const {
    return address - base <= bytes && size <= bytes - (address - base);
  }
};

/// Device memory, or the host's that was registered (`memory` is empty then).
struct Allocation {
  Region region;
  uint64_t order = 0;   ///< counts allocations from 1
  uint64_t freedAt = 0; ///< counts releases from 1
  Mapping memory;
  /// What the checks know of it. They run one launch at a time.
  mutable Shadow shadow;
};

struct Memory::Impl {
  mutable std::mutex mutex;
  std::map<uint64_t, Allocation> allocations; ///< by address
  /// Released ones, whose addresses are not used again; the oldest is forgotten
  /// when there are too many.
  std::map<uint64_t, Allocation> freed;
  std::map<uint64_t, Allocation> suspended; ///< those that may be revived
  size_t used = 0;
  uint64_t count = 0, freedEver = 0; ///< allocations ever made and released
  /// Where the clock of the checks goes on (Check/Order.h).
  mutable int64_t tick = 1;

  /// The allocation that begins last at or below `address`, or the one after it
  /// if there is none below.
  std::optional<Region> findNearest(uint64_t address) const;
  /// The allocation that `address` is in, or null. It stays until released.
  const Allocation *find(uint64_t address) const;
  /// The released allocation that `address` was in.
  std::optional<Region> findFreed(uint64_t address) const;
  void insert(Allocation allocation);
  /// Keeps the addresses of a released allocation.
  void quarantine(Allocation allocation);
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYIMPL_H
