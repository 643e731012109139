//===- MbarrierTest.cpp - Barriers in shared memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phases of mbarrier objects, copies that arrive on them, and misuse (PTX ISA,
// section 9.7.13.15).
//
//===----------------------------------------------------------------------===//

#include "Async/Mbarrier.h"
#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

TEST(Mbarrier, Layout) {
  for (Mbarrier value :
       {Mbarrier{1, 2, 3, 4}, Mbarrier{0, Mbarrier::maxCount, -1, 7},
        Mbarrier{Mbarrier::maxCount, 0, Mbarrier::maxCount, 0},
        Mbarrier{5, 5, -Mbarrier::maxCount, 1}}) {
    Mbarrier got = Mbarrier::decode(value.encode());
    EXPECT_EQ(got.pending, value.pending);
    EXPECT_EQ(got.expected, value.expected);
    EXPECT_EQ(got.bytes, value.bytes);
    EXPECT_EQ(got.phase, value.phase);
  }
}

/// A kernel k(data) whose body begins on line 6 with %q1 = the thread's word of
/// data, %i1 its index, %i2 the address of an object, the generic one in %q2.
/// `wait` waits for the phase of parity %i3 and `waitState` for that of %q3.
std::string kernel(const std::string &body) {
  return header +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<8>; .reg .b32 "
         "%i<16>; .reg .b64 %q<8>; .shared .align 8 .b64 bar[4]; .shared "
         ".align 16 .b8 tile[1024]; ld.param.u64 %q1, [p]; mov.u32 %i1, "
         "%tid.x; mul.wide.u32 %q4, %i1, 4; add.u64 %q1, %q1, %q4; mov.u32 "
         "%i2, bar; cvt.u64.u32 %q2, %i2; cvta.shared.u64 %q2, %q2; "
         "setp.eq.u32 %p1, %i1, 0;\n" +
         body + "\nret;\n}\n";
}

std::string init(unsigned count) {
  return "@%p1 mbarrier.init.shared.b64 [%i2], " + std::to_string(count) +
         "; bar.sync 0;\n";
}

std::string wait(const std::string &label, const std::string &what) {
  return "$" + label + ": mbarrier." + what + "; @!%p2 bra $" + label + ";\n";
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

/// Every thread adds its index in turn: warp 0, then warp 1, and so on, each
/// waiting for the one before by state, by parity, or with a test.
TEST(Mbarrier, WarpsTakeTurns) {
  const char *waits[] = {
      "try_wait.shared.b64 %p2, [%i2], %q3",
      "try_wait.shared::cta.b64 %p2, [%i2], %q3, 100",
      "test_wait.shared.b64 %p2, [%i2], %q3",
      "test_wait.acquire.cta.shared::cta.b64 %p2, [%i2], %q3",
      "try_wait.b64 %p2, [%q2], %q3",
      "try_wait.parity.shared.b64 %p2, [%i2], %i3",
      "try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%i2], %i3, 7",
      "test_wait.parity.b64 %p2, [%q2], %i3"};
  for (const char *form : waits) {
    // In round r, warp r adds to a word; then all arrive and wait.
    std::string body =
        init(96) +
        "mov.u32 %i3, 0; mov.u32 %i4, 0; mov.u32 %i6, tile; "
        "shr.u32 %i5, %i1, 5; @%p1 st.shared.u32 [%i6], 1;\n"
        "bar.sync 0;\n"
        "$round: setp.ne.u32 %p3, %i4, %i5; and.b32 %i7, %i1, "
        "31; setp.ne.or.u32 %p3, %i7, 0, %p3; @%p3 bra $arrive;\n"
        "ld.shared.u32 %i7, [%i6]; mad.lo.u32 %i7, %i7, 10, %i5;"
        "st.shared.u32 [%i6], %i7;\n"
        "$arrive: mbarrier.arrive.shared.b64 %q3, [%i2];\n" +
        wait("wait", form) +
        "xor.b32 %i3, %i3, 1; add.u32 %i4, %i4, 1; setp.lt.u32 "
        "%p4, %i4, 3; @%p4 bra $round;\n"
        "ld.shared.u32 %i7, [%i6]; st.global.u32 [%q1], %i7;";
    Result run(body, 96);
    EXPECT_EQ(run.error, "") << form;
    EXPECT_EQ(run.words, std::vector<uint32_t>(96, 1012)) << form;
  }
}

/// Warp 0 writes and arrives, warp 1 waits and reads. Only what acquires and
/// releases orders the two.
TEST(Mbarrier, RelaxedOrdersNothing) {
  auto race = [](const std::string &arrive, const std::string &test) {
    Device device(
        kernel(init(1) +
               "mov.u32 %i6, tile; setp.ge.u32 %p3, %i1, 32; @%p3 bra "
               "$wait;\n@%p1 st.shared.u32 [%i6], 5; @%p1 mbarrier." +
               arrive + " %q3, [%i2]; bra $end;\n" +
               wait("wait", test + " %p2, [%i2], 0") +
               "ld.shared.u32 %i7, [%i6]; st.global.u32 [%q1], %i7;\n$end:"));
    LaunchOptions options = getOptions();
    options.checks = Checks::All;
    device.module->setOptions(options);
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(64));
    return device.run("k", {}, {64, 1, 1}, 0, data.get());
  };
  const std::string wait = "try_wait.parity.shared.b64",
                    relaxedWait = "try_wait.parity.relaxed.cta.shared.b64",
                    arrive = "arrive.shared.b64",
                    relaxedArrive = "arrive.relaxed.cta.shared.b64";
  EXPECT_EQ(race(arrive, wait), "");
  EXPECT_THAT(race(relaxedArrive, wait), HasSubstr("race: read of 4 bytes"));
  EXPECT_THAT(race(arrive, relaxedWait), HasSubstr("race: read of 4 bytes"));
}

