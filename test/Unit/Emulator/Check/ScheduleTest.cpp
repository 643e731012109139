//===- ScheduleTest.cpp - Orders of threads -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose result depends on what the memory model leaves open gives
// other results in other schedules, and a correct one never does.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <set>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// Thread 0 sends 42 to thread 32 with a flag; thread 32 passes it on.
std::string makeMessage(const std::string &beforeFlag,
                        const std::string &afterFlag) {
  return header +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b32 "
         "%i<8>; .reg .b64 %q<4>;\nld.param.u64 %q1, [p]; mov.u32 %i1, "
         "%tid.x;\nsetp.eq.u32 %p1, %i1, 0; @%p1 bra SEND;\n"
         "setp.eq.u32 %p2, %i1, 32; @%p2 bra WAIT; ret;\n"
         "SEND: st.global.u32 [%q1], 42; " +
         beforeFlag +
         " st.volatile.global.u32 [%q1+128], 1; ld.global.u32 %i5, "
         "[%q1+256]; ld.global.u32 %i5, [%q1+256]; ld.global.u32 %i5, "
         "[%q1+256]; ret;\n"
         "WAIT: ld.volatile.global.u32 %i2, [%q1+128]; setp.eq.u32 %p3, %i2, "
         "0; @%p3 bra WAIT;\n" +
         afterFlag +
         " ld.global.u32 %i3, [%q1]; st.global.u32 [%q1+4], %i3; ret; }\n";
}

/// The message that arrived under a schedule.
uint32_t receive(const std::string &text, Schedule schedule) {
  Device device(text);
  LaunchOptions options = getOptions();
  options.checks = Checks::Bounds;
  options.schedule = schedule;
  device.module->setOptions(options);
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(128));
  EXPECT_EQ(device.run("k", {}, {64, 1, 1}, 0, data.get()), "");
  return data.values()[1];
}

constexpr unsigned seeds = 100;

TEST(Schedule, FencesDeliverTheMessage) {
  std::string text = makeMessage("fence.acq_rel.gpu;", "fence.acq_rel.gpu;");
  EXPECT_EQ(receive(text, {}), 42u);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    EXPECT_EQ(receive(text, {Schedule::Random, seed}), 42u);
    EXPECT_EQ(receive(text, {Schedule::Adversarial, seed}), 42u);
  }
}

TEST(Schedule, WithoutFencesItMayBeLate) {
  std::string text = makeMessage("", "");
  EXPECT_EQ(receive(text, {}), 42u);
  unsigned late = 0;
  for (unsigned seed = 0; seed < seeds; ++seed)
    late += receive(text, {Schedule::Adversarial, seed}) != 42;
  EXPECT_GT(late, 0u);
}

/// The last warp to run wins, and which one that is depends on the seed.
TEST(Schedule, SeedsChooseTheOrder) {
  std::string text =
      header +
      ".visible .entry k(.param .u64 p) { .reg .b32 %i<4>; .reg .b64 %q<4>; "
      "ld.param.u64 %q1, [p]; mov.u32 %i1, %warpid; bar.sync 0; st.global.u32 "
      "[%q1+4], %i1; ret; }\n";
  std::set<uint32_t> winners;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    uint32_t winner = receive(text, {Schedule::Random, seed});
    EXPECT_EQ(winner, receive(text, {Schedule::Random, seed}));
    winners.insert(winner);
  }
  EXPECT_EQ(winners.size(), 2u);
}

} // namespace
