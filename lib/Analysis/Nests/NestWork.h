//===- NestWork.h - What the iterations of a tc.par do ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests and instructions of the body of one tc.par and of the loops in
// it, to be counted for warps whose lanes have given indices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_NESTS_NESTWORK_H
#define TC_LIB_ANALYSIS_NESTS_NESTWORK_H

#include "Nests/LaneValues.h"

#include "tc/Analysis/MapCost.h"
#include "tc/Target/LoadCache.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::tc {

/// How much of a nest is looked at.
struct Visits {
  /// Loops of no more iterations are looked at whole, of longer ones a run.
  int64_t mostTrips, run;
  /// Iterations of all loops from here inwards together: what loops in loops
  /// have is a product, which must not grow with their depth.
  int64_t most = 4096;

  int64_t countTrips(int64_t trips) const {
    return std::min(trips <= mostTrips ? trips : run, most);
  }
  Visits getInner(int64_t trips) const {
    return {std::max<int64_t>(mostTrips / 4, 2), std::max<int64_t>(run / 4, 2),
            most / trips};
  }
};

/// What L1 has of the loads of a block. Its warps load side by side but are
/// looked at one after another: so each has its part of L1, and finds what
/// another one loaded at about the same point of the program.
class BlockCache {
public:
  /// `near` is how many requests away that may be.
  void startBlock(int64_t warps, unsigned near);
  void startWarp();
  /// What of a load was not there.
  struct Missed {
    int64_t sectors = 0, lines = 0;
    int64_t own = 0; ///< sectors that the warp did not load itself
  };
  /// Loads sectors, which rise.
  Missed load(ArrayRef<int64_t> sectors);
  /// How many of them the block has not stored to before.
  int64_t store(ArrayRef<int64_t> sectors);

private:
  LoadCache own;
  unsigned share = 1, place = 0, near = 1;
  /// Sectors, and the number of the `near` requests that loaded each.
  DenseSet<std::pair<int64_t, int64_t>> together;
  DenseSet<int64_t> stored;
};

class NestWork {
public:
  explicit NestWork(ParOp op);

  /// Begins with a block of so many warps, whose place in the grid and whose
  /// runs of loops are those of `sample`.
  void startBlock(int64_t warps, uint64_t sample);
  /// Adds to `cost` what lanes of `mask` do, whose indices are set in `values`.
  void visitWarp(uint32_t mask, Visits visits, MapCost &cost);
  bool touchesMemory() const;
  bool hasLoops() const { return bodies.size() > 1; }
  /// Bytes of all buffers in global memory that are read.
  double countReadBytes() const { return readBytes; }

  LaneValues values;

private:
  /// One request of each warp.
  struct Request {
    bool isShared, isRead;
    int64_t bytes;
    /// Its address; none where nothing is known.
    std::optional<Slot> address;
  };

  /// The body of the tc.par, or of one dimension of a loop in it.
  struct Body {
    std::vector<Request> requests;
    int64_t instructions = 0; ///< of an iteration
    UnitLanes units;          ///< of those, of one lane
    /// Loads of global memory that wait for each other, one after another.
    unsigned rounds = 0;
    std::vector<unsigned> loops;
    // Of a loop.
    unsigned region = 0;
    Slot index = 0, lower = 0, upper = 0;
    int64_t step = 1, width = 1;
    bool isUnknown = false; ///< does only the data know its bounds?
  };

  void addOps(Block &block, unsigned body);
  void addRequests(Operation *op, unsigned body);
  unsigned countRounds(Value value, Block *block);
  unsigned addLoop(const NestRange &range, unsigned body);

  void visit(unsigned body, uint32_t mask, double weight, Visits visits,
             MapCost &cost);
  void visitLoop(unsigned body, uint32_t mask, double weight, Visits visits,
                 MapCost &cost);
  void count(const Request &request, uint32_t mask, double weight,
             MapCost &cost);

  std::vector<Body> bodies; ///< the first is that of the tc.par
  DenseMap<Value, unsigned> rounds;
  DenseSet<Value> read;
  double readBytes = 0;
  unsigned near = 1; ///< requests of the longest body
  BlockCache cache;
  uint64_t sample = 0;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_NESTS_NESTWORK_H
