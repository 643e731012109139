//===- Copy.cpp - Bulk copies of bytes in a row ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk and cp.reduce.async.bulk (PTX ISA, section 9.7.9.25.4): their
// operands, and where they go to.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"
#include "Check/Checker.h"
#include "Runtime/Scheduler.h"

#include "llvm/ADT/StringExtras.h"

using llvm::Twine;

namespace tc::emulator::bulk {

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

bool checkMultiple(Step &step, unsigned lane, llvm::StringRef what,
                   uint64_t value, uint64_t multiple) {
  if (value % multiple == 0)
    return true;
  auto describeIt = [&] {
    return ("the " + what + " of a bulk copy is misaligned: expected a " +
            "multiple of " + Twine(multiple) + ", got " +
            (value > 4096 ? hex(value) : std::to_string(value)))
        .str();
  };
  // There is no such copy to go on with unless the check is to tell of it.
  if (!step.launch.options.checks.has(Checks::Misaligned))
    return fail(step, lane, describeIt(), FindingClass::Misaligned);
  reportSite(step.warp, lane, step.site, FindingClass::Misaligned, describeIt,
             value);
  return false;
}

std::optional<uint64_t> checkSpan(Step &step, unsigned lane, ptx::Space space,
                                  uint64_t address, uint64_t bytes,
                                  bool isStore) {
  Launch &launch = step.launch;
  if (!launch.options.checks.has(Checks::Bounds.chosen))
    return bytes;
  for (uint64_t at = 0; at < bytes;) {
    uint32_t size = std::min<uint64_t>(unitBytes, bytes - at);
    while (!llvm::isPowerOf2_32(size) || (address + at) % size)
      size /= 2;
    AccessVerdict verdict = checkAccess(launch, step.warp, lane, step.site,
                                        space, address + at, size, isStore);
    if (verdict.kind == AccessVerdict::Fault)
      return std::nullopt;
    if (verdict.kind == AccessVerdict::Skipped)
      return at;
    Region known = verdict.region;
    if (space == ptx::Space::Shared)
      known = {sharedStart, step.warp.block->totalShared};
    at += size;
    if (known.bytes && known.base + known.bytes > address + at)
      at = std::max<uint64_t>(
          at,
          llvm::alignDown(std::min(known.base + known.bytes - address, bytes),
                          unitBytes));
  }
  return bytes;
}

bool findTargets(Step &step, unsigned lane, uint64_t to, uint64_t object,
                 std::optional<uint64_t> blocks, Targets &targets) {
  Launch &launch = step.launch;
  const BlockState &block = *step.warp.block;
  std::optional<uint32_t> rank = findWindow(block, to);
  std::optional<uint32_t> owner = findWindow(block, object);
  if (!rank || !owner || *rank != *owner)
    return fail(step, lane,
                "expected an mbarrier in the shared memory of the block that "
                "the copy writes to",
                FindingClass::Async);
  if (!blocks) {
    targets.push_back(
        {reinterpret_cast<char *>(to), reinterpret_cast<char *>(object)});
    return true;
  }
  if (*blocks >> launch.countBlocks())
    return fail(step, lane,
                "the mask " + Twine(hex(*blocks)) +
                    " names blocks beyond the " + Twine(launch.countBlocks()) +
                    " of the cluster",
                FindingClass::Async);
  uint64_t start =
      reinterpret_cast<uint64_t>(block.clusterShared) + *rank * clusterWindow;
  for (uint32_t i = 0; i < launch.countBlocks(); ++i)
    if (*blocks >> i & 1) {
      char *shared = launch.getBlock(i).shared;
      targets.push_back({shared + (to - start), shared + (object - start)});
    }
  return true;
}

namespace {

/// A lane at cp.async.bulk.
struct Issuer {
  Step &step;
  unsigned lane;
  const ptx::Instruction &in = step.instruction;
  bool isToGlobal = in.has("bulk_group");
  bool isToCluster = in.has("shared::cluster");
  bool isFromGlobal = in.has("global") && !isToGlobal;
  uint64_t to = 0, from = 0, bytes = 0; ///< host addresses

  uint64_t toHost(uint64_t address, bool isCluster) const {
    const BlockState &block = *step.warp.block;
    return isCluster ? toGeneric(block, address)
                     : reinterpret_cast<uint64_t>(block.shared) + address -
                           sharedStart;
  }
  ptx::Space getTo() const {
    return isToGlobal    ? ptx::Space::Global
           : isToCluster ? ptx::Space::Cluster
                         : ptx::Space::Shared;
  }

