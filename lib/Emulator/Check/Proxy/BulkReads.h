//===- BulkReads.h - What bulk copies read until when -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of shared memory by bulk copies. A copy reads from its issue until its
// thread has waited for its group, or somebody has seen the end of the phase
// that it ends on: until then nobody may write there, and afterwards whoever is
// ordered after that. Each 16 bytes know the last copy that reads them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_PROXY_BULKREADS_H
#define TC_LIB_EMULATOR_CHECK_PROXY_BULKREADS_H

#include "Check/Order.h"

#include <cstdint>
#include <vector>

namespace tc::emulator {

class BulkReads {
public:
  static constexpr unsigned pieceBytes = 16;

  struct Read {
    uint32_t site = 0;
    uint32_t issuer = 0; ///< the thread
    uint32_t actor = 0;  ///< who ended it, as the order knows them
    Tick end = 0;        ///< when; 0: it is in flight
  };

  /// For so many bytes of shared memory of each of some blocks.
  BulkReads(uint64_t bytes, uint32_t blocks)
      : pieces((bytes + pieceBytes - 1) / pieceBytes), blocks(blocks) {}

  /// A block begins, with whatever runs along.
  void clear() {
    last.clear();
    reads.clear();
  }
  bool isEmpty() const { return reads.empty(); }

  /// A copy reads `bytes` at `offset` of the shared memory of the block of that
  /// rank. Gives its number.
  uint64_t add(uint32_t rank, uint64_t offset, uint64_t bytes, uint32_t site,
               uint32_t issuer) {
    if (last.empty())
      last.resize(pieces * blocks);
    reads.push_back({site, issuer});
    for (uint64_t piece = offset / pieceBytes;
         piece * pieceBytes < offset + bytes && piece < pieces; ++piece)
      last[rank * pieces + piece] = uint32_t(reads.size());
    return reads.size() - 1;
  }
  void end(uint64_t number, uint32_t actor, Tick now) {
    if (number >= reads.size())
      return;
    reads[number].actor = actor;
    reads[number].end = now;
  }
  /// Calls `body(read)` for the reads that `bytes` at `offset` overlap with,
  /// until it is false.
  template <typename Body>
  bool forReaders(uint32_t rank, uint64_t offset, uint64_t bytes,
                  Body body) const {
    uint32_t seen = 0;
    for (uint64_t piece = offset / pieceBytes;
         piece * pieceBytes < offset + bytes && piece < pieces; ++piece) {
      uint32_t number = last[rank * pieces + piece];
      if (number && number != seen && !body(reads[number - 1]))
        return false;
      seen = number;
    }
    return true;
  }

private:
  uint64_t pieces;
  uint32_t blocks;
  std::vector<Read> reads;
  std::vector<uint32_t> last; ///< by rank and piece: a number plus 1, or 0
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_PROXY_BULKREADS_H
