//===- Stacks.cpp - Memory for the stacks of a block ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages are taken from the host when they are first touched.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Stacks.h"

#include "llvm/Support/MathExtras.h"

#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace tc::emulator {

StackPool::~StackPool() { clear(); }

void StackPool::clear() {
  if (memory)
    munmap(memory, stacks * stackBytes);
  memory = nullptr;
}

llvm::Error StackPool::reserve(uint64_t count, uint64_t bytes) {
  constexpr uint64_t page = 4096;
  // One page for the guard and one for the stagger.
  bytes = llvm::alignTo(bytes, page) + 2 * page;
  if (memory && count <= stacks && bytes <= stackBytes)
    return llvm::Error::success();
  clear();
  stacks = std::max(count, stacks);
  stackBytes = std::max(bytes, stackBytes);
  void *got = mmap(nullptr, stacks * stackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "cannot map %llu stacks of %llu bytes",
                                   static_cast<unsigned long long>(stacks),
                                   static_cast<unsigned long long>(stackBytes));
  memory = static_cast<char *>(got);
  for (uint64_t i = 0; i < stacks; ++i)
    mprotect(memory + i * stackBytes, page, PROT_NONE);
  return llvm::Error::success();
}

namespace {

/// Pools that no launch has.
struct Spare {
  std::mutex mutex;
  std::vector<std::unique_ptr<StackPool>> pools;
};

} // namespace

/// Never destroyed: launches may end when the process does.
static Spare &getSpare() {
  static auto *spare = new Spare;
  return *spare;
}

BorrowedStacks::BorrowedStacks() {
  Spare &spare = getSpare();
  std::lock_guard<std::mutex> lock(spare.mutex);
  if (spare.pools.empty()) {
    pool = std::make_unique<StackPool>();
    return;
  }
  pool = std::move(spare.pools.back());
  spare.pools.pop_back();
}

BorrowedStacks::~BorrowedStacks() {
  Spare &spare = getSpare();
  std::lock_guard<std::mutex> lock(spare.mutex);
  spare.pools.push_back(std::move(pool));
}

} // namespace tc::emulator
