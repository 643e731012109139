//===- CountKernelTest.cpp - Counts of kernels that run -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in PTX whose counts were derived by hand, through the translated code
// and its hooks. The patterns themselves are tested in CountGlobalTest and
// CountSharedTest.
//
//===----------------------------------------------------------------------===//

#include "Count/CountingDevice.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// `access` under %p (lanes below `lanes`), where %rd1 and %r9 hold base and 0
/// plus `offset` bytes, which the instructions `index` leave in %r5, given the
/// lane in %r1.
std::string makeKernel(const std::string &index, const std::string &access,
                       unsigned lanes = 32) {
  return llvm::formatv(R"(
.visible .entry k(.param .u64 base) {{
  .reg .pred %p, %q; .reg .b16 %h<9>; .reg .b32 %r<16>; .reg .b64 %rd<9>;
  .reg .f32 %f<9>; .reg .f64 %d<9>;
  .shared .align 16 .b8 buffer[16384];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, {0};
  {1}
  ld.param.u64 %rd1, [base];
  cvt.u64.u32 %rd2, %r5;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r9, buffer;
  add.u32 %r9, %r9, %r5;
  @%p {2};
  ret;
})",
                       lanes, index, access);
}

std::string times(unsigned bytes, unsigned offset = 0) {
  return llvm::formatv("mad.lo.u32 %r5, %r1, {0}, {1};", bytes, offset);
}

struct Case {
  const char *name;
  std::string index, access, opcode;
  unsigned lanes;
  std::string expected;
};

/// Runs one warp and compares the counts of its one access.
void check(const Case &test, bool isShared) {
  SCOPED_TRACE(test.name);
  CountingDevice device(makeKernel(test.index, test.access, test.lanes));
  DeviceArray<uint8_t> data(device.memory, std::vector<uint8_t>(16384));
  for (auto execution :
       {LaunchOptions::Execution::Warps, LaunchOptions::Execution::Masked}) {
    device.set([&](LaunchOptions &o) { o.execution = execution; });
    ASSERT_EQ(device.run("k", {}, {32, 1, 1}, 0, data.get()), "");
    Counters counters(device);
    auto count = [&](const char *name) {
      return counters.at(test.opcode, name);
    };
    EXPECT_EQ(count("requests"), 1) << counters.text();
    std::string found =
        std::to_string(count(isShared ? "wavefronts" : "sectors"));
    found += "/" + std::to_string(
                       count(isShared ? "ideal_wavefronts" : "ideal_sectors"));
    if (!isShared)
      found += "/" + std::to_string(count("lines"));
    EXPECT_EQ(found, test.expected);
  }
}

// sectors / ideal / lines, derived in CountGlobalTest.
TEST(CountKernel, GlobalPatterns) {
  const std::string load = "ld.global.f32 %f1, [%rd1]";
  const std::string store = "st.global.f32 [%rd1], %f1";
  const Case cases[] = {
      {"contiguous", times(4), load, "ld.global.f32", 32, "4/4/1"},
      {"stride 2", times(8), load, "ld.global.f32", 32, "8/4/2"},
      {"stride 3", times(12), load, "ld.global.f32", 32, "12/4/3"},
      {"stride 32", times(128), store, "st.global.f32", 32, "32/4/32"},
      {"bytes", times(1), "ld.global.u8 %h1, [%rd1]", "ld.global.u8", 32,
       "1/1/1"},
      {"halves", times(2), "st.global.u16 [%rd1], %h1", "st.global.u16", 32,
       "2/2/1"},
      {"doubles", times(8), "ld.global.f64 %d1, [%rd1]", "ld.global.f64", 32,
       "8/8/2"},
      {"float4", times(16), "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1]",
       "ld.global.v4.f32", 32, "16/16/4"},
      {"broadcast", times(0), load, "ld.global.f32", 32, "1/1/1"},
      {"off by 4", times(4, 4), load, "ld.global.f32", 32, "5/4/2"},
      {"off by 16", times(16, 16), "st.global.v2.f64 [%rd1], {%d1,%d2}",
       "st.global.v2.f64", 32, "17/16/5"},
      {"half a warp", times(4), load, "ld.global.f32", 16, "2/2/1"},
      {"permuted", "mul.lo.u32 %r5, %r1, 20; and.b32 %r5, %r5, 127;", load,
       "ld.global.f32", 32, "4/4/1"},
      {"atomics on one word", times(0), "red.global.add.u32 [%rd1], 1",
       "red.global.add.u32", 32, "1/1/1"},
      {"generic address", times(4), "ld.f32 %f1, [%rd1]", "ld.f32", 32,
       "4/4/1"},
  };
  for (const Case &test : cases)
    check(test, /*isShared=*/false);
}

