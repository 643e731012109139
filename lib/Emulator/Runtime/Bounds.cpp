//===- Bounds.cpp - What an access may reach ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the allocation behind an address that missed the access's slot, or says
// what is wrong with the access.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Launch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using llvm::Twine;

namespace tc::emulator {

namespace {

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

struct Found {
  Region region;
  ptx::Space space;
};

/// What lies at a host address: device memory, a variable, the parameters, the
/// block's shared or the thread's local memory.
std::optional<Found> findRegion(const Launch &launch, const ThreadState &thread,
                                uint64_t address) {
  const BlockState &block = launch.block;
  auto at = [](const void *pointer, uint64_t bytes) {
    return Region{reinterpret_cast<uint64_t>(pointer), bytes};
  };
  Region shared = at(block.shared, block.totalShared);
  if (block.shared && shared.contains(address, 1))
    return Found{shared, ptx::Space::Shared};
  Region local = at(thread.local, launch.plan.localBytes);
  if (thread.local && local.contains(address, 1))
    return Found{local, ptx::Space::Local};
  Region parameters = at(block.parameters, launch.parameterBytes);
  if (parameters.contains(address, 1))
    return Found{parameters, ptx::Space::Param};
  for (const VariableRegion &variable : launch.variables)
    if (variable.region.contains(address, 1))
      return Found{variable.region, variable.variable->space};
  std::lock_guard<std::mutex> lock(launch.memory.mutex);
  std::optional<Region> nearest = launch.memory.findNearest(address);
  if (nearest && nearest->contains(address, 1))
    return Found{*nearest, ptx::Space::Global};
  return std::nullopt;
}

std::string describeRegion(const Region &region, uint64_t address) {
  std::string text =
      (Twine(region.bytes) + " bytes at " + hex(region.base)).str();
  uint64_t end = region.base + region.bytes;
  if (address < region.base)
    return text + ", which begins " + std::to_string(region.base - address) +
           " bytes behind it";
  if (address >= end)
    return text + ", which ends " + std::to_string(address - end) +
           " bytes before it";
  return text;
}

/// The variable whose end or start is closest to `address`, among shared or
/// local ones.
std::string describeNearestVariable(const Launch &launch, ptx::Space space,
                                    uint64_t address) {
  const ptx::Variable *nearest = nullptr;
  uint64_t start = 0;
  for (auto [variable, at] : launch.plan.addresses)
    if (variable->space == space && at <= address &&
        (!nearest || at > start || (at == start && variable->bytes))) {
      nearest = variable;
      start = at;
    }
  if (!nearest)
    return "";
  uint64_t bytes =
      nearest->isDynamic ? launch.block.dynamicShared : nearest->bytes;
  return (", the nearest variable is '" + nearest->name + "', " + Twine(bytes) +
          " bytes at " + hex(start))
      .str();
}

std::string describeAccess(const Site &site, uint64_t address) {
  return ((site.isStore ? "write of " : "read of ") + Twine(site.bytes) +
          " bytes at " + ptx::getName(site.space) + " address " + hex(address))
      .str();
}

/// How a launcher is told of a wrong access near `region`.
FaultKind classify(const Site &site, uint64_t address, const Region &region) {
  bool inside = region.contains(address, site.bytes);
  return inside && address % site.bytes ? FaultKind::Alignment
                                        : FaultKind::Address;
}

/// The shared memory of the block or the local memory of a thread.
Region getOffsetRegion(const Launch &launch, const Site &site) {
  if (site.space == ptx::Space::Shared)
    return {sharedStart, launch.block.totalShared};
  return {localStart, launch.plan.localBytes};
}

/// Shared and local memory: the inline check has failed, so it is a fault.
std::string explainOffset(const Launch &launch, const Site &site,
                          uint64_t address) {
  bool isShared = site.space == ptx::Space::Shared;
  Region region = getOffsetRegion(launch, site);
  std::string text = describeAccess(site, address);
  if (!region.contains(address, site.bytes))
    return text + " is out of bounds: " +
           (isShared ? "the block has " : "the thread has ") +
           describeRegion(region, address) +
           describeNearestVariable(launch, site.space, address);
  return text + " is misaligned: expected a multiple of " +
         std::to_string(site.bytes);
}

std::string explainUnknown(const Launch &launch, const Site &site,
                           uint64_t address) {
  std::string text = describeAccess(site, address) +
                     " is out of bounds: no live allocation is there";
  std::lock_guard<std::mutex> lock(launch.memory.mutex);
  if (std::optional<Region> nearest = launch.memory.findNearest(address))
    text += "; the nearest has " + describeRegion(*nearest, address);
  return text;
}

/// What is wrong with an access to `found`; empty if nothing is.
std::string explainRegion(const Found &found, const Site &site,
                          uint64_t address) {
  std::string text = describeAccess(site, address);
  if (site.space != ptx::Space::Generic && site.space != found.space)
    return text + " hits memory of ." + ptx::getName(found.space).str();
  if (site.isStore &&
      (found.space == ptx::Space::Const || found.space == ptx::Space::Param))
    return text + " hits memory that is read-only, ." +
           ptx::getName(found.space).str();
  if (!found.region.contains(address, site.bytes))
    return text + " is out of bounds: the allocation has " +
           describeRegion(found.region, address);
  if (address % site.bytes)
    return text + " is misaligned: expected a multiple of " +
           std::to_string(site.bytes);
  return "";
}

} // namespace

} // namespace tc::emulator

using namespace tc::emulator;

bool tc_emulator_check(ThreadState *thread, uint64_t address, uint32_t index) {
  Launch &launch = getLaunch(thread);
  const Site &site = launch.plan.sites[index];
  if (site.space == ptx::Space::Shared || site.space == ptx::Space::Local) {
    reportFault(thread, index, explainOffset(launch, site, address),
                classify(site, address, getOffsetRegion(launch, site)));
    return false;
  }
  std::optional<Found> found = findRegion(launch, *thread, address);
  std::string wrong = found ? explainRegion(*found, site, address)
                            : explainUnknown(launch, site, address);
  if (!wrong.empty()) {
    reportFault(thread, index, wrong,
                found ? classify(site, address, found->region)
                      : FaultKind::Address);
    return false;
  }
  // Local memory is another one for the next thread: never remembered. Nor is
  // host memory that is not aligned, as the inline check counts from its base.
  if (found->space != ptx::Space::Local && found->region.base % site.bytes == 0)
    launch.slots[index] = {
        found->region.base,
        countAccesses(found->region.bytes, llvm::Log2_32(site.bytes))};
  return true;
}

void tc_emulator_trap(ThreadState *thread, uint32_t site) {
  const Site &where = getLaunch(thread).plan.sites[site];
  reportFault(thread, site,
              where.instruction->root == "brx"
                  ? "the index is beyond the table of branch targets"
                  : "the kernel executed '" + where.instruction->root + "'");
}
