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
// the wavefronts of shared memory that all requests take, the instructions, and
// the time of a launch that asks for these (LaunchTime.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_MAPCOST_H
#define TC_ANALYSIS_MAPCOST_H

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Workload.h"
#include "tc/IR/TC.h"
#include "tc/Target/LaunchTime.h"

#include <array>
#include <memory>

namespace mlir::tc {

class NestWork;

/// Operations of lanes, by the unit that does them.
struct UnitLanes {
  std::array<double, kArithmetics.size()> lanes{};
  double &of(Arithmetic unit) { return lanes[unsigned(unit)]; }
  double of(Arithmetic unit) const { return lanes[unsigned(unit)]; }
};

/// Predicted, of all iterations of one tc.par.
struct MapCost {
  Requests loads, stores;             ///< of global memory
  Requests sharedLoads, sharedStores; ///< of shared memory
  double l2Sectors = 0, l2Lines = 0;  ///< of loads, those that L1 does not have
  double ownMisses = 0; ///< sectors of loads that the same warp did not load
  double loadedBytes = 0, storedBytes = 0; ///< of all lanes
  double distinctStored = 0; ///< sectors, the parts that a block stores as one
  double instructions = 0;   ///< of warps; an estimate
  double recovery = 0;       ///< of these, what finds the indices of a thread
  UnitLanes units;
  double rounds = 0;    ///< times that a warp waits for what it loads
  double threads = 0;   ///< that are started
  double working = 0;   ///< of these, the ones that have an index
  bool isExact = false; ///< has every request been looked at?
  /// A launch of nothing else, by level A; of a team, of all there are.
  SimulatedTime launch;

  /// What memory does. A wavefront takes about the time of a sector.
  double getMemory() const;
  /// Without what every launch takes.
  double getSeconds() const { return launch.seconds - launch.launchSeconds; }
  /// Multiplies what all iterations do together.
  void scale(double factor);
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
  MapCosts(ParOp op, const Machine &machine);
  ~MapCosts();

  MapCost predict(const Mapping &mapping, Effort effort);
  /// For each bound that an operand gives, what it is taken to be.
  ArrayRef<int64_t> getNominalBounds() const { return bounds; }
  /// Does an iteration touch memory that other threads reach, too?
  bool touchesMemory() const;
  /// Blocks that a multiprocessor is to hold, so that as many are resident as a
  /// prediction for `mapping` counts on; 1 where that needs no asking.
  int64_t getResident(const Mapping &mapping) const;

private:
  LaunchDemand getDemand(const MapCost &cost, double blocks,
                         double warps) const;
  /// Blocks of so many threads that a multiprocessor has room for.
  int64_t countResident(double threads) const;

  std::unique_ptr<NestWork> work;
  Machine machine;
  SmallVector<int64_t> bounds;
  bool isTeam; ///< else all of a device
  /// Of the launch that a team is in: blocks, and teams of each.
  double blocks = 1, teams = 1;
  int64_t sharedBytes = 0; ///< of a block
};

} // namespace mlir::tc

#endif // TC_ANALYSIS_MAPCOST_H
