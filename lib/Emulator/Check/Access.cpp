//===- Access.cpp - The checks of one access ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits an access into runs of lanes that the vector loops take. Runs that
// these do not settle, and strong accesses, are checked granule by granule.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "llvm/Support/MathExtras.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Runs of lanes
//===----------------------------------------------------------------------===//

bool Checker::prepare(Shadow &shadow) {
  if (!shadow.prepare(setup.globalGranule))
    return false;
  if (shadow.initialized.get() && !llvm::is_contained(incomplete, &shadow))
    incomplete.push_back(&shadow);
  return true;
}

Shadow *Checker::findShadow(uint32_t site, ptx::Space space, uint64_t address,
                            uint64_t bytes) {
  if (space == ptx::Space::Shared)
    return shared.contains(address, bytes) ? &shared : nullptr;
  if (site < shadows.size() && shadows[site] &&
      shadows[site]->contains(address, bytes))
    return shadows[site];
  return findGlobal(site, address, bytes);
}

Shadow *Checker::findGlobal(uint32_t site, uint64_t address, uint64_t bytes) {
  if (site >= shadows.size())
    shadows.resize(site + 1);
  Shadow *found = nullptr;
  auto variable = variables.upper_bound(address);
  if (variable != variables.begin() &&
      (--variable)->second.contains(address, bytes)) {
    found = &variable->second;
  } else {
    std::lock_guard<std::mutex> lock(memory.mutex);
    const Allocation *allocation = memory.find(address);
    if (allocation && allocation->shadow.contains(address, bytes))
      found = &allocation->shadow;
  }
  if (!found || !prepare(*found))
    return nullptr;
  return shadows[site] = found;
}

void Checker::findRuns(const WarpAccess &access, Runs &runs) {
  const uint64_t *at = access.addresses;
  uint64_t bytes = access.bytes;
  auto add = [&](uint32_t first, uint32_t count, bool isUniform) {
    uint64_t size = isUniform ? bytes : bytes * count;
    if (Shadow *shadow =
            findShadow(access.site, access.space, at[first], size)) {
      runs.push_back({first, count, isUniform, shadow});
      return true;
    }
    return false;
  };
  if (access.mask == ~0u && loops.isUniform(at)) {
    add(0, warpSize, true);
    return;
  }
  for (uint32_t first = 0, next; first < warpSize; first = next) {
    next = first + 1;
    if (!(access.mask >> first & 1))
      continue;
    auto follows = [&](uint64_t stride) {
      return next < warpSize && access.mask >> next & 1 &&
             at[next] == at[next - 1] + stride;
    };
    bool isUniform = follows(0);
    while (follows(isUniform ? 0 : bytes))
      ++next;
    if (!add(first, next - first, isUniform) && next - first > 1)
      for (uint32_t lane = first; lane < next; ++lane)
        add(lane, 1, false);
  }
}

LaneCells Checker::getCells(const Shadow &shadow, uint64_t address,
                            uint32_t bytes, uint32_t lanes, uint32_t thread,
                            uint32_t site) const {
  uint32_t each = std::max(1u, bytes >> shadow.granule);
  return {shadow.write(address), shadow.read(address), each * lanes,
          lanes == 1 ? 31 : llvm::Log2_32(each),
          make(order.getNow(), thread, site, 0)};
}

LaneCells Checker::getCells(const WarpState &warp, const WarpAccess &access,
                            const Run &run) const {
  return getCells(*run.shadow, access.addresses[run.first], access.bytes,
                  run.isUniform ? 1 : run.count,
                  warp.index * warpSize + run.first, access.site);
}

Readers Checker::getReaders() {
  if (!setup.isFine)
    return Readers::Nameless;
  return exactRecords < mostExactRecords ? Readers::Named : Readers::Sampled;
}

/// A pseudo-random number that an access may depend on (xorshift).
uint64_t Checker::nextSalt() {
  salt ^= salt << 13;
  salt ^= salt >> 7;
  return salt ^= salt << 17;
}

/// Few cells, not worth a vector loop: of one lane, or one address for all.
bool Checker::checkFew(const LaneCells &cells, const WarpAccess &access,
                       bool isUniform) {
  const Window &window = getWindow(access.space);
  bool isRead = access.kind == AccessKind::Read;
  Cell unwritten = isRead ? window.unwritten : window.free;
  Readers readers = getReaders();
  // Several lanes at one address are no one's own.
  int64_t owner = isUniform ? many | int64_t(1023) << threadShift : cells.first;
  Cell next = cells.first;
  if (isUniform && readers == Readers::Nameless)
    next |= many;
  for (uint32_t i = 0; i < cells.count; ++i) {
    Cell write = cells.write[i], &read = cells.read[i];
    bool isSettledWrite =
        isUniform ? write < unwritten ||
                        (write >= window.block && write < window.base)
                  : isSettled(write, owner,
                              {unwritten, window.block, window.base, 0});
    bool isSettledRead =
        isUniform ? isPast(read, window) : isSettled(read, owner, window);
    if (!isSettledWrite || (!isSettledRead && !isRead))
      return false;
    if (!isRead)
      continue;
    bool needsSet = isUniform && readers == Readers::Named;
    if (needsSet || (!isSettledRead && readers == Readers::Named) ||
        (!isSettledRead && readers == Readers::Nameless && getStrength(read)))
      return false;
    if (isSettledRead)
      read = next;
    else if (readers == Readers::Nameless)
      read |= many;
    else if (nextSalt() & 1)
      read = next;
  }
  return true;
}

