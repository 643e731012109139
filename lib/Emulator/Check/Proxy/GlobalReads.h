//===- GlobalReads.h - What bulk copies read of global memory ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of global memory by bulk copies, in ranges: one copy reads thousands of
// granules, and many blocks read the same ones, so that a set of readers for
// each granule would be dear. A range knows its last readers; writers of memory
// that ranges lie in ask for them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_PROXY_GLOBALREADS_H
#define TC_LIB_EMULATOR_CHECK_PROXY_GLOBALREADS_H

#include "Check/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace tc::emulator {

class GlobalReads {
public:
  /// Some copy reads the bytes from `begin` to before `end`. Readers for which
  /// `isGone` need not be known beside it.
  template <typename Predicate>
  void add(uint64_t begin, uint64_t end, Cell reader, Predicate isGone) {
    auto it = find(begin);
    // Mostly it is a range that was read before.
    if (it == ranges.end() || it->first != begin || it->second.end != end) {
      split(begin);
      split(end);
      it = ranges.lower_bound(begin);
    }
    for (uint64_t at = begin; at != end;) {
      if (it == ranges.end() || it->first > at) {
        uint64_t next = it == ranges.end() ? end : std::min(end, it->first);
        it = std::next(ranges.emplace_hint(it, at, Range{next, {reader}}));
        at = next;
        continue;
      }
      auto &readers = it->second.readers;
      llvm::erase_if(readers, isGone);
      if (readers.size() == mostReaders)
        readers.erase(readers.begin());
      readers.push_back(reader);
      at = it->second.end;
      ++it;
    }
  }
  bool meets(uint64_t begin, uint64_t end) const {
    auto it = ranges.lower_bound(end);
    return it != ranges.begin() && std::prev(it)->second.end > begin;
  }
  /// Calls `body(begin, end, readers)` for each range, in order.
  template <typename Body>
  void forRanges(uint64_t begin, uint64_t end, Body body) const {
    auto it = find(begin);
    for (; it != ranges.end() && it->first < end; ++it)
      if (it->second.end > begin)
        body(it->first, it->second.end,
             llvm::ArrayRef<Cell>(it->second.readers));
  }
  bool isEmpty() const { return ranges.empty(); }

private:
  /// More are not remembered, as in SideTable.h.
  static constexpr size_t mostReaders = 128;
  struct Range {
    uint64_t end;
    llvm::SmallVector<Cell, 2> readers; ///< the last one last
  };
  using Ranges = std::map<uint64_t, Range>; ///< by the first byte

  /// The last range that begins at `at` or before, else the first one.
  Ranges::const_iterator find(uint64_t at) const {
    auto it = ranges.upper_bound(at);
    return it == ranges.begin() ? it : std::prev(it);
  }
  Ranges::iterator find(uint64_t at) {
    auto it = ranges.upper_bound(at);
    return it == ranges.begin() ? it : std::prev(it);
  }
  /// Makes a range begin at `at` where one goes on there.
  void split(uint64_t at) {
    auto it = find(at);
    if (it == ranges.end() || it->first >= at || it->second.end <= at)
      return;
    ranges.emplace_hint(std::next(it), at, it->second);
    it->second.end = at;
  }

  Ranges ranges;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_PROXY_GLOBALREADS_H
