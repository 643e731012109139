//===- GroupFaultTest.cpp - Faults of wgmma in memory and registers -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to what a product in flight uses, and fences that are missing.
//
//===----------------------------------------------------------------------===//

#include "GroupFaults.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST(GroupFaults, RegistersInFlight) {
  const Case cases[] = {
      {"ReadBeforeTheWait",
       with([](Parts &p) { std::swap(p.wait, p.end); }),
       {"register %d0 is in use by a wgmma in flight; wait for it",
        "PTX line 13 (`st.global", "PTX line 11 (`wgmma.mma_async"},
       {}},
      {"WrittenBeforeTheWait",
       with([](Parts &p) { p.commit += clear; }),
       {"register %d0 is in use by a wgmma in flight", "(`mov.b32 %d0, 0`)"},
       with([](Parts &p) { p.wait += clear; })},
      {"WaitedForTheOlderGroup",
       with([](Parts &p) {
         p.multiply += commit + Parts::product("e");
         p.wait = waitFor(1);
         p.end = Parts::store("e");
       }),
       {"register %e0 is in use by a wgmma in flight"},
       with([](Parts &p) {
         p.multiply += commit + Parts::product("e");
         p.wait = waitFor(1);
         p.end += waitFor(0);
       })},
      {"InputsWritten",
       with([](Parts &p) {
         p.multiply = Parts::product("d", inputs);
         p.commit += "mov.b32 %a2, 1;\n";
       }),
       {"register %a2 is in use by a wgmma in flight"},
       with([](Parts &p) {
         p.multiply = Parts::product("d", inputs);
         p.wait += "mov.b32 %a2, 1;\n";
       })},
      {"NotCommitted",
       with([](Parts &p) { p.commit = ""; }),
       {"register %d0 is in use by a wgmma in flight; end its group with "
        "wgmma.commit_group and wait for it"},
       {}},
      {"ResultIsAnInput",
       with([](Parts &p) {
         p.multiply += Parts::product("e", "{%d0, %d1, %d2, %d3}");
         p.end += Parts::store("e");
       }),
       {"register %d0 is in use by a wgmma in flight",
        "only accumulators of one shape may be used again"},
       with([](Parts &p) {
         p.multiply += commit + waitFor(0) + fence +
                       Parts::product("e", "{%d0, %d1, %d2, %d3}");
         p.end += Parts::store("e");
       })},
      {"ByOneThread",
       with([](Parts &p) { p.commit += "@%p4 add.u32 %d3, %d3, 1;\n"; }),
       {"thread (0,0,0)", "register %d3 is in use by a wgmma in flight"},
       with([](Parts &p) { p.wait += "@%p4 add.u32 %d3, %d3, 1;\n"; })},
  };
  runAll(cases);
}

