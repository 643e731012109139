//===- CheckKernelTest.cpp - The checks on PTX kernels --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with a planted fault, and the same without it, in every way of
// execution and under many orders of threads.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;
using Execution = LaunchOptions::Execution;

namespace {

std::string kernel(const std::string &body) { return makeTileKernel(body); }

/// Each thread reads the word that another thread of the block has written.
const std::string writeTile = "st.shared.u32 [%i3], %i1;\n";
const std::string readTile =
    "mov.u32 %i4, %ntid.x; sub.u32 %i4, %i4, 1; shl.b32 %i4, %i4, 2;\n"
    "mov.u32 %i5, tile; add.u32 %i5, %i5, %i4; sub.u32 %i5, %i5, %i2;\n"
    "ld.shared.u32 %i6, [%i5];\n"
    "st.global.u32 [%q2], %i6;\n";

struct Case {
  const char *name;
  std::string body;
  const char *report; ///< a part of it, or "" for none
  Dim3 grid = {1, 1, 1}, block = {64, 1, 1};
  Memory::Contents contents = Memory::Contents::Known;
};

const auto fresh = Memory::Contents::Fresh;

const Case cases[] = {
    {"BarrierBetween", writeTile + "bar.sync 0;\n" + readTile, ""},
    {"BarrierMissing", writeTile + readTile, "race: "},
    {"BarrierOfWarpsOnly", writeTile + "bar.warp.sync -1;\n" + readTile,
     "race: "},
    {"WarpSync", writeTile + "bar.warp.sync -1;\n" + readTile, "", {}, {32}},
    {"WarpSyncMissing", writeTile + readTile, "race: ", {}, {32}},
    {"NamedBarrier", writeTile + "bar.sync 3, 64;\n" + readTile, ""},
    {"BarrierMissingInLoop",
     "mov.u32 %i10, 0;\nL: " + writeTile + "bar.sync 0;\n" + readTile +
         "add.u32 %i10, %i10, 1; setp.lt.u32 %p1, %i10, 3; @%p1 bra L;",
     "race: "},
    {"BarriersInLoop",
     "mov.u32 %i10, 0;\nL: " + writeTile + "bar.sync 0;\n" + readTile +
         "bar.sync 0; add.u32 %i10, %i10, 1; setp.lt.u32 %p1, %i10, 3; @%p1 "
         "bra L;",
     ""},
    // The last of all threads to count resets the counter.
    {"LastThreadResets",
     "atom.global.add.u32 %i10, [%q1], 1; setp.eq.u32 %p1, %i10, 191;\n"
     "@%p1 st.global.u32 [%q1], 0;",
     "",
     {3, 1, 1}},
    {"AnotherThreadResets",
     "atom.global.add.u32 %i10, [%q1], 1; setp.eq.u32 %p1, %i10, 190;\n"
     "@%p1 st.global.u32 [%q1], 0;",
     "race: ",
     {3, 1, 1}},
    {"LastThreadReadsOthersData",
     "st.global.u32 [%q2+4], %i1; atom.global.add.u32 %i10, [%q1], 1; "
     "setp.eq.u32 %p1, %i10, 63;\n"
     "@%p1 ld.global.v2.u32 {%i11, %i12}, [%q1+8];",
     "race: "},
    // Loads from one base, which the checks may be told of together.
    {"SecondOfTwoReadsRaces",
     writeTile + "st.shared.u32 [%i3+256], %i1;\n"
                 "ld.shared.u32 %i4, [%i3];\nld.shared.u32 %i5, [%i3+4];",
     "(`ld.shared.u32 %i5, [%i3+4]`)"},
    {"TwoReadsAfterABarrier",
     writeTile + "st.shared.u32 [%i3+256], %i1; bar.sync 0;\n"
                 "ld.shared.u32 %i4, [%i3];\nld.shared.u32 %i5, [%i3+4];",
     ""},
    {"WriteBetweenTwoReads",
     writeTile + "ld.shared.u32 %i4, [%i3]; st.shared.u32 [%i3+256], %i4; "
                 "ld.shared.u32 %i5, [%i3+256];",
     ""},
    {"BaseMovesBetweenTwoReads",
     writeTile + "ld.shared.u32 %i4, [%i3]; add.u32 %i3, %i3, 256; "
                 "ld.shared.u32 %i5, [%i3]; st.global.u32 [%q2], %i5;",
     "uninitialised: "},
    {"WriteAfterTwoReadsOfOthers",
     writeTile +
         "st.shared.u32 [%i3+256], %i1; bar.sync 0;\n"
         "ld.shared.u32 %i4, [%i3]; ld.shared.u32 %i5, [%i3+4];\n" +
         writeTile,
     "race: "},

    {"HalfWords",
     "shr.u32 %i4, %i2, 1; mov.u32 %i5, tile; add.u32 %i5, %i5, %i4; "
     "st.shared.u16 [%i5], %i1; ld.shared.u16 %i6, [%i5];",
     ""},
    {"OneWordForTwoHalves",
     "shr.u32 %i4, %i2, 1; mov.u32 %i5, tile; add.u32 %i5, %i5, %i4; "
     "st.shared.u16 [%i5], %i1;\n and.b32 %i5, %i5, -4; ld.shared.u32 %i6, "
     "[%i5];",
     "race: "},

    {"AtomicsMeet",
     "setp.eq.u32 %p1, %i1, 0; @%p1 st.shared.u32 [tile], 0;\n"
     "bar.sync 0; atom.shared.add.u32 %i4, [tile], 1; bar.sync 0;\n"
     "ld.shared.u32 %i5, [tile];",
     ""},
    {"AtomicsBeforeTheirWordIsSet",
     "setp.eq.u32 %p1, %i1, 0; @%p1 st.shared.u32 [tile], 0;\n"
     "atom.shared.add.u32 %i4, [tile], 1;",
     "race: "},
    {"AtomicsReadTooEarly",
     "setp.eq.u32 %p1, %i1, 0; @%p1 st.shared.u32 [tile], 0;\n"
     "bar.sync 0; atom.shared.add.u32 %i4, [tile], 1;\n"
     "ld.shared.u32 %i5, [tile];",
     "race: "},
    {"SameValueOfOneInstruction", "st.global.u32 [%q1], 7;", "", {}, {32}},

    {"BlocksApart",
     "mul.wide.u32 %q3, %i9, 256; add.u64 %q2, %q2, %q3; st.global.u32 [%q2], "
     "%i1;",
     "",
     {4}},
    {"BlocksOnOneRow",
     "st.global.u32 [%q2], %i9;",
     "are not ordered by fences and atomics between the blocks",
     {4}},
    {"BlocksReadOneRow", "ld.global.u32 %i4, [%q2];", "", {4}},

    {"SharedUnwritten",
     "ld.shared.u32 %i4, [%i3];\nbar.sync 0;\nst.global.u32 [%q2], %i4;",
     "uninitialised: read of 4 bytes at shared address"},
    {"SharedUnwrittenAtTheEnd",
     "setp.ge.u32 %p1, %i1, 40; @%p1 bra E; " + writeTile +
         "E: ld.shared.u32 %i4, [%i3]; st.global.u32 [%q2], %i4;",
     "uninitialised: "},
    {"GlobalUnwritten",
     "ld.global.u32 %i4, [%q2]; st.global.u32 [%q2], %i4;",
     "uninitialised: ",
     {},
     {64},
     fresh},
    {"GlobalWrittenBefore",
     "st.global.u32 [%q2], %i1; ld.global.u32 %i4, [%q2];",
     "",
     {},
     {64},
     fresh},
    {"GlobalOfTheHost", "ld.global.u32 %i4, [%q2];", ""},
    {"LocalUnwritten",
     "st.local.u32 [own], %i1; ld.local.u32 %i4, [own + 4];"
     "st.global.u32 [%q2], %i4;",
     "uninitialised: read of 4 bytes at local address"},
    {"LocalWritten", "st.local.u32 [own], %i1; ld.local.u32 %i4, [own];", ""},
};

/// Every block leaves a sum; the last one to count adds them up.
std::string lastBlock(const std::string &fence) {
  return kernel("setp.ne.u32 %p1, %i1, 0; @%p1 bra W;\n"
                "mul.wide.u32 %q3, %i9, 4; add.u64 %q3, %q3, %q1;\n"
                "st.global.u32 [%q3], %i9;\n" +
                fence +
                "\natom.global.inc.u32 %i4, [%q1 + 1024], 1000;\n"
                "st.shared.u32 [tile], %i4;\nW: bar.sync 0;\n"
                "ld.shared.u32 %i4, [tile]; mov.u32 %i5, %nctaid.x;\n"
                "sub.u32 %i5, %i5, 1; setp.ne.u32 %p2, %i4, %i5;\n"
                "setp.ge.or.u32 %p2, %i1, %i5, %p2; @%p2 bra E;\n"
                "ld.global.u32 %i6, [%q2];\nE:");
}

class Ways : public testing::TestWithParam<Execution> {
protected:
  std::unique_ptr<Device> load(const std::string &text) const {
    auto device = std::make_unique<Device>(text);
    setSchedule(*device, {});
    return device;
  }
  void setSchedule(Device &device, Schedule schedule) const {
    LaunchOptions options;
    options.checks = Checks::All;
    options.execution = GetParam();
    options.schedule = schedule;
    if (device.module)
      device.module->setOptions(options);
  }
  /// The report of a launch of `k` on a buffer of 4 Ki words.
  std::string run(Device &device, const Case &test) const {
    constexpr size_t bytes = 4096 * 4;
    void *data = llvm::cantFail(device.memory.allocate(bytes, test.contents));
    if (test.contents == Memory::Contents::Known)
      std::memset(data, 0, bytes);
    std::string report = device.run("k", test.grid, test.block, 0, data);
    llvm::cantFail(device.memory.release(data));
    return report;
  }
  std::string run(const std::string &text, Dim3 grid, Dim3 block) const {
    return run(*load(text), {"", "", "", grid, block});
  }
};

TEST_P(Ways, PlantedFaults) {
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    std::string report = run(*load(kernel(test.body)), test);
    if (*test.report)
      EXPECT_THAT(report, HasSubstr(test.report));
    else
      EXPECT_EQ(report, "");
  }
}

