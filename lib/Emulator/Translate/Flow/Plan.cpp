//===- Plan.cpp - What is fixed about a kernel before it runs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays variables out and describes the instructions of the flat body.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Plan.h"
#include "Translate/Flow/Flow.h"

#include "llvm/ADT/Twine.h"

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

/// A generic access to a variable by its name is one of the variable's space,
/// as ptxas has it.
static ptx::Space getNamedSpace(const ptx::Instruction &in) {
  for (const ptx::Operand &operand : in.operands) {
    if (operand.kind != ptx::Operand::Kind::Address)
      continue;
    const ptx::Variable *variable = operand.elements.front().variable;
    if (variable && (variable->space == ptx::Space::Shared ||
                     variable->space == ptx::Space::Local))
      return variable->space;
  }
  return ptx::Space::Generic;
}

ptx::Space getSpace(const ptx::Instruction &in) {
  for (StringRef set : {"Space", "StSpace", "AtomSpace", "CvtaSpace"})
    if (in.has(set))
      return ptx::findSpace(in.get(set)).value_or(ptx::Space::Generic);
  return in.has("global") ? ptx::Space::Global : getNamedSpace(in);
}

bool isStrong(const ptx::Instruction &in) {
  return in.has("volatile") || in.has("LdOrder") || in.has("StOrder") ||
         in.root == "atom" || in.root == "red";
}

bool isPartAccess(const FlatBody &flat, const ptx::Instruction &in) {
  for (const ptx::Operand &operand : in.operands)
    if (operand.kind == ptx::Operand::Kind::Address &&
        operand.elements.front().variable)
      return flat.parts.count(
          {operand.elements.front().variable, uint32_t(operand.offset)});
  return false;
}

namespace {

void place(KernelPlan &plan, const ptx::Variable &variable) {
  bool isShared = variable.space == ptx::Space::Shared;
  bool isLocal = variable.space == ptx::Space::Local ||
                 variable.space == ptx::Space::Param;
  if (!isShared && !isLocal)
    return;
  uint64_t &bytes = isShared ? plan.staticShared : plan.localBytes;
  bytes = llvm::alignTo(bytes, variable.align);
  if (!isShared)
    plan.localAlign = std::max<uint64_t>(plan.localAlign, variable.align);
  plan.addresses[&variable] = bytes + (isShared ? sharedStart : localStart);
  bytes += variable.bytes;
}

/// All dynamic arrays start at the same address, behind the static ones.
void placeVariables(KernelPlan &plan) {
  uint64_t align = 16;
  bool hasDynamic = false;
  for (const ptx::Variable *variable : plan.flat->variables) {
    if (!variable->isDynamic) {
      place(plan, *variable);
      continue;
    }
    hasDynamic = true;
    align = std::max<uint64_t>(align, variable->align);
  }
  if (hasDynamic)
    plan.staticShared = llvm::alignTo(plan.staticShared, align);
  for (const ptx::Variable *variable : plan.flat->variables)
    if (variable->isDynamic)
      plan.addresses[variable] = plan.staticShared + sharedStart;
}

Site makeSite(const KernelPlan &plan, const ptx::Instruction &in) {
  Site site{};
  site.instruction = &in;
  site.space = ptx::Space::Generic;
  site.isAligned = in.root == "bar" || in.has("aligned");
  site.isStrong = isStrong(in);
  StepOperands operands(*plan.flat, in);
  site.sources = operands.countSources();
  site.results = operands.countResults();
  // What is done later accesses nothing now.
  bool isAsync = in.has("async");
  bool isLoad = in.root == "ld" || in.root == "ldu",
       isStore = in.root == "st" && !isAsync;
  bool isAtomic = in.root == "atom" || (in.root == "red" && !isAsync);
  if (!isLoad && !isStore && !isAtomic)
    return site;
  site.space = getSpace(in);
  site.isStore = isStore || isAtomic;
  site.isAtomic = isAtomic;
  const ptx::Operand &values = in.operands[isStore];
  size_t count =
      values.kind == ptx::Operand::Kind::Vector ? values.elements.size() : 1;
  site.bytes = ptx::getBytes(in.type) * count;
  site.elements = count;
  site.used = (1u << count) - 1;
  const ptx::Operand &address = in.operands[isLoad || in.root == "atom"];
  if (address.kind == ptx::Operand::Kind::Address &&
      plan.addresses.count(address.elements.front().variable) &&
      site.space == ptx::Space::Param)
    site.space = ptx::Space::Local;
  return site;
}

/// Whether 32 bits must hold the address of a parameter.
bool takesShortAddress(const ptx::Instruction &in) {
  return ptx::getBits(in.type) == 32 &&
         llvm::any_of(in.operands, [](const ptx::Operand &operand) {
           return operand.kind == ptx::Operand::Kind::Variable &&
                  operand.variable->space == ptx::Space::Param;
         });
}

} // namespace

/// Finds the elements of vector loads that nothing reads.
static void findUsed(KernelPlan &plan) {
  llvm::BitVector isRead(plan.flat->registers.size());
  for (const ptx::Instruction &in : plan.flat->body)
    visitUses(*plan.flat, in, [&](unsigned reg) { isRead.set(reg); });
  for (Site &site : plan.sites) {
    if (site.isStore || site.elements < 2)
      continue;
    const ptx::Operand &values = site.instruction->operands[0];
    for (auto [i, element] : llvm::enumerate(values.elements))
      if (element.kind != ptx::Operand::Kind::Register ||
          !isRead.test(element.reg))
        site.used &= ~(1u << i);
  }
}

llvm::Expected<KernelPlan> makePlan(const ptx::Function &kernel) {
  KernelPlan plan;
  plan.kernel = &kernel;
  plan.flat = flatten(kernel);
  placeVariables(plan);
  for (const ptx::Instruction &in : plan.flat->body) {
    plan.sites.push_back(makeSite(plan, in));
    plan.hasShortAddresses |= takesShortAddress(in);
    bool isAtomic = in.root == "atom" || in.root == "red";
    plan.hasAtomics |= isAtomic && getSpace(in) != ptx::Space::Shared;
    plan.hasAtomics |= in.root == "fence" || in.root == "membar" ||
                       (in.root == "cp" && in.has("reduce"));
  }
  findUsed(plan);
  // CUDA C++ Programming Guide, technical specifications.
  constexpr uint64_t maxShared = 48 * 1024, maxLocal = 512 * 1024;
  if (plan.staticShared > maxShared)
    return ptx::makeError(
        kernel.line,
        "kernel '" + kernel.name + "': expected at most " + Twine(maxShared) +
            " bytes of static shared memory, got " + Twine(plan.staticShared));
  if (plan.localBytes > maxLocal)
    return ptx::makeError(kernel.line,
                          "kernel '" + kernel.name + "': expected at most " +
                              Twine(maxLocal) + " bytes of local memory, got " +
                              Twine(plan.localBytes));
  return plan;
}

} // namespace tc::emulator
