//===- StreamRaces.cpp - Races between what streams do --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From steps to uses of memory, and from conflicts to findings.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

#include "Memory/Memory.h"
#include "State.h"
#include "Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Tells what a launch does before it has waited for others from its end.
static constexpr Ticket startBit = Ticket(1) << 63;

static void append(std::vector<Ticket> &tickets, llvm::ArrayRef<Ticket> more) {
  tickets.insert(tickets.end(), more.begin(), more.end());
}

StreamRaces::End *StreamRaces::findEnd(const Lane &lane) {
  auto found = llvm::find_if(ends, [&](const End &end) {
    return end.lane.stream == lane.stream && end.lane.context == lane.context;
  });
  return lane.kind == Lane::Apart || found == ends.end() ? nullptr : &*found;
}

void StreamRaces::submit(Ticket ticket, const Lane &lane,
                         const Dependencies &dependencies) {
  if (!isOn())
    return;
  End *own = findEnd(lane);
  bool mayBeginEarly = !dependencies.launches.empty();
  std::vector<Ticket> after(dependencies.after);
  for (const End &end : ends)
    if (end.lane.isOrderedWith(lane) && !(mayBeginEarly && &end == own))
      append(after, end.tickets);
  if (mayBeginEarly)
    submitProgrammatic(ticket, after, dependencies);
  else
    precedence.add(ticket, after);
  if (lane.kind == Lane::Apart)
    return;
  if (!own)
    own = &ends.emplace_back(End{lane, {}});
  llvm::erase_if(own->tickets, [&](Ticket other) {
    return !mayBeginEarly || precedence.isBefore(other, ticket);
  });
  own->tickets.push_back(ticket);
  if (dependencies.kind != Dependencies::Record)
    own->launch = dependencies.kind == Dependencies::Launch ? ticket : 0;
}

Ticket StreamRaces::getLaunchBefore(const Lane &lane) {
  const End *end = isOn() ? findEnd(lane) : nullptr;
  return end && !precedence.isPast(end->launch) ? end->launch : 0;
}

//===----------------------------------------------------------------------===//
// Programmatic launches
//===----------------------------------------------------------------------===//

/// It begins after all that the others began after, and the rest of it comes
/// after their ends: all that an end says, see getEnds.
void StreamRaces::submitProgrammatic(Ticket ticket,
                                     llvm::ArrayRef<Ticket> after,
                                     const Dependencies &dependencies) {
  Programmatic made{ticket | startBit, dependencies.launches,
                    dependencies.begun};
  std::vector<Ticket> beside, begin(after);
  for (Ticket other : made.before) {
    auto found = programmatic.find(other);
    if (found == programmatic.end()) {
      beside.push_back(other);
      continue;
    }
    beside.push_back(found->second.start);
    if (!found->second.hasEnded)
      found->second.later.push_back(ticket);
    else if (found->second.triggersAfterWait &&
             !llvm::is_contained(made.begun, other))
      append(begin, getEnds(found->second));
  }
  std::vector<Ticket> end = getEnds(made);
  end.push_back(made.start);
  precedence.add(made.start, begin, beside);
  precedence.add(ticket, end);
  programmatic.emplace(ticket, std::move(made));
}

/// What has been done once a launch has waited. The end of one that never
/// waited itself says nothing of those before it.
std::vector<Ticket> StreamRaces::getEnds(const Programmatic &launch) const {
  std::vector<Ticket> done;
  for (Ticket before : launch.before) {
    auto found = programmatic.find(before);
    if (found != programmatic.end())
      done.push_back(found->second.start);
    if (found == programmatic.end() || found->second.hasWaited)
      done.push_back(before);
  }
  return done;
}

/// The launch has ended: those that were given meanwhile learn whether it
/// waited.
void StreamRaces::settle(Ticket ticket, const Usage &usage) {
  Programmatic &launch = programmatic.at(ticket);
  launch.hasEnded = true;
  launch.hasWaited = usage.hasGridWait;
  launch.triggersAfterWait = usage.triggersAfterWait;
  for (Ticket other : launch.later) {
    auto later = programmatic.find(other);
    if (later == programmatic.end())
      continue;
    if (launch.hasWaited)
      precedence.observe(ticket, other);
    if (launch.triggersAfterWait &&
        !llvm::is_contained(later->second.begun, ticket))
      precedence.observe(getEnds(launch), later->second.start);
  }
}

