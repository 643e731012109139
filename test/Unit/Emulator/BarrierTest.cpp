//===- BarrierTest.cpp - Barriers, deadlocks and launches -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that wait for each other, threads that never come, and the limits of
// a launch.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

/// A kernel of one pointer; the body starts on line 6. %i1 is the thread's
/// linear index.
std::string kernel(llvm::StringRef body, llvm::StringRef before = "") {
  return header +
         (".visible .entry k(.param .u64 p) " + before +
          " { .reg .pred %p<4>; .reg .b32 %i<8>; .reg .b64 %q<8>; .shared "
          ".align 4 .b8 tile[4096]; ld.param.u64 %q1, [p]; mov.u32 %i1, "
          "%tid.x;\n" +
          body + "\nret;\n}\n")
             .str();
}

std::string runBlock(llvm::StringRef body, unsigned threads) {
  Device device(kernel(body));
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(1024));
  return device.run("k", {}, {threads, 1, 1}, 0, data.get());
}

/// Reverses a block's elements through shared memory.
const char *const reversal =
    "shl.b32 %i2, %i1, 2; mov.u32 %i3, tile; add.u32 %i3, %i3, %i2;\n"
    "cvt.u64.u32 %q2, %i2; add.u64 %q2, %q1, %q2; ld.global.u32 %i4, [%q2];\n"
    "st.shared.u32 [%i3], %i4; bar.sync 0; mov.u32 %i5, %ntid.x;\n"
    "sub.u32 %i5, %i5, %i1; sub.u32 %i5, %i5, 1; shl.b32 %i5, %i5, 2;\n"
    "mov.u32 %i3, tile; add.u32 %i3, %i3, %i5; ld.shared.u32 %i4, [%i3];\n"
    "st.global.u32 [%q2], %i4;";

TEST(Barrier, Reversal) {
  for (unsigned threads : {1u, 31u, 32u, 100u, 1024u}) {
    Device device(kernel(reversal));
    std::vector<uint32_t> values(threads), reversed(threads);
    for (unsigned i = 0; i < threads; ++i)
      reversed[threads - 1 - i] = values[i] = i * 3;
    DeviceArray<uint32_t> data(device.memory, values);
    EXPECT_EQ(device.run("k", {}, {threads, 1, 1}, 0, data.get()), "");
    EXPECT_EQ(data.values(), reversed);
  }
}

/// Section 9.7.12.7: ended threads do not hold a barrier for all threads up.
TEST(Barrier, EndedThreadsCountAsArrived) {
  EXPECT_EQ(runBlock("setp.lt.u32 %p1, %i1, 40; @%p1 exit; bar.sync 0;", 64),
            "");
  EXPECT_EQ(runBlock("setp.lt.u32 %p1, %i1, 40; @!%p1 exit; bar.sync 0;", 64),
            "");
}

TEST(Barrier, CountedBarrier) {
  // The first warp alone, then both in turn at barrier 2.
  EXPECT_EQ(runBlock("setp.ge.u32 %p1, %i1, 32; @%p1 bra $second;\n"
                     "barrier.sync 1, 32; bra $both;\n"
                     "$second: barrier.cta.sync.aligned 3, 32;\n"
                     "$both: bar.sync 2, 64;",
                     64),
            "");
  // 64 threads never come.
  EXPECT_THAT(runBlock("setp.ge.u32 %p1, %i1, 32; @%p1 exit;\n"
                       "bar.sync 1, 64;",
                       64),
              HasSubstr("deadlock: 32 threads wait at PTX line 7 (`bar.sync 1, "
                        "64`), the first (0,0,0); 32 of 64 have ended"));
}

TEST(Barrier, DeadlockIsReported) {
  EXPECT_THAT(runBlock("setp.ge.u32 %p1, %i1, 32; @%p1 bra $second;\n"
                       "bar.sync 1; bra $end;\n"
                       "$second: bar.sync 2;\n$end:",
                       96),
              HasSubstr("deadlock: 32 threads wait at PTX line 7 (`bar.sync "
                        "1`), the first (0,0,0); 64 threads wait at PTX line 8 "
                        "(`bar.sync 2`), the first (32,0,0); 0 of 96 have "
                        "ended"));
}

