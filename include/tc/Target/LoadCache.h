//===- LoadCache.h - Which loads L1 serves ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small model of L1, for loads of global memory: between two barriers a block
// loads each sector once, while what it loads lies in few enough lines. Warps
// of a block load side by side. Other blocks of the multiprocessor neither help
// nor disturb it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_LOADCACHE_H
#define TC_TARGET_LOADCACHE_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace mlir::tc {

class LoadCache {
public:
  /// Lines of 128 bytes, 32 KiB: a quarter of what the least L1 and shared
  /// memory have together since compute capability 8.0 (CUDA C++ Programming
  /// Guide 13.0, "unified data cache").
  static constexpr unsigned kLines = 256;

  /// A part of it: of one of several warps that load side by side.
  explicit LoadCache(unsigned capacity = kLines) : capacity(capacity) {}

  /// What of a request was not there.
  struct Missed {
    uint32_t sectors = 0;
    uint32_t lines = 0; ///< that such a sector is in
    uint64_t lastLine = ~uint64_t(0);
  };
  /// Loads the bytes [begin, end), begin < end, of a request whose parts come
  /// by rising address.
  void load(uint64_t begin, uint64_t end, Missed &missed) {
    for (uint64_t line = begin >> 7; line <= (end - 1) >> 7; ++line) {
      uint64_t start = line << 7;
      unsigned first = begin > start ? (begin - start) >> 5 : 0;
      unsigned last = end - start < 128 ? (end - start - 1) >> 5 : 3;
      uint32_t sectors = addLine(line, (2u << last) - (1u << first));
      missed.sectors += sectors;
      if (sectors && line != missed.lastLine) {
        ++missed.lines;
        missed.lastLine = line;
      }
    }
  }
  void clear() { lines.clear(); }

private:
  uint32_t addLine(uint64_t line, uint32_t sectors) {
    if (lines.size() == capacity && !lines.contains(line))
      lines.clear();
    uint8_t &there = lines[line];
    uint32_t missed = llvm::popcount(sectors & ~uint32_t(there));
    there |= sectors;
    return missed;
  }

  unsigned capacity;                       ///< lines
  llvm::DenseMap<uint64_t, uint8_t> lines; ///< the sectors of each, as bits
};

} // namespace mlir::tc

#endif // TC_TARGET_LOADCACHE_H
