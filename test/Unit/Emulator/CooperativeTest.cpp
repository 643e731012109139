//===- CooperativeTest.cpp - Blocks that wait for each other --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooperative launches: the blocks of a grid run together, and have a barrier
// in global memory, as CUDA's cooperative groups use it.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

/// The barrier of a grid of %r3 blocks (cooperative_groups/details/sync.h): the
/// first block adds what flips the highest bit once all have come.
const std::string sync = R"(
  bar.sync 0;
  setp.ne.u32 %p, %r1, 0;
  @%p bra MET;
  mov.u32 %r4, 1;
  setp.ne.u32 %q, %r2, 0;
  @%q bra ADD;
  sub.u32 %r4, 0x80000001, %r3;
ADD:
  atom.add.release.gpu.u32 %r5, [%rd3+4], %r4;
WAIT:
  ld.acquire.gpu.u32 %r6, [%rd3+4];
  xor.b32 %r6, %r6, %r5;
  setp.ge.s32 %p, %r6, 0;
  @%p bra WAIT;
MET:
  bar.sync 0;
)";

/// Each thread writes its word, and, after `between`, reads that of the next
/// block. Shared memory has the number of the block before the barrier and
/// after.
std::string makeKernel(llvm::StringRef between) {
  return header + (R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r<16>; .reg .b64 %rd<16>;
  .shared .align 4 .b8 own[4];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %nctaid.x;
  mov.u32 %r7, %envreg1;
  mov.u32 %r8, %envreg2;
  mov.b64 %rd3, {%r8, %r7};
  mov.u32 %r9, %ntid.x;
  mad.lo.u32 %r10, %r2, %r9, %r1;
  mul.wide.u32 %rd4, %r10, 4;
  add.u64 %rd5, %rd1, %rd4;
  st.global.u32 [%rd5], %r10;
  st.shared.u32 [own], %r2;
)" + between + R"(
  add.u32 %r11, %r2, 1;
  rem.u32 %r11, %r11, %r3;
  mad.lo.u32 %r11, %r11, %r9, %r1;
  mul.wide.u32 %rd6, %r11, 4;
  add.u64 %rd7, %rd1, %rd6;
  ld.global.u32 %r12, [%rd7];
  ld.shared.u32 %r13, [own];
  mov.u32 %r14, %cluster_ctarank;
  add.u32 %r13, %r13, %r14;
  mov.u32 %r14, %cluster_nctarank;
  mul.lo.u32 %r13, %r13, %r14;
  mad.lo.u32 %r12, %r13, 10000, %r12;
  add.u64 %rd8, %rd2, %rd4;
  st.global.u32 [%rd8], %r12;
  ret;
})")
                      .str();
}

std::string run(const std::string &text, Dim3 grid, Dim3 block,
                LaunchOptions options, std::vector<uint32_t> *values = nullptr,
                Cluster cluster = {{0, 0, 0}, false, true}) {
  Device device(text);
  if (!device.module)
    return "no module";
  options.checks = Checks::All;
  device.module->setOptions(options);
  size_t count = grid.count() * block.count();
  DeviceArray<uint32_t> in(device.memory, std::vector<uint32_t>(count));
  DeviceArray<uint32_t> out(device.memory, std::vector<uint32_t>(count));
  size_t live = device.memory.getLive().size();
  std::string error = messageOf(device.module->launch(
      "k", grid, block, 0, Arguments(in.get(), out.get()).get(), device.memory,
      cluster));
  EXPECT_EQ(device.memory.getLive().size(), live); // what the barrier is in
  if (values)
    *values = out.values();
  return error;
}

TEST(Cooperative, BlocksWaitForEachOther) {
  using Execution = LaunchOptions::Execution;
  for (Execution execution :
       {Execution::Warps, Execution::Masked, Execution::Threads})
    for (Schedule schedule : {Schedule{}, Schedule{Schedule::Random, 5},
                              Schedule{Schedule::Adversarial, 2}}) {
      LaunchOptions options;
      options.execution = execution;
      options.schedule = schedule;
      std::vector<uint32_t> values;
      // More blocks than a cluster has.
      ASSERT_EQ(run(makeKernel(sync), {40}, {48}, options, &values), "");
      for (uint32_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], i / 48 * 10000 + (i + 48) % values.size()) << i;
    }
}

TEST(Cooperative, OneBlockHasABarrierToo) {
  std::vector<uint32_t> values;
  ASSERT_EQ(run(makeKernel(sync), {1}, {32}, {}, &values), "");
  EXPECT_EQ(values[31], 31u);
}

TEST(Cooperative, ManyThreadsAreCheckedForBoundsAlone) {
  std::vector<uint32_t> values;
  ASSERT_EQ(run(makeKernel(sync), {264}, {64}, {}, &values), "");
  EXPECT_EQ(values[64], 10000u + 128);
}

TEST(Cooperative, RacesAreThoseBetweenBlocks) {
  EXPECT_THAT(
      run(makeKernel("bar.sync 0;"), {2}, {32}, {}),
      HasSubstr("not ordered by fences and atomics between the blocks"));
}

TEST(Cooperative, ClustersAreRefused) {
  EXPECT_THAT(
      run(makeKernel("mapa.shared::cluster.u32 %r4, %r1, 0;"), {2}, {32}, {}),
      HasSubstr("cooperative launches of kernels with clusters are not "
                "covered"));
  EXPECT_THAT(
      run(makeKernel(""), {2}, {32}, {}, nullptr, {{2, 1, 1}, false, true}),
      HasSubstr("not covered"));
}

TEST(Cooperative, OtherLaunchesHaveNoBarrier) {
  LaunchOptions options;
  options.stop = LaunchOptions::Stop::First; // it would wait for ever
  EXPECT_THAT(run(makeKernel(sync), {1}, {32}, options, nullptr, {}),
              HasSubstr("generic address 0x4 is out of bounds"));
}

} // namespace