/// Different warps may meet at different instructions, the threads of one not.
TEST(Barrier, AlignedBarrierDivergesInWarp) {
  auto split = [](unsigned at) {
    return "setp.ge.u32 %p1, %i1, " + std::to_string(at) +
           "; @%p1 bra $second;\nbar.sync 0; bra $end;\n"
           "$second: bar.sync 0;\n$end:";
  };
  EXPECT_EQ(runBlock(split(32), 64), "");
  EXPECT_THAT(
      runBlock(split(16), 64),
      HasSubstr("thread (16,0,0), PTX line 8 (`bar.sync 0`): threads of "
                "one warp are at different barriers, the other at PTX "
                "line 7 (`bar.sync 0`)"));
}

TEST(Barrier, WrongNumbers) {
  EXPECT_THAT(runBlock("add.u32 %i2, %i1, 16; bar.sync %i2;", 32),
              HasSubstr("expected a barrier from 0 to 15, got 16"));
  EXPECT_THAT(runBlock("add.u32 %i2, %i1, 33; bar.sync 0, %i2;", 32),
              HasSubstr("multiple of 32, got 33"));
}

TEST(Barrier, WarpBarrier) {
  const char *exchange =
      "shl.b32 %i2, %i1, 2; mov.u32 %i3, tile; add.u32 %i4, %i3, %i2;\n"
      "st.shared.u32 [%i4], %i1; bar.warp.sync 0xffffffff; xor.b32 %i5, %i2, "
      "4;\nadd.u32 %i5, %i3, %i5; ld.shared.u32 %i6, [%i5]; xor.b32 %i6, %i6, "
      "1;\nsetp.eq.u32 %p1, %i6, %i1; @!%p1 trap;";
  EXPECT_EQ(runBlock(exchange, 64), "");
  EXPECT_THAT(runBlock("bar.warp.sync 0xfffffffe;", 32),
              HasSubstr("lane 0 is not in its own member mask"));
  EXPECT_THAT(runBlock("setp.lt.u32 %p1, %i1, 4; @%p1 bra $a; bar.sync 0; bra "
                       "$end;\n$a: bar.warp.sync 0xff;\n$end:",
                       32),
              HasSubstr("deadlock"));
}

TEST(Barrier, ManyRounds) {
  // Each thread adds its left neighbour's value, 20 times.
  const char *body =
      "shl.b32 %i2, %i1, 2; mov.u32 %i3, tile; add.u32 %i2, %i2, %i3;\n"
      "add.u32 %i4, %i1, 63; and.b32 %i4, %i4, 63; shl.b32 %i4, %i4, 2; "
      "add.u32 %i4, %i4, %i3;\n"
      "add.u32 %i6, %i1, 1; mov.u32 %i7, 0;\n"
      "$loop: st.shared.u32 [%i2], %i6; bar.sync 0; ld.shared.u32 %i5, [%i4]; "
      "add.u32 %i6, %i6, %i5;\nbar.sync 0; add.u32 %i7, %i7, 1; "
      "setp.lt.u32 %p1, %i7, 20; @%p1 bra $loop;\n"
      "mul.wide.u32 %q2, %i1, 4; add.u64 %q2, %q1, %q2; "
      "st.global.u32 [%q2], %i6;";
  std::vector<uint32_t> values(64);
  for (unsigned i = 0; i < 64; ++i)
    values[i] = i + 1;
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<uint32_t> old = values;
    for (unsigned i = 0; i < 64; ++i)
      values[i] += old[(i + 63) % 64];
  }
  Device device(kernel(body));
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(64));
  EXPECT_EQ(device.run("k", {}, {64, 1, 1}, 0, data.get()), "");
  EXPECT_EQ(data.values(), values);
}

