//===- Builtins.cpp - Functions that every device has ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf, __assertfail, malloc, free and cudaGraphSetConditional, lane by
// lane.
//
//===----------------------------------------------------------------------===//

#include "Async/Builtins.h"
#include "Async/Async.h"
#include "Async/Printf.h"
#include "Check/Checker.h"
#include "Runtime/Scheduler.h"

#include <cstring>
#include <mutex>

using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

namespace {

/// Reads `bytes` at a generic address of one lane.
std::optional<uint64_t> readMemory(Step &step, unsigned lane, uint64_t address,
                                   unsigned bytes) {
  Lanes addresses{};
  LanePointers pointers{};
  addresses[lane] = address;
  if (!resolve(step, 1u << lane, ptx::Space::Generic, addresses, bytes,
               AccessKind::Read, pointers))
    return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, pointers[lane], bytes);
  return value;
}

/// A string of characters of `charBytes` each, up to its zero.
std::optional<std::string> readString(Step &step, unsigned lane,
                                      uint64_t address,
                                      unsigned charBytes = 1) {
  std::string text;
  for (;; address += charBytes) {
    std::optional<uint64_t> character =
        readMemory(step, lane, address, charBytes);
    if (!character)
      return std::nullopt;
    if (!*character)
      return text;
    text += char(*character);
  }
}

/// The result of a call that nobody reads has no place.
void giveResult(Step &step, unsigned lane, uint64_t value) {
  if (!step.results.empty())
    step.results[0][lane] = value;
}

/// int vprintf(const char *format, const void *arguments)
bool printText(Step &step) {
  return forLanes(step.active, [&](unsigned lane) {
    uint64_t format = step.sources[0][lane], buffer = step.sources[1][lane];
    if (!format) {
      giveResult(step, lane, uint32_t(-1));
      return true;
    }
    PrintfReader reader{
        [&](uint64_t offset, unsigned bytes) {
          return readMemory(step, lane, buffer + offset, bytes);
        },
        [&](uint64_t address) { return readString(step, lane, address); }};
    unsigned count = 0;
    std::optional<std::string> text = readString(step, lane, format);
    if (text)
      text = formatPrintf(*text, reader, count);
    if (!text)
      return false;
    if (step.launch.options.print) {
      // Several host threads may run blocks.
      static std::mutex mutex;
      std::lock_guard<std::mutex> lock(mutex);
      step.launch.options.print(*text);
    }
    giveResult(step, lane, count);
    return true;
  });
}

/// void __assertfail(const char *message, const char *file, unsigned line,
///                   const char *function, size_t charBytes)
bool failAssertion(Step &step) {
  unsigned lane = 0;
  while (!step.isActive(lane))
    ++lane;
  unsigned charBytes = step.sources[4][lane];
  if (charBytes != 1 && charBytes != 2 && charBytes != 4)
    charBytes = 1;
  std::string texts[3];
  const unsigned operands[3] = {0, 1, 3};
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t address = step.sources[operands[i]][lane];
    std::optional<std::string> text =
        address ? readString(step, lane, address, charBytes) : std::string();
    if (!text)
      return false;
    texts[i] = *text;
  }
  const uint32_t (&block)[3] = step.warp.block->blockIndex;
  const auto &tid = step.warp.tid;
  // As on a GPU, each thread says it, a line each.
  std::string all;
  forLanes(step.active, [&](unsigned each) {
    all +=
        (Twine(all.empty() ? "" : "\n") + texts[1] + ":" +
         Twine(step.sources[2][each]) + ": " + texts[2] + ": block: [" +
         Twine(block[0]) + "," + Twine(block[1]) + "," + Twine(block[2]) +
         "], thread: [" + Twine(tid[0][each]) + "," + Twine(tid[1][each]) +
         "," + Twine(tid[2][each]) + "] Assertion `" + texts[0] + "` failed.")
            .str();
    return true;
  });
  return fail(step, lane, all, FindingClass::Assert);
}

