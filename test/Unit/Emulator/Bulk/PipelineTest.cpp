//===- PipelineTest.cpp - A product with a producer and consumers ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape of today's kernels: one thread fills stages by tensor copies, a
// warpgroup multiplies them with wgmma and stores its tile by another copy.
// Seeded faults at each of the places that hold it together.
//
//===----------------------------------------------------------------------===//

#include "Bulk/BulkHarness.h"

#include "tc/Emulator/Counts.h"
#include "tc/Emulator/TensorMap.h"
#include "tc/Emulator/Trace.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

constexpr unsigned rows = 128, columns = 64, terms = 320;

struct alignas(64) MapBytes {
  char bytes[TensorMap::bytes];
};

/// The parts that hold the kernel together. A block has 64 rows and 32 columns
/// of the result; a stage 64 terms: 8192 bytes of a, 4096 of b.
struct Pipeline {
  std::string fenceInit = "fence.mbarrier_init.release.cluster;\n";
  std::string waitEmpty = waitFor("empty", "%i13", "%i15");
  std::string expect =
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%i12], 12288;\n";
  std::string waitFull = waitFor("full", "%i12", "%i14");
  std::string fence = "wgmma.fence.sync.aligned;\n";
  std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
  std::string release = "mbarrier.arrive.shared::cta.b64 _, [%i13];\n";
  std::string proxy = "fence.proxy.async.shared::cta;\n";
  std::string meet = "bar.sync 1, 128;\n";
  std::string end = "@%p1 cp.async.bulk.wait_group.read 0;\n";

  std::string get() const;
};

std::string load(const std::string &to, const std::string &map,
                 const std::string &row) {
  return "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
         "complete_tx::bytes [" +
         to + "], [" + map + ", {%i16, " + row + "}], [%i12];\n";
}

/// %i10 counts steps; %i11 is the stage, %i12 and %i13 its barriers, %i14 and
/// %i15 the parities that consumers and the producer wait for.
const std::string stage =
    "and.b32 %i11, %i10, 1;\nshl.b32 %i17, %i11, 3;\nadd.u32 %i12, %i4, %i17;\n"
    "add.u32 %i13, %i12, 16;\nshr.u32 %i14, %i10, 1;\nand.b32 %i14, %i14, 1;\n"
    "xor.b32 %i15, %i14, 1;\nshl.b32 %i16, %i10, 6;\nmul.lo.u32 %i17, %i11, "
    "12288;\nadd.u32 %i18, %i2, %i17;\nadd.u32 %i19, %i18, 8192;\n";
const std::string next = "add.u32 %i10, %i10, 1;\nsetp.lt.u32 %p3, %i10, 5;\n";

