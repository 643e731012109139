//===- Precedence.h - Which work comes before which -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What streams and graphs are given to do, by ticket, and what of it is
// ordered: by a stream, an event, an edge of a graph, a wait of the host. Work
// that is not ordered may run at the same time.
//
// Each ticket has a vector clock. Its components are chains of tickets, each of
// which comes after the one before it; a ticket goes on with the chain of one
// that it follows where it can. So there are as many components as there is
// work that runs side by side, however many streams and nodes there were.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_STREAMS_PRECEDENCE_H
#define TC_LIB_EMULATOR_CHECK_STREAMS_PRECEDENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>

namespace tc::emulator {

/// A number of a piece of work, of which later ones have greater ones; 0: none.
using Ticket = uint64_t;

class Precedence {
public:
  /// `ticket` is new, and comes after those in `after` and after all that the
  /// host has waited for; and after all that those in `beside` come after, but
  /// not after these themselves.
  void add(Ticket ticket, llvm::ArrayRef<Ticket> after,
           llvm::ArrayRef<Ticket> beside = {});
  /// The host has waited for `ticket`: work that is new from now on comes after
  /// it.
  void await(Ticket ticket);
  /// `later` has seen what those in `earlier` did, which orders them, too.
  void observe(llvm::ArrayRef<Ticket> earlier, Ticket later);
  bool isBefore(Ticket earlier, Ticket later) const;
  /// Forgets what comes before all new work and all of the `unfinished`.
  void prune(llvm::ArrayRef<Ticket> unfinished);
  /// Whether a ticket was forgotten, or never added: it comes before all that
  /// was not.
  bool isPast(Ticket ticket) const { return !stamps.count(ticket); }
  bool isEmpty() const { return stamps.empty(); }

private:
  /// By chain: how many tickets of it are known to come before.
  using Clock = llvm::SmallVector<uint32_t, 4>;
  struct Stamp {
    uint32_t chain, position; ///< from 1
    Clock clock;              ///< itself included
    llvm::SmallVector<Ticket, 2> after, beside;

    /// What comes before it.
    Clock getBefore() const;
  };
  static bool raise(Clock &clock, const Clock &other);
  static bool holds(const Clock &clock, const Stamp &stamp) {
    return stamp.chain < clock.size() && stamp.position <= clock[stamp.chain];
  }
  uint32_t chooseChain(llvm::ArrayRef<Ticket> after, const Clock &clock) const;

  std::map<Ticket, Stamp> stamps;
  Clock host;    ///< what the host has waited for
  Clock lengths; ///< of the chains
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_STREAMS_PRECEDENCE_H
