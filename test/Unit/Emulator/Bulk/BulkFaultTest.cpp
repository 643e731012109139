//===- BulkFaultTest.cpp - Faults of bulk copies --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bulk copies find that is not there yet, or overwrite that is still in
// use; each kernel with the fault and without it.
//
//===----------------------------------------------------------------------===//

#include "Bulk/BulkHarness.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// Parts of a kernel that loads 512 bytes, uses them, and stores 512 bytes from
/// behind them.
struct Parts {
  std::string before;
  std::string init = "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
                     "@%p1 mbarrier.init.shared::cta.b64 [%i4+8], 1;\n";
  std::string begin = "bar.sync 0;\n";
  std::string expect = expectTx("512");
  std::string load = loadTo("%i2", "512");
  std::string wait = waitFor("w", "%i4", "0");
  std::string use = "ld.shared.b32 %i10, [%i3];\n";
  std::string write = "add.u32 %i10, %i10, 1;\nst.shared.b32 [%i3+1024], "
                      "%i10;\n";
  std::string fence = "fence.proxy.async.shared::cta;\n";
  std::string meet = "bar.sync 0;\n";
  std::string store = storeFrom("%i2+1024");
  std::string commit = "@%p1 cp.async.bulk.commit_group;\n";
  std::string end = "@%p1 cp.async.bulk.wait_group.read 0;\n";
  std::string after;

