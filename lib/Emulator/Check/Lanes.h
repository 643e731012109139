//===- Lanes.h - Checks of many lanes at once -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fast path: loops over the cells of lanes, compiled for what the host's
// vectors can do. Weak accesses only.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_LANES_H
#define TC_LIB_EMULATOR_CHECK_LANES_H

#include "Check/Cell.h"
#include "Runtime/Memory/WarpAccess.h"

namespace tc::emulator {

/// Cells one after the other.
struct Stretch {
  uint64_t first; ///< counted from the first one of the access
  uint32_t count;
};

/// The cells that lanes of one warp access, each once.
struct LaneCells {
  Cell *write, *read; ///< the first ones
  llvm::ArrayRef<Stretch> stretches;
  /// What each cell is to hold beyond `first`: the lane as a thread, perhaps a
  /// site, and `many` where several lanes access it. Stretch after stretch.
  const uint32_t *owners;
  Cell first; ///< of lane 0
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
  /// Whether all lanes are as far from the first one in `a` as in `b`.
  bool (*matches)(const uint64_t *a, const uint64_t *b);
};

/// The loops for this host.
const LaneLoops &getLaneLoops();
/// The loops for any host.
const LaneLoops &getPlainLaneLoops();

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_LANES_H
