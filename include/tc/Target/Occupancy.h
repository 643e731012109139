//===- Occupancy.h - How many blocks a multiprocessor holds -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of blocks of one kernel that are resident on a multiprocessor at a
// time, and what keeps it from being larger.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_OCCUPANCY_H
#define TC_TARGET_OCCUPANCY_H

#include "tc/Target/Machine.h"

namespace mlir::tc {

/// What a multiprocessor runs out of first; of several, the first listed.
enum class OccupancyLimiter { Registers, SharedMemory, Warps, Blocks };

/// `registers`, `shared_memory`, `warps` or `blocks`.
llvm::StringRef stringify(OccupancyLimiter limiter);

struct Occupancy {
  int64_t blocksPerSm = 0; ///< 0: the kernel cannot be launched
  int64_t warpsPerSm = 0;
  double fraction = 0; ///< of the warps that the multiprocessor could hold
  OccupancyLimiter limiter = OccupancyLimiter::Warps;
};

/// The occupancy of a kernel with this many threads a block (at least 1),
/// registers a thread (0 when it uses none) and bytes of shared memory a block,
/// static and dynamic together; the reserved bytes are added here.
///
/// Registers are given to a warp in whole allocation units, out of the register
/// file of the partition that runs it. Launches that the hardware refuses (too
/// many threads, registers or bytes for one block) have no block. Source:
/// cuda_occupancy.h of CUDA 13.0.
Occupancy occupancy(const Machine &machine, int64_t threadsPerBlock,
                    int64_t registersPerThread, int64_t sharedBytesPerBlock);

} // namespace mlir::tc

#endif // TC_TARGET_OCCUPANCY_H
