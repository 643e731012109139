//===- BulkCopyTest.cpp - Bulk copies of bytes in a row -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cp.async.bulk and cp.reduce.async.bulk move, in every direction and
// order, and the ends of their groups and phases.
//
//===----------------------------------------------------------------------===//

#include "Bulk/BulkHarness.h"

#include <set>

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

const std::string init = "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
                         "@%p1 fence.proxy.async;\nbar.sync 0;\n";

std::string expect(const std::string &bytes) {
  return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], " + bytes +
         ";\n";
}

std::string load(const std::string &bytes,
                 const std::string &space = "shared::cluster") {
  return "@%p1 cp.async.bulk." + space +
         ".global.mbarrier::complete_tx::bytes [%i2], [%q1], " + bytes +
         ", [%i4];\n";
}

const std::string storeWord =
    "ld.shared.b32 %i10, [%i3];\nst.global.b32 [%q4], %i10;\n";

void expectEverywhere(const std::string &text, BulkRun run,
                      const std::vector<uint32_t> &expected) {
  for (const LaunchOptions &options : getAllOptions()) {
    SCOPED_TRACE("execution " + std::to_string(int(options.execution)) +
                 ", seed " + std::to_string(options.schedule.seed));
    run.options = options;
    BulkResult result = runBulk(text, run);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.out, expected);
  }
}

TEST(BulkCopy, Loads) {
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(128)};
  for (const char *space : {"shared::cluster", "shared::cta"})
    expectEverywhere(makeBulkKernel(init + expect("512") + load("512", space) +
                                    waitFor("w", "%i4", "0") + storeWord),
                     run, run.in);
}

TEST(BulkCopy, LoadsInSizesThatRegistersSay) {
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(128)};
  std::vector<uint32_t> expected(128, 7);
  std::copy_n(run.in.begin(), 100, expected.begin());
  expectEverywhere(
      makeBulkKernel("st.shared.b32 [%i3], 7;\nfence.proxy.async;\n" + init +
                     "mov.u32 %i11, 400;\n" + expect("%i11") + load("%i11") +
                     waitFor("w", "%i4", "0") + storeWord),
      run, expected);
}

TEST(BulkCopy, ALoopOfStages) {
  // Two stages of 512 bytes, each with a barrier that says it is full; the
  // block's barrier says that it is empty.
  const std::string body =
      "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
      "@%p1 mbarrier.init.shared::cta.b64 [%i4+8], 1;\n" +
      std::string("bar.sync 0;\nmov.u32 %i10, 0;\nmov.u32 %i11, 0;\n"
                  "$loop: and.b32 %i12, %i10, 1;\nshl.b32 %i13, %i12, 3;\n"
                  "add.u32 %i13, %i13, %i4;\nshl.b32 %i14, %i12, 9;\n"
                  "add.u32 %i15, %i14, %i2;\nmul.wide.u32 %q6, %i10, 512;\n"
                  "add.u64 %q6, %q6, %q1;\n"
                  "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i13], "
                  "512;\n"
                  "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                  "complete_tx::bytes [%i15], [%q6], 512, [%i13];\n"
                  "shr.u32 %i16, %i10, 1;\nand.b32 %i16, %i16, 1;\n") +
      waitFor("w", "%i13", "%i16") +
      "add.u32 %i17, %i3, %i14;\nld.shared.b32 %i18, [%i17];\n"
      "add.u32 %i11, %i11, %i18;\nbar.sync 0;\nadd.u32 %i10, %i10, 1;\n"
      "setp.lt.u32 %p3, %i10, 7;\n@%p3 bra $loop;\n"
      "st.global.b32 [%q4], %i11;\n";
  BulkRun run{1, 128, count(7 * 128), std::vector<uint32_t>(128)};
  std::vector<uint32_t> expected(128);
  for (unsigned i = 0; i < run.in.size(); ++i)
    expected[i % 128] += run.in[i];
  expectEverywhere(makeBulkKernel(body), run, expected);
}

const std::string fill = "ld.global.b32 %i10, [%q3];\nst.shared.b32 [%i3], "
                         "%i10;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n";
const std::string commit = "@%p1 cp.async.bulk.commit_group;\n";
const std::string wait = "@%p1 cp.async.bulk.wait_group 0;\n";
const std::string waitRead = "@%p1 cp.async.bulk.wait_group.read 0;\n";

