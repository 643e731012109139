//===- Folding.cpp - Arithmetic that ptxas folds away ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/Folding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tc::emulator {

namespace {

class FoldingFinder {
public:
  FoldingFinder(const FlatBody &flat, const Flow &flow);
  std::vector<Folding> run();

private:
  std::optional<unsigned> findOnlyUse(unsigned i, const Block &block) const;
  bool mayFold(unsigned i, unsigned use) const;

  const FlatBody &flat;
  const Flow &flow;
  std::vector<unsigned> uses, definitions; ///< by register
  std::vector<Folding> folding;
};

} // namespace

static bool isRounded(const ptx::Instruction &in) {
  return in.has("Rnd") || in.has("rn") || in.has("sat");
}

static bool reads(const FlatBody &flat, const ptx::Instruction &in,
                  unsigned reg) {
  bool found = false;
  visitUses(flat, in, [&](unsigned r) { found |= r == reg; });
  return found;
}

FoldingFinder::FoldingFinder(const FlatBody &flat, const Flow &flow)
    : flat(flat), flow(flow), uses(flat.registers.size()),
      definitions(flat.registers.size()), folding(flat.body.size()) {
  for (const ptx::Instruction &in : flat.body) {
    visitUses(flat, in, [&](unsigned r) { ++uses[r]; });
    visitDefinitions(flat, in, [&](unsigned r) { ++definitions[r]; });
  }
}

/// The instruction of the block that alone reads what `i` writes, while what
/// `i` reads is still the same.
std::optional<unsigned> FoldingFinder::findOnlyUse(unsigned i,
                                                   const Block &block) const {
  const ptx::Instruction &in = flat.body[i];
  if (in.operands.empty() ||
      in.operands[0].kind != ptx::Operand::Kind::Register)
    return std::nullopt;
  unsigned result = in.operands[0].reg;
  if (uses[result] != 1 || definitions[result] != 1)
    return std::nullopt;
  for (unsigned use = i + 1; use < block.end; ++use) {
    const ptx::Instruction &next = flat.body[use];
    if (reads(flat, next, result))
      return use;
    bool isKept = true;
    visitDefinitions(flat, next,
                     [&](unsigned r) { isKept &= !reads(flat, in, r); });
    if (!isKept)
      return std::nullopt;
  }
  return std::nullopt;
}

/// Does the instruction `use` take the product or the sign `i` as it is?
bool FoldingFinder::mayFold(unsigned i, unsigned use) const {
  const ptx::Instruction &in = flat.body[i], &by = flat.body[use];
  if (in.guard || by.guard || !ptx::isFloat(in.type) || in.type != by.type ||
      in.has("ftz") != by.has("ftz"))
    return false;
  bool isSum = by.root == "add" || by.root == "sub";
  if (in.root == "neg")
    return isSum || by.root == "mul" || by.root == "fma" || by.root == "mad";
  return in.root == "mul" && isSum && !isRounded(in) && !isRounded(by) &&
         folding[use] == Folding::None;
}

std::vector<Folding> FoldingFinder::run() {
  for (const Block &block : flow.blocks)
    for (unsigned i = block.first; i < block.end; ++i) {
      if (flat.body[i].root != "mul" && flat.body[i].root != "neg")
        continue;
      std::optional<unsigned> use = findOnlyUse(i, block);
      if (!use || !mayFold(i, *use))
        continue;
      folding[i] = Folding::Away;
      if (flat.body[i].root == "mul")
        folding[*use] = Folding::Fused;
    }
  return std::move(folding);
}

std::vector<Folding> findFolding(const FlatBody &flat, const Flow &flow) {
  return FoldingFinder(flat, flow).run();
}

} // namespace tc::emulator
