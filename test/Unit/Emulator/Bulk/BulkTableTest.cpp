//===- BulkTableTest.cpp - Bulk copies as ptxas takes them ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every form of the table: what our verifier takes, ptxas must take, where
// there is one, and what one of the two refuses, the other refuses too.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Isa/Isa.h"
#include "Isa/Verify.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using llvm::StringRef;
using Kind = isa::OperandSpec::Kind;

namespace {

std::string wrap(const std::string &body) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k() .maxntid "
         "128 {\n.reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %q<8>; .reg .f32 "
         "%f<8>; .reg .f64 %d<8>;\n" +
         body + "\nret;\n}\n";
}

std::string list(const std::string &reg, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "{") + reg;
  return text + "}";
}

std::string makeOperand(const ptx::Instruction &in,
                        const isa::OperandSpec &spec) {
  auto [type, bits] = ptx::getOperandType(in, spec);
  std::string reg = type == ptx::Type::F32   ? "%f1"
                    : type == ptx::Type::F64 ? "%d1"
                    : bits == 16             ? "%h1"
                    : bits == 32             ? "%r1"
                                             : "%q1";
  StringRef dim = in.has("Dim") ? in.get("Dim") : in.get("DimIm2col");
  unsigned rank = dim.empty() ? 0 : dim[0] - '0', count = 1;
  in.get("Vec").drop_front(in.has("Vec")).getAsInteger(10, count);
  switch (spec.kind) {
  case Kind::Address:
    return "[%q1]";
  case Kind::TensorAddress:
    return "[%q1, " + list("%r1", rank) + "]";
  case Kind::Im2colOffsets:
    return list("%h1", rank - 2);
  case Kind::Constant:
    return in.root == "fence" || in.has("cp_fenceproxy") ? "128" : "1";
  case Kind::VectorSource:
    return in.has("Vec") ? list(reg, count) : reg;
  default:
    return reg;
  }
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
    std::string operands;
    for (const isa::OperandSpec &spec : form.operands)
      if (!spec.isOptional || in.has("L2::cache_hint"))
        operands += (operands.empty() ? " " : ", ") + makeOperand(in, spec);
    texts.push_back(opcode + operands + ";\n");
  }
  return texts;
}

/// What ptxas says of a module, or "".
std::string runPtxas(const std::string &ptxas, const std::string &text) {
  llvm::SmallString<128> input, output;
  if (llvm::sys::fs::createTemporaryFile("bulk", "ptx", input) ||
      llvm::sys::fs::createTemporaryFile("bulk", "txt", output))
    return "no temporary file";
  llvm::FileRemover removeInput(input), removeOutput(output);
  std::error_code error;
  llvm::raw_fd_ostream(input, error) << text;
  std::optional<StringRef> redirects[] = {std::nullopt, output.str(),
                                          output.str()};
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, "-arch=sm_90a", "-O0", "-w", input, "-o", "/dev/null"},
      std::nullopt, redirects);
  auto said = llvm::MemoryBuffer::getFile(output);
  return status == 0 ? "" : said ? (*said)->getBuffer().str() : "no output";
}

TEST(BulkTable, FormsAreThoseOfPtxas) {
  auto ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  size_t taken = 0, refused = 0;
  for (const isa::Row &row : isa::getBulkRows()) {
    std::string all;
    for (const std::string &text : expandRow(row)) {
      if (loadError(wrap(text)).empty()) {
        all += text;
        ++taken;
        continue;
      }
      ++refused;
      if (ptxas)
        EXPECT_NE(runPtxas(*ptxas, wrap(text)), "") << text;
    }
    if (ptxas)
      EXPECT_EQ(runPtxas(*ptxas, wrap(all)), "") << row.syntax;
  }
  EXPECT_GT(taken, 200u);
  EXPECT_LT(refused, 60u);
}

} // namespace
