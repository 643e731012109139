//===- AsyncBarrierTest.cpp - Barriers that reduce or do not wait ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bar.arrive and bar.red, fences, and what else lets threads wait (PTX ISA,
// sections 9.7.13.1, 9.7.13.5 and 9.7.19).
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

/// A kernel k(data) whose body begins on line 6 with %q1 = the thread's word of
/// data, %i1 its index and %i2 the address of a word of shared memory.
std::string kernel(const std::string &body) {
  return header +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<8>; .reg .b32 "
         "%i<16>; .reg .b64 %q<8>; .shared .align 4 .b32 word; ld.param.u64 "
         "%q1, [p]; mov.u32 %i1, %tid.x; mul.wide.u32 %q2, %i1, 4; add.u64 "
         "%q1, %q1, %q2; mov.u32 %i2, word; mov.u32 %i3, 0;\n" +
         body + "\nst.global.u32 [%q1], %i3; ret;\n}\n";
}

struct Result {
  Result(const std::string &body, unsigned threads)
      : device(kernel(body)),
        data(device.memory, std::vector<uint32_t>(threads)),
        error(device.run("k", {}, {threads, 1, 1}, 0, data.get())),
        words(data.values()) {}
  Device device;
  DeviceArray<uint32_t> data;
  std::string error;
  std::vector<uint32_t> words;
};

TEST(BarrierReduction, CountsPredicates) {
  for (const char *form :
       {"bar.red.popc.u32 %i3, 0, %p1;",
        "bar.cta.red.popc.u32 %i3, 0, 96, %p1;",
        "barrier.red.popc.u32 %i3, 15, %p1;",
        "mov.u32 %i4, 3; mov.u32 %i5, 96;\n"
        "barrier.cta.red.popc.aligned.u32 %i3, %i4, %i5, %p1;"}) {
    Result result(std::string("rem.u32 %i4, %i1, 3; setp.eq.u32 %p1, %i4, 0;") +
                      form,
                  96);
    EXPECT_EQ(result.error, "") << form;
    EXPECT_EQ(result.words, std::vector<uint32_t>(96, 32)) << form;
  }
  Result others("setp.lt.u32 %p1, %i1, 5; bar.red.popc.u32 %i3, 0, !%p1;", 40);
  EXPECT_EQ(others.words, std::vector<uint32_t>(40, 35));
}

TEST(BarrierReduction, AndOr) {
  auto reduce = [](const std::string &operation, unsigned limit) {
    Result result("setp.lt.u32 %p1, %i1, " + std::to_string(limit) + ";" +
                      operation + " selp.u32 %i3, 1, 0, %p2;",
                  70);
    EXPECT_EQ(result.error, "") << operation;
    EXPECT_EQ(result.words, std::vector<uint32_t>(70, result.words[0]));
    return result.words[0];
  };
  for (std::string prefix :
       {"bar.red.", "bar.cta.red.", "barrier.red.", "barrier.cta.red."}) {
    std::string all = prefix + "and.pred %p2, 1, %p1;";
    std::string any = prefix + "or.pred %p2, 1, 96, %p1;";
    EXPECT_EQ(reduce(all, 70), 1u);
    EXPECT_EQ(reduce(all, 69), 0u);
    EXPECT_EQ(reduce(any, 1), 1u);
    EXPECT_EQ(reduce(any, 0), 0u);
  }
}

/// Results of one reduction do not reach into the next.
TEST(BarrierReduction, InALoop) {
  Result result("mov.u32 %i4, 0;\n"
                "$loop: setp.lt.u32 %p1, %i1, %i4; bar.red.popc.u32 %i5, 0, "
                "%p1; add.u32 %i3, %i3, %i5;\n"
                "add.u32 %i4, %i4, 1; setp.lt.u32 %p2, %i4, 65; @%p2 bra "
                "$loop;",
                64);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.words, std::vector<uint32_t>(64, 64 * 65 / 2));
}