  bool run();
  bool checkOperands();
  std::unique_ptr<Copy> make(char *target) const;
};

/// Cuts `bytes` down to what may be copied. False after a fault.
bool Issuer::checkOperands() {
  uint64_t target = step.sources[0][lane], source = step.sources[1][lane];
  bytes = uint32_t(step.sources[2][lane]);
  to = isToGlobal ? target : toHost(target, isToCluster);
  from = isFromGlobal ? source : toHost(source, false);
  if (!checkMultiple(step, lane, "destination", target, unitBytes) ||
      !checkMultiple(step, lane, "source", source, unitBytes) ||
      !checkMultiple(step, lane, "size", bytes, unitBytes)) {
    bytes = 0;
    return !step.launch.fault;
  }
  std::optional<uint64_t> readable = checkSpan(
      step, lane, isFromGlobal ? ptx::Space::Global : ptx::Space::Shared,
      source, bytes, /*isStore=*/false);
  if (!readable)
    return false;
  std::optional<uint64_t> writable =
      checkSpan(step, lane, getTo(), isToCluster ? to : target, *readable,
                /*isStore=*/true);
  bytes = writable.value_or(0);
  return writable.has_value();
}

std::unique_ptr<Copy> Issuer::make(char *target) const {
  auto copy = std::make_unique<Copy>();
  copy->lane = lane;
  const char *source = reinterpret_cast<const char *>(from);
  // Where they may move one by one, in small pieces.
  bool isWhole = getState(step.launch).moment != AsyncState::Moment::Random;
  uint64_t step = isWhole ? std::max<uint64_t>(bytes, 1) : 8 * unitBytes;
  for (uint64_t at = 0; at < bytes; at += step)
    copy->pieces.push_back(
        {target + at, source + at, uint32_t(std::min(step, bytes - at))});
  if (bytes && isFromGlobal)
    copy->addGlobal(from, bytes);
  if (bytes && isToGlobal)
    copy->addGlobal(to, bytes);
  if (!isToGlobal)
    copy->to = {target, uint32_t(bytes)};
  if (!isFromGlobal)
    copy->from = {reinterpret_cast<char *>(from), uint32_t(bytes)};
  if (in.has("reduce"))
    for (llvm::StringRef set : {"AtomBit", "AtomWrap", "AtomMinMax", "add"})
      if (in.has(set))
        copy->combine = findCombine(in.get(set), in.type);
  return copy;
}

bool Issuer::run() {
  uint64_t whole = uint32_t(step.sources[2][lane]);
  if (!checkOperands())
    return false;
  if (isToGlobal)
    return issue(step, make(reinterpret_cast<char *>(to)));
  LanePointers objects;
  if (!resolve(step, 1u << lane,
               isToCluster ? ptx::Space::Cluster : ptx::Space::Shared,
               step.sources[3], 8, AccessKind::Atomic, objects))
    return false;
  std::optional<uint64_t> blocks;
  if (in.has("multicast::cluster"))
    blocks = uint16_t(step.sources[4][lane]);
  Targets targets;
  if (!findTargets(step, lane, to, reinterpret_cast<uint64_t>(objects[lane]),
                   blocks, targets))
    return false;
  for (const Target &target : targets) {
    std::unique_ptr<Copy> copy = make(target.to);
    copy->object = target.object;
    copy->bytes = whole;
    if (!issue(step, std::move(copy)))
      return false;
  }
  return true;
}

} // namespace

bool copy(Step &step) {
  return forLanes(step.active,
                  [&](unsigned lane) { return Issuer{step, lane}.run(); });
}

/// Nothing moves: there is no cache.
bool prefetch(Step &step) {
  return forLanes(step.active, [&](unsigned lane) {
    uint64_t address = step.sources[0][lane];
    uint64_t bytes = uint32_t(step.sources[1][lane]);
    if (!checkMultiple(step, lane, "source", address, unitBytes) ||
        !checkMultiple(step, lane, "size", bytes, unitBytes))
      return !step.launch.fault;
    return checkSpan(step, lane, ptx::Space::Global, address, bytes,
                     /*isStore=*/false)
        .has_value();
  });
}

} // namespace tc::emulator::bulk
