//===- CoreMatrices.h - What wgmma reads shared memory as -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each 16 bytes of shared memory, the core matrix that a product has read
// them as, and the swizzle of the tensor copy that brought them.
//
// Note [Core matrices]. A descriptor that contradicts the tile reads what was
// written, ordered and fenced, but at other places than meant: no access by
// itself is wrong. What is wrong shows in two of them. A tile is made of core
// matrices (Warp/Descriptor.h), and whoever reads it, along k or transposed, as
// a or as b, in one product or in many, reads the same ones. So two core
// matrices that were read since their bytes were written are the same, or have
// no byte in common; those of one operand of one product have none, unless an
// offset of 0 repeats them; and what a tensor copy has swizzled is read with
// that swizzle.
//
// Right kernels may break each of these: products over windows that are shifted
// by less than 8 rows, and tiles that global memory holds swizzled already. So
// what is found is a warning.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_PROXY_COREMATRICES_H
#define TC_LIB_EMULATOR_CHECK_PROXY_COREMATRICES_H

#include "Check/Cell.h"
#include "Warp/Descriptor.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace tc::emulator {

class CoreMatrices {
public:
  static constexpr unsigned rows = 8;

  /// How 16 bytes were read last. Each read of a stage writes all of its roles,
  /// so they are small.
  struct Role {
    Cell written = 0;    ///< what wrote them last, then
    uint32_t matrix = 0; ///< the number of the operand; 0: none has read them
    uint32_t core = 0;   ///< see makeCore
  };
  /// A core matrix: where it begins, before any swizzle, and the order of its
  /// pieces.
  static uint32_t makeCore(uint32_t start, const warpgroup::Descriptor &from) {
    return start << 1 | from.getOrder();
  }
  static uint32_t getStart(uint32_t core) { return core >> 1 & ~15u; }
  static uint32_t getRowBytes(uint32_t core) {
    return warpgroup::Descriptor::getSpan(core >> 3 & 3);
  }

  /// What has read an operand: the site, and a thread.
  struct Reader {
    uint32_t site, thread;
  };

  /// For so many bytes of shared memory of each of some blocks.
  CoreMatrices(uint64_t bytes, uint32_t blocks)
      : pieces((bytes + warpgroup::pieceBytes - 1) / warpgroup::pieceBytes),
        blocks(blocks) {}

  /// A block begins, with whatever runs along.
  void clear() {
    roles.clear();
    spans.clear();
    readers.clear();
  }
  /// The number of one more operand.
  uint32_t add(Reader reader) {
    if (roles.empty())
      roles.resize(pieces * blocks);
    readers.push_back(reader);
    return readers.size();
  }
  const Reader &getReader(uint32_t matrix) const { return readers[matrix - 1]; }
  /// Of the piece at `offset` of the shared memory of the block of that rank.
  Role &getRole(uint32_t rank, uint64_t offset) {
    return roles[rank * pieces + offset / warpgroup::pieceBytes];
  }

  /// The tensor copy at `site` writes so many bytes, with a swizzle of `span`
  /// bytes.
  void write(uint32_t rank, uint64_t offset, uint64_t bytes, uint32_t site,
             uint8_t span) {
    if (spans.empty())
      spans.resize(pieces * blocks);
    sites.insert(site);
    uint64_t first = rank * pieces + offset / warpgroup::pieceBytes;
    std::fill_n(spans.begin() + first, bytes / warpgroup::pieceBytes, span);
  }
  /// Whether a tensor copy wrote what a cell tells of; then, the swizzle.
  bool isOfBox(Cell written) const {
    uint32_t site = cell::getSite(written);
    return site != cell::lastSite && sites.contains(site);
  }
  uint8_t getSpan(uint32_t rank, uint64_t offset) const {
    return spans.empty()
               ? 0
               : spans[rank * pieces + offset / warpgroup::pieceBytes];
  }

private:
  uint64_t pieces;
  uint32_t blocks;
  std::vector<Role> roles;        ///< by rank and piece
  std::vector<uint8_t> spans;     ///< the same
  std::vector<Reader> readers;    ///< by operand
  llvm::DenseSet<uint32_t> sites; ///< of tensor copies
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_PROXY_COREMATRICES_H
