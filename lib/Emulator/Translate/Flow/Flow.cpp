//===- Flow.cpp - Basic blocks, dominance and liveness of a body ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins are immediate postdominators, found as Cooper, Harvey and Kennedy do
// ("A Simple, Fast Dominance Algorithm", 2001) on the reversed graph.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Flow.h"

#include "Translate/Flow/Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

using Operand = ptx::Operand;
using Kind = isa::OperandSpec::Kind;

bool isDestination(const isa::OperandSpec &spec) {
  Kind kind = spec.kind;
  return kind == Kind::Dest || kind == Kind::PredicateDest ||
         kind == Kind::DestPair || kind == Kind::FragmentDest ||
         kind == Kind::VectorDest || kind == Kind::MoveDest;
}

bool writesLate(const ptx::Instruction &in) {
  return in.root == "wgmma" && in.has("wait_group");
}

static void visitRegisters(const Operand &operand,
                           llvm::function_ref<void(unsigned)> visit) {
  if (operand.kind == Operand::Kind::Register)
    visit(operand.reg);
  for (const Operand &element : operand.elements)
    visitRegisters(element, visit);
}

/// The registers that an operand names, or that stand for the parts of the
/// parameter it accesses.
static void visitOperand(const FlatBody &flat, const ptx::Instruction &in,
                         const Operand &operand,
                         llvm::function_ref<void(unsigned)> visit) {
  visitRegisters(operand, visit);
  if (operand.kind != Operand::Kind::Address ||
      !operand.elements.front().variable)
    return;
  const Operand &values = in.operands[in.root == "st"];
  size_t count =
      values.kind == Operand::Kind::Vector ? values.elements.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    auto part = flat.parts.find(
        {operand.elements.front().variable,
         uint32_t(operand.offset + i * ptx::getBytes(in.type))});
    if (part != flat.parts.end())
      visit(part->second);
  }
}

static bool isPartStore(const ptx::Instruction &in, const Operand &operand) {
  return in.root == "st" && operand.kind == Operand::Kind::Address &&
         operand.elements.front().variable;
}

static void visitParts(const FlatBody &flat, llvm::ArrayRef<Operand> variables,
                       llvm::function_ref<void(unsigned)> visit) {
  for (const Operand &operand : variables) {
    auto part = flat.parts.find({operand.variable, 0});
    if (part != flat.parts.end())
      visit(part->second);
  }
}

void visitUses(const FlatBody &flat, const ptx::Instruction &in,
               llvm::function_ref<void(unsigned)> visit) {
  if (in.guard) {
    visit(*in.guard);
    visitDefinitions(flat, in, visit);
  }
  visitSources(flat, in, visit);
}

void visitSources(const FlatBody &flat, const ptx::Instruction &in,
                  llvm::function_ref<void(unsigned)> visit) {
  for (auto [operand, spec] : llvm::zip(in.operands, in.form->operands))
    if (!isDestination(spec) && !isPartStore(in, operand))
      visitOperand(flat, in, operand, visit);
  visitParts(flat, in.arguments, visit);
  if (writesLate(in))
    llvm::for_each(flat.lateRegisters, visit);
  if (in.root == "addc" || in.root == "subc" || in.root == "madc")
    visit(flat.carry);
}

void visitDefinitions(const FlatBody &flat, const ptx::Instruction &in,
                      llvm::function_ref<void(unsigned)> visit) {
  for (auto [operand, spec] : llvm::zip(in.operands, in.form->operands))
    if (isDestination(spec) || spec.kind == Kind::FragmentBoth ||
        isPartStore(in, operand)) {
      if (isPartStore(in, operand))
        visitOperand(flat, in, operand, visit);
      else
        visitRegisters(operand, visit);
    }
  visitParts(flat, in.results, visit);
  if (writesLate(in))
    llvm::for_each(flat.lateRegisters, visit);
  if (in.has("cc"))
    visit(flat.carry);
}

bool isCollective(const ptx::Instruction &in) {
  return in.form->row->effect == isa::Effect::Collective;
}

bool isBarrier(const ptx::Instruction &in) {
  return (in.root == "bar" && !in.has("warp")) || in.root == "barrier";
}

