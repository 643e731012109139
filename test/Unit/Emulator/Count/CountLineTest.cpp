//===- CountLineTest.cpp - Counts by line ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lines count adds up to what the kernel does, and goes to the lines of
// the source that .loc names.
//
//===----------------------------------------------------------------------===//

#include "Count/CountingDevice.h"

#include "tc/Emulator/Counts.h"
#include "tc/Emulator/Lines.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// Lanes store 8 bytes apart, and half of them load from one bank of shared
/// memory; line 7 of the source is one that is inlined into line 3.
const char *const kernel = R"(
.visible .entry k(.param .u64 base) {
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .shared .align 8 .b8 buffer[4096];
  .loc 1 3 1
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [base];
  mad.wide.u32 %rd1, %r1, 8, %rd1;
  st.global.u32 [%rd1], %r1;
  .loc 1 4 1
  setp.lt.u32 %p, %r1, 16;
  @!%p bra END;
  mov.u32 %r2, buffer;
  mad.lo.u32 %r2, %r1, 128, %r2;
  .loc 1 7 5, function_name FUNCTION, inlined_at 1 3 1
  ld.shared.u32 %r3, [%r2];
END:
  .loc 1 0 0
  ret;
}
.file 1 "nonsuch/kernel.cu"
.section .debug_str {
FUNCTION:
.b8 102
.b8 0
}
)";

class CountLineTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(device.module);
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(128));
    ASSERT_EQ(device.run("k", {2, 1, 1}, {32, 1, 1}, 0, data.get()), "");
    counts = device.module->getReport().counts;
    ASSERT_TRUE(counts);
  }
  const LineCounts &find(llvm::StringRef opcode) {
    for (const LineCounts &line : counts->lines)
      if (llvm::StringRef(line.text).contains(opcode))
        return line;
    static const LineCounts none;
    ADD_FAILURE() << opcode.str();
    return none;
  }

  CountingDevice device{kernel};
  std::shared_ptr<const LaunchCounts> counts;
};

TEST_F(CountLineTest, LinesAddUpToTheKernel) {
  LineCounts sum;
  unsigned last = 0;
  for (const LineCounts &line : counts->lines) {
    EXPECT_GT(line.line, last);
    last = line.line;
    sum += line;
  }
  EXPECT_EQ(sum.warps, counts->getWarpInstructions());
  EXPECT_EQ(sum.slots, counts->getIssued());
  EXPECT_EQ(sum.global.sectors, counts->getMemory("global").sectors);
  EXPECT_EQ(sum.shared.wavefronts, counts->getMemory("shared").wavefronts);
  ASSERT_EQ(counts->branches.size(), 1u);
  EXPECT_EQ(sum.divergent, counts->branches.front().divergent);
}

TEST_F(CountLineTest, EachLineHasItsOwn) {
  EXPECT_EQ(find("st.global").global.sectors, 16u); // 2 warps of 256 bytes
  EXPECT_EQ(find("st.global").global.idealSectors, 8u);
  EXPECT_EQ(find("ld.shared").shared.wavefronts, 32u); // 16 lanes of one bank
  EXPECT_EQ(find("ld.shared").lanes, 32u);
  EXPECT_EQ(find("ld.param").slots, 0u);
  EXPECT_EQ(find("setp").slots, 2u);
  EXPECT_EQ(find("bra").divergent, 2u);
}

TEST_F(CountLineTest, PlacesAreTheInnermost) {
  EXPECT_EQ(find("st.global").file, "nonsuch/kernel.cu");
  EXPECT_EQ(find("st.global").sourceLine, 3u);
  EXPECT_EQ(find("ld.shared").sourceLine, 7u);
  EXPECT_EQ(find("ret").file, ""); // line 0: of no source
}

TEST_F(CountLineTest, LaunchesOfAKernelAreOneSection) {
  LineReport report;
  EXPECT_TRUE(report.isEmpty());
  report.add(device.module->getReport());
  report.add(device.module->getReport());
  mlir::tc::LinePage page = report.makePage();
  ASSERT_EQ(page.sections.size(), 1u);
  const mlir::tc::LineSection &section = page.sections.front();
  EXPECT_EQ(section.facts.front().second, "2"); // launches
  ASSERT_EQ(section.listings.size(), 2u);
  EXPECT_EQ(section.listings[0].title, "nonsuch/kernel.cu");
  EXPECT_FALSE(section.listings[0].note.empty()); // there is no such file
  std::vector<unsigned> lines;
  for (const mlir::tc::LineRow &row : section.listings[0].rows)
    lines.push_back(row.line);
  EXPECT_EQ(lines, (std::vector<unsigned>{3, 4, 7}));
  EXPECT_EQ(section.totals[0], 2.0 * counts->getIssued());
  // A launch that was not counted has no lines.
  report.add(LaunchReport());
  EXPECT_EQ(report.makePage().sections.size(), 1u);
}

} // namespace
