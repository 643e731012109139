//===- PrintfTest.cpp - Text that kernels print ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats and their argument buffers (CUDA C++ Programming Guide, "Formatted
// Output"), then vprintf and __assertfail as kernels call them.
//
//===----------------------------------------------------------------------===//

#include "Async/Printf.h"
#include "Harness.h"

#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

/// Formats with the arguments laid out as a compiler does, each at a multiple
/// of its size. Strings are at their index + 1 among `strings`.
class Text {
public:
  template <typename... Ts>
  explicit Text(llvm::StringRef format, Ts... values) {
    (add(values), ...);
    PrintfReader reader{
        [&](uint64_t offset, unsigned bytes) -> std::optional<uint64_t> {
          uint64_t value = 0;
          if (offset + bytes > buffer.size() || offset % bytes)
            return std::nullopt;
          std::memcpy(&value, &buffer[offset], bytes);
          return value;
        },
        [&](uint64_t address) -> std::optional<std::string> {
          if (address > strings.size())
            return std::nullopt;
          return strings[address - 1];
        }};
    text = formatPrintf(format, reader, count);
  }

  std::string get() const { return text.value_or("<unreadable>"); }
  unsigned count = 0;

private:
  void add(const char *string) {
    strings.push_back(string);
    add(uint64_t(strings.size()));
  }
  template <typename T>
  void add(T value) {
    buffer.resize(llvm::alignTo(buffer.size(), sizeof(T)) + sizeof(T));
    std::memcpy(&buffer[buffer.size() - sizeof(T)], &value, sizeof(T));
  }
  std::vector<char> buffer;
  std::vector<std::string> strings;
  std::optional<std::string> text;
};

TEST(Printf, Integers) {
  EXPECT_EQ(Text("%d|%i|%u|%x|%X|%o", -5, 7, -1, 255, 255, 8).get(),
            "-5|7|4294967295|ff|FF|10");
  EXPECT_EQ(
      Text("%lld %llu %llx", -(int64_t(1) << 40), ~0ull, 1ull << 40).get(),
      "-1099511627776 18446744073709551615 10000000000");
  EXPECT_EQ(Text("%ld %zu", -(int64_t(1) << 40), size_t(3)).get(),
            "-1099511627776 3");
  EXPECT_EQ(Text("%hd %hhu", 65537, 258).get(), "1 2");
}

/// A 32-bit argument before a 64-bit one leaves a hole.
TEST(Printf, ArgumentsAreAligned) {
  EXPECT_EQ(Text("%d %f %d %d %lld", 1, 2.5, 3, 4, 5ll).get(),
            "1 2.500000 3 4 5");
}

TEST(Printf, FlagsWidthsAndPrecisions) {
  EXPECT_EQ(Text("[%5d|%-5d|%05d|%+d|% d|%#x]", 42, 42, 42, 42, 42, 42).get(),
            "[   42|42   |00042|+42| 42|0x2a]");
  EXPECT_EQ(Text("[%.3d|%8.3f|%-8.1e|%G]", 7, 3.14159, 1234.5, 1e-10).get(),
            "[007|   3.142|1.2e+03 |1E-10]");
  EXPECT_EQ(Text("[%*d|%-*d|%.*f]", 6, 1, 4, 2, 2, 1.005).get(),
            "[     1|2   |1.00]");
  EXPECT_EQ(Text("[%*d|%.*f]", -4, 1, -1, 0.5).get(), "[1   |0.500000]");
}

TEST(Printf, RealsPointersCharactersAndStrings) {
  EXPECT_EQ(Text("%e %g %a %f", 0.5, 0.1, 1.0, 1.0 / 0.0).get(),
            "5.000000e-01 0.1 0x1p+0 inf");
  EXPECT_EQ(Text("%p", uint64_t(0x7f00)).get(), "0x7f00");
  EXPECT_EQ(Text("%c%c%%", int('o'), int('k')).get(), "ok%");
  EXPECT_EQ(Text("%s, %6s|%-6s|%.2s", "hello", "ab", "cd", "efg").get(),
            "hello,     ab|cd    |ef");
  EXPECT_EQ(Text("%s", uint64_t(0)).get(), "(null)");
}

/// What is no conversion stays as it is and takes no argument.
TEST(Printf, UnknownConversions) {
  EXPECT_EQ(Text("%y %n %d", 1).get(), "%y %n 1");
  EXPECT_EQ(Text("50%, %d %", 1).get(), "50%, 1 %");
  EXPECT_EQ(Text("").get(), "");
}

TEST(Printf, CountsItsArguments) {
  EXPECT_EQ(Text("none %%").count, 0u);
  EXPECT_EQ(Text("%d %*d %y", 1, 2, 3).count, 3u);
}

