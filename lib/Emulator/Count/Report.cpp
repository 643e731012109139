//===- Report.cpp - Counts as text and JSON -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over a launch's counts, and how they are written.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Counts.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

namespace tc::emulator {

namespace {

struct Field {
  const char *name;
  uint64_t AccessCounts::*value;
};
constexpr Field fields[] = {
    {"requests", &AccessCounts::requests},
    {"lanes", &AccessCounts::lanes},
    {"bytes", &AccessCounts::bytes},
    {"sectors", &AccessCounts::sectors},
    {"ideal_sectors", &AccessCounts::idealSectors},
    {"l2_sectors", &AccessCounts::l2Sectors},
    {"lines", &AccessCounts::lines},
    {"l2_lines", &AccessCounts::l2Lines},
    {"wavefronts", &AccessCounts::wavefronts},
    {"ideal_wavefronts", &AccessCounts::idealWavefronts},
    {"machine_requests", &AccessCounts::machineRequests},
    {"machine_wavefronts", &AccessCounts::machineWavefronts},
};

Object toObject(const AccessClass &access) {
  Object object{{"space", access.space}, {"kind", access.kind}};
  for (const Field &field : fields)
    if (uint64_t value = access.counts.*field.value)
      object[field.name] = value;
  return object;
}

Object toObject(const Distinct &distinct) {
  return Object{{"bytes", distinct.bytes}, {"sectors", distinct.sectors}};
}

Object toObject(const Distinct &read, const Distinct &written,
                const Distinct &touched) {
  return Object{{"read", toObject(read)},
                {"written", toObject(written)},
                {"touched", toObject(touched)}};
}

Array toArray(Dim3 dim) { return Array{dim.x, dim.y, dim.z}; }

Array toArray(const BlockBox &box) {
  Array array;
  for (const BlockBox::Axis &axis : box.axes)
    array.push_back(axis.extent);
  return array;
}

Object toObject(const SiteCounts &site) {
  Object object = toObject(static_cast<const AccessClass &>(site));
  object["site"] = site.site;
  object["line"] = site.line;
  object["opcode"] = site.opcode;
  if (!site.source.empty())
    object["source"] = site.source;
  if (site.space == "global")
    object["distinct"] = toObject(site.distinct);
  return object;
}

Object toObject(const InstructionCounts &kind) {
  return Object{{"name", kind.name},
                {"unit", kind.unit},
                {"warps", kind.warps},
                {"lanes", kind.lanes},
                {"operations", kind.operations},
                {"slots", kind.slots}};
}

Object toObject(const BranchCounts &branch) {
  return Object{{"line", branch.line},
                {"warps", branch.warps},
                {"divergent", branch.divergent}};
}

Object toObject(const LoopCounts &loop) {
  return Object{{"line", loop.line},
                {"iterations", loop.iterations},
                {"instructions", loop.instructions},
                {"multiply_adds", loop.multiplyAdds}};
}

Object toObject(const WaitCounts &waits) {
  return Object{{"rounds", waits.rounds},
                {"ahead", waits.ahead},
                {"barriers", waits.barriers},
                {"depth", waits.depth}};
}

/// What the next block along each axis touches too, as a share.
Array toArray(const Reuse &reuse) {
  Array array;
  for (const Reuse::Axis &axis : reuse.axes)
    array.push_back(axis.shared);
  return array;
}

Object toObject(const AllocationCounts &part) {
  Object object = toObject(part.read, part.written, part.touched);
  object["shared_reads"] = toArray(part.readReuse);
  object["shared_writes"] = toArray(part.writtenReuse);
  object["bytes"] = part.bytes;
  return object;
}

Object toObject(const BlockClass &part) {
  return Object{
      {"last_axes", part.lastAxes}, {"blocks", part.blocks}, {"run", part.run}};
}

template <typename T>
Array toArray(const std::vector<T> &list) {
  Array array;
  for (const T &element : list)
    array.push_back(toObject(element));
  return array;
}

} // namespace

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  for (const Field &field : fields)
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

Object LaunchCounts::toJson() const {
  using emulator::toJson;
  return Object{{"kernel", kernel},
                {"grid", toArray(grid)},
                {"block", toArray(block)},
                {"box", toArray(box)},
                {"shared_bytes", sharedBytes},
                {"blocks", grid.count()},
                {"blocks_run", blocksRun},
                {"sampled", isSampled()},
                {"classes", toArray(classes)},
                {"warp_instructions", getWarpInstructions()},
                {"active_lanes", getActiveLanes()},
                {"l2_bytes", getL2Bytes()},
                {"instructions", toArray(instructions)},
                {"branches", toArray(branches)},
                {"loops", toArray(loops)},
                {"waits", toObject(waits)},
                {"memory", toArray(memory)},
                {"sites", toArray(sites)},
                {"allocations", toArray(allocations)},
                {"distinct", toObject(read, written, touched)},
                {"distinct_all", toObject(allRead, allWritten, allTouched)}};
}

static void print(llvm::raw_ostream &os, const AccessClass &access) {
  os << llvm::formatv("{0,-6} {1,-6}", access.space, access.kind);
  for (const Field &field : fields)
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