TEST(BulkCopy, Stores) {
  BulkRun run{2, 128, count(128), std::vector<uint32_t>(256)};
  std::vector<uint32_t> expected = run.in;
  expected.insert(expected.end(), run.in.begin(), run.in.end());
  for (const std::string &end : {wait, waitRead})
    expectEverywhere(
        makeBulkKernel(fill +
                       "mov.u32 %i11, %ctaid.x;\nmul.wide.u32 %q6, %i11, 512;\n"
                       "add.u64 %q6, %q6, %q2;\n@%p1 cp.async.bulk.global."
                       "shared::cta.bulk_group [%q6], [%i2], 512;\n" +
                       commit + end),
        run, expected);
}

/// After wait_group.read the source may change, after wait_group what was
/// written may be read.
TEST(BulkCopy, GroupsOfStores) {
  const std::string store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group ";
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(384)};
  std::vector<uint32_t> expected(384);
  for (unsigned i = 0; i < 128; ++i) {
    expected[i] = i + 1;
    expected[128 + i] = 3;
    expected[256 + i] = i + 1;
  }
  expectEverywhere(
      makeBulkKernel(
          fill + store + "[%q2], [%i2], 512;\n" + commit + waitRead +
          "bar.sync 0;\nst.shared.b32 [%i3], 3;\n"
          "fence.proxy.async.shared::cta;\nbar.sync 0;\n" +
          store + "[%q2+512], [%i2], 512;\n" + commit +
          "@%p1 cp.async.bulk.wait_group 1;\nbar.sync 0;\n"
          "ld.global.b32 %i12, [%q4];\nst.global.b32 [%q4+1024], %i12;\n" +
          wait),
      run, expected);
}

TEST(BulkCopy, BetweenBlocks) {
  // Each block writes to the next one of the cluster.
  const std::string body =
      init +
      "ld.global.b32 %i10, [%q3];\nadd.u32 %i10, %i10, %i9;\n"
      "st.shared.b32 [%i3+2048], %i10;\nfence.proxy.async;\n" +
      expect("512") +
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "xor.b32 %i11, %i9, 1;\nmapa.shared::cluster.u32 %i12, %i2, %i11;\n"
      "mapa.shared::cluster.u32 %i13, %i4, %i11;\nadd.u32 %i14, %i2, 2048;\n"
      "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
      "bytes [%i12], [%i14], 512, [%i13];\n" +
      waitFor("w", "%i4", "0") +
      "ld.shared.b32 %i15, [%i3];\nmul.wide.u32 %q6, %i9, 512;\n"
      "add.u64 %q6, %q6, %q4;\nst.global.b32 [%q6], %i15;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  BulkRun run{2, 128, count(128), std::vector<uint32_t>(256)};
  std::vector<uint32_t> expected(256);
  for (unsigned i = 0; i < 128; ++i) {
    expected[i] = i + 2;
    expected[128 + i] = i + 1;
  }
  expectEverywhere(makeBulkKernel(body, ".reqnctapercluster 2"), run, expected);
}

TEST(BulkCopy, Multicast) {
  // Each block loads one half for both.
  const std::string body =
      init + expect("512") +
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "shl.b32 %i10, %i9, 8;\nadd.u32 %i11, %i2, %i10;\n"
      "cvt.u64.u32 %q6, %i10;\nadd.u64 %q6, %q6, %q1;\nmov.b16 %h1, 3;\n"
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
      "multicast::cluster [%i11], [%q6], 256, [%i4], %h1;\n" +
      waitFor("w", "%i4", "0") +
      "ld.shared.b32 %i15, [%i3];\nmul.wide.u32 %q7, %i9, 512;\n"
      "add.u64 %q7, %q7, %q4;\nst.global.b32 [%q7], %i15;\n";
  BulkRun run{2, 128, count(128), std::vector<uint32_t>(256)};
  std::vector<uint32_t> expected = run.in;
  expected.insert(expected.end(), run.in.begin(), run.in.end());
  expectEverywhere(makeBulkKernel(body, ".reqnctapercluster 2"), run, expected);
}

TEST(BulkCopy, Prefetch) {
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(128)};
  expectEverywhere(
      makeBulkKernel("@%p1 cp.async.bulk.prefetch.L2.global [%q1], 512;\n"),
      run, run.out);
  EXPECT_THAT(
      runBulk(
          makeBulkKernel("@%p1 cp.async.bulk.prefetch.L2.global [%q1], 528;\n"),
          run)
          .error,
      HasSubstr("out of bounds"));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct ReduceCase {
  const char *operation;
  uint32_t held, added, expected; ///< of each word
};

