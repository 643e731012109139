//===- Classify.cpp - Instructions by kind --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table from roots to groups, then a few rules for each group.
//
//===----------------------------------------------------------------------===//

#include "Count/Classify.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

namespace {

enum class Group {
  Arithmetic, // of floats or of integers, by type
  Multiply,   // the same, and named apart for floats: fused multiply-add
  Special,    // of floats; of integers many instructions, all integer
  Integer,
  Convert,
  Move,
  Memory,
  Exchange, // between the lanes of a warp
  Matrix,   // tensor units
  Barrier,
  Branch,
  Other
};

Group getGroup(StringRef root) {
  return llvm::StringSwitch<Group>(root)
      .Cases({"add", "sub", "mul", "neg", "abs", "min", "max", "set", "setp",
              "selp", "slct", "testp", "copysign"},
             Group::Arithmetic)
      .Cases({"fma", "mad"}, Group::Multiply)
      .Cases(
          {"div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"},
          Group::Special)
      .Cases({"rem", "mul24", "mad24", "sad", "popc", "clz", "bfind", "brev",
              "bfe", "bfi", "addc", "subc", "madc", "and", "or", "xor", "not"},
             Group::Integer)
      .Cases({"cnot", "lop3", "shf", "shl", "shr", "prmt", "dp4a", "dp2a",
              "fns", "szext", "bmsk"},
             Group::Integer)
      .Case("cvt", Group::Convert)
      .Cases({"mov", "cvta"}, Group::Move)
      .Cases({"ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix"},
             Group::Memory)
      .Cases({"shfl", "vote", "match", "redux", "movmatrix", "elect"},
             Group::Exchange)
      .Cases({"mma", "wmma", "wgmma"}, Group::Matrix)
      .Cases({"bar", "barrier", "membar", "fence", "mbarrier"}, Group::Barrier)
      .Cases({"bra", "brx", "call", "ret", "exit"}, Group::Branch)
      .Default(Group::Other);
}

/// "f32", "f64" or "f16" by the widest type named; empty for integers.
StringRef getFloatUnit(const ptx::Instruction &in) {
  StringRef unit;
  for (StringRef word : in.modifiers) {
    if (word == "f64")
      return "f64";
    if (word == "f32" || word == "f32x2")
      unit = "f32";
    if (unit.empty() && (word == "f16" || word == "f16x2" || word == "bf16" ||
                         word == "bf16x2"))
      unit = "f16";
  }
  return unit;
}

/// Bytes that one lane moves.
uint64_t getWidth(const ptx::Instruction &in) {
  if (in.root == "ldmatrix" || in.root == "stmatrix")
    return 16; // each address names a row
  if (in.root == "cp") {
    for (const ptx::Operand &operand : in.operands)
      if (operand.kind == ptx::Operand::Kind::Immediate)
        return operand.bits;
    return 0;
  }
  uint64_t elements = 1;
  for (StringRef word : in.modifiers)
    if (word == "v2" || word == "v4" || word == "v8")
      elements = word[1] - '0';
  return elements * ptx::getBytes(in.type);
}

/// Copies of many bytes by the copy engine: of the warp they take a slot.
std::optional<InstructionClass> classifyBulk(const ptx::Instruction &in) {
  auto has = [&](StringRef word) {
    return llvm::is_contained(in.modifiers, word);
  };
  if (in.root != "cp" && has("async"))
    return InstructionClass{(in.root + ".async").str(), "memory"};
  if (!has("bulk") || has("commit_group") || has("wait_group"))
    return std::nullopt;
  return InstructionClass{(Twine(has("prefetch") ? "prefetch"
                                 : has("reduce") ? "cp.reduce"
                                                 : "cp") +
                           (has("tensor") ? ".bulk.tensor" : ".bulk"))
                              .str(),
                          "issue"};
}

InstructionClass classifyMemory(const ptx::Instruction &in) {
  if (std::optional<InstructionClass> bulk = classifyBulk(in))
    return *bulk;
  for (StringRef word : in.modifiers)
    if (word.ends_with("_group") || word == "wait_all" || word == "mbarrier")
      return {"async group", "issue"}; // moves nothing itself
  uint64_t bytes = getWidth(in);
  ptx::Space space = ptx::Space::Generic;
  // The first space named: an asynchronous copy's destination.
  for (StringRef word : in.modifiers)
    if (auto found = ptx::findSpace(word)) {
      space = *found;
      break;
    }
  if (in.root == "ldmatrix" || in.root == "stmatrix")
    space = ptx::Space::Shared;
  return {llvm::formatv("{0}.{1}.{2}B", in.root, ptx::getName(space), bytes),
          space == ptx::Space::Param ? "none" : "memory"};
}

/// m * n * k of a word like "m16n8k16"; 0 for any other.
uint64_t getShape(StringRef word) {
  uint64_t m = 0, n = 0, k = 0;
  if (!word.consume_front("m") || word.consumeInteger(10, m) ||
      !word.consume_front("n") || word.consumeInteger(10, n) ||
      !word.consume_front("k") || word.consumeInteger(10, k))
    return 0;
  return m * n * k;
}

InstructionClass classifyMatrix(const ptx::Instruction &in) {
  StringRef shape;
  uint64_t operations = 0;
  llvm::SmallVector<StringRef, 4> types;
  for (StringRef word : in.modifiers)
    if (uint64_t product = getShape(word)) {
      shape = word;
      operations = product;
    } else if (ptx::findType(word) || word == "tf32" || word.starts_with("e") ||
               word == "s4" || word == "u4" || word == "b1") {
      types.push_back(word);
    }
  if (!operations || llvm::is_contained(in.modifiers, "load") ||
      llvm::is_contained(in.modifiers, "store"))
    return {in.root.str(), operations ? "memory" : "issue"};
  // d, a, b, c; wmma of halves names d and c alone.
  StringRef type = types.size() > 2 ? types[1] : types.empty() ? "" : types[0];
  StringRef unit = llvm::StringSwitch<StringRef>(type)
                       .Cases({"f16", "bf16", "f32"}, "mma.f16")
                       .Case("tf32", "mma.tf32")
                       .Case("f64", "mma.f64")
                       .Cases({"e4m3", "e5m2"}, "mma.f8")
                       .Default("mma.s8");
  if (in.root != "wgmma")
    return {("mma." + shape + "." + type).str(), unit, operations, true};
  // Each of the four warps does its rows.
  unit = llvm::StringSwitch<StringRef>(type)
             .Cases({"f16", "bf16"}, "wgmma.f16")
             .Case("tf32", "wgmma.tf32")
             .Cases({"e4m3", "e5m2"}, "wgmma.f8")
             .Case("b1", "wgmma.b1")
             .Default("wgmma.s8");
  return {("wgmma." + shape + "." + type).str(), unit, operations / 4, true};
}

/// Of two floats the smaller one, which of them is, or a choice of one.
bool isComparison(const ptx::Instruction &in) {
  return llvm::is_contained(
      {"min", "max", "set", "setp", "selp", "slct", "testp"}, in.root);
}

InstructionClass classifyArithmetic(const ptx::Instruction &in, Group group) {
  StringRef unit = getFloatUnit(in);
  if (unit.empty())
    return {"integer", "integer"};
  if (unit == "f32" && isComparison(in))
    return {"compare.f32", "integer"}; // FMNMX, FSETP, FSEL
  if (group == Group::Special)
    return {("special." + unit).str(), "special"};
  StringRef name = group == Group::Multiply ? "fma." : "float.";
  return {(name + unit).str(), unit, in.type == ptx::Type::F32X2 ? 2u : 1u};
}

/// See Note [Conversions].
InstructionClass classifyConvert(const ptx::Instruction &in) {
  auto has = [&](StringRef word) {
    return llvm::is_contained(in.modifiers, word);
  };
  if (has("tf32") && has("rna"))
    return {"convert.rna.tf32", "integer", 4, false, 4};
  if (has("tf32") || llvm::any_of(in.modifiers, [](StringRef word) {
        return word.ends_with("x2");
      }))
    return {"convert.packed", "integer"};
  if (has("f32") && in.modifiers.back() == "bf16")
    return {"convert.bf16", "integer"};
  if (has("f32") && in.modifiers.back() == "f16")
    return {"convert.f16", "f16"};
  return {"convert", "convert"};
}

} // namespace

