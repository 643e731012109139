//===- AsyncCopyTest.cpp - Asynchronous copies ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the data of cp.async moves, what it copies, and what is refused (PTX
// ISA, section 9.7.9.25.3).
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

#include <set>

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

/// A kernel k(in, out) of one block. The body begins on line 6 with %q1 = in,
/// %q2 = out, both of this thread's 4 words, %i1 its index and %i2 the address
/// of its 16 bytes in shared memory, which hold its index in each word.
std::string kernel(llvm::StringRef body) {
  return header +
         (".visible .entry k(.param .u64 in, .param .u64 out) { .reg .pred "
          "%p<4>; .reg .b32 %i<16>; .reg .b64 %q<8>; .shared .align 16 .b8 "
          "tile[2048]; ld.param.u64 %q1, [in]; ld.param.u64 %q2, [out]; "
          "mov.u32 %i1, %tid.x; mul.wide.u32 %q3, %i1, 16; add.u64 %q1, %q1, "
          "%q3; add.u64 %q2, %q2, %q3; mov.u32 %i2, tile; mad.lo.u32 %i2, "
          "%i1, 16, %i2; st.shared.v4.u32 [%i2], {%i1, %i1, %i1, %i1};\n" +
          body + "\nret;\n}\n")
             .str();
}

/// Writes the four words of shared memory to the thread's output.
const char *const show = "ld.shared.v4.u32 {%i10, %i11, %i12, %i13}, [%i2]; "
                         "st.global.v4.u32 [%q2], {%i10, %i11, %i12, %i13};";
/// The first word alone, to output word `index`.
std::string showWord(unsigned index) {
  return "ld.shared.u32 %i10, [%i2]; st.global.u32 [%q2+" +
         std::to_string(4 * index) + "], %i10;\n";
}

struct Copies {
  /// Many tests read what is in flight, which is not for all checks.
  explicit Copies(const std::string &body, unsigned threads = 40)
      : device(kernel(body)), threads(threads),
        in(device.memory, makeInput(threads)),
        out(device.memory, std::vector<uint32_t>(4 * threads)) {
    LaunchOptions options = getOptions();
    options.checks = Checks::Bounds;
    device.module->setOptions(options);
  }

  /// Word w of thread t is 1000 t + w.
  static std::vector<uint32_t> makeInput(unsigned threads) {
    std::vector<uint32_t> values(4 * threads);
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = i / 4 * 1000 + i % 4;
    return values;
  }
  std::string run() {
    return device.run("k", {}, {threads, 1, 1}, 0, in.get(), out.get());
  }
  uint32_t word(unsigned thread, unsigned index) {
    return out.get()[4 * thread + index];
  }

  Device device;
  unsigned threads;
  DeviceArray<uint32_t> in, out;
};

TEST(AsyncCopy, LandsWhenItIsWaitedFor) {
  for (const char *wait : {"cp.async.wait_all;",
                           "cp.async.commit_group; cp.async.wait_group 0;"}) {
    Copies copies("cp.async.ca.shared.global [%i2], [%q1], 4;\n" + showWord(0) +
                  wait + showWord(1));
    EXPECT_EQ(copies.run(), "");
    for (unsigned thread = 0; thread < 40; ++thread) {
      EXPECT_EQ(copies.word(thread, 0), thread);
      EXPECT_EQ(copies.word(thread, 1), 1000 * thread);
    }
  }
}

/// What was not committed is in no group, and a wait leaves the last groups in
/// flight.
TEST(AsyncCopy, Groups) {
  Copies copies("cp.async.ca.shared.global [%i2], [%q1], 4;\n"
                "cp.async.commit_group;\n"
                "cp.async.ca.shared.global [%i2+4], [%q1+4], 4;\n"
                "cp.async.commit_group; cp.async.commit_group;\n"
                "cp.async.ca.shared.global [%i2+8], [%q1+8], 4;\n"
                "cp.async.wait_group 2;\n" +
                std::string(show));
  EXPECT_EQ(copies.run(), "");
  for (unsigned t = 0; t < 40; ++t) {
    EXPECT_EQ(copies.word(t, 0), 1000 * t);
    for (unsigned word : {1, 2, 3})
      EXPECT_EQ(copies.word(t, word), t);
  }
  Copies later("cp.async.ca.shared.global [%i2], [%q1], 4;\n"
               "cp.async.wait_group 0;" +
               showWord(0) + "cp.async.commit_group; cp.async.wait_group 1;" +
               showWord(1) + "cp.async.wait_group 0;" + showWord(2));
  EXPECT_EQ(later.run(), "");
  for (unsigned t = 0; t < 40; ++t) {
    EXPECT_EQ(later.word(t, 0), t);
    EXPECT_EQ(later.word(t, 1), t);
    EXPECT_EQ(later.word(t, 2), 1000 * t);
  }
}

