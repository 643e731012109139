//===- UndefinedTest.cpp - Values that nobody wrote -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that load what nobody wrote, with and without a use that matters, and
// kernels in which several warps store one value; in every way of execution and
// under many orders of threads.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::AllOf;
using testing::HasSubstr;
using Execution = LaunchOptions::Execution;

namespace {

/// The first 40 words of `tile` are written.
std::string kernel(const std::string &body) {
  return makeTileKernel(body, /*tileBytes=*/1024,
                        " setp.lt.u32 %p1, %i1, 40; @%p1 st.shared.u32 [%i3], "
                        "%i1; bar.sync 0;");
}

/// %i4 is undefined in threads from 40 on.
const std::string load = "ld.shared.u32 %i4, [%i3];\n";

struct Case {
  const char *name;
  std::string body;
  const char *report; ///< a part of it, or "" for no finding
};

const Case cases[] = {
    {"NeverUsed", load, ""},
    {"ComputedAndDropped",
     load + "cvt.rn.f32.u32 %f1, %i4; mov.f32 %f2, 0f00000000; mov.u32 %i5, 0;"
            "L: fma.rn.f32 %f2, %f1, %f1, %f2; add.u32 %i5, %i5, 1;"
            "setp.lt.u32 %p2, %i5, 5; @%p2 bra L;\n"
            "@%p1 st.global.f32 [%q2], %f2;",
     ""},
    {"DroppedByBranch",
     load + "add.u32 %i4, %i4, 1; @!%p1 bra E; st.global.u32 [%q2], %i4; E:",
     ""},
    {"Selected", load + "selp.b32 %i5, %i4, 0, %p1; st.global.u32 [%q2], %i5;",
     ""},
    {"Overwritten", load + "@!%p1 mov.u32 %i4, 7; st.global.u32 [%q2], %i4;",
     ""},
    {"MovedUnderGuard",
     load + "mov.u32 %i5, 7; @%p1 mov.u32 %i5, %i4; st.global.u32 [%q2], "
            "%i5;",
     ""},
    {"OtherElementsOfAVector",
     "and.b32 %i5, %i1, 31; shl.b32 %i5, %i5, 3; mov.u32 %i6, tile;"
     "add.u32 %i6, %i6, %i5;\nld.shared.v2.u32 {%i7, %i8}, [%i6];\n"
     "setp.lt.u32 %p2, %i5, 160; selp.b32 %i7, %i7, 0, %p2;"
     "st.global.u32 [%q2], %i7;",
     ""},

    {"Stored", load + "st.global.u32 [%q2], %i4;",
     "(in 'tile') finds what nobody wrote, which is stored to global memory at "
     "PTX line 7 (`st.global.u32 [%q2], %i4`)"},
    {"StoredAfterMath",
     load + "cvt.rn.f32.u32 %f1, %i4; mul.f32 %f1, %f1, %f1;\n"
            "st.global.f32 [%q2], %f1;",
     "is stored to global memory at PTX line 8"},
    {"StoredAsVector",
     load + "add.u64 %q2, %q2, %q2; sub.u64 %q2, %q2, %q1;\n"
            "st.global.v2.u32 [%q2], {%i1, %i4};\n",
     "is stored to global memory at PTX line 8"},
    {"SelectedWrongly",
     load + "selp.b32 %i5, 0, %i4, %p1; st.global.u32 [%q2], %i5;",
     "is stored to global memory"},
    {"Branch", load + "setp.gt.u32 %p2, %i4, 100;\n@%p2 bra E; E:",
     "decides what is executed at PTX line 8"},
    {"GuardOfAStore",
     load + "setp.gt.u32 %p2, %i4, 100;\n@%p2 st.global.u32 [%q2], %i1;",
     "decides what is executed at PTX line 8"},
    {"GuardOfAMove",
     load + "setp.gt.u32 %p2, %i4, 100; mov.u32 %i5, 1; @%p2 mov.u32 %i5, 2;\n"
            "st.global.u32 [%q2], %i5;",
     "is stored to global memory"},
    {"Address",
     load + "and.b32 %i4, %i4, 124; cvt.u64.u32 %q3, %i4; add.u64 %q3, %q1, "
            "%q3;\nld.global.u32 %i5, [%q3];",
     "is part of an address at PTX line 8"},
    {"Atomic", load + "atom.global.add.u32 %i5, [%q1], %i4;",
     "is an operand of an atomic operation at PTX line 7"},
    {"InALoop",
     "mov.u32 %i6, 0; mov.u32 %i5, 0; L: " + load +
         "add.u32 %i5, %i5, %i4; add.u32 %i6, %i6, 1; setp.lt.u32 %p2, %i6, "
         "3; @%p2 bra L;\nst.global.u32 [%q2], %i5;",
     "is stored to global memory at PTX line 8"},
    {"WhereLanesPart",
     load + "mov.u32 %i5, 0; setp.lt.u32 %p2, %i1, 50; @%p2 bra A;"
            "L: add.u32 %i5, %i5, 1; setp.lt.u32 %p3, %i5, %i1; @%p3 bra L;"
            "add.u32 %i5, %i5, %i4; A:\nst.global.u32 [%q2], %i5;",
     "is stored to global memory at PTX line 8"},

    // Through memory.
    {"ThroughShared",
     load + "st.shared.u32 [%i3 + 512], %i4; bar.sync 0;\n"
            "ld.shared.u32 %i5, [%i3 + 512];\nst.global.u32 [%q2], %i5;",
     "PTX line 8 (`ld.shared.u32 %i5, [%i3 + 512]`): uninitialised: "},
    {"ThroughSharedAndDropped",
     load + "st.shared.u32 [%i3 + 512], %i4; bar.sync 0;\n"
            "ld.shared.u32 %i5, [%i3 + 512];\n@%p1 st.global.u32 [%q2], %i5;",
     ""},
    {"OverwrittenInShared",
     load + "st.shared.u32 [%i3 + 512], %i4; st.shared.u32 [%i3 + 512], %i1;\n"
            "ld.shared.u32 %i5, [%i3 + 512];\nst.global.u32 [%q2], %i5;",
     ""},
    {"ThroughLocal",
     load + "st.local.u32 [own], %i4;\nld.local.u32 %i5, [own];\n"
            "st.global.u32 [%q2], %i5;",
     "uninitialised: read of 4 bytes at local address"},

    // Between lanes.
    {"ShuffledFromDefined",
     load + "shfl.sync.idx.b32 %i5, %i4, 3, 31, -1;\n"
            "st.global.u32 [%q2], %i5;",
     ""},
    {"ShuffledFromUndefined",
     load + "shfl.sync.idx.b32 %i5, %i4, 31, 31, -1;\n"
            "st.global.u32 [%q2], %i5;",
     "is stored to global memory at PTX line 8"},
    {"ShuffledAndDropped",
     load + "shfl.sync.bfly.b32 %i5, %i4, 1, 31, -1;\n"
            "@%p1 st.global.u32 [%q2], %i5;",
     ""},
    {"Ballot",
     load + "setp.gt.u32 %p2, %i4, 9; vote.sync.ballot.b32 %i5, %p2, -1;\n"
            "st.global.u32 [%q2], %i5;",
     "is stored to global memory"},
    {"RowsOfAProduct",
     "mov.u32 %i6, tile; and.b32 %i7, %i1, 31; shr.u32 %i7, %i7, 2;\n"
     "shl.b32 %i8, %i7, 5; add.u32 %i6, %i6, %i8;\n"
     "ld.shared.u32 %i10, [%i6];\nmov.u32 %i11, 0; mov.f32 %f1, 0f00000000;\n"
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
     "{%i10, %i11, %i10, %i11}, {%i11, %i11}, {%f1, %f1, %f1, %f1};\n"
     "setp.lt.u32 %p2, %i7, 5; @%p2 st.global.f32 [%q2], %f1;\n"
     "st.global.f32 [%q2], %f3;",
     ""},
    {"UndefinedRowsOfAProduct",
     "mov.u32 %i6, tile; and.b32 %i7, %i1, 31; shr.u32 %i7, %i7, 2;\n"
     "shl.b32 %i8, %i7, 5; add.u32 %i6, %i6, %i8;\n"
     "ld.shared.u32 %i10, [%i6];\nmov.u32 %i11, 0; mov.f32 %f1, 0f00000000;\n"
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
     "{%i10, %i11, %i10, %i11}, {%i11, %i11}, {%f1, %f1, %f1, %f1};\n"
     "setp.lt.u32 %p2, %i7, 6; @%p2 st.global.f32 [%q2], %f1;",
     "PTX line 8 (`ld.shared.u32 %i10, [%i6]`): uninitialised: "},
    {"LoadMatrix",
     "and.b32 %i5, %i1, 7; shl.b32 %i5, %i5, 5; mov.u32 %i6, tile; add.u32 "
     "%i6, %i6, %i5;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%i7}, [%i6];\n"
     "and.b32 %i8, %i1, 31; setp.lt.u32 %p2, %i8, 20;\n"
     "@%p2 st.global.u32 [%q2], %i7;",
     ""},
    {"LoadMatrixAndStoreIt",
     "and.b32 %i5, %i1, 7; shl.b32 %i5, %i5, 5; mov.u32 %i6, tile; add.u32 "
     "%i6, %i6, %i5;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%i7}, [%i6];\n"
     "and.b32 %i8, %i1, 31; setp.lt.u32 %p2, %i8, 24;\n"
     "@%p2 st.global.u32 [%q2], %i7;",
     "is stored to global memory at PTX line 9"},

    // A missing barrier is told of as that alone.
    {"RaceInsteadOfUndefined",
     "ld.shared.u32 %i4, [%i3 + 256];\nst.global.u32 [%q2], %i4;\n"
     "xor.b32 %i5, %i2, 128; mov.u32 %i6, tile; add.u32 %i6, %i6, %i5;\n"
     "st.shared.u32 [%i6 + 256], %i1;",
     "race: "},

    // One value.
    {"SameValueOfWarps", "st.shared.u32 [tile + 512], 7;", ""},
    {"SameValueOfBlocks", "st.global.u32 [%q1], 7;", ""},
    {"ValuesOfWarps", "shr.u32 %i4, %i1, 5; st.shared.u32 [tile + 512], %i4;",
     "race: "},
    {"ValuesOfBlocks", "st.global.u32 [%q1], %i9;", "race: "},
    {"SameValueThatIsReadTooEarly",
     "st.shared.u32 [tile + 512], 7; ld.shared.u32 %i4, [tile + 512];",
     "race: "},
};

class Undefined : public testing::TestWithParam<Execution> {
protected:
  std::string run(Device &device, Schedule schedule) {
    LaunchOptions options;
    options.checks = Checks::All;
    options.execution = GetParam();
    options.schedule = schedule;
    device.module->setOptions(options);
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(256));
    return device.run("k", {2}, {64}, 0, data.get());
  }
};

