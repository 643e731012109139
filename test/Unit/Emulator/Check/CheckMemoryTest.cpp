//===- CheckMemoryTest.cpp - What memory holds, and for how long ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of what nobody wrote, copies in flight, sparse and freed memory.
//
//===----------------------------------------------------------------------===//

#include "Check/CheckHarness.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

TEST(Uninitialised, SharedIsReportedAtTheBarrier) {
  Kernel run;
  EXPECT_TRUE(run.at(3, reads, tile + 8));
  EXPECT_FALSE(run.checker->meetBlock());
  EXPECT_EQ(run.found(), FindingClass::Uninitialised);
  EXPECT_EQ(run.checker->getFinding()->thread, 3u);
  EXPECT_EQ(run.checker->getFinding()->address, tile + 8);
}

/// The writer comes too late: that is a race, whoever runs first.
TEST(Uninitialised, SharedBecomesARace) {
  Kernel run;
  EXPECT_TRUE(run.at(3, reads, tile + 8));
  EXPECT_FALSE(run.at(4, writes, tile + 8));
  EXPECT_EQ(run.found(), FindingClass::Race);
}

TEST(Uninitialised, SharedOfAnEarlierBlock) {
  Kernel run;
  EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
  EXPECT_TRUE(run.lanes(0, ~0u, reads, tile, 4));
  EXPECT_TRUE(run.block(1));
  EXPECT_TRUE(run.lanes(0, ~0u, reads, tile, 4));
  EXPECT_FALSE(run.checker->endBlock());
  EXPECT_EQ(run.found(), FindingClass::Uninitialised);
}

TEST(Uninitialised, FreshGlobal) {
  Kernel run({}, 4096, Memory::Contents::Fresh);
  EXPECT_TRUE(run.lanes(0, ~0u, writes, run.data, 4));
  EXPECT_TRUE(run.lanes(0, ~0u, reads, run.data, 4));
  EXPECT_TRUE(run.checker->meetBlock());
  EXPECT_TRUE(run.lanes(1, 0x7ffffff0, reads, run.data, 4));
  EXPECT_FALSE(run.lanes(0, ~0u, reads, run.data + 4, 4));
  EXPECT_EQ(run.found(), FindingClass::Uninitialised);
  EXPECT_EQ(run.checker->getFinding()->thread, 31u);
  EXPECT_EQ(run.checker->getFinding()->address, run.data + 128);
}

TEST(Uninitialised, OneByteOfAWord) {
  CheckSetup setup;
  setup.globalGranule = 0;
  Kernel run(setup, 4096, Memory::Contents::Fresh);
  for (uint64_t i : {0, 1, 3})
    EXPECT_TRUE(run.at(0, writes, run.data + i, Plain, 1));
  EXPECT_TRUE(run.at(0, reads, run.data, Plain, 2));
  EXPECT_FALSE(run.at(0, updates, run.data, InDevice));
  EXPECT_EQ(run.found(), FindingClass::Uninitialised);
}

TEST(Uninitialised, WhatTheHostMarked) {
  Kernel run({}, 4096, Memory::Contents::Fresh);
  run.memory.markInitialized(reinterpret_cast<void *>(run.data + 64), 128);
  EXPECT_TRUE(run.lanes(0, ~0u, reads, run.data + 64, 4));
  EXPECT_FALSE(run.at(0, reads, run.data + 60));
  run.launch();
  run.memory.markInitialized(reinterpret_cast<void *>(run.data), 4096);
  EXPECT_TRUE(run.at(0, reads, run.data + 60));
}

TEST(Uninitialised, NothingWhereTheHostMayWrite) {
  Kernel run;
  EXPECT_TRUE(run.lanes(0, ~0u, reads, run.data, 4));
}

TEST(Uninitialised, MapsGoOnceTheyAreFull) {
  Kernel run({}, 256, Memory::Contents::Fresh);
  const Shadow &shadow = run.memory.impl().allocations.at(run.data).shadow;
  EXPECT_TRUE(run.lanes(0, ~0u, writes, run.data, 4));
  run.launch();
  EXPECT_NE(shadow.initialized.get(), nullptr);
  EXPECT_TRUE(run.lanes(1, ~0u, writes, run.data + 128, 4));
  run.launch();
  EXPECT_EQ(shadow.initialized.get(), nullptr);
}

