//===- Undefined.cpp - Registers that may be undefined --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever is computed from what a load finds.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Undefined.h"
#include "Translate/Flow/Flow.h"

namespace tc::emulator {

static bool isLoad(const KernelPlan &plan, uint32_t index) {
  const Site &site = plan.sites[index];
  return site.bytes && !site.isStore && site.space != ptx::Space::Const &&
         site.space != ptx::Space::Param &&
         !isPartAccess(*plan.flat, *site.instruction);
}

static bool isMatrixLoad(const ptx::Instruction &in) {
  return in.root == "ldmatrix" || (in.root == "wmma" && in.has("load"));
}

/// Adds what depends on `registers`. What memory holds is not followed: a load
/// of it finds it undefined again.
static void addDependents(const KernelPlan &plan, llvm::BitVector &registers) {
  for (bool changes = true; changes;) {
    changes = false;
    for (auto [index, in] : llvm::enumerate(plan.flat->body)) {
      const Site &site = plan.sites[index];
      if ((site.bytes && !isPartAccess(*plan.flat, in)) || isMatrixLoad(in))
        continue;
      bool isAny = in.guard && registers.test(*in.guard);
      visitSources(*plan.flat, in,
                   [&](unsigned reg) { isAny |= registers.test(reg); });
      if (isAny)
        visitDefinitions(*plan.flat, in, [&](unsigned reg) {
          changes |= !registers.test(reg);
          registers.set(reg);
        });
    }
  }
}

UndefinedPlan::UndefinedPlan(const KernelPlan &plan)
    : registers(plan.flat->registers.size()), holes(plan.sites.size(), none) {
  for (auto [index, in] : llvm::enumerate(plan.flat->body)) {
    if (isLoad(plan, index)) {
      holes[index] = holeCount;
      holeCount += plan.sites[index].elements;
    } else if (!isMatrixLoad(in)) {
      continue;
    }
    visitDefinitions(*plan.flat, in, [&](unsigned reg) { registers.set(reg); });
  }
  addDependents(plan, registers);
}

llvm::BitVector findDependents(const KernelPlan &plan, uint32_t site) {
  llvm::BitVector registers(plan.flat->registers.size());
  visitDefinitions(*plan.flat, plan.flat->body[site],
                   [&](unsigned reg) { registers.set(reg); });
  addDependents(plan, registers);
  return registers;
}

} // namespace tc::emulator
