//===- WarpTest.cpp - Tests of warp collectives ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, matches and reductions against models written lane by lane,
// for all modes and for many masks, widths and values.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

std::mt19937_64 randomFor(uint64_t seed) { return std::mt19937_64(seed); }

Lanes randomLanes(std::mt19937_64 &random, uint64_t modulus = 1ull << 32) {
  Lanes lanes;
  for (uint64_t &value : lanes)
    value = random() % modulus;
  return lanes;
}

bool has(uint32_t mask, unsigned lane) { return mask >> lane & 1; }

/// Masks worth a try: all, one lane, halves, and any.
std::vector<uint32_t> masks(std::mt19937_64 &random) {
  std::vector<uint32_t> list = {~0u,    1u,         1u << 31,
                                0xffff, 0xffff0000, 0x55555555};
  for (unsigned i = 0; i < 20; ++i)
    list.push_back(uint32_t(random()) | 1u << random() % 32);
  return list;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// What CUDA documents of __shfl_*_sync with a width: lanes are split into
/// segments of `width`, and a source outside the own one gives the own value.
unsigned cudaSource(const std::string &mode, unsigned lane, unsigned b,
                    unsigned width) {
  unsigned start = lane / width * width, end = start + width;
  if (mode == "idx")
    return start + b % width;
  if (mode == "up")
    return lane >= start + b ? lane - b : lane;
  if (mode == "down")
    return lane + b < end ? lane + b : lane;
  return (lane ^ b) < end ? lane ^ b : lane;
}

TEST(Shuffle, AllModesAndWidths) {
  auto random = randomFor(1);
  for (std::string mode : {"up", "down", "bfly", "idx"}) {
    OneStep step("shfl.sync." + mode + ".b32 %r1, %r2, %r3, %r4, %r5;");
    for (unsigned width : {1u, 2u, 4u, 8u, 16u, 32u})
      for (unsigned b = 0; b < 32; ++b) {
        Lanes values = randomLanes(random);
        unsigned c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        step.sources = {values, uniform(b), uniform(c), uniform(~0u)};
        ASSERT_TRUE(step.run());
        for (unsigned lane = 0; lane < warpSize; ++lane)
          EXPECT_EQ(step.results[0][lane],
                    values[cudaSource(mode, lane, b, width)])
              << mode << " width " << width << " b " << b << " lane " << lane;
      }
  }
}

/// The pseudo-code of the PTX ISA, section 9.7.9.6, for any b and c, also ones
/// that differ by lane and have bits set that do not count.
TEST(Shuffle, AnyOperands) {
  auto random = randomFor(2);
  for (std::string mode : {"up", "down", "bfly", "idx"}) {
    OneStep step("shfl.sync." + mode + ".b32 %r1|%p1, %r2, %r3, %r4, %r5;");
    for (unsigned trial = 0; trial < 500; ++trial) {
      step.sources = {randomLanes(random), randomLanes(random),
                      randomLanes(random), uniform(~0u)};
      // A source beyond the warp cannot pass the test against maxLane.
      ASSERT_TRUE(step.run());
      for (int lane = 0; lane < int(warpSize); ++lane) {
        int bval = step.sources[1][lane] & 31;
        int cval = step.sources[2][lane] & 31;
        int segmask = step.sources[2][lane] >> 8 & 31;
        int maxLane = (lane & segmask) | (cval & ~segmask);
        int minLane = lane & segmask;
        int j = 0;
        bool pval = false;
        if (mode == "up") {
          j = lane - bval;
          pval = j >= maxLane;
        } else if (mode == "down") {
          j = lane + bval;
          pval = j <= maxLane;
        } else if (mode == "bfly") {
          j = lane ^ bval;
          pval = j <= maxLane;
        } else {
          j = minLane | (bval & ~segmask);
          pval = j <= maxLane;
        }
        if (!pval)
          j = lane;
        ASSERT_EQ(step.results[0][lane], step.sources[0][j]);
        ASSERT_EQ(step.results[1][lane], pval);
      }
    }
  }
}

TEST(Shuffle, TilesOfAWarpAreGroupsOfTheirOwn) {
  OneStep step("shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r5;");
  Lanes masks, values;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    masks[lane] = 0xfu << lane / 4 * 4;
    values[lane] = 100 + lane;
  }
  step.sources = {values, uniform(1), uniform(31), masks};
  ASSERT_TRUE(step.run(0xfffffff0));
  for (unsigned lane = 4; lane < warpSize; ++lane)
    EXPECT_EQ(step.results[0][lane], 100 + (lane ^ 1));
}

