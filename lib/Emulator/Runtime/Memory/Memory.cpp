//===- Memory.cpp - The allocations of a device ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, kept in an ordered map. Fresh memory is filled
// with ones, NaN in every format, so that a read of what nobody wrote shows;
// only very large allocations are not, so that they take no memory until they
// are touched. Addresses of released memory rest for a while, so that uses of
// them are found.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/MemoryImpl.h"

#include <cstring>

using llvm::createStringError;
using llvm::Error;

namespace tc::emulator {

/// Allocations above this are sparse.
static constexpr uint64_t filledBytes = uint64_t(1) << 30;
/// Released allocations whose addresses rest. Each takes an entry of the host's
/// table of mappings, which has some 65000.
static constexpr size_t freedCount = 4096;

Memory::Memory() : state(std::make_unique<Impl>()) {}
Memory::~Memory() = default;

static uint64_t toInteger(const void *address) {
  return reinterpret_cast<uint64_t>(address);
}

/// Makes memory what it is after an allocation. False where the host has no
/// room for what the checks know of it.
static bool makeFresh(Allocation &made, size_t bytes,
                      Memory::Contents contents) {
  if (bytes && contents == Memory::Contents::Fresh) {
    made.shadow.initialized = Mapping(bytes);
    if (!made.shadow.initialized.get())
      return false;
  }
  if (bytes <= filledBytes)
    std::memset(made.memory.get(), 0xff, bytes);
  return true;
}

llvm::Expected<void *> Memory::allocate(size_t bytes, Contents contents) {
  Allocation made;
  made.memory = Mapping(std::max<size_t>(bytes, 1));
  if (!made.memory.get() || !makeFresh(made, bytes, contents))
    return createStringError(std::errc::not_enough_memory,
                             "cannot allocate %zu bytes", bytes);
  void *address = made.memory.get();
  std::lock_guard<std::mutex> lock(state->mutex);
  made.region = {toInteger(address), bytes};
  made.order = ++state->count;
  state->used += bytes;
  state->insert(std::move(made));
  return address;
}

Error Memory::release(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto resting = state->suspended.find(toInteger(address));
  if (resting != state->suspended.end()) {
    state->quarantine(std::move(resting->second));
    state->suspended.erase(resting);
    return Error::success();
  }
  auto found = state->allocations.find(toInteger(address));
  if (found == state->allocations.end() || !found->second.memory.get()) {
    bool wasFreed = state->freed.count(toInteger(address));
    return createStringError(
        std::errc::invalid_argument,
        "expected the start of a live allocation, got %p%s", address,
        wasFreed ? ", which was released before" : "");
  }
  state->used -= found->second.region.bytes;
  state->quarantine(std::move(found->second));
  state->allocations.erase(found);
  return Error::success();
}

Error Memory::suspend(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = state->allocations.find(toInteger(address));
  if (found == state->allocations.end() || !found->second.memory.get())
    return createStringError(std::errc::invalid_argument,
                             "expected the start of a live allocation, got %p",
                             address);
  Allocation &allocation = found->second;
  allocation.memory.poison();
  allocation.shadow = Shadow();
  state->used -= allocation.region.bytes;
  state->suspended.emplace(found->first, std::move(allocation));
  state->allocations.erase(found);
  return Error::success();
}

Error Memory::revive(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = state->suspended.find(toInteger(address));
  if (found == state->suspended.end())
    return createStringError(std::errc::invalid_argument,
                             "expected suspended memory, got %p", address);
  Allocation &allocation = found->second;
  size_t bytes = allocation.region.bytes;
  if (!allocation.memory.restore() ||
      !makeFresh(allocation, bytes, Contents::Fresh))
    return createStringError(std::errc::not_enough_memory,
                             "cannot allocate %zu bytes", bytes);
  allocation.order = ++state->count;
  state->used += bytes;
  state->insert(std::move(allocation));
  state->suspended.erase(found);
  return Error::success();
}

Error Memory::registerHost(void *address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t base = toInteger(address);
  auto next = state->allocations.lower_bound(base);
  bool touches = next != state->allocations.end() && next->first - base < bytes;
  if (next != state->allocations.begin()) {
    auto before = std::prev(next);
    touches |= base - before->first < before->second.region.bytes;
  }
  if (touches)
    return createStringError(
        std::errc::invalid_argument,
        "expected host memory apart from every allocation, got %zu bytes at %p",
        bytes, address);
  Allocation made;
  made.region = {base, bytes};
  made.order = ++state->count;
  state->insert(std::move(made));
  return Error::success();
}

Error Memory::unregisterHost(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = state->allocations.find(toInteger(address));
  if (found == state->allocations.end() || found->second.memory.get())
    return createStringError(
        std::errc::invalid_argument,
        "expected the start of registered host memory, got %p", address);
  state->allocations.erase(found);
  return Error::success();
}

void Memory::markInitialized(const void *address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t at = toInteger(address);
  const Allocation *found = state->find(at);
  if (found && bytes)
    found->shadow.markInitialized(
        at, std::min(bytes, found->region.base + found->region.bytes - at));
}

std::vector<Memory::Live> Memory::getLive() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  std::vector<Live> live;
  for (const auto &[base, allocation] : state->allocations)
    if (void *memory = allocation.memory.get())
      live.push_back({memory, allocation.region.bytes, allocation.order});
  std::sort(live.begin(), live.end(),
            [](const Live &a, const Live &b) { return a.order < b.order; });
  return live;
}

bool Memory::contains(const void *address, size_t bytes) const {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t at = toInteger(address);
  std::optional<Region> nearest = state->findNearest(at);
  return nearest && nearest->contains(at, bytes);
}

size_t Memory::used() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->used;
}

/// The last entry that begins at or below `address`, or the first.
template <typename Map>
static auto findAtOrBelow(Map &map, uint64_t address) {
  auto after = map.upper_bound(address);
  return after == map.begin() ? after : std::prev(after);
}

std::optional<Region> Memory::Impl::findNearest(uint64_t address) const {
  auto found = findAtOrBelow(allocations, address);
  if (found == allocations.end())
    return std::nullopt;
  return found->second.region;
}

const Allocation *Memory::Impl::find(uint64_t address) const {
  auto found = findAtOrBelow(allocations, address);
  if (found == allocations.end() || !found->second.region.contains(address, 1))
    return nullptr;
  return &found->second;
}

std::optional<Region> Memory::Impl::findFreed(uint64_t address) const {
  for (const auto *map : {&freed, &suspended}) {
    auto found = findAtOrBelow(*map, address);
    if (found != map->end() && found->second.region.contains(address, 1))
      return found->second.region;
  }
  return std::nullopt;
}

void Memory::Impl::insert(Allocation allocation) {
  allocation.shadow.base = allocation.region.base;
  allocation.shadow.bytes = allocation.region.bytes;
  allocations.emplace(allocation.region.base, std::move(allocation));
}

void Memory::Impl::quarantine(Allocation allocation) {
  if (freed.size() >= freedCount) {
    auto oldest = std::min_element(freed.begin(), freed.end(),
                                   [](const auto &a, const auto &b) {
                                     return a.second.freedAt < b.second.freedAt;
                                   });
    freed.erase(oldest);
  }
  allocation.memory.poison();
  allocation.shadow = Shadow();
  allocation.freedAt = ++freedEver;
  freed.emplace(allocation.region.base, std::move(allocation));
}

} // namespace tc::emulator
