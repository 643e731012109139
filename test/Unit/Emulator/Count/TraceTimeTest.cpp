//===- TraceTimeTest.cpp - Tests of simulated time, level B ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small kernels that do one thing return the latency or the rate that the
// machine was described with.
//
//===----------------------------------------------------------------------===//

#include "Count/CountHarness.h"
#include "Harness.h"

#include "tc/Emulator/Counts.h"
#include "tc/Emulator/Trace.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using mlir::tc::Machine;

namespace {

/// One multiprocessor at 1 GHz, with rates and latencies that are told apart.
Machine getMachine() {
  Machine machine;
  machine.name = "round";
  machine.clockHz = 1e9;
  machine.smCount = 1;
  machine.f32FmaPerCycle = 64;
  machine.f64FmaPerCycle = 32;
  machine.integerPerCycle = 64;
  machine.memoryPerCycle = 32;
  machine.l2Bytes = 1 << 20;
  machine.l2BytesPerSecond = 64e9;   // 64 bytes a cycle
  machine.dramBytesPerSecond = 16e9; // 16 bytes a cycle
  machine.dramEfficiency = 1;
  machine.latencies.shared = 23;
  machine.latencies.l1 = 35;
  machine.latencies.l2 = 201;
  machine.latencies.dram = 403;
  machine.latencies.barrier = 30;
  machine.latencies.arithmetic = 5;
  machine.latencies.f64 = 9;
  return machine;
}

constexpr llvm::StringLiteral declarations = R"(
.const .align 4 .b8 constants[1024];
.visible .entry k(.param .u64 in) {
  .reg .pred %p; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<99>;
  .reg .f64 %d<99>;
  .shared .align 16 .b8 tile[8192];
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r4, 0;
)";

std::string repeat(const std::string &text, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i)
    all += text;
  return all;
}

class TraceTime : public testing::Test {
protected:
  /// What a launch of `body` takes. Buffers hold zeros.
  TracedTime run(const std::string &body, Dim3 grid = {1, 1, 1},
                 Dim3 block = {32, 1, 1}, unsigned blocksPerSm = 1) {
    Device device(header + declarations.str() + body + "ret;\n}\n");
    if (!device.module)
      return {};
    LaunchOptions options = device.module->getOptions();
    options.checks = Checks::None;
    options.count = options.trace = true;
    device.module->setOptions(options);
    DeviceArray<uint8_t> data(device.memory, std::vector<uint8_t>(8 << 20));
    EXPECT_EQ(device.run("k", grid, block, 0, data.get()), "");
    const LaunchReport &report = device.module->getReport();
    if (!report.trace)
      return {};
    return simulateTrace(*report.trace, *report.counts, machine, blocksPerSm,
                         64);
  }
  /// Cycles that each of 200 more copies of `text` adds to 200.
  double getCyclesOf(const std::string &begin, const std::string &text,
                     Dim3 block = {32, 1, 1}) {
    double some = run(begin + repeat(text, 200), {1, 1, 1}, block).cycles;
    return (run(begin + repeat(text, 400), {1, 1, 1}, block).cycles - some) /
           200;
  }

  Machine machine = getMachine();
};

TEST_F(TraceTime, ChainsReturnLatencies) {
  EXPECT_NEAR(getCyclesOf("", "fma.rn.f32 %f1, %f1, %f2, %f1;\n"), 5, 0.05);
  EXPECT_NEAR(getCyclesOf("", "fma.rn.f64 %d1, %d1, %d2, %d1;\n"), 9, 0.05);
  EXPECT_NEAR(getCyclesOf("", "ld.shared.u32 %r4, [%r2];\n"
                              "and.b32 %r4, %r4, 0; add.u32 %r2, %r2, %r4;\n"),
              23 + 2 * 5, 0.05);
  EXPECT_NEAR(getCyclesOf("", "bar.sync 0;\n", {64, 1, 1}), 30, 2);
}

// Every address holds zeros, so that the chase stays at one line. It misses L1
// by its operator; memory gives the line once, which the difference leaves out.
TEST_F(TraceTime, PointerChaseReturnsTheLatencyOfL2) {
  EXPECT_NEAR(getCyclesOf("", "ld.global.cg.u64 %rd2, [%rd1];\n"
                              "add.u64 %rd1, %rd1, %rd2;\n"),
              201 + 5, 0.5);
}

