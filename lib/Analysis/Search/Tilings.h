//===- Tilings.h - Combinations of the tiles of all axes --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How results are tiled, without the steps through their terms. What no steps
// make less bounds the score of a plan from below.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_TILINGS_H
#define TC_LIB_ANALYSIS_SEARCH_TILINGS_H

#include "Search/FoldSearch.h"
#include "Search/SearchAxes.h"

#include "tc/Target/Machine.h"

#include <array>

namespace mlir::tc {

/// What no steps make less, of all blocks where the sum is whole.
struct LeastWork {
  double blocks = 1;
  double arithmetic = 0, reads = 0; ///< seconds, if all blocks end together
  double loadedBytes = 0, storedBytes = 0;
  double loadedOnce = 0, storedOnce = 0; ///< bytes, each element once
  /// Blocks on a multiprocessor, as far as threads and registers go: about the
  /// most.
  double resident = 1;
};

/// What a term of a sum reads, by the result iterators of the term whose
/// results are tiled.
struct TermReads {
  struct Input {
    int64_t bytes; ///< of an element
    /// Those that it varies with, and the others.
    SmallVector<unsigned, 8> along, across;
  };
  double points; ///< of the iteration space
  SmallVector<Input, 2> inputs;
};

/// A tile of each axis, by their numbers.
struct Tiling {
  SmallVector<uint16_t, 4> tiles;
  LeastWork least;
};

/// All tilings of a workload that may be worth a look. They serve the kernel of
/// the parts of the sum, too: it has the same results.
class Tilings {
public:
  /// Each result has so many threads in a block. With `fold` they are those
  /// that tensor instructions can carry out. Where a kernel adds several
  /// `terms` into the results, what is read is what all of them read.
  Tilings(const Workload &work, const Machine &machine, int64_t sharing = 1,
          const FoldSpace *fold = nullptr, ArrayRef<TermReads> terms = {});

  ArrayRef<Tiling> getAll() const { return all; }
  /// Seconds that every plan with this tiling takes, where the sum is divided
  /// into `parts` among blocks.
  double getBound(const Tiling &tiling, double parts) const;
  /// About the seconds of a good plan with this tiling: as many blocks as are
  /// resident wait for each other at the busiest unit.
  double getEstimate(const Tiling &tiling, double parts) const;
  /// The least of all tilings.
  double getEstimate(double parts) const;
  /// A plan of so many iterators, without steps.
  TilePlan getPlan(const Tiling &tiling, unsigned iterators) const;

private:
  /// What is along the fastest iterator of an array.
  struct FastestPlace {
    std::optional<size_t> axis; ///< none: a contracted iterator, or no one
    unsigned place = 0;         ///< in the axis
  };

  void enumerateAxes();
  FastestPlace findFastest(const Access &array) const;
  void keepBest(size_t axis, size_t most);
  void combine(Tiling &tiling, int64_t threads, int64_t results);
  LeastWork getLeastWork(ArrayRef<uint16_t> choice) const;
  void setTerms(const TilePlan &plan, LeastWork &least) const;
  /// Seconds of the whole machine: of multiply-adds, reads of shared memory,
  /// L2 and memory.
  std::array<double, 5> getTerms(const LeastWork &least, double parts) const;
  double countLeastRegisters(ArrayRef<uint16_t> choice) const;
  double countElements(ArrayRef<uint16_t> choice, size_t input) const;
  double countShared(ArrayRef<uint16_t> choice) const;
  double countLeastRegisters(const TilePlan &plan) const;
  const AxisTile &getTile(ArrayRef<uint16_t> choice, size_t axis) const {
    return tiles[axis][choice[axis]];
  }
  /// Elements that one access of an array takes.
  int64_t getWidth(const FastestPlace &fastest,
                   ArrayRef<uint16_t> choice) const;

  const Workload &work;
  Machine machine;
  int64_t sharing, fewestThreads;
  /// While tilings are enumerated.
  const FoldSpace *fold;
  ArrayRef<TermReads> terms;
  SmallVector<ResultAxis> axes;
  SmallVector<std::vector<AxisTile>, 4> tiles;
  SmallVector<FastestPlace> fastestOfInput, fastestOfStored;
  std::vector<Tiling> all;
};

/// Orders the threads of `plan`: the fastest walk the result's smallest stride.
void setLanes(const Workload &work, TilePlan &plan);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_TILINGS_H
