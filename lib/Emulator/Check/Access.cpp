//===- Access.cpp - The checks of one access ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries the fast path (Runs.cpp). Lanes that it does not settle, and strong
// accesses, are checked granule by granule (Exact.cpp).
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "llvm/Support/MathExtras.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Weak and strong accesses
//===----------------------------------------------------------------------===//

template <typename Body>
void Checker::forActors(const WarpState &warp, const WarpAccess &access,
                        const Run &run, unsigned strength, Body body) {
  uint32_t first = warp.getFirstThread();
  uint64_t granule = uint64_t(1) << run.shadow->granule;
  auto granules = [&](uint32_t lane, uint32_t mask) {
    Actor actor{first, mask, strength,
                make(order.getNow(), first + lane, access.site, strength)};
    uint64_t address = access.addresses[lane];
    for (uint64_t at = address; at < address + access.bytes; at += granule)
      body(actor, at);
  };
  uint32_t lanes = uint32_t(llvm::maskTrailingOnes<uint64_t>(run.count))
                   << run.first;
  if (run.isUniform && order.knowSame(first, lanes))
    return granules(run.first, lanes);
  for (uint32_t lane = run.first; lane < run.first + run.count; ++lane)
    granules(lane, 1u << lane);
}

bool Checker::access(const WarpState &warp, const WarpAccess &access) {
  if (access.space == ptx::Space::Local)
    return checkLocal(warp, access);
  bool isTracked =
      access.space == ptx::Space::Shared || access.space == ptx::Space::Global;
  if (!isTracked || order.getNow() >= lastTick - 1)
    return true;
  noteSplit(warp);
  if (hasAsyncReaders() && access.kind != AccessKind::Read &&
      access.space == ptx::Space::Shared)
    checkReaders(warp, access);
  bool isWeak = !access.isStrong && access.kind != AccessKind::Atomic;
  Runs runs;
  findRuns(access, loops.compare(access.addresses, access.bytes), runs);
  if (prologue && access.space == ptx::Space::Global)
    notePrologue(warp, access, runs);
  if (isWeak)
    accessWeak(warp, access, runs);
  else
    accessStrong(warp, access, runs);
  if (!incomplete.empty())
    checkInitialized(warp, access, runs);
  return tell();
}

void Checker::notePrologue(const WarpState &warp, const WarpAccess &access,
                           const Runs &runs) {
  bool isStrong = (access.isStrong || access.kind == AccessKind::Atomic) &&
                  getFacts(access.site).isWide;
  Use use{access.kind != AccessKind::Read, isStrong};
  for (const Run &run : runs.get())
    prologue->access(make(order.getNow(), warp.getFirstThread() + run.first,
                          access.site, isStrong ? 2 : 0),
                     run.count, run.isUniform, access.addresses[run.first],
                     access.bytes, use, order);
}

void Checker::accessWeak(const WarpState &warp, const WarpAccess &access,
                         const Runs &runs) {
  for (const Run &run : runs.get()) {
    Stretch stretch;
    LaneCells cells = getCells(warp, access, run, stretch);
    bool isWrite = access.kind == AccessKind::Write;
    if (!(isWrite &&
          hasGlobalReaders(access.space, access.addresses[run.first],
                           uint64_t(stretch.count) << run.shadow->granule)) &&
        checkFast(cells, *run.shadow, access.space, isWrite))
      continue;
    forActors(warp, access, run, 0, [&](const Actor &actor, uint64_t address) {
      checkExact(access, *run.shadow, address, actor);
    });
  }
  if (access.kind != AccessKind::Read)
    store(warp, access, runs);
}

void Checker::accessStrong(const WarpState &warp, const WarpAccess &access,
                           const Runs &runs) {
  SiteFacts facts = getFacts(access.site);
  bool isShared = access.space == ptx::Space::Shared;
  bool reads = access.kind != AccessKind::Write;
  bool writes = access.kind != AccessKind::Read;
  // No other block reaches it.
  bool isPrivate = isShared && setup.blocks == 1;
  unsigned strength = facts.isWide || isPrivate ? 2 : 1;
  for (const Run &run : runs.get()) {
    if (writes)
      run.shadow->written = order.getNow();
    forActors(warp, access, run, strength,
              [&](const Actor &actor, uint64_t address) {
                checkExact(access, *run.shadow, address, actor);
                Cell *cell = run.shadow->write(address);
                if (writes && !isInFlight(*cell))
                  record(cell, actor, access.space);
              });
    observe(warp, access, run, strength);
    for (uint32_t lane = run.first;
         setup.isFine && lane < run.first + run.count; ++lane)
      order.access(
          warp.getFirstThread() + lane, isShared, access.addresses[lane],
          {reads, writes, facts.acquires, facts.releases, facts.isWide});
  }
  order.advance();
}