/// Whatever the order of threads, a fault is found, and only a fault.
TEST_P(Ways, AnyOrderOfThreads) {
  for (const Case &test : cases) {
    std::unique_ptr<Device> device = load(kernel(test.body));
    for (unsigned seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(std::string(test.name) + ", seed " + std::to_string(seed));
      setSchedule(*device,
                  {seed % 2 ? Schedule::Adversarial : Schedule::Random, seed});
      std::string report = run(*device, test);
      ASSERT_EQ(report.empty(), !*test.report) << report;
    }
  }
}

TEST_P(Ways, LastBlock) {
  EXPECT_EQ(run(lastBlock("membar.gl;"), {16}, {64}), "");
  EXPECT_EQ(run(lastBlock("fence.acq_rel.gpu;"), {16}, {64}), "");
  EXPECT_THAT(run(lastBlock("membar.cta;"), {16}, {64}), HasSubstr("race: "));
  EXPECT_THAT(run(lastBlock(""), {16}, {64}), HasSubstr("race: "));
}

TEST_P(Ways, ReportNamesBothParties) {
  EXPECT_THAT(
      run(kernel("setp.ne.u32 %p1, %i1, 3; @!%p1 st.shared.u32 [tile + 40], "
                 "%i1;\nbar.sync 0;\nsetp.ne.u32 %p1, %i1, 35;\n@!%p1 "
                 "st.shared.u32 [tile + 40], %i1;\nsetp.ne.u32 %p1, %i1, 40;\n"
                 "@!%p1 ld.shared.u32 %i4, [tile + 40];"),
          {}, {64}),
      "kernel 'k', block (0,0,0), thread (40,0,0), PTX line 11 (`@!%p1 "
      "ld.shared.u32 %i4, [tile + 40]`): race: read of 4 bytes at shared "
      "address 0x428 (in 'tile') and write by thread (35,0,0) at PTX line 9 "
      "(`@!%p1 st.shared.u32 [tile + 40], %i1`) are not ordered by a barrier");
}

