//===- Pattern.h - What one access of a warp costs --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors of global memory and wavefronts of shared memory that one request
// takes, by the addresses of its lanes. Pure functions.
//
// Shared memory has 32 banks of 4 bytes, each of which serves one word in a
// wavefront, to any number of lanes (CUDA C++ Programming Guide 13.0, "shared
// memory", compute capability 5.0 on). A wavefront carries 128 bytes: accesses
// of 8 bytes go by half warps, of 16 bytes by quarter warps. Loads whose active
// lanes agree in pairs, each with lane xor 1 or each with lane xor 2, go two
// such parts at a time (NVIDIA developer forum, topic 77228). A part without an
// active lane takes no wavefront.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_PATTERN_H
#define TC_LIB_EMULATOR_COUNT_PATTERN_H

#include "Runtime/Memory/WarpAccess.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::emulator {

struct GlobalPattern {
  uint32_t sectors = 0;       ///< of 32 bytes
  uint32_t lines = 0;         ///< of 128 bytes
  uint32_t distinctBytes = 0; ///< touched by any lane
  uint32_t idealSectors() const { return (distinctBytes + 31) / 32; }
};

/// Receives [begin, end) of bytes touched, disjoint and rising.
using RunFunction64 = llvm::function_ref<void(uint64_t, uint64_t)>;

/// `bytes` at each of `addresses` whose bit is in `mask`.
GlobalPattern countGlobal(const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, RunFunction64 touch);

/// Local memory lies so that a warp's lanes are contiguous word by word: word w
/// of lane l is the 4 bytes at 4 * (32 w + l) (CUDA C++ Programming Guide,
/// "local memory"). `addresses` are each lane's own.
GlobalPattern countLocal(const uint64_t *addresses, uint32_t mask,
                         uint32_t bytes);

/// How many different ones there are among the lanes of `mask`.
uint32_t countAddresses(const uint64_t *addresses, uint32_t mask);

struct SharedPattern {
  uint32_t wavefronts = 0;
  /// The fewest for the same distinct words at the same width, wherever they
  /// lie: distinct words / 32, but with more than 4 bytes a lane no more than
  /// two parts of a load go at a time (256 bytes asked for), and one part of
  /// what is no load (128 bytes). Each rounded up.
  uint32_t idealWavefronts = 0;
};

/// `isMatrix`: of ldmatrix and its kin, eight rows at a time and never merged.
/// Atomics on one word serialise.
SharedPattern countShared(const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, AccessKind kind, bool isMatrix);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_PATTERN_H
