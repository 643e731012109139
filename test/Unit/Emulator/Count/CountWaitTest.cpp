//===- CountWaitTest.cpp - How the work of a warp hangs together ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops whose waits, chains and merged loads were derived by hand.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "tc/Emulator/Counts.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

constexpr llvm::StringLiteral declarations = R"(
.visible .entry k(.param .u64 in) {
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<16>;
  .reg .f64 %d<9>;
  .shared .align 16 .b8 tile[4096];
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mad.lo.u32 %r3, %r1, 16, %r2;
  mov.u32 %r4, 0;
)";

/// A loop of five steps over `body`.
std::string makeLoop(const std::string &body,
                     const std::string &bound = "%r8") {
  return declarations.str() + "mov.u32 %r7, 5; max.u32 %r8, %r7, 1;\nloop:\n" +
         body + R"(
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, )" +
         bound + R"(;
  @%p bra loop;
  st.global.f32 [%rd1], %f1;
  ret;
}
)";
}

class CountWait : public testing::Test {
protected:
  WaitCounts run(const std::string &text, Dim3 block = {64, 1, 1}) {
    Device device(header + text);
    if (!device.module)
      return {};
    LaunchOptions options = device.module->getOptions();
    options.checks = Checks::None;
    options.count = true;
    device.module->setOptions(options);
    DeviceArray<uint8_t> data(device.memory, std::vector<uint8_t>(4096));
    EXPECT_EQ(device.run("k", {3, 1, 1}, block, 0, data.get()), "");
    const LaunchCounts &counts = *device.module->getReport().counts;
    read = counts.getMemory("shared", "read");
    return counts.waits;
  }

  AccessCounts read; ///< from shared memory
};

} // namespace

TEST_F(CountWait, LoadsOfALoopAreOneRoundAStep) {
  WaitCounts waits = run(makeLoop(R"(
  ld.global.f32 %f2, [%rd1];
  ld.global.f32 %f3, [%rd1+64];
  st.shared.f32 [%r3], %f2;
  st.shared.f32 [%r3+4], %f3;
  bar.sync 0;
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
  bar.sync 0;
)"));
  EXPECT_DOUBLE_EQ(waits.rounds, 5);
  EXPECT_DOUBLE_EQ(waits.ahead, 0);
  EXPECT_DOUBLE_EQ(waits.barriers, 10);
  EXPECT_DOUBLE_EQ(waits.depth, 1);
}

// The step's loads are used by the next one, or behind the multiply-adds.
TEST_F(CountWait, LoadsIntoRegistersAheadOfTheirUse) {
  EXPECT_DOUBLE_EQ(run(makeLoop(R"(
  ld.global.f32 %f2, [%rd1];
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
  st.shared.f32 [%r3], %f2;
)"))
                       .ahead,
                   1);
  EXPECT_DOUBLE_EQ(run(makeLoop(R"(
  st.shared.f32 [%r3], %f5;
  ld.global.f32 %f2, [%rd1];
  mov.f32 %f5, %f2;
)"))
                       .ahead,
                   1);
  EXPECT_DOUBLE_EQ(run(makeLoop(R"(
  ld.global.f32 %f2, [%rd1];
  mov.f32 %f5, %f2;
  st.shared.f32 [%r3], %f5;
  fma.rn.f32 %f1, %f4, %f4, %f1;
)"))
                       .ahead,
                   0);
}

TEST_F(CountWait, AsynchronousCopies) {
  const std::string copy = R"(
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  cp.async.commit_group;
)",
                    wait = "cp.async.wait_group 1;\n";
  // Asked for in this step, and a group may be left.
  WaitCounts waits = run(makeLoop(copy + wait));
  EXPECT_DOUBLE_EQ(waits.rounds, 5);
  EXPECT_DOUBLE_EQ(waits.ahead, 1);
  // The step waits before it asks.
  EXPECT_DOUBLE_EQ(run(makeLoop(wait + copy)).ahead, 2);
  EXPECT_DOUBLE_EQ(run(makeLoop(copy + "cp.async.wait_all;")).ahead, 0);
}

// Two steps that are written out: the copy of the second is asked for before
// the first multiplies.
TEST_F(CountWait, AsynchronousCopiesWithoutALoop) {
  const std::string step = R"(
  cp.async.wait_all;
  bar.sync 0;
)",
                    copy = R"(
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  cp.async.commit_group;
)",
                    product = R"(
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
)";
  WaitCounts waits = run(declarations.str() + copy + step + copy + product +
                         step + product + "ret;\n}\n");
  EXPECT_DOUBLE_EQ(waits.rounds, 2);
  EXPECT_DOUBLE_EQ(waits.ahead, 0.5);
}