/// Two warps hand a word to each other for many phases.
TEST(Mbarrier, ManyPhases) {
  Result run(init(64) +
                 "mov.u32 %i3, 0; mov.u32 %i4, 0; mov.u32 %i6, tile; shr.u32 "
                 "%i5, %i1, 5; @%p1 st.shared.u32 [%i6], 0; and.b32 %i8, %i1, "
                 "31;\n"
                 "bar.sync 0;\n"
                 "$round: setp.ne.u32 %p3, %i3, %i5; setp.ne.or.u32 %p3, %i8, "
                 "0, %p3; @%p3 bra $arrive;\n"
                 "ld.shared.u32 %i7, [%i6]; add.u32 %i7, %i7, 1; st.shared.u32 "
                 "[%i6], %i7;\n"
                 "$arrive: mbarrier.arrive.shared.b64 %q3, [%i2];\n" +
                 wait("wait", "try_wait.parity.shared.b64 %p2, [%i2], %i3") +
                 "xor.b32 %i3, %i3, 1; add.u32 %i4, %i4, 1; setp.lt.u32 %p4, "
                 "%i4, 3000; @%p4 bra $round;\n"
                 "ld.shared.u32 %i7, [%i6]; st.global.u32 [%q1], %i7;",
             64);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.words, std::vector<uint32_t>(64, 3000));
}

/// A phase ends with its last arrival; `wait` on the phase before is true at
/// once, on the present one false.
TEST(Mbarrier, Phases) {
  Result run(
      init(3) +
          "mbarrier.arrive.shared.b64 %q3, [%i2];\n"
          "mbarrier.pending_count.b64 %i4, %q3;\n" // 3
          "mbarrier.arrive.release.cta.shared::cta.b64 %q4, [%i2], 1;\n"
          "mbarrier.pending_count.b64 %i5, %q4;\n" // 2
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; selp.u32 %i6, 1, "
          "0, %p2;\n" // 0
          "mbarrier.test_wait.parity.shared.b64 %p2, [%i2], 1; selp.u32 "
          "%i7, 1, 0, %p2;\n" // 1
          "mbarrier.arrive.shared.b64 _, [%i2];\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; selp.u32 %i8, 1, "
          "0, %p2;\n" // 1
          "mbarrier.test_wait.parity.shared.b64 %p2, [%i2], 1; selp.u32 "
          "%i9, 1, 0, %p2;\n" // 0
          "mad.lo.u32 %i4, %i4, 10, %i5; mad.lo.u32 %i4, %i4, 10, %i6; "
          "mad.lo.u32 %i4, %i4, 10, %i7; mad.lo.u32 %i4, %i4, 10, %i8; "
          "mad.lo.u32 %i4, %i4, 10, %i9; st.global.u32 [%q1], %i4;",
      1);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.words[0], 320110u);
}

