//===- CountGroupTest.cpp - Counts and times of wgmma ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What products of a warpgroup count as, and how long the tensor unit has them.
//
//===----------------------------------------------------------------------===//

#include "Count/Classify.h"
#include "Count/GroupRate.h"
#include "CountingDevice.h"
#include "tc/Emulator/Counts.h"
#include "tc/Emulator/Trace.h"
#include "tc/Target/Machine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

std::string list(const char *prefix, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "{") + (prefix + std::to_string(i));
  return text + "}";
}

/// A kernel of one warpgroup that does nothing but `body`.
std::string wrap(const std::string &body) {
  return ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k() "
         "{ .reg .pred %p<4>; .reg .b32 %i<8>, %d<128>, %a<4>; .reg .b64 "
         "%q<4>; .shared .align 1024 .b8 tile[16384]; mov.u64 %q1, tile; "
         "shr.u64 %q1, %q1, 4; add.u64 %q1, %q1, 0x0000001000080000;\n"
         "wgmma.fence.sync.aligned;\n" +
         body + "wgmma.wait_group.sync.aligned 0;\nret;\n}\n";
}

const std::string commit = "wgmma.commit_group.sync.aligned;\n";

std::string product(const char *words, unsigned registers, bool isInRegisters,
                    const char *constants) {
  return std::string("wgmma.mma_async.sync.aligned.") + words + " " +
         list("%d", registers) + ", " +
         (isInRegisters ? list("%a", 4) : "%q1") + ", %q1, 1" + constants +
         ";\n";
}

LaunchReport run(const std::string &body, bool isTraced = false) {
  Device device(wrap(body));
  if (!device.module)
    return {};
  LaunchOptions options;
  options.count = true;
  options.trace = isTraced;
  options.checks = Checks::None;
  device.module->setOptions(options);
  EXPECT_EQ(device.run("k", {1, 1, 1}, {128, 1, 1}, 0), "");
  return device.module->getReport();
}

struct Case {
  const char *words, *name, *unit;
  unsigned n, k;
  const char *constants;
};

const Case cases[] = {
    {"m64n128k16.f32.bf16.bf16", "wgmma.m64n128k16.bf16", "f16", 128, 16,
     ", 1, 1, 0"},
    {"m64n64k8.f32.tf32.tf32", "wgmma.m64n64k8.tf32", "tf32", 64, 8, ", 1, 1"},
    {"m64n256k32.f32.e4m3.e5m2", "wgmma.m64n256k32.e4m3", "f8", 256, 32,
     ", 1, 1"},
    {"m64n32k32.s32.s8.u8", "wgmma.m64n32k32.s8", "s8", 32, 32, ""},
    {"m64n16k256.s32.b1.b1.and.popc", "wgmma.m64n16k256.b1", "b1", 16, 256, ""},
};

TEST(CountGroups, ProductsAndReads) {
  for (const Case &test : cases)
    for (bool isInRegisters : {false, true}) {
      SCOPED_TRACE(std::string(test.words) + (isInRegisters ? " rs" : " ss"));
      bool hasMajors = test.k == 16 && !isInRegisters;
      LaunchReport report =
          run(product(test.words, test.n / 2, isInRegisters,
                      (std::string(test.constants) + (hasMajors ? ", 0" : ""))
                          .c_str()) +
              commit);
      ASSERT_TRUE(report.counts);
      const LaunchCounts &counts = *report.counts;
      auto kind = llvm::find_if(counts.instructions,
                                [&](auto &k) { return k.name == test.name; });
      ASSERT_NE(kind, counts.instructions.end());
      EXPECT_EQ(kind->warps, 4u);
      EXPECT_EQ(kind->operations, uint64_t(64) * test.n * test.k);
      EXPECT_EQ(kind->unit, std::string("wgmma.") + test.unit);
      // All types take N/2 cycles of a multiprocessor.
      mlir::tc::Machine machine = *mlir::tc::findMachine("sm_90a");
      EXPECT_EQ(double(kind->operations) / getGroupRate(machine, test.unit),
                test.n / 2);
      AccessCounts shared = counts.getMemory("shared", "read");
      EXPECT_EQ(shared.requests, 1u);
      EXPECT_EQ(shared.wavefronts, (isInRegisters ? 0 : 16) + test.n / 4);
      EXPECT_EQ(shared.bytes, 32 * (isInRegisters ? test.n : test.n + 64));
      // And the counted time has them.
      CountedTime time = countTime(counts, machine, 1);
      auto term = llvm::find_if(time.terms, [&](auto &t) {
        return t.name == std::string("wgmma.") + test.unit;
      });
      ASSERT_NE(term, time.terms.end());
      EXPECT_NEAR(term->seconds,
                  test.n / 2 / machine.clockHz *
                      (time.tail / double(machine.smCount)),
                  1e-12);
    }
}

double simulate(const std::string &body, const mlir::tc::Machine &machine) {
  LaunchReport report = run(body, /*isTraced=*/true);
  if (!report.trace)
    return 0;
  return simulateTrace(*report.trace, *report.counts, machine, 1, 128).cycles;
}

/// A product keeps the tensor unit busy for N/2 cycles, and the warp goes on;
/// what waits for it waits for the unit, too.
TEST(CountGroups, SimulatedTime) {
  mlir::tc::Machine machine = *mlir::tc::findMachine("sm_90a");
  std::string one =
      product("m64n256k16.f32.bf16.bf16", 128, false, ", 1, 1, 0, 0");
  auto times = [&](unsigned count, const std::string &between) {
    std::string body;
    for (unsigned i = 0; i < count; ++i)
      body += one + between;
    return simulate(body + commit, machine);
  };
  double each = (times(12, "") - times(4, "")) / 8;
  EXPECT_NEAR(each, 128, 1);
  const std::string wait = commit + "wgmma.wait_group.sync.aligned 0;\n";
  double alone = (times(12, wait) - times(4, wait)) / 8;
  EXPECT_NEAR(alone, 128 + machine.latencies.group, 10);
  // A chain of 20 additions hides behind a product, one of 60 does not.
  auto withAdditions = [&](unsigned count) {
    std::string work;
    for (unsigned i = 0; i < count; ++i)
      work += "add.u32 %i1, %i1, 1;\n";
    return (times(12, work) - times(4, work)) / 8;
  };
  EXPECT_NEAR(withAdditions(20), 128, 1);
  EXPECT_NEAR(withAdditions(60), 60 * machine.latencies.arithmetic, 10);
}

} // namespace