bool isTerminator(const ptx::Instruction &in) {
  return in.root == "bra" || in.root == "brx" || in.root == "ret" ||
         in.root == "exit" ||
         (in.root == "call" && in.branch != ptx::Instruction::Branch::None);
}

bool Flow::meets(const FlatBody &flat, unsigned block) const {
  const Block &at = blocks[block];
  return at.first != at.end &&
         (isCollective(flat.body[at.first]) || isBarrier(flat.body[at.first]));
}

Flow::Flow(const FlatBody &flat, llvm::ArrayRef<unsigned> cuts) {
  findBlocks(flat, cuts);
  connect(flat);
  orderBlocks();
  findJoins();
  findLiveness(flat);
  findTouches(flat);
}

void Flow::findBlocks(const FlatBody &flat, llvm::ArrayRef<unsigned> cuts) {
  unsigned count = flat.body.size();
  llvm::BitVector begins(count + 1);
  begins.set(0);
  for (unsigned cut : cuts)
    begins.set(cut);
  for (unsigned i = 0; i < count; ++i) {
    const ptx::Instruction &in = flat.body[i];
    for (unsigned target : in.targets)
      begins.set(target);
    if (isCollective(in) || isBarrier(in))
      begins.set(i);
    if (isTerminator(in) || isBarrier(in) || isCollective(in))
      begins.set(i + 1);
  }
  // The last block is the end of the body and holds nothing.
  begins.set(count);
  blockOf.assign(count + 1, 0);
  for (unsigned i = 0; i <= count; ++i) {
    if (begins.test(i)) {
      if (!blocks.empty())
        blocks.back().end = i;
      blocks.emplace_back();
      blocks.back().first = i;
    }
    blockOf[i] = blocks.size() - 1;
  }
  blocks.back().end = count;
}

void Flow::connect(const FlatBody &flat) {
  for (unsigned index = 0; index < blocks.size(); ++index) {
    Block &block = blocks[index];
    const ptx::Instruction *last =
        block.first == block.end ? nullptr : &flat.body[block.end - 1];
    bool isLast = index + 1 == blocks.size();
    bool ends = last && isTerminator(*last);
    block.mayEnd = isLast || (ends && last->targets.empty());
    if (ends)
      for (unsigned target : last->targets)
        if (!llvm::is_contained(block.successors, blockOf[target]))
          block.successors.push_back(blockOf[target]);
    bool goesOn = !isLast && (!ends || last->guard);
    if (goesOn && !llvm::is_contained(block.successors, index + 1))
      block.successors.push_back(index + 1);
    for (unsigned successor : block.successors)
      blocks[successor].predecessors.push_back(index);
  }
}

/// Sets `order`, where `loopsAround` tells how many loops hold two blocks. Of
/// the successors of a block the one in the fewest of its loops is walked
/// first, and so comes last.
void Flow::findOrder(
    llvm::function_ref<unsigned(unsigned, unsigned)> loopsAround) {
  std::vector<uint8_t> seen(blocks.size());
  std::vector<std::pair<unsigned, llvm::SmallVector<unsigned, 2>>> stack;
  auto enter = [&](unsigned index) {
    seen[index] = 1;
    auto left = blocks[index].successors;
    std::reverse(left.begin(), left.end()); // taken from the back
    llvm::stable_sort(left, [&](unsigned a, unsigned b) {
      return loopsAround(index, a) > loopsAround(index, b);
    });
    stack.push_back({index, std::move(left)});
  };
  order.clear();
  enter(0);
  while (!stack.empty()) {
    auto &[index, left] = stack.back();
    if (left.empty()) {
      order.push_back(index);
      stack.pop_back();
      continue;
    }
    unsigned successor = left.pop_back_val();
    if (!seen[successor])
      enter(successor);
  }
  std::reverse(order.begin(), order.end());
}

void Flow::orderBlocks() {
  findOrder([](unsigned, unsigned) { return 0; });
  std::vector<llvm::BitVector> bodies;
  for (const Loop &loop : findLoops(*this)) {
    bodies.emplace_back(blocks.size());
    for (unsigned block : loop)
      bodies.back().set(block);
  }
  findOrder([&](unsigned a, unsigned b) {
    return llvm::count_if(bodies, [&](const llvm::BitVector &body) {
      return body.test(a) && body.test(b);
    });
  });
  rank.assign(blocks.size(), none);
  unsigned next = 0;
  for (unsigned block : order)
    rank[block] = next++;
  for (unsigned &place : rank)
    place = place == none ? next++ : place;
}

