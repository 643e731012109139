//===- SideTable.h - Accesses that no order relates -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses behind cells that one access does not describe: readers that are
// not ordered among each other, atomics, strong after weak ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_SIDETABLE_H
#define TC_LIB_EMULATOR_CHECK_SIDETABLE_H

#include "Check/Cell.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

namespace tc::emulator {

/// One access of some lanes of one warp.
struct Member {
  Cell cell;     ///< of its first lane
  uint32_t mask; ///< the lanes; 0: two threads of the block or more, unknown

  uint32_t getWarp() const { return cell::getThread(cell) & ~31u; }
  /// Leaves `lanes` alone, of which there is one at least.
  void restrict(uint32_t lanes) {
    constexpr int64_t laneBits = int64_t(31) << cell::threadShift;
    mask = lanes;
    cell = (cell & ~laneBits) | int64_t(llvm::countr_zero(lanes))
                                    << cell::threadShift;
  }
};
using Members = llvm::SmallVector<Member, 2>;

class SideTable {
public:
  /// The accesses that `*cell` stands for; none when it was never touched.
  Members get(const Cell *cell) const {
    Cell value = *cell;
    if (!value)
      return {};
    if (cell::isSet(value)) {
      auto found = sets.find(cell);
      if (found != sets.end() && found->second.first == value)
        return found->second.second;
    }
    if (cell::isMany(value))
      return {{value, 0}};
    return {{value, uint32_t(1) << (cell::getThread(value) & 31)}};
  }

  /// Makes `*cell` stand for `members`. Those of blocks that began before
  /// `block` tell its tick: it must not be settled by a barrier.
  void set(Cell *cell, Members members, Cell block) {
    if (members.size() > mostMembers)
      members.erase(members.begin());
    const Member *last = &members.back();
    if (members.size() == 1 && llvm::has_single_bit(last->mask)) {
      *cell = last->cell;
      return;
    }
    for (const Member &member : members)
      if (member.cell < block)
        last = &member;
      else if (last->cell >= block && member.cell > last->cell)
        last = &member;
    *cell = (last->cell & ~(int64_t(3) << cell::strengthShift)) |
            int64_t(cell::setStrength) << cell::strengthShift | cell::many;
    sets[cell] = {*cell, std::move(members)};
  }

  void clear() { sets.clear(); }

private:
  /// More are not remembered: only races with those that are forgotten, and
  /// with none of these, go unnoticed.
  static constexpr size_t mostMembers = 128;

  llvm::DenseMap<const Cell *, std::pair<Cell, Members>> sets;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_SIDETABLE_H