/// Groups belong to threads: a thread's wait lands its own copies alone.
TEST(AsyncCopy, GroupsAreOfThreads) {
  Copies copies("cp.async.ca.shared.global [%i2], [%q1], 4;\n"
                "setp.lt.u32 %p1, %i1, 8; @%p1 cp.async.commit_group;\n"
                "cp.async.wait_group 0;" +
                showWord(0) + "cp.async.wait_all;" + showWord(1));
  EXPECT_EQ(copies.run(), "");
  for (unsigned t = 0; t < 40; ++t) {
    EXPECT_EQ(copies.word(t, 0), t < 8 ? 1000 * t : t);
    EXPECT_EQ(copies.word(t, 1), 1000 * t);
  }
}

TEST(AsyncCopy, Sizes) {
  const std::pair<const char *, unsigned> forms[] = {
      {"cp.async.ca.shared.global [%i2], [%q1], 4;", 1},
      {"cp.async.ca.shared::cta.global.L2::64B [%i2], [%q1], 8, 8;", 2},
      {"cp.async.ca.shared.global [%i2], [%q1], 16;", 4},
      {"cp.async.cg.shared.global.L2::128B [%i2], [%q1], 16;", 4},
      {"mov.u64 %q5, 0; cp.async.cg.shared.global.L2::cache_hint [%i2], [%q1], "
       "16, %q5;",
       4},
      {"mov.u64 %q5, 0; cp.async.cg.shared.global.L2::cache_hint [%i2], [%q1], "
       "16, 16, %q5;",
       4}};
  for (auto [form, words] : forms) {
    Copies copies(std::string(form) + "cp.async.wait_all;" + show);
    EXPECT_EQ(copies.run(), "") << form;
    for (unsigned t = 0; t < 40; ++t)
      for (unsigned word = 0; word < 4; ++word)
        EXPECT_EQ(copies.word(t, word), word < words ? 1000 * t + word : t)
            << form;
  }
}

/// Bytes past the source size are zeroes, and the source may end before them.
TEST(AsyncCopy, ZeroFill) {
  for (unsigned bytes : {0u, 1u, 4u, 7u, 8u, 15u, 16u}) {
    std::string size = std::to_string(bytes);
    for (std::string form :
         {"cp.async.cg.shared.global [%i2], [%q1], 16, " + size + ";",
          "mov.u32 %i5, " + size +
              "; cp.async.ca.shared.global [%i2], [%q1], 16, %i5;"}) {
      Copies copies(form + "cp.async.wait_all;" + show);
      EXPECT_EQ(copies.run(), "") << form;
      for (unsigned t = 0; t < 40; ++t) {
        uint32_t words[4] = {1000 * t, 1000 * t + 1, 1000 * t + 2,
                             1000 * t + 3};
        std::memset(reinterpret_cast<char *>(words) + bytes, 0, 16 - bytes);
        for (unsigned word = 0; word < 4; ++word)
          EXPECT_EQ(copies.word(t, word), words[word]) << form;
      }
    }
  }
  // Nothing is read: any address will do.
  Copies nothing("mov.u64 %q5, 3; mov.u32 %i5, 0;\n"
                 "cp.async.ca.shared.global [%i2], [%q5], 4, %i5;\n"
                 "setp.eq.u32 %p1, %i5, 0;\n"
                 "cp.async.ca.shared.global [%i2+4], [%q5], 4, %p1;\n"
                 "cp.async.ca.shared.global [%i2+8], [%q1+8], 4, !%p1;\n"
                 "cp.async.wait_all;" +
                 std::string(show));
  EXPECT_EQ(nothing.run(), "");
  for (unsigned t = 0; t < 40; ++t) {
    EXPECT_EQ(nothing.word(t, 0), 0u);
    EXPECT_EQ(nothing.word(t, 1), 0u);
    EXPECT_EQ(nothing.word(t, 2), 1000 * t + 2);
  }
}

TEST(AsyncCopy, Refused) {
  auto refusal = [](const char *body) { return loadError(kernel(body)); };
  EXPECT_THAT(refusal("cp.async.ca.shared.global [%i2], [%q1], 12;"),
              HasSubstr("PTX line 6: 'cp.async.ca.shared.global': expected a "
                        "copy of 4, 8 or 16 bytes, got 12"));
  EXPECT_THAT(refusal("cp.async.cg.shared.global [%i2], [%q1], 8;"),
              HasSubstr("expected a copy of 16 bytes, got 8"));
  EXPECT_THAT(refusal("cp.async.ca.shared.global [%i2], [%q1], 4, 8;"),
              HasSubstr("expected a source size of at most 4 bytes, got 8"));
  EXPECT_THAT(refusal("cp.async.ca.shared.global [%i2], [%q1], 4, %q1;"),
              HasSubstr("expected a register of 32 bits, got '%q1' of 64"));
  EXPECT_THAT(refusal("cp.async.wait_group.read 0;"),
              HasSubstr("'cp.async.wait_group.read' is not covered (at the "
                        "modifier '.read')"));
}

