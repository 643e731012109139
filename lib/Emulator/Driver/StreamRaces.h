//===- StreamRaces.h - Races between what streams do ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, copies, fills, allocations and frees that touch the same bytes and
// are ordered by no stream, event, edge of a graph or wait of the host. It is
// about the order that the program asks for, not about the one in which the
// emulator happens to run things.
//
// Nothing is kept until there can be work that is not ordered: until the
// program makes a stream, uses the stream of a thread, or launches a graph.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_STREAMRACES_H
#define TC_LIB_EMULATOR_DRIVER_STREAMRACES_H

#include "Check/Streams/Conflicts.h"
#include "Queue.h"

#include "tc/Emulator/Session.h"

#include <set>

namespace tc::emulator::driver {

struct CopyStep;
struct FillStep;

class StreamRaces {
public:
  explicit StreamRaces(const Settings &settings) : settings(settings) {}

  /// Work may be unordered from now on.
  void begin() { isBegun = true; }
  /// Whether launches are to tell what they did.
  bool isOn() const {
    return isBegun && settings.launch.checks.has(Checks::Streams);
  }

  /// Work is given to a lane, and comes after these tickets, too.
  void submit(Ticket ticket, const Lane &lane, llvm::ArrayRef<Ticket> after);
  /// It begins, and ends.
  void noteBegin(Ticket ticket);
  void noteEnd(Ticket ticket);
  /// The host has waited: for work, for a stream, for a context.
  void await(Ticket ticket, const Queue &queue);
  void awaitLane(const Lane &lane, const Queue &queue);
  void awaitContext(CUcontext context, const Queue &queue);

  // The work of a turn is done: what it did.
  void tell(const Turn &turn, std::shared_ptr<Usage> launch);
  void tell(const Turn &turn, const CopyStep &step);
  void tell(const Turn &turn, const FillStep &step);
  void tellAllocated(const Turn &turn, uintptr_t address, size_t bytes);
  /// Just before it is.
  void tellFreed(const Turn &turn, uintptr_t address, size_t bytes);
  /// Memory was freed when everything was done.
  void forget(uintptr_t address, size_t bytes) {
    conflicts.forget(address, address + bytes);
  }

private:
  void add(const Turn &turn, std::shared_ptr<Usage> usage);
  void report(State &state, const Conflict &conflict);
  void prune(const Queue &queue);

  const Settings &settings;
  bool isBegun = false;
  Precedence precedence;
  Conflicts conflicts{precedence};
  std::vector<std::pair<Lane, Ticket>> last; ///< of each stream
  /// When work began and ended, by a clock of its own; 0: not yet.
  struct Span {
    uint64_t begun = 0, ended = 0;
  };
  std::map<Ticket, Span> spans;
  uint64_t now = 0;
  size_t prunedRanges = 0; ///< left by the last look at all ranges
  /// What was told of: both sides, each with its line and what it does.
  std::set<std::string> known;
};

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_STREAMRACES_H
