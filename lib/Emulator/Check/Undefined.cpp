//===- Undefined.cpp - What nobody wrote, until it is used ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, and the uses of what it holds.
//
//===----------------------------------------------------------------------===//

#include "Check/Undefined.h"
#include "Check/Checker.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace tc::emulator {

void UndefinedTracker::beginBlock() {
  any = false;
  shared.clear();
  origins.clear();
  uses.clear();
  isRacing = false;
  results.clear();
  bytesOfLane.fill(0);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void forLanesOf(uint32_t lanes,
                       llvm::function_ref<void(unsigned)> body) {
  for (; lanes; lanes &= lanes - 1)
    body(llvm::countr_zero(lanes));
}

void UndefinedTracker::access(WarpState &warp, const WarpAccess &access) {
  current = &warp;
  forLanesOf(access.mask,
             [&](unsigned lane) { first[lane] = access.addresses[lane]; });
  if (!any)
    return;
  uint32_t hole = plan.holes[access.site];
  if (access.kind != AccessKind::Read)
    forLanesOf(access.mask, [&](unsigned lane) {
      spaces[lane] = access.space;
      last[lane] = access.addresses[lane];
    });
  else if (hole != UndefinedPlan::none)
    for (uint32_t i = 0; i < launch.plan.sites[access.site].elements; ++i)
      warp.holes[hole + i] &= ~access.mask;
  if (access.space != ptx::Space::Shared || shared.empty())
    return;
  forLanesOf(access.mask, [&](unsigned lane) {
    for (uint32_t i = 0; i < access.bytes; ++i) {
      uint64_t at = access.addresses[lane] + i;
      if (access.kind == AccessKind::Write)
        shared.erase(at);
      else if (shared.count(at))
        takeHole(access, 1u << lane, at, 1);
    }
  });
}

bool UndefinedTracker::takeHole(const WarpAccess &access, uint32_t lanes,
                                uint64_t address, uint32_t bytes) {
  const Site &site = launch.plan.sites[access.site];
  uint32_t hole = plan.holes[access.site];
  llvm::StringRef root = site.instruction->root;
  bool isMatrix = root == "ldmatrix" || root == "wmma", isCopy = root == "cp";
  if (!current || access.kind != AccessKind::Read ||
      (hole == UndefinedPlan::none && !isMatrix && !isCopy))
    return false;
  any = true;
  WarpState &warp = *current;
  warp.hasUndefined = 1;
  if (origins.size() <= warp.getNumber())
    origins.resize(warp.getNumber() + 1);
  std::vector<Origin> &list = origins[warp.getNumber()];
  if (list.empty() || list.back().site != access.site) {
    auto old = llvm::find_if(
        list, [&](const Origin &o) { return o.site == access.site; });
    Origin origin{access.site, 0, access.space, {}};
    if (old != list.end()) {
      origin = *old;
      list.erase(old);
    }
    list.push_back(origin);
  }
  Origin &origin = list.back();
  origin.space = access.space;
  origin.lanes |= lanes;
  forLanesOf(lanes, [&](unsigned lane) {
    origin.addresses[lane] = first[lane];
    uint64_t offset = address - first[lane];
    if (root == "wmma") {
      results.resize(std::max<size_t>(results.size(), loaded + 1));
      results[loaded] |= 1u << lane;
    } else if (hole == UndefinedPlan::none) {
      // A copy comes in pieces of 16, 8 ... bytes; rows are aligned.
      uint64_t from = isCopy ? address : offset;
      for (uint32_t i = 0; i < bytes; ++i)
        bytesOfLane[lane] |= 1u << (from + i) % 16;
    } else {
      uint32_t each = site.bytes / site.elements;
      for (uint64_t i = offset / each; i * each < offset + bytes; ++i)
        if (i < site.elements)
          warp.holes[hole + i] |= 1u << lane;
    }
  });
  return true;
}

bool UndefinedTracker::store(const WarpState &warp, uint32_t site,
                             uint32_t lanes, unsigned reg, uint32_t first,
                             uint32_t bytes) {
  uint32_t isGlobal = 0;
  forLanesOf(lanes, [&](unsigned lane) {
    uint64_t from = last[lane] + first;
    if (spaces[lane] == ptx::Space::Global)
      isGlobal |= 1u << lane;
    else if (spaces[lane] == ptx::Space::Local)
      launch.checker->forgetLocal(warp.getFirstThread() + lane, from, bytes);
    else
      for (uint32_t i = 0; i < bytes; ++i)
        shared.insert(from + i);
  });
  return !isGlobal || use(warp, site, isGlobal, reg, UndefinedUse::Store);
}

std::array<uint32_t, warpSize> UndefinedTracker::takeCopied() {
  return std::exchange(bytesOfLane, {});
}

void UndefinedTracker::writeCopied(uint64_t address, uint32_t bytes,
                                   uint32_t undefined) {
  for (uint32_t i = 0; i < bytes; ++i)
    if (undefined >> i & 1)
      shared.insert(address + i);
    else
      shared.erase(address + i);
}

void UndefinedTracker::writeBulk(uint64_t address, uint64_t bytes,
                                 llvm::ArrayRef<uint64_t> undefined) {
  for (uint64_t at = address; !shared.empty() && at < address + bytes; ++at)
    shared.erase(at);
  shared.insert(undefined.begin(), undefined.end());
  any |= !undefined.empty();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The latest load that the register may depend on.
const UndefinedTracker::Origin *
UndefinedTracker::findOrigin(const WarpState &warp, unsigned lane,
                             unsigned reg) {
  if (origins.size() <= warp.getNumber())
    return nullptr;
  // A shuffle may bring what another lane loaded.
  for (uint32_t lanes : {1u << lane, ~0u})
    for (const Origin &origin : llvm::reverse(origins[warp.getNumber()])) {
      auto [known, isNew] = dependents.try_emplace(origin.site);
      if (isNew)
        known->second = findDependents(launch.plan, origin.site);
      if (origin.lanes & lanes && known->second.test(reg))
        return &origin;
    }
  return origins[warp.getNumber()].empty() ? nullptr
                                           : &origins[warp.getNumber()].back();
}

bool UndefinedTracker::use(const WarpState &warp, uint32_t site, uint32_t lanes,
                           unsigned reg, UndefinedUse how) {
  unsigned lane = llvm::countr_zero(lanes);
  const Origin *origin = findOrigin(warp, lane, reg);
  bool isShared = origin && origin->space == ptx::Space::Shared;
  if (!origin || (isShared && isRacing))
    return true;
  unsigned loader =
      origin->lanes >> lane & 1 ? lane : llvm::countr_zero(origin->lanes);
  Use use{warp,          loader,
          origin->space, origin->addresses[loader],
          how,           uint64_t(llvm::popcount(lanes))};
  if (!isShared)
    return tell(origin->site, site, use);
  auto [known, isNew] = uses.insert({{origin->site, site}, use});
  if (!isNew)
    known->second.count += use.count;
  return true;
}

static const char *describe(UndefinedUse use) {
  switch (use) {
  case UndefinedUse::Branch:
    return "decides what is executed";
  case UndefinedUse::Address:
    return "is part of an address";
  case UndefinedUse::Store:
    return "is stored to global memory";
  case UndefinedUse::Atomic:
    return "is an operand of an atomic operation";
  }
  llvm_unreachable("all uses are handled");
}

bool UndefinedTracker::tell(uint32_t origin, uint32_t site, const Use &use) {
  CheckFinding found;
  found.what = FindingClass::Uninitialised;
  found.site = origin;
  found.thread = use.warp.getFirstThread() + use.lane;
  found.space = use.space;
  found.address = use.address;
  found.bytes = launch.plan.sites[origin].bytes;
  found.use = CheckFinding::Use{site, describe(use.how)};
  found.count = use.count;
  return reportFinding(launch, found);
}

bool UndefinedTracker::flush() {
  bool goesOn = true;
  for (const auto &[sites, use] : std::exchange(uses, {}))
    if (goesOn && !isRacing)
      goesOn = tell(sites.first, sites.second, use);
  return goesOn;
}

} // namespace tc::emulator

using namespace tc::emulator;

bool tc_emulator_undefined(WarpState *warp, uint32_t site, uint32_t lanes,
                           uint32_t reg, uint32_t use) {
  UndefinedTracker *tracker = getLaunch(*warp).undefined;
  return !tracker || tracker->use(*warp, site, lanes, reg, UndefinedUse(use));
}

bool tc_emulator_undefined_store(WarpState *warp, uint32_t site, uint32_t lanes,
                                 uint32_t reg, uint32_t element) {
  Launch &launch = getLaunch(*warp);
  const Site &at = launch.plan.sites[site];
  uint32_t bytes = at.bytes / at.elements;
  return !launch.undefined || launch.undefined->store(*warp, site, lanes, reg,
                                                      element * bytes, bytes);
}