std::string Pipeline::get() const {
  std::string sums, products, results;
  for (unsigned i = 0; i < 16; ++i)
    sums += (i ? ", %f" : "%f") + std::to_string(i);
  for (unsigned i = 0; i < 4; ++i)
    products += "add.u64 %q8, %q6, " + std::to_string(2 * i) +
                ";\nadd.u64 %q9, %q7, " + std::to_string(2 * i) +
                ";\nwgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {" +
                sums +
                "}, %q8, %q9, %p6, 1, 1, 0, 0;\n"
                "setp.eq.u32 %p6, 0, 0;\n";
  for (unsigned j = 0; j < 4; ++j)
    for (unsigned half = 0; half < 2; ++half)
      results += "st.shared.v2.f32 [%i20+" +
                 std::to_string(half * 1024 + j * 32) + "], {%f" +
                 std::to_string(4 * j + 2 * half) + ", %f" +
                 std::to_string(4 * j + 2 * half + 1) + "};\n";
  return ".version 8.6\n.target sm_90a\n.address_size 64\n\n"
         ".visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 "
         "b[128], .param .align 64 .b8 d[128]) .reqntid 256 { .reg .pred "
         "%p<8>; .reg .b32 %i<32>; .reg .f32 %f<16>; .reg .b64 %q<16>; .shared "
         ".align 1024 .b8 tile[32768]; .shared .align 8 .b64 bars[4]; mov.b64 "
         "%q1, a; cvta.param.u64 %q1, %q1; mov.b64 %q2, b; cvta.param.u64 %q2, "
         "%q2; mov.b64 %q3, d; cvta.param.u64 %q3, %q3; mov.u32 %i1, %tid.x; "
         "setp.eq.u32 %p1, %i1, 0; mov.u32 %i2, tile; mov.u32 %i4, bars; "
         "mov.u32 %i5, %ctaid.x; shl.b32 %i5, %i5, 6; mov.u32 %i6, %ctaid.y; "
         "shl.b32 %i6, %i6, 5; mov.u32 %i10, 0;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [%i4+8], 1;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [%i4+16], 128;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [%i4+24], 128;\n" +
         fenceInit +
         "bar.sync 0;\nsetp.lt.u32 %p4, %i1, 128;\n@%p4 bra $consumer;\n"
         "setmaxnreg.dec.sync.aligned.u32 40;\n"
         "setp.ne.u32 %p5, %i1, 128;\n@%p5 bra $done;\n$produce:\n" +
         stage + waitEmpty + expect + load("%i18", "%q1", "%i5") +
         load("%i19", "%q2", "%i6") + next +
         "@%p3 bra $produce;\nbra $done;\n$consumer:\n"
         "setmaxnreg.inc.sync.aligned.u32 248;\nsetp.ne.u32 %p6, 0, 0;\n"
         "$consume:\n" +
         stage + waitFull +
         "cvt.u64.u32 %q6, %i18;\nshr.u64 %q6, %q6, 4;\nadd.u64 %q6, %q6, "
         "0x4000004000010000;\ncvt.u64.u32 %q7, %i19;\nshr.u64 %q7, %q7, 4;\n"
         "add.u64 %q7, %q7, 0x4000004000010000;\n" +
         fence + products + "wgmma.commit_group.sync.aligned;\n" + wait +
         release + next +
         "@%p3 bra $consume;\n"
         // Row 16 w + l / 4, column 2 (l % 4), of 32 floats a row.
         "shr.u32 %i20, %i1, 5;\nshl.b32 %i20, %i20, 11;\nshr.u32 %i21, %i1, 2;"
         "\nand.b32 %i21, %i21, 7;\nshl.b32 %i21, %i21, 7;\nand.b32 %i22, %i1, "
         "3;\nshl.b32 %i22, %i22, 3;\nadd.u32 %i20, %i20, %i21;\nadd.u32 %i20, "
         "%i20, %i22;\nadd.u32 %i23, %i2, 24576;\nadd.u32 %i20, %i20, %i23;\n" +
         results + proxy + meet +
         "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
         "[%q3, {%i6, %i5}], [%i23];\n"
         "@%p1 cp.async.bulk.commit_group;\n" +
         end + "$done: ret;\n}\n";
}

TensorMap makeMap(TensorMap::Element element, const void *address,
                  uint64_t width, uint64_t height, uint32_t box0, uint32_t box1,
                  unsigned swizzle) {
  TensorMap map;
  map.element = element;
  map.rank = 2;
  map.address = reinterpret_cast<uint64_t>(address);
  map.extents[0] = width;
  map.extents[1] = height;
  map.box[0] = box0;
  map.box[1] = box1;
  map.swizzle = swizzle;
  map.strides[0] = width * map.getElementBytes();
  EXPECT_EQ(map.findFault(), "");
  return map;
}

struct PipelineResult {
  std::string error, all;
  bool isRight = true;
  LaunchReport report;
};

PipelineResult run(const Pipeline &parts, const LaunchOptions &options) {
  Device device(parts.get(), Effort::Quick);
  PipelineResult result;
  if (!device.module) {
    result.error = result.all = "no module";
    return result;
  }
  device.module->setOptions(options);
  auto valueOf = [](unsigned i, unsigned k, unsigned modulo) {
    return float((3 * i + k) % modulo);
  };
  auto fill = [&](unsigned count, unsigned modulo) {
    std::vector<uint16_t> values(count * terms);
    for (unsigned i = 0; i < count; ++i)
      for (unsigned k = 0; k < terms; ++k)
        values[i * terms + k] =
            llvm::bit_cast<uint32_t>(valueOf(i, k, modulo)) >> 16;
    return values;
  };
  DeviceArray<uint16_t> a(device.memory, fill(rows, 7)),
      b(device.memory, fill(columns, 5));
  DeviceArray<float> d(device.memory, std::vector<float>(rows * columns));
  MapBytes maps[3];
  using Element = TensorMap::Element;
  makeMap(Element::BF16, a.get(), terms, rows, 64, 64, 3).encode(&maps[0]);
  makeMap(Element::BF16, b.get(), terms, columns, 64, 32, 3).encode(&maps[1]);
  makeMap(Element::F32, d.get(), columns, rows, 32, 64, 0).encode(&maps[2]);
  result.error = device.run("k", {rows / 64, columns / 32, 1}, {256, 1, 1}, 0,
                            maps[0], maps[1], maps[2]);
  result.report = device.module->getReport();
  result.all = result.error;
  for (const Finding &finding : result.report.findings)
    result.all += "\n" + finding.text;
  std::vector<float> got = d.values();
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < terms; ++k)
        sum += valueOf(i, k, 7) * valueOf(j, k, 5);
      result.isRight &= got[i * columns + j] == sum;
    }
  return result;
}

