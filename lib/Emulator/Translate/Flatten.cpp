//===- Flatten.cpp - One body for a kernel and its callees ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies bodies one into another, then finds which `.param` variables may be
// registers.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flatten.h"
#include "Isa/Isa.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"

using llvm::Error;

namespace tc::emulator {

namespace {

using Variables = llvm::DenseMap<const ptx::Variable *, const ptx::Variable *>;

class Flattener {
public:
  explicit Flattener(FlatBody &flat) : flat(flat) {}

  /// Appends the body of `function`. `actual` gives the caller's variable for
  /// each formal one.
  Error append(const ptx::Function &function, const Variables &actual);
  void promoteParameters();

private:
  Error appendCall(const ptx::Instruction &call, const Variables &actual,
                   unsigned firstRegister);
  void appendSkip(const ptx::Instruction &in, const Variables &actual,
                  unsigned firstRegister);
  void rename(ptx::Instruction &in, const Variables &actual,
              unsigned firstRegister);
  void rename(ptx::Operand &operand, const Variables &actual,
              unsigned firstRegister);
  void visit(const ptx::Operand &operand, bool isAddressOfAccess,
             const ptx::Instruction &in);

  struct Part {
    uint32_t offset, bytes;
    bool operator==(const Part &o) const {
      return offset == o.offset && bytes == o.bytes;
    }
  };
  struct Use {
    std::vector<Part> parts;
    bool isMemory = false; ///< its address is taken
  };

