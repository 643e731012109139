//===- Access.cpp - Accesses as the checks and counters see them ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access of a warp, by compiled code or by an instruction that is run, goes
// to the checker and to the counter. Generic addresses are told by the space
// they lie in.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Count/Counter.h"
#include "Runtime/Scheduler.h"
#include "Time/Trace.h"

namespace tc::emulator {

namespace {

struct Teller {
  Launch &launch;
  WarpState &warp;

  bool tell(const WarpAccess &access);
  bool check(const WarpAccess &access);
  bool checkUsed(WarpAccess access, const Site &site);
  bool tellGeneric(WarpAccess access);
  bool reach(const WarpAccess &access, unsigned lane, uint32_t rank);
};

} // namespace

bool Teller::tell(const WarpAccess &access) {
  if (launch.counter)
    launch.counter->access(warp, access);
  if (!launch.checker)
    return true;
  const Site &site = launch.plan.sites[access.site];
  // An element that is never used may be undefined.
  if (launch.undefined)
    launch.undefined->access(warp, access);
  else if (site.elements > 1 && site.used + 1 != 1u << site.elements)
    return checkUsed(access, site);
  return check(access);
}

bool Teller::check(const WarpAccess &access) {
  return launch.checker->access(warp, access);
}

/// What nothing reads need not have been written.
bool Teller::checkUsed(WarpAccess access, const Site &site) {
  const uint64_t *first = access.addresses;
  access.bytes /= site.elements;
  for (unsigned i = 0; i < site.elements; ++i) {
    Lanes addresses;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = first[lane] + i * access.bytes;
    access.addresses = addresses.data();
    if (site.used >> i & 1 && !check(access))
      return false;
  }
  return true;
}

/// A block's memory is there once it has begun (CUDA C++ Programming Guide,
/// distributed shared memory). Here all blocks of a cluster begin at once.
bool Teller::reach(const WarpAccess &access, unsigned lane, uint32_t rank) {
  if (!launch.checker || launch.checker->reach(warp, lane, rank))
    return true;
  auto describeIt = [&] {
    return "race: access to the shared memory of block " +
           describeBlock(launch.getBlock(rank)) +
           ", which may not have begun: nothing orders it after a thread of "
           "that block, as a barrier of the cluster does";
  };
  return !launch.options.checks.has(Checks::Races) ||
         reportSite(warp, lane, access.site, FindingClass::Race, describeIt,
                    access.addresses[lane]);
}

/// Splits the lanes by where their addresses lie.
bool Teller::tellGeneric(WarpAccess access) {
  const BlockState &block = *warp.block;
  uint64_t shared = reinterpret_cast<uint64_t>(block.clusterShared);
  uint64_t local = reinterpret_cast<uint64_t>(warp.local);
  uint64_t stride = launch.plan.localStride();
  uint32_t inShared = 0, inLocal = 0;
  Lanes offsets{};
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t address = access.addresses[lane];
    if (std::optional<uint32_t> rank = findWindow(block, address)) {
      if (*rank != warp.rank && access.mask >> lane & 1 &&
          !reach(access, lane, *rank))
        return false;
      inShared |= 1u << lane;
      offsets[lane] = address - shared + sharedStart;
    } else if (warp.local && address - local < stride * warpSize) {
      inLocal |= 1u << lane;
      offsets[lane] = address - local - lane * stride + localStart;
    }
  }
  uint32_t all = access.mask;
  const uint64_t *addresses = access.addresses;
  auto tellPart = [&](uint32_t lanes, ptx::Space space, const uint64_t *at) {
    access.mask = all & lanes;
    access.space = space;
    access.addresses = at;
    return !access.mask || tell(access);
  };
  return tellPart(inShared, ptx::Space::Shared, offsets.data()) &&
         tellPart(inLocal, ptx::Space::Local, offsets.data()) &&
         tellPart(~(inShared | inLocal), ptx::Space::Global, addresses);
}

bool tellAccess(Launch &launch, WarpState &warp, WarpAccess access) {
  Teller teller{launch, warp};
  if (access.space == ptx::Space::Generic ||
      access.space == ptx::Space::Cluster || access.space == ptx::Space::Param)
    return teller.tellGeneric(access);
  if (access.space != ptx::Space::Shared || !warp.rank)
    return teller.tell(access);
  Lanes addresses;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    addresses[lane] = access.addresses[lane] + warp.rank * clusterWindow;
  access.addresses = addresses.data();
  return teller.tell(access);
}

uint64_t toGeneric(const BlockState &block, uint64_t address) {
  bool isOwn = address < clusterWindow;
  uint64_t start =
      reinterpret_cast<uint64_t>(isOwn ? block.shared : block.clusterShared);
  return start + address - sharedStart - (isOwn ? 0 : clusterWindow);
}