TEST_P(Ways, FreedMemory) {
  std::unique_ptr<Device> loaded =
      load(kernel("ld.global.u32 %i4, [%q2 + 8];"));
  Device &device = *loaded;
  void *data = llvm::cantFail(device.memory.allocate(1000));
  EXPECT_EQ(device.run("k", {}, {1}, 0, data), "");
  llvm::cantFail(device.memory.release(data));
  EXPECT_THAT(device.run("k", {}, {1}, 0, data), HasSubstr("was freed: 1000"));
  EXPECT_EQ(device.module->getReport().findings.at(0).what,
            FindingClass::UseAfterFree);
}

/// Lanes of one instruction may store one value to one address, not several.
TEST(CheckKernel, ValuesOfOneInstruction) {
  for (Execution execution : {Execution::Warps, Execution::Masked})
    for (bool differs : {false, true}) {
      Device device(
          kernel(std::string("mov.u32 %i4, 7; st.global.u32 [%q1], ") +
                 (differs ? "%i1;" : "%i4;")));
      LaunchOptions options;
      options.execution = execution;
      options.checks = Checks::All;
      device.module->setOptions(options);
      DeviceArray<uint32_t> data(device.memory, {0});
      EXPECT_THAT(device.run("k", {}, {32, 1, 1}, 0, data.get()),
                  HasSubstr(differs ? "race: write of 4 bytes" : ""));
      if (!differs)
        EXPECT_EQ(data.values().front(), 7u);
    }
}

INSTANTIATE_TEST_SUITE_P(CheckKernel, Ways,
                         testing::Values(Execution::Warps, Execution::Masked,
                                         Execution::Threads),
                         [](auto &info) {
                           return std::string(
                               info.param == Execution::Warps    ? "Warps"
                               : info.param == Execution::Masked ? "Masked"
                                                                 : "Threads");
                         });

} // namespace