/// After a fault in one fiber the device works as before.
TEST(Barrier, FaultDropsTheFibers) {
  Device device(kernel("setp.eq.u32 %p1, %i1, 5; bar.sync 0; ld.global.u32 "
                       "%i2, [%q1]; setp.ne.u32 %p2, %i2, 0; and.pred %p1, "
                       "%p1, %p2; @%p1 trap; bar.sync 0;"));
  DeviceArray<uint32_t> data(device.memory, {1});
  for (int i = 0; i < 3; ++i) {
    *data.get() = 1;
    EXPECT_THAT(device.run("k", {}, {64, 1, 1}, 0, data.get()),
                HasSubstr("thread (5,0,0), PTX line 6 (`@%p1 trap`): the "
                          "kernel executed 'trap'"));
    *data.get() = 0;
    EXPECT_EQ(device.run("k", {}, {64, 1, 1}, 0, data.get()), "");
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Writes what each thread sees of its place.
/// Each thread of each block stores one hash of all the registers.
TEST(Launch, SpecialRegisters) {
  std::string body = "mov.u32 %i7, 0;\n";
  for (const char *name :
       {"%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y",
        "%nctaid.z", "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y",
        "%ntid.z", "%laneid", "%warpid", "%smid"})
    body += std::string("mov.u32 %i6, ") + name +
            "; mad.lo.u32 %i7, %i7, 31, %i6;\n";
  // The place of the thread in the grid, the last index first.
  body += "mov.u32 %i1, %ctaid.z;\n";
  for (const char *axis : {"ctaid.y", "ctaid.x", "tid.z", "tid.y", "tid.x"})
    body += std::string("mov.u32 %i2, %n") + axis + "; mov.u32 %i3, %" + axis +
            "; mad.lo.u32 %i1, %i1, %i2, %i3;\n";
  body += "mul.wide.u32 %q2, %i1, 4; add.u64 %q2, %q1, %q2; "
          "st.global.u32 [%q2], %i7;";
  const Dim3 grid{2, 3, 2}, block{5, 4, 2};
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < grid.count() * block.count(); ++i) {
    uint32_t b = i / block.count(), t = i % block.count(), hash = 0;
    for (uint32_t value :
         {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y, grid.x, grid.y,
          grid.z, t % block.x, t / block.x % block.y, t / block.x / block.y,
          block.x, block.y, block.z, t % 32, t / 32, 0u})
      hash = hash * 31 + value;
    expected.push_back(hash);
  }
  Device device(kernel(body));
  DeviceArray<uint32_t> data(device.memory,
                             std::vector<uint32_t>(expected.size()));
  EXPECT_EQ(device.run("k", grid, block, 0, data.get()), "");
  EXPECT_EQ(data.values(), expected);
}

/// Time passes while it is looked at.
TEST(Launch, WaitingForAClockEnds) {
  for (const char *clock : {"%clock64", "%globaltimer"}) {
    std::string read = std::string("mov.u64 %q3, ") + clock + ";";
    EXPECT_EQ(runBlock(read + "add.u64 %q4, %q3, 1000;\n$wait: " + read +
                           "setp.lt.u64 %p1, %q3, %q4; @%p1 bra $wait;",
                       64),
              "");
  }
}

TEST(Launch, Limits) {
  Device device(kernel("", ".maxntid 64, 2, 1"));
  auto launch = [&](Dim3 grid, Dim3 block, uint32_t dynamicShared = 0) {
    return device.run("k", grid, block, dynamicShared, uint64_t(0));
  };
  EXPECT_EQ(device.module->find("k")->maxThreads, 128u);
  EXPECT_EQ(device.module->find("k")->sharedBytes, 4096u);
  EXPECT_EQ(device.module->find("k")->parameterBytes, 8u);
  EXPECT_EQ(device.module->find("none"), nullptr);
  EXPECT_EQ(launch({2, 1, 1}, {64, 2, 1}), "");
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, 227 * 1024 - 4096), "");
  EXPECT_THAT(launch({1, 1, 1}, {129, 1, 1}),
              HasSubstr("expected at most 128 threads per block, got 129"));
  EXPECT_THAT(launch({1, 1, 1}, {1025, 1, 1}), HasSubstr("got (1025,1,1)"));
  EXPECT_THAT(launch({1, 1, 1}, {1, 1, 65}), HasSubstr("got (1,1,65)"));
  EXPECT_THAT(launch({1, 65536, 1}, {1, 1, 1}), HasSubstr("got (1,65536,1)"));
  EXPECT_THAT(launch({0, 1, 1}, {1, 1, 1}), HasSubstr("expected a grid"));
  EXPECT_THAT(launch({1, 1, 1}, {1, 1, 1}, 227 * 1024),
              HasSubstr("expected at most 232448 bytes of shared memory on "
                        "sm_90, got 236544"));
  EXPECT_THAT(device.run("k", {}, {}, 0, uint64_t(0), 1),
              HasSubstr("expected 8 bytes of parameters, got 12"));
  EXPECT_THAT(device.run("none", {}, {}, 0), HasSubstr("no such kernel"));
}