bool Checker::checkFast(const LaneCells &cells, const Shadow &shadow,
                        ptx::Space space, bool isWrite) {
  const Window &window = getWindow(space);
  if (isWrite)
    return loops.mayWrite(cells, window);
  bool wasWritten =
      space == ptx::Space::Shared || shadow.written >= order.getLaunch();
  Readers readers = getReaders();
  return (wasWritten ? loops.read : loops.readOnly)(
      cells, window, readers, readers == Readers::Sampled ? nextSalt() : 0);
}

bool Checker::accessRow(const WarpState &warp, uint32_t site, ptx::Space space,
                        uint64_t address, uint32_t bytes, bool isWrite) {
  uint64_t size = uint64_t(bytes) * warpSize;
  Shadow *shadow = findShadow(site, space, address, size);
  if (!shadow || bytes >> shadow->granule == 0 ||
      order.getNow() >= lastTick - 1)
    return false;
  LaneCells cells =
      getCells(*shadow, address, bytes, warpSize, warp.index * warpSize, site);
  if (shadow->initialized.get() && !isWrite &&
      std::memchr(shadow->init(address), 0, size))
    return false;
  if (!checkFast(cells, *shadow, space, isWrite))
    return false;
  if (!isWrite)
    return true;
  loops.write(cells);
  shadow->written = order.getNow();
  if (shadow->initialized.get())
    std::memset(shadow->init(address), 1, size);
  return true;
}