/// void *malloc(size_t bytes)
bool allocate(Step &step) {
  return forLanes(step.active, [&](unsigned lane) {
    giveResult(step, lane, 0);
    if (!step.launch.heap || !step.sources[0][lane])
      return true;
    llvm::Expected<void *> made = step.launch.heap->allocate(
        step.sources[0][lane], Memory::Contents::Fresh);
    if (made)
      giveResult(step, lane, reinterpret_cast<uint64_t>(*made));
    else
      llvm::consumeError(made.takeError());
    return true;
  });
}

std::optional<Region> findRegion(Step &step, uint64_t address) {
  Memory::Impl &memory = step.launch.heap->impl();
  std::lock_guard<std::mutex> lock(memory.mutex);
  return memory.findNearest(address);
}

/// The source of a copy in flight must stay; false after a fault.
bool checkCopiesFrom(Step &step, unsigned lane,
                     const std::optional<Region> &region) {
  if (!region || !step.launch.async.count(step.warp.rank))
    return true;
  for (auto &warp : getAsync(step.launch, *step.warp.block).warps)
    for (const PendingCopy &copy : warp.copies)
      if (!forLanes(copy.lanes, [&](unsigned source) {
            return !copy.read[source] ||
                   !region->contains(
                       reinterpret_cast<uint64_t>(copy.from[source]), 1);
          }))
        return fail(step, lane,
                    "free of memory from which an asynchronous copy is in "
                    "flight",
                    FindingClass::Async);
  return true;
}

/// void free(void *memory)
bool release(Step &step) {
  return forLanes(step.active, [&](unsigned lane) {
    uint64_t address = step.sources[0][lane];
    if (!step.launch.heap || !address)
      return true;
    std::optional<Region> region = findRegion(step, address);
    if (!checkCopiesFrom(step, lane, region))
      return false;
    if (region && region->base == address)
      step.launch.scheduler->forgetStores(region->base, region->bytes);
    if (step.launch.checker)
      step.launch.checker->release(address);
    llvm::Error error =
        step.launch.heap->release(reinterpret_cast<void *>(address));
    // What an access hit last may be gone.
    std::fill(step.launch.slots.begin(), step.launch.slots.end(), Slot());
    return !error || fail(step, lane, "free: " + toString(std::move(error)),
                          FindingClass::UseAfterFree);
  });
}

/// void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
///                              unsigned value)
///
/// A handle is the address of 4 bytes that the driver has allocated.
bool setCondition(Step &step) {
  Lanes addresses{};
  LanePointers pointers{};
  bool areConditions = forLanes(step.active, [&](unsigned lane) {
    addresses[lane] = step.sources[0][lane];
    std::optional<Region> region =
        step.launch.heap ? findRegion(step, addresses[lane]) : std::nullopt;
    return (region && region->base == addresses[lane] &&
            region->bytes == sizeof(uint32_t)) ||
           fail(step, lane,
                "expected a handle of cuGraphConditionalHandleCreate, got 0x" +
                    Twine::utohexstr(addresses[lane]),
                FindingClass::OutOfBounds);
  });
  if (!areConditions ||
      !resolve(step, step.active, ptx::Space::Global, addresses,
               sizeof(uint32_t), AccessKind::Write, pointers))
    return false;
  return forLanes(step.active, [&](unsigned lane) {
    uint32_t value = step.sources[1][lane];
    std::memcpy(pointers[lane], &value, sizeof value);
    return true;
  });
}

} // namespace

const Builtin *findBuiltin(StringRef name) {
  static const Builtin builtins[] = {
      {"vprintf", printText, 4, {8, 8}},
      {"__assertfail", failAssertion, 0, {8, 8, 4, 8, 8}},
      {"malloc", allocate, 8, {8}},
      {"free", release, 0, {8}},
      {"cudaGraphSetConditional", setCondition, 0, {8, 4}},
  };
  for (const Builtin &builtin : builtins)
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

} // namespace tc::emulator
