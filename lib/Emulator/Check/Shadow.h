//===- Shadow.h - The cells of a stretch of memory --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of every granule and every byte of an allocation, a variable or
// a block's shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_SHADOW_H
#define TC_LIB_EMULATOR_CHECK_SHADOW_H

#include "Check/Cell.h"
#include "Check/Mapping.h"
#include "Check/Span.h"

#include <cstring>

namespace tc::emulator {

/// Shadows the `bytes` at `base`.
struct Shadow {
  uint64_t base = 0, bytes = 0;
  unsigned granule = 0; ///< log2 of its bytes
  Mapping writes, reads;
  int64_t written = 0; ///< the tick of the last write; 0: none
  /// A byte for every byte, not 0 once it was written. Without it, all were.
  Mapping initialized;
  Span span; ///< what was accessed since it was cleared

  bool contains(uint64_t address, uint64_t size) const {
    return address - base <= bytes && size <= bytes - (address - base);
  }
  uint64_t cellOf(uint64_t address) const {
    return (address >> granule) - (base >> granule);
  }
  Cell *write(uint64_t address) const {
    return reinterpret_cast<Cell *>(writes.get()) + cellOf(address);
  }
  Cell *read(uint64_t address) const {
    return reinterpret_cast<Cell *>(reads.get()) + cellOf(address);
  }
  uint8_t *init(uint64_t address) const {
    return reinterpret_cast<uint8_t *>(initialized.get()) + (address - base);
  }

  /// Makes the cells for granules of 2^`log2` bytes; false without memory.
  bool prepare(unsigned log2) {
    if (writes.get() && reads.get() && granule == log2)
      return true;
    uint64_t cells = ((base + bytes) >> log2) - (base >> log2) + 1;
    granule = log2;
    writes = Mapping(cells * sizeof(Cell));
    reads = Mapping(cells * sizeof(Cell));
    written = 0;
    return writes.get() && reads.get();
  }
  void forget() {
    writes = Mapping();
    reads = Mapping();
    written = 0;
  }
  /// Marks `size` bytes at `address`, which lie inside, as written.
  void markInitialized(uint64_t address, uint64_t size) {
    if (!initialized.get())
      return;
    if (size == bytes)
      initialized = Mapping();
    else
      std::memset(init(address), 1, size);
  }
  /// Drops the map once every byte is marked.
  void settle() {
    if (initialized.get() && !std::memchr(initialized.get(), 0, bytes))
      initialized = Mapping();
  }
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_SHADOW_H