/// `addresses` in shared::cluster are host addresses.
static bool resolveIn(Step &step, uint32_t mask, ptx::Space space,
                      const Lanes &addresses, uint32_t bytes, AccessKind kind,
                      LanePointers &pointers) {
  Launch &launch = step.launch;
  // Nothing stands for a barrier in memory.
  bool isFatal = step.instruction.root == "mbarrier" ||
                 llvm::any_of(step.instruction.modifiers, [](auto word) {
                   return word.starts_with("mbarrier");
                 });
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    pointers[lane] = nullptr;
    if (!(mask >> lane & 1))
      continue;
    uint64_t address = addresses[lane];
    if (launch.options.checks.has(Checks::Bounds.chosen)) {
      AccessVerdict verdict =
          checkAccess(launch, step.warp, lane, step.site, space, address, bytes,
                      kind != AccessKind::Read, isFatal);
      if (verdict.kind == AccessVerdict::Skipped) {
        step.skipped |= 1u << lane;
        pointers[lane] = launch.spare[kind != AccessKind::Read];
        std::memset(pointers[lane], 0, spareBytes);
        continue;
      }
      if (verdict.kind == AccessVerdict::Fault)
        return false;
    }
    pointers[lane] = getPointer(launch, step.warp, lane, space, address);
  }
  mask &= ~step.skipped;
  if (!launch.checker && !launch.counter)
    return true;
  if (!mask)
    return true;
  WarpAccess access{
      step.site,       mask, space,
      bytes,           kind, launch.plan.sites[step.site].isStrong,
      addresses.data()};
  return tellAccess(launch, step.warp, access);
}

bool resolve(Step &step, uint32_t mask, ptx::Space space,
             const Lanes &addresses, uint32_t bytes, AccessKind kind,
             LanePointers &pointers) {
  if (space == ptx::Space::Cluster) {
    Lanes generic;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      generic[lane] = toGeneric(*step.warp.block, addresses[lane]);
    return resolveIn(step, mask, space, generic, bytes, kind, pointers);
  }
  return resolveIn(step, mask, space, addresses, bytes, kind, pointers);
}

} // namespace tc::emulator

using namespace tc::emulator;

/// Whether lanes store different values to one address. The addresses of most
/// stores rise; else a lane looks its own up among those of the lanes before.
static bool differ(const WarpAccess &access) {
  const uint64_t *addresses = access.addresses;
  uint64_t last = 0;
  bool rises = true;
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    uint64_t address = addresses[llvm::countr_zero(lanes)];
    rises &= address > last;
    last = address;
  }
  if (rises)
    return false;
  uint8_t table[2 * warpSize];
  std::memset(table, warpSize, sizeof table);
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    uint64_t place = addresses[lane] * 0x9e3779b97f4a7c15 >> 58;
    while (table[place] != warpSize &&
           addresses[table[place]] != addresses[lane])
      place = (place + 1) % std::size(table);
    if (table[place] == warpSize)
      table[place] = lane;
    for (unsigned i = 0; i < access.elements; ++i)
      if (access.values[i * warpSize + lane] !=
          access.values[i * warpSize + table[place]])
        return true;
  }
  return false;
}

static WarpAccess makeAccess(const Site &site, uint32_t index, uint32_t mask,
                             const uint64_t *addresses) {
  AccessKind kind = site.isAtomic  ? AccessKind::Atomic
                    : site.isStore ? AccessKind::Write
                                   : AccessKind::Read;
  return {index, mask, site.space, site.bytes, kind, site.isStrong, addresses};
}

bool tc_emulator_access(WarpState *warp, uint32_t index, uint32_t mask,
                        uint64_t base, const int64_t *offsets) {
  Launch &launch = getLaunch(*warp);
  if (launch.checker && !launch.checker->settleWrites())
    return false;
  Lanes addresses;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    addresses[lane] = base + offsets[lane];
  WarpAccess access =
      makeAccess(launch.plan.sites[index], index, mask, addresses.data());
  if (launch.options.schedule.kind != Schedule::Deterministic &&
      !launch.scheduler->preempt(access))
    return false;
  bool isFar =
      access.space == ptx::Space::Global || access.space == ptx::Space::Generic;
  if (launch.counter && isFar && access.kind == AccessKind::Read &&
      !launch.scheduler->takeTurns(index))
    return false;
  return tellAccess(launch, *warp, access);
}

bool tc_emulator_group(WarpState *warp, const GroupMember *members,
                       uint32_t mask, uint64_t base, const int64_t *offsets,
                       uint32_t count) {
  Launch &launch = getLaunch(*warp);
  uint32_t index = members->site;
  WarpAccess access = makeAccess(launch.plan.sites[index], index, mask,
                                 reinterpret_cast<const uint64_t *>(offsets));
  if (!launch.checker->settleWrites())
    return false;
  bool isDefined = !launch.undefined || !launch.undefined->isAny();
  if (mask == ~0u && isDefined &&
      launch.checker->accessGroup(*warp, access, {members, count},
                                  access.space == ptx::Space::Shared
                                      ? base + warp->rank * clusterWindow
                                      : base))
    return true;
  for (const GroupMember &member : llvm::ArrayRef(members, count))
    if (!tc_emulator_access(warp, member.site, mask, base + member.offset,
                            offsets))
      return false;
  return true;
}

void tc_emulator_enter(WarpState *warp, uint32_t block, uint32_t mask) {
  if (mask)
    getLaunch(*warp).tracer->enter(*warp, block);
}

bool tc_emulator_values(WarpState *warp, uint32_t index, uint32_t mask,
                        const uint64_t *addresses, const uint64_t *values) {
  Launch &launch = getLaunch(*warp);
  if (!launch.checker)
    return true;
  WarpAccess access =
      makeAccess(launch.plan.sites[index], index, mask, addresses);
  access.space = ptx::Space::Generic;
  access.values = values;
  access.elements = launch.plan.sites[index].elements;
  return !differ(access) || tellAccess(launch, *warp, access);
}