TEST(Launch, RequiredBlock) {
  Device device(kernel("", ".reqntid 32, 2, 1"));
  EXPECT_EQ(device.run("k", {}, {32, 2, 1}, 0, uint64_t(0)), "");
  EXPECT_THAT(device.run("k", {}, {64, 1, 1}, 0, uint64_t(0)),
              HasSubstr("expected blocks of (32,2,1), got (64,1,1)"));
}

/// Parameters lie at their own alignment.
TEST(Launch, ParameterLayout) {
  Device device(header +
                ".visible .entry k(.param .u8 a, .param .f64 b, .param "
                ".align 4 .b8 c[6], .param .u16 d, .param .u64 .ptr "
                ".global .align 16 e) { ret; }\n");
  const KernelInfo *info = device.module->find("k");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->parameterBytes, 32u);
  llvm::SmallVector<std::pair<uint32_t, uint32_t>> expected = {
      {0, 1}, {8, 8}, {16, 6}, {22, 2}, {24, 8}};
  EXPECT_EQ(info->parameters, expected);
}

TEST(Control, IndirectBranch) {
  Device device(kernel("$table: .branchtargets $zero, $one, $two;\n"
                       "brx.idx %i1, $table;\n"
                       "$zero: mov.u32 %i2, 10; bra.uni $end;\n"
                       "$one: mov.u32 %i2, 11; bra $end;\n"
                       "$two: mov.u32 %i2, 12;\n"
                       "$end: mul.wide.u32 %q2, %i1, 4; add.u64 %q2, %q1, %q2; "
                       "st.global.u32 [%q2], %i2;"));
  DeviceArray<uint32_t> data(device.memory, {0, 0, 0});
  EXPECT_EQ(device.run("k", {}, {3, 1, 1}, 0, data.get()), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{10, 11, 12}));
  EXPECT_THAT(device.run("k", {}, {4, 1, 1}, 0, data.get()),
              HasSubstr("beyond the table of branch targets"));
}

/// Where the guard does not hold, control goes on behind the instruction. One
/// warp has lanes of both kinds, with indices beyond the table.
TEST(Control, GuardedIndirectBranch) {
  Device device(kernel("$table: .branchtargets $zero, $one;\n"
                       "mov.u32 %i2, 9; setp.lt.u32 %p1, %i1, 2;\n"
                       "@%p1 brx.idx %i1, $table;\n"
                       "bra $end;\n"
                       "$zero: mov.u32 %i2, 10; bra $end;\n"
                       "$one: mov.u32 %i2, 11;\n"
                       "$end: mul.wide.u32 %q2, %i1, 4; add.u64 %q2, %q1, %q2; "
                       "st.global.u32 [%q2], %i2;"));
  for (unsigned threads : {3u, 64u}) {
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(threads));
    EXPECT_EQ(device.run("k", {}, {threads, 1, 1}, 0, data.get()), "");
    std::vector<uint32_t> expected(threads, 9);
    expected[0] = 10;
    expected[1] = 11;
    EXPECT_EQ(data.values(), expected);
  }
}

/// `exit` inside a function ends the thread, `ret` only the call.
TEST(Control, Calls) {
  std::string text =
      header +
      ".func (.param .b32 r) half(.param .b32 x) { .reg .pred %p; .reg .b32 "
      "%i<3>; ld.param.b32 %i1, [x]; setp.gt.u32 %p, %i1, 5; @%p exit; shr.u32 "
      "%i2, %i1, 1; st.param.b32 [r], %i2; setp.eq.u32 %p, %i1, 3; @%p ret; "
      "add.u32 %i2, %i2, 100; st.param.b32 [r+0], %i2; ret; }\n"
      ".visible .entry k(.param .u64 p) { .reg .b32 %i<4>; .reg .b64 %q<3>; "
      "ld.param.u64 %q1, [p]; mov.u32 %i1, %tid.x;\n"
      "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %i1; call.uni (r), "
      "half, (x); ld.param.b32 %i2, [r]; }\n"
      "mul.wide.u32 %q2, %i1, 4; add.u64 %q2, %q1, %q2; st.global.u32 [%q2], "
      "%i2; ret; }\n";
  Device device(text);
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(8, 7));
  EXPECT_EQ(device.run("k", {}, {8, 1, 1}, 0, data.get()), "");
  EXPECT_EQ(data.values(),
            (std::vector<uint32_t>{100, 100, 101, 1, 102, 102, 7, 7}));
}

} // namespace
