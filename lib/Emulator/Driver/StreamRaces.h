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

  /// Work is given to a lane, and comes after other tickets, too.
  void submit(Ticket ticket, const Lane &lane,
              const Dependencies &dependencies);
  /// The launch that one with programmatic stream serialization need not wait
  /// for to begin, if it is given to the lane now; 0: it waits for all.
  Ticket getLaunchBefore(const Lane &lane);
  /// Whether the launch may begin before others have ended.
  bool isProgrammatic(Ticket ticket) const {
    return programmatic.count(ticket) != 0;
  }
  /// The later one comes after the earlier one, too.
  void join(Ticket earlier, Ticket later) {
    precedence.observe(earlier, later);
  }
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
  /// By what `name` says.
  void tell(const Turn &turn, llvm::StringRef name, uintptr_t address,
            size_t bytes, bool isWrite);
  void tellAllocated(const Turn &turn, uintptr_t address, size_t bytes);
  /// Just before it is.
  void tellFreed(const Turn &turn, uintptr_t address, size_t bytes);
  /// Memory was freed when everything was done.
  void forget(uintptr_t address, size_t bytes) {
    conflicts.forget(address, address + bytes);
  }

private:
  /// A launch that may begin before others have ended. Its own ticket is that
  /// of its end, and of what its threads do once they have waited.
  struct Programmatic {
    Ticket start;                   ///< of what they do until then
    std::vector<Ticket> before;     ///< launches that it waits for
    std::vector<Ticket> begun;      ///< those that need only have begun
    std::vector<Ticket> later = {}; ///< that wait for it, given before its end
    bool hasEnded = false;
    bool hasWaited = false; ///< so its end says that the others have ended
    bool triggersAfterWait = false; ///< and so does the start of a later one
  };
  /// The last work of a stream.
  struct End {
    Lane lane;
    std::vector<Ticket> tickets;
    Ticket launch = 0; ///< with which nothing but records have been since
  };
  End *findEnd(const Lane &lane);
  void submitProgrammatic(Ticket ticket, llvm::ArrayRef<Ticket> after,
                          const Dependencies &dependencies);
  std::vector<Ticket> getEnds(const Programmatic &launch) const;
  void settle(Ticket ticket, const Usage &usage);
  bool leadsTo(Ticket later, Ticket earlier) const;
  void add(const Turn &turn, Ticket ticket, std::shared_ptr<Usage> usage);
  std::string advise(const Conflict &conflict) const;
  void report(State &state, const Conflict &conflict);
  void prune(const Queue &queue);

  const Settings &settings;
  bool isBegun = false;
  Precedence precedence;
  Conflicts conflicts{precedence};
  std::vector<End> ends; ///< of each stream
  std::map<Ticket, Programmatic> programmatic;
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
