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

#ifndef TC_LIB_ANALYSIS_COST_TRAFFIC_H
#define TC_LIB_ANALYSIS_COST_TRAFFIC_H

#include "tc/Algebra/CopyTeam.h"
#include "tc/Analysis/Requests.h"
#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Tiles.h"
#include "tc/Analysis/Workload.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace mlir::tc {

/// What the threads do with one input.
struct InputTraffic {
  SmallVector<TileDim> dims;
  StageTile tile;         ///< in shared memory
  bool isInPlace = false; ///< no copy: read in global memory
  /// Elements that one copy, and one read, takes: neighbours along the last
  /// dimension.
  int64_t copied = 1, read = 1;
  CopyTeam team = {}; ///< of the copies
  /// Is each copy of a thread a known number of bytes from its first?
  bool hasConstantDistances = false;
  /// Copies to shared memory: sectors of the loads, wavefronts of the stores;
  /// and reads from it, or in place. Of one block and step, on average.
  Requests fill, reads;
  /// 2, and 4 reads of a warp of neighbours along a contracted iterator, as one
  /// access; none where that cannot be.
  SmallVector<Requests, 2> together;
};

/// What has been computed, by the numbers that it depends on. Several threads
/// may ask; those that ask for the same at the same time each compute it.
template <typename Value>
class Memo {
public:
  using Key = SmallVector<int64_t, 32>;

  /// The reference stays good.
  const Value &get(Key key, function_ref<Value()> compute) {
    if (const Value *known = find(key))
      return *known;
    Value value = compute();
    std::unique_lock guard(mutex);
    return values.try_emplace(std::move(key), std::move(value)).first->second;
  }

private:
  const Value *find(const Key &key) const {
    std::shared_lock guard(mutex);
    auto it = values.find(key);
    return it == values.end() ? nullptr : &it->second;
  }

  mutable std::shared_mutex mutex;
  std::map<Key, Value> values;
};

/// The layout of a tile, and one read of a warp.
struct TileReads {
  StageTile tile;
  Requests read;
  SmallVector<Requests, 2> together; ///< as in InputTraffic
};

/// By the dimensions of tiles: the same for all workloads.
using TileCache = Memo<TileReads>;

/// What has been counted for a workload, by the part of a plan that it depends
/// on. Plans of a search have most of it in common.
struct TrafficCache {
  explicit TrafficCache(TileCache &tiles) : tiles(tiles) {}
  TileCache &tiles;
  Memo<InputTraffic> inputs;
  Memo<Requests> results; ///< of the whole launch
};

/// Counts what a plan does to memory. Cheap to make; keeps references.
class Traffic {
public:
  Traffic(const Workload &work, const TilePlan &plan, TrafficCache &cache);

  int64_t threads, warps; ///< of a block
  PerIterator parts;      ///< blocks along result, steps along other iterators
  PerIterator written;    ///< of a step, with a tensor instruction
  double blocks, steps;   ///< of the grid; of a block

  /// Elements along an iterator of a block's results, or of a step.
  int64_t getFactor(unsigned i) const {
    return work.contracted[i] ? plan.step[i] : plan.getBlock(i);
  }
  const InputTraffic &getInput(unsigned k) const;
  /// Accesses to an array over the results, each element once.
  const Requests &getWriteBack(const Access &array) const;

private:
  /// Elements that one read of a tile takes.
  int64_t getRead(ArrayRef<TileDim> dims, int64_t chunk) const;
  size_t countRowDims(ArrayRef<TileDim> dims, int64_t read) const;
  /// One read of a warp, of `width` elements of a tile.
  Requests sampleRead(const Access &input, ArrayRef<TileDim> dims,
                      const StageTile &tile, int64_t width) const;
  InputTraffic countInput(const Access &input) const;
  Requests countFill(const Access &input, const InputTraffic &found) const;
  /// What the lanes of the warp of thread `first` read for their first results,
  /// in bytes: `start`, and their places along the dimensions by `strides`.
  SmallVector<int64_t, 32> getReadAddresses(const Access &input,
                                            ArrayRef<TileDim> dims,
                                            int64_t first, int64_t start,
                                            ArrayRef<int64_t> strides) const;
  /// The layout of the tile of an input, and what a read of it costs.
  const TileReads &getTile(const Access &input, ArrayRef<TileDim> dims) const;
  TileReads countTile(const Access &input, ArrayRef<TileDim> dims, int64_t read,
                      size_t rowDims) const;
  Requests countInPlace(const Access &input, const InputTraffic &found) const;
  /// Reads of all warps in a step.
  double countReadRequests(const Access &input,
                           const InputTraffic &found) const;
  Requests countWriteBack(const Access &array) const;
  /// Elements that one copy takes, where all addresses are aligned to it.
  int64_t getCopied(const Access &input, const InputTraffic &found) const;
  /// Elements of `array`, over the results, that one access takes.
  int64_t getStored(const Access &array) const;
  /// Adds to each of `places`, of neighbouring threads from `first` on, how
  /// many results along iterator `i` lie before those of the thread.
  void addThreads(unsigned i, int64_t first,
                  MutableArrayRef<int64_t> places) const;

  const Workload &work;
  const TilePlan &plan;
  TrafficCache &cache;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_TRAFFIC_H