// wavefronts / ideal, derived in CountSharedTest.
TEST(CountKernel, SharedPatterns) {
  const std::string load = "ld.shared.f32 %f1, [%r9]";
  const std::string store = "st.shared.f32 [%r9], %f1";
  const Case cases[] = {
      {"contiguous", times(4), store, "st.shared.f32", 32, "1/1"},
      {"stride 2", times(8), store, "st.shared.f32", 32, "2/1"},
      {"stride 8", times(32), load, "ld.shared.f32", 32, "8/1"},
      {"stride 32", times(128), load, "ld.shared.f32", 32, "32/1"},
      {"padded to 33", times(132), load, "ld.shared.f32", 32, "1/1"},
      {"broadcast", times(0), load, "ld.shared.f32", 32, "1/1"},
      {"two in one bank", "and.b32 %r5, %r1, 1; mul.lo.u32 %r5, %r5, 128;",
       load, "ld.shared.f32", 32, "2/1"},
      // Word lane * 32 + (lane ^ 5).
      {"swizzled",
       "xor.b32 %r5, %r1, 5; mad.lo.u32 %r5, %r1, 32, %r5; "
       "shl.b32 %r5, %r5, 2;",
       load, "ld.shared.f32", 32, "1/1"},
      {"doubles", times(8), "ld.shared.f64 %d1, [%r9]", "ld.shared.f64", 32,
       "2/2"},
      {"column of doubles", times(256), "ld.shared.f64 %d1, [%r9]",
       "ld.shared.f64", 32, "32/2"},
      {"float4", times(16), "st.shared.v4.f32 [%r9], {%f1,%f2,%f3,%f4}",
       "st.shared.v4.f32", 32, "4/4"},
      {"float4 for all", times(0), "ld.shared.v4.f32 {%f1,%f2,%f3,%f4}, [%r9]",
       "ld.shared.v4.f32", 32, "2/2"},
      {"half a warp", times(8), load, "ld.shared.f32", 16, "1/1"},
      {"atomics on one word", times(0), "red.shared.add.u32 [%r9], 1",
       "red.shared.add.u32", 32, "32/1"},
  };
  for (const Case &test : cases)
    check(test, /*isShared=*/true);
}

/// c[row][column] = sum over k of a[row][k] * b[k][column], all n * n; a block
/// of 32 by 1 threads makes 32 results of a row.
const char *const matmul = R"(
.visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c,
                      .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r2, 32, %r3;
  mov.u32 %r5, %ctaid.y;
  mul.lo.u32 %r6, %r5, %r1;
  mul.wide.u32 %rd4, %r6, 4;
  add.u64 %rd1, %rd1, %rd4;
  mul.wide.u32 %rd5, %r4, 4;
  add.u64 %rd2, %rd2, %rd5;
  mul.wide.u32 %rd6, %r1, 4;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r7, 0;
loop:
  ld.global.f32 %f2, [%rd1];
  ld.global.nc.f32 %f3, [%rd2];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  add.u64 %rd1, %rd1, 4;
  add.u64 %rd2, %rd2, %rd6;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p, %r7, %r1;
  @%p bra loop;
  add.u64 %rd3, %rd3, %rd4;
  add.u64 %rd3, %rd3, %rd5;
  st.global.f32 [%rd3], %f1;
  ret;
})";

class CountMatmul : public testing::Test {
protected:
  std::string run(uint32_t n) {
    std::vector<float> ones(n * n, 1);
    DeviceArray<float> a(device.memory, ones), b(device.memory, ones),
        c(device.memory, ones);
    return device.run("matmul", {n / 32, n, 1}, {32, 1, 1}, 0, a.get(), b.get(),
                      c.get(), n);
  }
  CountingDevice device{matmul};
};

