//===- Bounds.cpp - What an access may reach ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the allocation behind an address that missed the access's slot, or says
// what is wrong with the access.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Scheduler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using llvm::Twine;

namespace tc::emulator {

namespace {

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

/// One lane's access.
struct Access {
  Launch &launch;
  const WarpState &warp;
  unsigned lane;
  ptx::Space space;
  uint64_t address;
  uint32_t bytes;
  bool isStore;
};

struct Found {
  Region region;
  ptx::Space space;
  uint32_t rank = 0; ///< of the block whose shared memory it is
};

Region regionAt(const void *pointer, uint64_t bytes) {
  return Region{reinterpret_cast<uint64_t>(pointer), bytes};
}

/// What lies at a host address: device memory, a variable, the parameters, the
/// block's shared or the lane's local memory.
std::optional<Found> findRegion(const Access &access) {
  Launch &launch = access.launch;
  const BlockState &block = *access.warp.block;
  uint64_t address = access.address, stride = launch.plan.localStride();
  if (std::optional<uint32_t> rank = findWindow(block, address))
    return Found{regionAt(launch.getBlock(*rank).shared, block.totalShared),
                 ptx::Space::Shared, *rank};
  // Other memory of the host may lie by chance where this one would.
  if (access.space == ptx::Space::Cluster)
    return std::nullopt;
  Region local = regionAt(access.warp.local + access.lane * stride,
                          launch.plan.localBytes);
  if (access.warp.local && local.contains(address, 1))
    return Found{local, ptx::Space::Local};
  Region parameters = regionAt(block.parameters, launch.parameterBytes);
  if (parameters.contains(address, 1))
    return Found{parameters, ptx::Space::Param};
  for (const VariableRegion &variable : launch.variables)
    if (variable.region.contains(address, 1))
      return Found{variable.region, variable.variable->space};
  std::lock_guard<std::mutex> lock(launch.memory.mutex);
  std::optional<Region> nearest = launch.memory.findNearest(address);
  if (nearest && nearest->contains(address, 1))
    return Found{*nearest, ptx::Space::Global};
  return std::nullopt;
}

std::string describeRegion(const Region &region, uint64_t address) {
  std::string text =
      (Twine(region.bytes) + " bytes at " + hex(region.base)).str();
  uint64_t end = region.base + region.bytes;
  if (address < region.base)
    return text + ", which begins " + std::to_string(region.base - address) +
           " bytes behind it";
  if (address >= end)
    return text + ", which ends " + std::to_string(address - end) +
           " bytes before it";
  return text;
}

/// The variable whose end or start is closest to `address`, among shared or
/// local ones.
std::string describeNearestVariable(const Access &access) {
  const Launch &launch = access.launch;
  const ptx::Variable *nearest = nullptr;
  uint64_t start = 0;
  for (auto [variable, at] : launch.plan.addresses)
    if (variable->space == access.space && at <= access.address &&
        (!nearest || at > start || (at == start && variable->bytes))) {
      nearest = variable;
      start = at;
    }
  if (!nearest)
    return "";
  uint64_t bytes =
      nearest->isDynamic ? launch.block.dynamicShared : nearest->bytes;
  return (", the nearest variable is '" + nearest->name + "', " + Twine(bytes) +
          " bytes at " + hex(start))
      .str();
}

std::string describeAccess(const Access &access) {
  // As the kernel has it: host addresses stand for those of shared::cluster.
  uint64_t address = access.address;
  if (access.space == ptx::Space::Cluster)
    address += sharedStart + clusterWindow -
               reinterpret_cast<uint64_t>(access.launch.block.shared);
  return ((access.isStore ? "write of " : "read of ") + Twine(access.bytes) +
          " bytes at " + ptx::getName(access.space) + " address " +
          hex(address))
      .str();
}

/// How a launcher is told of a wrong access near `region`.
FindingClass classify(const Access &access, const Region &region) {
  bool inside = region.contains(access.address, access.bytes);
  return inside && access.address % access.bytes ? FindingClass::Misaligned
                                                 : FindingClass::OutOfBounds;
}

struct Wrong {
  std::string text;
  FindingClass kind;
};

/// What is wrong with an access to shared or local memory, if anything is.
std::optional<Wrong> checkOffset(const Access &access) {
  bool isShared = access.space == ptx::Space::Shared;
  Region region = isShared
                      ? Region{sharedStart, access.launch.block.totalShared}
                      : Region{localStart, access.launch.plan.localBytes};
  bool isInside = region.contains(access.address, access.bytes);
  if (isInside && access.address % access.bytes == 0)
    return std::nullopt;
  std::string text = describeAccess(access);
  if (isInside)
    text += " is misaligned: expected a multiple of " +
            std::to_string(access.bytes);
  else
    text += std::string(" is out of bounds: ") +
            (isShared ? "the block has " : "the thread has ") +
            describeRegion(region, access.address) +
            describeNearestVariable(access);
  return Wrong{text, classify(access, region)};
}

Wrong explainUnknown(const Access &access) {
  const Memory::Impl &memory = access.launch.memory;
  std::string text = describeAccess(access);
  const BlockState &block = access.launch.block;
  // Of a block that there is not, `mapa` makes a null pointer.
  bool isOfPeer = access.space == ptx::Space::Cluster ||
                  (access.address < 4096 && !block.isExplicitCluster &&
                   llvm::any_of(
                       access.launch.plan.flat->body,
                       [](auto &in) { return in.root == "mapa"; }));
  if (isOfPeer && block.isExplicitCluster)
    return {text + " is out of bounds: no block of the cluster has it",
            FindingClass::OutOfBounds};
  if (isOfPeer)
    return {text + " is out of bounds: it would be shared memory of another "
                   "block, and the launch has no clusters: neither the kernel "
                   "asks for them (.reqnctapercluster, from __cluster_dims__, "
                   "which clang leaves out) nor the launch (attribute "
                   "CLUSTER_DIMENSION)",
            FindingClass::OutOfBounds};
  std::lock_guard<std::mutex> lock(memory.mutex);
  if (std::optional<Region> freed = memory.findFreed(access.address))
    return {text + " is in an allocation that was freed: " +
                describeRegion(*freed, access.address),
            FindingClass::UseAfterFree};
  text += " is out of bounds: no live allocation is there";
  if (std::optional<Region> nearest = memory.findNearest(access.address))
    text += "; the nearest has " + describeRegion(*nearest, access.address);
  return {text, FindingClass::OutOfBounds};
}

/// What is wrong with an access by a host address.
std::optional<Wrong> checkFound(const Access &access, const Found &found) {
  std::string text = describeAccess(access);
  bool isReadOnly =
      found.space == ptx::Space::Const || found.space == ptx::Space::Param;
  // The parameters of a call may lie in local memory.
  bool isOther = access.space != ptx::Space::Generic &&
                 access.space != found.space &&
                 !(access.space == ptx::Space::Param &&
                   found.space == ptx::Space::Local) &&
                 !(access.space == ptx::Space::Cluster &&
                   found.space == ptx::Space::Shared);
  FindingClass kind = classify(access, found.region);
  if (isOther)
    return Wrong{text + " hits memory of ." + ptx::getName(found.space).str(),
                 FindingClass::OutOfBounds};
  if (access.isStore && isReadOnly)
    return Wrong{text + " hits memory that is read-only, ." +
                     ptx::getName(found.space).str(),
                 FindingClass::OutOfBounds};
  if (found.space == ptx::Space::Shared && !access.launch.peers.empty() &&
      !access.launch.scheduler->isRunning(found.rank))
    return Wrong{text + " is in the shared memory of block " +
                     describeBlock(access.launch.getBlock(found.rank)) +
                     " of the cluster, which has ended",
                 FindingClass::UseAfterFree};
  if (!found.region.contains(access.address, access.bytes))
    return Wrong{text + " is out of bounds: the allocation has " +
                     describeRegion(found.region, access.address),
                 kind};
  if (access.address % access.bytes)
    return Wrong{text + " is misaligned: expected a multiple of " +
                     std::to_string(access.bytes),
                 kind};
  return std::nullopt;
}

} // namespace

AccessVerdict checkAccess(Launch &launch, const WarpState &warp, unsigned lane,
                          uint32_t site, ptx::Space space, uint64_t address,
                          uint32_t bytes, bool isStore, bool isFatal) {
  Access access{launch, warp, lane, space, address, bytes, isStore};
  std::optional<Wrong> wrong;
  Region region;
  if (space == ptx::Space::Shared || space == ptx::Space::Local) {
    wrong = checkOffset(access);
  } else if (std::optional<Found> found = findRegion(access)) {
    wrong = checkFound(access, *found);
    // Local memory is another one for the next lane. Host memory may not be
    // aligned, and the inline check counts from its base.
    if (found->space != ptx::Space::Local && found->region.base % bytes == 0)
      region = found->region;
  } else {
    wrong = explainUnknown(access);
  }
  if (!wrong)
    return {AccessVerdict::Fine, region};
  bool isMisaligned = wrong->kind == FindingClass::Misaligned;
  if (!launch.options.checks.has(isMisaligned ? Checks::Misaligned
                                              : Checks::Addresses))
    return {AccessVerdict::Unaligned};
  auto describeIt = [&] { return wrong->text; };
  bool goesOn =
      isFatal ? reportFault(warp, lane, site, wrong->text, wrong->kind, address)
              : reportSite(warp, lane, site, wrong->kind, describeIt, address);
  return {goesOn ? AccessVerdict::Skipped : AccessVerdict::Fault};
}

char *getPointer(const Launch &launch, const WarpState &warp, unsigned lane,
                 ptx::Space space, uint64_t address) {
  if (space == ptx::Space::Shared)
    return warp.block->shared + (address - sharedStart);
  if (space == ptx::Space::Local)
    return warp.local + lane * launch.plan.localStride() +
           (address - localStart);
  return reinterpret_cast<char *>(address);
}

} // namespace tc::emulator