TEST(Uninitialised, Local) {
  Kernel run;
  uint64_t addresses[32];
  std::fill_n(addresses, 32, localStart + 8);
  auto access = [&](uint32_t mask, AccessKind kind) {
    return run.checker->access(run.warps[0], {Plain, mask, ptx::Space::Local, 4,
                                              kind, false, addresses});
  };
  EXPECT_TRUE(access(0xff, writes));
  EXPECT_TRUE(access(0xf0, reads));
  EXPECT_FALSE(access(0x1f0, reads));
  EXPECT_EQ(run.found(), FindingClass::Uninitialised);
  EXPECT_EQ(run.checker->getFinding()->thread, 8u);
  run.launch();
  EXPECT_TRUE(access(~0u, writes));
  run.block(1);
  EXPECT_FALSE(access(~0u, reads)) << "another block, other threads";
}

//===----------------------------------------------------------------------===//
// Copies in flight
//===----------------------------------------------------------------------===//

TEST(Flight, NobodyTouchesTheDestination) {
  for (uint32_t thread : {0, 1, 40})
    for (AccessKind kind : {reads, writes, updates}) {
      Kernel run;
      EXPECT_TRUE(
          run.checker->issueCopy(run.warps[0], 0, Other, tile + 16, 16));
      EXPECT_TRUE(run.at(thread, writes, tile + 32));
      EXPECT_FALSE(run.at(thread, kind, tile + 28));
      EXPECT_EQ(run.found(), FindingClass::Async);
      EXPECT_EQ(run.checker->getFinding()->other->site, Other);
      EXPECT_EQ(run.checker->getFinding()->other->thread, 0u);
    }
}

TEST(Flight, SecondCopyToOnePlace) {
  Kernel run;
  EXPECT_TRUE(run.checker->issueCopy(run.warps[0], 0, Other, tile, 16));
  EXPECT_FALSE(run.checker->issueCopy(run.warps[0], 0, Other, tile + 8, 8));
  EXPECT_EQ(run.found(), FindingClass::Async);
}

/// Its thread sees it once it has waited, others after a barrier.
TEST(Flight, LandedIsWritten) {
  for (bool hasBarrier : {false, true}) {
    Kernel run;
    EXPECT_TRUE(run.checker->issueCopy(run.warps[0], 0, Other, tile, 16));
    run.checker->completeCopy(run.warps[0], 0, Other, tile, 16);
    EXPECT_TRUE(run.at(0, reads, tile, Plain, 16));
    if (hasBarrier) {
      EXPECT_TRUE(run.checker->meetBlock());
    }
    EXPECT_EQ(run.at(40, reads, tile + 4), hasBarrier);
    EXPECT_EQ(run.found() == FindingClass::Race, !hasBarrier);
  }
}

TEST(Flight, OverwritesWhatIsStillRead) {
  Kernel run;
  EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
  EXPECT_TRUE(run.checker->meetBlock());
  EXPECT_TRUE(run.lanes(1, ~0u, reads, tile, 4));
  EXPECT_FALSE(run.checker->issueCopy(run.warps[0], 0, Other, tile, 16));
  EXPECT_EQ(run.found(), FindingClass::Race);
}

TEST(Flight, EndsWithTheBlock) {
  Kernel run;
  EXPECT_TRUE(run.checker->issueCopy(run.warps[0], 0, Other, tile, 16));
  EXPECT_TRUE(run.block(1));
  EXPECT_TRUE(run.lanes(0, ~0u, writes, tile, 4));
}

//===----------------------------------------------------------------------===//
// Large and odd memory
//===----------------------------------------------------------------------===//

TEST(Sparse, ATerabyte) {
  constexpr uint64_t terabyte = uint64_t(1) << 40;
  Kernel run({}, terabyte, Memory::Contents::Fresh);
  for (uint64_t at : {uint64_t(0), terabyte / 2, terabyte - 128}) {
    EXPECT_TRUE(run.lanes(0, ~0u, writes, run.data + at, 4));
    EXPECT_TRUE(run.lanes(0, ~0u, reads, run.data + at, 4));
  }
  EXPECT_FALSE(run.at(33, writes, run.data + terabyte - 4));
  EXPECT_EQ(run.found(), FindingClass::Race);
}

