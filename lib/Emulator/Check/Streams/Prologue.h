//===- Prologue.h - What a launch does before it waits ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch with programmatic stream serialization may begin before the launches
// before it have ended. What a thread does until griddepcontrol.wait is not
// ordered after them (PTX ISA, section 9.7.13.13), unless causality orders it
// after the wait of another thread. Such accesses are kept here, each with its
// cell, as the shadows keep the last one of each byte alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_STREAMS_PROLOGUE_H
#define TC_LIB_EMULATOR_CHECK_STREAMS_PROLOGUE_H

#include "Check/Order.h"
#include "Check/Streams/Usage.h"

#include "llvm/ADT/BitVector.h"

namespace tc::emulator {

class Prologue {
public:
  /// Of a launch whose blocks, or clusters, have so many threads.
  explicit Prologue(uint32_t threads) : past(threads) {}

  void beginBlock();
  void endBlock();
  /// Lanes of the warp that begins at thread `first` return from a wait; and
  /// let the launches that depend on this one begin.
  void wait(uint32_t first, uint32_t lanes, Order &order);
  void trigger(uint32_t first, uint32_t lanes, const Order &order);
  /// `count` threads from that of the cell on use `bytes` each, one after the
  /// other from `address` on, or all of them the same.
  void access(Cell first, uint32_t count, bool isSame, uint64_t address,
              uint64_t bytes, Use use, const Order &order);

  /// Whether all threads of the block come after one that has waited.
  bool isOver(const Order &order);
  /// Whether any thread has waited.
  bool hasWaited() const { return !waits.empty(); }
  /// Whether no block let others begin before it had waited.
  bool triggersAfterWait() const { return hasWaited() && isPatient; }
  /// Gives the accesses to the usage.
  void fill(Usage &usage) const;

private:
  struct Wait {
    Tick tick;
    uint32_t first, lanes;
  };
  struct Access {
    uint64_t begin, end;
    Use use;
    Cell cell;
    bool operator<(const Access &other) const;
    bool isLike(const Access &other) const;
  };
  bool isPast(uint32_t thread, const Order &order);
  bool isAfter(const Wait &wait, uint32_t thread, const Order &order) const;
  void compress();

  std::vector<Wait> waits; ///< of all blocks so far
  size_t ownWaits = 0;     ///< where those of this block begin
  bool areAllPast = false; ///< all threads of this block
  llvm::BitVector past;    ///< threads of this block that are known to be
  bool hasTriggered = false;
  bool isPatient = true;
  std::vector<Access> accesses;
  size_t limit = 4096; ///< so many make it look for those that are alike
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_STREAMS_PROLOGUE_H
