//===- Plan.cpp - What one kernel needs -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the call graph of a kernel and lays out its variables.
//
//===----------------------------------------------------------------------===//

#include "Translate/Plan.h"
#include "Runtime/State.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using llvm::Error;
using llvm::Twine;

namespace tc::emulator {

namespace {

class Planner {
public:
  explicit Planner(KernelPlan &plan) : plan(plan) {}

  Error visit(const ptx::Function &function);
  void placeDynamic();

private:
  void place(const ptx::Variable *variable);
  void visitOperand(const ptx::Operand &operand);

  KernelPlan &plan;
  llvm::SmallPtrSet<const ptx::Function *, 8> active, done;
  llvm::SmallVector<const ptx::Variable *> dynamic;
};

} // namespace

void Planner::place(const ptx::Variable *variable) {
  if (plan.addresses.count(variable))
    return;
  if (variable->isDynamic) {
    if (!llvm::is_contained(dynamic, variable))
      dynamic.push_back(variable);
    return;
  }
  bool isShared = variable->space == ptx::Space::Shared;
  if (!isShared && variable->space != ptx::Space::Local)
    return;
  uint64_t &bytes = isShared ? plan.staticShared : plan.localBytes;
  bytes = llvm::alignTo(bytes, variable->align);
  if (!isShared)
    plan.localAlign = std::max<uint64_t>(plan.localAlign, variable->align);
  plan.addresses[variable] = bytes + (isShared ? sharedStart : localStart);
  bytes += variable->bytes;
}

/// All dynamic arrays start at the same address, behind the static ones.
void Planner::placeDynamic() {
  uint64_t align = 16;
  for (const ptx::Variable *variable : dynamic)
    align = std::max<uint64_t>(align, variable->align);
  if (!dynamic.empty())
    plan.staticShared = llvm::alignTo(plan.staticShared, align);
  for (const ptx::Variable *variable : dynamic)
    plan.addresses[variable] = plan.staticShared + sharedStart;
}

void Planner::visitOperand(const ptx::Operand &operand) {
  if (operand.variable)
    place(operand.variable);
  for (const ptx::Operand &element : operand.elements)
    visitOperand(element);
}

Error Planner::visit(const ptx::Function &function) {
  if (done.count(&function))
    return Error::success();
  active.insert(&function);
  plan.functions.push_back(&function);
  for (const ptx::Variable &variable : function.variables)
    place(&variable);
  for (const ptx::Instruction &in : function.body) {
    for (const ptx::Operand &operand : in.operands)
      visitOperand(operand);
    if (in.root == "bar" || in.root == "barrier")
      plan.hasBarrier = true;
    if (in.root == "cvta" && in.get("CvtaSpace") == "local" && !in.has("to"))
      plan.localEscapes = true;
    if (!in.target)
      continue;
    if (active.count(in.target))
      return ptx::makeError(in.line, "recursive call of '" + in.callee +
                                         "' is not covered");
    if (Error error = visit(*in.target))
      return error;
  }
  active.erase(&function);
  done.insert(&function);
  return Error::success();
}

llvm::Expected<KernelPlan> makePlan(const ptx::Function &kernel) {
  KernelPlan plan;
  plan.kernel = &kernel;
  Planner planner(plan);
  if (Error error = planner.visit(kernel))
    return error;
  planner.placeDynamic();
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