/// Tells what each lane finds and writes.
void Checker::observe(const WarpState &warp, const WarpAccess &access,
                      const Run &run, unsigned strength) {
  uint64_t granule = uint64_t(1) << run.shadow->granule;
  for (uint32_t lane = run.first; lane < run.first + run.count; ++lane) {
    uint64_t address = access.addresses[lane];
    StrongAccess strong{address,
                        access.bytes,
                        warp.getFirstThread() + lane,
                        strength,
                        access.kind != AccessKind::Write,
                        access.kind != AccessKind::Read};
    for (uint64_t at = address; at < address + access.bytes; at += granule)
      observation.access(access.space == ptx::Space::Shared, at, strong,
                         setup.threads);
  }
}

/// Marks the cells of a weak write that was checked.
void Checker::store(const WarpState &warp, const WarpAccess &access,
                    const Runs &runs) {
  // The cells held nothing of this tick by another thread of the warp, or there
  // would have been a race. Where they do now, lanes have one address.
  bool overlaps = false;
  Tick now = order.getNow();
  for (const Run &run : runs.get()) {
    run.shadow->written = now;
    overlaps |= run.isUniform;
    if (overlaps)
      break;
    Stretch stretch;
    LaneCells cells = getCells(warp, access, run, stretch);
    if (runs.count > 1)
      for (uint32_t i = 0; i < stretch.count; ++i)
        overlaps |=
            getTick(cells.write[i]) == now &&
            ((cells.write[i] ^ (cells.first + cells.owners[i])) & ownMask);
    loops.write(cells);
  }
  if (overlaps)
    storeOverlapping(warp, access, runs);
}

void Checker::storeOverlapping(const WarpState &warp, const WarpAccess &access,
                               const Runs &runs) {
  checkValues(warp, access);
  for (const Run &run : runs.get())
    forActors(warp, access, run, 0, [&](const Actor &actor, uint64_t address) {
      record(run.shadow->write(address), actor, access.space);
    });
}

/// Whether lanes that store to one address store one value.
void Checker::checkValues(const WarpState &warp, const WarpAccess &access) {
  uint32_t first = warp.getFirstThread();
  for (uint32_t lane = 0; access.values && lane < warpSize; ++lane)
    for (uint32_t other = 0; other < lane; ++other) {
      if (!(access.mask >> lane & access.mask >> other & 1) ||
          access.addresses[lane] != access.addresses[other])
        continue;
      for (uint32_t i = 0; i < access.elements; ++i)
        if (access.values[i * warpSize + lane] !=
            access.values[i * warpSize + other])
          return void(report(
              access, access.addresses[lane], first + lane, FindingClass::Race,
              CheckFinding::Other{true, true, order.getBlockAt(order.getNow()),
                                  true, access.site, first + other,
                                  /*isSameInstruction=*/true}));
    }
}

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

void Checker::checkInitialized(const WarpState &warp, const WarpAccess &access,
                               const Runs &runs) {
  for (const Run &run : runs.get()) {
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
    for (uint64_t at = 0; at < bytes; ++at) {
      const void *hole = std::memchr(map + at, 0, bytes - at);
      if (!hole)
        break;
      at = static_cast<const uint8_t *>(hole) - map;
      uint64_t lane = run.first + at / access.bytes;
      uint32_t lanes = run.isUniform
                           ? ((uint64_t(1) << run.count) - 1) << run.first
                           : 1u << lane;
      if (!takesHole(access, lanes, address + at, 1))
        report(access, access.addresses[lane], warp.getFirstThread() + lane,
               FindingClass::Uninitialised);
    }
  }
}

/// Whether a byte of local memory is of a call's argument.
bool Checker::isArgument(uint64_t offset) const {
  return llvm::any_of(setup.localArguments, [&](auto range) {
    return offset >= range.first && offset < range.second;
  });
}

bool Checker::checkLocal(const WarpState &warp, const WarpAccess &access) {
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    uint32_t lane = llvm::countr_zero(lanes);
    uint64_t offset = access.addresses[lane] - localStart;
    if (offset + access.bytes > setup.localBytes)
      continue;
    uint32_t thread = warp.getFirstThread() + lane;
    char *map = local.get() + thread * setup.localBytes + offset;
    for (uint32_t i = 0; access.kind != AccessKind::Write && i < access.bytes;
         ++i)
      if (uint8_t(map[i]) != localStamp && !isArgument(offset + i) &&
          !takesHole(access, 1u << lane, access.addresses[lane] + i, 1))
        report(access, access.addresses[lane], thread,
               FindingClass::Uninitialised);
    // What is undefined stays so until it is written.
    if (access.kind != AccessKind::Read || !setup.takeHole)
      std::memset(map, localStamp, access.bytes);
  }
  return tell();
}

} // namespace tc::emulator