/// Dropped arrivals are missing in later phases too; .noComplete leaves the
/// phase open.
TEST(Mbarrier, DropAndNoComplete) {
  Result run(
      init(4) +
          "mbarrier.arrive_drop.shared.b64 %q3, [%i2];\n"
          "mbarrier.arrive_drop.noComplete.shared.b64 %q3, [%i2], 1;\n"
          "mbarrier.arrive.noComplete.release.cta.shared.b64 %q3, [%i2], "
          "1;\n"
          "mbarrier.arrive.shared.b64 %q3, [%i2];\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; @!%p2 trap;\n"
          "mbarrier.arrive.shared.b64 %q3, [%i2], 2;\n"
          "mbarrier.pending_count.b64 %i4, %q3; st.global.u32 [%q1], %i4;\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; @!%p2 trap;",
      1);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.words[0], 2u);
}

/// A phase also waits for the bytes it was told of.
TEST(Mbarrier, Transactions) {
  Result run(
      init(1) +
          "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%i2], 48;\n"
          "mbarrier.arrive.expect_tx.shared.b64 %q3, [%i2], 16;\n"
          "mbarrier.complete_tx.shared.b64 [%i2], 60;\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; @%p2 trap;\n"
          "mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%i2], 4;\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; @!%p2 trap;\n"
          // Bytes may also come before they are expected.
          "mbarrier.complete_tx.shared.b64 [%i2], 8;\n"
          "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %q3, "
          "[%i2], 8;\n"
          "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3; @!%p2 trap;",
      1);
  EXPECT_EQ(run.error, "");
}

/// The first warp copies, the second waits for the copies on an mbarrier.
TEST(Mbarrier, CopiesArrive) {
  const char *copy = "setp.ge.u32 %p3, %i1, 32; @%p3 bra $wait;\n"
                     "mov.u32 %i4, tile; mad.lo.u32 %i4, %i1, 4, %i4;\n"
                     "st.shared.u32 [%i4], 0;\n"
                     "cp.async.ca.shared.global [%i4], [%q1], 4;\n";
  const std::string read =
      wait("wait", "try_wait.parity.shared.b64 %p2, [%i2], 0") +
      "@!%p3 bra $end; mov.u32 %i4, tile; mad.lo.u32 %i4, %i1, 4, %i4;\n"
      "ld.shared.u32 %i5, [%i4+-128]; st.global.u32 [%q1], %i5;\n$end:";
  const std::string forms[] = {
      // 32 arrivals are the copies' own, or of the threads after them.
      init(32) + copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [%i2];\n",
      init(32) + copy +
          "cp.async.mbarrier.arrive.shared.b64 [%i2];\n"
          "mbarrier.arrive.shared.b64 %q3, [%i2];\n",
      init(64) + copy +
          "cp.async.mbarrier.arrive.noinc.b64 [%q2];\n"
          "cp.async.wait_all; mbarrier.arrive.shared::cta.b64 %q3, [%i2];\n"};
  for (const std::string &form : forms) {
    Device device(kernel(form + read));
    std::vector<uint32_t> values(64), expected(64);
    for (unsigned i = 0; i < 64; ++i)
      expected[i] = values[i % 32] = 100 + i % 32;
    DeviceArray<uint32_t> data(device.memory, values);
    EXPECT_EQ(device.run("k", {}, {64, 1, 1}, 0, data.get()), "") << form;
    EXPECT_EQ(data.values(), expected) << form;
  }
}

