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

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORYIMPL_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORYIMPL_H

#include "tc/Emulator/Emulator.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace tc::emulator {

/// A stretch of memory that a kernel may access.
struct Region {
  uint64_t base = 0;
  uint64_t bytes = 0;
  bool contains(uint64_t address, uint64_t size) const {
    return address - base <= bytes && size <= bytes - (address - base);
  }
};

struct Memory::Impl {
  mutable std::mutex mutex;
  std::map<uint64_t, uint64_t> allocations; ///< address to size
  std::set<uint64_t> registered;            ///< those that the host owns
  size_t used = 0;

  /// The allocation that begins last at or below `address`, or the one after it
  /// if there is none below.
  std::optional<Region> findNearest(uint64_t address) const;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORYIMPL_H
