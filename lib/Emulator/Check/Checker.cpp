//===- Checker.cpp - The hooks of the checks ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The life of a launch, and what its threads do to be ordered.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

/// The clock that the launch begins with. When it nears its end, all shadows
/// begin anew.
static Tick getStart(const Memory::Impl &memory) {
  std::lock_guard<std::mutex> lock(memory.mutex);
  if (memory.tick > lastTick / 2) {
    for (const auto &[base, allocation] : memory.allocations)
      allocation.shadow.forget();
    memory.tick = 1;
  }
  return memory.tick;
}

Checker::Checker(const Memory::Impl &memory, CheckSetup given)
    : memory(memory), setup(std::move(given)), loops(getLaneLoops()),
      order(getStart(memory)) {
  shared.base = sharedStart;
  shared.bytes = setup.sharedBytes + (setup.blocks - 1) * clusterWindow;
  asyncReads = AsyncReads(llvm::alignTo<warpSize>(setup.threads),
                          setup.sharedBytes, setup.blocks);
  bulkReads = BulkReads(setup.sharedBytes, setup.blocks);
  cores = CoreMatrices(setup.sharedBytes, setup.blocks);
  if (setup.sharedBytes)
    isReady = shared.prepare(setup.sharedGranule);
  setup.threads = llvm::alignTo<warpSize>(setup.threads);
  arrivals.resize(16 * setup.blocks);
  isWatched = setup.isProgrammatic;
  if (setup.isProgrammatic)
    prologue.emplace(setup.threads * setup.blocks);
  local = Mapping(setup.localBytes * setup.threads * setup.blocks);
  isReady &= local.isWhole();
}

void Checker::settleFlying() {
  for (const FlyingStore &one : std::exchange(flyingGlobal, {}))
    settleGlobal(one);
}

void Checker::fillUsage(Usage &usage) {
  settleFlying();
  // Of several accesses, one that is not strong may conflict with strong ones.
  auto isWeak = [&](const Cell *cell) {
    return llvm::any_of(sets.get(cell), [&](const Member &member) {
      return getTick(member.cell) >= order.getLaunch() &&
             getStrength(member.cell) != 2;
    });
  };
  auto add = [&](Shadow &shadow) {
    usage.add(shadow, order.getLaunch(), isWeak);
    shadow.span.clear();
  };
  usage.setClusters(order.getBlocks());
  if (prologue) {
    usage.hasGridWait = prologue->hasWaited();
    usage.triggersAfterWait = prologue->triggersAfterWait();
  }
  if (usage.hasGridWait) {
    usage.prologue = std::make_shared<Usage>(usage);
    usage.prologue->isPrologue = true;
    prologue->fill(*usage.prologue);
  }
  globalReads.forRanges(
      0, UINT64_MAX,
      [&](uint64_t begin, uint64_t end, llvm::ArrayRef<Cell> readers) {
        usage.addAccess(begin, end, {}, readers.back());
      });
  for (auto &[base, shadow] : variables)
    add(shadow);
  std::lock_guard<std::mutex> lock(memory.mutex);
  for (const auto &[base, allocation] : memory.allocations)
    add(allocation.shadow);
}

Checker::~Checker() {
  settleFlying();
  for (Shadow *shadow : incomplete)
    shadow->settle();
  std::lock_guard<std::mutex> lock(memory.mutex);
  order.advance();
  memory.tick = order.getNow();
}

void Checker::addVariable(uint64_t base, uint64_t bytes) {
  Shadow &shadow = variables[base];
  shadow.base = base;
  shadow.bytes = bytes;
}

void Checker::updateWindows() {
  Cell block = start(order.getBlock()), base = start(order.getBase());
  sharedWindow = {block, block, base, 0};
  Cell launch = start(order.getLaunch());
  globalWindow = {launch, block, base, launch};
}

