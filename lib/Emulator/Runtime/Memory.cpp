//===- Memory.cpp - The allocations of a device ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, kept in an ordered map. Fresh memory is filled
// with ones, NaN in every format, so that a read of what nobody wrote shows.
//
//===----------------------------------------------------------------------===//

#include "Runtime/MemoryImpl.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tc::emulator {

Memory::Memory() : state(std::make_unique<Impl>()) {}

Memory::~Memory() {
  for (auto [address, size] : state->allocations)
    if (!state->registered.count(address))
      std::free(reinterpret_cast<void *>(address));
}

llvm::Expected<void *> Memory::allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  // The host hands out more than it has, and pays when it is written.
  size_t physical = size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  void *address = nullptr;
  if (bytes < physical && used() < physical - bytes)
    address = std::aligned_alloc(
        alignment, llvm::alignTo(std::max<size_t>(bytes, 1), alignment));
  if (!address)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "cannot allocate %zu bytes", bytes);
  std::memset(address, 0xff, bytes);
  std::lock_guard<std::mutex> lock(state->mutex);
  state->allocations[reinterpret_cast<uint64_t>(address)] = bytes;
  state->used += bytes;
  return address;
}

llvm::Error Memory::release(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = state->allocations.find(reinterpret_cast<uint64_t>(address));
  if (found == state->allocations.end() ||
      state->registered.count(found->first))
    return llvm::createStringError(
        std::errc::invalid_argument,
        "expected the start of a live allocation, got %p", address);
  state->used -= found->second;
  state->allocations.erase(found);
  std::free(address);
  return llvm::Error::success();
}

llvm::Error Memory::registerHost(void *address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t base = reinterpret_cast<uint64_t>(address);
  auto next = state->allocations.lower_bound(base);
  bool touches = next != state->allocations.end() && next->first - base < bytes;
  if (next != state->allocations.begin()) {
    auto before = std::prev(next);
    touches |= base - before->first < before->second;
  }
  if (touches)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "expected host memory apart from every allocation, got %zu bytes at %p",
        bytes, address);
  state->allocations[base] = bytes;
  state->registered.insert(base);
  return llvm::Error::success();
}

llvm::Error Memory::unregisterHost(void *address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t base = reinterpret_cast<uint64_t>(address);
  if (!state->registered.erase(base))
    return llvm::createStringError(
        std::errc::invalid_argument,
        "expected the start of registered host memory, got %p", address);
  state->allocations.erase(base);
  return llvm::Error::success();
}

bool Memory::contains(const void *address, size_t bytes) const {
  std::lock_guard<std::mutex> lock(state->mutex);
  uint64_t at = reinterpret_cast<uint64_t>(address);
  std::optional<Region> nearest = state->findNearest(at);
  return nearest && nearest->contains(at, bytes);
}

size_t Memory::used() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->used;
}

std::optional<Region> Memory::Impl::findNearest(uint64_t address) const {
  if (allocations.empty())
    return std::nullopt;
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin())
    --after;
  return Region{after->first, after->second};
}

} // namespace tc::emulator
