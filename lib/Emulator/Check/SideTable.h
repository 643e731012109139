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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

namespace tc::emulator {

/// One access of some lanes of one warp.
struct Member {
  Cell cell;     ///< of its first lane
  uint32_t mask; ///< the lanes; 0: two threads of the block or more, unknown

  uint32_t getWarp() const { return cell::getThread(cell) & ~31u; }
  /// Leaves `lanes` alone, of which there is one at least.
  void keepLanes(uint32_t lanes) {
    constexpr int64_t laneBits = int64_t(31) << cell::threadShift;
    mask = lanes;
    cell = (cell & ~laneBits) | int64_t(llvm::countr_zero(lanes))
                                    << cell::threadShift;
  }
};
class SideTable {
public:
  /// The accesses that `*cell` stands for; none when it was never touched.
  /// They are valid until the next change.
  llvm::ArrayRef<Member> get(const Cell *cell) const {
    Cell value = *cell;
    if (!value)
      return {};
    if (const Entry *entry = find(cell))
      return entry->members;
    scratch = {value, cell::isMany(value)
                          ? 0
                          : uint32_t(1) << (cell::getThread(value) & 31)};
    return scratch;
  }

  /// Drops members for which `isGone` (which may change them), adds one, and
  /// makes `*cell` stand for what is left. Those of blocks that began before
  /// `block` tell its tick: it must not be settled by a barrier.
  template <typename Predicate>
  void update(Cell *cell, const Member &added, Cell block, Predicate isGone) {
    Entry *entry = find(cell);
    Member single[2] = {added, added};
    unsigned count = 1;
    if (!entry && *cell) {
      single[0] = get(cell)[0];
      if (!isGone(single[0]))
        count = 2;
      else
        single[0] = added;
    }
    if (entry)
      llvm::erase_if(entry->members, isGone);
    if (!entry && (count == 2 && join(single[0], added)))
      count = 1;
    bool isOne = llvm::has_single_bit(single[0].mask);
    if (entry ? entry->members.empty() && llvm::has_single_bit(added.mask)
              : count == 1 && isOne) {
      *cell = entry ? added.cell : single[0].cell;
      return;
    }
    if (!entry) {
      entry = &entries[cell];
      entry->members.assign(single, single + count);
    } else if (entry->members.empty() || !join(entry->members.back(), added)) {
      if (entry->members.size() == mostMembers)
        entry->members.erase(entry->members.begin());
      entry->members.push_back(added);
    }
    entry->cell = *cell = getCell(entry->members, block);
  }

private:
  /// More are not remembered: only races with those that are forgotten, and
  /// with none of these, go unnoticed.
  static constexpr size_t mostMembers = 128;

  struct Entry {
    Cell cell = 0; ///< what it is the set of
    llvm::SmallVector<Member, 4> members;
  };

  const Entry *find(const Cell *cell) const {
    if (!cell::isSet(*cell))
      return nullptr;
    auto found = entries.find(cell);
    bool isValid = found != entries.end() && found->second.cell == *cell;
    return isValid ? &found->second : nullptr;
  }
  Entry *find(Cell *cell) {
    return const_cast<Entry *>(std::as_const(*this).find(cell));
  }

  /// Puts lanes that did the same in the same warp into `member`.
  static bool join(Member &member, const Member &added) {
    constexpr int64_t laneBits = int64_t(31) << cell::threadShift;
    if (!member.mask || (member.cell | laneBits) != (added.cell | laneBits))
      return false;
    member.keepLanes(member.mask | added.mask);
    return true;
  }

  static Cell getCell(llvm::ArrayRef<Member> members, Cell block) {
    Cell shown = members.back().cell;
    for (const Member &member : members)
      if (member.cell < block || (shown >= block && member.cell > shown))
        shown = member.cell;
    return (shown & ~(int64_t(3) << cell::strengthShift)) |
           int64_t(cell::setStrength) << cell::strengthShift | cell::many;
  }

  llvm::DenseMap<const Cell *, Entry> entries;
  mutable Member scratch{};
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_SIDETABLE_H