/// The lowest bit of a parity counts.
TEST(Mbarrier, ParityOfManyBits) {
  for (const char *parity : {"0", "2", "-1", "1"}) {
    bool isOdd = llvm::StringRef(parity).contains("1");
    Device device(kernel(init(1) +
                         "mbarrier.test_wait.parity.shared.b64 %p2, "
                         "[%i2], " +
                         parity +
                         "; selp.b32 %i3, 1, 0, %p2; st.global.u32 [%q1], "
                         "%i3;\n"));
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(1));
    EXPECT_EQ(device.run("k", {}, {1, 1, 1}, 0, data.get()), "");
    EXPECT_EQ(data.values().front(), isOdd) << parity;
  }
}

// Every thread initialises, as in kernels of MLIR: without checks that is one
// initialisation, whichever warp comes first, and a finding otherwise.
TEST(Mbarrier, EachThreadInitialises) {
  auto run = [](const std::string &body, Checks checks) {
    Device device(kernel(body));
    LaunchOptions options;
    options.checks = checks;
    device.module->setOptions(options);
    DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(128));
    return device.run("k", {}, {128, 1, 1}, 0, data.get());
  };
  const std::string once =
      "mbarrier.init.shared.b64 [%i2], 1;\n"
      "@%p1 mbarrier.arrive.shared.b64 %q3, [%i2];\n" +
      wait("w", "try_wait.parity.shared.b64 %p2, [%i2], 0");
  EXPECT_EQ(run(once, Checks::None), "");
  EXPECT_THAT(run(once, Checks::Bounds), HasSubstr("is initialised again"));
  // A thread that initialises twice begins anew.
  EXPECT_EQ(run("mov.u32 %i3, 0;\n$again: " + once +
                    "bar.sync 0; add.u32 %i3, %i3, 1;\n"
                    "setp.lt.u32 %p3, %i3, 4; @%p3 bra $again;\n",
                Checks::None),
            "");
}

TEST(Mbarrier, Misuse) {
  auto fault = [](const std::string &body) { return Result(body, 1).error; };
  const std::string arrive = "mbarrier.arrive.shared.b64 %q3, [%i2];\n";
  EXPECT_THAT(fault(arrive),
              HasSubstr("thread (0,0,0), PTX line 6 (`mbarrier.arrive.shared."
                        "b64 %q3, [%i2]`): the mbarrier at shared address "
                        "0x400 was not initialised"));
  EXPECT_THAT(fault("mbarrier.test_wait.parity.shared.b64 %p2, [%i2], 0;"),
              HasSubstr("was not initialised"));
  EXPECT_THAT(fault(init(1) + "mbarrier.inval.shared.b64 [%i2];\n" + arrive),
              HasSubstr("was invalidated"));
  EXPECT_EQ(fault(init(1) + "mbarrier.inval.b64 [%q2];\n" + init(2) + arrive),
            "");
  EXPECT_THAT(fault(init(1) + init(1)), HasSubstr("is initialised again"));
  EXPECT_THAT(fault(init(1) + "st.shared.u32 [%i2], 5;\n" + arrive),
              HasSubstr("was overwritten by something other than"));
  EXPECT_THAT(fault(init(2) + "mbarrier.arrive.shared.b64 %q3, [%i2], 3;"),
              HasSubstr("3 more arrivals on the mbarrier at shared address "
                        "0x400, which waits for 2"));
  EXPECT_THAT(fault(init(2) + "mbarrier.arrive.shared.b64 %q3, [%i2], 0;"),
              HasSubstr("expected an arrival count of at least 1, got 0"));
  EXPECT_THAT(fault("mbarrier.init.shared.b64 [%i2], 0;"),
              HasSubstr("expected a count from 1 to 1048575, got 0"));
  EXPECT_THAT(fault("mbarrier.init.shared.b64 [%i2], 1048576;"),
              HasSubstr("got 1048576"));
  EXPECT_THAT(fault("mbarrier.init.shared.b64 [%i2+4], 1;"),
              HasSubstr("misaligned"));
  EXPECT_THAT(fault("sub.u64 %q1, %q1, %q4; mbarrier.init.b64 [%q1], 1;"),
              testing::AnyOf(HasSubstr("in the block's shared memory"),
                             HasSubstr("out of bounds")));
  EXPECT_THAT(
      fault(init(2) + "mbarrier.arrive.noComplete.shared.b64 %q3, [%i2], 2;"),
      HasSubstr("an arrival with .noComplete would end the phase"));
  EXPECT_THAT(fault(init(1) + arrive +
                    "mbarrier.arrive.shared.b64 _, [%i2];\n"
                    "mbarrier.test_wait.shared.b64 %p2, [%i2], %q3;"),
              HasSubstr("got one of an earlier phase"));
  EXPECT_THAT(fault(init(1) + "mbarrier.expect_tx.shared.b64 [%i2], 1048576;"),
              HasSubstr("can wait for at most 1048575 bytes, got 1048576"));
  EXPECT_THAT(fault(init(2) + "mov.u32 %i4, tile; mov.u64 %q5, 0;\n"
                              "cp.async.ca.shared.global [%i4], [%q1], 4;\n"
                              "cp.async.mbarrier.arrive.shared.b64 [%i2];\n"
                              "mbarrier.inval.shared.b64 [%i2];"),
              HasSubstr("is invalidated while copies are to arrive on it"));
}

