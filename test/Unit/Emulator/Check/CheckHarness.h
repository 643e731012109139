//===- CheckHarness.h - Sequences of accesses -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch on two warps that tests drive access by access.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_CHECKHARNESS_H
#define TC_TEST_UNIT_EMULATOR_CHECKHARNESS_H

#include "Check/Checker.h"

#include "gtest/gtest.h"

namespace tc::emulator::test {

constexpr AccessKind reads = AccessKind::Read, writes = AccessKind::Write,
                     updates = AccessKind::Atomic;

/// Sites of the tests' kernels: what the memory model says of each.
enum Sites : uint32_t { Plain, InBlock, InDevice, Acquire, Release, Other };

inline SiteFacts getFacts(uint32_t site) {
  return {site == Acquire, site == Release,
          site == InDevice || site == Acquire || site == Release};
}

/// A launch on blocks of two warps, with 4 KiB of shared memory.
struct Kernel {
  explicit Kernel(CheckSetup given = {}, size_t bytes = 4096,
                  Memory::Contents contents = Memory::Contents::Known)
      : setup(std::move(given)) {
    data = reinterpret_cast<uint64_t>(
        llvm::cantFail(memory.allocate(bytes, contents)));
    setup.threads = 64;
    setup.sharedBytes = 4096;
    setup.localBytes = 64;
    setup.getFacts = getFacts;
    for (uint32_t i : {0, 1})
      warps[i].index = i;
    launch();
  }
  void launch() {
    checker.reset();
    checker.emplace(memory.impl(), setup);
    checker->beginBlock(0);
  }

  /// One thread's access to 4 bytes.
  bool at(uint32_t thread, AccessKind kind, uint64_t address,
          uint32_t site = Plain, uint32_t bytes = 4) {
    return lanes(thread / 32, 1u << thread % 32, kind, address, 0, site, bytes);
  }
  /// An access of lanes `stride` bytes apart.
  bool lanes(uint32_t warp, uint32_t mask, AccessKind kind, uint64_t first,
             uint64_t stride, uint32_t site = Plain, uint32_t bytes = 4,
             const uint64_t *values = nullptr) {
    bool isShared = first < 8192;
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = first + lane * stride;
    bool isStrong = (site != Plain && site != Other) || kind == updates;
    return checker->access(warps[warp],
                           {site, mask,
                            isShared ? ptx::Space::Shared : ptx::Space::Global,
                            bytes, kind, isStrong, addresses, values, 1});
  }
  bool block(uint64_t index) {
    bool isFine = checker->endBlock();
    checker->beginBlock(index);
    return isFine;
  }
  /// The class of what was found.
  std::optional<FindingClass> found() const {
    if (!checker->getFinding())
      return std::nullopt;
    return checker->getFinding()->what;
  }

  Memory memory;
  uint64_t data = 0;
  CheckSetup setup;
  std::optional<Checker> checker;
  WarpState warps[2] = {};
};

constexpr uint64_t tile = sharedStart;

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_CHECKHARNESS_H
