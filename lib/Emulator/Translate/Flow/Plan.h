//===- Plan.h - What is fixed about a kernel before it runs -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers, for one kernel, its flat body, where its shared and local variables
// lie, and what each instruction that accesses memory or meets other lanes may
// report.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_PLAN_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_PLAN_H

#include "Runtime/State.h"
#include "Translate/Flow/Flatten.h"

#include "llvm/Support/MathExtras.h"

namespace tc::emulator {

/// One instruction of the flat body, by its index there: what may report
/// something at run time.
struct Site {
  const ptx::Instruction *instruction;
  ptx::Space space;
  uint32_t bytes; ///< of the access; 0 where nothing is accessed
  bool isStore;
  bool isAtomic, isStrong; ///< see `isStrong` below
  /// Elements of a load that anything reads, bit i the i-th one. Compilers load
  /// four numbers where they need three.
  uint32_t elements, used;
  /// A barrier that all threads of a warp must reach together.
  bool isAligned;
  /// Numbers that a lane takes to and brings from the runtime (Step).
  uint32_t sources, results;
};

struct KernelPlan {
  const ptx::Function *kernel = nullptr;
  std::shared_ptr<const FlatBody> flat;
  /// Shared and local variables: their address in their space. Also `.param`
  /// variables of calls that are no registers, which lie in local memory.
  llvm::DenseMap<const ptx::Variable *, uint64_t> addresses;
  uint64_t staticShared = 0; ///< bytes, before the dynamic part
  uint64_t localBytes = 0;   ///< bytes per thread
  uint64_t localAlign = 64;
  bool hasAtomics = false;        ///< on memory that blocks share
  bool hasShortAddresses = false; ///< takes 32 bits of those of parameters
  std::vector<Site> sites;        ///< one per instruction

  /// From one lane's local memory to the next one's.
  uint64_t localStride() const { return llvm::alignTo(localBytes, localAlign); }
};

/// Whether `in` loads or stores parts of a parameter that are registers.
bool isPartAccess(const FlatBody &flat, const ptx::Instruction &in);

/// The operands of an instruction as the runtime gets them, one by one.
struct StepOperands {
  StepOperands(const FlatBody &flat, const ptx::Instruction &in);

  /// With what is added to them: addresses have an offset.
  llvm::SmallVector<std::pair<const ptx::Operand *, int64_t>> sources;
  llvm::SmallVector<const ptx::Operand *> results;
  /// Registers that stand for the parameters of a call, or that are written
  /// late.
  llvm::SmallVector<unsigned> sourceParts, resultParts;

  unsigned countSources() const { return sources.size() + sourceParts.size(); }
  unsigned countResults() const { return results.size() + resultParts.size(); }
};

/// The space that an access names; Generic where it names none.
ptx::Space getSpace(const ptx::Instruction &in);
/// Another thread may read or write the memory at the same time.
bool isStrong(const ptx::Instruction &in);

/// Fails for more static shared or local memory than a GPU has.
llvm::Expected<KernelPlan> makePlan(const ptx::Function &kernel);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_PLAN_H