using namespace tc::emulator;

int64_t tc_emulator_check(WarpState *warp, uint32_t index, uint32_t mask,
                          uint64_t base, const int64_t *offsets) {
  Launch &launch = getLaunch(*warp);
  const Site &site = launch.plan.sites[index];
  Region known;
  uint32_t made = mask;
  bool isPlain = true;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t address = base + offsets[lane];
    if (!(mask >> lane & 1) ||
        (known.bytes && known.contains(address, site.bytes) &&
         address % site.bytes == 0))
      continue;
    AccessVerdict verdict = checkAccess(launch, *warp, lane, index, site.space,
                                        address, site.bytes, site.isStore);
    if (verdict.kind == AccessVerdict::Fault)
      return -1;
    if (verdict.kind == AccessVerdict::Skipped)
      made &= ~(1u << lane);
    isPlain &= verdict.kind == AccessVerdict::Fine;
    if (verdict.region.bytes)
      known = verdict.region;
  }
  if (known.bytes)
    launch.slots[index] = {
        known.base, countAccesses(known.bytes, llvm::Log2_32(site.bytes))};
  return isPlain ? int64_t(allLanesFine) : int64_t(made);
}

char *tc_emulator_divert(WarpState *warp, uint32_t index, uint32_t mask,
                         uint64_t base, const int64_t *offsets,
                         const int64_t *layout) {
  Launch &launch = getLaunch(*warp);
  const Site &site = launch.plan.sites[index];
  auto [least, most] = std::minmax_element(layout, layout + warpSize);
  uint64_t bytes = *most - *least + site.bytes;
  if (launch.diverted.size() < bytes)
    launch.diverted = Mapping(bytes);
  if (!launch.diverted.get()) {
    reportFault(*warp, llvm::countr_zero(warp->live), index,
                "the host has no memory for a copy of what it reads",
                FindingClass::OutOfBounds);
    return nullptr;
  }
  char *start = launch.diverted.get() - *least;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memset(start + layout[lane], 0, site.bytes);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    std::memcpy(
        start + layout[lane],
        getPointer(launch, *warp, lane, site.space, base + offsets[lane]),
        site.bytes);
  }
  return start;
}

void tc_emulator_write(WarpState *warp, uint32_t index, uint32_t mask,
                       uint64_t base, const int64_t *offsets,
                       const char *values) {
  Launch &launch = getLaunch(*warp);
  const Site &site = launch.plan.sites[index];
  uint32_t bytes = site.bytes / site.elements;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    char *to =
        getPointer(launch, *warp, lane, site.space, base + offsets[lane]);
    for (uint32_t i = 0; i < site.elements; ++i)
      std::memcpy(to + i * bytes, values + (i * warpSize + lane) * bytes,
                  bytes);
  }
}