TEST(Sparse, VariablesOfTheModule) {
  Kernel run;
  alignas(256) static char variable[256];
  uint64_t address = reinterpret_cast<uint64_t>(variable);
  run.checker->addVariable(address, sizeof(variable));
  EXPECT_TRUE(run.lanes(0, ~0u, writes, address, 4));
  EXPECT_FALSE(run.lanes(1, ~0u, writes, address + 64, 4));
}

TEST(Sparse, RegisteredHostMemoryOfAnyAlignment) {
  Kernel run;
  std::vector<char> host(1024);
  uint64_t address = reinterpret_cast<uint64_t>(host.data()) + 4;
  llvm::cantFail(
      run.memory.registerHost(reinterpret_cast<void *>(address), 1000));
  EXPECT_TRUE(run.at(0, writes, address));
  EXPECT_TRUE(run.at(1, writes, address + 996));
  EXPECT_FALSE(run.at(1, writes, address));
  run.checker.reset();
  llvm::cantFail(run.memory.unregisterHost(reinterpret_cast<void *>(address)));
}

//===----------------------------------------------------------------------===//
// Lifetime
//===----------------------------------------------------------------------===//

TEST(Lifetime, FreedAddressesRest) {
  Memory memory;
  char *first = static_cast<char *>(llvm::cantFail(memory.allocate(5000)));
  llvm::cantFail(memory.release(first));
  uint64_t inside = reinterpret_cast<uint64_t>(first) + 4999;
  std::optional<Region> freed = memory.impl().findFreed(inside);
  ASSERT_TRUE(freed);
  EXPECT_EQ(freed->bytes, 5000u);
  EXPECT_FALSE(memory.impl().findFreed(inside + 1));
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_NE(llvm::cantFail(memory.allocate(5000)), first);
  EXPECT_NE(llvm::toString(memory.release(first)).find("released before"),
            std::string::npos);
}

/// Only so many rest: the host runs out of neither addresses nor mappings.
/// Suspended memory is as good as released, and fresh when it comes back.
TEST(Lifetime, SuspendedAddressesComeBackFresh) {
  Memory memory;
  auto *words = static_cast<uint32_t *>(llvm::cantFail(memory.allocate(64)));
  words[3] = 7;
  llvm::cantFail(memory.suspend(words));
  EXPECT_FALSE(memory.contains(words, 4));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_TRUE(memory.impl().findFreed(reinterpret_cast<uint64_t>(words + 3)));
  EXPECT_TRUE(llvm::errorToBool(memory.suspend(words)));
  llvm::cantFail(memory.revive(words));
  EXPECT_TRUE(llvm::errorToBool(memory.revive(words)));
  EXPECT_TRUE(memory.contains(words, 64));
  EXPECT_FALSE(memory.impl().findFreed(reinterpret_cast<uint64_t>(words)));
  EXPECT_EQ(words[3], ~0u);
  llvm::cantFail(memory.suspend(words));
  llvm::cantFail(memory.release(words)); // for good
  EXPECT_TRUE(llvm::errorToBool(memory.revive(words)));
}

TEST(Lifetime, RestEnds) {
  Memory memory;
  for (unsigned i = 0; i < 10000; ++i)
    llvm::cantFail(memory.release(llvm::cantFail(memory.allocate(4096))));
  EXPECT_LE(memory.impl().freed.size(), 4096u);
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Lifetime, LiveAllocationsAreListed) {
  Memory memory;
  void *first = llvm::cantFail(memory.allocate(16));
  void *second = llvm::cantFail(memory.allocate(32));
  void *third = llvm::cantFail(memory.allocate(48));
  int host = 0;
  llvm::cantFail(memory.registerHost(&host, sizeof(host)));
  llvm::cantFail(memory.release(second));
  std::vector<Memory::Live> live = memory.getLive();
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].address, first);
  EXPECT_EQ(live[0].order, 1u);
  EXPECT_EQ(live[1].address, third);
  EXPECT_EQ(live[1].bytes, 48u);
  EXPECT_EQ(live[1].order, 3u);
}

TEST(Lifetime, FreshMemoryIsNaN) {
  Memory memory;
  auto *data = static_cast<uint32_t *>(llvm::cantFail(memory.allocate(4096)));
  EXPECT_EQ(data[0], ~0u);
  EXPECT_EQ(data[1023], ~0u);
}

} // namespace
