//===- Cell.h - Who touched a granule last ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each granule of shared and global memory has two shadow cells: one for who
// wrote it last, one for who read it last. A cell is one signed 64-bit number:
//
//   62..31  tick     when, on the clock of Order.h; 0: never
//   30..17  thread   linear index in its block, or cluster
//   16..3   site     index among the kernel's sites
//    2..1   strength 0 weak, 1 strong in its block, 2 strong in the device
//    0      many     several threads, unordered among each other
//
// The tick is on top, so "earlier than tick T" is `cell < T << 31`. Blocks run
// one after the other on one clock that never goes back: the tick tells the
// block as well, and no shadow needs to be cleared between blocks or launches.
//
// The fast path of every check is `isSettled`, a few integer operations. It
// holds for a cell whose access is known to be ordered before the present one:
// by an earlier launch, by a barrier of the whole block, or by program order.
// Everything else is for the exact slow path (Checker.cpp).
//
// With `many` the cell stands for a set. Strength 3: the set is in a side
// table. Any other strength: nobody knows who is in it, but they are two
// threads at least, all of that strength, and no more ordered than the one in
// the cell is. That is enough when barriers of the whole block are the only
// synchronisation of the kernel.
//
// A granule that an asynchronous copy is about to write has the last tick of
// all and `many`, so that it is never settled.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_CELL_H
#define TC_LIB_EMULATOR_CHECK_CELL_H

#include <algorithm>
#include <cstdint>

namespace tc::emulator {

using Cell = int64_t;

namespace cell {

constexpr unsigned strengthShift = 1, siteShift = 3, threadShift = 17,
                   tickShift = 31;
constexpr int64_t many = 1;
constexpr int64_t lastTick = (int64_t(1) << 32) - 1;
/// Sites from here on share one index.
constexpr uint32_t lastSite = (1 << 14) - 1;
/// Threads of a cluster: 16 blocks of 1024.
constexpr uint32_t threadMask = (1 << 14) - 1;
/// What tells an access of one's own: the thread, and not `many`.
constexpr int64_t ownMask = int64_t(threadMask) << threadShift | many;
constexpr int64_t strengthMask = int64_t(3) << strengthShift;
/// The strength of a cell that has a set in the side table.
constexpr unsigned setStrength = 3;

constexpr Cell start(int64_t tick) { return tick << tickShift; }

constexpr Cell make(int64_t tick, uint32_t thread, uint32_t site,
                    unsigned strength) {
  return start(tick) | int64_t(thread) << threadShift |
         int64_t(std::min(site, lastSite)) << siteShift |
         int64_t(strength) << strengthShift;
}

constexpr int64_t getTick(Cell cell) { return cell >> tickShift; }
constexpr uint32_t getThread(Cell cell) {
  return cell >> threadShift & threadMask;
}
constexpr uint32_t getSite(Cell cell) { return cell >> siteShift & lastSite; }
constexpr unsigned getStrength(Cell cell) { return cell >> strengthShift & 3; }
constexpr bool isMany(Cell cell) { return cell & many; }
constexpr bool isInFlight(Cell cell) { return getTick(cell) == lastTick; }
constexpr bool isSet(Cell cell) {
  return isMany(cell) && getStrength(cell) == setStrength && !isInFlight(cell);
}

/// Which cells of a space are settled for the running block.
struct Window {
  Cell free;  ///< below: of no consequence
  Cell block; ///< below: of another block of this launch
  Cell base;  ///< below: before the last barrier of the whole block
  /// `free` for what a read finds written: 0 where it must find something.
  Cell unwritten;
};

/// Whether the access in `cell` is ordered before one by the thread in `own`,
/// any cell of that thread; with `many`, before one by several threads.
constexpr bool isSettled(Cell cell, Cell own, const Window &window) {
  return (cell < window.free) |
         ((cell >= window.block) &
          ((cell < window.base) |
           ((((cell ^ own) & ownMask) | (own & many)) == 0)));
}

} // namespace cell

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_CELL_H
