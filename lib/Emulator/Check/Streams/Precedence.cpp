//===- Precedence.cpp - Which work comes before which ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over chains; see Precedence.h.
//
//===----------------------------------------------------------------------===//

#include "Check/Streams/Precedence.h"

#include <algorithm>

namespace tc::emulator {

/// Makes `clock` know what `other` knows, too. True if it did not.
bool Precedence::raise(Clock &clock, const Clock &other) {
  bool isNew = false;
  if (clock.size() < other.size())
    clock.resize(other.size());
  for (size_t i = 0; i != other.size(); ++i) {
    isNew |= clock[i] < other[i];
    clock[i] = std::max(clock[i], other[i]);
  }
  return isNew;
}

/// A chain whose last ticket is known to come before, or a new one. That of a
/// predecessor is best: then the clocks of streams stay apart.
uint32_t Precedence::chooseChain(llvm::ArrayRef<Ticket> after,
                                 const Clock &clock) const {
  for (Ticket ticket : after) {
    auto found = stamps.find(ticket);
    if (found != stamps.end() &&
        found->second.position == lengths[found->second.chain])
      return found->second.chain;
  }
  for (uint32_t chain = 0; chain != lengths.size(); ++chain)
    if (chain < clock.size() && clock[chain] == lengths[chain])
      return chain;
  return lengths.size();
}

/// The ticket before it in its chain does, too.
Precedence::Clock Precedence::Stamp::getBefore() const {
  Clock before = clock;
  --before[chain];
  return before;
}

void Precedence::add(Ticket ticket, llvm::ArrayRef<Ticket> after,
                     llvm::ArrayRef<Ticket> beside) {
  Clock clock = host;
  Stamp stamp;
  for (Ticket other : after) {
    auto found = stamps.find(other);
    if (found == stamps.end())
      continue;
    raise(clock, found->second.clock);
    stamp.after.push_back(other);
  }
  for (Ticket other : beside) {
    auto found = stamps.find(other);
    if (found == stamps.end())
      continue;
    raise(clock, found->second.getBefore());
    stamp.beside.push_back(other);
  }
  stamp.chain = chooseChain(stamp.after, clock);
  if (stamp.chain == lengths.size())
    lengths.push_back(0);
  stamp.position = ++lengths[stamp.chain];
  if (clock.size() <= stamp.chain)
    clock.resize(stamp.chain + 1);
  clock[stamp.chain] = stamp.position;
  stamp.clock = std::move(clock);
  stamps[ticket] = std::move(stamp);
}

void Precedence::await(Ticket ticket) {
  auto found = stamps.find(ticket);
  if (found != stamps.end())
    raise(host, found->second.clock);
}

/// What was added after `later` learns of it, too. That is rare.
void Precedence::observe(llvm::ArrayRef<Ticket> earlier, Ticket later) {
  auto to = stamps.find(later);
  if (to == stamps.end())
    return;
  to->second.after.append(earlier.begin(), earlier.end());
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (auto &[ticket, stamp] : stamps) {
      for (Ticket other : stamp.after)
        if (auto found = stamps.find(other); found != stamps.end())
          goesOn |= raise(stamp.clock, found->second.clock);
      for (Ticket other : stamp.beside)
        if (auto found = stamps.find(other); found != stamps.end())
          goesOn |= raise(stamp.clock, found->second.getBefore());
    }
  }
}

bool Precedence::isBefore(Ticket earlier, Ticket later) const {
  auto from = stamps.find(earlier), to = stamps.find(later);
  if (from == stamps.end() || to == stamps.end())
    return from == stamps.end();
  return earlier != later && holds(to->second.clock, from->second);
}

void Precedence::prune(llvm::ArrayRef<Ticket> unfinished) {
  Clock known = host;
  for (Ticket ticket : unfinished) {
    auto found = stamps.find(ticket);
    if (found == stamps.end())
      continue;
    const Stamp &stamp = found->second;
    for (uint32_t chain = 0; chain != known.size(); ++chain) {
      uint32_t before = chain < stamp.clock.size() ? stamp.clock[chain] : 0;
      // It does not come before itself.
      known[chain] = std::min(known[chain], before - (chain == stamp.chain));
    }
  }
  for (auto it = stamps.begin(); it != stamps.end();)
    it = holds(known, it->second) ? stamps.erase(it) : std::next(it);
}

} // namespace tc::emulator
