//===- SearchAxes.cpp - Tiles along some of the iterators -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First how much of each iterator a block has (the cover), then how a cover is
// divided among vectors, registers and threads.
//
//===----------------------------------------------------------------------===//

#include "Search/SearchAxes.h"

#include "tc/Analysis/Requests.h"
#include "tc/Target/Mma.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::tc;

/// Tiles that waste more than this over the best are left out.
static constexpr double kMostWaste = 1.3;
/// What an instruction moves at most, and neighbours that go together at most.
static constexpr int64_t kMostBytes = 16, kMostVector = 8;
/// Blocks along a single iterator that are tried in all numbers.
static constexpr int64_t kMostBlocks = 12;
/// Of each iterator, where blocks are to have about as much of each; and
/// iterators for which all combinations are tried.
static constexpr int64_t kBalancedSides[] = {2, 4, 8, 16};
static constexpr size_t kMostBalanced = 4;
/// Results of a thread that are tried.
static constexpr int64_t kTriedResults[] = {1, 2,  3,  4,  5, 6,
                                            8, 12, 16, 24, 32};

int64_t mlir::tc::fitTile(int64_t extent, int64_t target) {
  if (extent <= target)
    return std::max<int64_t>(extent, 1);
  int64_t best = target;
  auto cover = [&](int64_t tile) { return llvm::alignTo(extent, tile); };
  for (int64_t tile = target; tile > target / 2; --tile)
    if (cover(tile) < cover(best))
      best = tile;
  return best;
}

/// The largest vector along `iterator` with which all accesses to `array` are
/// aligned.
static int64_t getVector(const Access &array, unsigned iterator,
                         int64_t extent) {
  if (array.nominal[iterator] != 1 || array.bytes > kMostBytes ||
      !array.hasKnownRows())
    return 1;
  int64_t vector = std::min<int64_t>(
      llvm::bit_floor(uint64_t(kMostBytes / array.bytes)), kMostVector);
  while (extent % vector != 0 || !array.isAligned(iterator, vector))
    vector /= 2;
  return vector;
}

SmallVector<int64_t, 2> mlir::tc::getVectors(const Workload &work,
                                             unsigned iterator) {
  SmallVector<int64_t, 2> vectors;
  if (work.scalar[iterator])
    return vectors;
  auto addArray = [&](const Access &array) {
    int64_t most = getVector(array, iterator, work.extents[iterator]);
    for (int64_t vector : {most, most / 2})
      if (vector > 1 && !llvm::is_contained(vectors, vector))
        vectors.push_back(vector);
  };
  llvm::for_each(work.inputs, addArray);
  llvm::for_each(work.stored, addArray);
  llvm::sort(vectors, std::greater<int64_t>());
  return vectors;
}

SmallVector<ResultAxis> mlir::tc::getResultAxes(const Workload &work) {
  SmallVector<ResultAxis> axes;
  for (unsigned i : work.sortResults()) {
    SmallVector<bool, 4> inputs;
    for (const Access &input : work.inputs)
      inputs.push_back(input.variesWith(i));
    bool apart = work.apart[i];
    ResultAxis *axis = llvm::find_if(axes, [&](const ResultAxis &other) {
      return other.inputs == inputs && other.apart == apart;
    });
    if (axis == axes.end())
      axis = &axes.emplace_back(ResultAxis{inputs, {}, 1, apart});
    axis->iterators.push_back(i);
    axis->extent *= double(work.extents[i]);
  }
  return axes;
}

using Order = SmallVector<unsigned, 8>; ///< of places in an axis

/// By rising stride of the result, and of each input that varies with the axis.
static std::vector<Order> getOrders(const Workload &work,
                                    const ResultAxis &axis) {
  std::vector<Order> orders;
  auto addOrder = [&](const Access &array) {
    Order order = llvm::to_vector_of<unsigned, 8>(
        llvm::seq<unsigned>(0, axis.iterators.size()));
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return array.getDistance(axis.iterators[a]) <
             array.getDistance(axis.iterators[b]);
    });
    if (!llvm::is_contained(orders, order))
      orders.push_back(order);
  };
  addOrder(work.stored.front());
  for (auto [input, varies] : llvm::zip_equal(work.inputs, axis.inputs))
    if (varies)
      addOrder(input);
  return orders;
}

/// Covers `target` places, iterators in `order`.
static void cover(const PerIterator &extents, const Order &order,
                  int64_t target, PerIterator &covered) {
  for (unsigned place : order) {
    int64_t most = std::max<int64_t>(target / covered[place], 1);
    if (most == 1)
      continue;
    // Whole multiples of what is covered already.
    int64_t left = llvm::divideCeil(extents[place], covered[place]);
    int64_t factor = fitTile(left, most);
    covered[place] = std::min(covered[place] * factor, extents[place]);
    target = std::max<int64_t>(target / factor, 1);
  }
}

