//===- FlatCode.cpp - Parts of a flat body
//-----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions by hand, and parameters that are registers.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/FlatCode.h"
#include "Isa/Isa.h"

#include "llvm/ADT/MapVector.h"

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

ptx::Operand makeRegister(unsigned reg) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Register;
  operand.reg = reg;
  return operand;
}

ptx::Operand makeNumber(uint64_t bits) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Immediate;
  operand.bits = bits;
  return operand;
}

ptx::Operand makeVariable(const ptx::Variable *variable) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Variable;
  operand.variable = variable;
  return operand;
}

ptx::Operand makeAddress(ptx::Operand base, int64_t offset) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Address;
  operand.offset = offset;
  operand.elements = {std::move(base)};
  return operand;
}

ptx::Type getBitsType(unsigned bytes) {
  return bytes == 16  ? ptx::Type::B128
         : bytes == 8 ? ptx::Type::B64
         : bytes == 4 ? ptx::Type::B32
         : bytes == 2 ? ptx::Type::B16
                      : ptx::Type::B8;
}

ptx::Instruction makeInstruction(const ptx::Instruction &like,
                                 llvm::StringRef root,
                                 llvm::ArrayRef<llvm::StringRef> modifiers,
                                 std::vector<ptx::Operand> operands) {
  ptx::Instruction in;
  in.root = root;
  in.modifiers.assign(modifiers.begin(), modifiers.end());
  in.operands = std::move(operands);
  in.line = like.line;
  in.text = like.text;
  in.location = like.location;
  llvm::cantFail(isa::resolve(in));
  // A call that branches is one through a register.
  if (root == "call")
    isa::resolveNext(in);
  return in;
}

ptx::Instruction makeJump(const ptx::Instruction &like) {
  ptx::Instruction jump = makeInstruction(like, "bra", {}, {});
  jump.guard = like.guard;
  jump.guardNegated = like.guardNegated;
  return jump;
}

//===----------------------------------------------------------------------===//
// Parameters that are registers
//===----------------------------------------------------------------------===//

namespace {

struct Use {
  Parts parts;
  bool isMemory = false; ///< its address is taken
};
using Uses = llvm::MapVector<const ptx::Variable *, Use>;

/// The formal parameters of callees have been replaced by what they stand for.
bool isKernelParameter(const ptx::Variable *variable) {
  return variable->space == ptx::Space::Param && variable->isFormal;
}

void visit(const ptx::Operand &operand, bool isAddressOfAccess,
           const ptx::Instruction &in,
           llvm::SetVector<const ptx::Variable *> &variables, Uses &uses) {
  for (const ptx::Operand &element : operand.elements)
    visit(element, operand.kind == ptx::Operand::Kind::Address, in, variables,
          uses);
  if (!operand.variable || isKernelParameter(operand.variable))
    return;
  variables.insert(operand.variable);
  bool isPlain = isAddressOfAccess && (in.root == "ld" || in.root == "st");
  if (operand.variable->space == ptx::Space::Param && !isPlain)
    uses[operand.variable].isMemory = true;
}

} // namespace

void addParts(const ptx::Instruction &in, Parts &parts) {
  const ptx::Operand &address = in.operands[in.root == "ld"];
  const ptx::Operand &values = in.operands[in.root == "st"];
  bool isVector = values.kind == ptx::Operand::Kind::Vector;
  uint32_t count = isVector ? values.elements.size() : 1;
  uint32_t bytes = ptx::getBytes(in.type);
  for (uint32_t i = 0; i < count; ++i) {
    Part part{uint32_t(address.offset) + i * bytes, bytes};
    if (!llvm::is_contained(parts, part))
      parts.push_back(part);
  }
}

/// Compilers access each field of a parameter in one way.
void promoteParameters(FlatBody &flat,
                       llvm::SetVector<const ptx::Variable *> &variables) {
  Uses uses;
  for (const ptx::Variable *variable : variables)
    if (variable->space == ptx::Space::Param)
      uses[variable];
  for (const ptx::Instruction &in : flat.body) {
    for (const ptx::Operand &operand : in.operands)
      visit(operand, false, in, variables, uses);
    if (in.root != "ld" && in.root != "st")
      continue;
    const ptx::Operand &address = in.operands[in.root == "ld"];
    if (address.kind != ptx::Operand::Kind::Address)
      continue;
    auto found = uses.find(address.elements.front().variable);
    if (found == uses.end())
      continue;
    addParts(in, found->second.parts);
  }
  for (auto &[variable, use] : uses) {
    llvm::sort(use.parts, [](Part a, Part b) { return a.offset < b.offset; });
    for (unsigned i = 1; i < use.parts.size(); ++i)
      use.isMemory |= use.parts[i - 1].offset + use.parts[i - 1].bytes >
                      use.parts[i].offset;
    if (use.isMemory)
      continue;
    variables.remove(variable);
    for (Part part : use.parts) {
      flat.parts[{variable, part.offset}] = flat.registers.size();
      flat.registers.push_back({variable->name, getBitsType(part.bytes)});
    }
  }
  flat.variables.assign(variables.begin(), variables.end());
}

} // namespace tc::emulator
