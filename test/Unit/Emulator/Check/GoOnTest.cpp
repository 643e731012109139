//===- GoOnTest.cpp - Launches that go on after findings ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with several faults: each site is told of once, and what the other
// lanes do is done.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "tc/Schema/Document.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Execution = LaunchOptions::Execution;

namespace {

std::string kernel(const std::string &body) {
  return makeTileKernel(body, /*tileBytes=*/256);
}

class GoOn : public testing::TestWithParam<Execution> {
protected:
  GoOn() {
    options.checks = Checks::All;
    options.execution = GetParam();
  }
  /// "class:line×count" of each finding of a launch on 64 numbers from 100 on.
  std::vector<std::string> run(const std::string &body, Dim3 block = {64}) {
    Device device(kernel(body));
    device.module->setOptions(options);
    std::vector<uint32_t> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 100);
    DeviceArray<uint32_t> data(device.memory, numbers);
    message = device.run("k", {}, block, 0, data.get());
    values = data.values();
    std::vector<std::string> found;
    for (const Finding &finding : device.module->getReport().findings)
      found.push_back(std::string(getName(finding.what)) + ":" +
                      std::to_string(finding.at.line) + "x" +
                      std::to_string(finding.count));
    leftOut = device.module->getReport().sitesLeftOut;
    return found;
  }

  LaunchOptions options;
  std::string message;
  std::vector<uint32_t> values;
  uint64_t leftOut = 0;
};

TEST_P(GoOn, LoadsOutOfBoundsReadZero) {
  EXPECT_THAT(run("ld.global.u32 %i4, [%q2 + 16];\nbar.sync 0;\n"
                  "st.global.u32 [%q2], %i4;"),
              ElementsAre("out-of-bounds:6x4"));
  EXPECT_THAT(message, HasSubstr("thread (60,0,0), PTX line 6"));
  EXPECT_EQ(values[0], 104u);
  EXPECT_EQ(values[59], 163u);
  EXPECT_EQ(values[60], 0u);
  EXPECT_EQ(values[63], 0u);
}

TEST_P(GoOn, VectorsOutOfBounds) {
  EXPECT_THAT(run("shl.b32 %i4, %i1, 3; cvt.u64.u32 %q3, %i4; add.u64 %q3, "
                  "%q1, %q3;\nld.global.v2.u32 {%i5, %i6}, [%q3];\n"
                  "add.u32 %i5, %i5, %i6; mov.u32 %i6, 1;\n"
                  "st.global.v2.u32 [%q3], {%i5, %i6};"),
              ElementsAre("out-of-bounds:7x32", "out-of-bounds:9x32"));
  EXPECT_EQ(values[0], 201u);
  EXPECT_EQ(values[1], 1u);
  EXPECT_EQ(values[62], 162u + 163u);
}

TEST_P(GoOn, StoresOutOfBoundsAreDropped) {
  EXPECT_THAT(run("st.global.u32 [%q2 - 8], %i1;"),
              ElementsAre("out-of-bounds:6x2"));
  EXPECT_EQ(values[0], 2u);
  EXPECT_EQ(values[61], 63u);
  EXPECT_EQ(values[62], 162u);
}

TEST_P(GoOn, AtomicsOutOfBounds) {
  EXPECT_THAT(run("atom.global.add.u32 %i4, [%q2 + 240], 1;\nbar.sync 0;\n"
                  "setp.ge.u32 %p1, %i1, 4; @%p1 st.global.u32 [%q2], %i4;"),
              ElementsAre("out-of-bounds:6x60"));
  // Lanes 4 to 59 got nothing; 60 to 63 wrote after others had added.
  EXPECT_EQ(values[4], 0u);
  EXPECT_EQ(values[63], 0u);
  EXPECT_EQ(run("atom.global.add.u32 %i4, [%q2 + 4096], 1;").front(),
            "out-of-bounds:6x64");
}

TEST_P(GoOn, SharedMemory) {
  EXPECT_THAT(run("st.shared.u32 [%i3 + 4], %i1;\nbar.sync 0;\n"
                  "ld.shared.u32 %i4, [%i3 + 8];\nst.global.u32 [%q2], %i4;"),
              ElementsAre("out-of-bounds:6x1", "out-of-bounds:8x2"));
  EXPECT_EQ(values[0], 1u);
  EXPECT_EQ(values[61], 62u);
  EXPECT_EQ(values[62], 0u);
}

TEST_P(GoOn, Misaligned) {
  const char *body = "add.u64 %q3, %q2, 2;\nsetp.lt.u32 %p1, %i1, 1;\n"
                     "@%p1 ld.global.u32 %i4, [%q3];\n"
                     "@%p1 st.global.u32 [%q2], %i4;";
  EXPECT_THAT(run(body), ElementsAre("misaligned:8x1"));
  EXPECT_EQ(values[0], 0u);
  options.checks.chosen &= ~Checks::Misaligned;
  EXPECT_THAT(run(body), ElementsAre());
  EXPECT_EQ(values[0], 101u << 16);
}

TEST_P(GoOn, EachSiteOnce) {
  EXPECT_THAT(
      run("mov.u32 %i5, 0;\nL:\nld.global.u32 %i4, [%q2 + 252];\n"
          "ld.global.u32 %i4, [%q2 - 4];\nadd.u32 %i5, %i5, 1;\n"
          "setp.lt.u32 %p1, %i5, 10;\n@%p1 bra L;"),
      UnorderedElementsAre("out-of-bounds:8x630", "out-of-bounds:9x10"));
  options.findingLimit = 1;
  EXPECT_THAT(run("ld.global.u32 %i4, [%q2 - 4];\n"
                  "ld.global.u32 %i4, [%q2 + 252];\n"),
              ElementsAre("out-of-bounds:6x1"));
  EXPECT_EQ(leftOut, 1u);
}