TEST_P(Undefined, ToldOfWhereItMatters) {
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    Device device(kernel(test.body));
    if (!device.module)
      continue;
    std::string report = run(device, {});
    if (*test.report)
      EXPECT_THAT(report, HasSubstr(test.report));
    else
      EXPECT_EQ(report, "");
    if (llvm::StringRef(test.name).starts_with("RaceInstead"))
      for (const Finding &finding : device.module->getReport().findings)
        EXPECT_NE(finding.what, FindingClass::Uninitialised);
  }
}

TEST_P(Undefined, AnyOrderOfThreads) {
  for (const Case &test : cases) {
    Device device(kernel(test.body));
    for (unsigned seed = 0; device.module && seed < 40; ++seed) {
      SCOPED_TRACE(std::string(test.name) + ", seed " + std::to_string(seed));
      std::string report = run(
          device, {seed % 2 ? Schedule::Adversarial : Schedule::Random, seed});
      ASSERT_EQ(report.empty(), !*test.report) << report;
    }
  }
}

/// What several warps store without an order is information.
TEST_P(Undefined, SameValueIsInformation) {
  Device device(kernel("st.shared.u32 [tile + 512], 7;"));
  EXPECT_EQ(run(device, {}), "");
  const std::vector<Finding> &findings = device.module->getReport().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].what, FindingClass::SameValue);
  EXPECT_FALSE(findings[0].isError());
  EXPECT_THAT(findings[0].text,
              AllOf(HasSubstr("same value: write of 4 bytes"),
                    HasSubstr("store one value, and nothing orders them")));
}

