//===- CallGraph.cpp - Which functions are copied into callers ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strongly connected components are found as Tarjan does ("Depth-First Search
// and Linear Graph Algorithms", 1972).
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/CallGraph.h"
#include "Translate/Flow/Flow.h"

#include "llvm/Support/MathExtras.h"

namespace tc::emulator {

/// A function with all that is copied into it should not be longer.
static constexpr uint64_t mostInstructions = 1 << 13;
/// What is shorter is always copied.
static constexpr uint64_t fewInstructions = 64;

llvm::ArrayRef<const ptx::Function *> getCallees(const ptx::Instruction &in) {
  if (in.target && in.target->hasBody)
    return in.target;
  return in.callees;
}

/// The length of a function once others are copied into it. Where that is too
/// much, the functions that it calls get frames.
uint64_t CallGraph::countInstructions(const ptx::Function &function) {
  auto count = [&] {
    uint64_t sum = function.body.size();
    for (const ptx::Instruction &in : function.body)
      for (const ptx::Function *callee : getCallees(in))
        if (!hasFrame(*callee))
          sum = llvm::SaturatingAdd(sum, instructions.lookup(callee));
    return sum;
  };
  uint64_t sum = count();
  if (sum <= mostInstructions)
    return sum;
  for (const ptx::Instruction &in : function.body)
    for (const ptx::Function *callee : getCallees(in))
      if (instructions.lookup(callee) > fewInstructions)
        framed.insert(callee);
  return count();
}

/// Gives the lowest number that is reached from `function`.
unsigned CallGraph::visit(const ptx::Function &function) {
  unsigned own = number.size() + 1, low = own;
  number[&function] = own;
  size_t bottom = stack.size();
  stack.push_back(&function);
  bool callsItself = false;
  for (const ptx::Instruction &in : function.body)
    for (const ptx::Function *callee : getCallees(in)) {
      callsItself |= callee == &function;
      if (!number.count(callee))
        low = std::min(low, visit(*callee));
      else if (!component.count(callee))
        low = std::min(low, number.lookup(callee));
    }
  if (low != own)
    return low;
  // Those above it on the stack are one component with it.
  if (callsItself || stack.size() > bottom + 1)
    for (size_t i = bottom; i < stack.size(); ++i)
      framed.insert(stack[i]);
  for (size_t i = bottom; i < stack.size(); ++i)
    component[stack[i]] = own;
  for (size_t i = bottom; i < stack.size(); ++i)
    instructions[stack[i]] = countInstructions(*stack[i]);
  stack.resize(bottom);
  return low;
}

uint64_t CallGraph::getFrameAlign() const {
  uint64_t align = 16;
  for (const ptx::Function *function : framed)
    for (const ptx::Variable &variable : function->variables)
      align = std::max<uint64_t>(align, variable.align);
  return align;
}

uint64_t Frame::place(uint64_t size, uint64_t alignment) {
  uint64_t offset = llvm::alignTo(bytes, alignment);
  bytes = offset + size;
  return offset;
}

Frame::Frame(const ptx::Function &function, const CallGraph &graph) {
  for (const ptx::Variable &variable : function.variables)
    if (variable.space == ptx::Space::Local ||
        variable.space == ptx::Space::Param)
      offsets[&variable] = place(variable.bytes, variable.align);
  std::vector<unsigned> calls, behind;
  for (unsigned i = 0; i < function.body.size(); ++i)
    if (llvm::any_of(getCallees(function.body[i]),
                     [&](const ptx::Function *callee) {
                       return graph.mayComeBack(function, *callee);
                     })) {
      calls.push_back(i);
      behind.push_back(i + 1);
    }
  if (!calls.empty()) {
    FlatBody body;
    body.registers = function.registers;
    body.body = function.body;
    body.carry = body.registers.size();
    body.registers.push_back({"carry", ptx::Type::Pred});
    Flow flow(body, behind);
    for (unsigned call : calls) {
      llvm::BitVector needed = flow.blocks[flow.blockAt(call + 1)].liveIn;
      needed.reset(body.carry);
      for (unsigned reg : needed.set_bits())
        if (!saves.count(reg)) {
          unsigned size =
              llvm::divideCeil(ptx::getBits(function.registers[reg].type), 8);
          saves[reg] = place(size, size);
        }
      live[call] = std::move(needed);
    }
  }
  bytes = llvm::alignTo(bytes, graph.getFrameAlign());
}

} // namespace tc::emulator