TEST_F(CountMatmul, AddsUp) {
  ASSERT_EQ(run(64), "");
  Counters counters(device);
  // 2 * 64 warps, 64 steps each.
  const int64_t warps = 128, steps = warps * 64;
  EXPECT_EQ(counters.warps("fma.f32"), steps);
  EXPECT_EQ(counters.warps("ld.global.4B"), 2 * steps);
  EXPECT_EQ(counters.warps("st.global.4B"), warps);
  // 4 in the loop; outside of it 4 mul, 1 mad and 4 add.
  EXPECT_EQ(counters.warps("integer"), 4 * steps + 9 * warps);
  // Once a step and one return.
  EXPECT_EQ(counters.warps("branch"), steps + warps);
  EXPECT_DOUBLE_EQ(counters.getNumber("active_lanes"), 32);
  // 128 warps, 64 iterations of 8 instructions.
  EXPECT_EQ(counters.loops(), "iterations 8192 instructions 65536 fma 8192\n");
  // Of a one word for all lanes, of b a line.
  EXPECT_EQ(counters.at("ld.global.f32", "sectors"), steps);
  EXPECT_EQ(counters.at("ld.global.nc.f32", "sectors"), 4 * steps);
  EXPECT_EQ(counters.at("ld.global.f32", "bytes"), 128 * steps);
  EXPECT_EQ(counters.at("st.global.f32", "sectors"), 4 * warps);
  // L1 has 7 of 8 words of a.
  EXPECT_EQ(counters["l2_bytes"], 32 * (steps / 8 + 4 * steps + 4 * warps));
  // Each matrix is 64 * 64 * 4 bytes.
  EXPECT_EQ(counters.distinct("read"), 2 * 16384);
  EXPECT_EQ(counters.distinct("written"), 16384);
}

// Uniform blocks: the counts of a sample are exact, and distinct bytes of a, b
// and c come to their sizes.
TEST_F(CountMatmul, Sampled) {
  ASSERT_EQ(run(128), "");
  Counters whole(device);
  device.set([](LaunchOptions &o) { o.sampleBlocks = 40; });
  ASSERT_EQ(run(128), "");
  Counters sampled(device);
  EXPECT_EQ(whole["blocks_run"], 512);
  EXPECT_EQ(sampled["blocks_run"], 40);
  EXPECT_EQ(sampled.warps("fma.f32"), whole.warps("fma.f32"));
  EXPECT_EQ(sampled["l2_bytes"], whole["l2_bytes"]);
  EXPECT_EQ(sampled.distinct("read"), whole.distinct("read"));
  EXPECT_EQ(sampled.distinct("written"), whole.distinct("written"));
}

// The same with the axes of the grid known to be even: three blocks do.
TEST_F(CountMatmul, SampledByBox) {
  ASSERT_EQ(run(128), "");
  Counters whole(device);
  device.set([](LaunchOptions &o) {
    o.sampleBlocks = 1;
    o.box = BlockBox{{{4, true}, {128, true}}};
  });
  ASSERT_EQ(run(128), "");
  Counters sampled(device);
  EXPECT_EQ(sampled["blocks_run"], 3);
  EXPECT_EQ(sampled.warps("fma.f32"), whole.warps("fma.f32"));
  EXPECT_EQ(sampled["l2_bytes"], whole["l2_bytes"]);
  EXPECT_EQ(sampled.distinct("read"), whole.distinct("read"));
  EXPECT_EQ(sampled.distinct("written"), whole.distinct("written"));
  // A box of another number of blocks is not this grid's.
  device.set([](LaunchOptions &o) { o.box = BlockBox{{{5}}}; });
  ASSERT_EQ(run(128), "");
  EXPECT_GT(Counters(device)["blocks_run"], 3);
}

TEST_F(CountMatmul, OnAllCores) {
  device.set([](LaunchOptions &o) { o.workers = 1; });
  ASSERT_EQ(run(64), "");
  std::string one = Counters(device).text();
  device.set([](LaunchOptions &o) { o.workers = 4; });
  ASSERT_EQ(run(64), "");
  EXPECT_EQ(Counters(device).text(), one);
}

// 3 times round 2 loops, the first of which multiplies 4 times 5; one
// multiply-add stands behind them. Moves do not count.
TEST(CountKernel, Loops) {
  CountingDevice device(R"(
.visible .entry nest(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<4>;
  mov.u32 %r1, 0;
outer:
  mov.u32 %r2, 0;
inner:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  fma.rn.f32 %f2, %f2, %f2, %f2;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  fma.rn.f32 %f2, %f2, %f2, %f2;
  mov.f32 %f3, %f1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 5;
  @%p bra inner;
  mov.u32 %r2, 0;
other:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 2;
  @%p bra other;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 3;
  @%p bra outer;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  ret;
})");
  ASSERT_EQ(device.run("nest", {1, 1, 1}, {64, 1, 1}, 0, uint64_t(0)), "");
  // 2 warps, 15 iterations of 7; behind the loops, 2 times 2.
  EXPECT_EQ(Counters(device).loops(), "iterations 30 instructions 210 fma 120\n"
                                      "iterations 2 instructions 4 fma 2\n");
}