/// PTX ISA, table of cp.reduce.async.bulk: by hand.
const ReduceCase reductions[] = {
    {"add.u32", 0xffffffff, 3, 2},
    {"add.s32", 5, uint32_t(-7), uint32_t(-2)},
    {"add.u64", 0xffffffff, 1, 0}, // of a low word; the high one is below
    {"add.f32", 0x3f800000, 0x40000000, 0x40400000},
    {"add.noftz.f16", 0x3c003c00, 0x40003c00, 0x42004000},
    {"add.noftz.f16", 0x00010001, 0x00010001, 0x00020002},
    {"add.noftz.bf16", 0x3f803f80, 0x3f804000, 0x40004040},
    {"min.u32", 5, uint32_t(-1), 5},
    {"min.s32", 5, uint32_t(-1), uint32_t(-1)},
    {"max.u32", 5, uint32_t(-1), uint32_t(-1)},
    {"max.s32", 5, uint32_t(-1), 5},
    {"min.f16", 0x3c00c000, 0x40003c00, 0x3c00c000},
    {"max.bf16", 0x3f80c000, 0x40003f80, 0x40003f80},
    {"max.f16", 0x7e003c00, 0x3c007e00, 0x3c003c00},
    {"inc.u32", 4, 5, 5},
    {"inc.u32", 5, 5, 0},
    {"dec.u32", 4, 5, 3},
    {"dec.u32", 0, 5, 5},
    {"dec.u32", 9, 5, 5},
    {"and.b32", 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {"or.b32", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {"xor.b32", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {"xor.b64", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
};

TEST(BulkCopy, ReducesInGlobalMemory) {
  for (const ReduceCase &test : reductions) {
    SCOPED_TRACE(test.operation);
    BulkRun run{1, 128, std::vector<uint32_t>(128, test.added),
                std::vector<uint32_t>(128, test.held)};
    std::vector<uint32_t> expected(128, test.expected);
    if (test.operation == std::string("add.u64"))
      for (unsigned i = 0; i < 128; i += 2) {
        // 2^64 - 1 - 2^32 + 1 + 2^32 + 1, modulo 2^64.
        run.out[i + 1] = 0xfffffffe;
        run.in[i + 1] = 1;
        expected[i + 1] = 0;
      }
    expectEverywhere(
        makeBulkKernel(fill +
                       "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_"
                       "group." +
                       test.operation + " [%q2], [%i2], 512;\n" + commit +
                       wait),
        run, expected);
  }
}

/// Blocks add to the same words, in no order.
TEST(BulkCopy, BlocksReduceTogether) {
  BulkRun run{4, 128, count(128), std::vector<uint32_t>(128)};
  std::vector<uint32_t> expected(128);
  for (unsigned i = 0; i < 128; ++i)
    expected[i] = 4 * (i + 1);
  expectEverywhere(
      makeBulkKernel(
          fill +
          "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
          "[%q2], [%i2], 512;\n" +
          commit + waitRead),
      run, expected);
}

TEST(BulkCopy, ReducesInSharedMemory) {
  // Both blocks add to what the first one has.
  const std::string body =
      "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
      "st.shared.b32 [%i3], 100;\nld.global.b32 %i10, [%q3];\n"
      "st.shared.b32 [%i3+2048], %i10;\nfence.proxy.async;\n"
      "setp.eq.u32 %p3, %i9, 0;\nand.pred %p4, %p1, %p3;\nbar.sync 0;\n"
      "@%p4 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 1024;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "mapa.shared::cluster.u32 %i12, %i2, 0;\n"
      "mapa.shared::cluster.u32 %i13, %i4, 0;\nadd.u32 %i14, %i2, 2048;\n"
      "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
      "complete_tx::bytes.add.s32 [%i12], [%i14], 512, [%i13];\n"
      "@!%p3 bra $end;\n" +
      waitFor("w", "%i4", "0") +
      "ld.shared.b32 %i15, [%i3];\nst.global.b32 [%q4], %i15;\n"
      "$end: barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  BulkRun run{2, 128, count(128), std::vector<uint32_t>(128)};
  std::vector<uint32_t> expected(128);
  for (unsigned i = 0; i < 128; ++i)
    expected[i] = 100 + 2 * (i + 1);
  expectEverywhere(makeBulkKernel(body, ".reqnctapercluster 2"), run, expected);
}

//===----------------------------------------------------------------------===//
// When
//===----------------------------------------------------------------------===//

/// Without checks a read that comes too early finds what was there, some of
/// what comes, or all of it, by the seed.
TEST(BulkCopy, BytesComeAtAnyTime) {
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(128)};
  const std::string text =
      makeBulkKernel("st.shared.b32 [%i3], 0;\nfence.proxy.async;\n" + init +
                     expect("512") + load("512") + "bar.sync 0;\n" + storeWord +
                     "bar.sync 0;\n" + waitFor("w", "%i4", "0"));
  std::set<unsigned> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    run.options = {};
    run.options.checks = Checks::None;
    run.options.schedule.kind =
        seed ? Schedule::Random : Schedule::Deterministic;
    run.options.schedule.seed = seed;
    BulkResult result = runBulk(text, run);
    EXPECT_EQ(result.error, "");
    unsigned landed = 128 - llvm::count(result.out, 0u);
    EXPECT_TRUE(seed || landed == 0);
    seen.insert(landed == 0 ? 0 : landed == 128 ? 2 : 1);
  }
  EXPECT_EQ(seen.size(), 3u);
}

//===----------------------------------------------------------------------===//
// Refused, and wrong addresses
//===----------------------------------------------------------------------===//

TEST(BulkCopy, RefusedBeforeItRuns) {
  auto refuse = [](const std::string &body) {
    return loadError(makeBulkKernel(body));
  };
  EXPECT_THAT(refuse(load("24")), HasSubstr("expected a multiple of 16 bytes, "
                                            "got 24"));
  EXPECT_THAT(refuse("cp.async.bulk.wait_group -1;"), HasSubstr("got -1"));
  EXPECT_THAT(refuse("mbarrier.arrive.shared::cluster.b64 %q5, [%i4];"),
              HasSubstr("expected '_'"));
  EXPECT_THAT(refuse("cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                     "[%q1], [%i2], 16, %h1;"),
              HasSubstr("is not covered (at the modifier '.cp_mask')"));
  EXPECT_THAT(loadError(".version 8.5\n.target sm_90\n.address_size 64\n.entry "
                        "k() { .reg .b32 %r; .reg .b64 %q; cp.async.bulk."
                        "shared::cta.global.mbarrier::complete_tx::bytes [%r], "
                        "[%q], 16, [%r]; ret; }"),
              HasSubstr("needs PTX 8.6, got 8.5"));
  EXPECT_THAT(loadError(".version 8.0\n.target sm_80\n.address_size 64\n.entry "
                        "k() { cp.async.bulk.commit_group; ret; }"),
              HasSubstr("needs .target sm_90, got 'sm_80'"));
}

TEST(BulkCopy, WrongAddresses) {
  struct Case {
    std::string body;
    std::vector<const char *> report;
  };
  auto copyOf = [](const std::string &to, const std::string &from,
                   const std::string &bytes) {
    return init +
           "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], " +
           bytes +
           ";\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
           "complete_tx::bytes [" +
           to + "], [" + from + "], " + bytes + ", [%i4];\n" +
           waitFor("w", "%i4", "0");
  };
  const Case cases[] = {
      {copyOf("%i2+8", "%q1", "512"),
       {"PTX line 10 (`@%p1 cp.async.bulk", "thread (0,0,0)",
        "the destination of a bulk copy is misaligned: expected a multiple of "
        "16, got 1032"}},
      {copyOf("%i2", "%q1+4", "256"),
       {"the source of a bulk copy is misaligned"}},
      {"mov.u32 %i20, 24;\n" + copyOf("%i2", "%q1", "%i20"),
       {"the size of a bulk copy is misaligned: expected a multiple of 16, got "
        "24"}},
      {copyOf("%i2", "%q1+16384", "64"),
       {"read of 16 bytes at global address", "is out of bounds"}},
      {copyOf("%i2", "%q1+16352", "64"),
       {"read of 16 bytes at global address", "which ends 0 bytes before it"}},
      {copyOf("%i2+8192", "%q1", "128"),
       {"write of 16 bytes at shared::cluster address", "is out of bounds"}},
      {init +
           "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [%i2], [%q1], 16, [%i2+16];\n",
       {"the mbarrier at shared address 0x410 was not initialised"}},
  };
  for (const Case &test : cases) {
    BulkRun run{1, 128, count(4096), std::vector<uint32_t>(128)};
    run.options = {};
    run.options.checks = Checks::Bounds;
    std::vector<testing::Matcher<const std::string &>> parts;
    for (const char *part : test.report)
      parts.push_back(HasSubstr(part));
    EXPECT_THAT(runBulk(makeBulkKernel(test.body), run).error,
                testing::AllOfArray(parts));
  }
}

/// A GPU refuses it, whatever is checked.
TEST(BulkCopy, MisalignedWithoutChecks) {
  BulkRun run{1, 128, count(128), std::vector<uint32_t>(128)};
  run.options = {};
  run.options.checks = Checks::None;
  EXPECT_THAT(
      runBulk(makeBulkKernel(init + "mov.u32 %i20, 24;\n" + load("%i20")), run)
          .error,
      HasSubstr("the size of a bulk copy is misaligned: expected a "
                "multiple of 16, got 24"));
}

} // namespace