/// How much of each iterator a block of at most `most` places may have.
static std::set<PerIterator>
getCovers(ArrayRef<Order> orders, const PerIterator &extents, int64_t most) {
  std::set<PerIterator> covers;
  if (extents.size() == 1)
    for (int64_t blocks = 1; blocks <= kMostBlocks; ++blocks)
      if (int64_t covered = llvm::divideCeil(extents[0], blocks);
          covered <= most)
        covers.insert({covered});
  for (int64_t target = 1; target <= most; target *= 2)
    for (const Order &order : orders) {
      PerIterator covered(extents.size(), 1);
      cover(extents, order, target, covered);
      covers.insert(covered);
      // A run along the fastest iterators of each order, then the rest.
      for (const Order &other : orders) {
        PerIterator square(extents.size(), 1);
        int64_t side = std::min<int64_t>(target, 32);
        cover(extents, order, side, square);
        cover(extents, other, std::max<int64_t>(target / side, 1), square);
        covers.insert(square);
      }
    }
  return covers;
}

/// Of each iterator one of a few sizes, whatever the others have.
static void addBalanced(const PerIterator &extents, int64_t most,
                        std::set<PerIterator> &covers) {
  std::set<PerIterator> begun = {PerIterator()};
  for (int64_t extent : extents) {
    std::set<PerIterator> longer;
    for (const PerIterator &cover : begun)
      for (int64_t side : kBalancedSides) {
        PerIterator next = cover;
        next.push_back(fitTile(extent, side));
        if (llvm::product_of(next) <= most)
          longer.insert(std::move(next));
      }
    begun = std::move(longer);
  }
  covers.merge(begun);
}

/// None, along all iterators that may have one, and along each alone. Where
/// tiles are folded, two neighbours along one more iterator, which lanes read
/// in turns as columns of an instruction.
static SmallVector<PerIterator>
getAxisVectors(const Workload &work, const ResultAxis &axis, bool areFolded) {
  PerIterator none(axis.iterators.size(), 1), all = none;
  SmallVector<PerIterator> vectors = {none};
  for (auto [place, i] : llvm::enumerate(axis.iterators)) {
    SmallVector<int64_t, 2> widths = getVectors(work, i);
    if (!widths.empty())
      all[place] = widths.front();
    for (int64_t width : widths) {
      vectors.push_back(none);
      vectors.back()[place] = width;
    }
  }
  if (!llvm::is_contained(vectors, all))
    vectors.push_back(all);
  for (size_t n = 0, e = areFolded ? vectors.size() : 0; n < e; ++n)
    for (size_t place = 0; place < axis.iterators.size(); ++place)
      if (vectors[n][place] == 1) {
        PerIterator paired = vectors[n];
        paired[place] = kMmaColumnsPerLane;
        vectors.push_back(paired);
      }
  return vectors;
}

/// Bytes that a run of places moves of an array over those it asks for.
static double getExcess(const PerIterator &extents, const ResultAxis &axis,
                        const Access &array, const PerIterator &run) {
  int64_t length = 1;
  bool found = false;
  for (bool grown = true; grown;) {
    grown = false;
    for (unsigned place = 0; place < extents.size() && !grown; ++place) {
      if (array.getDistance(axis.iterators[place]) != length || run[place] == 1)
        continue;
      found = grown = run[place] == extents[place];
      length *= run[place];
      if (!grown)
        return double(llvm::alignTo(length * array.bytes, kSectorBytes)) /
               double(length * array.bytes);
    }
  }
  bool hasFastest = llvm::any_of(
      axis.iterators, [&](unsigned i) { return array.getDistance(i) == 1; });
  if (!found && !hasFastest)
    return 1;
  return double(llvm::alignTo(length * array.bytes, kSectorBytes)) /
         double(length * array.bytes);
}

namespace {
/// What of a tile is not divided further: vectors, and threads and registers
/// that a tensor instruction takes together.
struct Granule {
  PerIterator vector, thread, reg;
};
} // namespace

/// A cover divided among `registers` and threads in whole granules, the slow or
/// the fast iterators first.
static AxisTile divide(const PerIterator &extents, const PerIterator &covered,
                       const Granule &granule, int64_t registers,
                       bool slowFirst) {
  AxisTile tile{granule.thread, granule.reg, granule.vector};
  registers = std::max<int64_t>(registers / llvm::product_of(granule.reg), 1);
  for (unsigned n = 0; n < extents.size(); ++n) {
    unsigned place = slowFirst ? extents.size() - 1 - n : n;
    int64_t left =
        llvm::divideCeil(covered[place], tile.thread[place] * tile.reg[place] *
                                             tile.vector[place]);
    int64_t factor = fitTile(left, registers);
    tile.reg[place] *= factor;
    tile.thread[place] *= llvm::divideCeil(left, factor);
    registers = std::max<int64_t>(registers / factor, 1);
  }
  for (unsigned place = 0; place < extents.size(); ++place) {
    // Fewer threads may cover the same extent: 24 = 2 x 12, not 2 x 16.
    int64_t rest = tile.reg[place] * tile.vector[place],
            extent = extents[place];
    int64_t blocks = llvm::divideCeil(extent, tile.thread[place] * rest);
    tile.thread[place] = llvm::alignTo(llvm::divideCeil(extent, blocks * rest),
                                       granule.thread[place]);
    tile.threads *= tile.thread[place];
    tile.results *= rest;
    tile.parts *= double(blocks);
    tile.waste *= double(blocks * tile.thread[place] * rest) / double(extent);
  }
  return tile;
}

