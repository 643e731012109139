//===- GroupRuleTest.cpp - Rules of warpgroups and descriptors ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What four warps must do alike, and what descriptors must say.
//
//===----------------------------------------------------------------------===//

#include "GroupFaults.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

//===----------------------------------------------------------------------===//
// Warpgroups and descriptors
//===----------------------------------------------------------------------===//

TEST(GroupFaults, Warpgroups) {
  const Case cases[] = {
      {"ThreeWarps",
       {},
       {"expected a warpgroup of four whole warps that begins at a "
        "multiple of four; warp ",
        "and the block has 96 threads"},
       {},
       96,
       true},
      {"NotAMultipleOfFour",
       with([](Parts &p) {
         p.write = "@%p5 " + storeTile;
         p.meet += "setp.lt.u32 %p6, %i1, 64;\n@%p6 exit;\n";
       }),
       {"of the warpgroup has ended, and all four warps must execute this"},
       {},
       256,
       true},
      {"WithoutOneWarp",
       with([](Parts &p) {
         p.meet += "setp.gt.u32 %p6, %i1, 95;\n@%p6 exit;\n";
       }),
       {"of the warpgroup has ended, and all four warps must execute this"},
       {}},
      {"WithoutOneWarpLater",
       with([](Parts &p) { p.fence = "@!%p3 " + p.fence; }),
       {"wgmma.fence"},
       {}},
      {"OneWarpEndsBefore",
       with([](Parts &p) { p.end += "@%p3 exit;\n" + fence; }),
       {"warp"},
       with([](Parts &p) { p.end += fence; })},
      {"AnotherDescriptorInOneWarp",
       with([](Parts &p) { p.meet += "@%p3 sub.u64 %q5, %q5, 8;\n"; }),
       {"expected the descriptor of b 0x", " of the warpgroup, got 0x"},
       {}},
      {"AnotherPredicateInOneWarp",
       with([](Parts &p) { p.meet += "@%p3 setp.ne.u32 %p1, 0, 0;\n"; }),
       {"expected the predicate scale-d ", " of the warpgroup, got "},
       {}},
      {"AnotherInstructionInOneWarp",
       with([](Parts &p) {
         p.multiply = "@%p3 bra other;\n" + p.multiply +
                      "bra on;\nother: " + p.multiply + "on:\n";
       }),
       {"expected what warp ", " of the warpgroup executes here, as all four "
                               "warps must: PTX line "},
       {}},
      {"OneWarpCommitsMore",
       with([](Parts &p) { p.commit += "@%p3 " + commit; }),
       {"expected what warp ", " of the warpgroup executes here"},
       with([](Parts &p) { p.commit += commit; })},
      {"ExitInFlight",
       with([](Parts &p) { p.wait = p.end = ""; }),
       {"the thread ends while this wgmma is in flight; execute "
        "wgmma.wait_group 0 before"},
       {}},
      {"AnotherShapeInFlight",
       with([](Parts &p) {
         p.multiply += "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 "
                       "{%d0, %d1, %d2, %d3}, %q4, %q5, %p1, 1, 1;\n";
       }),
       {"register %d0 is in use by a wgmma in flight, of another shape"},
       with([](Parts &p) { p.multiply += p.multiply; })},
      {"AnotherDescriptorInOneLane",
       with([](Parts &p) { p.meet += "@%p4 sub.u64 %q5, %q5, 8;\n"; }),
       {"expected the descriptor of b of lane 0, 0x", "in lane 1"},
       {}},
      {"SomeLanes",
       with([](Parts &p) {
         p.meet += "and.b32 %i8, %i1, 1;\nsetp.eq.u32 %p6, %i8, 0;\n";
         p.multiply = "@%p6 " + p.multiply;
       }),
       {"(`@%p6 wgmma"},
       {}},
  };
  runAll(cases);
}

TEST(GroupFaults, Descriptors) {
  auto change = [](const char *text) {
    return with([&](Parts &p) { p.meet += text; });
  };
  const Case cases[] = {
      {"ReservedBits",
       change("or.b64 %q5, %q5, 0x4000;\n"),
       {"the descriptor 0x", "of b: expected zeros in the bits 14, 15",
        "got 0x4000"},
       {}},
      {"BaseOffsetWithoutASwizzle",
       change("or.b64 %q4, %q4, 0x0002000000000000;\n"),
       {"of a: expected a base offset of 0 without a swizzle, got 1"},
       {}},
      {"BaseOffset",
       change("or.b64 %q4, %q4, 0x4006000000000000;\n"),
       {"expected a base offset of 0 for the start address 0x400 and a swizzle "
        "of 128 bytes, got 3"},
       {}},
      {"NotAligned",
       change("or.b64 %q4, %q4, 0x4002000000000000;\nadd.u64 %q4, %q4, 16;\n"),
       {"expected a base offset of 2 for the start address 0x500",
        "align the matrix to 1024 bytes"},
       {}},
      {"BeyondTheSwizzle",
       change("or.b64 %q4, %q4, 0x4000000000000000;\nadd.u64 %q4, %q4, 7;\n"),
       {"expected a start address with 32 bytes behind it in a row of 128 "
        "bytes",
        "112 bytes into one"},
       {}},
      {"OutsideOfTheBlock",
       change("add.u64 %q5, %q5, 16;\n"),
       {"the descriptors name 16 bytes at shared address 0xd80",
        "expected addresses from 0x400 to 0xd10"},
       {}},
      {"BelowSharedMemory",
       change("mov.b64 %q5, 0x0000001000080001;\n"),
       {"at shared address 0x10, expected addresses from 0x400"},
       {}},
  };
  runAll(cases);
}

/// Blocks that run together have warpgroups and memory of their own.
TEST(GroupFaults, InAClusterOfBlocks) {
  for (bool isFenced : {true, false})
    for (uint64_t seed = 0; seed <= 3; ++seed) {
      Parts parts;
      if (!isFenced)
        parts.proxy = "";
      parts.end = "mov.u32 %i8, %ctaid.x; mad.wide.u32 %q2, %i8, 2048, %q2;\n" +
                  parts.end;
      std::string text = parts.getKernel();
      const std::string head = "(.param .u64 p) ";
      text.insert(text.find(head) + head.size(), ".reqnctapercluster 2, 1, 1 ");
      Device device(text, Effort::Quick);
      ASSERT_TRUE(device.module);
      LaunchOptions options;
      options.checks = Checks::All;
      options.schedule = {
          seed ? Schedule::Adversarial : Schedule::Deterministic, seed};
      device.module->setOptions(options);
      DeviceArray<uint32_t> first(device.memory, std::vector<uint32_t>(1024));
      std::string error =
          device.run("k", {2, 1, 1}, {128, 1, 1}, 0, first.get());
      if (isFenced)
        EXPECT_EQ(error, "") << seed;
      else
        EXPECT_THAT(error, testing::HasSubstr("execute fence.proxy.async"));
    }
}

} // namespace
