//===- ClusterStoreTest.cpp - st.async, red.async and setmaxnreg ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that threads send to other blocks, and registers that warpgroups give
// each other.
//
//===----------------------------------------------------------------------===//

#include "Bulk/BulkHarness.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

const std::string meetCluster =
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

/// Each thread sends `send` to its place in the other block, which waits for
/// `bytes` and stores what came.
std::string makeExchange(const std::string &send, const std::string &bytes,
                         const std::string &wait = waitFor("w", "%i4", "0")) {
  return "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
         "st.shared.b32 [%i3], 100;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], " +
         bytes + ";\n" + meetCluster +
         "xor.b32 %i11, %i9, 1;\nmapa.shared::cluster.u32 %i12, %i3, %i11;\n"
         "mapa.shared::cluster.u32 %i13, %i4, %i11;\n"
         "ld.global.b32 %i10, [%q3];\nadd.u32 %i10, %i10, %i9;\n" +
         send + wait +
         "ld.shared.b32 %i15, [%i3];\nmul.wide.u32 %q7, %i9, 512;\n"
         "add.u64 %q7, %q7, %q4;\nst.global.b32 [%q7], %i15;\n" +
         meetCluster;
}

const std::string store =
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%i12], %i10, "
    "[%i13];\n";
const std::string cluster = ".reqnctapercluster 2";

BulkRun makeRun() { return {2, 128, count(128), std::vector<uint32_t>(256)}; }

void expectEverywhere(const std::string &body,
                      const std::vector<uint32_t> &expected) {
  for (const LaunchOptions &options : getAllOptions()) {
    BulkRun run = makeRun();
    run.options = options;
    BulkResult result = runBulk(makeBulkKernel(body, cluster), run);
    EXPECT_EQ(result.all, "");
    EXPECT_EQ(result.out, expected);
  }
}

TEST(ClusterStore, Values) {
  std::vector<uint32_t> expected(256);
  for (unsigned i = 0; i < 128; ++i) {
    expected[i] = i + 2;
    expected[128 + i] = i + 1;
  }
  expectEverywhere(makeExchange(store, "512"), expected);
  // Four at once, by a quarter of the threads; generic addresses.
  expectEverywhere(
      makeExchange("and.b32 %i16, %i1, 3;\nsetp.eq.u32 %p3, %i16, 0;\n"
                   "add.u32 %i17, %i10, 1;\nadd.u32 %i18, %i10, 2;\n"
                   "add.u32 %i19, %i10, 3;\ncvt.u64.u32 %q8, %i12;\n"
                   "cvta.shared::cluster.u64 %q8, %q8;\n"
                   "cvt.u64.u32 %q9, %i13;\n"
                   "cvta.shared::cluster.u64 %q9, %q9;\n"
                   "@%p3 st.async.weak.mbarrier::complete_tx::bytes.v4.u32 "
                   "[%q8], {%i10, %i17, %i18, %i19}, [%q9];\n",
                   "512"),
      expected);
}

TEST(ClusterStore, Reductions) {
  std::vector<uint32_t> sums(256), most(256);
  for (unsigned i = 0; i < 128; ++i) {
    sums[i] = 100 + i + 2;
    sums[128 + i] = 100 + i + 1;
    most[i] = std::max(100u, i + 2);
    most[128 + i] = std::max(100u, i + 1);
  }
  auto reduce = [](const std::string &operation) {
    return "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
           "bytes." +
           operation + " [%i12], %i10, [%i13];\n";
  };
  expectEverywhere(makeExchange(reduce("add.u32"), "512"), sums);
  expectEverywhere(makeExchange(reduce("max.s32"), "512"), most);
  // All threads add to one word.
  std::string one = "sub.u32 %i12, %i12, %i3;\nadd.u32 %i12, %i12, %i2;\n"
                    "mov.u32 %i10, 1;\n" +
                    reduce("add.u32");
  std::vector<uint32_t> counts(256, 100);
  counts[0] = counts[128] = 228;
  expectEverywhere(makeExchange(one, "512"), counts);
}

