//===- Usage.cpp - What a piece of work did to memory ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From cells to ranges of bytes, and back to the thread behind a byte.
//
//===----------------------------------------------------------------------===//

#include "Check/Streams/Usage.h"

#include "Check/Shadow.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

void Usage::add(uint64_t begin, uint64_t end, Use use) {
  if (begin == end)
    return;
  if (!ranges.empty() && ranges.back().end == begin && ranges.back().use == use)
    ranges.back().end = end;
  else
    ranges.push_back({begin, end, use});
}

void Usage::add(const Shadow &shadow, int64_t since,
                llvm::function_ref<bool(const Cell *)> isWeak) {
  if (!shadow.writes.get() || !shadow.reads.get())
    return;
  for (bool isWrite : {true, false})
    shadow.span.forEach(
        shadow.base, shadow.bytes, [&](uint64_t begin, uint64_t end) {
          addStretch(shadow, begin, end, isWrite, start(since), isWeak);
        });
}

/// Takes the bytes from `begin` to `end`.
void Usage::addStretch(const Shadow &shadow, uint64_t begin, uint64_t end,
                       bool isWrite, Cell oldest,
                       llvm::function_ref<bool(const Cell *)> isWeak) {
  const unsigned granule = shadow.granule;
  const uint64_t first = begin >> granule,
                 count = ((end - 1) >> granule) - first + 1;
  const uint64_t limit = shadow.base + shadow.bytes;
  const Cell *cells = isWrite ? shadow.write(begin) : shadow.read(begin);
  // 0: not used; 1: weak; 2: strong.
  auto classify = [&](const Cell *cell) {
    if (*cell < oldest)
      return 0;
    bool isUnclear = isSet(*cell);
    return isUnclear ? 2 - isWeak(cell) : 1 + (getStrength(*cell) == 2);
  };
  bool isAny = false;
  for (uint64_t i = 0; i != count;) {
    const int kind = classify(cells + i);
    uint64_t next = i + 1;
    while (next != count && classify(cells + next) == kind)
      ++next;
    if (kind)
      add(std::max(shadow.base, (first + i) << granule),
          std::min(limit, (first + next) << granule), {isWrite, kind == 2});
    isAny |= kind != 0;
    i = next;
  }
  if (isAny)
    kept.push_back({first, granule, isWrite, oldest, {cells, cells + count}});
}

/// The index of block `rank` of a cluster in the grid.
static Dim3 getBlock(const LaunchFacts &launch, uint64_t cluster,
                     uint32_t rank) {
  const Dim3 &blocks = launch.cluster;
  uint32_t x = launch.grid.x / blocks.x, y = launch.grid.y / blocks.y;
  return {uint32_t(cluster % x * blocks.x + rank % blocks.x),
          uint32_t(cluster / x % y * blocks.y + rank / blocks.x % blocks.y),
          uint32_t(cluster / x / y * blocks.z + rank / blocks.x / blocks.y)};
}

std::optional<Party> Usage::find(uint64_t address, bool isWrite) const {
  if (launch.clusters.empty())
    return std::nullopt;
  for (const Kept &one : kept) {
    // Before the first, it wraps round.
    uint64_t at = (address >> one.granule) - one.first;
    if (one.isWrite == isWrite && at < one.cells.size() &&
        one.cells[at] >= one.oldest)
      return describe(one.cells[at]);
  }
  for (const Access &access : accesses)
    if (access.isWrite == isWrite && address >= access.begin &&
        address < access.end)
      return describe(access.cell);
  return std::nullopt;
}

/// Who made the access in the cell.
Party Usage::describe(Cell cell) const {
  uint32_t site = getSite(cell), thread = getThread(cell);
  Party party;
  // Sites beyond the last one that a cell can hold share its index.
  if (site < lastSite && launch.sites && site < launch.sites->size())
    party = (*launch.sites)[site];
  auto after = llvm::upper_bound(
      launch.clusters, getTick(cell),
      [](int64_t tick, const auto &entry) { return tick < entry.first; });
  uint32_t rank = thread / launch.threads, linear = thread % launch.threads;
  const Dim3 &block = launch.block;
  // Agents of bulk copies have no thread of their own.
  if (after == launch.clusters.begin() || rank >= launch.cluster.count() ||
      linear >= block.count())
    return party;
  party.block = getBlock(launch, std::prev(after)->second, rank);
  party.thread = Dim3{linear % block.x, linear / block.x % block.y,
                      linear / block.x / block.y};
  return party;
}

} // namespace tc::emulator