TEST_P(GoOn, StopsAtTheFirst) {
  options.stop = LaunchOptions::Stop::First;
  EXPECT_THAT(run("ld.global.u32 %i4, [%q2 - 4];\n"
                  "ld.global.u32 %i4, [%q2 + 252];\nst.global.u32 [%q1], 1;"),
              ElementsAre("out-of-bounds:6x1"));
  EXPECT_EQ(values[0], 100u);
}

TEST_P(GoOn, TrapsEndTheLaunch) {
  EXPECT_THAT(run("ld.global.u32 %i4, [%q2 + 252];\nbar.sync 0;\ntrap;\n"
                  "st.global.u32 [%q1], 1;"),
              ElementsAre("out-of-bounds:6x63", "trap:8x1"));
  EXPECT_THAT(message, HasSubstr("out of bounds"));
  EXPECT_EQ(values[0], 100u);
}

TEST_P(GoOn, SeveralRaces) {
  // Each warp reads what the other one wrote, in two places.
  const char *body = "st.shared.u32 [%i3], %i1;\nxor.b32 %i4, %i2, 128;\n"
                     "mov.u32 %i5, tile; add.u32 %i5, %i5, %i4;\n"
                     "ld.shared.u32 %i6, [%i5];\nbar.sync 0;\n"
                     "st.shared.u32 [%i5], %i6;\nld.shared.u32 %i7, [%i3];\n";
  std::vector<std::string> found = run(body);
  ASSERT_EQ(found.size(), 4u);
  for (const std::string &one : found)
    EXPECT_THAT(one, HasSubstr("race:"));
  options.checks.chosen &= ~Checks::Races;
  EXPECT_THAT(run(body), testing::Each(HasSubstr("uninitialised")));
}

INSTANTIATE_TEST_SUITE_P(GoOn, GoOn,
                         testing::Values(Execution::Warps, Execution::Masked,
                                         Execution::Threads),
                         [](auto &info) {
                           return std::string(
                               info.param == Execution::Warps    ? "Warps"
                               : info.param == Execution::Masked ? "Masked"
                                                                 : "Threads");
                         });

/// Several host threads find what one does.
TEST(GoOnBlocks, OnSeveralHostThreads) {
  for (unsigned workers : {1, 4}) {
    Device device(
        kernel("mov.u32 %i5, %ctaid.x;\nsetp.lt.u32 %p1, %i5, 9;\n"
               "mul.wide.u32 %q3, %i5, 65536; add.u64 %q2, %q2, %q3;\n"
               "mov.u32 %i6, 0;\nL: add.u32 %i6, %i6, 1;\n"
               "setp.lt.u32 %p2, %i6, 20000;\n@%p2 bra L;\n"
               "@!%p1 ld.global.u32 %i4, [%q2];"));
    LaunchOptions options;
    options.workers = workers;
    options.stop = LaunchOptions::Stop::Never;
    device.module->setOptions(options);
    DeviceArray<uint32_t> data(device.memory, {1});
    EXPECT_THAT(device.run("k", {64}, {64}, 0, data.get()),
                HasSubstr("block (9,0,0)"));
    ASSERT_EQ(device.module->getReport().findings.size(), 1u);
    EXPECT_EQ(device.module->getReport().findings[0].count, 55u * 64);
  }
}

TEST(Settings, BoundsAloneStopAtTheFirstError) {
  Settings settings;
  auto stops = [&](const char *checks, const char *stop) {
    for (auto [name, value] : {std::pair("checks", checks), {"stop", stop}})
      if (value)
        EXPECT_EQ(messageOf(settings.set(name, value)), "");
    return settings.launch.stopsAtFirst();
  };
  EXPECT_TRUE(stops("bounds", nullptr));
  EXPECT_FALSE(stops("bounds,races", nullptr));
  EXPECT_FALSE(stops("bounds", "never"));
  EXPECT_TRUE(stops("all", "first"));
}

TEST(Settings, ChecksAreAList) {
  Settings settings;
  auto read = [&](const char *value) {
    EXPECT_EQ(messageOf(settings.set("checks", value)), "");
    std::string text = mlir::tc::schema::format(settings);
    auto options = llvm::cantFail(llvm::json::parse(text));
    return options.getAsObject()->getString("checks")->str();
  };
  for (const char *same : {"none", "bounds", "all", "bounds,races",
                           "uninitialised,leaks", "misaligned"})
    EXPECT_EQ(read(same), same);
  EXPECT_EQ(read("all,-leaks"), "bounds,uninitialised,races,async,streams");
  EXPECT_EQ(read("-races,-async,-streams,-leaks"), "bounds,uninitialised");
  EXPECT_EQ(read("bounds,uninitialised,races,async,streams,leaks"), "all");
  EXPECT_EQ(read("bounds,-misaligned"), "bounds,-misaligned");
  EXPECT_THAT(messageOf(settings.set("checks", "bounds,rases")),
              HasSubstr("expected a list of none, all, bounds, misaligned, "
                        "uninitialised, races, async, streams and leaks"));
  EXPECT_EQ(settings.launch.checks.chosen, uint32_t(Checks::Addresses));
}

} // namespace