/// What another block knows of it is not for a state.
TEST(Mbarrier, StatesOfOtherBlocksAreRefused) {
  EXPECT_THAT(loadError(kernel("mbarrier.arrive.release.cluster.shared::"
                               "cluster.b64 %q3, [%i2];")),
              HasSubstr("expected '_' instead of a state of another block"));
  EXPECT_THAT(loadError(kernel("mbarrier.arrive.noComplete.shared::cluster.b64 "
                               "_, [%i2], 1;")),
              HasSubstr("is not covered (at the modifier '.shared::cluster')"));
}

/// Nobody will ever arrive.
TEST(Mbarrier, Deadlock) {
  for (const char *form : {"try_wait.parity.shared.b64 %p2, [%i2], 0",
                           "test_wait.parity.shared.b64 %p2, [%i2], 0"}) {
    Result run(init(65) + "mbarrier.arrive.shared.b64 %q3, [%i2];\n" +
                   wait("wait", form),
               64);
    EXPECT_THAT(run.error, HasSubstr("deadlock")) << form;
  }
}

/// A new block has new objects.
TEST(Mbarrier, Blocks) {
  Device device(kernel(init(1) + "mbarrier.arrive.shared.b64 %q3, [%i2];\n" +
                       wait("wait", "try_wait.shared.b64 %p2, [%i2], %q3") +
                       "mov.u32 %i4, tile;\n"
                       "cp.async.ca.shared.global [%i4], [%q1], 4;"));
  DeviceArray<uint32_t> data(device.memory, {0});
  EXPECT_EQ(device.run("k", {3, 2, 1}, {1, 1, 1}, 0, data.get()), "");
}

/// Inputs/async.cu
TEST(Mbarrier, CudaBarriers) {
  Device device(readInput("async.ptx"));
  std::vector<float> values(128), expected(128);
  for (unsigned i = 0; i < 128; ++i)
    values[i] = i * 0.25f;
  for (unsigned i = 0; i < 128; ++i)
    expected[i] = values[127 - (i ^ 1)] + 1;
  DeviceArray<float> in(device.memory, values), out(device.memory, values);
  EXPECT_EQ(device.run("barriers", {}, {128, 1, 1}, 0, in.get(), out.get()),
            "");
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(device.run("producer", {}, {128, 1, 1}, 0, out.get(), 9), "");
  EXPECT_EQ(out.values(), std::vector<float>(128, 45.0f));
}

} // namespace