InstructionClass classify(const ptx::Instruction &in, Folding folding) {
  if (folding == Folding::Away)
    return {"folded", "none"};
  Group group = folding == Folding::Fused ? Group::Multiply : getGroup(in.root);
  switch (group) {
  case Group::Arithmetic:
  case Group::Multiply:
  case Group::Special:
    return classifyArithmetic(in, group);
  case Group::Integer:
    return {"integer", "integer"};
  case Group::Convert:
    return classifyConvert(in);
  case Group::Move:
    return {"move", "none"};
  case Group::Memory:
    return classifyMemory(in);
  case Group::Exchange:
    return {"shuffle", "memory"};
  case Group::Matrix:
    return classifyMatrix(in);
  case Group::Barrier:
    return {"barrier", "issue"};
  case Group::Branch:
    return {"branch", "issue"};
  case Group::Other:
    return {"other", "issue"};
  }
  return {"other", "issue"};
}

} // namespace tc::emulator

// Note [Conversions]
// ~~~~~~~~~~~~~~~~~~
// What ptxas 13.0 makes of a conversion, for sm_80, sm_89 and sm_90a, and the
// control codes with it (nvdisasm 13.5), say which unit does it. F2FP rounds to
// pairs of numbers, and to .tf32; its results are there 4 cycles later without
// a scoreboard, and every second cycle a partition takes one, or another
// instruction of the integer unit. A float of .f16 becomes one of .f32 by
// HADD2, one of .bf16 by a shift. What rounds to .tf32 away from zero at the
// middle is an addition of integers, a test for infinities and NaN, a selection
// and a mask. The others (F2F, F2I, I2F) are waited for by scoreboard.