// Two accumulators, three multiply-adds each: chains of three, four times over
// where ptxas copies the step of a loop.
TEST_F(CountWait, ChainsOfMultiplyAdds) {
  const std::string step = R"(
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
  fma.rn.f32 %f6, %f4, %f4, %f6;
  fma.rn.f32 %f1, %f4, %f4, %f1;
  fma.rn.f32 %f6, %f4, %f4, %f6;
  fma.rn.f32 %f1, %f4, %f4, %f1;
  fma.rn.f32 %f6, %f4, %f4, %f6;
)";
  WaitCounts waits = run(makeLoop(".pragma \"nounroll\";" + step));
  EXPECT_DOUBLE_EQ(waits.depth, 3);
  waits = run(makeLoop(step));
  EXPECT_DOUBLE_EQ(waits.depth, 12);
  // ptxas writes out a loop of a constant number of steps.
  waits = run(makeLoop(R"(
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
  fma.rn.f32 %f6, %f4, %f4, %f6;
)",
                       "5"));
  EXPECT_DOUBLE_EQ(waits.depth, 5);
  // A barrier between them ends a chain.
  waits = run(makeLoop(R"(
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
  bar.sync 0;
  ld.shared.f32 %f4, [%r2];
  fma.rn.f32 %f1, %f4, %f4, %f1;
)"));
  EXPECT_DOUBLE_EQ(waits.depth, 1);
}

// Words 0 to 3 are one access, 4 and 5 another, 7 is alone.
TEST_F(CountWait, NeighbouringLoadsAreOne) {
  const std::string body = R"(
  ld.shared.f32 %f4, [%r2];
  ld.shared.f32 %f5, [%r2+4];
  ld.shared.f32 %f6, [%r2+12];
  ld.shared.f32 %f7, [%r2+8];
  ld.shared.f32 %f8, [%r2+16];
  ld.shared.f32 %f9, [%r2+20];
  ld.shared.f32 %f10, [%r2+28];
)";
  const uint64_t steps = 3 * 2 * 5; // of warps
  run(makeLoop(body));
  EXPECT_EQ(read.requests, 7 * steps);
  EXPECT_EQ(read.machineRequests, 3 * steps);
  // All lanes read the same; 16 bytes take two wavefronts even so.
  EXPECT_EQ(read.wavefronts, 7 * steps);
  EXPECT_EQ(read.machineWavefronts, 4 * steps);
  // Lanes 16 bytes apart: four wavefronts of a warp's 512 bytes, and two bank
  // conflicts of the pair and of the word, which lie 16 bytes apart, too.
  std::string apart = body;
  for (size_t at = 0; (at = apart.find("%r2", at)) != std::string::npos;)
    apart.replace(at, 3, "%r3");
  run(makeLoop(apart));
  EXPECT_EQ(read.machineRequests, 3 * steps);
  EXPECT_EQ(read.wavefronts, 7 * 4 * steps);
  EXPECT_EQ(read.machineWavefronts, 3 * 4 * steps);
  // Two of eight bytes.
  run(makeLoop(R"(
  ld.shared.f64 %d4, [%r2];
  ld.shared.f64 %d5, [%r2+8];
  ld.shared.f64 %d6, [%r2+16];
)"));
  EXPECT_EQ(read.machineRequests, 2 * steps);
}

TEST_F(CountWait, LoadsThatStayApart) {
  const uint64_t steps = 3 * 2 * 5;
  // Across a store, from another base, or from one that changed.
  run(makeLoop(R"(
  ld.shared.f32 %f4, [%r2];
  st.shared.f32 [%r3], %f4;
  ld.shared.f32 %f5, [%r2+4];
  add.u32 %r5, %r2, 8;
  ld.shared.f32 %f6, [%r5];
  add.u32 %r5, %r5, 4;
  ld.shared.f32 %f7, [%r5+4];
)"));
  EXPECT_EQ(read.machineRequests, 4 * steps);
  // Not aligned to both.
  run(makeLoop(R"(
  ld.shared.f32 %f4, [%r2+4];
  ld.shared.f32 %f5, [%r2+8];
)"));
  EXPECT_EQ(read.machineRequests, 2 * steps);
  EXPECT_EQ(read.machineWavefronts, 2 * steps);
}