template <typename Body>
bool Checker::forActors(const WarpState &warp, const WarpAccess &access,
                        const Run &run, unsigned strength, Body body) {
  uint32_t first = warp.index * warpSize;
  uint64_t granule = uint64_t(1) << run.shadow->granule;
  auto granules = [&](uint32_t lane, uint32_t mask) {
    Actor actor{first, mask, strength,
                make(order.getNow(), first + lane, access.site, strength)};
    uint64_t address = access.addresses[lane];
    for (uint64_t at = address; at < address + access.bytes; at += granule)
      if (!body(actor, at))
        return false;
    return true;
  };
  uint32_t lanes = uint32_t(llvm::maskTrailingOnes<uint64_t>(run.count))
                   << run.first;
  if (run.isUniform && order.knowSame(first, lanes))
    return granules(run.first, lanes);
  for (uint32_t lane = run.first; lane < run.first + run.count; ++lane)
    if (!granules(lane, 1u << lane))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Weak and strong accesses
//===----------------------------------------------------------------------===//

bool Checker::access(const WarpState &warp, const WarpAccess &access) {
  if (access.space == ptx::Space::Local)
    return checkLocal(warp, access);
  bool isTracked =
      access.space == ptx::Space::Shared || access.space == ptx::Space::Global;
  if (!isTracked || order.getNow() >= lastTick - 1)
    return true;
  bool isWeak = !access.isStrong && access.kind != AccessKind::Atomic;
  const uint64_t *at = access.addresses;
  if (isWeak && access.mask == ~0u && loops.isContiguous(at, access.bytes) &&
      accessRow(warp, access.site, access.space, at[0], access.bytes,
                access.kind == AccessKind::Write))
    return true;
  Runs runs;
  findRuns(access, runs);
  if (!(isWeak ? accessWeak(warp, access, runs)
               : accessStrong(warp, access, runs)))
    return false;
  return incomplete.empty() || checkInitialized(warp, access, runs);
}

bool Checker::accessWeak(const WarpState &warp, const WarpAccess &access,
                         const Runs &runs) {
  for (const Run &run : runs) {
    LaneCells cells = getCells(warp, access, run);
    bool isFew = run.isUniform || run.count == 1;
    if (isFew ? checkFew(cells, access, run.isUniform)
              : checkFast(cells, *run.shadow, access.space,
                          access.kind == AccessKind::Write))
      continue;
    // All lanes, in case that a later one knows its other party.
    forActors(warp, access, run, 0, [&](const Actor &actor, uint64_t address) {
      checkExact(access, *run.shadow, address, actor);
      return !finding || !finding->other || !finding->other->isKnown;
    });
    if (finding)
      return false;
  }
  return access.kind == AccessKind::Read || store(warp, access, runs);
}

bool Checker::accessStrong(const WarpState &warp, const WarpAccess &access,
                           const Runs &runs) {
  SiteFacts facts = getFacts(access.site);
  bool isShared = access.space == ptx::Space::Shared;
  bool reads = access.kind != AccessKind::Write;
  bool writes = access.kind != AccessKind::Read;
  unsigned strength = facts.isWide || isShared ? 2 : 1;
  for (const Run &run : runs) {
    if (writes)
      run.shadow->written = order.getNow();
    bool isFine = forActors(
        warp, access, run, strength, [&](const Actor &actor, uint64_t address) {
          if (!checkExact(access, *run.shadow, address, actor))
            return false;
          if (writes)
            record(run.shadow->write(address), actor, access.space);
          return true;
        });
    if (!isFine)
      return false;
    for (uint32_t lane = run.first;
         setup.isFine && lane < run.first + run.count; ++lane)
      order.access(
          warp.index * warpSize + lane, isShared, access.addresses[lane],
          {reads, writes, facts.acquires, facts.releases, facts.isWide});
  }
  return true;
}

/// Marks the cells of a weak write that was checked.
bool Checker::store(const WarpState &warp, const WarpAccess &access,
                    const Runs &runs) {
  // The cells held nothing of this tick by another thread of the warp, or there
  // would have been a race. Where they do now, lanes have one address.
  bool overlaps = false;
  Tick now = order.getNow();
  for (const Run &run : runs) {
    run.shadow->written = now;
    overlaps |= run.isUniform;
    if (overlaps)
      break;
    LaneCells cells = getCells(warp, access, run);
    if (runs.size() > 1)
      for (uint32_t i = 0; i < cells.count; ++i) {
        Cell own = cells.first + (int64_t(i >> cells.shift) << threadShift);
        overlaps |= getTick(cells.write[i]) == now &&
                    ((cells.write[i] ^ own) & ownMask) != 0;
      }
    if (run.count > 1)
      loops.write(cells);
    else
      std::fill_n(cells.write, cells.count, cells.first);
  }
  if (!overlaps)
    return true;
  if (!checkValues(warp, access))
    return false;
  for (const Run &run : runs)
    forActors(warp, access, run, 0, [&](const Actor &actor, uint64_t address) {
      record(run.shadow->write(address), actor, access.space);
      return true;
    });
  return true;
}

/// Whether lanes that store to one address store one value.
bool Checker::checkValues(const WarpState &warp, const WarpAccess &access) {
  uint32_t first = warp.index * warpSize;
  for (uint32_t lane = 0; access.values && lane < warpSize; ++lane)
    for (uint32_t other = 0; other < lane; ++other) {
      if (!(access.mask >> lane & access.mask >> other & 1) ||
          access.addresses[lane] != access.addresses[other])
        continue;
      for (uint32_t i = 0; i < access.elements; ++i)
        if (access.values[i * warpSize + lane] !=
            access.values[i * warpSize + other])
          return report(
              access, access.addresses[lane], first + lane, FindingClass::Race,
              CheckFinding::Other{true, true, order.getBlockAt(order.getNow()),
                                  true, access.site, first + other,
                                  /*isSameInstruction=*/true});
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

bool Checker::checkInitialized(const WarpState &warp, const WarpAccess &access,
                               const Runs &runs) {
  for (const Run &run : runs) {
    Shadow &shadow = *run.shadow;
    if (!shadow.initialized.get())
      continue;
    uint64_t address = access.addresses[run.first];
    uint64_t bytes = uint64_t(access.bytes) * (run.isUniform ? 1 : run.count);
    uint8_t *map = shadow.init(address);
    if (access.kind == AccessKind::Write) {
      std::memset(map, 1, bytes);
      continue;
    }
    if (const void *hole = std::memchr(map, 0, bytes)) {
      uint64_t lane = (static_cast<const uint8_t *>(hole) - map) / access.bytes;
      return report(access, address + lane * access.bytes,
                    warp.index * warpSize + run.first + lane,
                    FindingClass::Uninitialised);
    }
  }
  return true;
}

bool Checker::checkLocal(const WarpState &warp, const WarpAccess &access) {
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    uint32_t lane = llvm::countr_zero(lanes);
    uint64_t offset = access.addresses[lane] - localStart;
    if (offset + access.bytes > setup.localBytes)
      continue;
    uint32_t thread = warp.index * warpSize + lane;
    char *map = local.get() + thread * setup.localBytes + offset;
    for (uint32_t i = 0; access.kind != AccessKind::Write && i < access.bytes;
         ++i)
      if (uint8_t(map[i]) != localStamp)
        return report(access, access.addresses[lane], thread,
                      FindingClass::Uninitialised);
    std::memset(map, localStamp, access.bytes);
  }
  return true;
}

} // namespace tc::emulator
