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
#include "Check/Undefined.h"
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

/// As the block knows it whose memory it is.
static uint64_t getAddress(const CheckFinding &found) {
  return found.space == ptx::Space::Shared ? found.address % clusterWindow
                                           : found.address;
}

/// Threads of a block, as they are numbered in a cluster.
static uint32_t countThreads(const Launch &launch) {
  const uint32_t *dim = launch.block.blockDim;
  return llvm::alignTo<warpSize>(dim[0] * dim[1] * dim[2]);
}

/// " (in 'tile')" for an address of a variable.
static std::string describeVariable(const Launch &launch,
                                    const CheckFinding &found) {
  uint64_t address = getAddress(found);
  for (auto [variable, at] : launch.plan.addresses) {
    uint64_t bytes =
        variable->isDynamic ? launch.block.dynamicShared : variable->bytes;
    if (variable->space == found.space && address - at < bytes)
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

/// The block of a thread of a cluster; without clusters each block is one.
static Dim3 getBlock(const Launch &launch, uint64_t cluster, uint32_t rank) {
  const uint32_t *grid = launch.block.clusterGrid;
  const uint32_t *dim = launch.block.clusterDim;
  return {
      uint32_t(cluster % grid[0] * dim[0] + rank % dim[0]),
      uint32_t(cluster / grid[0] % grid[1] * dim[1] + rank / dim[0] % dim[1]),
      uint32_t(cluster / grid[0] / grid[1] * dim[2] + rank / dim[0] / dim[1])};
}

/// Who else: "write by thread (35,0,0) of block (1,0,0) at PTX line 88 (`…`)".
static std::string describeOther(const Launch &launch,
                                 const CheckFinding::Other &other,
                                 const Party &party, bool isSameBlock) {
  std::string verb = other.isWrite ? "write" : "read";
  if (!other.isKnown)
    return verb + "s by several threads, one of them at " +
           describeSite(launch, other.site);
  std::string text = verb + " by thread " + describe(*party.thread);
  if (!isSameBlock)
    text += " of block " + describe(*party.block);
  // Sites beyond the last one that a cell can hold share its index.
  if (other.site >= cell::lastSite)
    return text;
  return text + " at " + describeSite(launch, other.site);
}

static std::string describeRace(const std::string &access,
                                const CheckFinding::Other &other,
                                const std::string &party, bool isOfPeer,
                                bool isClustered, bool isSameValue) {
  if (isSameValue)
    return "same value: " + access + " and " + party +
           " store one value, and nothing orders them";
  if (other.isSameInstruction)
    return "race: " + access + " and " + party +
           " are one instruction that stores different values";
  if (other.isAgent)
    return "race: " + access + " and " + party +
           " are not ordered: wait for the phase of its mbarrier "
           "(mbarrier.try_wait) before";
  return "race: " + access + " and " + party + " are not ordered by " +
         (!other.isSameBlock || (isOfPeer && !isClustered)
              ? "fences and atomics between the blocks"
          : isOfPeer ? "a barrier of the cluster"
                     : "a barrier");
}

static std::string describeAsync(const Launch &launch,
                                 const std::string &access,
                                 const CheckFinding::Other &other,
                                 const std::string &party) {
  if (other.isInit)
    return access +
           ", an mbarrier, goes through the async proxy, which need not see "
           "the " +
           party +
           ": execute fence.mbarrier_init.release.cluster in that thread after "
           "it";
  if (other.isUnfenced)
    return access + " goes through the async proxy, which need not see the " +
           party +
           ": execute fence.proxy.async between the two, in that "
           "thread or in one that the write is ordered before";
  bool isProduct = other.site < cell::lastSite &&
                   launch.plan.sites[other.site].instruction->root == "wgmma";
  if (isProduct)
    return access + " meets a wgmma in flight, with a " + party +
           "; wait for it with wgmma.wait_group, and order this access after "
           "that";
  std::string meets =
      access + " meets an asynchronous copy in flight, a " + party;
  const ptx::Instruction *in = other.site < cell::lastSite
                                   ? launch.plan.sites[other.site].instruction
                                   : nullptr;
  if (!in || !(in->has("bulk") || (in->has("async") && in->root != "cp")))
    return meets + " that nobody has waited for";
  if (in->has("bulk_group"))
    return meets + "; wait for it with cp.async.bulk.wait_group" +
           (other.isWrite ? "" : ".read") +
           " in that thread, and order this access after that";
  return meets + "; wait for the phase of its mbarrier (mbarrier.try_wait) "
                 "before";
}

/// How a descriptor contradicts what was written or read before.
static std::string describeLayout(const std::string &access,
                                  const CheckFinding::Layout &layout,
                                  const std::string &party) {
  auto describeCore = [](uint32_t core, uint32_t span) {
    return ("0x" + llvm::utohexstr(core, /*LowerCase=*/true) +
            ", whose rows lie " + Twine(span) + " bytes apart")
        .str();
  };
  auto describeSwizzle = [](uint32_t span) {
    return span > warpgroup::pieceBytes
               ? "a swizzle of " + std::to_string(span) + " bytes"
               : std::string("no swizzle");
  };
  using Layout = CheckFinding::Layout;
  if (layout.what == Layout::Swizzle)
    return "layout: " + access + " is by a descriptor with " +
           describeSwizzle(layout.span) + ", and the " + party + " has " +
           describeSwizzle(layout.otherSpan) +
           ": give the tensor map and the descriptor the same";
  std::string text = "layout: " + access + ", in the core matrix at " +
                     describeCore(layout.core, layout.span);
  if (layout.what == Layout::Repeated)
    return text +
           ", is in two places of one matrix: expected other leading and "
           "stride offsets in its descriptor, perhaps exchanged";
  return text + ", meets the " + party + " in that at " +
         describeCore(layout.otherCore, layout.otherSpan) +
         ": expected the two to be the same or apart; compare the offsets and "
         "the swizzle of both descriptors with the strides of the tile";
}

/// " of block (1,0,0)" for shared memory of another block than `rank`.
static std::string describeOwner(const Launch &launch,
                                 const CheckFinding &found, uint32_t rank) {
  uint32_t owner = found.address / clusterWindow;
  if (found.space != ptx::Space::Shared || owner == rank)
    return "";
  const BlockState &block = owner ? launch.peers[owner - 1] : launch.block;
  const uint32_t (&index)[3] = block.blockIndex;
  return " of block " + describe({index[0], index[1], index[2]});
}

/// In words, and who else.
static std::string describeFinding(Launch &launch, const CheckFinding &found,
                                   std::optional<Party> &party) {
  uint32_t threads = countThreads(launch), rank = found.thread / threads;
  std::string access =
      (Twine(getVerb(found.kind)) + " of " + Twine(found.bytes) + " bytes at " +
       ptx::getName(found.space) + " address 0x" +
       llvm::utohexstr(getAddress(found), /*LowerCase=*/true) +
       describeVariable(launch, found) + describeOwner(launch, found, rank))
          .str();
  std::string text = "uninitialised: " + access + " finds what nobody wrote";
  if (found.use) {
    party = describeParty(launch, found.use->site);
    text += std::string(", which ") + found.use->text + " at " +
            describeSite(launch, found.use->site);
  }
  if (found.other) {
    const CheckFinding::Other &other = *found.other;
    party = other.site < cell::lastSite ? describeParty(launch, other.site)
                                        : Party();
    uint32_t otherRank = other.isKnown ? other.thread / threads : rank;
    bool isOfPeer = other.isSameBlock && otherRank != rank;
    party->block = getBlock(launch, other.block, otherRank);
    if (other.isKnown)
      party->thread = getThread(launch.block, other.thread % threads);
    std::string who =
        describeOther(launch, other, *party, other.isSameBlock && !isOfPeer);
    text = found.layout ? describeLayout(access, *found.layout, who)
           : found.what == FindingClass::Async
               ? describeAsync(launch, access, other, who)
               : describeRace(access, other, who, isOfPeer,
                              launch.block.isExplicitCluster,
                              found.what == FindingClass::SameValue);
  }
  return text;
}

bool reportFinding(Launch &launch, const CheckFinding &found) {
  uint32_t threads = countThreads(launch), rank = found.thread / threads;
  WarpState warp{};
  warp.block = &launch.getBlock(rank);
  warp.index = found.thread % threads / warpSize;
  const auto &other = found.other;
  uint32_t otherSite = other && other->isKnown ? other->site
                       : found.use             ? found.use->site
                                               : FindingLog::nobody;
  // What a race let a thread find is no other fault.
  bool isRead = found.kind == AccessKind::Read;
  if (launch.undefined && found.what == FindingClass::Race &&
      (isRead || (other && !other->isWrite)))
    launch.undefined->noteRace();
  std::optional<Party> party;
  std::string text;
  // Its first occurrence alone is put in words.
  FindingSite site{found.what, found.site, otherSite};
  if (!launch.fault && !launch.findings.knows(site))
    text = describeFinding(launch, found, party);
  return reportSite(
      warp, found.thread % warpSize, found.site, found.what,
      [&] { return text; }, getAddress(found), std::move(party), otherSite,
      found.count);
}

} // namespace tc::emulator
