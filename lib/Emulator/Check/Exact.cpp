//===- Exact.cpp - Races, one granule at a time ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slow path: compares an access with all that a granule's cells stand for,
// and makes them stand for it too. An access is forgotten once a later one
// dominates it: whatever races with the former races with the latter.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

bool Checker::report(const WarpAccess &access, uint64_t address,
                     uint32_t thread, FindingClass what,
                     const std::optional<CheckFinding::Other> &other) {
  bool isChosen = setup.checks.has(what == FindingClass::Async ? Checks::Async
                                   : what == FindingClass::Uninitialised
                                       ? Checks::Uninitialised
                                       : Checks::Races);
  // The granules of one lane's access make one finding.
  auto isSame = [&](const CheckFinding &last) {
    return !last.isOfWrites() && last.thread == thread && last.what == what &&
           last.other.has_value() == other.has_value() &&
           (!other || (last.other->site == other->site &&
                       last.other->isKnown == other->isKnown));
  };
  if (isChosen && (found.empty() || !isSame(found.back())))
    found.push_back({what, access.site, thread, access.space, address,
                     access.bytes, access.kind, other});
  return false;
}

bool Checker::tell(const CheckFinding &given) {
  CheckFinding one = given;
  // The thread that had an agent do it.
  if (one.other && one.other->thread >= countThreads() &&
      one.other->thread - countThreads() < issuers.size()) {
    one.other->thread = issuers[one.other->thread - countThreads()];
    one.other->isAgent = true;
  }
  if (setup.report)
    return setup.report(one);
  if (!finding)
    finding = one;
  return false;
}

/// Tells what the last access did wrong. False: the launch ends.
bool Checker::tell() {
  if (found.empty())
    return true;
  // Where one party is known, nothing needs to be said of "several".
  bool isAnyKnown = llvm::any_of(found, [](const CheckFinding &one) {
    return one.other && one.other->isKnown;
  });
  bool goesOn = true;
  for (const CheckFinding &one : std::exchange(found, {})) {
    if (isAnyKnown && one.other && !one.other->isKnown)
      continue;
    // Nobody had written it, as the race says.
    llvm::erase_if(deferred, [&](const CheckFinding &read) {
      return one.other && read.space == one.space &&
             read.address - one.address < one.bytes;
    });
    if (!one.isOfWrites() || !setup.read) {
      goesOn = goesOn && tell(one);
      continue;
    }
    writes.push_back({one, {}});
    setup.read(one.space, one.address, granuleOf(one.space),
               writes.back().second.data());
  }
  return goesOn;
}

bool Checker::tellWrites() {
  bool goesOn = true;
  for (auto &[one, before] : std::exchange(writes, {})) {
    std::array<char, 8> after{};
    setup.read(one.space, one.address, granuleOf(one.space), after.data());
    CheckFinding finding = one;
    if (after == before)
      finding.what = FindingClass::SameValue;
    goesOn = goesOn && tell(finding);
  }
  return goesOn;
}

bool Checker::tellDeferred() {
  bool goesOn = true;
  for (const CheckFinding &one : std::exchange(deferred, {}))
    goesOn = goesOn && tell(one);
  return goesOn;
}

/// So many reads are kept back; others are not told.
static constexpr size_t mostDeferred = 1 << 14;

void Checker::defer(const WarpAccess &access, uint64_t address,
                    uint32_t thread) {
  if (deferred.size() < mostDeferred)
    deferred.push_back({FindingClass::Uninitialised, access.site, thread,
                        access.space, address, access.bytes, access.kind,
                        std::nullopt});
}

/// Checks one granule; marks it as read if the access only reads. False: it
/// races.
bool Checker::checkExact(const WarpAccess &access, const Shadow &shadow,
                         uint64_t address, const Actor &actor) {
  const Cell *write = shadow.write(address);
  bool isWrite = access.kind == AccessKind::Write;
  if (!isWrite && access.space == ptx::Space::Shared &&
      *write < sharedWindow.block &&
      !takesHole(access, actor.mask, address, 1u << shadow.granule))
    defer(access, address, *actor.getThreadBut(std::nullopt));
  bool isFine = checkConflict(access, address, write, actor, /*isWrite=*/true);
  Cell *read = shadow.read(address);
  if (access.kind != AccessKind::Read)
    return isFine &&
           checkConflict(access, address, read, actor, /*isWrite=*/false) &&
           checkGlobalReaders(access, address, uint64_t(1) << shadow.granule,
                              actor);
  record(read, actor, access.space);
  return isFine;
}

/// Whether everything behind `*cell` is ordered before the actor, or may race.
bool Checker::checkConflict(const WarpAccess &access, uint64_t address,
                            const Cell *cell, const Actor &actor,
                            bool isWrite) {
  if (isPast(*cell, getWindow(access.space)))
    return true;
  if (!isInFlight(*cell))
    return checkMembers(access, address, sets.get(cell), actor, isWrite);
  // Nobody knows of a thread that it is ordered after.
  return checkMembers(access, address, Member{*cell, 0}, actor, isWrite);
}