// Each load is of another line, and nothing is read twice.
TEST_F(TraceTime, PointerChaseReturnsTheLatencyOfMemory) {
  EXPECT_NEAR(getCyclesOf("", "ld.global.cg.u64 %rd2, [%rd1];\n"
                              "add.u64 %rd1, %rd1, %rd2;\n"
                              "add.u64 %rd1, %rd1, 128;\n"),
              403 + 2 * 5, 0.5);
}

// Eight warps, two of each partition; a pipe of 16 lanes takes two cycles.
TEST_F(TraceTime, IndependentWorkReturnsRates) {
  std::string fma;
  for (int i = 1; i <= 8; ++i)
    fma += llvm::formatv("fma.rn.f32 %f{0}, %f{0}, %f20, %f{0};\n", i).str();
  Dim3 block{256, 1, 1};
  EXPECT_NEAR(getCyclesOf("", fma, block), 8 * 256 / 64.0, 0.1);
  machine.f32FmaPerCycle = 128;
  EXPECT_NEAR(getCyclesOf("", fma, block), 8 * 256 / 128.0, 0.1);
  // Not faster than instructions issue.
  machine.f32FmaPerCycle = 512;
  EXPECT_NEAR(getCyclesOf("", fma, block), 8 * 8 / 4.0, 0.1);
}

