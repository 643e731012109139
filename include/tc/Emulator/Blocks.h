//===- Blocks.h - The blocks of a grid, and which stand for all -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A producer of kernels may number the blocks of one axis of the grid along
// several axes of its own. Told of these, the counters know which blocks do the
// same and which lie side by side.
//
// The blocks that stand for others are those next to the far corner: the base,
// at the last but one index of every axis, and those that differ from it by
// being at the last index of some.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_BLOCKS_H
#define TC_EMULATOR_BLOCKS_H

#include "tc/Emulator/Report.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tc::emulator {

/// Blocks by linear id (CUDA's: x fastest) as the places of a box.
struct BlockBox {
  struct Axis {
    uint64_t extent = 1;
    /// The blocks at the last index do as much as the others.
    bool isEven = false;

    bool operator==(const Axis &other) const {
      return extent == other.extent && isEven == other.isEven;
    }
  };
  llvm::SmallVector<Axis, 6> axes; ///< the fastest first; at most 32

  bool operator==(const BlockBox &other) const { return axes == other.axes; }

  /// The axes of a grid.
  static BlockBox of(Dim3 grid);

  uint64_t count() const;
  /// Blocks alike have one class: bit a says that the block is at the last
  /// index of axis a, where that is neither even nor the only index.
  uint32_t classOf(uint64_t block) const;
  /// How many blocks are of that class.
  uint64_t countOf(uint32_t blockClass) const;
  /// The base, but at the last index of the axes that the class names.
  uint64_t getRepresentative(uint32_t blockClass) const;
  /// The base.
  uint64_t getBase() const;
  /// The block after the base along an axis; nothing where it has extent 1.
  std::optional<uint64_t> findNext(unsigned axis) const;
};

/// Blocks that stand for the whole grid, sorted: all when `count` is enough.
/// Else the base, the blocks next to it, one of every class, and some from
/// anywhere, by `seed`. More than `count` where these are more.
std::vector<uint64_t> chooseBlocks(const BlockBox &box, uint64_t count,
                                   uint64_t seed);

/// The same for a grid of which no more is known: all its corners, some blocks
/// on the faces and some from anywhere; if it `isCounted`, also those that
/// stand for a box of the same axes.
std::vector<uint64_t> chooseBlocks(Dim3 grid, uint64_t count, uint64_t seed,
                                   bool isCounted);

} // namespace tc::emulator

#endif // TC_EMULATOR_BLOCKS_H
