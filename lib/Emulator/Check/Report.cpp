//===- Report.cpp - What the checks found, as a fault ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says in words what a CheckFinding holds.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"
#include "Runtime/Launch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace tc::emulator {

static std::string describe(Dim3 index) {
  return ("(" + Twine(index.x) + "," + Twine(index.y) + "," + Twine(index.z) +
          ")")
      .str();
}

/// " (in 'tile')" for an address of a variable.
static std::string describeVariable(const Launch &launch,
                                    const CheckFinding &found) {
  for (auto [variable, at] : launch.plan.addresses) {
    uint64_t bytes =
        variable->isDynamic ? launch.block.dynamicShared : variable->bytes;
    if (variable->space == found.space && found.address - at < bytes)
      return (" (in '" + variable->name + "')").str();
  }
  for (const VariableRegion &entry : launch.variables)
    if (found.space == ptx::Space::Global &&
        entry.region.contains(found.address, 1))
      return (" (in '" + entry.variable->name + "')").str();
  return "";
}

static const char *getVerb(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "write"
                                     : "atomic access";
}

static Dim3 getBlock(const Launch &launch, uint64_t linear) {
  const uint32_t *grid = launch.block.gridDim;
  return {uint32_t(linear % grid[0]), uint32_t(linear / grid[0] % grid[1]),
          uint32_t(linear / grid[0] / grid[1])};
}

/// Who else: "write by thread (35,0,0) of block (1,0,0) at PTX line 88 (`…`)".
static std::string describeOther(const Launch &launch,
                                 const CheckFinding::Other &other,
                                 const Party &party) {
  std::string verb = other.isWrite ? "write" : "read";
  if (!other.isKnown)
    return verb + "s by several threads, one of them at " +
           describeSite(launch, other.site);
  std::string text = verb + " by thread " + describe(*party.thread);
  if (!other.isSameBlock)
    text += " of block " + describe(*party.block);
  // Sites beyond the last one that a cell can hold share its index.
  if (other.site >= cell::lastSite)
    return text;
  return text + " at " + describeSite(launch, other.site);
}

static std::string describeRace(const std::string &access,
                                const CheckFinding::Other &other,
                                const std::string &party) {
  if (other.isSameInstruction)
    return "race: " + access + " and " + party +
           " are one instruction that stores different values";
  return "race: " + access + " and " + party + " are not ordered by " +
         (other.isSameBlock ? "a barrier"
                            : "fences and atomics between the blocks");
}

bool reportFinding(Launch &launch, const CheckFinding &found) {
  std::string access =
      (Twine(getVerb(found.kind)) + " of " + Twine(found.bytes) + " bytes at " +
       ptx::getName(found.space) + " address 0x" +
       llvm::utohexstr(found.address, /*LowerCase=*/true) +
       describeVariable(launch, found))
          .str();
  std::optional<Party> party;
  std::string text = "uninitialised: " + access + " finds what nobody wrote";
  if (found.other) {
    const CheckFinding::Other &other = *found.other;
    party = other.site < cell::lastSite ? describeParty(launch, other.site)
                                        : Party();
    party->block = getBlock(launch, other.block);
    if (other.isKnown)
      party->thread = getThread(launch.block, other.thread);
    std::string who = describeOther(launch, other, *party);
    text = found.what == FindingClass::Async
               ? access + " meets an asynchronous copy in flight, a " + who +
                     " that nobody has waited for"
               : describeRace(access, other, who);
  }
  WarpState warp{};
  warp.block = &launch.block;
  warp.index = found.thread / warpSize;
  return reportFault(warp, found.thread % warpSize, found.site, text,
                     found.what, found.address, std::move(party));
}

} // namespace tc::emulator