// Blocks that do next to nothing, of which eight find room.
// Four products of 8 cycles, and 16 additions of two: ptxas issues products
// first, and additions while the unit works.
TEST_F(TraceTime, AdditionsAreDoneWhileTheTensorUnitWorks) {
  machine.f16TensorFmaPerCycle = 1024;
  machine.mmaSyncShare = 1;
  std::string additions, products;
  for (int i = 10; i < 26; ++i)
    additions += llvm::formatv("add.s32 %r{0}, %r{0}, 1;\n", i).str();
  for (int i = 1; i <= 13; i += 4)
    products +=
        llvm::formatv("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                      "{{%f{0}, %f{1}, %f{2}, %f{3}}, "
                      "{{%r4, %r4, %r4, %r4}, {{%r4, %r4}, "
                      "{{%f{0}, %f{1}, %f{2}, %f{3}};\n",
                      i, i + 1, i + 2, i + 3)
            .str();
  double alone = getCyclesOf("", products + "bar.sync 0;\n"),
         together = getCyclesOf("", additions + products + "bar.sync 0;\n");
  EXPECT_GE(alone, 32);
  EXPECT_NEAR(together, alone, 8);
}

TEST_F(TraceTime, BlocksComeNoFasterThanTheChipStartsThem) {
  double sooner = run("", {100, 1, 1}, {32, 1, 1}, 8).cycles;
  EXPECT_LT(sooner, 100 * 100);
  machine.cyclesPerStart = 300;
  EXPECT_NEAR(run("", {100, 1, 1}, {32, 1, 1}, 8).cycles, 99 * 300, 300);
  machine.cyclesPerStart = 1;
  EXPECT_NEAR(run("", {100, 1, 1}, {32, 1, 1}, 8).cycles, sooner, 200);
}

// Lanes 4, 8 and 128 bytes apart: 1, 2 and 32 wavefronts.
TEST_F(TraceTime, BankConflictsReturnWavefronts) {
  for (auto [bytes, wavefronts] : {std::pair(4, 1), {8, 2}, {128, 32}}) {
    std::string begin = llvm::formatv("and.b32 %r1, %r1, 31;\n"
                                      "mad.lo.u32 %r3, %r1, {0}, %r2;\n",
                                      bytes);
    EXPECT_NEAR(
        getCyclesOf(begin, "ld.volatile.shared.u32 %r5, [%r3];\n", {256, 1, 1}),
        8 * wavefronts, 0.5)
        << bytes;
  }
}

// 128 bytes a warp, each once.
TEST_F(TraceTime, StreamReturnsTheRateOfMemory) {
  std::string begin = "mad.wide.u32 %rd1, %r1, 4, %rd1;\n";
  std::string step = "ld.global.cg.u32 %r5, [%rd1];\n"
                     "add.u64 %rd1, %rd1, 1024;\n";
  EXPECT_NEAR(getCyclesOf(begin, step, {256, 1, 1}), 1024 / 16.0, 1);
  // Where memory is faster, L2 decides.
  machine.dramBytesPerSecond = 1e12;
  EXPECT_NEAR(getCyclesOf(begin, step, {256, 1, 1}), 1024 / 64.0, 1);
}

// Each lane reads a sector of a line of its own: L2 takes as long as for two.
TEST_F(TraceTime, PartsOfLinesTakeAsLongAsTwoSectors) {
  machine.dramBytesPerSecond = 1e12;
  std::string begin = "mad.wide.u32 %rd1, %r1, 128, %rd1;\n";
  std::string step = "ld.global.cg.u32 %r5, [%rd1];\n"
                     "add.u64 %rd1, %rd1, 4096;\n";
  EXPECT_NEAR(getCyclesOf(begin, step), 32 * 64 / 64.0, 1);
  machine.l2LeastSectors = 1;
  machine.l2BytesPerSecond = 16e9; // not limited by its tags
  EXPECT_NEAR(getCyclesOf(begin, step), 32 * 32 / 16.0, 1);
}

// Of constants one address a cycle, or as a chain.
TEST_F(TraceTime, ConstantsReturnAddressesAndLatency) {
  std::string begin = "mov.u64 %rd3, constants;\n";
  EXPECT_NEAR(getCyclesOf(begin, "ld.const.u32 %r4, [%rd3];\n"
                                 "mad.wide.u32 %rd3, %r4, 4, %rd3;\n"),
              machine.latencies.constant + 5, 0.5);
  for (unsigned words : {2, 32}) {
    std::string apart = llvm::formatv("rem.u32 %r1, %r1, {0};\n"
                                      "mad.wide.u32 %rd3, %r1, 4, %rd3;\n",
                                      words);
    EXPECT_NEAR(
        getCyclesOf(begin + apart, "ld.const.u32 %r5, [%rd3];\n", {256, 1, 1}),
        8 * words, 0.5);
  }
}

// A load into a register waits until it has been read, which for f64 takes as
// long as the result where its pipe is narrow.
TEST_F(TraceTime, LoadsWaitForReadersOfTheirRegister) {
  std::string loop = R"(
  .pragma "nounroll";
again:
  fma.rn.f64 %d2, %d1, %d1, %d3;
  ld.shared.f64 %d1, [%r2];
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 100;
  .pragma "nounroll";
  @%p bra again;
)";
  double guarded = run(loop).cycles;
  machine.f64FmaPerCycle = 64;
  EXPECT_NEAR(guarded - run(loop).cycles, 100 * (machine.latencies.f64 - 1),
              100);
}

// A wait for all copies takes the latency of memory each time; a wait for all
// but the last group overlaps two of them.
TEST_F(TraceTime, CopiesAheadOverlap) {
  std::string copy = "cp.async.cg.shared.global [%r2], [%rd1], 16;\n"
                     "cp.async.commit_group;\n"
                     "add.u64 %rd1, %rd1, 128;\n";
  double alone = getCyclesOf("", copy + "cp.async.wait_group 0;\n");
  EXPECT_NEAR(alone, 403, 12);
  double ahead = getCyclesOf("", copy + "cp.async.wait_group 1;\n");
  EXPECT_NEAR(ahead, alone / 2, 12);
}

/// A prologue with two mbarriers, at %r6 and 8 bytes on, each of which waits
/// for `arrivals`.
std::string makeMbarriers(unsigned arrivals) {
  return llvm::formatv(".shared .align 16 .b64 bar[2];\n"
                       ".reg .b64 %state;\n"
                       "mov.u32 %r6, bar; mov.u32 %r7, 0;\n"
                       "setp.eq.u32 %p, %r1, 0;\n"
                       "@%p mbarrier.init.shared.b64 [%r6], {0};\n"
                       "@%p mbarrier.init.shared.b64 [%r6+8], {0};\n"
                       "bar.sync 0;\n",
                       arrivals);
}

