//===- FrontEndTest.cpp - Lexer, parser and verifier ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read, and what is refused by name and line before anything runs.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Isa/Isa.h"
#include "Isa/Verify.h"
#include "Ptx/Lexer.h"
#include "Ptx/Parser.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Lexer
//===----------------------------------------------------------------------===//

std::vector<ptx::Token> lex(llvm::StringRef text) {
  auto tokens = ptx::tokenize(text);
  if (tokens)
    return *tokens;
  ADD_FAILURE() << llvm::toString(tokens.takeError());
  return {};
}

TEST(Lexer, WordsAndLines) {
  auto tokens = lex("@!%p1 ld.global.L1::no_allocate.v2 // comment\n"
                    "/* two\nlines */ {_, $L__0}, [%rd1+-4];");
  std::vector<std::string> texts;
  for (const ptx::Token &token : tokens)
    texts.push_back(token.text.str());
  EXPECT_EQ(texts,
            (std::vector<std::string>{
                "@",  "!", "%p1",        "ld", "global", "L1::no_allocate",
                "v2", "{", "_",          ",",  "$L__0",  "}",
                ",",  "[", "%rd1",       "+",  "-",      "4",
                "]",  ";", "end of file"}));
  EXPECT_EQ(tokens[3].line, 1u);
  EXPECT_TRUE(tokens[5].isDotted());
  EXPECT_EQ(tokens[7].line, 3u);
}

