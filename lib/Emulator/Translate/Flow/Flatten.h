//===- Flatten.h - One body for a kernel and its callees --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces every call by the body of the function it calls, so that the rest of
// the translator sees one body without calls. A `.param` variable of a call
// becomes registers where every access to it agrees on offset and size, which
// compilers' output does; else it lies in local memory. A call through a
// register branches to a copy of each function that it may mean.
//
// Functions that call themselves are not copied. See Note [Frames] in
// Flatten.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATTEN_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATTEN_H

#include "Ptx/Ptx.h"

#include "llvm/ADT/DenseMap.h"

namespace tc::emulator {

/// A kernel's body and those of the functions it calls.
struct FlatBody {
  std::vector<ptx::Register> registers;
  std::vector<ptx::Instruction> body;
  unsigned carry = 0; ///< register of the extended-precision carry
  /// The frames of functions that are not copied; no frame may begin more than
  /// `stackBytes` behind its start.
  std::unique_ptr<ptx::Variable> stack;
  static constexpr uint64_t stackBytes = 64 * 1024;
  /// Variables that no function of the module declares.
  std::deque<ptx::Variable> made;
  /// The register that stands for the part of a `.param` variable at an offset.
  llvm::DenseMap<std::pair<const ptx::Variable *, uint32_t>, unsigned> parts;
  /// The registers of `wgmma`: accumulators and fragments of a. They are
  /// accessed until a `wgmma.wait_group`.
  std::vector<unsigned> lateRegisters;
  /// These, and behind them those that `mov` copies to one of them; and the
  /// place of each there.
  std::vector<unsigned> trackedRegisters;
  llvm::DenseMap<unsigned, unsigned> trackedPlaces;
  /// Variables that the body names or its functions declare, kernel parameters
  /// left out; `.param` variables only where they are no registers.
  std::vector<const ptx::Variable *> variables;
};

/// What a `mov` of one register, or of a constant, does.
struct Copied {
  unsigned to;
  std::optional<unsigned> from;
};
std::optional<Copied> getCopied(const ptx::Instruction &in);

std::unique_ptr<FlatBody> flatten(const ptx::Function &kernel);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATTEN_H
