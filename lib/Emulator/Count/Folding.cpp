//===- Folding.cpp - Arithmetic that ptxas folds away ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/Folding.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tc::emulator {

namespace {

class FoldingFinder {
public:
  FoldingFinder(const FlatBody &flat, const Flow &flow);
  std::vector<Folding> run();

private:
  llvm::SmallVector<unsigned> findUses(unsigned i, const Block &block) const;
  bool mayFoldFloat(unsigned i, unsigned use) const;
  bool mayFoldShift(unsigned i, unsigned use) const;

  const FlatBody &flat;
  const Flow &flow;
  std::vector<unsigned> uses, definitions; ///< by register
  std::vector<Folding> folding;
  llvm::BitVector takesShift; ///< by instruction
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
      definitions(flat.registers.size()), folding(flat.body.size()),
      takesShift(flat.body.size()) {
  for (const ptx::Instruction &in : flat.body) {
    visitUses(flat, in, [&](unsigned r) { ++uses[r]; });
    visitDefinitions(flat, in, [&](unsigned r) { ++definitions[r]; });
  }
}

/// The instructions of the block that read what `i` writes, once for each
/// operand that is it, while what `i` reads is still the same; none where there
/// are others.
llvm::SmallVector<unsigned> FoldingFinder::findUses(unsigned i,
                                                    const Block &block) const {
  const ptx::Instruction &in = flat.body[i];
  if (in.operands.empty() ||
      in.operands[0].kind != ptx::Operand::Kind::Register)
    return {};
  unsigned result = in.operands[0].reg, left = uses[result];
  if (definitions[result] != 1)
    return {};
  llvm::SmallVector<unsigned> found;
  bool isKept = true;
  for (unsigned use = i + 1; isKept && left != 0 && use < block.end; ++use) {
    const ptx::Instruction &next = flat.body[use];
    visitUses(flat, next, [&](unsigned r) {
      if (r == result) {
        --left;
        found.push_back(use);
      }
    });
    visitDefinitions(flat, next,
                     [&](unsigned r) { isKept &= !reads(flat, in, r); });
  }
  if (left != 0)
    found.clear();
  return found;
}

/// Does the instruction `use` take the product or the sign `i` as it is?
bool FoldingFinder::mayFoldFloat(unsigned i, unsigned use) const {
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

/// Is `use` a sum that takes one shift, that of `i`, by a constant?
bool FoldingFinder::mayFoldShift(unsigned i, unsigned use) const {
  const ptx::Instruction &in = flat.body[i], &by = flat.body[use];
  return !in.guard && !by.guard && by.root == "add" && !by.has("cc") &&
         !by.has("sat") && !ptx::isFloat(by.type) &&
         ptx::getBits(in.type) == 32 && ptx::getBits(by.type) == 32 &&
         in.operands.back().kind == ptx::Operand::Kind::Immediate &&
         !takesShift[use];
}

std::vector<Folding> FoldingFinder::run() {
  for (const Block &block : flow.blocks)
    for (unsigned i = block.first; i < block.end; ++i) {
      llvm::StringRef root = flat.body[i].root;
      bool isProduct = root == "mul", isShift = root == "shl";
      if (!isProduct && !isShift && root != "neg")
        continue;
      llvm::SmallVector<unsigned> takers = findUses(i, block);
      if (takers.empty() || (isProduct && takers.size() > 1) ||
          !llvm::all_of(takers, [&](unsigned use) {
            return isShift ? mayFoldShift(i, use) : mayFoldFloat(i, use);
          }))
        continue;
      folding[i] = Folding::Away;
      if (isProduct)
        folding[takers.front()] = Folding::Fused;
      for (unsigned use : takers)
        takesShift[use] = takesShift[use] || isShift;
    }
  return std::move(folding);
}

std::vector<Folding> findFolding(const FlatBody &flat, const Flow &flow) {
  return FoldingFinder(flat, flow).run();
}

} // namespace tc::emulator