TEST(Shuffle, LegacyFormReadsActiveLanes) {
  OneStep step("shfl.down.b32 %r1|%p1, %r2, 4, 31;");
  auto random = randomFor(3);
  step.sources = {randomLanes(random), uniform(4), uniform(31)};
  ASSERT_TRUE(step.run());
  for (unsigned lane = 0; lane < warpSize; ++lane)
    EXPECT_EQ(step.results[0][lane],
              step.sources[0][lane < 28 ? lane + 4 : lane]);
}

//===----------------------------------------------------------------------===//
// Votes, matches, reductions
//===----------------------------------------------------------------------===//

TEST(Vote, AllModesAndMasks) {
  auto random = randomFor(4);
  for (std::string mode : {"all", "any", "uni", "ballot"}) {
    bool isBallot = mode == "ballot";
    std::string target = isBallot ? ".b32 %r1" : ".pred %p1";
    OneStep step("vote.sync." + mode + target + ", %p2, %r2;");
    OneStep legacy("vote." + mode + target + ", %p2;");
    for (uint32_t mask : masks(random))
      for (unsigned kind = 0; kind < 4; ++kind) {
        Lanes votes = randomLanes(random, 2);
        if (kind < 2)
          votes = uniform(kind);
        uint32_t ballot = 0;
        for (unsigned lane = 0; lane < warpSize; ++lane)
          ballot |= uint32_t(votes[lane]) << lane;
        ballot &= mask;
        uint32_t expected = mode == "all"   ? ballot == mask
                            : mode == "any" ? ballot != 0
                            : mode == "uni" ? ballot == mask || ballot == 0
                                            : ballot;
        step.sources = {votes, uniform(mask)};
        legacy.sources = {votes};
        ASSERT_TRUE(step.run(mask));
        ASSERT_TRUE(legacy.run(mask));
        for (unsigned lane = 0; lane < warpSize; ++lane)
          if (has(mask, lane)) {
            ASSERT_EQ(step.results[0][lane], expected) << mode;
            ASSERT_EQ(legacy.results[0][lane], expected) << mode;
          }
      }
  }
}

TEST(Match, AnyAndAll) {
  auto random = randomFor(5);
  for (unsigned bits : {32u, 64u}) {
    std::string width = ".b" + std::to_string(bits);
    std::string value = bits == 64 ? "%q1" : "%r2";
    OneStep any("match.any.sync" + width + " %r1, " + value + ", %r3;");
    OneStep all("match.all.sync" + width + " %r1|%p1, " + value + ", %r3;");
    for (uint32_t mask : masks(random))
      for (unsigned kinds : {1u, 2u, 5u}) {
        Lanes values = randomLanes(random, kinds);
        // Differences in the upper half count for .b64 alone.
        for (uint64_t &each : values)
          each = bits == 64 ? each << 40 : each;
        any.sources = all.sources = {values, uniform(mask)};
        ASSERT_TRUE(any.run(mask));
        ASSERT_TRUE(all.run(mask));
        for (unsigned lane = 0; lane < warpSize; ++lane) {
          if (!has(mask, lane))
            continue;
          uint32_t same = 0;
          for (unsigned other = 0; other < warpSize; ++other)
            if (has(mask, other) && values[other] == values[lane])
              same |= 1u << other;
          ASSERT_EQ(any.results[0][lane], same);
          ASSERT_EQ(all.results[0][lane], same == mask ? mask : 0);
          ASSERT_EQ(all.results[1][lane], same == mask);
        }
      }
  }
}