// Multiply-adds of the outer loop: what its inner one executes is its own too.
TEST(CountKernel, LoopAround) {
  CountingDevice device(R"(
.visible .entry nest(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<4>;
  mov.u32 %r1, 0;
outer:
  mov.u32 %r2, 0;
inner:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 5;
  @%p bra inner;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 3;
  @%p bra outer;
  ret;
})");
  ASSERT_EQ(device.run("nest", {1, 1, 1}, {32, 1, 1}, 0, uint64_t(0)), "");
  // 3 times 5 times 3 in the inner loop and 4 around it.
  EXPECT_EQ(Counters(device).loops(), "iterations 3 instructions 57 fma 3\n");
}

// The lower half of each warp adds once, the upper half twice.
TEST(CountKernel, Divergence) {
  CountingDevice device(R"(
.visible .entry split(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  setp.lt.u32 %p, %r2, 16;
  @%p bra low;
  add.f32 %r1, %r1, %r1;
  add.f32 %r1, %r1, %r1;
  bra done;
low:
  add.f32 %r1, %r1, %r1;
done:
  ret;
})");
  ASSERT_EQ(device.run("split", {3, 1, 1}, {64, 1, 1}, 0, uint64_t(0)), "");
  Counters counters(device);
  // 6 warps; each instruction of a side is executed with 16 lanes.
  EXPECT_EQ(counters.warps("float.f32"), 3 * 6);
  const llvm::json::Object *adds =
      counters.find("instructions", "name", "float.f32");
  ASSERT_NE(adds, nullptr);
  EXPECT_EQ(adds->getInteger("lanes"), 3 * 6 * 16);
  const std::vector<BranchCounts> &branches =
      device.module->getReport().counts->branches;
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].warps, 6u);
  EXPECT_EQ(branches[0].divergent, 6u);
}

// A join that stands above what leads to it, in a whole warp and in half of
// one: each of five iterations meets there.
TEST(CountKernel, JoinsWaitForWhatTheTextHasBelow) {
  CountingDevice device(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<5>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  and.b32 %r3, %r1, 8;
  setp.eq.u32 %p1, %r3, 0;
  bra head;
join:
  add.f32 %r4, %r4, %r4;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 5;
  @%p2 bra head;
  bra done;
head:
  @%p1 bra join;
  xor.b32 %r3, %r3, %r1;
  bra join;
done:
  ret;
})");
  ASSERT_EQ(device.run("k", {3, 1, 1}, {48, 1, 1}, 0, uint64_t(0)), "");
  EXPECT_EQ(Counters(device).warps("float.f32"), 3 * 2 * 5);
}

// Counts do not depend on how a kernel is executed: not on blocks that are run
// for no lane, nor on lanes that come to a barrier or a shuffle more than once.
TEST(CountKernel, ExecutionDoesNotMatter) {
  CountingDevice device(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r<8>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 40;
  setp.gt.u32 %q, %r1, 100;
  @%q bra skip;
  add.s32 %r2, %r1, 1;
skip:
  @!%q bra next;
  sub.s32 %r2, %r1, 1;
next:
  bar.sync 0;
  @%p bra low;
  shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffffff00;
  bra done;
low:
  mul.lo.s32 %r3, %r2, 3;
done:
  bar.sync 0;
  ret;
})");
  auto run = [&](LaunchOptions::Execution execution) {
    device.set([&](LaunchOptions &o) { o.execution = execution; });
    EXPECT_EQ(device.run("k", {2, 1, 1}, {64, 1, 1}, 0, uint64_t(0)), "");
    return Counters(device);
  };
  Counters warps = run(LaunchOptions::Execution::Warps);
  // 4 warps, of which 2 (threads 32 to 63) split at `bra low`: 24 lanes
  // shuffle. All run setp twice and add once, none sub, and all but the upper
  // part of those two run mul.
  EXPECT_EQ(warps.warps("barrier"), 8);
  EXPECT_EQ(warps.warps("shuffle"), 2);
  EXPECT_EQ(warps.warps("integer"), 4 * 3 + 4);
  EXPECT_EQ(run(LaunchOptions::Execution::Masked).text(), warps.text());
}

