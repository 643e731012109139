//===- WarpAccess.h - One memory access of a warp ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checks and counters are told of every access, translated or run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORY_WARPACCESS_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORY_WARPACCESS_H

#include "Runtime/Step.h"

namespace tc::emulator {

/// How the lanes' addresses go on: bit i compares lane i + 1 with lane i.
struct LaneSteps {
  uint32_t follows; ///< it is `bytes` further
  uint32_t stays;   ///< it is the same

  static constexpr uint32_t all = 0x7fffffff;
};

struct WarpAccess {
  uint32_t site;    ///< index among the kernel's sites
  uint32_t mask;    ///< lanes that access memory
  ptx::Space space; ///< never Generic: the one that the addresses lie in
  uint32_t bytes;   ///< of each lane
  AccessKind kind;
  bool isStrong; ///< ordered against other strong accesses: atomic, volatile
  /// 32 of them; host addresses, but offsets in shared and local memory.
  const uint64_t *addresses;
  /// What is stored: 32 values for each element of a vector, as Lanes has them.
  /// Null where nobody knows.
  const uint64_t *values = nullptr;
  uint32_t elements = 1;
};

/// Tells the checker and the counter of an access. False after a fault.
bool tellAccess(Launch &launch, WarpState &warp, WarpAccess access);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORY_WARPACCESS_H
