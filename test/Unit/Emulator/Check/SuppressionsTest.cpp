//===- SuppressionsTest.cpp - Findings not to be told of ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of suppressions, and the choice of launches.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

Finding makeFinding(FindingClass what, const char *kernel, uint32_t line,
                    const char *source = "", const char *instruction = "") {
  Finding finding;
  finding.what = what;
  finding.kernel = kernel;
  finding.at.line = line;
  finding.at.source = source;
  finding.at.instruction = instruction;
  return finding;
}

bool suppresses(const char *text, const Finding &finding) {
  auto parsed = Suppressions::parse(text, "file");
  EXPECT_EQ(messageOf(parsed.takeError()), "");
  return (*parsed)->suppress(finding);
}

TEST(Suppressions, Match) {
  Finding race = makeFinding(FindingClass::Race, "rowsum", 57,
                             "/a/rowsum.cu:7:3", "st.shared.f32 [%r6], %f1");
  for (const char *text :
       {"race *", "* rowsum", "race row* 57", "race rowsum *rowsum.cu:7:*",
        "race rowsum st.shared.f32*", "\n# all\n  race   rowsum  # some\n"})
    EXPECT_TRUE(suppresses(text, race)) << text;
  for (const char *text : {"", "# race *", "async *", "race row", "race * 58",
                           "race * *rowsum.cu:8:*", "race * ld.shared*"})
    EXPECT_FALSE(suppresses(text, race)) << text;
  Finding other = makeFinding(FindingClass::Race, "k", 3);
  other.other = race.at;
  EXPECT_TRUE(suppresses("race * 57", other));
  EXPECT_TRUE(suppresses("leak *", makeFinding(FindingClass::Leak, "", 0)));
}

TEST(Suppressions, BadLines) {
  auto fails = [](const char *text) {
    auto parsed = Suppressions::parse(text, "file");
    return parsed ? std::string() : llvm::toString(parsed.takeError());
  };
  EXPECT_EQ(fails("race *\n\nrases *"),
            "file:3: expected a class of findings or '*', got 'rases'");
  EXPECT_EQ(fails("race"), "file:1: expected a kernel behind 'race'");
  EXPECT_THAT(fails("race [a"), HasSubstr("file:1: "));
  EXPECT_THAT(fails("race * [a"), HasSubstr("file:1: "));
  Settings settings;
  EXPECT_THAT(messageOf(settings.set("suppressions", "/no/such/file")),
              HasSubstr("expected a file of suppressions: /no/such/file: "));
}

TEST(Suppressions, WrittenOnesMatch) {
  for (const Finding &finding :
       {makeFinding(FindingClass::Race, "_Z1kIfLi3EEvPT_", 57),
        makeFinding(FindingClass::Async, "k*", 1, "a b/[x].cu:7:3"),
        makeFinding(FindingClass::Leak, "", 0)})
    EXPECT_TRUE(suppresses(makeSuppression(finding).c_str(), finding));
  EXPECT_EQ(makeSuppression(makeFinding(FindingClass::Race, "k", 57)),
            "race k 57");
}

/// A launch with two wrong loads, on lines 5 and 6.
std::string run(Device &device, const char *suppressions,
                LaunchOptions::Stop stop = LaunchOptions::Stop::Never) {
  LaunchOptions options;
  options.stop = stop;
  options.suppressions =
      llvm::cantFail(Suppressions::parse(suppressions, "file"));
  device.module->setOptions(options);
  std::string message = device.run("k", {}, {32}, 0, uint64_t(0));
  return message + options.suppressions->summarize(/*withUnused=*/true);
}

TEST(Suppressions, OfALaunch) {
  Device device(header + ".visible .entry k(.param .u64 p) { .reg .b64 %q1; "
                         ".reg .b32 %i1; ld.param.u64 %q1, [p];\n"
                         "ld.global.u32 %i1, [%q1];\n"
                         "ld.global.u32 %i1, [%q1 + 4];\nret; }");
  EXPECT_THAT(run(device, ""), HasSubstr("PTX line 6"));
  EXPECT_THAT(run(device, "out-of-bounds k 6\nrace *"), HasSubstr("line 7"));
  EXPECT_EQ(run(device, "out-of-bounds k\nrace *"),
            "suppressed 2 findings by file:1 (`out-of-bounds k`)\n"
            "suppressed nothing: file:2 (`race *`)\n");
  EXPECT_EQ(device.module->getReport().suppressed, 2u);
  EXPECT_TRUE(device.module->getReport().findings.empty());
  // What is known does not stop a launch either.
  EXPECT_THAT(run(device, "* * 6", LaunchOptions::Stop::First),
              HasSubstr("PTX line 7"));
}

/// A trap leaves nothing to go on with.
TEST(Suppressions, NotOfATrap) {
  Device device(header + ".visible .entry k(.param .u64 p) {\ntrap; ret; }");
  EXPECT_THAT(run(device, "trap *"), HasSubstr("trap"));
}

TEST(Settings, ChooseLaunches) {
  Settings settings;
  auto set = [&](const char *name, const char *value) {
    EXPECT_EQ(messageOf(settings.set(name, value)), "");
  };
  set("checks", "all");
  set("count", "1");
  set("kernels", "mat*");
  set("launch-skip", "1");
  set("launch-count", "2");
  auto isChosen = [&](const char *kernel) {
    LaunchOptions options = settings.chooseOptions(kernel);
    EXPECT_EQ(options.count, options.checks == Checks::All);
    EXPECT_TRUE(options.count || options.checks == Checks::Bounds);
    return options.count;
  };
  EXPECT_FALSE(isChosen("matmul"));
  EXPECT_FALSE(isChosen("sum"));
  EXPECT_TRUE(isChosen("matmul"));
  EXPECT_FALSE(isChosen("sum"));
  EXPECT_TRUE(isChosen("matvec"));
  EXPECT_FALSE(isChosen("matmul"));
  EXPECT_THAT(messageOf(settings.set("kernels", "[a")),
              HasSubstr("expected a glob of kernel names, got '[a'"));
}

} // namespace
