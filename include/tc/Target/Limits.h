//===- Limits.h - What holds for every chip ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits that all chips of tc/Target/Machine.h share. Source: CUDA C++
// Programming Guide 13.0, "Compute Capabilities" and "Thread Block Clusters".
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_LIMITS_H
#define TC_TARGET_LIMITS_H

#include <cstdint>

namespace mlir::tc {

/// Threads of a warp.
inline constexpr int64_t kWarpSize = 32;

/// Bytes that one instruction moves for a thread, at most.
inline constexpr int64_t kMaxAccessBytes = 16;

/// Where a buffer in shared memory begins: at a multiple of so many bytes, so
/// that one instruction moves as many as it can.
inline constexpr int64_t kSharedAlignment = kMaxAccessBytes;

/// Limits of one launch.
struct LaunchLimits {
  int64_t gridX = 2147483647, gridY = 65535, gridZ = 65535;
  int64_t blockX = 1024, blockY = 1024, blockZ = 64;
  int64_t blockThreads = 1024;
  /// Blocks of a cluster that every chip with clusters can run.
  int64_t clusterBlocks = 8;
  int64_t warpSize = kWarpSize;
};

} // namespace mlir::tc

#endif // TC_TARGET_LIMITS_H
