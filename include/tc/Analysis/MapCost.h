//===- MapCost.h - What a mapping to threads costs --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a tc.par lies on the threads decides which elements the lanes of a warp
// touch together. This file predicts what that costs: the sectors of global and
// the wavefronts of shared memory that all requests take, and the instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_MAPCOST_H
#define TC_ANALYSIS_MAPCOST_H

#include "tc/IR/TC.h"

#include <memory>

namespace mlir::tc {

/// Predicted, of all iterations of one tc.par.
struct MapCost {
  double sectors = 0;      ///< of global memory, of each request by itself
  double wavefronts = 0;   ///< of shared memory
  double instructions = 0; ///< of warps; an estimate
  double recovery = 0;     ///< of these, what finds the indices of a thread
  double threads = 0;      ///< that are started
  double working = 0;      ///< of these, the ones that have an index
  bool isExact = false;    ///< has every request been looked at?

  /// What memory does. A wavefront takes about the time of a sector.
  double getMemory() const { return sectors + wavefronts; }
};

/// How many requests are looked at.
enum class Effort {
  Glance, ///< a few warps
  Study   ///< all warps of a small space, some hundred of a large one
};

/// What the iterations of one tc.par do, to be asked for many mappings of it.
/// Keeps a reference to the op. See Note [What is predicted] in MapCost.cpp.
class MapCosts {
public:
  explicit MapCosts(ParOp op);
  ~MapCosts();

  MapCost predict(const Mapping &mapping, Effort effort);
  /// For each bound that an operand gives, what it is taken to be.
  ArrayRef<int64_t> getNominalBounds() const { return bounds; }
  /// Does an iteration touch memory that other threads reach, too?
  bool touchesMemory() const;

private:
  struct Nest;
  std::unique_ptr<Nest> nest;
  SmallVector<int64_t> bounds;
};

} // namespace mlir::tc

#endif // TC_ANALYSIS_MAPCOST_H