TEST(Redux, AllOperations) {
  auto random = randomFor(6);
  using Model = uint32_t (*)(uint32_t, uint32_t);
  const std::pair<std::string, Model> operations[] = {
      {"add.u32", [](uint32_t x, uint32_t y) { return x + y; }},
      {"add.s32", [](uint32_t x, uint32_t y) { return x + y; }},
      {"min.u32", [](uint32_t x, uint32_t y) { return std::min(x, y); }},
      {"max.u32", [](uint32_t x, uint32_t y) { return std::max(x, y); }},
      {"min.s32",
       [](uint32_t x, uint32_t y) {
         return uint32_t(std::min(int32_t(x), int32_t(y)));
       }},
      {"max.s32",
       [](uint32_t x, uint32_t y) {
         return uint32_t(std::max(int32_t(x), int32_t(y)));
       }},
      {"and.b32", [](uint32_t x, uint32_t y) { return x & y; }},
      {"or.b32", [](uint32_t x, uint32_t y) { return x | y; }},
      {"xor.b32", [](uint32_t x, uint32_t y) { return x ^ y; }}};
  for (auto &[name, model] : operations) {
    OneStep step("redux.sync." + name + " %r1, %r2, %r3;");
    for (uint32_t mask : masks(random)) {
      step.sources = {randomLanes(random), uniform(mask)};
      ASSERT_TRUE(step.run(mask));
      std::optional<uint32_t> expected;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (has(mask, lane)) {
          uint32_t value = step.sources[0][lane];
          expected = expected ? model(*expected, value) : value;
        }
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (has(mask, lane))
          ASSERT_EQ(step.results[0][lane], *expected) << name;
    }
  }
}

TEST(Collectives, ActiveMaskAndElection) {
  auto random = randomFor(7);
  OneStep active("activemask.b32 %r1;"), elect("elect.sync %r1|%p1, %r2;"),
      dropped("elect.sync _|%p1, %r2;");
  for (uint32_t mask : masks(random)) {
    elect.sources = dropped.sources = {uniform(mask)};
    ASSERT_TRUE(active.run(mask));
    ASSERT_TRUE(elect.run(mask));
    ASSERT_TRUE(dropped.run(mask));
    unsigned leaders = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (!has(mask, lane))
        continue;
      EXPECT_EQ(active.results[0][lane], mask);
      EXPECT_TRUE(has(mask, elect.results[0][lane]));
      EXPECT_EQ(elect.results[1][lane], elect.results[0][lane] == lane);
      EXPECT_EQ(dropped.results[1][lane], elect.results[1][lane]);
      leaders += elect.results[1][lane];
    }
    EXPECT_EQ(leaders, 1u);
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A kernel of one pointer to 32-bit words; %r1 is the thread's index, %q1 the
/// address of its word. The body starts on line 8.
std::string kernel(llvm::StringRef body) {
  return header +
         (".visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; .reg .b32 "
          "%r<20>; .reg .b64 %q<9>;\nld.param.u64 %q1, [p]; mov.u32 %r1, "
          "%tid.x; mad.wide.u32 %q1, %r1, 4, %q1;\n" +
          body + "\nret;\n}\n")
             .str();
}

struct Outcome {
  std::string error;
  std::vector<uint32_t> values;
};

class WarpKernel : public KernelTest {
protected:
  static Outcome runKernel(llvm::StringRef body, unsigned threads = 32,
                           Checks checks = Checks::All);
};

INSTANTIATE_TEST_SUITE_P(Executions, WarpKernel, allExecutions());

Outcome WarpKernel::runKernel(llvm::StringRef body, unsigned threads,
                              Checks checks) {
  Device device(kernel(body));
  prepare(device, checks);
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(threads));
  std::string error = device.run("k", {}, {threads, 1, 1}, 0, data.get());
  return {error, data.values()};
}

TEST_P(WarpKernel, ButterflySum) {
  std::string body = "mov.u32 %r2, %r1;\n";
  for (unsigned offset : {16, 8, 4, 2, 1})
    body += "shfl.sync.bfly.b32 %r3, %r2, " + std::to_string(offset) +
            ", 31, -1; add.u32 %r2, %r2, %r3;\n";
  Outcome outcome = runKernel(body + "st.global.u32 [%q1], %r2;", 64);
  EXPECT_EQ(outcome.error, "");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(outcome.values[i], i < 32 ? 496u : 1520u);
}

