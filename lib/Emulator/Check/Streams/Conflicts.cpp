//===- Conflicts.cpp - Unordered uses of the same bytes -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map of ranges, each with the uses that are to be compared with; see
// Conflicts.h.
//
//===----------------------------------------------------------------------===//

#include "Check/Streams/Conflicts.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

/// Makes a range begin at `at` where one goes on there.
void Conflicts::split(uint64_t at) {
  auto after = pieces.upper_bound(at);
  if (after == pieces.begin())
    return;
  auto &[begin, piece] = *std::prev(after);
  if (begin == at || piece.end <= at)
    return;
  pieces.emplace_hint(after, at, piece);
  piece.end = at;
}

/// Kernels that run side by side may order themselves by strong accesses, as
/// the blocks of one kernel do: one that acquires what another released comes
/// after it.
void Conflicts::observe(Ticket ticket, const Usage &usage) {
  if (!usage.acquires)
    return;
  for (const UsedRange &range : usage.getRanges()) {
    if (!range.use.isStrong)
      continue;
    split(range.begin);
    for (auto it = pieces.lower_bound(range.begin);
         it != pieces.end() && it->first < range.end; ++it)
      for (const Conflict::Side &side : it->second.uses)
        if (side.use.isStrong && side.use.isWrite && side.usage->releases &&
            side.ticket != ticket && !precedence.isBefore(side.ticket, ticket))
          precedence.observe({side.ticket}, ticket);
  }
}

void Conflicts::addRange(const Conflict::Side &side, const UsedRange &range,
                         llvm::function_ref<void(const Conflict &)> found) {
  split(range.begin);
  split(range.end);
  auto it = pieces.lower_bound(range.begin);
  for (uint64_t at = range.begin; at != range.end;) {
    uint64_t next = it == pieces.end() ? range.end : it->first;
    if (at < next) {
      next = std::min(next, range.end);
      pieces.emplace_hint(it, at, Piece{next, {side}});
      at = next;
      continue;
    }
    Piece &piece = it->second;
    llvm::erase_if(piece.uses, [&](const Conflict::Side &other) {
      bool isOwn = other.ticket == side.ticket;
      bool isOrdered = isOwn || precedence.isBefore(other.ticket, side.ticket);
      if (!isOrdered && other.use.conflictsWith(side.use))
        found({other, side, at, piece.end - at});
      return isOrdered && side.use.covers(other.use);
    });
    // What it does otherwise may cover this.
    if (llvm::none_of(piece.uses, [&](const Conflict::Side &other) {
          return other.ticket == side.ticket && other.use.covers(side.use);
        }))
      piece.uses.push_back(side);
    at = piece.end;
    ++it;
  }
}

/// Joins neighbours that are used alike, from the range before `begin` to the
/// one at `end`.
void Conflicts::join(uint64_t begin, uint64_t end) {
  auto isSame = [](const Conflict::Side &a, const Conflict::Side &b) {
    return a.ticket == b.ticket && a.use == b.use;
  };
  auto it = pieces.lower_bound(begin);
  if (it != pieces.begin())
    --it;
  while (it != pieces.end() && it->first <= end) {
    auto next = std::next(it);
    if (next == pieces.end() || next->first > end)
      return;
    const auto &a = it->second.uses, &b = next->second.uses;
    if (it->second.end == next->first && a.size() == b.size() &&
        std::equal(a.begin(), a.end(), b.begin(), isSame)) {
      it->second.end = next->second.end;
      pieces.erase(next);
    } else {
      it = next;
    }
  }
}

void Conflicts::add(Ticket ticket, std::shared_ptr<const Usage> usage,
                    llvm::function_ref<void(const Conflict &)> found) {
  observe(ticket, *usage);
  for (const UsedRange &range : usage->getRanges()) {
    addRange({ticket, usage, range.use}, range, found);
    join(range.begin, range.end);
  }
}

void Conflicts::forget(uint64_t begin, uint64_t end) {
  split(begin);
  split(end);
  pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
}

void Conflicts::prune() {
  if (precedence.isEmpty())
    return pieces.clear();
  for (auto it = pieces.begin(); it != pieces.end();) {
    llvm::erase_if(it->second.uses, [&](const Conflict::Side &side) {
      return precedence.isPast(side.ticket);
    });
    it = it->second.uses.empty() ? pieces.erase(it) : std::next(it);
  }
}

} // namespace tc::emulator
