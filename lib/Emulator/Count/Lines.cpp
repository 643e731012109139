//===- Lines.cpp - Counts by line -----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What basic blocks and sites counted, given to the lines of the PTX.
//
//===----------------------------------------------------------------------===//

#include "Count/Counter.h"

namespace tc::emulator {

LineCounts &LineCounts::operator+=(const LineCounts &other) {
  warps += other.warps;
  lanes += other.lanes;
  slots += other.slots;
  divergent += other.divergent;
  global += other.global;
  shared += other.shared;
  local += other.local;
  return *this;
}

/// The innermost place of an instruction, by file and line.
static void setPlace(LineCounts &line, const ptx::Module *module,
                     const ptx::Instruction &instruction) {
  if (!module || !instruction.location)
    return;
  const ptx::Location &place = module->locations[instruction.location];
  if (!place.line) // the compiler's own code
    return;
  auto file = module->files.find(place.file);
  line.file = file == module->files.end() ? "file " + std::to_string(place.file)
                                          : file->second;
  line.sourceLine = place.line;
}

void Counter::addLines(LaunchCounts &counts) const {
  std::map<unsigned, LineCounts> lines;
  for (size_t block = 0; block < plan.blocks.size(); ++block) {
    uint64_t warps = getWarps(counts, block), lanes = getLanes(counts, block);
    for (auto [instruction, kind] : plan.blocks[block].instructions) {
      LineCounts &line = lines[instruction->line];
      if (line.text.empty()) {
        line.line = instruction->line;
        line.text = instruction->getText();
        setPlace(line, plan.module, *instruction);
      }
      line.warps += warps;
      line.lanes += lanes;
      const InstructionCounts &found = plan.classes[kind];
      line.slots += found.unit == "none" ? 0 : warps * found.slots;
    }
  }
  for (const BranchCounts &branch : counts.branches)
    if (auto line = lines.find(branch.line); line != lines.end())
      line->second.divergent += branch.divergent;
  for (const SiteCounts &site : counts.sites) {
    auto line = lines.find(site.line);
    if (line == lines.end())
      continue;
    if (site.space == "global")
      line->second.global += site.counts;
    else if (site.space == "local")
      line->second.local += site.counts;
    if (site.space != "shared")
      continue;
    line->second.shared += site.counts;
    // Loads that ptxas makes part of a neighbour's take no slot.
    line->second.slots -= std::min(
        line->second.slots, site.counts.requests - site.counts.machineRequests);
  }
  for (auto &[number, line] : lines)
    counts.lines.push_back(std::move(line));
}

} // namespace tc::emulator
