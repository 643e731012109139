//===- Lanes.h - Checks of many lanes at once -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fast path: loops over the cells of lanes that access consecutive
// addresses, compiled for what the host's vectors can do. Weak accesses only.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_LANES_H
#define TC_LIB_EMULATOR_CHECK_LANES_H

#include "Check/Cell.h"
#include "Runtime/WarpAccess.h"

namespace tc::emulator {

/// Consecutive lanes at consecutive addresses.
struct LaneCells {
  Cell *write, *read; ///< of the first lane
  uint32_t count;     ///< cells
  uint32_t shift;     ///< log2 of the cells of each lane
  Cell first;         ///< what the first lane leaves in its cells
};

/// What becomes of readers that are not ordered among each other.
enum class Readers : uint8_t {
  Nameless, ///< barriers of the whole block alone order: `many` says it all
  Named,    ///< all must be remembered: for the slow path
  Sampled,  ///< one of them is remembered, by the toss of a coin
};

struct LaneLoops {
  /// Whether every write is settled (`window.unwritten` instead of `free`);
  /// marks the cells as read. False: the lanes must be checked exactly, one by
  /// one. `salt` is what the coin depends on.
  bool (*read)(const LaneCells &, const cell::Window &window, Readers readers,
               uint64_t salt);
  /// The same where nothing was written.
  bool (*readOnly)(const LaneCells &, const cell::Window &window,
                   Readers readers, uint64_t salt);
  /// Whether all cells are settled, so that the lanes may write.
  bool (*mayWrite)(const LaneCells &, const cell::Window &window);
  void (*write)(const LaneCells &);
  LaneSteps (*compare)(const uint64_t *addresses, uint64_t bytes);
};

/// The loops for this host.
const LaneLoops &getLaneLoops();
/// The loops for any host.
const LaneLoops &getPlainLaneLoops();

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_LANES_H
