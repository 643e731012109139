//===- Runs.cpp - Lanes that are checked together -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fast path: splits an access into lanes whose addresses follow each other
// or are one, and lets the vector loops settle what they can.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "llvm/Support/MathExtras.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

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

void Checker::findRuns(const WarpAccess &access, LaneSteps steps, Runs &runs) {
  const uint64_t *at = access.addresses;
  uint64_t bytes = access.bytes;
  auto add = [&](uint32_t first, uint32_t count, bool isUniform) {
    uint64_t size = isUniform ? bytes : bytes * count;
    Shadow *shadow = findShadow(access.site, access.space, at[first], size);
    if (shadow)
      runs.list[runs.count++] = {first, count, isUniform, shadow};
    return shadow != nullptr;
  };
  // Both lanes of a step access memory.
  uint32_t both = access.mask & access.mask >> 1;
  for (uint32_t left = access.mask; left;) {
    uint32_t first = llvm::countr_zero(left);
    bool isUniform = (steps.stays & both) >> first & 1;
    uint32_t same = both & (isUniform ? steps.stays : steps.follows);
    uint32_t count = llvm::countr_one(same >> first) + 1;
    if (!add(first, count, isUniform) && count > 1)
      for (uint32_t lane = first; lane < first + count; ++lane)
        add(lane, 1, false);
    uint32_t next = first + count;
    left = next == warpSize ? 0 : left >> next << next;
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
        findRuns(access, loops.compare(access.addresses, access.bytes), runs);
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

bool Checker::readRuns(const WarpState &warp, uint32_t site, ptx::Space space,
                       uint64_t base, uint32_t bytes,
                       llvm::ArrayRef<LaneRun> runs) {
  if (order.getNow() >= lastTick - 1)
    return false;
  WarpAccess access{site, ~0u, space, bytes, AccessKind::Read, false, nullptr};
  for (const LaneRun &run : runs) {
    uint32_t lanes = run.isUniform ? 1 : run.count;
    uint64_t address = base + run.offset, size = uint64_t(bytes) * lanes;
    Shadow *shadow = findShadow(site, space, address, size);
    if (!shadow || bytes >> shadow->granule == 0 ||
        (shadow->initialized.get() &&
         std::memchr(shadow->init(address), 0, size)))
      return false;
    LaneCells cells = getCells(*shadow, address, bytes, lanes,
                               warp.index * warpSize + run.first, site);
    if (!(lanes == 1 ? checkFew(cells, access, run.isUniform)
                     : checkFast(cells, *shadow, space, false)))
      return false;
  }
  return true;
}

} // namespace tc::emulator
