//===- Counter.cpp - Counts a launch as it runs ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hooks. Counts are kept apart for each class of blocks, since a sample has
// more of one class than of another.
//
//===----------------------------------------------------------------------===//

#include "Count/Counter.h"
#include "Count/Classify.h"
#include "Count/Pattern.h"
#include "Time/Trace.h"

namespace tc::emulator {

void CountPlan::addBlock(llvm::ArrayRef<const ptx::Instruction *> body,
                         llvm::ArrayRef<Folding> folding) {
  Block &block = blocks.emplace_back();
  block.line = body.empty() ? 0 : body.front()->line;
  for (auto [i, in] : llvm::enumerate(body)) {
    InstructionClass found =
        classify(*in, folding.empty() ? Folding::None : folding[i]);
    auto [it, isNew] = classOf.try_emplace(found.name, classes.size());
    if (isNew) {
      classes.push_back(
          {found.name, found.unit.str(), 0, 0, found.operations, found.slots});
      isPerWarp.push_back(found.isPerWarp);
    }
    uint32_t index = it->second;
    block.instructions.push_back({in, index});
    auto same = [=](const auto &entry) { return entry.first == index; };
    auto *entry = llvm::find_if(block.histogram, same);
    if (entry == block.histogram.end())
      block.histogram.push_back({index, 1});
    else
      ++entry->second;
    if (in->guard && in->root == "bra")
      block.branchLine = in->line;
  }
}

void CountPlan::addSite(const ptx::Instruction &instruction, std::string source,
                        bool cachesLoads) {
  // Loads of other operators, and of strong ones, go by L1.
  bool isInL1 =
      cachesLoads && (instruction.root == "ld" || instruction.root == "ldu" ||
                      instruction.root == "cp");
  for (llvm::StringRef word : {"cg", "cv", "volatile", "relaxed", "acquire"})
    isInL1 &= !llvm::is_contained(instruction.modifiers, word);
  sites.push_back({&instruction, std::move(source), isInL1});
}

Counter::Counter(const CountPlan &plan, BlockBox theBox)
    : plan(plan), box(std::move(theBox)),
      kinds(plan.sites.size(), AccessKind::Read), others(plan.sites.size()) {
  watched[box.getBase()].resize(plan.sites.size());
  for (unsigned axis = 0; axis < box.axes.size(); ++axis)
    if (std::optional<uint64_t> next = box.findNext(axis))
      watched[*next].resize(plan.sites.size());
  running.emplace_back();
  running.back().total = &getClass(0);
  running.back().touched = &others;
}

Counter::ClassTotal &Counter::getClass(uint32_t lastAxes) {
  auto [it, isNew] = classes.try_emplace(lastAxes);
  if (isNew) {
    it->second.blocks.resize(plan.blocks.size());
    it->second.sites.resize(plan.sites.size());
  }
  return it->second;
}

Counter::SiteTotal &Counter::getTotal(SiteTotals &totals, ptx::Space space,
                                      AccessKind kind) {
  for (SiteTotal &total : totals)
    if (total.space == space && total.kind == kind)
      return total;
  return totals.emplace_back(SiteTotal{space, kind, {}});
}

void Counter::beginBlock(uint64_t block, uint32_t rank) {
  if (rank >= running.size())
    running.resize(rank + 1);
  auto it = watched.find(block);
  running[rank].total = &getClass(box.classOf(block));
  running[rank].touched = it == watched.end() ? &others : &it->second;
  running[rank].cache.clear();
  running[rank].joins.clear();
  ++running[rank].total->run;
}

void Counter::accessGlobal(Running &block, const WarpAccess &a,
                           AccessCounts &counts) {
  Touched &seen = (*block.touched)[a.site];
  bool isInL1 = a.kind == AccessKind::Read && plan.sites[a.site].isInL1;
  kinds[a.site] = a.kind;
  mlir::tc::LoadCache::Missed missed;
  GlobalPattern pattern = countGlobal(a.addresses, a.mask, a.bytes,
                                      [&](uint64_t begin, uint64_t end) {
                                        seen.add(begin, end);
                                        if (isInL1)
                                          block.cache.load(begin, end, missed);
                                      });
  counts.sectors += pattern.sectors;
  counts.l2Sectors += isInL1 ? missed.sectors : pattern.sectors;
  counts.l2Lines += isInL1 ? missed.lines : pattern.lines;
  counts.idealSectors += pattern.idealSectors();
  counts.lines += pattern.lines;
}

/// How far all lanes are from a multiple of `bytes`; none where they differ.
static std::optional<uint64_t> getOffset(const WarpAccess &a, unsigned bytes) {
  std::optional<uint64_t> offset;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (a.mask >> lane & 1) {
      uint64_t own = a.addresses[lane] % bytes;
      if (offset && *offset != own)
        return std::nullopt;
      offset = own;
    }
  return offset;
}

void Counter::accessShared(Running &block, const WarpAccess &a,
                           AccessCounts &counts) const {
  llvm::StringRef root = plan.sites[a.site].instruction->root;
  bool isMatrix = root == "ldmatrix" || root == "stmatrix";
  SharedPattern pattern =
      countShared(a.addresses, a.mask, a.bytes, a.kind, isMatrix);
  counts.wavefronts += pattern.wavefronts;
  counts.idealWavefronts += pattern.idealWavefronts;
  if (a.kind != AccessKind::Read) {
    ++counts.machineRequests;
    counts.machineWavefronts += pattern.wavefronts;
    return;
  }
  // Sites that another one begins do nothing by themselves, nor do copies of a
  // loop whose words come with those of the copy before.
  unsigned merged = getMerged(a.site), bytes = merged * a.bytes;
  if (unsigned whole = bytes * getJoined(a.site); whole > bytes) {
    std::optional<uint64_t> offset = getOffset(a, whole);
    if (block.joins.try_emplace(a.site, offset == 0).first->second) {
      if (offset == 0) {
        ++counts.machineRequests;
        counts.machineWavefronts +=
            countShared(a.addresses, a.mask, whole, a.kind, false).wavefronts;
      }
      return;
    }
  }
  bool isOne = merged > 1 && getOffset(a, bytes) == 0;
  counts.machineRequests += isOne ? 1 : merged;
  counts.machineWavefronts +=
      isOne ? countShared(a.addresses, a.mask, bytes, a.kind, false).wavefronts
            : merged * pattern.wavefronts;
}

void Counter::access(const WarpState &warp, const WarpAccess &a) {
  if (!a.mask)
    return; // no lane's guard was true
  Running &block = running[warp.rank];
  AccessCounts counts = count(block, a);
  getTotal(block.total->sites[a.site], a.space, a.kind).counts += counts;
  if (tracer)
    tracer->access(warp, a.site, a.space, counts);
}

void Counter::readMatrices(const WarpState &warp, uint32_t site,
                           uint64_t bytes) {
  AccessCounts counts;
  counts.requests = counts.machineRequests = 1;
  counts.lanes = warpSize;
  counts.bytes = bytes;
  counts.wavefronts = counts.idealWavefronts = counts.machineWavefronts =
      bytes / 128;
  ptx::Space space = ptx::Space::Shared;
  getTotal(running[warp.rank].total->sites[site], space, AccessKind::Read)
      .counts += counts;
  if (tracer)
    tracer->access(warp, site, space, counts);
}

void Counter::moveBulk(const WarpState &warp, uint32_t site,
                       llvm::ArrayRef<std::pair<uint64_t, uint64_t>> global,
                       AccessKind kind, uint64_t read, uint64_t written) {
  Running &block = running[warp.rank];
  SiteTotals &totals = block.total->sites[site];
  if (!global.empty()) {
    AccessCounts counts;
    counts.requests = counts.machineRequests = counts.lanes = 1;
    kinds[site] = kind;
    Touched &seen = (*block.touched)[site];
    for (auto [address, bytes] : global) {
      uint64_t end = address + bytes;
      counts.bytes += bytes;
      counts.sectors += (end + 31) / 32 - address / 32;
      counts.lines += (end + 127) / 128 - address / 128;
      seen.add(address, end);
    }
    counts.l2Sectors = counts.sectors;
    counts.l2Lines = counts.lines;
    counts.idealSectors = (counts.bytes + 31) / 32;
    getTotal(totals, ptx::Space::Global, kind).counts += counts;
    if (tracer)
      tracer->access(warp, site, ptx::Space::Global, counts);
  }
  auto addShared = [&](AccessKind how, uint64_t bytes) {
    if (!bytes)
      return;
    AccessCounts counts;
    counts.requests = counts.machineRequests = counts.lanes = 1;
    counts.bytes = bytes;
    counts.wavefronts = counts.idealWavefronts = counts.machineWavefronts =
        (bytes + 127) / 128;
    getTotal(totals, ptx::Space::Shared, how).counts += counts;
  };
  addShared(AccessKind::Read, read);
  addShared(AccessKind::Write, written);
}

/// What one access does.
AccessCounts Counter::count(Running &block, const WarpAccess &a) {
  AccessCounts counts;
  uint64_t lanes = llvm::popcount(a.mask);
  ++counts.requests;
  counts.lanes += lanes;
  counts.bytes += lanes * a.bytes;
  switch (a.space) {
  case ptx::Space::Global:
    accessGlobal(block, a, counts);
    break;
  case ptx::Space::Local: {
    GlobalPattern pattern = countLocal(a.addresses, a.mask, a.bytes);
    counts.sectors += pattern.sectors;
    counts.l2Sectors += pattern.sectors;
    counts.idealSectors += pattern.idealSectors();
    counts.lines += pattern.lines;
    break;
  }
  case ptx::Space::Shared:
    accessShared(block, a, counts);
    break;
  case ptx::Space::Const:
    counts.wavefronts += countAddresses(a.addresses, a.mask);
    counts.machineRequests = counts.requests;
    counts.machineWavefronts = counts.wavefronts;
    break;
  case ptx::Space::Generic:
  case ptx::Space::Cluster: // told as shared
  case ptx::Space::Param:
    break; // a cache of their own, which no counter here knows
  }
  return counts;
}

void Counter::merge(const Counter &other) {
  for (const auto &[lastAxes, from] : other.classes) {
    ClassTotal &to = getClass(lastAxes);
    to.run += from.run;
    for (size_t block = 0; block < to.blocks.size(); ++block) {
      to.blocks[block].warps += from.blocks[block].warps;
      to.blocks[block].lanes += from.blocks[block].lanes;
      to.blocks[block].divergent += from.blocks[block].divergent;
    }
    for (size_t site = 0; site < to.sites.size(); ++site)
      for (const SiteTotal &total : from.sites[site])
        getTotal(to.sites[site], total.space, total.kind).counts +=
            total.counts;
  }
  for (size_t site = 0; site < kinds.size(); ++site) {
    others[site].add(other.others[site]);
    for (auto &[block, sites] : watched)
      sites[site].add(other.watched.at(block)[site]);
    if (other.kinds[site] != AccessKind::Read)
      kinds[site] = other.kinds[site];
  }
}

} // namespace tc::emulator