/// Fresh global memory, also behind an asynchronous copy.
TEST_P(Undefined, GlobalMemory) {
  for (bool isUsed : {false, true})
    for (bool isCopied : {false, true}) {
      SCOPED_TRACE(std::to_string(isUsed) + std::to_string(isCopied));
      std::string body =
          isCopied ? "cp.async.ca.shared.global [%i3 + 512], [%q2], 4;\n"
                     "cp.async.wait_all;\nld.shared.u32 %i4, [%i3 + 512];\n"
                   : "ld.global.u32 %i4, [%q2];\n";
      Device device(kernel(body + (isUsed ? "" : "@!%p1 ") +
                           "st.global.u32 [%q2], %i4;"));
      LaunchOptions options;
      options.checks = Checks::All;
      options.execution = GetParam();
      device.module->setOptions(options);
      auto *data = static_cast<char *>(
          llvm::cantFail(device.memory.allocate(256, Memory::Contents::Fresh)));
      device.memory.markInitialized(data + 160, 96);
      std::string report = device.run("k", {1}, {64}, 0, data);
      if (isUsed)
        EXPECT_THAT(report,
                    AllOf(HasSubstr("uninitialised: read of 4 bytes at"),
                          HasSubstr("is stored to global memory")));
      else
        EXPECT_EQ(report, "");
      llvm::cantFail(device.memory.release(data));
    }
}

INSTANTIATE_TEST_SUITE_P(Undefined, Undefined,
                         testing::Values(Execution::Warps, Execution::Masked,
                                         Execution::Threads),
                         [](auto &info) {
                           return std::string(
                               info.param == Execution::Warps    ? "Warps"
                               : info.param == Execution::Masked ? "Masked"
                                                                 : "Threads");
                         });

} // namespace
