//===- Finish.cpp - From counters to a report -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies the counts of basic blocks out to instructions and those of
// sampled blocks to the grid.
//
//===----------------------------------------------------------------------===//

#include "Count/Counter.h"

#include <algorithm>

namespace tc::emulator {

namespace {

/// count * blocks / run, rounded to the nearest.
uint64_t scale(uint64_t count, const BlockClass &by) {
  if (by.run == by.blocks || by.run == 0)
    return count;
  return static_cast<uint64_t>(
      (static_cast<unsigned __int128>(count) * by.blocks + by.run / 2) /
      by.run);
}

AccessCounts scale(const AccessCounts &counts, const BlockClass &by) {
  AccessCounts scaled;
  for (auto field :
       {&AccessCounts::requests, &AccessCounts::lanes, &AccessCounts::bytes,
        &AccessCounts::sectors, &AccessCounts::idealSectors,
        &AccessCounts::l2Sectors, &AccessCounts::lines, &AccessCounts::l2Lines,
        &AccessCounts::wavefronts, &AccessCounts::idealWavefronts,
        &AccessCounts::machineRequests, &AccessCounts::machineWavefronts})
    scaled.*field = scale(counts.*field, by);
  return scaled;
}

const char *getName(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic";
  }
  return "";
}

/// The element of `list` with that space and kind.
template <typename T>
T &findOrAdd(std::vector<T> &list, size_t from, llvm::StringRef space,
             llvm::StringRef kind) {
  for (size_t at = from; at < list.size(); ++at)
    if (list[at].space == space && list[at].kind == kind)
      return list[at];
  T &added = list.emplace_back();
  added.space = space.str();
  added.kind = kind.str();
  return added;
}

} // namespace

/// A class of which no block ran is counted with the first that has some.
void Counter::scaleClasses(LaunchCounts &counts) const {
  uint64_t missing = box.count();
  for (const auto &[lastAxes, total] : classes) {
    if (!total.run)
      continue;
    counts.classes.push_back({lastAxes, box.countOf(lastAxes), total.run});
    counts.blocksRun += total.run;
    missing -= counts.classes.back().blocks;
  }
  if (!counts.classes.empty())
    counts.classes.front().blocks += missing;
}

void Counter::addSites(LaunchCounts &counts,
                       llvm::ArrayRef<Touched> touched) const {
  for (uint32_t site = 0; site < plan.sites.size(); ++site) {
    size_t first = counts.sites.size();
    for (const BlockClass &by : counts.classes)
      for (const SiteTotal &total : classes.at(by.lastAxes).sites[site]) {
        AccessCounts scaled = scale(total.counts, by);
        llvm::StringRef space = ptx::getName(total.space);
        const char *kind = getName(total.kind);
        findOrAdd(counts.sites, first, space, kind).counts += scaled;
        findOrAdd(counts.memory, 0, space, kind).counts += scaled;
      }
    for (size_t at = first; at < counts.sites.size(); ++at) {
      SiteCounts &added = counts.sites[at];
      added.site = site;
      added.line = plan.sites[site].instruction->line;
      added.opcode = plan.sites[site].instruction->getOpcode();
      added.source = plan.sites[site].source;
      if (added.space == "global")
        added.distinct = touched[site].count();
    }
  }
}

void Counter::addInstructions(LaunchCounts &counts) const {
  std::vector<InstructionCounts> found = plan.classes;
  for (InstructionCounts &kind : found)
    kind.operations = 0;
  for (size_t block = 0; block < plan.blocks.size(); ++block) {
    BranchCounts branch{plan.blocks[block].branchLine, 0, 0};
    uint64_t warps = getWarps(counts, block), lanes = getLanes(counts, block);
    for (const BlockClass &by : counts.classes)
      branch.divergent +=
          scale(classes.at(by.lastAxes).blocks[block].divergent, by);
    branch.warps = warps;
    if (branch.line && branch.warps)
      counts.branches.push_back(branch);
    for (auto [kind, count] : plan.blocks[block].histogram) {
      found[kind].warps += warps * count;
      found[kind].lanes += lanes * count;
      found[kind].operations += (plan.isPerWarp[kind] ? warps : lanes) * count *
                                plan.classes[kind].operations;
    }
  }
  llvm::erase_if(found, [](auto &kind) { return kind.warps == 0; });
  llvm::sort(found, [](auto &a, auto &b) { return a.name < b.name; });
  counts.instructions = std::move(found);
}