TEST(GroupFaults, MissingFences) {
  const Case cases[] = {
      {"None",
       with([](Parts &p) { p.fence = ""; }),
       {"expected a wgmma.fence before the first wgmma that uses register "
        "%d0"},
       {}},
      {"AccumulatorWritten",
       with([](Parts &p) { p.fence += "add.u32 %d0, %i1, 1;\n"; }),
       {"register %d0 was accessed since the last wgmma.fence",
        "PTX line 11 (`add.u32 %d0, %i1, 1`)", "PTX line 12 (`wgmma.mma_async"},
       with([](Parts &p) { p.fence = "add.u32 %d0, %i1, 1;\n" + p.fence; })},
      // Compilers write constants and copies behind the fence.
      {"Copied",
       with([](Parts &p) {
         p.fence += "add.u32 %e0, %i1, 1;\nmov.b32 %e1, %e0;\nmov.b32 %d0, "
                    "%e1;\n";
       }),
       {"register %d0 was accessed since the last wgmma.fence",
        "PTX line 11 (`add.u32 %e0, %i1, 1`)"},
       with([](Parts &p) {
         p.fence = "add.u32 %e0, %i1, 1;\n" + p.fence +
                   "mov.b32 %e1, %e0;\nmov.b32 %d0, %e1;\nmov.b32 %d1, 0;\n"
                   "mov.b32 %d2, %d1;\n";
       })},
      {"InputWritten",
       with([](Parts &p) {
         p.multiply = Parts::product("d", inputs);
         p.fence += "add.u32 %a1, %i1, 1;\n";
       }),
       {"register %a1 was accessed since the last wgmma.fence"},
       with([](Parts &p) {
         p.multiply = Parts::product("d", inputs);
         p.fence = "add.u32 %a1, %i1, 1;\n" + p.fence;
       })},
      {"ReadAndUsedAgain",
       with([](Parts &p) {
         p.end += Parts::product("d") + commit + waitFor(0);
       }),
       {"register %d0 was accessed since the last wgmma.fence", "(`st.global"},
       with([](Parts &p) {
         p.end += fence + Parts::product("d") + commit + waitFor(0);
       })},
      {"InALoop",
       with([](Parts &p) {
         p.multiply = "mov.u32 %i5, 0;\nagain: " + p.multiply;
         p.wait += "mov.b32 %d1, 0;\nadd.u32 %i5, %i5, 1;\nsetp.lt.u32 %p6, "
                   "%i5, 3;\n@%p6 bra again;\n";
       }),
       {"register %d1 was accessed since the last wgmma.fence"},
       with([](Parts &p) {
         p.multiply = "mov.u32 %i5, 0;\nagain: " + p.multiply;
         p.wait += "add.u32 %i5, %i5, 1;\nsetp.lt.u32 %p6, %i5, 3;\n@%p6 bra "
                   "again;\n";
       })},
      {"AnotherShape",
       with([](Parts &p) {
         p.wait += "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, "
                   "%d1, %d2, %d3}, %q4, %q5, %p1, 1, 1;\n" +
                   commit + waitFor(0);
       }),
       {"register %d0 was an accumulator of shape m64n8k16 since the last "
        "wgmma.fence"},
       with([](Parts &p) {
         p.wait += fence +
                   "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, "
                   "%d1, %d2, %d3}, %q4, %q5, %p1, 1, 1;\n" +
                   commit + waitFor(0);
       })},
  };
  runAll(cases);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Threads from 128 on write, and go on to `then`.
std::string producer(const std::string &then) {
  return "@%p5 bra consumer;\n"
         "sub.u32 %i3, %i3, 2048;\nst.shared.v4.b32 [%i3], {%i9, %i9, %i9, "
         "%i9};\nsub.u32 %i8, %i1, 128;\nsetp.lt.u32 %p2, %i8, 16;\n@%p2 "
         "st.shared.v4.b32 [%i3+2048], {%i9, %i9, %i9, %i9};\n" +
         then;
}

const std::string initBarrier =
    "mov.u32 %i6, bar;\n@%p4 mbarrier.init.shared.b64 [%i6], 128;\n@%p4 "
    "mbarrier.init.shared.b64 [%i6+8], 128;\nbar.sync 0;\n";
const std::string arrive = "mbarrier.arrive.shared.b64 %q9, [%i6];\n";
const std::string await =
    "await: mbarrier.try_wait.parity.shared.b64 %p7, [%i6], 0;\n@!%p7 bra "
    "await;\n";

TEST(GroupFaults, MissingProxyFences) {
  const Case cases[] = {
      {"None",
       with([](Parts &p) { p.proxy = ""; }),
       {"read of 16 bytes at shared address 0x", "(in 'tile')",
        "goes through the async proxy, which need not see the write by thread "
        "(",
        ",0,0) at PTX line 6 (`st.shared.v4.b32", "execute fence.proxy.async"},
       {}},
      {"BeforeTheWrite",
       with([](Parts &p) { std::swap(p.write, p.proxy); }),
       {"execute fence.proxy.async"},
       {}},
      {"OfGlobalMemory",
       with([](Parts &p) { p.proxy = "fence.proxy.async.global;\n"; }),
       {"execute fence.proxy.async"},
       with([](Parts &p) { p.proxy = "fence.proxy.async.shared::cta;\n"; })},
      {"OnlyInOneWarp",
       with([](Parts &p) {
         p.proxy = "";
         p.meet += "@%p3 fence.proxy.async;\n";
       }),
       {"execute fence.proxy.async"},
       with([](Parts &p) {
         p.proxy = "";
         p.meet += "fence.proxy.async;\n";
       })},
      {"OfAReaderAfterAnotherBarrier",
       with([](Parts &p) {
         p.proxy = "";
         p.meet += "@%p4 fence.proxy.async;\n";
       }),
       {"execute fence.proxy.async"},
       with([](Parts &p) {
         p.proxy = "";
         p.meet += "@%p4 fence.proxy.async;\nbar.sync 0;\n";
       })},
      {"BeforeACopyLanded",
       with([](Parts &p) {
         p.write += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n"
                              "cp.async.commit_group;\n";
         p.proxy += "cp.async.wait_group 0;\n";
       }),
       {"(`cp.async.cg", "execute fence.proxy.async"},
       with([](Parts &p) {
         p.write += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n"
                              "cp.async.commit_group;\n"
                              "cp.async.wait_group 0;\n";
       })},
      {"OfTheOtherWarpgroup",
       with([](Parts &p) {
         p.write = producer("consumer:\n");
         p.proxy = "@%p5 fence.proxy.async;\n";
         p.meet += "@!%p5 exit;\n";
       }),
       {"need not see the write by thread (128,0,0)"},
       with([](Parts &p) {
         p.write = producer("consumer:\n");
         p.proxy = "@!%p5 fence.proxy.async;\n";
         p.meet += "@!%p5 exit;\n";
       }),
       256},
      {"BeforeAnArrivalOnAnMbarrier",
       with([](Parts &p) {
         p.write = initBarrier + producer(arrive + "ret;\nconsumer:\n");
         p.proxy = "";
         p.meet = await;
       }),
       {"execute fence.proxy.async"},
       with([](Parts &p) {
         p.write = initBarrier + producer(proxy + arrive + "ret;\nconsumer:\n");
         p.proxy = "";
         p.meet = await;
       }),
       256},
      {"BeforeABarrierOfSomeThreads",
       with([](Parts &p) {
         p.write = producer("bar.arrive 1, 256;\nret;\nconsumer:\n");
         p.proxy = "";
         p.meet = "bar.sync 1, 256;\n";
       }),
       {"execute fence.proxy.async"},
       with([](Parts &p) {
         p.write = producer(proxy + "bar.arrive 1, 256;\nret;\nconsumer:\n");
         p.proxy = "";
         p.meet = "bar.sync 1, 256;\n";
       }),
       256},
  };
  runAll(cases);
}

TEST(GroupFaults, UnorderedWrites) {
  const Case cases[] = {
      {"NoBarrier",
       with([](Parts &p) { p.meet = ""; }),
       {"race: read of 16 bytes at shared address", "and write by thread (",
        "are not ordered by a barrier"},
       {}},
      {"BarrierOfTheWarp",
       with([](Parts &p) { p.meet = "bar.warp.sync -1;\n"; }),
       {"race: "},
       {}},
      {"BarrierOfOtherThreads",
       with([](Parts &p) {
         p.write = producer("consumer:\n");
         p.meet = "@!%p5 exit;\nbar.sync 1, 128;\n";
       }),
       {" of 16 bytes at shared address"},
       with([](Parts &p) {
         p.write = producer("consumer:\n");
         p.meet = "bar.sync 1, 256;\n@!%p5 exit;\n";
       }),
       256},
      {"CopyInFlight",
       with([](Parts &p) {
         p.write += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n"
                              "cp.async.commit_group;\n";
         p.end += "cp.async.wait_group 0;\n";
       }),
       {"meets an asynchronous copy in flight"},
       with([](Parts &p) {
         p.write += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n"
                              "cp.async.commit_group;\n"
                              "cp.async.wait_group 0;\n";
       })},
      {"NotWritten",
       with([](Parts &p) { p.write = storeTile; }),
       {"uninitialised: read of 16 bytes at shared address"},
       {}},
  };
  runAll(cases);
}

TEST(GroupFaults, OverwrittenInFlight) {
  const Case cases[] = {
      {"BeforeTheWait",
       with([](Parts &p) { p.commit += barrier + storeTile; }),
       {"write of 16 bytes at shared address", "meets a wgmma in flight",
        "(`wgmma.mma_async", "wait for it with wgmma.wait_group"},
       with([](Parts &p) { p.wait += barrier + storeTile; })},
      {"AfterTheWaitForTheOlderGroup",
       with([](Parts &p) {
         p.multiply += commit + Parts::product("e");
         p.wait = waitFor(1) + barrier + storeTile + waitFor(0);
       }),
       {"meets a wgmma in flight"},
       with([](Parts &p) {
         p.multiply += commit + Parts::product("e");
         p.wait = waitFor(1) + waitFor(0) + barrier + storeTile;
       })},
      {"ByACopy",
       with([](Parts &p) {
         p.commit += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n";
         p.end += "cp.async.wait_all;\n";
       }),
       {"meets a wgmma in flight", "(`cp.async.cg"},
       with([](Parts &p) {
         p.wait += barrier + "cp.async.cg.shared.global [%i3], [%q2], 16;\n";
         p.end += "cp.async.wait_all;\n";
       })},
      {"ByAnAtomic",
       with([](Parts &p) {
         p.commit += barrier + "atom.shared.add.u32 %i8, [%i3], 1;\n";
       }),
       {"atomic access of 4 bytes", "meets a wgmma in flight"},
       with([](Parts &p) {
         p.wait += barrier + "atom.shared.add.u32 %i8, [%i3], 1;\n";
       })},
      {"ByAWarpThatDidNotWait",
       with([](Parts &p) {
         p.meet += "@%p5 bra go;\nst.shared.v4.b32 [%i3+-2048], {%i9, %i9, "
                   "%i9, %i9};\nret;\ngo:\n";
         p.write = "@!%p5 bra skip;\n" + p.write + "skip:\n";
       }),
       {"race: "},
       with([](Parts &p) {
         p.meet += "@%p5 bra go;\nbar.sync 1, 256;\nst.shared.v4.b32 "
                   "[%i3+-2048], {%i9, %i9, %i9, %i9};\nret;\ngo:\n";
         p.write = "@!%p5 bra skip;\n" + p.write + "skip:\n";
         p.wait += "bar.sync 1, 256;\n";
       }),
       256},
      {"WhileTheOtherWarpgroupReads",
       with([](Parts &p) {
         p.write = "@!%p5 bra skip;\n" + p.write + "skip:\n";
         p.wait += "@!%p5 st.shared.v4.b32 [%i3+-2048], {%i9, %i9, %i9, "
                   "%i9};\n";
       }),
       {" of 16 bytes at shared address", "(`wgmma.mma_async"},
       with([](Parts &p) {
         p.write = "@!%p5 bra skip;\n" + p.write + "skip:\n";
         p.wait += barrier + "@!%p5 st.shared.v4.b32 [%i3+-2048], {%i9, %i9, "
                             "%i9, %i9};\n";
       }),
       256},
      {"AfterAnArrivalBeforeTheWait",
       with([](Parts &p) {
         p.write = initBarrier + "@!%p5 bra skip;\n" + p.write + "skip:\n";
         p.meet += "@%p5 bra go;\n" + await +
                   "st.shared.v4.b32 [%i3+-2048], {%i9, %i9, %i9, "
                   "%i9};\nret;\ngo:\n";
         p.commit += arrive;
       }),
       {""},
       with([](Parts &p) {
         p.write = initBarrier + "@!%p5 bra skip;\n" + p.write + "skip:\n";
         p.meet += "@%p5 bra go;\n" + await +
                   "st.shared.v4.b32 [%i3+-2048], {%i9, %i9, %i9, "
                   "%i9};\nret;\ngo:\n";
         p.wait += arrive;
       }),
       256},
  };
  runAll(cases);
}

} // namespace
