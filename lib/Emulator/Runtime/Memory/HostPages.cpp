//===- HostPages.cpp - Where parameters and constants lie -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only some hosts have MAP_32BIT; elsewhere mmap is asked for one low address
// after the other, which it takes where nothing is mapped.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/HostPages.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tc::emulator {

namespace {

constexpr uint64_t page = 4096, low = uint64_t(1) << 32;

char *mapLow(uint64_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_32BIT
  flags |= MAP_32BIT;
#endif
  for (uint64_t hint = low / 8; hint < low - bytes; hint += low / 64) {
    void *got = mmap(reinterpret_cast<void *>(hint), bytes,
                     PROT_READ | PROT_WRITE, flags, -1, 0);
    if (got == MAP_FAILED)
      continue;
    if (reinterpret_cast<uint64_t>(got) + bytes <= low)
      return static_cast<char *>(got);
    munmap(got, bytes);
  }
  return nullptr;
}

} // namespace

HostPages::HostPages(uint64_t bytes, bool isLow) {
  if (isLow) {
    mapped = llvm::alignTo(bytes + 1, page);
    start = mapLow(mapped);
    return;
  }
  // As strictly aligned as any parameter may be.
  constexpr uint64_t align = 1024;
  bytes = llvm::alignTo(bytes + 1, align);
  start = static_cast<char *>(std::aligned_alloc(align, bytes));
  if (start)
    std::memset(start, 0, bytes);
}

HostPages::~HostPages() {
  if (!mapped)
    std::free(start);
  else if (start)
    munmap(start, mapped);
}

} // namespace tc::emulator