void Checker::beginBlock(uint64_t index) {
  observation.beginBlock();
  order.beginBlock(index, setup.threads, setup.blocks);
  updateWindows();
  if (prologue)
    prologue->beginBlock();
  arriving = completed = ClusterPhase();
  reached.assign(setup.blocks, false);
  ended = ClusterRelease();
  asyncReads.clear();
  bulkReads.clear();
  cores.clear();
  inits.clear();
  agents.clear();
  issuers.clear();
  for (std::shared_ptr<Knowledge> &arrived : arrivals)
    arrived = nullptr;
  if (++localStamp == 0) {
    local.clear();
    localStamp = 1;
  }
}

bool Checker::endBlock() {
  settleWrites();
  if (prologue)
    prologue->endBlock();
  bool goesOn = tellDeferred();
  // Copies that nobody waited for must not be in flight in the next block.
  if (inFlight)
    shared.writes.clear();
  inFlight = 0;
  return goesOn;
}

bool Checker::meetBlock() {
  settleWrites();
  reached.assign(setup.blocks, false);
  order.meetBlock();
  updateWindows();
  return tellDeferred();
}

//===----------------------------------------------------------------------===//
// Finer synchronisation
//===----------------------------------------------------------------------===//

/// Calls `body(thread)` for each lane.
template <typename Body>
static void forThreads(const WarpState &warp, uint32_t lanes, Body body) {
  for (; lanes; lanes &= lanes - 1)
    body(warp.getFirstThread() + llvm::countr_zero(lanes));
}

void Checker::meet(llvm::ArrayRef<uint32_t> threads, uint32_t barrier) {
  std::shared_ptr<Knowledge> arrived = std::move(arrivals[barrier]);
  arrivals[barrier] = nullptr;
  order.meet(threads, arrived.get());
}

void Checker::arrive(const WarpState &warp, uint32_t lanes, uint32_t barrier) {
  std::shared_ptr<Knowledge> &sum = arrivals[barrier];
  if (!sum)
    sum = std::make_shared<Knowledge>();
  forThreads(warp, lanes,
             [&](uint32_t thread) { sum->merge(*order.release(thread)); });
  order.advance();
}

void Checker::meetWarp(const WarpState &warp, uint32_t lanes) {
  llvm::SmallVector<uint32_t, warpSize> threads;
  forThreads(warp, lanes, [&](uint32_t thread) { threads.push_back(thread); });
  order.meet(threads, nullptr);
}

void Checker::fence(const WarpState &warp, uint32_t lanes, uint32_t site) {
  bool isWide = getFacts(site).isWide;
  noteSplit(warp);
  forThreads(warp, lanes,
             [&](uint32_t thread) { order.fence(thread, isWide); });
  order.advance();
}

void Checker::waitForGrids(const WarpState &warp, uint32_t lanes) {
  if (prologue)
    prologue->wait(warp.getFirstThread(), lanes, order);
}

void Checker::launchDependents(const WarpState &warp, uint32_t lanes) {
  if (prologue)
    prologue->trigger(warp.getFirstThread(), lanes, order);
}

void Checker::arriveAt(const WarpState &warp, unsigned lane, uint64_t object) {
  order.arrive(warp.getFirstThread() + lane, object);
}

void Checker::completePhase(uint64_t object) { order.completePhase(object); }

void Checker::awaitPhase(const WarpState &warp, unsigned lane,
                         uint64_t object) {
  order.await(warp.getFirstThread() + lane, object);
}