/// Both addresses are checked when the copy is issued, as its own.
TEST(AsyncCopy, WrongAddresses) {
  auto fault = [](const char *body) { return Copies(body).run(); };
  EXPECT_THAT(
      fault("cp.async.ca.shared.global [%i2], [%q1+640], 4;"),
      HasSubstr("thread (0,0,0), PTX line 6 (`cp.async.ca.shared.global "
                "[%i2], [%q1+640], 4`): read of 4 bytes at global"));
  EXPECT_THAT(fault("cp.async.ca.shared.global [%i2+2048], [%q1], 4;"),
              HasSubstr("write of 4 bytes at shared address"));
  EXPECT_THAT(fault("cp.async.ca.shared.global [%i2+2], [%q1], 4;"),
              HasSubstr("misaligned"));
  EXPECT_THAT(fault("cp.async.ca.shared.global [%i2], [%q1+2], 4;"),
              HasSubstr("misaligned"));
  EXPECT_THAT(fault("mov.u32 %i5, 4; cp.async.ca.shared.global [%i2], [%q1+4], "
                    "8, %i5;"),
              HasSubstr("is misaligned: expected a multiple of 8"));
  EXPECT_THAT(fault("add.u32 %i5, %i1, 5; cp.async.ca.shared.global [%i2], "
                    "[%q1], 4, %i5;"),
              HasSubstr("expected a source size of at most 4 bytes, got 5"));
}

/// With all checks, shared memory that a copy will write is out of bounds for
/// everyone until the copy's thread has waited.
TEST(AsyncCopy, DestinationTouchedInFlight) {
  const std::string issue = "cp.async.ca.shared.global [%i2], [%q1], 4;\n",
                    wait = "cp.async.wait_all;\n";
  auto run = [](const std::string &body) {
    Copies copies(body);
    LaunchOptions options = getOptions();
    options.checks = Checks::All;
    copies.device.module->setOptions(options);
    return copies.run();
  };
  const char *report = "PTX line 7 (`", *other = "asynchronous copy in flight";
  for (const char *touch :
       {"ld.shared.u32 %i10, [%i2];\n", "st.shared.u32 [%i2], 3;\n",
        "cp.async.ca.shared.global [%i2], [%q1], 4;\n",
        "atom.shared.add.u32 %i10, [%i2], 3;\n"}) {
    EXPECT_THAT(run(issue + touch + wait),
                testing::AllOf(HasSubstr(report), HasSubstr(other)))
        << touch;
    EXPECT_EQ(run(issue + wait + touch + wait), "") << touch;
  }
  // The next thread's word: ordered by a wait and a barrier, not by one alone.
  const std::string next = "setp.lt.u32 %p1, %i1, 39; bar.sync 0;\n@%p1 "
                           "ld.shared.u32 %i10, [%i2+16]; bar.sync 0;\n";
  EXPECT_THAT(run(issue + next + wait), HasSubstr(other));
  EXPECT_EQ(run(issue + wait + next), "");
}

TEST(AsyncCopy, SourceOverwrittenInFlight) {
  const std::string issue = "cp.async.ca.shared.global [%i2], [%q1], 4;\n",
                    overwrite = "setp.eq.u32 %p1, %i1, 35; @%p1 "
                                "st.global.u32 [%q1], 7;\n",
                    wait = "cp.async.wait_all;\n";
  const char *report =
      "thread (35,0,0), PTX line 6 (`cp.async.ca.shared.global "
      "[%i2], [%q1], 4`): the source of an asynchronous copy "
      "was overwritten before the copy was waited for: 4 "
      "bytes at global address 0x";
  EXPECT_THAT(Copies(issue + overwrite + wait).run(), HasSubstr(report));
  EXPECT_EQ(Copies(issue + wait + overwrite).run(), "");
  // A thread that ends waits for its copies.
  EXPECT_THAT(Copies(issue + overwrite).run(), HasSubstr(report));
  EXPECT_EQ(Copies(issue).run(), "");
}

/// A random schedule lands copies before their wait, but not always.
TEST(AsyncCopy, RandomMoments) {
  std::set<bool> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Copies copies("cp.async.ca.shared.global [%i2], [%q1], 4;\n" + showWord(0) +
                  "cp.async.wait_all;" + showWord(1));
    LaunchOptions options = copies.device.module->getOptions();
    options.schedule = {Schedule::Random, seed};
    copies.device.module->setOptions(options);
    EXPECT_EQ(copies.run(), "");
    for (unsigned t = 1; t < 40; ++t) {
      bool hasLanded = copies.word(t, 0) == 1000 * t;
      EXPECT_TRUE(hasLanded || copies.word(t, 0) == t);
      EXPECT_EQ(copies.word(t, 1), 1000 * t);
      seen.insert(hasLanded);
    }
  }
  EXPECT_EQ(seen.size(), 2u);
}

/// Inputs/async.cu: two tiles, one row ahead.
TEST(AsyncCopy, Pipeline) {
  Device device(readInput("async.ptx"));
  const unsigned rows = 7;
  std::vector<float> values(rows * 128);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = i * 0.5f;
  DeviceArray<float> in(device.memory, values), out(device.memory, values);
  EXPECT_EQ(device.run("pipeline", {}, {128, 1, 1}, 0, in.get(), out.get(),
                       int(rows)),
            "");
  for (unsigned i = 0; i < values.size(); ++i)
    EXPECT_EQ(out.get()[i], values[i / 128 * 128 + 127 - i % 128]);
}

} // namespace
