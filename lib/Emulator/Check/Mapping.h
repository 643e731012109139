//===- Mapping.h - Zeroes that cost nothing until touched -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stretch of address space without a reservation: pages come when they are
// touched, as zeroes. Shadows of terabytes of memory that is hardly used fit.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_MAPPING_H
#define TC_LIB_EMULATOR_CHECK_MAPPING_H

#include <cstdint>
#include <sys/mman.h>
#include <utility>

namespace tc::emulator {

class Mapping {
public:
  Mapping() = default;
  /// Maps `bytes`; `get` is null when the host has no room for them.
  explicit Mapping(uint64_t bytes) : bytes(bytes) {
    if (!bytes || bytes >> 47)
      return;
    void *got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got != MAP_FAILED)
      memory = static_cast<char *>(got);
    // Large pages save most of the faults, but waste memory on sparse use.
    if (memory && bytes >= hugeFrom && bytes <= hugeTo)
      madvise(memory, bytes, MADV_HUGEPAGE);
  }
  Mapping(Mapping &&other)
      : memory(std::exchange(other.memory, nullptr)), bytes(other.bytes) {}
  Mapping &operator=(Mapping &&other) {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Mapping() {
    if (memory)
      munmap(memory, bytes);
  }

  char *get() const { return memory; }
  uint64_t size() const { return memory ? bytes : 0; }
  /// Whether it has all that was asked for.
  bool isWhole() const { return size() == bytes; }
  /// Gives the pages back; they read as zeroes again.
  void clear() {
    if (memory)
      madvise(memory, bytes, MADV_DONTNEED);
  }
  /// Gives the pages back and keeps the addresses from any other use.
  void poison() {
    if (memory)
      mmap(memory, bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  /// Makes what was poisoned memory again; false where the host refuses.
  bool restore() {
    return memory &&
           mmap(memory, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) != MAP_FAILED;
  }

private:
  static constexpr uint64_t hugeFrom = uint64_t(4) << 20;
  static constexpr uint64_t hugeTo = uint64_t(4) << 30;

  char *memory = nullptr;
  uint64_t bytes = 0;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_MAPPING_H