/// Whether all of `members` are ordered before the actor, or may race.
bool Checker::checkMembers(const WarpAccess &access, uint64_t address,
                           llvm::ArrayRef<Member> members, const Actor &actor,
                           bool isWrite) {
  const Window &window = getWindow(access.space);
  auto fail = [&](Cell other, std::optional<uint32_t> thread, uint32_t own) {
    bool flies = isInFlight(other);
    CheckFinding::Other party{
        isWrite,
        other >= window.block,
        order.getBlockAt(flies ? order.getNow() : getTick(other)),
        thread.has_value(),
        getSite(other),
        thread.value_or(0)};
    return report(access, address, own,
                  flies ? FindingClass::Async : FindingClass::Race, party);
  };
  uint32_t own = *actor.getThreadBut(std::nullopt);
  for (const Member &member : members) {
    if (isInFlight(member.cell))
      return fail(member.cell, getThread(member.cell), own);
    if (isPast(member.cell, window))
      continue;
    bool isSameBlock = member.cell >= window.block;
    unsigned strength = std::min(actor.strength, getStrength(member.cell));
    if (strength == 2 || (strength && isSameBlock &&
                          areOfOneBlock(getThread(member.cell), actor.first)))
      continue;
    if (setup.isThreads && isWrite && access.kind == AccessKind::Write &&
        isSameBlock && member.getWarp() == actor.first &&
        getSite(member.cell) == getSite(actor.cell))
      continue;
    bool mayObserve = isWrite && getStrength(member.cell);
    if (!member.mask && mayObserve &&
        isObserved(access, address, actor, getTick(member.cell), std::nullopt))
      continue;
    if (!member.mask) {
      uint32_t named = getThread(member.cell);
      std::optional<uint32_t> other =
          isSameBlock ? actor.getThreadBut(named) : own;
      // Then it is another one of the set that races.
      if (mayObserve &&
          isObserved(access, address, actor, getTick(member.cell), named))
        other = std::nullopt;
      return other ? fail(member.cell, named, *other)
                   : fail(member.cell, std::nullopt, own);
    }
    for (uint32_t lanes = member.mask; lanes; lanes &= lanes - 1) {
      uint32_t thread = member.getWarp() + llvm::countr_zero(lanes);
      // The actor's threads know the same.
      std::optional<uint32_t> other =
          isSameBlock ? actor.getThreadBut(thread) : own;
      if (other && !order.isBefore(getTick(member.cell), thread, *other) &&
          !(isWrite &&
            isFencedInit(access, address, member.cell, thread, *other)) &&
          !(mayObserve &&
            isObserved(access, address, actor, getTick(member.cell), thread)))
        return fail(member.cell, thread, *other);
    }
  }
  return true;
}

/// Whether each of the actor's threads observed the strong write of `thread`;
/// without one, all strong writes since `tick`.
bool Checker::isObserved(const WarpAccess &access, uint64_t address,
                         const Actor &actor, Tick tick,
                         std::optional<uint32_t> thread) const {
  bool isShared = access.space == ptx::Space::Shared;
  for (uint32_t lanes = actor.mask; lanes; lanes &= lanes - 1) {
    uint32_t own = actor.first + llvm::countr_zero(lanes);
    bool isSame = tick >= order.getBlock() && own == thread;
    if (isSame)
      continue;
    if (thread ? !observation.isBefore(isShared, address, {tick, *thread}, own)
               : !observation.areAllBefore(isShared, address, tick, own))
      return false;
  }
  return true;
}

/// Leaves of `member` what the actor does not dominate. True: nothing.
bool Checker::dominates(const Actor &actor, Member &member,
                        ptx::Space space) const {
  const Window &window = getWindow(space);
  bool isOfBlock = member.cell >= window.block;
  bool isPastBarrier = isOfBlock && member.cell < window.base;
  bool isWeaker = getStrength(member.cell) < actor.strength;
  if (member.cell < window.free ||
      (isPastBarrier && (!isWeaker || space == ptx::Space::Shared)))
    return true;
  if (isWeaker || !member.mask)
    return false;
  uint32_t left = member.mask, own = *actor.getThreadBut(std::nullopt);
  if (isOfBlock && member.getWarp() == actor.first)
    left &= ~actor.mask;
  if (isOfBlock ? order.knowsMore(own) : order.knowsForeign(own))
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1)
      if (order.isBefore(getTick(member.cell),
                         member.getWarp() + llvm::countr_zero(lanes), own))
        left &= ~(lanes & -lanes);
  if (left && left != member.mask)
    member.keepLanes(left);
  return !left;
}

/// Makes `*cell` stand for the actor too. The actor may race with none of what
/// it stands for, unless `*cell` tells of readers.
void Checker::record(Cell *cell, const Actor &actor, ptx::Space space) {
  const Window &window = getWindow(space);
  Cell old = *cell;
  if (!setup.isFine && !isSet(old)) {
    bool isOwn = actor.isOne() && old >= window.block &&
                 isSettled(old, actor.cell, window);
    bool isGone = isPast(old, window) &&
                  (old < window.free || space == ptx::Space::Shared ||
                   actor.strength <= getStrength(old));
    if (isGone) {
      *cell = actor.isOne() ? actor.cell : actor.cell | many;
      return;
    }
    // Only barriers order: in one interval the weaker of one's own stands.
    if (isOwn && !isPast(old, window)) {
      if (actor.strength <= getStrength(old))
        *cell = actor.cell;
      return;
    }
    if (!isPast(old, window) && actor.strength == getStrength(old)) {
      *cell = old | many;
      return;
    }
  }
  ++exactRecords;
  sets.update(cell, {actor.cell, actor.mask}, window.block,
              [&](Member &member) { return dominates(actor, member, space); });
}

} // namespace tc::emulator