// What ptxas makes one instruction is counted as one.
TEST(CountKernel, ArithmeticThatIsFolded) {
  CountingDevice device(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .f64 %d<24>;
  mov.f64 %d1, 0d4000000000000000;
  mov.f64 %d2, 0d4008000000000000;
  // A product that a sum takes, and a sign.
  mul.f64 %d3, %d1, %d2;
  sub.f64 %d4, %d1, %d3;
  neg.f64 %d5, %d4;
  fma.rn.f64 %d6, %d5, %d2, %d1;
  // A sign of two multiply-adds, and one of a maximum too.
  neg.f64 %d18, %d6;
  fma.rn.f64 %d19, %d18, %d2, %d1;
  fma.rn.f64 %d20, %d18, %d18, %d1;
  neg.f64 %d21, %d6;
  fma.rn.f64 %d22, %d21, %d2, %d1;
  max.f64 %d23, %d21, %d2;
  // One that is rounded by itself.
  mul.rn.f64 %d7, %d1, %d2;
  add.f64 %d8, %d7, %d2;
  // One that is taken twice.
  mul.f64 %d9, %d1, %d2;
  add.f64 %d10, %d9, %d9;
  // A factor of which is another number when the sum comes.
  mul.f64 %d11, %d1, %d2;
  mov.f64 %d1, %d8;
  add.f64 %d12, %d11, %d2;
  // A sum takes one of two.
  mul.f64 %d13, %d1, %d2;
  mul.f64 %d14, %d2, %d2;
  add.f64 %d15, %d13, %d14;
  // The sum is in another block.
  mul.f64 %d16, %d1, %d2;
  mov.u32 %r1, %tid.x;
  bar.sync 0;
  add.f64 %d17, %d16, %d2;
  ret;
})");
  ASSERT_EQ(device.run("k", {1, 1, 1}, {32, 1, 1}, 0, uint64_t(0)), "");
  Counters counters(device);
  EXPECT_EQ(counters.warps("fma.f64"), 3 + 3);
  EXPECT_EQ(counters.warps("folded"), 3 + 1);
  EXPECT_EQ(counters.warps("float.f64"), 3 * 2 + 1 + 2 + 2);
}

// The product may be either side of a difference, in both formats.
TEST(CountKernel, DifferencesThatTakeProducts) {
  CountingDevice device(R"(
.visible .entry k(.param .u64 out) {
  .reg .f32 %f<4>; .reg .f64 %d<6>;
  mov.f64 %d1, 0d4000000000000000;
  mul.f64 %d2, %d1, %d1;
  sub.f64 %d3, %d2, %d1;
  mul.f64 %d4, %d1, %d3;
  sub.f64 %d5, %d1, %d4;
  mov.f32 %f1, 0f40000000;
  mul.f32 %f2, %f1, %f1;
  sub.f32 %f3, %f2, %f1;
  ret;
})");
  ASSERT_EQ(device.run("k", {1, 1, 1}, {32, 1, 1}, 0, uint64_t(0)), "");
  Counters counters(device);
  EXPECT_EQ(counters.warps("fma.f64"), 2);
  EXPECT_EQ(counters.warps("fma.f32"), 1);
  EXPECT_EQ(counters.warps("folded"), 3);
}

// A sum takes one term that is shifted by a constant.
TEST(CountKernel, SumsThatTakeShifts) {
  CountingDevice device(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<18>; .reg .b64 %x<3>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  // One shift of two sums.
  shl.b32 %r2, %r1, 4;
  add.s32 %r3, %r2, %r1;
  add.s32 %r4, %r2, 16;
  // A sum of two shifts takes one of them.
  shl.b32 %r5, %r1, 1;
  shl.b32 %r6, %r1, 2;
  add.s32 %r7, %r5, %r6;
  // A difference takes none, nor does another instruction beside a sum.
  shl.b32 %r8, %r1, 3;
  sub.s32 %r9, %r1, %r8;
  shl.b32 %r10, %r1, 5;
  add.s32 %r11, %r10, %r1;
  xor.b32 %r12, %r10, %r1;
  // By a register, under a guard, of 64 bits.
  shl.b32 %r13, %r1, %r9;
  add.s32 %r14, %r13, %r1;
  setp.lt.u32 %p1, %r1, 64;
  shl.b32 %r15, %r1, 6;
  @%p1 add.s32 %r16, %r15, %r1;
  mul.wide.u32 %x1, %r1, 4;
  shl.b64 %x2, %x1, 2;
  add.s64 %x2, %x2, %x1;
  ret;
})");
  ASSERT_EQ(device.run("k", {1, 1, 1}, {32, 1, 1}, 0, uint64_t(0)), "");
  Counters counters(device);
  EXPECT_EQ(counters.warps("folded"), 2);
  EXPECT_EQ(counters.warps("integer"), 2 + 2 + 2 + 3 + 2 + 3 + 3);
}

// Not asked for, nothing is counted.
TEST_F(CountMatmul, Off) {
  device.set([](LaunchOptions &o) { o.count = false; });
  ASSERT_EQ(run(32), "");
  EXPECT_EQ(device.module->getReport().counts, nullptr);
}

} // namespace
