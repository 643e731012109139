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

void StreamRaces::submit(Ticket ticket, const Lane &lane,
                         llvm::ArrayRef<Ticket> after) {
  if (!isOn())
    return;
  std::vector<Ticket> before(after);
  for (const auto &[other, end] : last)
    if (other.isOrderedWith(lane))
      before.push_back(end);
  precedence.add(ticket, before);
  if (lane.kind == Lane::Apart)
    return;
  auto same = llvm::find_if(last, [&](const auto &entry) {
    return entry.first.stream == lane.stream &&
           entry.first.context == lane.context;
  });
  if (same == last.end())
    last.push_back({lane, ticket});
  else
    same->second = ticket;
}

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
  for (const auto &[other, end] : last)
    if (lane.kind == Lane::Legacy
            ? other.isOrderedWith(lane)
            : other.stream == lane.stream && other.context == lane.context)
      precedence.await(end);
  prune(queue);
}

void StreamRaces::awaitContext(CUcontext context, const Queue &queue) {
  for (const auto &[other, end] : last)
    if (other.context == context)
      precedence.await(end);
  prune(queue);
}

void StreamRaces::prune(const Queue &queue) {
  if (precedence.isEmpty())
    return;
  precedence.prune(queue.getPending());
  llvm::erase_if(
      last, [&](const auto &entry) { return precedence.isPast(entry.second); });
  for (auto it = spans.begin(); it != spans.end();)
    it = precedence.isPast(it->first) ? spans.erase(it) : std::next(it);
  // All ranges are looked at when there are twice as many.
  if (!precedence.isEmpty() && conflicts.countRanges() <= 2 * prunedRanges + 64)
    return;
  conflicts.prune();
  prunedRanges = conflicts.countRanges();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void StreamRaces::add(const Turn &turn, std::shared_ptr<Usage> usage) {
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
    precedence.observe(ended, turn.ticket);
  }
  conflicts.add(turn.ticket, std::move(usage), [&](const Conflict &conflict) {
    report(turn.state, conflict);
  });
}

void StreamRaces::tell(const Turn &turn, std::shared_ptr<Usage> launch) {
  if (!launch || !isOn())
    return;
  launch->name +=
      " (launch " + std::to_string(turn.state.journal.countLaunches()) + ")";
  add(turn, std::move(launch));
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
  add(turn, std::move(usage));
}

void StreamRaces::tell(const Turn &turn, const FillStep &step) {
  if (!isOn())
    return;
  auto usage = std::make_shared<Usage>("fill");
  const CUDA_MEMSET_NODE_PARAMS_v1 &fill = step.fill;
  for (size_t y = 0; y != fill.height; ++y)
    addRow(turn.state, *usage, fill.dst + y * fill.pitch,
           fill.width * fill.elementSize, /*isWrite=*/true);
  add(turn, std::move(usage));
}

void StreamRaces::tellAllocated(const Turn &turn, uintptr_t address,
                                size_t bytes) {
  if (!isOn())
    return;
  // What comes after the free of memory has its addresses.
  forget(address, bytes);
  auto usage = std::make_shared<Usage>("allocation");
  usage->add(address, address + bytes, {true, false});
  add(turn, std::move(usage));
}

void StreamRaces::tellFreed(const Turn &turn, uintptr_t address, size_t bytes) {
  if (!isOn())
    return;
  auto usage = std::make_shared<Usage>("free");
  usage->add(address, address + bytes, {true, false});
  add(turn, std::move(usage));
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

static std::string advise(const Conflict &conflict) {
  const Usage &first = *conflict.first.usage, &second = *conflict.second.usage;
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
