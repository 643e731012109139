//===- Plan.h - What one kernel needs ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers, for one kernel, the functions it reaches and where its shared and
// local variables lie.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_PLAN_H
#define TC_LIB_EMULATOR_TRANSLATE_PLAN_H

#include "Ptx/Ptx.h"

#include "llvm/ADT/DenseMap.h"

namespace tc::emulator {

/// One place in a kernel that may report something at run time.
struct Site {
  const ptx::Instruction *instruction;
  ptx::Space space;
  uint32_t bytes; ///< of the access; 0 where nothing is accessed
  bool isStore;
  /// A barrier that all threads of a warp must reach together.
  bool isAligned;
};

struct KernelPlan {
  const ptx::Function *kernel = nullptr;
  /// The kernel first, then every function it reaches.
  std::vector<const ptx::Function *> functions;
  /// Shared and local variables: their address in their space.
  llvm::DenseMap<const ptx::Variable *, uint64_t> addresses;
  uint64_t staticShared = 0; ///< bytes, before the dynamic part
  uint64_t localBytes = 0;   ///< bytes per thread
  uint64_t localAlign = 64;
  bool hasBarrier = false;
  /// A generic address of local memory exists.
  bool localEscapes = false;
  /// Filled by the translator.
  std::vector<Site> sites;
};

/// Fails for recursion, which has no bound on local memory, and for more static
/// shared or local memory than a GPU has.
llvm::Expected<KernelPlan> makePlan(const ptx::Function &kernel);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_PLAN_H