/// An end beyond all blocks follows every block in which a lane may end.
void Flow::findJoins() {
  unsigned end = blocks.size();
  // Reversed graph: from the end over predecessors.
  std::vector<unsigned> number(end + 1, none), postorder;
  std::vector<uint8_t> seen(end + 1);
  auto getPredecessors = [&](unsigned index) -> llvm::SmallVector<unsigned> {
    if (index < end)
      return llvm::SmallVector<unsigned>(
          llvm::ArrayRef(blocks[index].predecessors));
    llvm::SmallVector<unsigned> all;
    for (unsigned i = 0; i < end; ++i)
      if (blocks[i].mayEnd)
        all.push_back(i);
    return all;
  };
  std::vector<std::pair<unsigned, llvm::SmallVector<unsigned>>> stack;
  stack.push_back({end, getPredecessors(end)});
  seen[end] = 1;
  while (!stack.empty()) {
    auto &[index, left] = stack.back();
    if (left.empty()) {
      number[index] = postorder.size();
      postorder.push_back(index);
      stack.pop_back();
      continue;
    }
    unsigned next = left.pop_back_val();
    if (!seen[next]) {
      seen[next] = 1;
      stack.push_back({next, getPredecessors(next)});
    }
  }
  std::vector<unsigned> join(end + 1, none);
  join[end] = end;
  auto intersect = [&](unsigned a, unsigned b) {
    while (a != b) {
      while (number[a] < number[b])
        a = join[a];
      while (number[b] < number[a])
        b = join[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned index : llvm::reverse(postorder)) {
      if (index == end)
        continue;
      unsigned found = none;
      auto meet = [&](unsigned successor) {
        if (join[successor] != none)
          found = found == none ? successor : intersect(found, successor);
      };
      llvm::for_each(blocks[index].successors, meet);
      if (blocks[index].mayEnd)
        meet(end);
      changed |= found != join[index];
      join[index] = found;
    }
  }
  // A block from which no end can be reached joins nowhere.
  for (unsigned i = 0; i < end; ++i)
    blocks[i].join = join[i] == end ? none : join[i];
}

llvm::SmallVector<unsigned> Flow::getRegion(unsigned block) const {
  llvm::SmallVector<unsigned> region;
  llvm::SmallVector<unsigned> work =
      llvm::SmallVector<unsigned>(llvm::ArrayRef(blocks[block].successors));
  llvm::BitVector seen(blocks.size());
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    if (index == blocks[block].join || seen.test(index))
      continue;
    seen.set(index);
    llvm::append_range(work, blocks[index].successors);
  }
  for (unsigned index : order)
    if (seen.test(index))
      region.push_back(index);
  return region;
}

void Flow::findLiveness(const FlatBody &flat) {
  unsigned registers = flat.registers.size();
  std::vector<llvm::BitVector> uses, definitions;
  for (Block &block : blocks) {
    llvm::BitVector used(registers), defined(registers);
    for (unsigned i = block.first; i < block.end; ++i) {
      visitUses(flat, flat.body[i], [&](unsigned reg) {
        if (!defined.test(reg))
          used.set(reg);
      });
      visitDefinitions(flat, flat.body[i],
                       [&](unsigned reg) { defined.set(reg); });
    }
    uses.push_back(std::move(used));
    definitions.push_back(std::move(defined));
    block.liveIn.resize(registers);
    block.liveOut.resize(registers);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned index : llvm::reverse(order)) {
      Block &block = blocks[index];
      for (unsigned successor : block.successors)
        block.liveOut |= blocks[successor].liveIn;
      llvm::BitVector live = block.liveOut;
      live.reset(definitions[index]);
      live |= uses[index];
      changed |= live != block.liveIn;
      block.liveIn = std::move(live);
    }
  }
  crossing.resize(registers);
  for (const Block &block : blocks)
    crossing |= block.liveIn;
}

} // namespace tc::emulator
