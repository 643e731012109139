//===- CpuLevelTest.cpp - Tests of levels of CPUs -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/CpuLevel.h"
#include "tc-runtime/tc_package.h"

#include "gtest/gtest.h"

using namespace tc::runtime;

TEST(CpuLevelTest, HighestIsChosenWhereNoneIsAskedFor) {
  for (unsigned highest : {0u, 1u, 3u}) {
    EXPECT_EQ(chooseLevel(nullptr, highest).number, highest);
    EXPECT_EQ(chooseLevel("", highest).number, highest);
  }
}

TEST(CpuLevelTest, LowerOnesMayBeAskedFor) {
  for (unsigned level : {1u, 2u, 3u, 4u}) {
    CpuLevel chosen = chooseLevel(nameOfLevel(level).c_str(), 4);
    EXPECT_EQ(chosen.number, level);
    EXPECT_EQ(chosen.error, "");
  }
}

TEST(CpuLevelTest, UnknownOneIsRefusedWithTheKnownOnes) {
  for (const char *name : {"avx2", "x86-64-v5", "x86-64-v"})
    EXPECT_EQ(
        chooseLevel(name, 4).error,
        "expected TC_CPU to be x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, "
        "got '" +
            std::string(name) + "'");
}

TEST(CpuLevelTest, MissingOneIsRefusedWithThoseThatAreThere) {
  EXPECT_EQ(chooseLevel("x86-64-v4", 3).error,
            "expected TC_CPU to be a level of this CPU (x86-64, x86-64-v2 or "
            "x86-64-v3), got 'x86-64-v4'");
  EXPECT_EQ(chooseLevel("x86-64-v2", 1).error,
            "expected TC_CPU to be a level of this CPU (x86-64), got "
            "'x86-64-v2'");
}

TEST(CpuLevelTest, CpuWithoutLevelsIgnoresTheVariable) {
  EXPECT_EQ(chooseLevel("x86-64-v3", 0).error, "");
}

/// What a package whose lowest version is for `level` answers in this process,
/// and which version it measured.
static int measure(uint64_t level, size_t &bytes) {
  tcPackagedCpu cpus[2] = {};
  cpus[0].level = level;
  cpus[0].workspace = [](const int64_t *) -> int64_t { return 1; };
  cpus[1].level = level + 1;
  cpus[1].workspace = [](const int64_t *) -> int64_t { return 2; };
  tcPackagedEntry entry = {};
  entry.abi = TC_PACKAGE_ABI;
  entry.name = "tc_levels";
  entry.numCpus = 2;
  entry.cpus = cpus;
  int64_t parameters[1] = {};
  return tcPackageWorkspaceCpu(&entry, parameters, &bytes);
}

TEST(CpuLevelTest, PackageTakesTheHighestVersionThatTheCpuHas) {
  unsigned level = cpuLevel().number;
  if (level < 2)
    GTEST_SKIP() << "a CPU without levels, or of the first";
  size_t bytes = 0;
  ASSERT_EQ(measure(level, bytes), TC_OK);
  EXPECT_EQ(bytes, 1u);
  ASSERT_EQ(measure(level - 1, bytes), TC_OK);
  EXPECT_EQ(bytes, 2u);
}

TEST(CpuLevelTest, PackageForHigherLevelsIsRefused) {
  unsigned level = cpuLevel().number;
  if (level == 0 || level == 4)
    GTEST_SKIP() << "there is no higher level";
  size_t bytes = 0;
  EXPECT_EQ(measure(level + 1, bytes), TC_NO_CPU_VERSION);
}