/// With these vectors: that of one thread, and where tiles are folded those of
/// lanes along one of the iterators, each with two neighbours there if not in a
/// vector.
static SmallVector<Granule> getGranules(const PerIterator &vector,
                                        bool areFolded) {
  PerIterator ones(vector.size(), 1);
  bool hasPair = llvm::product_of(vector) % kMmaColumnsPerLane == 0;
  SmallVector<Granule> granules = {{vector, ones, ones}};
  for (size_t place = 0; areFolded && place < vector.size(); ++place)
    for (int64_t lanes : {kMmaRowLanes, kMmaColumnLanes}) {
      Granule granule = granules.front();
      granule.thread[place] = lanes;
      if (hasPair)
        granules.push_back(granule);
      granule.reg[place] = kMmaColumnsPerLane;
      if (vector[place] % kMmaColumnsPerLane != 0)
        granules.push_back(granule);
    }
  return granules;
}

/// Results of a thread that has the places of `covered` to itself, with those
/// that a granule has beside it.
static int64_t countResults(const PerIterator &covered,
                            const Granule &granule) {
  int64_t results = 1;
  for (auto [places, vector, thread, reg] :
       llvm::zip_equal(covered, granule.vector, granule.thread, granule.reg))
    results *= llvm::divideCeil(places, vector * thread * reg) * vector * reg;
  return results;
}

/// Are the threads of `tile` lanes enough for columns at least?
static bool hasLanes(const AxisTile &tile) {
  int64_t lanes = 1;
  for (int64_t threads : tile.thread)
    lanes *= int64_t(llvm::MinAlign(kMmaColumnLanes, threads));
  return lanes >= kMmaColumnLanes;
}

/// One index of each iterator.
static AxisTile getUnitTile(const Workload &work, const ResultAxis &axis) {
  AxisTile tile;
  for (auto *factors : {&tile.thread, &tile.reg, &tile.vector})
    factors->assign(axis.iterators.size(), 1);
  tile.parts = axis.extent;
  tile.excess.assign(work.inputs.size() + work.stored.size(), 1);
  return tile;
}

std::vector<AxisTile> mlir::tc::enumerateTiles(const Workload &work,
                                               const ResultAxis &axis,
                                               const AxisLimits &limits) {
  if (axis.apart)
    return {getUnitTile(work, axis)};
  PerIterator extents;
  for (unsigned i : axis.iterators)
    extents.push_back(work.extents[i]);
  std::set<std::tuple<PerIterator, PerIterator, PerIterator>> seen;
  std::vector<AxisTile> tiles;
  auto add = [&](AxisTile tile) {
    if (tile.threads > limits.threads || tile.results > limits.results ||
        (limits.areFolded && !hasLanes(tile)) ||
        !seen.insert({tile.thread, tile.reg, tile.vector}).second)
      return;
    PerIterator block, lanes;
    for (auto [thread, reg, vector] :
         llvm::zip_equal(tile.thread, tile.reg, tile.vector)) {
      block.push_back(thread * reg * vector);
      lanes.push_back(thread * vector);
    }
    for (const Access &input : work.inputs)
      tile.excess.push_back(float(getExcess(extents, axis, input, block)));
    for (const Access &stored : work.stored)
      tile.excess.push_back(float(getExcess(extents, axis, stored, lanes)));
    tiles.push_back(std::move(tile));
  };
  SmallVector<PerIterator> vectors =
      getAxisVectors(work, axis, limits.areFolded);
  int64_t most = limits.threads * limits.results;
  std::set<PerIterator> covers =
      getCovers(getOrders(work, axis), extents, most);
  if (limits.areBalanced && extents.size() <= kMostBalanced)
    addBalanced(extents, most, covers);
  for (const PerIterator &covered : covers)
    for (const PerIterator &vector : vectors) {
      int64_t together = llvm::product_of(vector);
      bool fits = llvm::all_of(llvm::zip_equal(covered, vector), [](auto pair) {
        return std::get<0>(pair) % std::get<1>(pair) == 0;
      });
      for (const Granule &granule : getGranules(vector, limits.areFolded)) {
        auto addDivided = [&](int64_t count) {
          if (fits && count <= limits.results && count % together == 0)
            for (bool slowFirst : {true, false})
              add(divide(extents, covered, granule, count / together,
                         slowFirst));
        };
        llvm::for_each(kTriedResults, addDivided);
        // All in one warp: of 152 = 8 x 19 places no other number has whole
        // lanes.
        if (limits.areFolded && extents.size() == 1)
          addDivided(countResults(covered, granule));
      }
    }
  double least = std::numeric_limits<double>::max();
  for (const AxisTile &tile : tiles)
    least = std::min(least, tile.waste);
  llvm::erase_if(tiles, [&](const AxisTile &tile) {
    return tile.waste > least * kMostWaste;
  });
  return tiles;
}
