//===- Conflicts.h - Unordered uses of the same bytes -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was done to each byte of global memory last, by which work. New work is
// compared with that: two uses of a byte, one a write, whose work is not
// ordered (Precedence.h), are a race, whichever of them ran first.
//
// A use is forgotten when one that comes after it covers it: whatever conflicts
// with the former, and is not ordered after it, conflicts with the latter, too.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_STREAMS_CONFLICTS_H
#define TC_LIB_EMULATOR_CHECK_STREAMS_CONFLICTS_H

#include "Check/Streams/Precedence.h"
#include "Check/Streams/Usage.h"

#include <map>
#include <memory>

namespace tc::emulator {

/// Two uses of a byte that nothing orders. `first` ended first.
struct Conflict {
  struct Side {
    Ticket ticket;
    std::shared_ptr<const Usage> usage;
    Use use;
  };
  Side first, second;
  uint64_t address;
  uint64_t bytes; ///< so many from there on conflict in the same way
};

class Conflicts {
public:
  explicit Conflicts(Precedence &precedence) : precedence(precedence) {}

  /// The work of that ticket is done. Calls `found` for what it conflicts with.
  void add(Ticket ticket, std::shared_ptr<const Usage> usage,
           llvm::function_ref<void(const Conflict &)> found);
  /// The memory is no more: what comes there is new.
  void forget(uint64_t begin, uint64_t end);
  /// Forgets what comes before all that is to come.
  void prune();
  size_t countRanges() const { return pieces.size(); }

private:
  struct Piece {
    uint64_t end;
    llvm::SmallVector<Conflict::Side, 2> uses;
  };
  using Pieces = std::map<uint64_t, Piece>; ///< by the first byte

  void split(uint64_t at);
  void observe(Ticket ticket, const Usage &usage);
  void addRange(const Conflict::Side &side, const UsedRange &range,
                llvm::function_ref<void(const Conflict &)> found);
  void join(uint64_t begin, uint64_t end);

  Precedence &precedence;
  Pieces pieces;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_STREAMS_CONFLICTS_H