/// Waits for the phase of parity %r7.
constexpr llvm::StringLiteral waitForPhase = R"(
wait:
  mbarrier.test_wait.parity.shared.b64 %p, [%r6], %r7;
  @%p bra over;
  bra.uni wait;
over:
)";

// The second warp waits for a chain of the first one, however often it asks.
TEST_F(TraceTime, WaitsForPhasesEndWithTheLastArrival) {
  auto getCycles = [&](unsigned links) {
    std::string chain = repeat("fma.rn.f32 %f1, %f1, %f2, %f1;\n", links);
    std::string body = makeMbarriers(32) +
                       "setp.ge.u32 %p, %r1, 32;\n@%p bra wait;\n" + chain +
                       "st.shared.f32 [%r2], %f1;\n"
                       "mbarrier.arrive.shared.b64 %state, [%r6];\n"
                       "bra.uni done;\n" +
                       waitForPhase.str() +
                       repeat("fma.rn.f32 %f1, %f1, %f2, %f1;\n", 500) +
                       "done:\n";
    TracedTime time = run(body, {1, 1, 1}, {64, 1, 1});
    EXPECT_EQ(time.outside, "");
    return time.cycles;
  };
  EXPECT_NEAR(getCycles(1000), (1000 + 500) * 5 + 23 + 30, 30);
  EXPECT_NEAR(getCycles(2000) - getCycles(1000), 1000 * 5, 0.5);
}

// Copies to one buffer each phase take the latency of memory each time; with
// two buffers, and an mbarrier for each, two of them overlap.
TEST_F(TraceTime, PhasesEndWhenCopiesHaveLanded) {
  // Of buffer %r8; the one that is waited for is at %r6.
  constexpr llvm::StringLiteral copy = R"(
  cp.async.cg.shared.global [%r2], [%rd1], 16;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];
  add.u64 %rd1, %rd1, 128;
)";
  auto getCycles = [&](unsigned buffers, unsigned times) {
    std::string ahead, next;
    if (buffers == 2) {
      ahead = copy;
      next = "xor.b32 %r8, %r8, 8;\n";
    }
    std::string loop =
        "again:\n" + next + copy.str() + waitForPhase.str() +
        llvm::formatv("add.u32 %r4, %r4, 1;\n"
                      "shr.u32 %r7, %r4, {0}; and.b32 %r7, %r7, 1;\n"
                      "xor.b32 %r6, %r6, {1};\n"
                      "setp.lt.u32 %p, %r4, {2};\n"
                      "@%p bra again;\n",
                      buffers - 1, buffers == 2 ? 8 : 0, times)
            .str();
    TracedTime time = run(makeMbarriers(32) + "mov.u32 %r8, %r6;\n" + ahead +
                          loop + (buffers == 2 ? "cp.async.wait_all;\n" : ""));
    EXPECT_EQ(time.outside, "");
    return time.cycles;
  };
  auto getCyclesOfCopy = [&](unsigned buffers) {
    return (getCycles(buffers, 120) - getCycles(buffers, 20)) / 100;
  };
  double alone = getCyclesOfCopy(1);
  EXPECT_GE(alone, 403);
  EXPECT_LE(alone, 403 + 3 * 23);
  EXPECT_NEAR(getCyclesOfCopy(2), alone / 2, 20);
}

// Blocks that are resident together hide each other's latencies; those behind
// them take their places one by one.
TEST_F(TraceTime, ResidentBlocksOverlap) {
  std::string chain = repeat("fma.rn.f32 %f1, %f1, %f2, %f1;\n", 2000);
  double one = run(chain, {8, 1, 1}, {32, 1, 1}, 1).cycles;
  double four = run(chain, {8, 1, 1}, {32, 1, 1}, 4).cycles;
  EXPECT_NEAR(one, 8 * 2000 * 5 + 7 * 200, 100);
  EXPECT_NEAR(four, 2 * 2000 * 5 + 200, 200);
}

