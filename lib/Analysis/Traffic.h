//===- Traffic.h - The memory accesses of a plan ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the warps of a tiled contraction ask of memory. Requests of a warp are
// sampled, each at some block and step, and counted exactly; the sums are then
// those of the whole launch. See Note [Sampled requests] in Traffic.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_TRAFFIC_H
#define TC_LIB_ANALYSIS_TRAFFIC_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

namespace mlir::tc {

/// Accesses of one kind, of the whole launch.
struct Requests {
  double requests = 0;
  double sectors = 0;    ///< of global memory
  double wavefronts = 0; ///< of shared memory

  Requests &operator+=(const Requests &other) {
    requests += other.requests;
    sectors += other.sectors;
    wavefronts += other.wavefronts;
    return *this;
  }
};

/// The tile of an input in shared memory. Dimensions are iterators, the fastest
/// in global memory last.
struct TileLayout {
  SmallVector<unsigned, 8> order;
  PerIterator sizes, strides; ///< of each dimension, in elements
  int64_t elements = 1;       ///< to reserve
  /// Elements that one copy, and one read, takes: neighbours along the last
  /// dimension.
  int64_t copied = 1, read = 1;
};

/// Counts what a plan does to memory. Cheap to make; keeps references.
class Traffic {
public:
  Traffic(const Workload &work, const TilePlan &plan);

  int64_t threads, warps; ///< of a block
  PerIterator parts;      ///< blocks along result, steps along other iterators
  double blocks, steps;   ///< of the grid; of a block

  /// The tile of input `k`.
  TileLayout getLayout(unsigned k) const;
  /// Copies to shared memory: requests and sectors of the loads, wavefronts of
  /// the stores.
  Requests countFill(const WorkArray &input, const TileLayout &tile) const;
  /// Reads of the threads from shared memory.
  Requests countReads(const WorkArray &input, const TileLayout &tile) const;
  /// Accesses to an array over the results, each element once.
  Requests countWriteBack(const WorkArray &array) const;

private:
  int64_t getFactor(unsigned i) const {
    return work.contracted[i] ? plan.step[i] : plan.getBlock(i);
  }
  /// Elements of `array` a thread of any block may take at once along `i`.
  int64_t getAligned(const WorkArray &array, unsigned i) const;
  /// Thread coordinates along each iterator, and the next thread's.
  PerIterator getThread(int64_t number) const;
  void advance(PerIterator &thread) const;

  const Workload &work;
  const TilePlan &plan;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_TRAFFIC_H
