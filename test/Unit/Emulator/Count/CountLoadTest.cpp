//===- CountLoadTest.cpp - Counts of loads, by the way they go ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of global memory that L1 serves or not, of constants, and of shared
// memory in a loop that ptxas writes out.
//
//===----------------------------------------------------------------------===//

#include "Count/CountingDevice.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

// The same 128 bytes, by loads that L1 may serve and others, and behind a
// barrier.
TEST(CountLoad, LoadsThroughL1) {
  CountingDevice device(R"(
.visible .entry again(.param .u64 in) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.f32 %f1, [%rd1];
  ld.global.nc.f32 %f1, [%rd1];
  ld.global.cg.f32 %f1, [%rd1];
  ld.volatile.global.f32 %f1, [%rd1];
  mov.u32 %r2, tile;
  mad.lo.u32 %r2, %r1, 4, %r2;
  cp.async.ca.shared.global [%r2], [%rd1], 4;
  st.global.f32 [%rd1], %f1;
  bar.sync 0;
  ld.global.ca.f32 %f1, [%rd1];
  ret;
})");
  DeviceArray<float> words(device.memory, std::vector<float>(32, 1));
  ASSERT_EQ(device.run("again", {1, 1, 1}, {32, 1, 1}, 0, words.get()), "");
  Counters counters(device);
  EXPECT_EQ(counters.at("ld.global.f32", "l2_sectors"), 4);
  EXPECT_EQ(counters.at("ld.global.nc.f32", "l2_sectors"), 0);
  EXPECT_EQ(counters.at("ld.global.cg.f32", "l2_sectors"), 4);
  EXPECT_EQ(counters.at("ld.volatile.global.f32", "l2_sectors"), 4);
  EXPECT_EQ(counters.at("cp.async.ca.shared.global", "l2_sectors"), 0);
  EXPECT_EQ(counters.at("st.global.f32", "l2_sectors"), 4);
  EXPECT_EQ(counters.at("ld.global.ca.f32", "l2_sectors"), 4);
  EXPECT_EQ(counters["l2_bytes"], 20 * 32);
}

// Warps that go round a loop come to L1 side by side: what one of them has
// loaded is there for the others, though all of it is more than L1 holds.
TEST(CountLoad, WarpsLoadSideBySide) {
  CountingDevice device(R"(
.visible .entry stream(.param .u64 in) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  and.b32 %r1, %r1, 31;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r2, 0;
around:
  ld.global.f32 %f1, [%rd1];
  add.u64 %rd1, %rd1, 128;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 1024;
  @%p bra around;
  ret;
})");
  DeviceArray<float> words(device.memory, std::vector<float>(32 * 1024, 1));
  ASSERT_EQ(device.run("stream", {1, 1, 1}, {256, 1, 1}, 0, words.get()), "");
  Counters counters(device);
  EXPECT_EQ(counters.at("ld.global.f32", "requests"), 8 * 1024);
  EXPECT_EQ(counters.at("ld.global.f32", "l2_sectors"), 4 * 1024);
  EXPECT_EQ(counters.at("ld.global.f32", "l2_lines"), 1024);
}

// A loop that ptxas writes out reads a word each time around, beside that of
// the time before: four of them come at once, unless they are not aligned.
TEST(CountLoad, CopiesOfALoopReadTogether) {
  for (auto [start, step, requests] :
       {std::tuple(0, 4, 2), {4, 4, 8}, {0, 8, 8}}) {
    CountingDevice device(llvm::formatv(R"(
.visible .entry row() {{
  .reg .pred %p; .reg .b32 %r<9>; .reg .f32 %f<4>;
  .shared .align 16 .b8 tile[4096];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mad.lo.u32 %r2, %r1, 64, %r2;
  add.u32 %r2, %r2, {0};
  mov.u32 %r3, 0;
around:
  ld.shared.f32 %f1, [%r2];
  add.u32 %r2, %r2, {1};
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, 8;
  @%p bra around;
  ret;
})",
                                        start, step)
                              .str());
    ASSERT_EQ(device.run("row", {1, 1, 1}, {32, 1, 1}, 0), "");
    Counters counters(device);
    EXPECT_EQ(counters.at("ld.shared.f32", "requests"), 8);
    EXPECT_EQ(counters.at("ld.shared.f32", "machine_requests"), requests)
        << start << " " << step;
  }
}

// Lanes of a request for constants that ask for 1, 2 and 32 words.
TEST(CountLoad, ConstantsByAddress) {
  for (unsigned words : {1, 2, 32}) {
    CountingDevice device(llvm::formatv(R"(
.const .align 4 .b8 table[128];
.visible .entry look(.param .u64 in) {{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  rem.u32 %r1, %r1, {0};
  mul.wide.u32 %rd1, %r1, 4;
  mov.u64 %rd2, table;
  add.u64 %rd1, %rd1, %rd2;
  ld.const.u32 %r2, [%rd1];
  ret;
})",
                                        words)
                              .str());
    ASSERT_EQ(device.run("look", {1, 1, 1}, {32, 1, 1}, 0, uint64_t(0)), "");
    EXPECT_EQ(Counters(device).at("ld.const.u32", "wavefronts"), words);
  }
}

} // namespace
