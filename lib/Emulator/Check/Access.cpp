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
  return exactRecords < setup.mostExactRecords ? Readers::Named
                                               : Readers::Sampled;
}

/// A pseudo-random number that an access may depend on (xorshift).
uint64_t Checker::nextSalt() {
  salt ^= salt << 13;
  salt ^= salt >> 7;
  return salt ^= salt << 17;
}

/// Checks one granule as the vector loops do. `own`: what the lane leaves, none
/// if there are several lanes; `next`: what is left if the cell is settled.
bool Checker::checkCell(const CellRules &rules, Cell write, Cell &read,
                        std::optional<Cell> own, Cell next) {
  const Window &window = rules.window;
  auto isDone = [&](Cell cell, Cell free) {
    return cell < free || (cell >= window.block && cell < window.base) ||
           (own && cell >= window.block && ((cell ^ *own) & ownMask) == 0);
  };
  bool settled = isDone(read, window.free);
  if (!isDone(write, rules.isRead ? window.unwritten : window.free))
    return false;
  if (!rules.isRead)
    return settled;
  if (rules.readers == Readers::Named
          ? !settled || !own
          : !settled && getStrength(read) && rules.readers == Readers::Nameless)
    return false;
  if (settled)
    read = next;
  else if (rules.readers == Readers::Nameless)
    read |= many;
  else if (nextSalt() & 1)
    read = next;
  return true;
}

Checker::CellRules Checker::getRules(const WarpAccess &access) {
  return {getWindow(access.space), access.kind == AccessKind::Read,
          getReaders()};
}

/// Few cells, not worth a vector loop: of one lane, or one address for all.
bool Checker::checkFew(const LaneCells &cells, const WarpAccess &access,
                       bool isUniform) {
  CellRules rules = getRules(access);
  bool isNameless = isUniform && rules.readers == Readers::Nameless;
  Cell next = cells.first | (isNameless ? many : 0);
  std::optional<Cell> own;
  if (!isUniform)
    own = cells.first;
  for (uint32_t i = 0; i < cells.count; ++i)
    if (!checkCell(rules, cells.write[i], cells.read[i], own, next))
      return false;
  return true;
}

/// A weak access of lanes far apart; none: it is for the runs to tell.
std::optional<bool> Checker::accessScattered(const WarpState &warp,
                                             const WarpAccess &access) {
  CellRules rules = getRules(access);
  Shadow *shadow = nullptr;
  LaneCells lanes[warpSize];
  uint32_t count = 0;
  for (uint32_t left = access.mask; left; left &= left - 1) {
    uint32_t lane = llvm::countr_zero(left);
    uint64_t address = access.addresses[lane];
    if (!shadow)
      shadow = findShadow(access.site, access.space, address, access.bytes);
    if (!shadow || shadow->initialized.get() ||
        !shadow->contains(address, access.bytes))
      return std::nullopt;
    LaneCells &cells = lanes[count++];
    cells = getCells(*shadow, address, access.bytes, 1,
                     warp.index * warpSize + lane, access.site);
    for (uint32_t i = 0; i < cells.count; ++i)
      if (!checkCell(rules, cells.write[i], cells.read[i], cells.first,
                     cells.first))
        return std::nullopt;
  }
  if (rules.isRead || !shadow)
    return true;
  Tick now = order.getNow();
  shadow->written = now;
  for (const LaneCells &cells : llvm::ArrayRef(lanes, count))
    for (uint32_t i = 0; i < cells.count; ++i) {
      // Another lane of this instruction: see `store`.
      if (getTick(cells.write[i]) == now &&
          ((cells.write[i] ^ cells.first) & ownMask)) {
        Runs runs;
        findRuns(access, runs);
        return storeOverlapping(warp, access, runs);
      }
      cells.write[i] = cells.first;
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
  uint32_t neighbours = access.mask & access.mask >> 1;
  uint32_t lane = neighbours ? llvm::countr_zero(neighbours) : 0;
  bool isNear = neighbours && at[lane + 1] - at[lane] <= access.bytes;
  if (isWeak && !isNear)
    if (std::optional<bool> isFine = accessScattered(warp, access))
      return *isFine;
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
  return !overlaps || storeOverlapping(warp, access, runs);
}

bool Checker::storeOverlapping(const WarpState &warp, const WarpAccess &access,
                               const Runs &runs) {
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
