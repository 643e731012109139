//===- Occupancy.cpp - How many blocks a multiprocessor holds -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four limits on the number of resident blocks; the least of them decides.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Occupancy.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::tc {

llvm::StringRef stringify(OccupancyLimiter limiter) {
  static constexpr llvm::StringLiteral names[] = {"registers", "shared_memory",
                                                  "warps", "blocks"};
  return names[unsigned(limiter)];
}

/// Blocks that the register file holds. The warps of a block may lie on the
/// partitions in any way, but a warp takes all its registers from one.
static int64_t blocksByRegisters(const Machine &m, int64_t warps,
                                 int64_t registersPerThread) {
  if (registersPerThread > m.maxRegistersPerThread)
    return 0;
  int64_t perWarp =
      llvm::alignTo(registersPerThread * m.warpSize, m.registerAllocationUnit);
  if (perWarp == 0)
    return m.maxBlocksPerSm;
  int64_t warpsPerPartition = m.registersPerSm / m.partitionsPerSm / perWarp;
  return warpsPerPartition * m.partitionsPerSm / warps;
}

/// Blocks that shared memory holds.
static int64_t blocksByShared(const Machine &m, int64_t bytes) {
  if (bytes > m.sharedBytesPerBlockOptIn)
    return 0;
  int64_t perBlock =
      llvm::alignTo(bytes + m.sharedBytesReserved, m.sharedAllocationUnit);
  return perBlock == 0 ? m.maxBlocksPerSm : m.sharedBytesPerSm / perBlock;
}

Occupancy occupancy(const Machine &m, int64_t threadsPerBlock,
                    int64_t registersPerThread, int64_t sharedBytesPerBlock) {
  Occupancy result;
  if (threadsPerBlock < 1 || threadsPerBlock > m.maxThreadsPerBlock ||
      registersPerThread < 0 || sharedBytesPerBlock < 0)
    return result;
  int64_t warps = llvm::divideCeil(threadsPerBlock, m.warpSize);
  const std::pair<OccupancyLimiter, int64_t> limits[] = {
      {OccupancyLimiter::Registers,
       blocksByRegisters(m, warps, registersPerThread)},
      {OccupancyLimiter::SharedMemory, blocksByShared(m, sharedBytesPerBlock)},
      {OccupancyLimiter::Warps, m.maxWarpsPerSm() / warps},
      {OccupancyLimiter::Blocks, m.maxBlocksPerSm}};
  result.blocksPerSm = INT64_MAX;
  for (auto [limiter, blocks] : limits) {
    if (blocks < result.blocksPerSm) {
      result.blocksPerSm = blocks;
      result.limiter = limiter;
    }
  }
  result.warpsPerSm = result.blocksPerSm * warps;
  result.fraction = double(result.warpsPerSm) / double(m.maxWarpsPerSm());
  return result;
}

} // namespace mlir::tc
