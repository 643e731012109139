//===- PtxasTest.cpp - Finding, running and reading ptxas -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Ptxas.h"
#include "tc/Package/Toolkit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace llvm;
using namespace mlir::tc;

namespace {

constexpr char kernelText[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f1, [%rd2];
  st.shared.f32 [tile], %f1;
  bar.sync 0;
  ld.shared.f32 %f1, [tile];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
)";

TEST(PtxasReportTest, ReadsEveryKernel) {
  auto kernels = parsePtxasReport(
      R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for helper
    8 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Function properties for a
    24 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 24 bytes cumulative stack size, 8192 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 1.2 ms
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "a");
  EXPECT_EQ(kernels[0].registers, 40);
  EXPECT_EQ(kernels[0].stackBytes, 24);
  EXPECT_EQ(kernels[0].spillBytes, 16);
  EXPECT_EQ(kernels[0].sharedBytes, 8192);
  EXPECT_EQ(kernels[1].kernel, "b");
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_EQ(kernels[1].spillBytes, 0);
  EXPECT_EQ(kernels[1].sharedBytes, 0);
  EXPECT_TRUE(parsePtxasReport("").empty());
}

TEST(PtxasTest, NamesWhereItLooked) {
  ASSERT_EQ(setenv("TC_PTXAS", "/nowhere/ptxas", 1), 0);
  std::string error = toString(findPtxas().takeError());
  unsetenv("TC_PTXAS");
  EXPECT_EQ(error, "expected TC_PTXAS to name the program ptxas, got "
                   "'/nowhere/ptxas'");
}

class PtxasRunTest : public ::testing::Test {
protected:
  void SetUp() override {
    Expected<std::string> found = findPtxas();
    if (!found) {
      consumeError(found.takeError());
      GTEST_SKIP() << "no ptxas here";
    }
    program = *found;
  }
  std::string program;
};

TEST_F(PtxasRunTest, AssemblesAndReports) {
  Expected<Assembly> assembly = assemble(kernelText, "sm_80", program);
  ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
  EXPECT_EQ(assembly->cubin.substr(1, 3), "ELF");
  const KernelResources *kernel = assembly->find("twice");
  ASSERT_NE(kernel, nullptr);
  EXPECT_GT(kernel->registers, 0);
  EXPECT_EQ(kernel->spillBytes, 0);
  EXPECT_EQ(kernel->sharedBytes, 256);
  EXPECT_EQ(assembly->find("thrice"), nullptr);
}

TEST_F(PtxasRunTest, AssemblesTheSameOnce) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("ptxas", folder));
  std::string script = (folder + "/ptxas").str(),
              runs = (folder + "/runs").str();
  std::ofstream(script) << "#!/bin/sh\necho run >> " << runs << "\nexec "
                        << program << " \"$@\"\n";
  sys::fs::setPermissions(script, sys::fs::all_all);
  auto countRuns = [&] {
    std::ifstream file(runs);
    return std::count(std::istreambuf_iterator<char>(file),
                      std::istreambuf_iterator<char>(), '\n');
  };
  for (const char *chip : {"sm_80", "sm_80", "sm_90a"}) {
    Expected<Assembly> assembly = assemble(kernelText, chip, script);
    ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
    EXPECT_NE(assembly->find("twice"), nullptr);
  }
  EXPECT_EQ(countRuns(), 2);
  for (int again = 0; again < 2; ++again)
    consumeError(assemble("nonsense", "sm_80", script).takeError());
  EXPECT_EQ(countRuns(), 4); // errors are not kept
  sys::fs::remove_directories(folder);
}

TEST_F(PtxasRunTest, ReportsWhatPtxasSays) {
  Expected<Assembly> assembly = assemble("nonsense", "sm_80", program);
  ASSERT_FALSE(bool(assembly));
  std::string error = toString(assembly.takeError());
  EXPECT_NE(error.find("did not assemble for sm_80: "), std::string::npos);
  EXPECT_NE(error.find("error"), std::string::npos) << error;
}

TEST_F(PtxasRunTest, ReportsAProgramThatDoesNotRun) {
  Expected<Assembly> assembly = assemble(kernelText, "sm_80", "/nowhere/ptxas");
  ASSERT_FALSE(bool(assembly));
  EXPECT_EQ(toString(assembly.takeError())
                .find("'/nowhere/ptxas' did not assemble for sm_80: "),
            0u);
}

} // namespace