TEST(Pipeline, IsRightAndSilent) {
  for (const LaunchOptions &options : getAllOptions()) {
    if (options.execution != LaunchOptions::Execution::Warps)
      continue;
    PipelineResult result = run({}, options);
    EXPECT_EQ(result.all, "");
    EXPECT_TRUE(result.isRight);
  }
}

TEST(Pipeline, SeededFaults) {
  struct Case {
    const char *name;
    std::function<void(Pipeline &)> change;
    const char *report;
  };
  const Case cases[] = {
      {"NoFullWait", [](Pipeline &p) { p.waitFull = ""; },
       "wait for the phase of its mbarrier"},
      {"FullWaitOfTheOtherPhase",
       [](Pipeline &p) { p.waitFull = waitFor("full", "%i12", "%i15"); },
       "wait for the phase of its mbarrier"},
      {"NoEmptyWait", [](Pipeline &p) { p.waitEmpty = ""; },
       "1 more arrivals on the mbarrier at shared address"},
      {"ReleasedTooEarly", [](Pipeline &p) { std::swap(p.release, p.wait); },
       "and read by thread (96,0,0) at PTX line 62 (`wgmma.mma_async"},
      {"TooFewBytes",
       [](Pipeline &p) {
         p.expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%i12], "
                    "8192;\n";
       },
       "expect_tx tells of fewer bytes than the copies of that phase bring"},
      {"TooManyBytes",
       [](Pipeline &p) {
         p.expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%i12], "
                    "16384;\n";
       },
       "has 1 of 1 arrivals and 12288 of 16384 bytes"},
      {"NotReleased", [](Pipeline &p) { p.release = ""; },
       "has 0 of 128 arrivals"},
      {"NoWgmmaFence", [](Pipeline &p) { p.fence = ""; },
       "expected a wgmma.fence before"},
      {"NoProxyFence", [](Pipeline &p) { p.proxy = ""; },
       "execute fence.proxy.async between the two"},
      {"NoBarrierBeforeTheStore", [](Pipeline &p) { p.meet = ""; },
       "are not ordered by a barrier"},
      {"NoReadWait", [](Pipeline &p) { p.end = ""; },
       "the thread ends while this copy may still read shared memory"},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    Pipeline parts;
    test.change(parts);
    LaunchOptions options;
    options.checks = Checks::All;
    EXPECT_THAT(run(parts, options).all, HasSubstr(test.report));
  }
}

/// Bytes and sectors by bulk copies, and a clock that goes on.
TEST(Pipeline, IsCounted) {
  LaunchOptions options;
  options.checks = Checks::None;
  options.count = options.trace = true;
  PipelineResult result = run({}, options);
  ASSERT_EQ(result.error, "");
  ASSERT_TRUE(result.report.counts);
  const LaunchCounts &counts = *result.report.counts;
  AccessCounts read = counts.getMemory("global", "read");
  AccessCounts written = counts.getMemory("global", "write");
  // Four blocks, five steps, 12288 bytes.
  EXPECT_EQ(read.bytes, 4u * 5 * 12288);
  EXPECT_EQ(read.sectors, read.bytes / 32);
  EXPECT_EQ(read.l2Sectors, read.sectors);
  EXPECT_EQ(read.requests, 4u * 5 * 2);
  EXPECT_EQ(written.bytes, 4u * rows * columns);
  EXPECT_EQ(counts.read.bytes, 2u * (rows + columns) * terms);
  uint64_t wavefronts = 0;
  for (const SiteCounts &site : counts.sites)
    if (site.space == "shared" && site.opcode.find("cp.async.bulk") == 0)
      wavefronts += site.counts.wavefronts;
  EXPECT_GE(wavefronts, (read.bytes + written.bytes) / 128);
  ASSERT_TRUE(result.report.trace);
  mlir::tc::Machine machine = *mlir::tc::findMachine("sm_90a");
  TracedTime time =
      simulateTrace(*result.report.trace, counts, machine, 1, 128);
  EXPECT_EQ(time.outside, "");
  // Five steps one after the other, of two stages that are loaded ahead.
  EXPECT_GT(time.cycles, 3 * machine.latencies.l2);
}

} // namespace