TEST(ClusterStore, Faults) {
  BulkRun run = makeRun();
  const std::string good = makeExchange(store, "512");
  const BulkFault faults[] = {
      {"NoWait",
       makeExchange(store, "512", ""),
       {"meets an asynchronous copy in flight, a write by thread",
        "wait for the phase of its mbarrier"},
       good,
       run,
       cluster},
      {"TooFewBytes",
       makeExchange(store, "1024"),
       {"deadlock", "has 1 of 1 arrivals and 512 of 1024 bytes",
        "brought by PTX line"},
       good,
       run,
       cluster},
      {"BarrierOfAnotherBlock",
       makeExchange("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
                    "[%i12], %i10, [%i4];\n",
                    "512"),
       {"expected an mbarrier in the shared memory of the block that the copy "
        "writes to"},
       good,
       run,
       cluster},
      {"Misaligned",
       makeExchange("add.u32 %i12, %i12, 2;\n" + store, "512"),
       {"misaligned: expected a multiple of 4"},
       good,
       run,
       cluster},
      {"TwoToOnePlace",
       makeExchange("and.b32 %i16, %i1, 126;\nshl.b32 %i16, %i16, 2;\n"
                    "add.u32 %i12, %i16, %i2;\nmapa.shared::cluster.u32 %i12, "
                    "%i12, %i11;\n" +
                        store,
                    "512"),
       {"meets an asynchronous copy in flight"},
       good,
       run,
       cluster},
  };
  runFaults(faults);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Three warpgroups: the first gives registers to the others.
std::string makeRoles(const std::string &producer, const std::string &first,
                      const std::string &second) {
  return "shr.u32 %i10, %i1, 7;\nsetp.eq.u32 %p3, %i10, 0;\n"
         "setp.eq.u32 %p4, %i10, 1;\n@%p3 bra $producer;\n@%p4 bra $first;\n" +
         second + "bra $end;\n$first: " + first +
         "bra $end;\n$producer: " + producer + "$end:\n";
}

std::string give(unsigned registers) {
  return "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(registers) + ";\n";
}
std::string take(unsigned registers) {
  return "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(registers) + ";\n";
}

/// Check 7: 384 threads have 168 registers each, 64512 in all.
TEST(ClusterStore, BudgetsOfRegisters) {
  BulkRun run{1, 384, count(384), std::vector<uint32_t>(384)};
  const std::string good = makeRoles(give(24), take(240), take(240));
  const BulkFault faults[] = {
      {"TooMany",
       makeRoles(give(40), take(240), take(240)),
       {"deadlock", "(`setmaxnreg.inc.sync.aligned.u32 240`)",
        "the budgets of the warpgroups exceed the 64512 registers of the "
        "block"},
       good,
       run},
      {"NobodyGives",
       makeRoles("", take(176), ""),
       {"deadlock", "has 168 registers for a thread, wants 176"},
       makeRoles(give(160), take(176), ""),
       run},
      {"GivesWhatItHasNot",
       makeRoles(give(176), "", ""),
       {"expected at most the 168 registers that the warp has, got 176"},
       makeRoles(give(168), "", ""),
       run},
      {"TakesLess",
       makeRoles(give(24), take(240) + take(232), ""),
       {"expected at least the 240 registers that the warp has, got 232"},
       makeRoles(give(24), take(232) + take(240), ""),
       run},
      {"OneWarpOnly",
       makeRoles("setp.lt.u32 %p5, %i1, 32;\n@!%p5 bra $end;\n" + give(24), "",
                 ""),
       {"ends without this instruction, which another warp of its warpgroup "
        "executed"},
       makeRoles(give(24), "", ""),
       run},
      {"DifferentOnes",
       makeRoles("setp.lt.u32 %p5, %i1, 64;\n@!%p5 bra $other;\n" + give(24) +
                     "bra $end;\n$other: " + give(32),
                 "", ""),
       {"the warps of a warpgroup execute different setmaxnreg"},
       makeRoles(give(24), "", ""),
       run},
      {"NoWarpgroup",
       give(24),
       {"expected a warpgroup of 128 threads, from a multiple of 128 on, but "
        "the block has 96 threads"},
       "bar.sync 0;\n",
       {1, 96, count(96), std::vector<uint32_t>(96)}},
  };
  runFaults(faults);
}

} // namespace
