//===- Report.cpp - Counts as text ----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over a launch's counts, and how people read them.
//
//===----------------------------------------------------------------------===//

#include "Count/AccessFields.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace tc::emulator {

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  for (const AccessField &field : getAccessFields())
    this->*field.value += other.*field.value;
  return *this;
}

AccessCounts LaunchCounts::getMemory(StringRef space, StringRef kind) const {
  AccessCounts sum;
  for (const AccessClass &part : memory)
    if (part.space == space && (kind.empty() || part.kind == kind))
      sum += part.counts;
  return sum;
}

uint64_t LaunchCounts::getWarpInstructions() const {
  uint64_t sum = 0;
  for (const InstructionCounts &kind : instructions)
    sum += kind.warps;
  return sum;
}

uint64_t LaunchCounts::getIssued() const {
  uint64_t sum = 0;
  for (const InstructionCounts &kind : instructions)
    sum += kind.unit == "none" ? 0 : kind.warps * kind.slots;
  return sum - getMerged();
}

uint64_t LaunchCounts::getMerged() const {
  AccessCounts shared = getMemory("shared");
  return shared.requests - shared.machineRequests;
}

double LaunchCounts::getActiveLanes() const {
  uint64_t lanes = 0, warps = getWarpInstructions();
  for (const InstructionCounts &kind : instructions)
    lanes += kind.lanes;
  return warps ? double(lanes) / double(warps) : 0;
}

uint64_t LaunchCounts::getL2Bytes() const {
  return 32 * getMemory("global").l2Sectors;
}

static void print(llvm::raw_ostream &os, const AccessClass &access) {
  os << llvm::formatv("{0,-6} {1,-6}", access.space, access.kind);
  for (const AccessField &field : getAccessFields())
    if (uint64_t value = access.counts.*field.value)
      os << ' ' << field.name << ' ' << value;
}

void LaunchCounts::print(llvm::raw_ostream &os) const {
  os << llvm::formatv("counted: kernel '{0}', grid ({1},{2},{3}), block "
                      "({4},{5},{6}), {7} bytes of shared memory a block\n",
                      kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                      sharedBytes);
  if (isSampled())
    os << llvm::formatv("sampled: {0} of {1} blocks ran, counts are scaled by "
                        "class of blocks\n",
                        blocksRun, grid.count());
  os << llvm::formatv("{0} warp instructions, {1:F1} of 32 lanes active\n",
                      getWarpInstructions(), getActiveLanes());
  for (const AccessClass &part : memory) {
    emulator::print(os, part);
    os << '\n';
  }
  os << llvm::formatv("distinct bytes of global memory: {0} read, {1} "
                      "written{2}\n",
                      allRead.bytes, allWritten.bytes,
                      isSampled() ? ", extrapolated" : "");
}

void LaunchCounts::printSites(llvm::raw_ostream &os) const {
  os << "instructions\n";
  for (const InstructionCounts &kind : instructions)
    os << llvm::formatv("  {0,-24} {1}\n", kind.name, kind.warps);
  for (const BranchCounts &branch : branches)
    os << llvm::formatv("  branch at PTX line {0}: {1}, divergent {2}\n",
                        branch.line, branch.warps, branch.divergent);
  for (const LoopCounts &loop : loops)
    os << llvm::formatv("  loop at PTX line {0}: {1} iterations, {2} "
                        "instructions, {3} of them multiply-adds\n",
                        loop.line, loop.iterations, loop.instructions,
                        loop.multiplyAdds);
  os << "sites\n";
  for (const SiteCounts &site : sites) {
    os << llvm::formatv("  PTX line {0}{1}{2} {3}: ", site.line,
                        site.source.empty() ? "" : ", ", site.source,
                        site.opcode);
    emulator::print(os, site);
    if (site.distinct.bytes)
      os << " distinct_bytes " << site.distinct.bytes;
    os << '\n';
  }
}

} // namespace tc::emulator