  FlatBody &flat;
  llvm::SmallPtrSet<const ptx::Function *, 8> active;
  llvm::SetVector<const ptx::Variable *> variables;
  llvm::MapVector<const ptx::Variable *, Use> uses;
};

/// The formal parameters of callees have been replaced by what they stand for.
bool isKernelParameter(const ptx::Variable *variable) {
  return variable->space == ptx::Space::Param && variable->isFormal;
}

} // namespace

void Flattener::rename(ptx::Operand &operand, const Variables &actual,
                       unsigned firstRegister) {
  if (operand.kind == ptx::Operand::Kind::Register)
    operand.reg += firstRegister;
  if (operand.variable)
    if (const ptx::Variable *variable = actual.lookup(operand.variable))
      operand.variable = variable;
  for (ptx::Operand &element : operand.elements)
    rename(element, actual, firstRegister);
}

void Flattener::rename(ptx::Instruction &in, const Variables &actual,
                       unsigned firstRegister) {
  for (auto *list : {&in.operands, &in.results, &in.arguments})
    for (ptx::Operand &operand : *list)
      rename(operand, actual, firstRegister);
  if (in.guard)
    *in.guard += firstRegister;
}

/// A jump to the instruction that comes next once the targets are set.
static ptx::Instruction makeJump(const ptx::Instruction &like) {
  ptx::Instruction jump;
  jump.root = "bra";
  jump.line = like.line;
  jump.text = like.text;
  jump.guard = like.guard;
  jump.guardNegated = like.guardNegated;
  llvm::cantFail(isa::resolve(jump));
  return jump;
}

/// A jump that is taken where the guard of `in` does not hold.
void Flattener::appendSkip(const ptx::Instruction &in, const Variables &actual,
                           unsigned firstRegister) {
  flat.body.push_back(makeJump(in));
  flat.body.back().guardNegated = !in.guardNegated;
  rename(flat.body.back(), actual, firstRegister);
}

Error Flattener::append(const ptx::Function &function,
                        const Variables &actual) {
  if (!active.insert(&function).second)
    return ptx::makeError(function.line, "function '" + function.name +
                                             "': recursion is not covered");
  unsigned firstRegister = flat.registers.size();
  llvm::append_range(flat.registers, function.registers);
  for (const ptx::Variable &variable : function.variables)
    if (!variable.isFormal)
      variables.insert(&variable);
  // Where each instruction of the function came to lie; then its end.
  std::vector<unsigned> position;
  llvm::SmallVector<unsigned> own, returns;
  for (const ptx::Instruction &in : function.body) {
    position.push_back(flat.body.size());
    if (in.target && in.target->hasBody) {
      // A guarded call jumps over the body it becomes.
      if (Error error = appendCall(in, actual, firstRegister))
        return error;
      continue;
    }
    // A guarded table of branches becomes a jump around one without a guard.
    bool isGuardedTable = in.root == "brx" && in.guard;
    if (isGuardedTable)
      appendSkip(in, actual, firstRegister);
    own.push_back(flat.body.size());
    bool isReturn = in.root == "ret" && !function.isEntry;
    if (isReturn)
      returns.push_back(flat.body.size());
    flat.body.push_back(isReturn ? makeJump(in) : in);
    rename(flat.body.back(), actual, firstRegister);
    if (isGuardedTable) {
      flat.body.back().guard.reset();
      flat.body[flat.body.size() - 2].targets = {unsigned(flat.body.size())};
    }
  }
  position.push_back(flat.body.size());
  for (unsigned index : own)
    for (unsigned &target : flat.body[index].targets)
      target = position[target];
  for (unsigned index : returns)
    flat.body[index].targets = {position.back()};
  active.erase(&function);
  return Error::success();
}

Error Flattener::appendCall(const ptx::Instruction &call,
                            const Variables &actual, unsigned firstRegister) {
  std::optional<unsigned> skip;
  if (call.guard) {
    skip = flat.body.size();
    appendSkip(call, actual, firstRegister);
  }
  Variables inner;
  auto bind = [&](llvm::ArrayRef<ptx::Operand> given,
                  llvm::ArrayRef<ptx::Variable *> formal) {
    for (auto [operand, variable] : llvm::zip(given, formal)) {
      const ptx::Variable *outer = actual.lookup(operand.variable);
      inner[variable] = outer ? outer : operand.variable;
    }
  };
  bind(call.results, call.target->results);
  bind(call.arguments, call.target->parameters);
  if (Error error = append(*call.target, inner))
    return error;
  if (skip)
    flat.body[*skip].targets = {unsigned(flat.body.size())};
  return Error::success();
}

void Flattener::visit(const ptx::Operand &operand, bool isAddressOfAccess,
                      const ptx::Instruction &in) {
  for (const ptx::Operand &element : operand.elements)
    visit(element, operand.kind == ptx::Operand::Kind::Address, in);
  if (!operand.variable || isKernelParameter(operand.variable))
    return;
  variables.insert(operand.variable);
  bool isPlain = isAddressOfAccess && (in.root == "ld" || in.root == "st");
  if (operand.variable->space == ptx::Space::Param && !isPlain)
    uses[operand.variable].isMemory = true;
}

/// Compilers access each field of a parameter in one way.
void Flattener::promoteParameters() {
  for (const ptx::Variable *variable : variables)
    if (variable->space == ptx::Space::Param)
      uses[variable];
  for (const ptx::Instruction &in : flat.body) {
    for (const ptx::Operand &operand : in.operands)
      visit(operand, false, in);
    if (in.root != "ld" && in.root != "st")
      continue;
    const ptx::Operand &address = in.operands[in.root == "ld"];
    const ptx::Operand &values = in.operands[in.root == "st"];
    if (address.kind != ptx::Operand::Kind::Address)
      continue;
    auto found = uses.find(address.elements.front().variable);
    if (found == uses.end())
      continue;
    bool isVector = values.kind == ptx::Operand::Kind::Vector;
    unsigned count = isVector ? values.elements.size() : 1;
    for (unsigned i = 0; i < count; ++i) {
      uint32_t bytes = ptx::getBytes(in.type);
      Part part{uint32_t(address.offset) + i * bytes, bytes};
      if (!llvm::is_contained(found->second.parts, part))
        found->second.parts.push_back(part);
    }
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
      ptx::Type type = part.bytes == 16  ? ptx::Type::B128
                       : part.bytes == 8 ? ptx::Type::B64
                       : part.bytes == 4 ? ptx::Type::B32
                       : part.bytes == 2 ? ptx::Type::B16
                                         : ptx::Type::B8;
      flat.parts[{variable, part.offset}] = flat.registers.size();
      flat.registers.push_back({variable->name, type});
    }
  }
  flat.variables.assign(variables.begin(), variables.end());
}

llvm::Expected<std::unique_ptr<FlatBody>> flatten(const ptx::Function &kernel) {
  auto flat = std::make_unique<FlatBody>();
  Flattener flattener(*flat);
  if (Error error = flattener.append(kernel, Variables()))
    return std::move(error);
  flattener.promoteParameters();
  flat->carry = flat->registers.size();
  flat->registers.push_back({"carry", ptx::Type::Pred});
  return flat;
}

} // namespace tc::emulator
