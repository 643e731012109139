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

/// Owners of the cells of 32 lanes in a row, for 1, 2, 4 … 32 cells a lane, and
/// of 32 cells that all lanes share.
static const uint32_t *getOwners(unsigned log2, bool isShared) {
  static const std::vector<uint32_t> table = [] {
    std::vector<uint32_t> owners(warpSize, many);
    for (unsigned shift = 0; shift <= 5; ++shift)
      for (uint32_t i = 0; i < warpSize << shift; ++i)
        owners.push_back(i >> shift << threadShift);
    return owners;
  }();
  return table.data() + (isShared ? 0 : warpSize << log2);
}

/// Of one run, which is at most 32 bytes a lane; `stretch` is where they are.
LaneCells Checker::getCells(const WarpState &warp, const WarpAccess &access,
                            const Run &run, Stretch &stretch) const {
  const Shadow &shadow = *run.shadow;
  uint64_t address = access.addresses[run.first];
  uint32_t each = std::max(1u, access.bytes >> shadow.granule);
  stretch = {0, run.isUniform ? each : each * run.count};
  return {
      shadow.write(address), shadow.read(address), stretch,
      getOwners(llvm::Log2_32(each), run.isUniform),
      make(order.getNow(), warp.getFirstThread() + run.first, access.site, 0)};
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

bool Checker::needsLanes(const WarpAccess &access, uint64_t address,
                         uint64_t bytes) {
  bool isWrite = access.kind == AccessKind::Write;
  if (access.space == ptx::Space::Shared)
    return isWrite && hasAsyncReaders();
  return (prologue && !prologue->isOver(order)) ||
         (isWrite && hasGlobalReaders(access.space, address, bytes));
}

bool Checker::accessGroup(const WarpState &warp, const WarpAccess &first,
                          llvm::ArrayRef<GroupMember> members, uint64_t base) {
  bool isWrite = first.kind == AccessKind::Write;
  bool isInShared = first.space == ptx::Space::Shared;
  unsigned granule = isInShared ? setup.sharedGranule : setup.globalGranule;
  noteSplit(warp);
  if (first.bytes >> granule == 0 || order.getNow() >= lastTick - 1)
    return false;
  if (first.site >= footprints.size())
    footprints.resize(first.site + 1);
  Footprint &footprint = footprints[first.site];
  // Offsets from a base are constants. Other patterns are compared, and found
  // again ever more rarely.
  const uint64_t *constants = base ? first.addresses : nullptr;
  bool isKnown = footprint.members == members.size() &&
                 ((base && footprint.constants == constants) ||
                  loops.matches(first.addresses, footprint.addresses.data()));
  if (!isKnown) {
    if (!llvm::has_single_bit(++footprint.misses))
      return false;
    findFootprint(footprint, first.addresses, first.bytes, members, granule);
    footprint.constants = constants;
  }
  if (footprint.isShared && isWrite)
    return false;
  uint64_t start = base + first.addresses[0] + footprint.least;
  Shadow *shadow = findShadow(first.site, first.space, start, footprint.bytes);
  if (!shadow)
    return false;
  if (LLVM_UNLIKELY(isWatched) && needsLanes(first, start, footprint.bytes))
    return false;
  bool hasMap = shadow->initialized.get();
  uint8_t *map = hasMap ? shadow->init(start) : nullptr;
  if (hasMap && !isWrite)
    for (const Stretch &stretch : footprint.stretches)
      if (std::memchr(map + (stretch.first << granule), 0,
                      uint64_t(stretch.count) << granule))
        return false;
  LaneCells cells{shadow->write(start), shadow->read(start),
                  footprint.stretches, footprint.owners.data(),
                  make(order.getNow(), warp.getFirstThread(), first.site, 0)};
  // The next access is often as far from this one as this one from the last.
  // Rows of matrices lie in the same cache sets: without it they miss. The 32
  // cells of a warp are four lines, which are written as they are checked.
  uint64_t step = (start - footprint.last) >> granule << 3;
  for (unsigned line : {0, 64, 128, 192})
    __builtin_prefetch(
        reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(cells.read) +
                                       step + line),
        /*rw=*/1);
  footprint.last = start;
  if (!checkFast(cells, *shadow, first.space, isWrite))
    return false;
  if (!isWrite)
    return true;
  loops.write(cells);
  shadow->written = order.getNow();
  if (hasMap)
    for (const Stretch &stretch : footprint.stretches)
      std::memset(map + (stretch.first << granule), 1,
                  uint64_t(stretch.count) << granule);
  return true;
}

} // namespace tc::emulator