// A loop is written out whole, and its loads come early, if no other stands
// beside it.
TEST_F(TraceTime, ALoopAloneIsWrittenOut) {
  auto makeLoop = [](const std::string &name) {
    return "mov.u32 %r5, 0;\n" + name + ":\nld.shared.f32 %f1, [%r2];\n" +
           repeat("fma.rn.f32 %f2, %f1, %f1, %f2;\n", 80) +
           "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, 8;\n@%p bra " + name +
           ";\n";
  };
  double alone = run(makeLoop("first")).cycles;
  double both = run(makeLoop("first") + makeLoop("second")).cycles;
  // Seven loads of each of two loops are waited for, from the last multiply-add
  // of the step before on, and from behind a jump of five cycles at most.
  double waits =
      2 * 7 * (machine.latencies.shared - machine.latencies.arithmetic);
  EXPECT_GE(both - 2 * alone, waits - 2 * 7);
  EXPECT_LE(both - 2 * alone, waits + 2 * 7 * 5);
}

// Loads that short jumps lead around are conditional: they are asked for
// together, as if no jump were there.
TEST_F(TraceTime, ShortJumpsAreConditions) {
  auto makeLoads = [](const std::string &work) {
    std::string text = "setp.lt.u32 %p, %r1, 32;\n";
    for (int i = 0; i < 8; ++i)
      text += llvm::formatv("@!%p bra over{0};\n"
                            "ld.global.cg.f32 %f{1}, [%rd1+{2}];\n{3}"
                            "over{0}:\n",
                            i, i + 1, 128 * i, work)
                  .str();
    for (int i = 0; i < 8; ++i)
      text += llvm::formatv("add.f32 %f20, %f20, %f{0};\n", i + 1).str();
    return text;
  };
  EXPECT_LT(run(makeLoads("")).cycles, 403 + 8 * 20);
  // What is too long is jumped over, and then the first load is waited for.
  std::string work =
      "add.f32 %f20, %f20, %f1;\n" + repeat("add.f32 %f21, %f21, %f22;\n", 20);
  EXPECT_GT(run(makeLoads(work)).cycles, 403 + 8 * 20 * 5);
}

// Of a launch that is too long, the blocks that ran stand for the others.
TEST_F(TraceTime, LongLaunchesAreExtrapolated) {
  std::string loop = R"(
again:
  fma.rn.f32 %f1, %f1, %f2, %f1;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 1000;
  .pragma "nounroll";
  @%p bra again;
)";
  double few = run(loop, {100, 1, 1}).cycles;
  TracedTime many = run(loop, {10000, 1, 1});
  EXPECT_LT(many.simulatedBlocks, 10000);
  EXPECT_NEAR(many.cycles / few, 100, 1);
}

// Lanes that go different ways take turns: both ways add up.
TEST_F(TraceTime, DivergedLanesTakeTurns) {
  std::string chain = repeat("fma.rn.f32 %f1, %f1, %f2, %f1;\n", 400);
  std::string ways = "@%p bra other;\n" + chain + "bra.uni done;\nother:\n" +
                     chain + "done:\n";
  double same = run("setp.lt.u32 %p, %r1, 32;\n" + ways).cycles;
  double apart = run("setp.lt.u32 %p, %r1, 16;\n" + ways).cycles;
  EXPECT_NEAR(same, 400 * 5, 60);
  EXPECT_NEAR(apart, 2 * 400 * 5, 60);
}

// How many threads meet comes from a register, which a trace does not know: all
// of the block, it takes, and each warp waits for the other.
TEST_F(TraceTime, WarpsThatWaitForEverAreSaid) {
  TracedTime time = run("mov.u32 %r6, 32;\n"
                        "setp.ge.u32 %p, %r1, 32;\n"
                        "@%p bra second;\n"
                        "bar.sync 1, %r6;\n"
                        "bra.uni done;\n"
                        "second:\n"
                        "bar.sync 2, %r6;\n"
                        "done:\n",
                        {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(time.outside, "warps wait for each other for ever");
  EXPECT_GT(time.seconds, 0);
}

TEST_F(TraceTime, LossesAreShares) {
  TracedTime time = run(repeat("fma.rn.f32 %f1, %f1, %f2, %f1;\n", 500));
  double sum = 0;
  for (double loss : time.losses)
    sum += loss;
  EXPECT_NEAR(sum, 1, 1e-9);
  // Of five cycles of the chain one issues.
  EXPECT_NEAR(time.losses[unsigned(Loss::Result)], 0.8, 0.05);
  EXPECT_EQ(time.outside, "");
}

} // namespace
