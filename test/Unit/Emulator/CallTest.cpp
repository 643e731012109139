//===- CallTest.cpp - Function pointers and recursion ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls through registers, and functions that call themselves, in every way of
// execution: lanes that run together, under masks, and thread by thread.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

using Execution = LaunchOptions::Execution;
using Words = std::vector<uint32_t>;

class Calls : public testing::TestWithParam<std::tuple<Execution, Checks>> {
protected:
  /// Runs one block on an array of a word a thread, which it gives back.
  Words run(const std::string &text, const Words &input, std::string *message) {
    Device device(text);
    if (!device.module)
      return {};
    LaunchOptions options = getOptions();
    std::tie(options.execution, options.checks) = GetParam();
    device.module->setOptions(options);
    DeviceArray<uint32_t> data(device.memory, input);
    std::string got =
        device.run("k", {}, {unsigned(input.size()), 1, 1}, 0, data.get());
    if (message)
      *message = got;
    else
      EXPECT_EQ(got, "");
    return data.values();
  }
  /// For every number of threads in a block: expects f(x, lane).
  void expectEach(const std::string &text,
                  llvm::function_ref<uint32_t(uint32_t)> input,
                  llvm::function_ref<uint32_t(uint32_t)> expected) {
    for (unsigned threads : {1u, 32u, 45u, 64u}) {
      Words given, wanted;
      for (unsigned i = 0; i < threads; ++i) {
        given.push_back(input(i));
        wanted.push_back(expected(input(i)));
      }
      EXPECT_EQ(run(text, given, nullptr), wanted) << threads << " threads";
    }
  }
  std::string messageFor(const std::string &text, const Words &input) {
    std::string message;
    run(text, input, &message);
    return message;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Ways, Calls,
    testing::Combine(testing::Values(Execution::Warps, Execution::Masked,
                                     Execution::Threads),
                     testing::Values(Checks::None, Checks::Bounds,
                                     Checks::All)));

/// A kernel that replaces its thread's word, %r1, by %r2.
std::string kernel(const std::string &functions, const std::string &body) {
  return header + functions +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<8>; .reg .b32 "
         "%r<16>; .reg .b64 %q<16>;\n"
         "ld.param.u64 %q1, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %q2, %r0, "
         "4; add.u64 %q1, %q1, %q2; ld.global.u32 %r1, [%q1];\n" +
         body + "\nst.global.u32 [%q1], %r2; ret; }\n";
}

const std::string unary =
    ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a<3>; "
    "ld.param.b32 %a1, [x]; add.u32 %a2, %a1, %a1; st.param.b32 [r], %a2; ret; "
    "}\n"
    ".func (.param .b32 r) square(.param .b32 x) { .reg .b32 %a<3>; "
    "ld.param.b32 %a1, [x]; mul.lo.u32 %a2, %a1, %a1; st.param.b32 [r], %a2; "
    "ret; }\n"
    ".func (.param .b32 r) sum(.param .b32 x, .param .b32 y) { .reg .b32 "
    "%a<3>; ld.param.b32 %a1, [x]; ld.param.b32 %a2, [y]; add.u32 %a1, %a1, "
    "%a2; st.param.b32 [r], %a1; ret; }\n";

/// %r2 = (%q3)(%r1).
const std::string callUnary =
    "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (r), %q3, (x), proto; ld.param.b32 %r2, [r]; }\n";

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

TEST_P(Calls, PointerInRegister) {
  expectEach(
      kernel(unary, "mov.u64 %q3, square; mov.u64 %q4, sum;" + callUnary),
      [](uint32_t i) { return i + 3; }, [](uint32_t x) { return x * x; });
}

/// Lanes of one warp call different functions.
TEST_P(Calls, PointersDiffer) {
  expectEach(
      kernel(unary, "mov.u64 %q3, square; mov.u64 %q4, twice; and.b32 "
                    "%r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; selp.b64 "
                    "%q3, %q3, %q4, %p1;" +
                        callUnary),
      [](uint32_t i) { return i * 7 + 1; },
      [](uint32_t x) { return x & 1 ? 2 * x : x * x; });
}

/// Lanes without the guard do not call.
TEST_P(Calls, GuardedPointer) {
  expectEach(
      kernel(unary,
             "mov.u64 %q3, 0; and.b32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 0; "
             "@%p1 mov.u64 %q3, twice; mov.u32 %r2, 7; { .param .b32 x; .param "
             ".b32 r; st.param.b32 [x], %r1; st.param.b32 [r], 7;\n"
             "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "@%p1 call (r), %q3, (x), proto; ld.param.b32 %r2, [r]; }"),
      [](uint32_t i) { return i; },
      [](uint32_t x) { return x & 3 ? 7 : 2 * x; });
}

/// A table in memory, with generic addresses, as compilers write them.
TEST_P(Calls, TableInMemory) {
  std::string load = "and.b32 %r3, %r1, 3; mul.wide.u32 %q4, %r3, 8; mov.u64 "
                     "%q5, table; add.u64 %q4, %q4, %q5; ld.SPACE.u64 %q3, "
                     "[%q4];";
  for (std::string space : {"global", "const"}) {
    std::string body = load;
    body.replace(body.find("SPACE"), 5, space);
    expectEach(
        kernel(unary + "." + space +
                   " .align 8 .u64 table[4] = {twice, generic(square), square, "
                   "twice};\n",
               body + callUnary),
        [](uint32_t i) { return i * 5; },
        [](uint32_t x) {
          return (x & 3) == 1 || (x & 3) == 2 ? x * x : 2 * x;
        });
  }
}

/// A virtual function: the object's first word is the address of a table.
TEST_P(Calls, VirtualFunction) {
  std::string functions =
      ".func (.param .b32 r) one(.param .b64 this) { .reg .b32 %a<3>; .reg "
      ".b64 %b; ld.param.b64 %b, [this]; ld.u32 %a1, [%b+8]; add.u32 %a1, %a1, "
      "100; st.param.b32 [r], %a1; ret; }\n"
      ".func (.param .b32 r) two(.param .b64 this) { .reg .b32 %a<3>; .reg "
      ".b64 %b; ld.param.b64 %b, [this]; ld.u32 %a1, [%b+8]; mul.lo.u32 %a1, "
      "%a1, 3; st.param.b32 [r], %a1; ret; }\n"
      ".extern .func __cxa_pure_virtual();\n"
      ".global .align 8 .u64 v1[4] = {0, 0, one, __cxa_pure_virtual};\n"
      ".global .align 8 .u64 v2[4] = {0, 0, two, __cxa_pure_virtual};\n";
  std::string body =
      ".local .align 8 .b8 object[16]; mov.u64 %q4, object; cvta.local.u64 "
      "%q4, %q4; mov.u64 %q5, v1; mov.u64 %q6, v2; setp.lt.u32 %p1, %r1, 10; "
      "selp.b64 %q5, %q5, %q6, %p1; cvta.global.u64 %q5, %q5; add.u64 %q5, "
      "%q5, 16; st.u64 [%q4], %q5; st.u32 [%q4+8], %r1;\n"
      "ld.u64 %q7, [%q4]; ld.u64 %q3, [%q7+OFFSET];\n"
      "{ .param .b64 this; .param .b32 r; st.param.b64 [this], %q4;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
      "call (r), %q3, (this), proto; ld.param.b32 %r2, [r]; }\n";
  size_t at = body.find("OFFSET");
  std::string first = body, second = body;
  expectEach(
      kernel(functions, first.replace(at, 6, "0")),
      [](uint32_t i) { return i; },
      [](uint32_t x) { return x < 10 ? x + 100 : 3 * x; });
  EXPECT_THAT(
      messageFor(kernel(functions, second.replace(at, 6, "8")), Words(3)),
      HasSubstr("call through a pointer to '__cxa_pure_virtual', which "
                "is defined in no module"));
}

/// `.calltargets` says which functions may be meant.
TEST_P(Calls, Targets) {
  std::string call = "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
                     "list: .calltargets square;\n"
                     "call (r), %q3, (x), list; ld.param.b32 %r2, [r]; }\n";
  expectEach(
      kernel(unary, "mov.u64 %q3, square;" + call),
      [](uint32_t i) { return i + 1; }, [](uint32_t x) { return x * x; });
  EXPECT_THAT(messageFor(kernel(unary, "mov.u64 %q3, twice;" + call), {1}),
              HasSubstr("call through a pointer to 'twice', which takes"));
}

/// The fault names the lane whose pointer is bad.
TEST_P(Calls, BadPointers) {
  auto fault = [&](const std::string &pointer) {
    return messageFor(
        kernel(unary, "mov.u64 %q3, twice; mov.u64 %q4, " + pointer +
                          "; setp.eq.u32 %p1, %r0, 5; selp.b64 %q3, %q4, %q3, "
                          "%p1;\n" +
                          callUnary),
        Words(32));
  };
  std::string text = fault("0");
  EXPECT_THAT(text, HasSubstr("kernel 'k', block (0,0,0), thread (5,0,0), PTX "
                              "line 13 (`call (r), %q3, (x), proto`)"));
  EXPECT_THAT(text, HasSubstr("call through a null pointer"));
  EXPECT_THAT(fault("4660"),
              HasSubstr("call to address 0x1234, which is no function's"));
  EXPECT_THAT(fault("sum"),
              HasSubstr("call through a pointer to 'sum', which takes or "
                        "returns other than the call says"));
  EXPECT_THAT(messageFor(kernel("", "mov.u64 %q3, 0;" + callUnary), Words(40)),
              HasSubstr("call through a null pointer"));
}

/// All lanes jump to one block by a table, which the warp stays whole for.
TEST_P(Calls, UniformTable) {
  expectEach(
      kernel("", "mov.u32 %r3, %ctaid.x; mov.u32 %r4, 1; mov.u32 %r5, "
                 "%nctaid.x;\n"
                 "$table: .branchtargets $zero, $one;\n"
                 "brx.idx %r3, $table;\n"
                 "$one: mov.u32 %r4, 9;\n"
                 "$zero: add.u32 %r5, %r5, 4; add.u32 %r2, %r4, %r5;"),
      [](uint32_t) { return 0; }, [](uint32_t) { return 6; });
}

/// Both sides of a branch use one register, which the other side still needs.
TEST_P(Calls, RegisterOfBothSides) {
  for (std::string filler : {"", "brx"}) {
    // An indirect branch inside is not executed under masks.
    if (!filler.empty())
      filler = "mov.u32 %r7, 0;\n$t: .branchtargets $next;\nbrx.idx %r7, "
               "$t;\n$next:\n";
    expectEach(
        kernel("", "mov.u32 %r4, 5; add.u32 %r6, %r1, 8; and.b32 %r3, %r1, 1; "
                   "setp.eq.u32 %p1, %r3, 0; @%p1 bra even;\n"
                   "add.u32 %r2, %r4, %r6; mov.u32 %r4, 9; add.u32 %r2, %r2, "
                   "%r4; mov.u32 %r6, 7; add.u32 %r2, %r2, %r6; bra join;\n"
                   "even:\n" +
                       filler +
                       "mul.lo.u32 %r2, %r4, %r6; mov.u32 %r4, 3; mov.u32 %r6, "
                       "2; mad.lo.u32 %r2, %r2, %r4, %r6;\njoin:"),
        [](uint32_t i) { return i * 5 / 3; },
        [](uint32_t x) {
          return x & 1 ? 5 + x + 8 + 9 + 7 : 5 * (x + 8) * 3 + 2;
        });
  }
}

//===----------------------------------------------------------------------===//
// Recursion
//===----------------------------------------------------------------------===//

const std::string factorial =
    ".func (.param .b32 r) fact(.param .b32 x) { .reg .b32 %a<4>; .reg .pred "
    "%c; ld.param.b32 %a1, [x]; mov.u32 %a2, 1; setp.lt.u32 %c, %a1, 2; @%c "
    "bra done; sub.u32 %a3, %a1, 1;\n"
    "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %a3; call.uni (q0), "
    "fact, (p0); ld.param.b32 %a2, [q0]; }\n"
    "mul.lo.u32 %a2, %a2, %a1;\ndone: st.param.b32 [r], %a2; ret; }\n";

std::string callDirect(const std::string &name) {
  return "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
         "call (r), " +
         name + ", (x); ld.param.b32 %r2, [r]; }\n";
}

uint32_t getFactorial(uint32_t x) {
  return x < 2 ? 1 : x * getFactorial(x - 1);
}
uint32_t getFibonacci(uint32_t x) {
  return x < 2 ? x : getFibonacci(x - 1) + getFibonacci(x - 2);
}

TEST_P(Calls, Factorial) {
  std::string text = kernel(factorial, callDirect("fact"));
  expectEach(text, [](uint32_t) { return 9; }, getFactorial);
  expectEach(text, [](uint32_t i) { return i * 11 % 13; }, getFactorial);
}

/// Two calls in one function, and two in the kernel.
TEST_P(Calls, Fibonacci) {
  std::string function =
      ".func (.param .b32 r) fib(.param .b32 x) { .reg .b32 %a<6>; .reg .pred "
      "%c; ld.param.b32 %a1, [x]; mov.u32 %a2, %a1; setp.lt.u32 %c, %a1, 2; "
      "@%c bra done; sub.u32 %a3, %a1, 1; sub.u32 %a4, %a1, 2;\n"
      "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %a3; call.uni "
      "(q0), fib, (p0); ld.param.b32 %a2, [q0]; }\n"
      "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %a4; call.uni "
      "(q0), fib, (p0); ld.param.b32 %a5, [q0]; }\n"
      "add.u32 %a2, %a2, %a5;\ndone: st.param.b32 [r], %a2; ret; }\n";
  expectEach(
      kernel(function, callDirect("fib") +
                           "add.u32 %r1, %r1, 1; mov.u32 "
                           "%r5, %r2;\n" +
                           callDirect("fib") + "add.u32 %r2, %r2, %r5;"),
      [](uint32_t i) { return i % 9; },
      [](uint32_t x) { return getFibonacci(x) + getFibonacci(x + 1); });
}

/// even calls odd, under a guard, and odd calls even; a predicate lives on.
TEST_P(Calls, MutualRecursion) {
  std::string functions =
      ".func (.param .b32 r) odd(.param .b32 x);\n"
      ".func (.param .b32 r) even(.param .b32 x) { .reg .b32 %a<4>; .reg .pred "
      "%c; ld.param.b32 %a1, [x]; mov.u32 %a2, 1; setp.ne.u32 %c, %a1, 0; "
      "sub.u32 %a3, %a1, 1; .param .b32 p0; .param .b32 q0; st.param.b32 [p0], "
      "%a3;\n@%c call (q0), odd, (p0);\n@%c ld.param.b32 %a2, [q0]; "
      "st.param.b32 [r], %a2; ret; }\n"
      ".func (.param .b32 r) odd(.param .b32 x) { .reg .b32 %a<4>; .reg .pred "
      "%c; ld.param.b32 %a1, [x]; mov.u32 %a2, 0; setp.eq.u32 %c, %a1, 0; @%c "
      "bra done; sub.u32 %a3, %a1, 1;\n"
      "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %a3; call (q0), "
      "even, (p0); ld.param.b32 %a2, [q0]; }\n"
      "done: st.param.b32 [r], %a2; ret; }\n";
  expectEach(
      kernel(functions, callDirect("even")),
      [](uint32_t i) { return i * 3 % 17; },
      [](uint32_t x) { return 1 - x % 2; });
}

/// Each call has its own local array, whose address the callee gets.
TEST_P(Calls, LocalArrays) {
  std::string function =
      ".func (.param .b32 r) walk(.param .b32 x, .param .b64 outer) { .reg "
      ".b32 %a<6>; .reg .b64 %b<4>; .reg .pred %c; .local .align 8 .b8 "
      "depot[8]; ld.param.b32 %a1, [x]; ld.param.b64 %b1, [outer]; mov.u64 "
      "%b2, depot; cvta.local.u64 %b3, %b2; mov.b32 %a5, depot; st.local.u32 "
      "[%a5+4], %a1; "
      "ld.u32 %a2, [%b1]; add.u32 %a2, %a2, 1; st.u32 [%b3], %a2;\n"
      "setp.eq.u32 %c, %a1, 0; @%c bra done; sub.u32 %a3, %a1, 1;\n"
      "{ .param .b32 p0; .param .b64 p1; .param .b32 q0; st.param.b32 [p0], "
      "%a3; st.param.b64 [p1+0], %b3; call (q0), walk, (p0, p1); ld.param.b32 "
      "%a2, [q0]; }\n"
      "done: ld.local.u32 %a4, [%b2+4]; ld.u32 %a5, [%b3]; mad.lo.u32 %a2, "
      "%a4, %a5, %a2; st.param.b32 [r], %a2; ret; }\n";
  expectEach(
      kernel(function,
             ".local .align 4 .b8 first[4]; st.local.u32 [first], 0; mov.u64 "
             "%q3, first; cvta.local.u64 %q3, %q3;\n"
             "{ .param .b32 p0; .param .b64 p1; .param .b32 q0; st.param.b32 "
             "[p0], %r1; st.param.b64 [p1], %q3; call (q0), walk, (p0, p1); "
             "ld.param.b32 %r2, [q0]; }\n"),
      [](uint32_t i) { return i % 7; },
      [](uint32_t x) {
        // The innermost gives its count; level k has x - k and count k + 1.
        uint32_t sum = x + 1;
        for (uint32_t k = 0; k <= x; ++k)
          sum += (x - k) * (k + 1);
        return sum;
      });
}

/// A structure by value, read at a place that is computed.
TEST_P(Calls, StructureByValue) {
  std::string function =
      ".func (.param .align 8 .b8 r[16]) shift(.param .align 8 .b8 x[16]) { "
      ".reg .b32 %a<6>; .reg .b64 %b<4>; .reg .pred %c; ld.param.b64 %b1, "
      "[x+8]; ld.param.v2.b32 {%a1, %a2}, [x]; setp.eq.u32 %c, %a1, 0; @%c bra "
      "done; sub.u32 %a3, %a1, 1; add.u32 %a4, %a2, %a1; shl.b64 %b1, %b1, 1;\n"
      "{ .param .align 8 .b8 p0[16]; .param .align 8 .b8 q0[16]; st.param.b32 "
      "[p0], %a3; st.param.b32 [p0+4], %a4; st.param.b64 [p0+8], %b1; call "
      "(q0), shift, (p0); ld.param.v2.b32 {%a1, %a2}, [q0]; ld.param.b64 %b1, "
      "[q0+8]; }\n"
      "done: st.param.v2.b32 [r], {%a1, %a2}; st.param.b64 [r+8], %b1; ret; "
      "}\n";
  expectEach(
      kernel(function,
             "mov.u64 %q3, 1; { .param .align 8 .b8 p0[16]; .param .align 8 "
             ".b8 q0[16]; st.param.v2.b32 [p0], {%r1, %r1}; st.param.b64 "
             "[p0+8], %q3; call (q0), shift, (p0); ld.param.b32 %r2, [q0+4]; "
             "ld.param.b64 %q4, [q0+8]; } cvt.u32.u64 %r3, %q4; add.u32 %r2, "
             "%r2, %r3;"),
      [](uint32_t i) { return i % 6; },
      [](uint32_t x) { return x + x * (x + 1) / 2 + (1u << x); });
}

/// A function that calls itself through a pointer that it is given.
TEST_P(Calls, RecursionThroughPointer) {
  std::string function =
      ".func (.param .b32 r) count(.param .b32 x, .param .b64 f) { .reg .b32 "
      "%a<4>; .reg .b64 %b; .reg .pred %c; ld.param.b32 %a1, [x]; ld.param.b64 "
      "%b, [f]; mov.u32 %a2, 5; setp.eq.u32 %c, %a1, 0; @%c bra done; sub.u32 "
      "%a3, %a1, 1;\n"
      "{ .param .b32 p0; .param .b64 p1; .param .b32 q0; st.param.b32 [p0], "
      "%a3; st.param.b64 [p1], %b;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 "
      "_);\ncall (q0), %b, (p0, p1), proto; ld.param.b32 %a2, [q0]; }\n"
      "add.u32 %a2, %a2, %a1;\ndone: st.param.b32 [r], %a2; ret; }\n";
  expectEach(
      kernel(function,
             "mov.u64 %q3, count; { .param .b32 p0; .param .b64 p1; "
             ".param .b32 q0; st.param.b32 [p0], %r1; st.param.b64 "
             "[p1], %q3; call (q0), count, (p0, p1); ld.param.b32 %r2, "
             "[q0]; }\n"),
      [](uint32_t i) { return i % 19; },
      [](uint32_t x) { return 5 + x * (x + 1) / 2; });
}

/// Shuffles and prints in a function that calls itself.
TEST_P(Calls, RecursionWithCollectives) {
  std::string function =
      ".func (.param .b32 r) tree(.param .b32 x, .param .b32 d) { .reg .b32 "
      "%a<6>; .reg .pred %c; ld.param.b32 %a1, [x]; ld.param.b32 %a2, [d]; "
      "setp.eq.u32 %c, %a2, 0; @%c bra done; shfl.sync.bfly.b32 %a3, %a1, "
      "%a2, 31, -1; add.u32 %a1, %a1, %a3; shr.u32 %a2, %a2, 1;\n"
      "{ .param .b32 p0; .param .b32 p1; .param .b32 q0; st.param.b32 [p0], "
      "%a1; st.param.b32 [p1], %a2; call (q0), tree, (p0, p1); ld.param.b32 "
      "%a1, [q0]; }\n"
      "done: st.param.b32 [r], %a1; ret; }\n";
  std::string text =
      kernel(function, "{ .param .b32 p0; .param .b32 p1; .param .b32 q0; "
                       "st.param.b32 [p0], %r1; st.param.b32 [p1], 16; call "
                       "(q0), tree, (p0, p1); ld.param.b32 %r2, [q0]; }");
  Words input;
  for (uint32_t i = 0; i < 64; ++i)
    input.push_back(i);
  Words wanted(64, 31 * 16);
  std::fill(wanted.begin() + 32, wanted.end(), 31 * 16 + 32 * 32);
  EXPECT_EQ(run(text, input, nullptr), wanted);
}

/// One lane goes on for ever; the stack's end is a fault of that lane.
TEST_P(Calls, StackOverflow) {
  std::string text = kernel(factorial, callDirect("fact"));
  Words input(64, 3);
  input[37] = 1 << 20;
  std::string message = messageFor(text, input);
  EXPECT_THAT(message, HasSubstr("thread (37,0,0), PTX line 6 (`call.uni (q0), "
                                 "fact, (p0)`)"));
  EXPECT_THAT(message, HasSubstr("stack overflow: calls of 'fact' take more "
                                 "than the 65536 bytes that a thread has for "
                                 "them"));
}

/// The stack is deep enough for a thousand plain calls.
TEST_P(Calls, DeepRecursion) {
  std::string function = factorial;
  function.replace(function.find("mul.lo.u32"), 10, "add.u32");
  expectEach(
      kernel(function, callDirect("fact")), [](uint32_t) { return 1000; },
      [](uint32_t x) { return x * (x + 1) / 2; });
}

//===----------------------------------------------------------------------===//
// Refused
//===----------------------------------------------------------------------===//

TEST(CallText, Refused) {
  auto refuse = [](const std::string &body) {
    return loadError(kernel(unary, body));
  };
  EXPECT_EQ(refuse("call %q1, ();"),
            "PTX line 10: expected ', ' and the prototype of the call, got "
            "';'");
  EXPECT_EQ(refuse("call %q1, (), none;"),
            "PTX line 10: 'call': expected a label of '.callprototype' or "
            "'.calltargets', got 'none'");
  EXPECT_EQ(refuse("call twice, (), none;"),
            "PTX line 10: expected a register before the prototype of 'call', "
            "got 'twice'");
  std::string proto = "proto: .callprototype _ (.param .b32 _);\n";
  EXPECT_EQ(refuse(proto + "call %q1, (), proto;"),
            "PTX line 11: 'call': expected 1 parameters or results for "
            "'proto', got 0");
  EXPECT_EQ(refuse(proto + ".param .b64 x; call %q1, (x), proto;"),
            "PTX line 11: 'call': expected 4 bytes for 'proto', got 8");
  EXPECT_EQ(refuse(proto + ".param .b32 x; call %r1, (x), proto;"),
            "PTX line 11: 'call': expected a register of 64 bits, got '%r1' of "
            "32");
  EXPECT_EQ(refuse(proto + proto),
            "PTX line 11: label 'proto' is defined twice");
  EXPECT_EQ(refuse("mov.u32 %r3, twice;"),
            "PTX line 10: 'mov.u32': expected 64 bits for the address of a "
            "function");
  EXPECT_EQ(refuse("mov.u64 %q3, k;"),
            "PTX line 10: 'mov.u64': the address of the kernel 'k' is not "
            "covered");
  EXPECT_EQ(refuse("mov.u64 %q3, nothing;"),
            "PTX line 10: 'mov.u64': 'nothing' is not declared");
  EXPECT_EQ(refuse("list: .calltargets k;\ncall %q1, list;"),
            "PTX line 11: 'call': 'k' of 'list' is no function that is "
            "defined");
}

/// Functions that together would be too long are called rather than copied.
TEST(CallText, ManyPointers) {
  // Each level calls two functions of the next one through a pointer.
  std::string functions;
  for (int level = 11; level >= 0; --level)
    for (const char *side : {"l", "r"}) {
      std::string name = side + std::to_string(level);
      std::string body;
      if (level < 11) {
        std::string next = std::to_string(level + 1);
        body = "mov.u64 %b1, l" + next + "; mov.u64 %b2, r" + next +
               "; and.b32 %a2, %a1, 1; shr.u32 %a3, %a1, 1; setp.eq.u32 %c, "
               "%a2, 0; selp.b64 %b1, %b1, %b2, %c;\n"
               "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %a3;\n"
               "list: .calltargets l" +
               next + ", r" + next +
               ";\ncall (q0), %b1, (p0), list; ld.param.b32 %a1, [q0]; }\n";
      }
      functions += ".func (.param .b32 r) " + name +
                   "(.param .b32 x) { .reg .b32 %a<4>; .reg .b64 %b<3>; .reg "
                   ".pred %c; ld.param.b32 %a1, [x];\n" +
                   body + "mad.lo.u32 %a1, %a1, 3, " +
                   (side[0] == 'l' ? "1" : "2") +
                   "; st.param.b32 [r], %a1; ret; }\n";
    }
  Device device(kernel(functions, callDirect("l0")));
  Words input(64), wanted;
  for (uint32_t i = 0; i < 64; ++i) {
    input[i] = i * 797;
    // Level n has the digit n - 1 of the number as its side.
    uint32_t value = input[i] >> 11;
    for (int level = 11; level >= 0; --level)
      value = value * 3 + (level && input[i] >> (level - 1) & 1 ? 2 : 1);
    wanted.push_back(value);
  }
  DeviceArray<uint32_t> data(device.memory, input);
  EXPECT_EQ(device.run("k", {}, {64, 1, 1}, 0, data.get()), "");
  EXPECT_EQ(data.values(), wanted);
}

} // namespace