/// The 33rd argument and what follows are not printed.
TEST(Printf, AtMost32Arguments) {
  std::string format, expected;
  for (int i = 0; i < 32; ++i) {
    format += "%d,";
    expected += "7,";
  }
  auto print = [](const std::string &format, auto... index) {
    return Text(format, (void(index), 7)...);
  };
  auto made = std::apply(
      [&](auto... index) { return print(format + "%5.2d;%*d", index...); },
      std::array<int, 32>{});
  EXPECT_EQ(made.get(), expected + "%5.2d;%*d");
  EXPECT_EQ(made.count, maxPrintfArguments);
}

/// An argument, or a string, that cannot be read.
TEST(Printf, UnreadableMemory) {
  EXPECT_EQ(Text("%d %d", 1).get(), "<unreadable>");
  EXPECT_EQ(Text("%s", uint64_t(99)).get(), "<unreadable>");
}

//===----------------------------------------------------------------------===//
// In kernels
//===----------------------------------------------------------------------===//

/// Runs a kernel of Inputs/async.ptx and returns what it printed.
struct Program {
  Program() : device(readInput("async.ptx")) {
    LaunchOptions options = getOptions();
    options.print = [this](llvm::StringRef text) { printed += text.str(); };
    if (device.module)
      device.module->setOptions(options);
  }
  Device device;
  std::string printed;
};

/// Each call's text is whole; blocks come in order, threads where they are.
TEST(Printf, InKernels) {
  Program program;
  EXPECT_EQ(program.device.run("talk", {2, 1, 1}, {3, 1, 1}, 0, 9), "");
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(program.printed).split(lines, '\n', -1, false);
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_EQ(llvm::count(lines, "none"), 6);
  for (int block = 0; block < 2; ++block)
    for (int thread = 0; thread < 3; ++thread) {
      std::string line = llvm::formatv("block {0} thread {1}: text 1.50 "
                                       "-123456789012 0x10 c 100%",
                                       block, thread);
      EXPECT_EQ(llvm::count(llvm::ArrayRef(lines).slice(block * 6, 6), line), 1)
          << line;
    }
}

TEST(Printf, FailedAssertion) {
  Program program;
  EXPECT_THAT(program.device.run("talk", {2, 1, 1}, {3, 1, 1}, 0, 2),
              HasSubstr("async.cu:70: void talk(int): block: [0,0,0], thread: "
                        "[2,0,0] Assertion `int(threadIdx.x) < n` failed."));
  Fault *fault = nullptr;
  llvm::Error error = program.device.module->launch(
      "talk", {}, {4, 1, 1}, 0, Arguments(0).get(), program.device.memory);
  llvm::handleAllErrors(
      std::move(error),
      [&](Fault &it) {
        fault = &it;
        EXPECT_EQ(it.getKind(), FaultKind::Assertion);
      },
      [](const llvm::ErrorInfoBase &) {});
  EXPECT_NE(fault, nullptr);
}

TEST(Builtins, DeclaredOtherwise) {
  auto refusal = [](llvm::StringRef declaration, llvm::StringRef call) {
    return loadError(header + declaration.str() +
                     ".visible .entry k() { .param .b64 a; .param .b32 b;\n" +
                     call.str() + "\nret; }\n");
  };
  EXPECT_EQ(refusal(".extern .func free(.param .b64 p);", "call free, (a);"),
            "");
  EXPECT_THAT(refusal(".extern .func free(.param .b32 p);", "call free, (b);"),
              HasSubstr("PTX line 6: 'call': 'free' is declared with other "
                        "parameters than the runtime's function has"));
  EXPECT_THAT(refusal(".extern .func (.param .b32 r) free(.param .b64 p);",
                      "call (b), free, (a);"),
              HasSubstr("declared with other parameters"));
  EXPECT_THAT(refusal(".extern .func free(.param .b64 p);", "call free, (b);"),
              HasSubstr("expected 8 bytes for 'p', got 4"));
  EXPECT_THAT(
      refusal(".extern .func other(.param .b64 p);", "call other, (a);"),
      HasSubstr("function 'other' is defined in no module"));
}

/// The second launch is the first to diverge, and compiles code for it.
TEST(Builtins, DivergentInTheSecondLaunch) {
  Program program;
  EXPECT_EQ(program.device.run("talk", {}, {3, 1, 1}, 0, 9), "");
  EXPECT_THAT(program.device.run("talk", {}, {3, 1, 1}, 0, 1),
              HasSubstr("Assertion"));
}

/// Inputs/async.cu: each thread writes to what it allocated and frees it.
TEST(Builtins, Heap) {
  Program program;
  DeviceArray<int> out(program.device.memory, std::vector<int>(64));
  size_t used = program.device.memory.used();
  EXPECT_EQ(program.device.run("heap", {}, {64, 1, 1}, 0, out.get()), "");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out.get()[i], 3 * i);
  EXPECT_EQ(program.device.memory.used(), used);
}

} // namespace