/// Whether programmatic launches lead from the launch `later` to `earlier`.
bool StreamRaces::leadsTo(Ticket later, Ticket earlier) const {
  auto found = programmatic.find(later & ~startBit);
  return found != programmatic.end() &&
         llvm::any_of(found->second.before, [&](Ticket before) {
           return before == (earlier & ~startBit) || leadsTo(before, earlier);
         });
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

void StreamRaces::noteBegin(Ticket ticket) {
  if (isOn())
    spans[ticket].begun = ++now;
}

void StreamRaces::noteEnd(Ticket ticket) {
  if (isOn())
    spans[ticket].ended = ++now;
}

void StreamRaces::await(Ticket ticket, const Queue &queue) {
  precedence.await(ticket);
  prune(queue);
}

/// A wait for the legacy stream is one for those that it is ordered with, too.
void StreamRaces::awaitLane(const Lane &lane, const Queue &queue) {
  for (const End &end : ends)
    if (lane.kind == Lane::Legacy ? end.lane.isOrderedWith(lane)
                                  : end.lane.stream == lane.stream &&
                                        end.lane.context == lane.context)
      for (Ticket ticket : end.tickets)
        precedence.await(ticket);
  prune(queue);
}

void StreamRaces::awaitContext(CUcontext context, const Queue &queue) {
  for (const End &end : ends)
    if (end.lane.context == context)
      for (Ticket ticket : end.tickets)
        precedence.await(ticket);
  prune(queue);
}

void StreamRaces::prune(const Queue &queue) {
  if (precedence.isEmpty())
    return;
  std::vector<Ticket> pending = queue.getPending();
  for (size_t i = 0, count = pending.size(); i != count; ++i)
    if (auto found = programmatic.find(pending[i]); found != programmatic.end())
      pending.push_back(found->second.start);
  precedence.prune(pending);
  auto isPast = [&](Ticket ticket) { return precedence.isPast(ticket); };
  for (End &end : ends)
    llvm::erase_if(end.tickets, isPast);
  llvm::erase_if(ends, [](const End &end) { return end.tickets.empty(); });
  for (auto it = programmatic.begin(); it != programmatic.end();)
    it = isPast(it->first) ? programmatic.erase(it) : std::next(it);
  for (auto it = spans.begin(); it != spans.end();)
    it = isPast(it->first) ? spans.erase(it) : std::next(it);
  // All ranges are looked at when there are twice as many.
  if (!precedence.isEmpty() && conflicts.countRanges() <= 2 * prunedRanges + 64)
    return;
  conflicts.prune();
  prunedRanges = conflicts.countRanges();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void StreamRaces::add(const Turn &turn, Ticket ticket,
                      std::shared_ptr<Usage> usage) {
  const Lane &lane = turn.lane;
  usage->graph = lane.graph;
  usage->where =
      lane.graph ? "node of graph launch " + std::to_string(lane.graph) + " in "
                 : "in ";
  usage->where += lane.stream == 1
                      ? "the default stream"
                      : "stream 0x" + llvm::utohexstr(lane.stream, true);
  if (usage->hasWaited) {
    std::vector<Ticket> ended;
    for (auto [ticket, span] : spans)
      if (span.ended > spans[turn.ticket].begun)
        ended.push_back(ticket);
    precedence.observe(ended, ticket);
  }
  conflicts.add(ticket, std::move(usage), [&](const Conflict &conflict) {
    report(turn.state, conflict);
  });
}

void StreamRaces::tell(const Turn &turn, std::shared_ptr<Usage> launch) {
  if (!launch || !isOn())
    return;
  std::string number =
      " (launch " + std::to_string(turn.state.journal.countLaunches()) + ")";
  launch->name += number;
  auto found = programmatic.find(turn.ticket);
  if (found == programmatic.end())
    return add(turn, turn.ticket, std::move(launch));
  // Of one that never waits, all is prologue.
  launch->isPrologue = !launch->hasGridWait;
  std::shared_ptr<Usage> prologue =
      launch->hasGridWait ? std::move(launch->prologue) : launch;
  if (launch != prologue) {
    prologue->name += number;
    add(turn, found->second.start, std::move(prologue));
    add(turn, turn.ticket, launch);
  } else {
    add(turn, found->second.start, std::move(prologue));
  }
  settle(turn.ticket, *launch);
}

/// A row of bytes at an end of a copy, if it is memory that the driver knows.
static void addRow(State &state, Usage &usage, uintptr_t address, size_t bytes,
                   bool isWrite) {
  if (isThere(state, address, bytes))
    usage.add(address, address + bytes, {isWrite, /*isStrong=*/false});
}

void StreamRaces::tell(const Turn &turn, const CopyStep &step) {
  if (!isOn())
    return;
  auto usage = std::make_shared<Usage>("copy");
  forRows(step.copy, [&](uintptr_t to, uintptr_t from, size_t bytes) {
    addRow(turn.state, *usage, from, bytes, /*isWrite=*/false);
    addRow(turn.state, *usage, to, bytes, /*isWrite=*/true);
  });
  add(turn, turn.ticket, std::move(usage));
}

void StreamRaces::tell(const Turn &turn, const FillStep &step) {
  if (!isOn())
    return;
  auto usage = std::make_shared<Usage>("fill");
  const CUDA_MEMSET_NODE_PARAMS_v1 &fill = step.fill;
  for (size_t y = 0; y != fill.height; ++y)
    addRow(turn.state, *usage, fill.dst + y * fill.pitch,
           fill.width * fill.elementSize, /*isWrite=*/true);
  add(turn, turn.ticket, std::move(usage));
}

void StreamRaces::tell(const Turn &turn, llvm::StringRef name,
                       uintptr_t address, size_t bytes, bool isWrite) {
  if (!isOn())
    return;
  auto usage = std::make_shared<Usage>(name.str());
  usage->add(address, address + bytes, {isWrite, /*isStrong=*/false});
  add(turn, turn.ticket, std::move(usage));
}

void StreamRaces::tellAllocated(const Turn &turn, uintptr_t address,
                                size_t bytes) {
  if (!isOn())
    return;
  // What comes after the free of memory has its addresses.
  forget(address, bytes);
  tell(turn, "allocation", address, bytes, /*isWrite=*/true);
}

void StreamRaces::tellFreed(const Turn &turn, uintptr_t address, size_t bytes) {
  if (!isOn())
    return;
  tell(turn, "free", address, bytes, /*isWrite=*/true);
  forget(address, bytes);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static std::string print(Dim3 index) {
  return ("(" + Twine(index.x) + "," + Twine(index.y) + "," + Twine(index.z) +
          ")")
      .str();
}

/// "kernel 'a' (launch 1) in the default stream, block (0,0,0), thread (1,0,0),
/// PTX line 7 (`st.global.f32 …`) at a.cu:3:5".
static std::string describeSide(const Conflict::Side &side,
                                const Party &party) {
  std::string text = side.usage->name + " " + side.usage->where;
  if (party.block)
    text += ", block " + print(*party.block);
  if (party.thread)
    text += ", thread " + print(*party.thread);
  if (party.line)
    text += ", PTX line " + std::to_string(party.line) + " (`" +
            party.instruction + "`)";
  if (!party.source.empty())
    text += " at " + party.source;
  if (side.usage->isPrologue)
    text += ", without griddepcontrol.wait before it";
  return text;
}

static std::string getVerb(const Use &use) {
  return use.isWrite ? use.isStrong ? "atomic access" : "write" : "read";
}

/// "0x7f… (byte 4 of the 64 bytes of allocation 1)".
static std::string describeAddress(State &state, uint64_t address) {
  std::string text = "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
  auto range = state.findRange(address);
  if (range == state.ranges.end())
    return text;
  text += " (byte " + std::to_string(address - range->first) + " of the " +
          std::to_string(range->second.bytes) + " bytes of ";
  if (range->second.owner == Owner::Variable)
    text += "a variable)";
  else
    text += "allocation " + std::to_string(range->second.number) + ")";
  return text;
}

std::string StreamRaces::advise(const Conflict &conflict) const {
  const Usage &first = *conflict.first.usage, &second = *conflict.second.usage;
  if (leadsTo(conflict.second.ticket, conflict.first.ticket))
    return std::string(
               !second.isPrologue ? "a kernel between the two ended without "
                                    "griddepcontrol.wait, so that its end does "
                                    "not say that of "
                                    "the first: execute it there"
               : conflict.first.use.isWrite
                   ? "execute griddepcontrol.wait before the first access of "
                     "memory that the kernel before it writes"
                   : "execute griddepcontrol.wait before the first write of "
                     "memory that the kernel before it reads") +
           ", or launch the second without programmatic stream serialization";
  if (first.graph && first.graph == second.graph)
    return "add an edge from the node of the first to that of the second "
           "(cuGraphAddDependencies), or, in a capture, an event between their "
           "streams";
  return "record an event after the first and let the stream of the second "
         "wait "
         "for it (cuEventRecord, cuStreamWaitEvent)";
}

void StreamRaces::report(State &state, const Conflict &conflict) {
  const Conflict::Side &first = conflict.first, &second = conflict.second;
  auto find = [&](const Conflict::Side &side) {
    return side.usage->find(conflict.address, side.use.isWrite)
        .value_or(Party());
  };
  Party before = find(first), after = find(second);
  // Each pair of sites once, whatever the launches.
  std::string key;
  for (auto [side, party] : {std::pair(&first, &before), {&second, &after}})
    key += (side->usage->kernel.empty() ? side->usage->name
                                        : side->usage->kernel) +
           ":" + std::to_string(party->line) + getVerb(side->use) + ";";
  if (!known.insert(key).second)
    return;
  Finding finding;
  finding.what = FindingClass::StreamRace;
  finding.kernel =
      second.usage->kernel.empty() ? first.usage->kernel : second.usage->kernel;
  finding.address = conflict.address;
  finding.text =
      describeSide(second, after) + ": stream race: " + getVerb(second.use) +
      " at global address " + describeAddress(state, conflict.address) +
      " and " + getVerb(first.use) + " by " + describeSide(first, before) +
      " are not ordered: " + advise(conflict);
  finding.at = std::move(after);
  finding.other = std::move(before);
  state.add(std::move(finding));
}
