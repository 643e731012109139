//===- Bulk.cpp - Checks of bulk copies -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Agents]. A bulk copy into shared memory writes as no thread: not even
// the one that issued it is ordered after it before it has seen the end of a
// phase. So what ended on an mbarrier counts as written by an *agent* of that
// mbarrier, which is numbered behind the threads, and whoever sees the end of a
// phase learns what the agent did until then. Between the issue and the moment
// when somebody sees that, what is written is in flight. Where a cluster has so
// many threads that no number is left, the thread that issued it is taken.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

uint32_t Checker::getAgent(uint64_t object, uint32_t issuer) {
  uint32_t first = countThreads();
  auto [found, isNew] = agents.try_emplace(object, first + issuers.size());
  if (isNew && found->second <= threadMask)
    issuers.push_back(issuer);
  if (found->second > threadMask)
    return issuer;
  issuers[found->second - first] = issuer;
  return found->second;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool Checker::issueBulkWrite(const WarpState &warp, unsigned lane,
                             uint32_t site, uint64_t address, uint64_t bytes,
                             bool combines, bool isGeneric) {
  if (order.getNow() >= lastTick - 1)
    return true;
  noteSplit(warp);
  uint32_t thread = warp.getFirstThread() + lane;
  WarpAccess access{
      site,  1u << lane, ptx::Space::Shared, uint32_t(bytes), AccessKind::Write,
      false, nullptr};
  Actor actor{warp.getFirstThread(), 1u << lane, 0,
              make(order.getNow(), thread, site, 0)};
  if (hasAsyncReaders())
    checkReaders(warp, access, lane, address);
  if (combines)
    combining.insert(site);
  Cell flying = make(lastTick, thread, site, setStrength) | many, seen = 0;
  constexpr int64_t mask = ~(int64_t(lastSite) << siteShift);
  uint64_t granule = 1u << shared.granule;
  for (uint64_t at = address; at < address + bytes; at += granule) {
    Cell *write = shared.write(at), *read = shared.read(at);
    bool isSeen = (*write & mask) == seen && !isMany(*write);
    // Reductions in flight do not mind each other.
    bool isOther =
        combines && isInFlight(*write) && combining.contains(getSite(*write));
    if (!isSeen && !isOther && *write >= sharedWindow.block &&
        checkWriters(warp, access, at, write, !isGeneric))
      seen = *write & mask;
    if (!isSettled(*read, actor.cell, sharedWindow))
      checkConflict(access, at, read, actor, /*isWrite=*/false);
    *write = flying;
  }
  inFlight += bytes;
  return tell();
}

void Checker::endBulkWrite(const WarpState &warp, unsigned lane, uint32_t site,
                           uint64_t address, uint64_t bytes, uint64_t object) {
  uint32_t agent = getAgent(object, warp.getFirstThread() + lane);
  Cell *end = shared.write(address + bytes - 1) + 1;
  Cell done = make(order.getNow(), agent, site, 0);
  std::fill(shared.write(address), end, done);
  inFlight -= std::min<uint64_t>(inFlight, bytes);
}

bool Checker::issueBulkRead(const WarpState &warp, unsigned lane, uint32_t site,
                            uint64_t address, uint64_t bytes,
                            uint64_t &number) {
  if (order.getNow() >= lastTick - 1)
    return true;
  noteSplit(warp);
  WarpAccess access{
      site,  1u << lane, ptx::Space::Shared, uint32_t(bytes), AccessKind::Read,
      false, nullptr};
  Cell seen = 0;
  checkAsyncReads(warp, access, address, seen);
  uint64_t offset = address - sharedStart;
  isWatched = true;
  number = bulkReads.add(offset / clusterWindow, offset % clusterWindow, bytes,
                         site, warp.getFirstThread() + lane);
  return tell();
}

void Checker::endBulkRead(const WarpState &warp, unsigned lane, uint64_t number,
                          std::optional<uint64_t> object) {
  uint32_t thread = warp.getFirstThread() + lane;
  bulkReads.end(number, object ? getAgent(*object, thread) : thread,
                order.getNow());
}

void Checker::observeBulk(uint64_t object) {
  auto agent = agents.find(object);
  if (agent != agents.end() && agent->second <= threadMask)
    order.completeAgent(object, agent->second);
  else
    order.advance();
}

/// That no bulk copy still reads what a lane writes at `address`.
void Checker::checkBulkReaders(const WarpState &warp, const WarpAccess &access,
                               unsigned lane, uint64_t address) {
  uint64_t offset = address - sharedStart;
  uint32_t writer = warp.getFirstThread() + lane;
  auto check = [&](const BulkReads::Read &read) {
    if (read.end && (read.end < order.getBase() ||
                     order.isBefore(read.end, read.actor, writer)))
      return true;
    CheckFinding::Other party{
        false, true,      order.getBlockAt(order.getNow()),
        true,  read.site, read.issuer};
    return report(access, address, writer,
                  read.end ? FindingClass::Race : FindingClass::Async, party);
  };
  bulkReads.forReaders(offset / clusterWindow, offset % clusterWindow,
                       access.bytes, check);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// A bulk copy reads all bytes of the access.
void Checker::readGlobal(const WarpAccess &access, const Shadow &shadow,
                         uint64_t address, const Actor &actor) {
  if (shadow.written >= order.getLaunch()) {
    const Window window{globalWindow.unwritten, globalWindow.block,
                        globalWindow.base, 0};
    uint64_t granule = uint64_t(1) << shadow.granule;
    const Cell *write = shadow.write(address);
    for (uint64_t at = address; at < address + access.bytes;
         at += granule, ++write)
      if (!isSettled(*write, actor.cell, window))
        checkConflict(access, at, write, actor, /*isWrite=*/true);
  }
  isWatched = true;
  globalReads.add(
      address, address + access.bytes, actor.cell, [&](Cell reader) {
        Member member{reader, uint32_t(1) << (getThread(reader) & 31)};
        return dominates(actor, member, access.space);
      });
}

/// That a writer of `bytes` is ordered after the bulk copies that read them.
bool Checker::checkGlobalReaders(const WarpAccess &access, uint64_t address,
                                 uint64_t bytes, const Actor &actor) {
  if (!hasGlobalReaders(access.space, address, bytes))
    return true;
  bool isFine = true;
  globalReads.forRanges(
      address, address + bytes,
      [&](uint64_t, uint64_t, llvm::ArrayRef<Cell> readers) {
        for (Cell reader : readers) {
          Member member{reader, uint32_t(1) << (getThread(reader) & 31)};
          isFine = isFine && checkMembers(access, address, member, actor,
                                          /*isWrite=*/false);
        }
      });
  return isFine;
}

/// Cells that are looked at together, all of one thread.
static constexpr uint32_t cellsTogether = 1024;
static const uint32_t ownersOfOne[cellsTogether + 64] = {};

bool Checker::issueBulkGlobal(const WarpState &warp, unsigned lane,
                              uint32_t site, uint64_t address, uint64_t bytes,
                              AccessKind kind) {
  if (order.getNow() >= lastTick - 1)
    return true;
  Shadow *shadow = findShadow(site, ptx::Space::Global, address, bytes);
  if (!shadow)
    return true;
  noteSplit(warp);
  bool isAtomic = kind == AccessKind::Atomic;
  WarpAccess access{
      site,     1u << lane, ptx::Space::Global, uint32_t(bytes), kind,
      isAtomic, nullptr};
  uint32_t first = warp.getFirstThread();
  unsigned strength = isAtomic ? 2 : 0;
  Actor actor{first, 1u << lane, strength,
              make(order.getNow(), first + lane, site, strength)};
  if (prologue)
    prologue->access(actor.cell, 1, /*isSame=*/true, address, bytes,
                     {kind != AccessKind::Read, isAtomic}, order);
  if (kind == AccessKind::Read) {
    readGlobal(access, *shadow, address, actor);
    checkUnfenced(warp, access, address, *shadow);
    return tell();
  }
  Cell *write = shadow->write(address), *read = shadow->read(address);
  uint64_t granule = uint64_t(1) << shadow->granule;
  uint32_t count = shadow->write(address + bytes - 1) + 1 - write;
  bool wasRead = hasGlobalReaders(ptx::Space::Global, address, bytes);
  for (uint32_t i = 0; i < count; i += cellsTogether) {
    uint32_t some = std::min(cellsTogether, count - i);
    Stretch stretch{0, some};
    LaneCells cells{write + i, read + i, stretch, ownersOfOne, actor.cell};
    if (!isAtomic && !wasRead &&
        checkFast(cells, *shadow, ptx::Space::Global, /*isWrite=*/true))
      continue;
    for (uint64_t j = i; j < i + some; ++j)
      checkExact(access, *shadow, address + j * granule, actor);
  }
  checkUnfenced(warp, access, address, *shadow);
  shadow->written = order.getNow();
  shadow->markInitialized(address, bytes);
  storing.insert(site);
  // Others may add to what a reduction adds to.
  if (kind == AccessKind::Write) {
    std::fill(write, write + count,
              make(lastTick, first + lane, site, setStrength) | many);
    flyingGlobal.push_back({address, bytes, first + lane, site});
  }
  return tell();
}

void Checker::endBulkGlobal(const WarpState &warp, unsigned lane, uint32_t site,
                            uint64_t address, uint64_t bytes, bool combines) {
  uint32_t first = warp.getFirstThread();
  Shadow *shadow = findShadow(site, ptx::Space::Global, address, bytes);
  if (!shadow)
    return;
  if (!combines) {
    settleGlobal({address, bytes, first + lane, site});
    llvm::erase_if(flyingGlobal, [&](const FlyingStore &one) {
      return one.address == address && one.bytes == bytes &&
             one.thread == first + lane;
    });
    return;
  }
  Actor actor{first, 1u << lane, 2,
              make(order.getNow(), first + lane, site, 2)};
  uint64_t granule = uint64_t(1) << shadow->granule;
  for (uint64_t at = address; at < address + bytes; at += granule)
    if (!isInFlight(*shadow->write(at)))
      record(shadow->write(at), actor, ptx::Space::Global);
}

void Checker::settleGlobal(const FlyingStore &one) {
  Shadow *shadow =
      findShadow(one.site, ptx::Space::Global, one.address, one.bytes);
  if (!shadow)
    return;
  Cell *end = shadow->write(one.address + one.bytes - 1) + 1;
  std::fill(shadow->write(one.address), end,
            make(order.getNow(), one.thread, one.site, 0));
}

/// That the async proxy sees what the cluster that runs has written there. What
/// is not ordered is told of as a race.
void Checker::checkUnfenced(const WarpState &warp, const WarpAccess &access,
                            uint64_t address, const Shadow &shadow) {
  if (shadow.written < order.getBlock())
    return;
  uint32_t thread = warp.getFirstThread() + llvm::countr_zero(access.mask);
  uint64_t granule = uint64_t(1) << shadow.granule;
  for (uint64_t at = address; at < address + access.bytes; at += granule) {
    const Cell *cell = shadow.write(at);
    if (*cell < globalWindow.block || isInFlight(*cell))
      continue;
    for (const Member &member : sets.get(cell)) {
      Tick tick = getTick(member.cell);
      uint32_t writer = getThread(member.cell);
      if (member.cell < globalWindow.block ||
          storing.contains(getSite(member.cell)) ||
          !order.isBefore(tick, writer, thread) ||
          order.isProxied(tick, writer, thread, proxyGlobal))
        continue;
      CheckFinding::Other party{
          true,  true, order.getBlockAt(tick), true, getSite(member.cell),
          writer};
      party.isUnfenced = true;
      report(access, at, thread, FindingClass::Async, party);
    }
  }
}

/// What nobody wrote at a global source.
void Checker::findHoles(uint32_t site, uint64_t address, uint64_t bytes,
                        llvm::function_ref<void(uint64_t offset)> found) {
  Shadow *shadow = findShadow(site, ptx::Space::Global, address, bytes);
  if (!shadow || !shadow->initialized.get())
    return;
  const uint8_t *map = shadow->init(address);
  for (uint64_t at = 0; at < bytes; ++at) {
    const void *hole = std::memchr(map + at, 0, bytes - at);
    if (!hole)
      return;
    at = static_cast<const uint8_t *>(hole) - map;
    found(at);
  }
}

} // namespace tc::emulator