  static std::string expectTx(const std::string &bytes,
                              const std::string &bar = "%i4") {
    return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [" + bar +
           "], " + bytes + ";\n";
  }
  static std::string loadTo(const std::string &to, const std::string &bytes,
                            const std::string &bar = "%i4") {
    return "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [" +
           to + "], [%q1], " + bytes + ", [" + bar + "];\n";
  }
  static std::string storeFrom(const std::string &from) {
    return "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%q2], [" + from +
           "], 512;\n";
  }
  std::string get() const {
    return before + init + begin + expect + load + wait + use + write + fence +
           meet + store + commit + end + after;
  }
};

template <typename Change>
std::string with(Change change) {
  Parts parts;
  change(parts);
  return parts.get();
}

const std::string good = Parts().get();
const std::string again = "bar.sync 0;\n" + Parts::expectTx("512") +
                          Parts::loadTo("%i2", "512") +
                          waitFor("v", "%i4", "1");

/// Check 1: what was written by other instructions, and no fence since then.
TEST(BulkFaults, Unfenced) {
  const BulkFault faults[] = {
      {"StoreReads",
       with([](Parts &p) { p.fence = ""; }),
       {"thread (0,0,0)", "read of 512 bytes at shared address",
        "goes through the async proxy, which need not see the write by thread",
        "(`st.shared.b32 [%i3+1024], %i10`)", "execute fence.proxy.async"},
       good},
      {"FenceOfGlobalMemory",
       with([](Parts &p) { p.fence = "fence.proxy.async.global;\n"; }),
       {"which need not see the write by thread"},
       with([](Parts &p) { p.fence = "fence.proxy.async;\n"; })},
      {"FenceBeforeTheWrite",
       with([](Parts &p) { std::swap(p.fence, p.write); }),
       {"which need not see the write by thread"},
       good},
      {"FenceByOneThreadBeforeTheBarrier",
       with([](Parts &p) { p.fence = "@%p1 " + p.fence; }),
       {"which need not see the write by thread"},
       with([](Parts &p) { p.meet += "@%p1 " + p.fence, p.fence = ""; })},
      {"GenericFence",
       with([](Parts &p) { p.fence = "fence.acq_rel.cta;\n"; }),
       {"which need not see the write by thread"},
       good},
      {"LoadOverwrites",
       with([](Parts &p) { p.before = "st.shared.b32 [%i3], 5;\n"; }),
       {"write of 512 bytes at shared address 0x400",
        "goes through the async proxy, which need not see the write by thread",
        "(`st.shared.b32 [%i3], 5`)"},
       with([](Parts &p) {
         p.before = "st.shared.b32 [%i3], 5;\nfence.proxy.async;\n";
       })},
      {"LoadOfWhatTheKernelWrote",
       with([](Parts &p) { p.before = "st.global.b32 [%q3], 5;\n"; }),
       {"read of 512 bytes at global address",
        "which need not see the write by thread", "(`st.global.b32 [%q3], 5`)"},
       with([](Parts &p) {
         p.before = "st.global.b32 [%q3], 5;\nfence.proxy.async.global;\n";
       })},
      {"StoreOverWhatTheKernelWrote",
       with([](Parts &p) { p.write += "st.global.b32 [%q4], 5;\n"; }),
       {"write of 512 bytes at global address",
        "which need not see the write by thread"},
       with([](Parts &p) {
         p.write += "st.global.b32 [%q4], 5;\n";
         p.fence = "fence.proxy.async;\n";
       })},
  };
  runFaults(faults);
}

/// Check 2: what is loaded is used before anybody knows that it is there.
TEST(BulkFaults, TooEarly) {
  const BulkFault faults[] = {
      {"NoWait",
       with([](Parts &p) { p.wait = ""; }),
       {"read of 4 bytes at shared address 0x400",
        "meets an asynchronous copy in flight, a write by thread (0,0,0)",
        "wait for the phase of its mbarrier"},
       good},
      {"TheWaitIsBehind",
       with([](Parts &p) { std::swap(p.wait, p.use); }),
       {"meets an asynchronous copy in flight"},
       good},
      {"AnotherBarrier",
       with([](Parts &p) {
         p.expect += Parts::expectTx("512", "%i4+8");
         p.load += Parts::loadTo("%i2+2048", "512", "%i4+8");
         p.use += "ld.shared.b32 %i11, [%i3+2048];\n";
         p.end += waitFor("v", "%i4+8", "0");
       }),
       {"read of 4 bytes at shared address 0xc00",
        "meets an asynchronous copy in flight"},
       with([](Parts &p) {
         p.expect += Parts::expectTx("512", "%i4+8");
         p.load += Parts::loadTo("%i2+2048", "512", "%i4+8");
         p.wait += waitFor("v", "%i4+8", "0");
         p.use += "ld.shared.b32 %i11, [%i3+2048];\n";
       })},
      {"ThePhaseBefore",
       with([](Parts &p) {
         p.after = "bar.sync 0;\n" + Parts::expectTx("512") +
                   Parts::loadTo("%i2", "512") + waitFor("v", "%i4", "0") +
                   "ld.shared.b32 %i11, [%i3];\n" + waitFor("u", "%i4", "1");
       }),
       {"meets an asynchronous copy in flight"},
       with(
           [](Parts &p) { p.after = again + "ld.shared.b32 %i11, [%i3];\n"; })},
      {"OnlyOneThreadWaits",
       with([](Parts &p) {
         p.wait = "@!%p1 bra $skip;\n" + p.wait + "$skip:\n";
       }),
       {"race: read of 4 bytes at shared address", "write by thread (0,0,0)",
        "are not ordered: wait for the phase of its mbarrier"},
       with([](Parts &p) {
         p.wait = "@!%p1 bra $skip;\n" + p.wait + "$skip: bar.sync 0;\n";
       })},
      {"TheIssuerDoesNot",
       with([](Parts &p) {
         p.wait = "@%p1 bra $skip;\n" + p.wait + "$skip:\n";
       }),
       {"thread (0,0,0)", "read of 4 bytes at shared address 0x400"},
       with([](Parts &p) {
         p.wait = "@%p1 bra $skip;\n" + p.wait + "$skip: bar.sync 0;\n";
       })},
      {"StoredOnBefore",
       with([](Parts &p) {
         p.wait = "";
         p.use = p.write = "";
         p.store = Parts::storeFrom("%i2");
         p.after = waitFor("w", "%i4", "0");
       }),
       {"read of 512 bytes at shared address 0x400",
        "wait for the phase of its mbarrier"},
       with([](Parts &p) {
         p.use = p.write = "";
         p.store = Parts::storeFrom("%i2");
       })},
      {"GlobalMemoryReadBefore",
       with([](Parts &p) {
         p.end += "bar.sync 0;\nld.global.b32 %i12, [%q4];\n";
       }),
       {"read of 4 bytes at global address",
        "wait for it with cp.async.bulk.wait_group in that thread"},
       with([](Parts &p) {
         p.end = "@%p1 cp.async.bulk.wait_group 0;\nbar.sync 0;\n"
                 "ld.global.b32 %i12, [%q4];\n";
       })},
  };
  runFaults(faults);
}

/// Check 3: a stage is loaded again while somebody may still use it.
TEST(BulkFaults, Overwritten) {
  const std::string load = Parts::expectTx("512") + Parts::loadTo("%i2", "512");
  const std::string waitAgain = waitFor("v", "%i4", "1");
  const BulkFault faults[] = {
      {"ReadersUnordered",
       with([&](Parts &p) {
         p.use = "bar.sync 0;\n" + p.use;
         p.write = load + waitAgain + p.write;
       }),
       {"race: write of 512 bytes at shared address", "read by thread"},
       with([&](Parts &p) { p.write = again + p.write; })},
      {"EmptyBarrierNotWaitedFor",
       with([&](Parts &p) {
         p.init += "@%p1 mbarrier.init.shared::cta.b64 [%i4+16], 128;\n";
         p.use = "bar.sync 0;\n" + p.use +
                 "mbarrier.arrive.shared::cta.b64 %q6, [%i4+16];\n" + load +
                 waitAgain;
       }),
       {"race: write of 512 bytes at shared address", "read by thread"},
       // Generic reads before it need no proxy fence.
       with([&](Parts &p) {
         p.init += "@%p1 mbarrier.init.shared::cta.b64 [%i4+16], 128;\n";
         p.use = "bar.sync 0;\n" + p.use +
                 "mbarrier.arrive.shared::cta.b64 %q6, [%i4+16];\n" +
                 waitFor("e", "%i4+16", "0") + load + waitAgain;
       })},
      {"TwoLoadsAtOnce",
       with([&](Parts &p) {
         p.expect = Parts::expectTx("1024");
         p.load += Parts::loadTo("%i2+256", "512");
       }),
       {"write of 512 bytes at shared address 0x500",
        "meets an asynchronous copy in flight, a write by thread (0,0,0)"},
       with([&](Parts &p) {
         p.expect = Parts::expectTx("1024");
         p.load += Parts::loadTo("%i2+512", "512");
       })},
      {"WrittenInFlight",
       with([](Parts &p) { p.load += "st.shared.b32 [%i3], 0;\n"; }),
       {"write of 4 bytes at shared address",
        "meets an asynchronous copy in flight"},
       with([](Parts &p) { p.use += "st.shared.b32 [%i3], 0;\n"; })},
      {"StoreStillReads",
       with([&](Parts &p) {
         p.load = Parts::loadTo("%i2+1024", "512");
         p.use = p.write = p.fence = "";
         p.end = Parts::expectTx("512") + p.load + waitAgain + p.end;
       }),
       {"write of 512 bytes at shared address 0x800",
        "meets an asynchronous copy in flight, a read by thread (0,0,0)",
        "cp.async.bulk.wait_group.read"},
       with([&](Parts &p) {
         p.load = Parts::loadTo("%i2+1024", "512");
         p.use = p.write = p.fence = "";
         p.end += Parts::expectTx("512") + p.load + waitAgain;
       })},
      {"SourceOverwritten",
       with([](Parts &p) { p.load += "@%p1 st.global.b32 [%q3], 77;\n"; }),
       {"the source of a bulk copy was overwritten before the copy was over"},
       with([](Parts &p) {
         p.before = "@%p1 st.global.b32 [%q3], 77;\nfence.proxy.async;\n";
       })},
      {"SourceOverwrittenByOthers",
       with([](Parts &p) { p.load += "@!%p1 st.global.b32 [%q3], 77;\n"; }),
       {"race: write of 4 bytes at global address",
        "and read by thread (0,0,0) at PTX line",
        "are not ordered by a barrier"},
       with([](Parts &p) { p.meet += "@!%p1 st.global.b32 [%q3], 77;\n"; })},
  };
  runFaults(faults);
}

/// Check 5: bytes against expect_tx, and check 6: waits that do not end.
TEST(BulkFaults, ExpectedBytes) {
  const BulkFault faults[] = {
      {"TooFew",
       with([](Parts &p) {
         p.expect = Parts::expectTx("256");
         p.load = Parts::loadTo("%i2", "256") + Parts::loadTo("%i2+256", "256");
       }),
       {"expect_tx tells of fewer bytes than the copies of that phase bring, "
        "of which this one brings 256",
        "256 of 256 bytes", "expected at PTX line"},
       good},
      {"TooFewForOneCopy",
       with([](Parts &p) { p.expect = Parts::expectTx("256"); }),
       {"deadlock", "phase 0 of the mbarrier at shared address 0x2400 has 1 of "
                    "1 arrivals and 512 of 256 bytes"},
       good},
      {"TooMany",
       with([](Parts &p) { p.expect = Parts::expectTx("1024"); }),
       {"deadlock: 128 threads wait at PTX line",
        "phase 0 of the mbarrier at shared address 0x2400 has 1 of 1 arrivals "
        "and 512 of 1024 bytes, expected at PTX line 9",
        "brought by PTX line 10 (`@%p1 cp.async.bulk"},
       good},
      {"NotExpected",
       with([](Parts &p) {
         p.expect = "@%p1 mbarrier.arrive.shared::cta.b64 %q5, [%i4];\n";
         std::swap(p.expect, p.load);
       }),
       {"expect_tx tells of fewer bytes than the copies of that phase bring"},
       good},
      {"NoArrival",
       with([](Parts &p) {
         p.expect = "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
                    "[%i4], 512;\n";
       }),
       {"deadlock", "has 0 of 1 arrivals and 512 of 512 bytes"},
       with([](Parts &p) {
         p.expect = "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
                    "[%i4], 512;\n@%p1 mbarrier.arrive.shared::cta.b64 %q5, "
                    "[%i4];\n";
       })},
      {"NoCopy",
       with([](Parts &p) { p.load = ""; }),
       {"deadlock", "has 1 of 1 arrivals and 0 of 512 bytes"},
       good},
      {"TheOtherBarrier",
       with([](Parts &p) { p.load = Parts::loadTo("%i2", "512", "%i4+8"); }),
       {"deadlock", "phase 0 of the mbarrier at shared address 0x2400 has 1 of "
                    "1 arrivals and 0 of 512 bytes"},
       good},
      {"ThirdPhase",
       with([](Parts &p) { p.after = again + waitFor("u", "%i4", "0"); }),
       {"deadlock", "phase 2 of the mbarrier at shared address 0x2400 has 0 of "
                    "1 arrivals"},
       with([](Parts &p) { p.after = again; })},
  };
  runFaults(faults);
}

/// Check 8: sources of stores, and what is left at the end.
TEST(BulkFaults, SourcesAndEnds) {
  const std::string rewrite = "bar.sync 0;\nst.shared.b32 [%i3+1024], 9;\n";
  const BulkFault faults[] = {
      {"Rewritten",
       with([&](Parts &p) { std::swap(p.end, p.after = rewrite); }),
       {"write of 4 bytes at shared address",
        "meets an asynchronous copy in flight, a read by thread (0,0,0)",
        "wait for it with cp.async.bulk.wait_group.read in that thread"},
       with([&](Parts &p) { p.after = rewrite; })},
      {"WaitedForTheOlderGroup",
       with([&](Parts &p) {
         p.store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group "
                   "[%q2+2048], [%i2], 512;\n" +
                   p.commit + p.store;
         p.end = "@%p1 cp.async.bulk.wait_group.read 1;\n" + rewrite + p.end;
       }),
       {"a read by thread (0,0,0)"},
       with([&](Parts &p) {
         p.store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group "
                   "[%q2+2048], [%i2], 512;\n" +
                   p.commit + p.store;
         p.end = "@%p1 cp.async.bulk.wait_group.read 1;\nbar.sync 0;\n"
                 "st.shared.b32 [%i3], 9;\n" +
                 p.end;
       })},
      {"NotOrderedBehindTheWait",
       with([](Parts &p) { p.after = "st.shared.b32 [%i3+1024], 9;\n"; }),
       {"write of 4 bytes at shared address", "by thread (0,0,0)"},
       with([&](Parts &p) { p.after = rewrite; })},
      {"WaitedForByAnotherThread",
       with([&](Parts &p) {
         p.end = "setp.eq.u32 %p3, %i1, 1;\n@%p3 cp.async.bulk.wait_group.read "
                 "0;\n" +
                 rewrite + p.end;
       }),
       {"a read by thread (0,0,0)"},
       with([&](Parts &p) { p.after = rewrite; })},
      {"ExitWithReads",
       with([](Parts &p) { p.end = ""; }),
       {"thread (0,0,0)",
        "the thread ends while this copy may still read shared memory; execute "
        "cp.async.bulk.wait_group.read 0 before"},
       good},
      {"NotCommitted",
       with([](Parts &p) { p.commit = ""; }),
       {"the thread ends while this copy may still read shared memory; end its "
        "group with cp.async.bulk.commit_group"},
       good},
      {"ExitWithLoads",
       with([](Parts &p) { p.wait = p.use = ""; }),
       {"block (0,0,0) ends while this copy of its shared memory may be in "
        "flight: nobody has waited for the phase of its mbarrier"},
       good},
  };
  runFaults(faults);
}

} // namespace