/// Inputs/async.cu
TEST(BarrierReduction, Cuda) {
  Device device(readInput("async.ptx"));
  for (unsigned threads : {3u, 64u, 100u, 128u}) {
    DeviceArray<int> out(device.memory, std::vector<int>(threads));
    EXPECT_EQ(device.run("reductions", {}, {threads, 1, 1}, 0, out.get()), "");
    int expected =
        int(threads / 2) * 100 + (threads <= 100) * 10 + (threads > 5);
    EXPECT_EQ(out.values(), std::vector<int>(threads, expected));
  }
}

/// One warp writes and goes on, the other waits for it.
TEST(BarrierArrive, ProducerAndConsumer) {
  for (const char *prefix : {"bar", "bar.cta", "barrier", "barrier.cta"}) {
    std::string body =
        "setp.ge.u32 %p1, %i1, 32; @%p1 bra $consumer;\n"
        "setp.eq.u32 %p2, %i1, 0; @%p2 st.shared.u32 [%i2], 77;\n" +
        std::string(prefix) +
        ".arrive 1, 64; bra $end;\n"
        "$consumer: " +
        prefix + ".sync 1, 64; ld.shared.u32 %i3, [%i2];\n$end:";
    Result result(body, 64);
    EXPECT_EQ(result.error, "") << prefix;
    std::vector<uint32_t> expected(32);
    expected.resize(64, 77);
    EXPECT_EQ(result.words, expected) << prefix;
  }
}

TEST(BarrierArrive, NobodyComes) {
  EXPECT_THAT(Result("setp.ge.u32 %p1, %i1, 32; @%p1 bra $consumer;\n"
                     "bar.arrive 1, 96; bra $end;\n"
                     "$consumer: bar.sync 1, 96;\n$end:",
                     64)
                  .error,
              HasSubstr("deadlock"));
}

TEST(BarrierForms, Refused) {
  auto refusal = [](const char *body) { return loadError(kernel(body)); };
  EXPECT_THAT(
      refusal("bar.arrive 16, 64;"),
      HasSubstr("PTX line 6: 'bar.arrive': expected a barrier from 0 to "
                "15, got 16"));
  EXPECT_THAT(refusal("bar.arrive 1, 33;"),
              HasSubstr("expected a thread count that is a multiple of 32, got "
                        "33"));
  EXPECT_THAT(refusal("bar.arrive 1;"),
              HasSubstr("expected 2 operands, got 1"));
  EXPECT_THAT(refusal("bar.red.popc.u32 %i3, 16, %p1;"),
              HasSubstr("expected a barrier from 0 to 15, got 16"));
  EXPECT_THAT(refusal("bar.red.or.pred %p2, 1, 31, %p1;"),
              HasSubstr("multiple of 32, got 31"));
  EXPECT_THAT(refusal("bar.red.xor.pred %p2, 1, %p1;"),
              HasSubstr("is not covered (at the modifier '.xor')"));
  EXPECT_THAT(refusal("barrier.cluster.sync;"),
              HasSubstr("is not covered (at the modifier '.sync')"));
  EXPECT_THAT(refusal("setmaxnreg.inc.sync.aligned.u32 20;"),
              HasSubstr("expected a multiple of 8 from 24 to 256, got 20"));
}

TEST(BarrierForms, Fences) {
  std::string body;
  for (const char *form :
       {"membar.cta", "membar.gl", "membar.sys", "membar.proxy.alias",
        "fence.sc.cta", "fence.acq_rel.gpu", "fence.acquire.sys",
        "fence.release.cluster", "fence.cta", "fence.proxy.alias",
        "fence.proxy.async", "fence.proxy.async.global",
        "fence.proxy.async.shared::cta", "fence.mbarrier_init.release.cluster",
        "griddepcontrol.wait", "griddepcontrol.launch_dependents",
        "nanosleep.u32 20", "pmevent 3", "pmevent.mask 5"})
    body += std::string(form) + ";\n";
  Result result(body + "mov.u32 %i3, 1;", 33);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.words, std::vector<uint32_t>(33, 1));
}

TEST(BarrierForms, Traps) {
  EXPECT_THAT(Result("setp.eq.u32 %p1, %i1, 9; @%p1 trap;", 33).error,
              HasSubstr("thread (9,0,0), PTX line 6 (`@%p1 trap`)"));
  EXPECT_THAT(Result("brkpt;", 1).error, HasSubstr("PTX line 6 (`brkpt`)"));
}

} // namespace