TEST(Lexer, Numbers) {
  using Kind = ptx::Token::Kind;
  auto one = [](llvm::StringRef text) { return lex(text)[0]; };
  EXPECT_EQ(one("42").bits, 42u);
  EXPECT_EQ(one("0x1fU").bits, 31u);
  EXPECT_EQ(one("0b101").bits, 5u);
  EXPECT_EQ(one("017").bits, 15u);
  EXPECT_EQ(one("18446744073709551615").bits, ~uint64_t(0));
  EXPECT_EQ(one("0f3F800000").bits, 0x3f800000u);
  EXPECT_EQ(one("0f3F800000").kind, Kind::Float32);
  EXPECT_EQ(one("0dBFF0000000000000").kind, Kind::Float64);
  EXPECT_EQ(one("1.5").bits, llvm::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(one("2.5e-3").bits, llvm::bit_cast<uint64_t>(2.5e-3));
  EXPECT_EQ(one("1e3").kind, Kind::Float64);
}

TEST(Lexer, Errors) {
  auto error = [](llvm::StringRef text) {
    return messageOf(ptx::tokenize(text).takeError());
  };
  EXPECT_EQ(error("a\n  12monkeys"), "PTX line 2: '12monkeys' is not a number");
  EXPECT_EQ(error("/* open"), "PTX line 1: comment is not closed");
  EXPECT_EQ(error("\n\n\"open"), "PTX line 3: string is not closed");
  EXPECT_EQ(error("a ` b"), "PTX line 1: unexpected character '`'");
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

TEST(Parser, Module) {
  auto module =
      ptx::parse(".version 8.7\n.target sm_100a, debug\n.address_size 64\n"
                 ".file 1 \"a.cu\"\n"
                 ".global .align 16 .b8 g[4][8];\n.const .v2 .f32 pair;\n"
                 ".extern .shared .align 16 .b8 dyn[];\n"
                 ".visible .entry k(.param .u64 .ptr .global .align 16 p)\n"
                 ".maxntid 32, 4\n.minnctapersm 2\n.maxnreg 128\n{\n"
                 ".reg .pred %p<3>; .reg .b32 %r<10>;\n.loc 1 3 5\n"
                 "{ .reg .b32 %r<2>; mov.b32 %r1, 5; }\nmov.b32 %r1, 6;\n"
                 "$top: @!%p1 bra $top;\n.pragma \"nounroll\";\nret;\n}\n"
                 ".section .debug_str { .b8 1 $L: .b8 2 }\n");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  EXPECT_EQ((*module)->major, 8u);
  EXPECT_EQ((*module)->minor, 7u);
  EXPECT_EQ((*module)->target, "sm_100a");
  EXPECT_EQ((*module)->findVariable("g")->bytes, 32u);
  EXPECT_EQ((*module)->findVariable("g")->align, 16u);
  EXPECT_EQ((*module)->findVariable("pair")->bytes, 8u);
  EXPECT_TRUE((*module)->findVariable("dyn")->isDynamic);
  const ptx::Function *function = (*module)->findFunction("k");
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(function->isEntry);
  EXPECT_EQ(function->maxThreads[1], 4u);
  EXPECT_EQ(function->maxThreads[2], 1u);
  ASSERT_EQ(function->body.size(), 4u);
  // Inner scopes have registers of their own.
  EXPECT_NE(function->body[0].operands[0].reg,
            function->body[1].operands[0].reg);
  EXPECT_EQ(function->body[2].line, 17u);
  EXPECT_EQ(function->body[2].text, "@!%p1 bra $top");
  EXPECT_TRUE(function->body[2].guardNegated);
  EXPECT_EQ(function->labels.lookup("$top"), 2u);
}

/// What nvcc and LLVM write around functions and variables.
TEST(Parser, DirectivesOfCompilers) {
  auto module = ptx::parse(
      header + ".common .global .align 4 .u32 c;\n"
               ".weak .global .u32 w = 3;\n"
               ".visible .global .attribute(.managed) .align 4 .u32 m;\n"
               ".extern .func (.param .b32 r) f (.param .b32 x);\n"
               ".func .attribute(.unified(0xA, 0xB)) .noreturn g()\n"
               ".abi_preserve 8\n{ trap; }\n"
               ".func (.param .b32 r) real(.param .b32 x) .noreturn { ret; }\n"
               ".weak .entry k(.param .u64 .ptr .align 1 p)\n"
               ".explicitcluster\n.reqnctapercluster 1, 1, 1\n"
               ".maxclusterrank 8\n.pragma \"a\", \"b\";\n{\n"
               ".reg .b64 %q<2>;\n"
               "proto : .callprototype (.param .b32 _) _ (.param .b32 _) "
               ".noreturn;\n"
               "targets: .calltargets real, g;\n"
               "ret;\n}\n.alias f, real;\n.section\t.debug_macinfo\t{\t}\n");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  EXPECT_EQ((*module)->findFunction("f"), (*module)->findFunction("real"));
  EXPECT_EQ((*module)->findVariable("m")->bytes, 4u);
  EXPECT_EQ((*module)->findFunction("k")->body.size(), 1u);
}

TEST(Parser, SourceLocations) {
  auto module = ptx::parse(
      header +
      ".func f() {\nbrkpt;\n.loc 1 7 0\ntrap; // first\n"
      ".loc\t2 3 9, function_name $L__info_string0, inlined_at 1 8 5\n"
      "trap;\n.loc 3 4 1, function_name $L__info_string0 + 12, inlined_at 1 2 "
      "3\nexit;\n}\n"
      ".entry k() { ret; }\n"
      ".file 1 \"a.cu\"\n.file\t2 \"/lib\" \"b.h\", 1700000000, 512\n");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  const ptx::Function &function = *(*module)->findFunction("f");
  auto describe = [&](unsigned index) {
    return (*module)->describeLocation(function.body[index]);
  };
  EXPECT_EQ(describe(0), "");
  EXPECT_EQ(describe(1), "a.cu:7");
  EXPECT_EQ(describe(2), "/lib/b.h:3:9, inlined at a.cu:8:5");
  EXPECT_EQ(describe(3), "file 3:4:1, inlined at a.cu:2:3");
  // A function does not go on where the one before ended.
  EXPECT_EQ((*module)->describeLocation((*module)->findFunction("k")->body[0]),
            "");
  auto error = [](llvm::StringRef text) {
    return loadError(header + text.str());
  };
  EXPECT_EQ(error(".file 1\n.target"),
            "PTX line 6: expected a file name, got '.target'");
  EXPECT_EQ(error(".loc 1 2;\n"),
            "PTX line 5: expected file, line and column, got ';'");
  EXPECT_EQ(error(".loc 1 2 3, called_by x;\n"),
            "PTX line 5: 'called_by' is not covered in '.loc'");
}

std::string body(llvm::StringRef text, llvm::StringRef before = "") {
  return header + before.str() +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b16 "
         "%h<4>; "
         ".reg .b32 %r<8>; .reg .b64 %q<8>;\n" +
         text.str() + "\nret;\n}\n";
}

/// The error of a kernel whose body starts on line 6.
std::string refuse(llvm::StringRef text, llvm::StringRef before = "") {
  return loadError(body(text, before));
}

TEST(Parser, SyntaxErrors) {
  EXPECT_EQ(loadError("hello"),
            "PTX line 1: expected '.version' at the start of the module, got "
            "'hello'");
  EXPECT_EQ(loadError(".version 8.0\n.target sm_90\n.address_size 32\n"),
            "PTX line 3: expected '.address_size 64', got 32");
  EXPECT_EQ(loadError(".version 8.0\n.target gfx90a\n"),
            "PTX line 2: expected a target such as sm_90, got 'gfx90a'");
  EXPECT_EQ(loadError(".version 8.0\n"),
            "PTX line 2: expected a '.target' directive");
  EXPECT_EQ(refuse("\nadd.s32 %r1, %r2"),
            "PTX line 8: expected ';' after 'add.s32', got 'ret'");
  EXPECT_EQ(refuse("ld.global.u32 %r1, [%q1;"),
            "PTX line 6: expected ']' after an address, got ';'");
  EXPECT_EQ(refuse("mov.u32 %r9, 1;"),
            "PTX line 6: register '%r9' is neither declared nor a special "
            "register that is covered");
  EXPECT_EQ(refuse("@%p7 ret;"), "PTX line 6: register '%p7' is not declared");
  EXPECT_EQ(refuse("@%r1 ret;"),
            "PTX line 6: expected the guard '%r1' to be a predicate");
  EXPECT_EQ(refuse("$a: ret;\n$a: ret;"),
            "PTX line 7: label '$a' is defined twice");
  EXPECT_EQ(refuse("{ $a: ret;\n$a: ret; }"),
            "PTX line 7: label '$a' is defined twice");
  // Those of a block in braces are its own.
  EXPECT_EQ(refuse("{ $a: bra $a; }\n{ $a: bra $b; $b: ret; }\n$a: bra $a;"),
            "");
  EXPECT_EQ(refuse("{ $a: ret; }\nbra $a;"),
            "PTX line 7: 'bra': label '$a' is not defined");
  EXPECT_THAT(loadError(header + ".visible .entry k() { ret;"),
              HasSubstr("is not closed by '}'"));
}

TEST(Parser, DirectivesAreRefusedByName) {
  EXPECT_EQ(loadError(header + ".alias a, b;\n"),
            "PTX line 5: expected a function that is defined before, got 'b'");
  EXPECT_EQ(loadError(header + ".visible .entry k()\n.blocksareclusters\n{}"),
            "PTX line 6: directive '.blocksareclusters' is not covered");
  EXPECT_EQ(loadError(header + ".tex .u64 t;\n"),
            "PTX line 5: directive '.tex' is not covered");
  EXPECT_EQ(refuse(".callprototype _;"),
            "PTX line 6: directive '.callprototype' is not covered");
  EXPECT_EQ(loadError(header + ".global .attribute(.remote) .u32 g;\n"),
            "PTX line 5: expected '.managed' or '.unified', got '.remote'");
  EXPECT_EQ(loadError(header + ".global .texref t;\n"),
            "PTX line 5: '.texref' is not covered in a declaration");
  EXPECT_EQ(refuse("mov.u32 %r1, %cluster_rank;"),
            "PTX line 6: register '%cluster_rank' is neither declared nor a "
            "special register that is covered");
  EXPECT_EQ(loadError(header + ".extern .global .u32 g;\n"),
            "PTX line 5: variable 'g' is defined in no module");
  EXPECT_EQ(loadError(header + ".global .u32 g[2] = {1, 2, 3};\n"),
            "PTX line 5: too many initial values for 'g' of 8 bytes");
}

TEST(Parser, SizesAreLimited) {
  EXPECT_EQ(loadError(header + ".global .align 3 .u32 g;\n"),
            "PTX line 5: expected an alignment that is a power of two up to "
            "1024, got 3");
  EXPECT_EQ(loadError(header + ".global .b8 g[99999999][99999999];\n"),
            "PTX line 5: array 'g' is too large");
  EXPECT_EQ(loadError(header + ".entry k(.param .b8 p[40000]) { ret; }\n"),
            "PTX line 5: expected at most 32764 bytes of parameters, got "
            "40000");
  EXPECT_EQ(loadError(header + ".entry k() { .shared .b8 s[50000]; ret; }\n"),
            "PTX line 5: kernel 'k': expected at most 49152 bytes of static "
            "shared memory, got 50000");
  EXPECT_EQ(loadError(header + ".entry k() { .local .b8 s[600000]; ret; }\n"),
            "PTX line 5: kernel 'k': expected at most 524288 bytes of local "
            "memory, got 600000");
  EXPECT_EQ(loadError(header + ".global .b8 g[2] = " + std::string(50, '{')),
            "PTX line 5: initial values are nested too deep");
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

TEST(Verifier, InstructionsAreRefusedByName) {
  EXPECT_EQ(refuse("frobnicate.u32 %r1, %r2;"),
            "PTX line 6: instruction 'frobnicate.u32' is not covered");
  EXPECT_EQ(refuse("\n\ntcgen05.dealloc.cta_group::1.sync.aligned.b32;"),
            "PTX line 8: instruction "
            "'tcgen05.dealloc.cta_group::1.sync.aligned.b32' is not "
            "covered");
  EXPECT_EQ(refuse("add.rz.f16 %h1, %h2, %h3;"),
            "PTX line 6: instruction 'add.rz.f16' is not covered (at the "
            "modifier '.f16')");
  EXPECT_EQ(refuse("fma.rn.oob.f16 %h1, %h1, %h1, %h1;"),
            "PTX line 6: instruction 'fma.rn.oob.f16' is not covered (at the "
            "modifier '.oob')");
  EXPECT_EQ(refuse("fma.f32 %r1, %r1, %r1, %r1;"),
            "PTX line 6: instruction 'fma.f32' is not covered (at the modifier "
            "'.f32')");
  EXPECT_EQ(refuse("mul.lo %r1, %r1, %r1;"),
            "PTX line 6: instruction 'mul.lo' is not covered (at the end of "
            "its modifiers)");
  EXPECT_EQ(refuse("ld.global.L9.u32 %r1, [%q1];"),
            "PTX line 6: instruction 'ld.global.L9.u32' is not covered (at the "
            "modifier '.L9')");
  EXPECT_EQ(refuse("alloca.u64 %q1, %q2;"),
            "PTX line 6: instruction 'alloca.u64' is not covered");
  // Coordinates in an address are no fault of the syntax.
  EXPECT_EQ(refuse("cp.async.bulk.tensor.2d.global.shared::cta.bulk_groups "
                   "[%q1, {%r1, -2}], [%r3];"),
            "PTX line 6: instruction 'cp.async.bulk.tensor.2d.global."
            "shared::cta.bulk_groups' is not covered (at the modifier "
            "'.bulk_groups')");
  EXPECT_EQ(refuse("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%q1, %q2, {%r5}]"
                   ";"),
            "PTX line 6: instruction 'tex.1d.v4.s32.s32' is not covered");
  EXPECT_EQ(refuse("ld.global.u32 %r1, [%q1, {%r2}];"),
            "PTX line 6: 'ld.global.u32': expected an address without "
            "coordinates");
  EXPECT_EQ(refuse("tcgen05.dealloc.cta_group::1.sync.aligned.b32;"),
            "PTX line 6: instruction "
            "'tcgen05.dealloc.cta_group::1.sync.aligned.b32' is not "
            "covered");
  EXPECT_EQ(refuse("mov.u32 %r1, %is_explicit_cluster;"),
            "PTX line 6: 'mov.u32': expected .pred for '%is_explicit_cluster'");
}

TEST(Verifier, OperandsMatchTheirTypes) {
  EXPECT_EQ(refuse("add.s64 %q1, %q2, %r1;"),
            "PTX line 6: 'add.s64': expected a register of 64 bits, got '%r1' "
            "of 32");
  EXPECT_EQ(refuse("add.s32 %r1, %r2;"),
            "PTX line 6: 'add.s32': expected 3 operands, got 2");
  EXPECT_EQ(refuse("add.s32 1, %r2, %r3;"),
            "PTX line 6: 'add.s32': expected a register");
  EXPECT_EQ(refuse("mul.wide.u32 %r1, %r2, %r3;"),
            "PTX line 6: 'mul.wide.u32': expected a register of 64 bits, got "
            "'%r1' of 32");
  EXPECT_EQ(refuse("add.f32 %r1, %r2, 1;"),
            "PTX line 6: 'add.f32': expected a floating-point constant");
  EXPECT_EQ(refuse("add.s32 %r1, %r2, 0f3F800000;"),
            "PTX line 6: 'add.s32': expected an integer constant");
  EXPECT_EQ(refuse("setp.eq.s32 %r1, %r2, %r3;"),
            "PTX line 6: 'setp.eq.s32': expected a register of 1 bits, got "
            "'%r1' of 32");
  EXPECT_EQ(refuse("ld.global.v2.u32 %r1, [%q1];"),
            "PTX line 6: 'ld.global.v2.u32': expected 2 values, got 1");
  EXPECT_EQ(refuse("ld.global.u32 %r1, %q1;"),
            "PTX line 6: 'ld.global.u32': expected an address in brackets");
  EXPECT_EQ(refuse("ld.global.u64 %r1, [%q1];"),
            "PTX line 6: 'ld.global.u64': expected a register of 64 bits, got "
            "'%r1' of 32");
  EXPECT_EQ(refuse("bra $nowhere;"),
            "PTX line 6: 'bra': label '$nowhere' is not defined");
  EXPECT_EQ(refuse("ld.global.u32 %r1, [nothing];"),
            "PTX line 6: 'ld.global.u32': 'nothing' is not declared");
}

TEST(Verifier, RulesOfSingleInstructions) {
  EXPECT_EQ(refuse("cvt.f32.s32 %r1, %r2;"),
            "PTX line 6: 'cvt.f32.s32': expected .rn, .rz, .rm or .rp");
  EXPECT_EQ(refuse("cvt.rn.s32.f32 %r1, %r2;"),
            "PTX line 6: 'cvt.rn.s32.f32': expected .rni, .rzi, .rmi or .rpi");
  EXPECT_EQ(refuse("setp.ltu.s32 %p1, %r1, %r2;"),
            "PTX line 6: 'setp.ltu.s32': '.ltu' does not compare .s32");
  EXPECT_EQ(refuse("ld.param.u64 %q1, [p+8];"),
            "PTX line 6: 'ld.param.u64': access of 8 bytes at offset 8 of "
            "parameter 'p', which has 8 bytes");
  EXPECT_EQ(refuse("st.param.u64 [p], %q1;"),
            "PTX line 6: 'st.param.u64': kernel parameters cannot be written");
  EXPECT_EQ(refuse("bar.sync 16;"),
            "PTX line 6: 'bar.sync': expected a barrier from 0 to 15, got 16");
  EXPECT_EQ(refuse("bar.sync 1, 33;"),
            "PTX line 6: 'bar.sync': expected a thread count that is a "
            "multiple of 32, got 33");
  EXPECT_EQ(refuse("mov.u16 %h1, p;"),
            "PTX line 6: 'mov.u16': expected 64 bits for an address in .param");
  EXPECT_EQ(refuse("mov.u32 %r1, g;", ".global .u32 g; "),
            "PTX line 6: 'mov.u32': expected 64 bits for an address in "
            ".global");
}

/// A row's words alone would let more through than there is.
TEST(Verifier, CombinationsThatAreNotThere) {
  EXPECT_EQ(refuse("cvt.sat.u64.u32 %q1, %r1;"),
            "PTX line 6: 'cvt.sat.u64.u32': '.sat' needs a source with more "
            "numbers");
  EXPECT_EQ(refuse("cvt.rn.bf16.u8 %h1, %h2;"),
            "PTX line 6: 'cvt.rn.bf16.u8': expected a register of 8 bits next "
            "to .bf16");
  EXPECT_EQ(refuse("cvt.rn.sat.bf16.f32 %h1, %r1;"),
            "PTX line 6: 'cvt.rn.sat.bf16.f32': '.sat' does not convert .bf16");
  EXPECT_EQ(refuse("cvt.rn.f16.f16 %h1, %h2;"),
            "PTX line 6: 'cvt.rn.f16.f16': expected no rounding for a "
            "conversion that is exact");
  EXPECT_EQ(refuse("setp.eq.ftz.bf16 %p1, %h1, %h2;"),
            "PTX line 6: 'setp.eq.ftz.bf16': '.ftz' needs .f32 or .f16");
  EXPECT_EQ(refuse("set.eq.f32.f16 %r1, %h1, %h2;"),
            "PTX line 6: 'set.eq.f32.f16': a comparison of .f16 does not give "
            ".f32");
  EXPECT_EQ(refuse("ld.global.L2::cache_hint.b32 %r1, [%q1];"),
            "PTX line 6: 'ld.global.L2::cache_hint.b32': expected a cache "
            "policy as the last operand");
  EXPECT_EQ(refuse("st.global.b32 [%q1], %r1, %q2;"),
            "PTX line 6: 'st.global.b32': a cache policy needs "
            "'.L2::cache_hint'");
  EXPECT_EQ(refuse("red.global.add.v4.f32 [%q1], {%r1, %r2};"),
            "PTX line 6: 'red.global.add.v4.f32': expected 4 values, got 2");
  EXPECT_EQ(refuse("red.global.add.v8.f32 [%q1], {%r1, %r2, %r3, %r4, %r1, "
                   "%r2, %r3, %r4};"),
            "PTX line 6: 'red.global.add.v8.f32': expected at most 4 values, "
            "got 8");
}

TEST(Verifier, OrderOfWordsIsFreeForMemory) {
  EXPECT_EQ(refuse("atom.add.release.gpu.global.u32 %r1, [%q1], %r2;"
                   "atom.or.acq_rel.cta.b32 %r1, [%q1], %r2;"
                   "atom.global.v2.f32.add {%r1, %r2}, [%q1], {%r3, %r4};"
                   "ld.global.f32.v2 {%r1, %r2}, [%q1].unified;"
                   "max.s16x2.relu %r1, %r2, %r3;"),
            "");
  EXPECT_EQ(refuse("atom.add.release.gpu.gpu.u32 %r1, [%q1], %r2;"),
            "PTX line 6: instruction 'atom.add.release.gpu.gpu.u32' is not "
            "covered (at the modifier '.release')");
  EXPECT_EQ(refuse("red.add.release.u32.mad [%q1], %r2;"),
            "PTX line 6: instruction 'red.add.release.u32.mad' is not covered "
            "(at the modifier '.release')");
  EXPECT_EQ(refuse("fma.f32.rn %r1, %r1, %r1, %r1;"),
            "PTX line 6: instruction 'fma.f32.rn' is not covered (at the "
            "modifier '.f32')");
}

TEST(Verifier, BytesInRegisters) {
  EXPECT_EQ(refuse(".reg .b8 %b<3>; cvt.rzi.s8.bf16 %b1, %h1; mov.b16 %h2, "
                   "{%b1, 0}; mov.b16 {%b1, %b2}, %h2;"),
            "");
}

TEST(Verifier, Calls) {
  const char *function = ".func f(.param .b32 x) { ret; }\n";
  EXPECT_EQ(refuse("call f;", function),
            "PTX line 7: 'call': expected 1 arguments, got 0");
  EXPECT_EQ(refuse("call g;"),
            "PTX line 6: 'call': function 'g' is not declared");
  EXPECT_EQ(refuse("call k;"),
            "PTX line 6: 'call': kernel 'k' cannot be called");
  EXPECT_EQ(refuse("call printf;", ".extern .func printf();\n"),
            "PTX line 7: 'call': function 'printf' is defined in no module");
}

/// Every row of the table is read as it is meant: its root is a word, and an
/// instruction made of its required words resolves to a row of that root.
TEST(Table, EveryRowIsReachable) {
  for (const isa::Row &row : isa::getTable()) {
    SCOPED_TRACE(row.syntax);
    ptx::Instruction probe;
    llvm::StringRef opcode = llvm::StringRef(row.syntax).split(' ').first;
    probe.root = opcode.take_until([](char c) { return c == '.' || c == '{'; });
    llvm::SmallVector<llvm::StringRef> words;
    // Any word of the row that is no set stands for itself.
    llvm::StringRef rest = opcode.drop_front(probe.root.size());
    for (bool isOptional; !rest.empty();) {
      isOptional = rest.consume_front("{");
      rest.consume_front(".");
      llvm::StringRef word = rest.take_until(
          [](char c) { return c == '.' || c == '{' || c == '}'; });
      rest = rest.drop_front(word.size());
      rest.consume_front("}");
      if (!isOptional)
        words.push_back(isa::getChoices(word).front());
    }
    probe.modifiers.assign(words.begin(), words.end());
    llvm::Error error = isa::resolve(probe);
    ASSERT_EQ(messageOf(std::move(error)), "");
    EXPECT_EQ(probe.form->root, probe.root);
    EXPECT_NE(row.lower == nullptr, row.run == nullptr);
  }
}

TEST(Table, IsListedAsMarkdown) {
  std::string text;
  llvm::raw_string_ostream os(text);
  isa::listInstructions(os);
  for (const isa::Row &row : isa::getTable()) {
    std::string root = isa::readRow(row).root.str();
    EXPECT_THAT(text,
                HasSubstr("| " + std::string(row.section) + " | `" + root));
    EXPECT_THAT(text, HasSubstr("`" + std::string(row.syntax) + "`"));
  }
  EXPECT_THAT(text,
              HasSubstr("| 9.7.3.6 | `fma.Rnd.f64 d, a, b, c` | registers "
                        "|\n"));
  EXPECT_THAT(text, HasSubstr("| `Rnd` | `rn rz rm rp` |\n"));
}

} // namespace
