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

Shadow *Checker::findShadow(const WarpAccess &access, uint64_t address,
                            uint64_t bytes) {
  if (access.space == ptx::Space::Shared)
    return shared.contains(address, bytes) ? &shared : nullptr;
  if (access.site >= shadows.size())
    shadows.resize(access.site + 1);
  Shadow *&last = shadows[access.site];
  if (last && last->contains(address, bytes))
    return last;
  auto variable = variables.upper_bound(address);
  if (variable != variables.begin() &&
      (--variable)->second.contains(address, bytes)) {
    last = prepare(variable->second) ? &variable->second : nullptr;
    return last;
  }
  std::lock_guard<std::mutex> lock(memory.mutex);
  const Allocation *found = memory.find(address);
  if (!found || !found->shadow.contains(address, bytes))
    return nullptr;
  last = prepare(found->shadow) ? &found->shadow : nullptr;
  return last;
}

void Checker::findRuns(const WarpAccess &access, Runs &runs) {
  const uint64_t *at = access.addresses;
  uint64_t bytes = access.bytes;
  auto add = [&](uint32_t first, uint32_t count, bool isUniform) {
    uint64_t size = isUniform ? bytes : bytes * count;
    if (Shadow *shadow = findShadow(access, at[first], size)) {
      runs.push_back({first, count, isUniform, shadow});
      return true;
    }
    return false;
  };
  if (access.mask == ~0u) {
    if (loops.isContiguous(at, bytes) && add(0, warpSize, false))
      return;
    if (loops.isUniform(at)) {
      add(0, warpSize, true);
      return;
    }
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

LaneCells Checker::getCells(const WarpState &warp, const WarpAccess &access,
                            const Run &run) const {
  const Shadow &shadow = *run.shadow;
  uint64_t address = access.addresses[run.first];
  uint32_t each = std::max(1u, access.bytes >> shadow.granule);
  bool isOneLane = run.count == 1 || run.isUniform;
  uint32_t thread = warp.index * warpSize + run.first;
  return {shadow.write(address), shadow.read(address),
          isOneLane ? each : each * run.count,
          isOneLane ? 31 : llvm::Log2_32(each),
          make(order.getNow(), thread, access.site, 0)};
}

/// One address for several lanes.
bool Checker::checkUniform(const LaneCells &cells, const WarpAccess &access) {
  const Window &window = getWindow(access.space);
  bool isRead = access.kind == AccessKind::Read;
  Window writes = window;
  if (isRead)
    writes.free = window.unwritten;
  if (isRead && setup.isFine)
    return false;
  for (uint32_t i = 0; i < cells.count; ++i) {
    Cell &read = cells.read[i];
    if (!isPast(cells.write[i], writes))
      return false;
    if (!isPast(read, window)) {
      if (!isRead || getStrength(read))
        return false;
      read |= many;
    } else if (isRead) {
      read = cells.first | many;
    }
  }
  return true;
}

bool Checker::checkFast(const WarpState &warp, const WarpAccess &access,
                        const Run &run) {
  LaneCells cells = getCells(warp, access, run);
  if (run.isUniform)
    return checkUniform(cells, access);
  const Window &window = getWindow(access.space);
  if (access.kind == AccessKind::Write)
    return loops.mayWrite(cells, window);
  bool wasWritten = access.space == ptx::Space::Shared ||
                    run.shadow->written >= order.getLaunch();
  return (wasWritten ? loops.read : loops.readOnly)(cells, window,
                                                    !setup.isFine);
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
  Runs runs;
  findRuns(access, runs);
  bool isWeak = !access.isStrong && access.kind != AccessKind::Atomic;
  if (!(isWeak ? accessWeak(warp, access, runs)
               : accessStrong(warp, access, runs)))
    return false;
  return incomplete.empty() || checkInitialized(warp, access, runs);
}

bool Checker::accessWeak(const WarpState &warp, const WarpAccess &access,
                         const Runs &runs) {
  for (const Run &run : runs) {
    if (checkFast(warp, access, run))
      continue;
    // All lanes, in case that a later one knows its other party.
    forActors(warp, access, run, 0, [&](const Actor &actor, uint64_t address) {
      checkExact(access, *run.shadow, address, actor);
      return !finding || !finding->other->isKnown;
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
  // Accesses are aligned, so runs meet only where lanes have one address.
  bool overlaps = false;
  for (size_t i = 0; i < runs.size(); ++i) {
    uint64_t first = access.addresses[runs[i].first];
    overlaps |= runs[i].isUniform;
    for (size_t j = 0; j < i; ++j) {
      uint64_t other = access.addresses[runs[j].first];
      overlaps |= first < other + uint64_t(runs[j].count) * access.bytes &&
                  other < first + uint64_t(runs[i].count) * access.bytes;
    }
  }
  if (overlaps && !checkValues(warp, access))
    return false;
  for (const Run &run : runs) {
    run.shadow->written = order.getNow();
    if (!overlaps)
      loops.write(getCells(warp, access, run));
    else
      forActors(warp, access, run, 0,
                [&](const Actor &actor, uint64_t address) {
                  record(run.shadow->write(address), actor, access.space);
                  return true;
                });
  }
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