const SiteFacts &Checker::getFacts(uint32_t site) {
  if (site >= facts.size())
    facts.resize(site + 1);
  if (!facts[site])
    facts[site] = setup.getFacts ? setup.getFacts(site) : SiteFacts();
  return *facts[site];
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

void Checker::arriveAtCluster(const WarpState &warp, uint32_t lanes,
                              bool releases) {
  arriving.isAllReleased &= releases;
  forThreads(warp, lanes, [&](uint32_t thread) {
    if (releases)
      order.arriveAtCluster(thread, arriving.released);
    else
      order.arriveRelaxed(thread, arriving.released);
  });
  order.advance();
}

void Checker::endThreads(const WarpState &warp, uint32_t lanes) {
  forThreads(warp, lanes,
             [&](uint32_t thread) { order.arriveAtCluster(thread, ended); });
  order.advance();
}

void Checker::completeCluster() {
  completed = std::exchange(arriving, ClusterPhase());
  completed.released.merge(ended);
}

bool Checker::awaitCluster(const WarpState &warp, uint32_t lanes,
                           bool isEverybody) {
  if (completed.isMet)
    return true;
  // Nothing lies between what threads released and now.
  if (isEverybody && completed.isAllReleased && !completed.isSplit) {
    completed.isMet = true;
    ended = ClusterRelease();
    return meetBlock();
  }
  completed.isSplit = true;
  forThreads(warp, lanes, [&](uint32_t thread) {
    order.awaitCluster(thread, completed.released);
  });
  return true;
}

bool Checker::reach(const WarpState &warp, unsigned lane, uint32_t rank) {
  reached[rank] = true;
  return order.knowsAny(rank * setup.threads, setup.threads,
                        warp.getFirstThread() + lane);
}

std::optional<CheckFinding> Checker::findLateAccess(uint32_t rank) {
  if (!reached[rank])
    return std::nullopt;
  // What any thread of the block knows of happened before its end.
  llvm::SmallVector<uint32_t> threads;
  for (uint32_t i = 0; i < setup.threads; ++i)
    threads.push_back(rank * setup.threads + i);
  order.meet(threads, nullptr);
  uint64_t begin = sharedStart + rank * clusterWindow;
  for (uint64_t at = begin; at < begin + setup.sharedBytes;
       at += 1u << shared.granule)
    for (const Cell *cell : {shared.write(at), shared.read(at)}) {
      if (isPast(*cell, sharedWindow) || isInFlight(*cell))
        continue;
      for (const Member &member : sets.get(cell))
        for (uint32_t lanes = member.mask; lanes; lanes &= lanes - 1) {
          uint32_t thread = member.getWarp() + llvm::countr_zero(lanes);
          if (!isPast(member.cell, sharedWindow) && thread < countThreads() &&
              !areOfOneBlock(thread, threads[0]) &&
              !order.isBefore(getTick(member.cell), thread, threads[0]))
            return CheckFinding{FindingClass::Race,
                                getSite(member.cell),
                                thread,
                                ptx::Space::Shared,
                                at,
                                0,
                                AccessKind::Read,
                                std::nullopt};
        }
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

bool Checker::issueCopy(const WarpState &warp, unsigned lane, uint32_t site,
                        uint64_t address, uint32_t bytes) {
  WarpAccess access{site,   1u << lane,        ptx::Space::Shared,
                    bytes,  AccessKind::Write, false,
                    nullptr};
  uint32_t first = warp.getFirstThread();
  Actor actor{first, 1u << lane, 0,
              make(order.getNow(), first + lane, site, 0)};
  if (hasAsyncReaders())
    checkReaders(warp, access, lane, address);
  Cell *end = shared.write(address + bytes - 1) + 1;
  for (uint64_t at = address; at < address + bytes; at += 1u << shared.granule)
    checkExact(access, shared, at, actor);
  for (Cell *cell = shared.write(address); cell != end; ++cell)
    *cell = make(lastTick, first + lane, site, setStrength) | many;
  inFlight += bytes;
  return tell();
}

void Checker::completeCopy(const WarpState &warp, unsigned lane, uint32_t site,
                           uint64_t address, uint32_t bytes) {
  uint32_t thread = warp.getFirstThread() + lane;
  Cell *end = shared.write(address + bytes - 1) + 1;
  for (Cell *cell = shared.write(address); cell != end; ++cell)
    *cell = make(order.getNow(), thread, site, 0);
  inFlight -= std::min<uint64_t>(inFlight, bytes);
}

} // namespace tc::emulator
