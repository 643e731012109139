//===- Step.h - One instruction that the runtime executes -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions whose row names a RunFunction are not translated: compiled code
// gathers their operands, for all lanes of a warp at once, and calls it with a
// Step. Collectives (shfl, mma), asynchronous copies and printf are such.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_STEP_H
#define TC_LIB_EMULATOR_RUNTIME_STEP_H

#include "Ptx/Ptx.h"
#include "Runtime/State.h"
#include "tc/Emulator/Report.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <array>

namespace tc::emulator {

struct Launch;

/// What one register holds in each lane: its bits, zero-extended.
using Lanes = std::array<uint64_t, warpSize>;
/// Host addresses, null where a lane is not active.
using LanePointers = std::array<char *, warpSize>;

enum class AccessKind : uint8_t { Read, Write, Atomic };

struct Step {
  Launch &launch;
  WarpState &warp;
  const ptx::Instruction &instruction;
  uint32_t site;   ///< index among the kernel's sites
  uint32_t active; ///< lanes that execute it together, never 0
  /// The source operands in written order. A vector gives its elements, an
  /// address its sum with the offset, an operand left out nothing.
  llvm::ArrayRef<Lanes> sources;
  /// The destinations in written order: a vector gives its elements, `d|p` two,
  /// `_` one that is dropped. What inactive lanes get is dropped too.
  llvm::MutableArrayRef<Lanes> results;

  /// Lanes whose access was wrong, while the launch goes on: what they read is
  /// zero, and what they write is lost.
  uint32_t skipped = 0;
  /// Lanes for which it is done when it returns; the others execute it again.
  uint32_t done = active;

  bool isActive(unsigned lane) const { return active >> lane & 1; }
};

/// Host addresses of the `bytes` that each lane of `mask` accesses at its
/// address in `space`. Checked as every access is; false after a fault. What
/// `skipped` lanes have serves until the next call.
bool resolve(Step &step, uint32_t mask, ptx::Space space,
             const Lanes &addresses, uint32_t bytes, AccessKind kind,
             LanePointers &pointers);

/// Records a fault of `lane`, unless the launch has one already. Returns false.
bool fail(Step &step, unsigned lane, const llvm::Twine &what,
          FindingClass kind = FindingClass::Collective);

/// Records that a lane executes a collective whose member mask leaves it out;
/// not without checks, as GPUs go on with the lanes that are there. False when
/// the launch ends there.
bool noteForeignMask(const WarpState &warp, uint32_t site, unsigned lane,
                     uint32_t mask);

/// Lets other warps, and other lanes of this one, run before the step goes on:
/// for instructions that threads wait with in a loop. False when the warp must
/// end, as nothing that runs can change what it waits for.
bool pause(Step &step);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_STEP_H
