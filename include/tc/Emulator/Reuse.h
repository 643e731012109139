//===- Reuse.h - What blocks touch together ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the memory that blocks touch grows with their number: seen at one block
// and its neighbours, taken to be the same everywhere and along each axis
// independent of the others. So it is where a block's indices choose a tile of
// an array, or do not matter to it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_REUSE_H
#define TC_EMULATOR_REUSE_H

#include "tc/Emulator/Blocks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::emulator {

/// A part of memory, as blocks of a box touch it. Amounts are in bytes or in
/// sectors.
struct Reuse {
  /// Along one axis of the box, n blocks in a row touch n - (n - 1) * shared
  /// times as much as one.
  struct Axis {
    double blocks = 1; ///< the axis' extent
    double length = 1; ///< the same, the last block by its share
    double shared = 0; ///< of what a block touches; from 0 to 1
  };

  double amount = 0; ///< that the base touches
  llvm::SmallVector<Axis, 6> axes;

  /// What `blocks` (at least 1) consecutive ones touch.
  double touchedBy(double blocks) const;
  /// What all touch.
  double touchedByAll() const;
  /// What has to be moved to all blocks where the same is moved once: to
  /// neighbours along an axis for which `isKept`, and else to those
  /// neighbours that are among `together` consecutive blocks. There are `most`
  /// in all, which is all that such a group can touch.
  double movedTo(double together, double most,
                 llvm::function_ref<bool(unsigned axis)> isKept) const;
};

/// What the base and its neighbours touch, to a Reuse: `next[a]` is that of the
/// neighbour along axis a, `both[a]` that of the two together.
Reuse makeReuse(const BlockBox &box, double base, llvm::ArrayRef<double> next,
                llvm::ArrayRef<double> both);

} // namespace tc::emulator

#endif // TC_EMULATOR_REUSE_H
