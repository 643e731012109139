//===- GroupTableTest.cpp - wgmma as ptxas takes it -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every form of the table must pass ptxas, where there is one; and what one of
// the two refuses, the other refuses too.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Isa/Isa.h"
#include "Isa/Verify.h"
#include "Ptx/Parser.h"
#include "Warp/Matrix.h"

#include "gmock/gmock.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using llvm::StringRef;
using testing::HasSubstr;

namespace {

std::string wrap(const std::string &body, const char *version = "8.4",
                 const char *target = "sm_90a") {
  return std::string(".version ") + version + "\n.target " + target +
         "\n.address_size 64\n.entry k() .maxntid 128 {\n.reg .b32 %d<128>, "
         "%a<8>; .reg .f32 %f<4>; .reg .b64 %q<4>; .reg .pred %p<4>;\n" +
         body + "\nret;\n}\n";
}

std::string list(const char *prefix, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "{") + (prefix + std::to_string(i));
  return text + "}";
}

/// Every instruction of a row, with operands.
std::vector<std::string> expandRow(const isa::Row &row) {
  isa::Form form = isa::readRow(row);
  std::vector<std::string> opcodes = {form.root.str()}, texts;
  for (const isa::Modifier &modifier : form.modifiers) {
    std::vector<std::string> longer;
    for (const std::string &start : opcodes) {
      if (modifier.isOptional)
        longer.push_back(start);
      for (StringRef choice : modifier.choices)
        longer.push_back(start + "." + choice.str());
    }
    opcodes = std::move(longer);
  }
  for (const std::string &opcode : opcodes) {
    ptx::Instruction in;
    llvm::SmallVector<StringRef> words;
    StringRef(opcode).split(words, '.');
    in.root = words[0];
    in.modifiers.assign(words.begin() + 1, words.end());
    if (llvm::Error error = isa::resolve(in)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      continue;
    }
    while (in.form->row->syntax != row.syntax && isa::resolveNext(in))
      ;
    resolveMatrix(in);
    std::string operands;
    for (auto [i, spec] : llvm::enumerate(form.operands)) {
      using Kind = isa::OperandSpec::Kind;
      operands += i ? ", " : " ";
      operands += spec.kind == Kind::FragmentBoth
                      ? list("%d", in.matrix->operands[i].count)
                  : spec.kind == Kind::FragmentSource  ? list("%a", 4)
                  : spec.kind == Kind::Constant        ? "1"
                  : spec.kind == Kind::PredicateSource ? "!%p1"
                                                       : "%q1";
    }
    texts.push_back(opcode + operands + ";");
  }
  return texts;
}

std::optional<std::string> findPtxas() {
  auto found = llvm::sys::findProgramByName("ptxas");
  if (!found)
    found = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  return found ? std::optional(*found) : std::nullopt;
}

/// What ptxas says of a module, or "".
std::string runPtxas(const std::string &ptxas, const std::string &text,
                     const std::string &chip) {
  llvm::SmallString<128> input, output;
  if (llvm::sys::fs::createTemporaryFile("wgmma", "ptx", input) ||
      llvm::sys::fs::createTemporaryFile("wgmma", "txt", output))
    return "no temporary file";
  llvm::FileRemover removeInput(input), removeOutput(output);
  std::error_code error;
  llvm::raw_fd_ostream(input, error) << text;
  std::optional<StringRef> redirects[] = {std::nullopt, output.str(),
                                          output.str()};
  std::string arch = "-arch=" + chip;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-O0", "-w", input, "-o", "/dev/null"}, std::nullopt,
      redirects);
  auto said = llvm::MemoryBuffer::getFile(output);
  return status == 0 ? "" : said ? (*said)->getBuffer().str() : "no output";
}

TEST(GroupTable, PtxasTakesFormsOfEachRow) {
  auto ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "ptxas is not installed";
  size_t forms = 0;
  for (const isa::Row &row : isa::getWarpgroupRows()) {
    std::vector<std::string> texts = expandRow(row);
    forms += texts.size();
    // ptxas needs long for many wide ones: a few of each row.
    std::string body;
    for (size_t i = 0; i < texts.size(); i += 1 + texts.size() / 24)
      body += texts[i] + "\n";
    EXPECT_EQ(runPtxas(*ptxas, wrap(body), "sm_90a"), "") << row.syntax;
  }
  EXPECT_GT(forms, 1000u);
}