uint64_t Counter::getWarps(const LaunchCounts &counts, size_t block) const {
  uint64_t warps = 0;
  for (const BlockClass &by : counts.classes)
    warps += scale(classes.at(by.lastAxes).blocks[block].warps, by);
  return warps;
}

uint64_t Counter::getLanes(const LaunchCounts &counts, size_t block) const {
  uint64_t lanes = 0;
  for (const BlockClass &by : counts.classes)
    lanes += scale(classes.at(by.lastAxes).blocks[block].lanes, by);
  return lanes;
}

void Counter::addLoops(LaunchCounts &counts) const {
  auto isMultiplyAdd = [&](uint32_t kind) {
    return plan.isPerWarp[kind] ||
           llvm::StringRef(plan.classes[kind].name).starts_with("fma.");
  };
  // The innermost loop of each block that multiplies and adds, or the block.
  std::vector<std::pair<const CountPlan::Loop *, size_t>> found;
  for (size_t block = 0; block < plan.blocks.size(); ++block) {
    if (llvm::none_of(plan.blocks[block].histogram,
                      [&](auto &entry) { return isMultiplyAdd(entry.first); }))
      continue;
    const CountPlan::Loop *innermost = nullptr;
    for (const CountPlan::Loop &loop : plan.loops)
      if (llvm::is_contained(loop.blocks, block))
        innermost = &loop;
    std::pair<const CountPlan::Loop *, size_t> entry(innermost,
                                                     innermost ? 0 : block);
    if (!llvm::is_contained(found, entry))
      found.push_back(entry);
  }
  for (auto [loop, alone] : found) {
    LoopCounts added;
    unsigned only = alone;
    llvm::ArrayRef<unsigned> blocks = only;
    if (loop)
      blocks = loop->blocks;
    added.line = loop ? loop->line : plan.blocks[only].line;
    added.iterations = getWarps(counts, blocks.front());
    for (unsigned block : blocks) {
      uint64_t warps = getWarps(counts, block);
      for (auto [kind, count] : plan.blocks[block].histogram) {
        added.instructions += plan.classes[kind].unit != "none"
                                  ? warps * count * plan.classes[kind].slots
                                  : 0;
        added.multiplyAdds += isMultiplyAdd(kind) ? warps * count : 0;
      }
    }
    if (added.multiplyAdds)
      counts.loops.push_back(added);
  }
  llvm::sort(counts.loops, [](auto &a, auto &b) {
    return std::tuple(b.multiplyAdds, a.line) <
           std::tuple(a.multiplyAdds, b.line);
  });
}

void Counter::addWaits(LaunchCounts &counts) const {
  double blocks = double(counts.grid.count());
  double warps = blocks * double((counts.block.count() + 31) / 32);
  if (warps == 0)
    return;
  WaitCounts &waits = counts.waits;
  for (const KernelStructure::Wait &wait : plan.structure.waits) {
    uint64_t most = 0;
    for (unsigned block : wait.blocks)
      most = std::max(most, getWarps(counts, block));
    double rounds = double(most) / warps;
    waits.rounds += rounds;
    waits.ahead += rounds * wait.ahead;
    waits.copied += wait.isForCopies ? rounds : 0;
  }
  if (waits.rounds > 0) {
    waits.ahead /= waits.rounds;
    waits.copied /= waits.rounds;
  }
  for (unsigned block : plan.structure.barriers)
    waits.barriers += double(getWarps(counts, block)) / warps;
  double all = 0, inChains = 0;
  for (const KernelStructure::Chain &chain : plan.structure.chains) {
    double done = double(getWarps(counts, chain.block)) * chain.multiplyAdds;
    all += done;
    inChains += done / chain.depth;
  }
  if (inChains > 0)
    waits.depth = all / inChains;
}

LaunchCounts Counter::finish(const CountedLaunch &launch) const {
  LaunchCounts counts;
  counts.kernel = launch.kernel.str();
  counts.grid = launch.grid;
  counts.block = launch.block;
  counts.box = box;
  counts.sharedBytes = launch.sharedBytes;
  scaleClasses(counts);
  std::vector<Touched> touched = gatherTouched();
  addSites(counts, touched);
  addInstructions(counts);
  addLines(counts);
  addLoops(counts);
  addWaits(counts);
  addDistinct(counts, launch, touched);
  return counts;
}

} // namespace tc::emulator
