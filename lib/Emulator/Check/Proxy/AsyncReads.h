//===- AsyncReads.h - What wgmma reads until when ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of shared memory by products of warpgroups. A product reads from its
// issue until one of its four warps has waited for it: until then nobody may
// write there, and afterwards whoever is ordered after such a wait. Each 16
// bytes know the last product of each warpgroup that reads them; of a product,
// when its warps waited.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_PROXY_ASYNCREADS_H
#define TC_LIB_EMULATOR_CHECK_PROXY_ASYNCREADS_H

#include "Check/Order.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tc::emulator {

class AsyncReads {
public:
  static constexpr unsigned warpsOfGroup = 4, pieceBytes = 16;

  struct Product {
    uint32_t site = 0;
    /// By warp, the tick of its wait; 0: it has not waited.
    std::array<Tick, warpsOfGroup> ends{};

    bool isInFlight() const { return ends == std::array<Tick, 4>{}; }
  };

  /// For blocks of `threads` and so many bytes of shared memory, of which some
  /// run together.
  AsyncReads(uint32_t threads, uint64_t bytes, uint32_t blocks)
      : groups((threads / 32 + warpsOfGroup - 1) / warpsOfGroup),
        pieces((bytes + pieceBytes - 1) / pieceBytes),
        products(groups * blocks) {}

  /// A block begins, with whatever runs along.
  void clear();
  bool isEmpty() const { return last.empty(); }
  /// A product, by its number in its group, reads the piece at `offset` of the
  /// shared memory of the block of that rank.
  void read(uint32_t rank, unsigned group, uint64_t number, uint32_t site,
            uint64_t offset);
  /// A warp has waited for it.
  void retire(uint32_t rank, unsigned group, uint64_t number, unsigned member,
              Tick now) {
    products[rank * groups + group][number].ends[member] = now;
  }
  /// Calls `body(group, product)` for the products whose reads `bytes` at
  /// `offset` overlap with, until it is false.
  template <typename Body>
  bool forReaders(uint32_t rank, uint64_t offset, uint64_t bytes,
                  Body body) const {
    for (uint64_t piece = offset / pieceBytes;
         piece <= (offset + bytes - 1) / pieceBytes && piece < pieces; ++piece)
      for (unsigned group = 0; group < groups; ++group)
        if (uint32_t number = last[getPlace(rank, piece, group)])
          if (!body(group, products[rank * groups + group][number - 1]))
            return false;
    return true;
  }

private:
  uint64_t getPlace(uint32_t rank, uint64_t piece, unsigned group) const {
    return (rank * pieces + piece) * groups + group;
  }

  unsigned groups;
  uint64_t pieces;
  std::vector<std::vector<Product>> products; ///< by rank and group
  /// By rank, piece and group: a product's number plus 1; empty before any.
  std::vector<uint32_t> last;
};

inline void AsyncReads::clear() {
  last.clear();
  for (std::vector<Product> &each : products)
    each.clear();
}

inline void AsyncReads::read(uint32_t rank, unsigned group, uint64_t number,
                             uint32_t site, uint64_t offset) {
  if (last.empty())
    last.resize(products.size() * pieces);
  std::vector<Product> &all = products[rank * groups + group];
  if (number >= all.size())
    all.resize(number + 1);
  all[number].site = site;
  last[getPlace(rank, offset / pieceBytes, group)] = uint32_t(number + 1);
}

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_PROXY_ASYNCREADS_H