/// Both sides of a branch come to their own ballot.
TEST_P(WarpKernel, DivergentBallots) {
  Outcome outcome = runKernel(
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r1, 8;\n"
      "@%p1 bra even;\n"
      "vote.sync.ballot.b32 %r3, %p2, 0xaaaaaaaa; bra done;\n"
      "even: vote.sync.ballot.b32 %r3, !%p2, 0x55555555;\n"
      "done: st.global.u32 [%q1], %r3;");
  EXPECT_EQ(outcome.error, "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.values[i], i % 2 ? 0xaau : 0x55555500u);
}

TEST_P(WarpKernel, ReductionInABranchOfSomeLanes) {
  Outcome outcome =
      runKernel("setp.ge.u32 %p1, %r1, 10; mov.u32 %r2, 7; @%p1 bra done;\n"
                "redux.sync.add.u32 %r2, %r1, 0x3ff;\n"
                "done: st.global.u32 [%q1], %r2;");
  EXPECT_EQ(outcome.error, "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.values[i], i < 10 ? 45u : 7u);
}

TEST_P(WarpKernel, LaneOutsideItsOwnMask) {
  Outcome outcome = runKernel("shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x7fffffff;");
  EXPECT_THAT(outcome.error,
              HasSubstr("lane 31 is not in its own member mask 0x7fffffff"));
  EXPECT_THAT(outcome.error, HasSubstr("PTX line 8"));
}

// Without checks, the lanes that are there take part.
TEST_P(WarpKernel, LanesOutsideTheirMaskWithoutChecks) {
  Outcome outcome = runKernel("shfl.sync.idx.b32 %r2, %r1, 3, 31, 0x20;\n"
                              "st.global.u32 [%q1], %r2;",
                              32, Checks::None);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.values, std::vector<uint32_t>(32, 3));
}

TEST_P(WarpKernel, LanesOfOneGroupDisagree) {
  Outcome outcome = runKernel("setp.eq.u32 %p1, %r1, 5;\n"
                              "selp.b32 %r3, 0x3fffffff, -1, %p1;\n"
                              "vote.sync.any.pred %p2, %p1, %r3;");
  EXPECT_THAT(outcome.error, HasSubstr("PTX line 10 (`vote.sync.any.pred"));
  if (GetParam() == LaunchOptions::Execution::Warps)
    EXPECT_THAT(outcome.error, HasSubstr("lanes 0x20 have to take part"));
}

TEST_P(WarpKernel, ReadFromALaneThatDoesNotTakePart) {
  Outcome outcome = runKernel("setp.ge.u32 %p1, %r1, 16; @%p1 bra done;\n"
                              "shfl.sync.down.b32 %r2, %r1, 1, 31, 0xffff;\n"
                              "done: ret;");
  EXPECT_THAT(
      outcome.error,
      HasSubstr("lane 15 reads from lane 16, which does not take part"));
}

TEST_P(WarpKernel, AlignedInstructionWantsAllLanes) {
  Outcome outcome =
      runKernel("movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;", 48);
  EXPECT_THAT(outcome.error, HasSubstr("lane 16 does not take part"));
}

TEST(WarpRefusal, Forms) {
  for (auto &[text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"shfl.sync.around.b32 %r1, %r2, 1, 31, -1;", "'.around'"},
           {"shfl.sync.up.b64 %q1, %q2, 1, 31, -1;", "'.b64'"},
           {"redux.sync.add.f32 %r1, %r2, -1;", "'.f32'"},
           {"shfl.sync.up.b32 %q1, %r2, 1, 31, -1;", "%q1"},
           {"vote.sync.all.pred %p1, %p2;", "operands"},
           {"wgmma.fence.sync.aligned;", "wgmma"}})
    EXPECT_THAT(loadError(kernel(text)), HasSubstr(reason)) << text;
}

} // namespace