TEST(GroupTable, TheVerifierTakesEveryForm) {
  for (const isa::Row &row : isa::getWarpgroupRows()) {
    std::string body;
    for (const std::string &text : expandRow(row))
      body += text + "\n";
    EXPECT_EQ(loadError(wrap(body)), "") << row.syntax;
  }
}

struct Refused {
  std::string text;
  const char *reason; ///< ours
  const char *version = "8.4", *target = "sm_90a";
};

TEST(GroupTable, RefusedForms) {
  const std::string mma = "wgmma.mma_async.sync.aligned.";
  const std::string d4 = list("%d", 4), a4 = list("%a", 4);
  const std::string half = mma + "m64n8k16.f32.f16.f16 ";
  const std::string matrices = d4 + ", %q1, %q2, %p1";
  const Refused cases[] = {
      {"wgmma.fence.sync.aligned;", "needs .target sm_90a, got 'sm_90'", "8.4",
       "sm_90"},
      {"wgmma.fence.sync.aligned;", "needs .target sm_90a, got 'sm_100a'",
       "9.0", "sm_100a"},
      {"wgmma.fence.sync.aligned;", "needs PTX 8.0, got 7.8", "7.8"},
      {"wgmma.wait_group.sync.aligned -1;", "got -1"},
      {"wgmma.wait_group.sync.aligned %d1;", "expected an integer constant"},
      {"wgmma.wait_group.sync.aligned;", "expected 1 operands"},
      {half + list("%d", 3) + ", %q1, %q2, %p1, 1, 1, 0, 0;",
       "expected 4 registers, got 3"},
      {half + list("%d", 5) + ", %q1, %q2, %p1, 1, 1, 0, 0;",
       "expected 4 registers, got 5"},
      {half + d4 + ", " + list("%a", 3) + ", %q2, %p1, 1, 1, 0;",
       "expected 4 registers, got 3"},
      {half + "{%d0, %d1, %d2, _}, %q1, %q2, %p1, 1, 1, 0, 0;",
       "expected a register"},
      {half + matrices + ";", "operands"},
      {half + matrices + ", 1, 1;", "operands"},
      {half + d4 + ", " + a4 + ", %q2, %p1, 1, 1, 0, 0;", ""},
      {half + matrices + ", 2, 1, 0, 0;",
       "expected 1 or -1 as the sign of a, got 2"},
      {half + matrices + ", 1, 0, 0, 0;",
       "expected 1 or -1 as the sign of b, got 0"},
      {half + matrices + ", 1, 1, 0, 2;",
       "expected 0 or 1 for a transposition, got 2"},
      {half + d4 + ", %a1, %q2, %p1, 1, 1, 0, 0;", "64 bits"},
      {mma + "m64n8k8.f32.tf32.tf32 " + matrices + ", 1, 1, 0, 0;", "operands"},
      {mma + "m64n8k16.f16.bf16.bf16 " + list("%d", 2) +
           ", %q1, %q2, %p1, 1, 1, 0, 0;",
       "is not covered"},
      {mma + "m64n12k16.f32.f16.f16 " + list("%d", 6) +
           ", %q1, %q2, %p1, 1, 1, 0, 0;",
       "is not covered"},
      {mma + "m64n40k32.s32.s8.s8 " + list("%d", 20) + ", %q1, %q2, %p1;",
       "is not covered"},
      {mma + "m64n8k256.s32.b1.b1.xor.popc " + matrices + ";",
       "is not covered"},
      {mma + "m64n8k32.s32.s8.s8 " + matrices + ", 1, 1;", "operands"},
      {mma + "m64n8k32.s32.u8.s8 " + matrices + ";",
       "different types of bytes need PTX 8.4", "8.0"},
  };
  auto ptxas = findPtxas();
  for (const Refused &test : cases) {
    std::string text = wrap(test.text, test.version, test.target);
    std::string error = loadError(text);
    EXPECT_THAT(error, HasSubstr(test.reason)) << test.text;
    EXPECT_NE(error, "") << test.text;
    if (ptxas)
      EXPECT_NE(runPtxas(*ptxas, text, test.target), "") << test.text;
  }
}

/// Not done, and said so by name.
TEST(GroupTable, SparseProductsAreRefused) {
  EXPECT_THAT(loadError(wrap("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16."
                             "f16 {%d0, %d1, %d2, %d3}, %q1, %q2, %a1, 0, %p1, "
                             "1, 1, 0, 0;")),
              HasSubstr("is not covered (at the modifier '.sp')"));
}

} // namespace
