//===- MapCandidates.cpp - Mappings worth comparing -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/MapCandidates.h"

#include "MappingBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mlir::tc {

/// Rows that leave at most so many of a warp's lanes idle need not be folded.
static constexpr double kMostIdle = 0.01;

namespace {
/// What lies innermost: x last, then y, z before it; each at most once.
struct Tile {
  SmallVector<int64_t, 4> dims; ///< of the space, the innermost last
  unsigned folded = 1;          ///< the last so many of `dims` are one: x
  int64_t x = 1, y = 1, z = 1;  ///< extents of a block
};

class Proposals {
public:
  Proposals(const MapProblem &problem, const LaunchLimits &limits)
      : problem(problem), limits(limits), dense(problem.space) {
    dense.shift();
    dense.compress();
    for (unsigned d = 0; d < dense.rank() && !dense.failed(); ++d)
      extents.push_back(std::max<int64_t>(
          evaluate(dense.extent(d), {}, problem.symbols).value_or(1), 1));
  }

  bool isEmpty() const {
    if (dense.failed() || dense.rank() == 0)
      return true;
    std::optional<SmallVector<int64_t>> known = dense.space().staticExtents();
    return known && llvm::is_contained(*known, 0);
  }

  void addForDevice(int64_t threads);
  void addForTeam(int64_t most, int64_t usual);

  std::vector<Mapping> mappings;

private:
  bool isDynamic(unsigned d) const { return !dense.staticExtent(d); }
  /// Visits every way to put some of the dimensions innermost, in order, with
  /// those of `inner` in the end.
  void forEachOrder(function_ref<void(ArrayRef<int64_t>)> visit,
                    ArrayRef<int64_t> inner = {});
  /// The extent of the last `folded` of `dims`, and does nobody know it?
  std::pair<int64_t, bool> getX(ArrayRef<int64_t> dims, unsigned folded) const;
  /// Would rows along the last `folded` of `dims` leave lanes idle?
  bool isShort(ArrayRef<int64_t> dims, unsigned folded) const;
  void addShapes(ArrayRef<int64_t> dims, unsigned folded, int64_t threads);
  void add(const Tile &tile);
  /// Adds a mapping, unless it has failed.
  void keep(llvm::Expected<Mapping> mapping) {
    if (auto kept = llvm::expectedToOptional(std::move(mapping)))
      mappings.push_back(std::move(*kept));
  }
  void addTurns(MappingBuilder &builder, int64_t most, int64_t usual);
  /// The dimensions permuted so that `dims` are innermost.
  MappingBuilder permute(ArrayRef<int64_t> dims) const;

  const MapProblem &problem;
  const LaunchLimits &limits;
  MappingBuilder dense;
  SmallVector<int64_t> extents;
};
} // namespace

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

void Proposals::forEachOrder(function_ref<void(ArrayRef<int64_t>)> visit,
                             ArrayRef<int64_t> inner) {
  if (!inner.empty())
    visit(inner);
  // The last dimensions first: of equals the first is taken.
  for (int64_t d : llvm::reverse(problem.dims)) {
    if (llvm::is_contained(inner, d))
      continue;
    SmallVector<int64_t, 4> order = {d};
    llvm::append_range(order, inner);
    forEachOrder(visit, order);
  }
}

MappingBuilder Proposals::permute(ArrayRef<int64_t> dims) const {
  MappingBuilder builder = dense;
  SmallVector<int64_t> order;
  for (unsigned d = 0; d < dense.rank(); ++d)
    if (!llvm::is_contained(dims, d))
      order.push_back(d);
  order.append(dims.begin(), dims.end());
  builder.permute(order);
  return builder;
}

std::pair<int64_t, bool> Proposals::getX(ArrayRef<int64_t> dims,
                                         unsigned folded) const {
  int64_t extent = 1;
  bool dynamic = false;
  for (int64_t d : dims.take_back(folded)) {
    extent = std::min<uint64_t>(
        llvm::SaturatingMultiply<uint64_t>(extent, extents[d]), INT64_MAX / 2);
    dynamic |= isDynamic(d);
  }
  return {extent, dynamic};
}

bool Proposals::isShort(ArrayRef<int64_t> dims, unsigned folded) const {
  auto [extent, dynamic] = getX(dims, folded);
  return dynamic || double(llvm::alignTo(extent, kWarpSize) - extent) >
                        kMostIdle * double(extent);
}

//===----------------------------------------------------------------------===//
// Blocks of a device
//===----------------------------------------------------------------------===//

/// Puts dimension `dim` of the builder, cut to `extent`, before the last
/// `inner` ones; what is left stays.
static void cut(MappingBuilder &builder, unsigned dim, int64_t extent,
                unsigned inner) {
  if (builder.staticExtent(dim) != extent)
    builder.splitAt(dim++, Combinator::splitLast(extent));
  builder.move(dim, builder.rank() - inner - 1);
}

void Proposals::add(const Tile &tile) {
  MappingBuilder builder = permute(tile.dims);
  unsigned rank = builder.rank();
  builder.foldRange(rank - tile.folded, rank);
  unsigned x = builder.rank() - 1;
  cut(builder, x, tile.x, 0);
  unsigned blockDims = 1;
  // Both are left of x, whose parts do not change their places.
  if (tile.y > 1)
    cut(builder, x - 1, tile.y, blockDims++);
  if (tile.z > 1)
    cut(builder, x - 2, tile.z, blockDims++);
  builder.fitGrid(builder.rank() - blockDims, limits);
  builder.apply(Combinator::gridBlock(blockDims));
  keep(builder.finish(limits));
}

/// Extents to try along a dimension of `extent`, up to `most`.
static SmallVector<int64_t> getCuts(int64_t extent, bool isDynamic,
                                    ArrayRef<int64_t> sizes, int64_t most) {
  SmallVector<int64_t> cuts;
  if (!isDynamic && extent <= most)
    cuts.push_back(extent);
  for (int64_t size : sizes)
    if (size <= most && (isDynamic || size < extent))
      cuts.push_back(size);
  return cuts;
}

/// Rows of `threads` threads, and blocks of several shorter ones.
void Proposals::addShapes(ArrayRef<int64_t> dims, unsigned folded,
                          int64_t threads) {
  auto [extent, dynamic] = getX(dims, folded);
  ArrayRef<int64_t> others = dims.drop_back(folded);
  for (int64_t x :
       getCuts(extent, dynamic, {256, 128, 64, 32, 16, 8, 4, 2}, threads)) {
    Tile tile{SmallVector<int64_t, 4>(dims), folded, x};
    int64_t rows = threads / x;
    // A row by itself, where no other dimension was asked for.
    if (others.empty()) {
      if (x >= kWarpSize || x == extent)
        add(tile);
      continue;
    }
    int64_t yExtent = extents[others.back()];
    bool yDynamic = isDynamic(others.back());
    if (others.size() == 1) {
      for (int64_t y : getCuts(yExtent, yDynamic, {rows}, rows))
        if (y > 1) {
          tile.y = y;
          add(tile);
        }
      continue;
    }
    if (others.size() > 2 || x >= kWarpSize)
      continue;
    for (int64_t y : getCuts(yExtent, yDynamic, {8, 4, 2}, kWarpSize / x)) {
      int64_t zExtent = extents[others.front()];
      for (int64_t z :
           getCuts(zExtent, isDynamic(others.front()), {threads / (x * y)},
                   std::min(threads / (x * y), limits.blockZ)))
        if (y > 1 && z > 1) {
          tile.y = y;
          tile.z = z;
          add(tile);
        }
    }
  }
}

void Proposals::addForDevice(int64_t threads) {
  forEachOrder([&](ArrayRef<int64_t> dims) {
    // All there is in one line, those outside of it outermost.
    if (dims.size() > 1 && dims.size() == problem.dims.size() &&
        dims.size() < dense.rank())
      add({SmallVector<int64_t, 4>(dims), dense.rank(), threads});
    for (unsigned folded = 1; folded <= dims.size(); ++folded) {
      addShapes(dims, folded, threads);
      if (!isShort(dims, folded))
        return;
    }
  });
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

void Proposals::addTurns(MappingBuilder &builder, int64_t most, int64_t usual) {
  builder.foldRange(0, builder.rank());
  std::optional<int64_t> count = builder.staticExtent(0);
  if (!count || *count > most) {
    builder.apply(Combinator::splitLast(usual));
    builder.apply(Combinator::serial(1));
  }
  keep(builder.finish());
}

void Proposals::addForTeam(int64_t most, int64_t usual) {
  forEachOrder([&](ArrayRef<int64_t> dims) {
    if (dims.size() == problem.dims.size()) {
      MappingBuilder line = permute(dims);
      addTurns(line, most, usual);
    }
    if (dims.size() != 2)
      return;
    for (int64_t x : {16, 8, 4, 2}) {
      if (x >= extents[dims[1]] || kWarpSize / x >= extents[dims[0]])
        continue;
      MappingBuilder tile = permute(dims);
      unsigned last = tile.rank() - 1;
      cut(tile, last, x, 0);
      cut(tile, last - 1, kWarpSize / x, 1);
      addTurns(tile, most, usual);
    }
  });
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

SmallVector<unsigned> getDimsOfSeveral(const IndexSpace &space) {
  SmallVector<unsigned> dims;
  for (auto [d, range] : llvm::enumerate(space.ranges())) {
    std::optional<int64_t> extent = staticValue(range.extent());
    std::optional<int64_t> width = staticValue(range.width);
    std::optional<int64_t> step = staticValue(range.step);
    bool isOne = extent && (*extent <= 1 ||
                            (step && width && *extent <= *step && *width == 1));
    if (!isOne)
      dims.push_back(d);
  }
  return dims;
}

std::vector<Mapping> proposeForDevice(const MapProblem &problem,
                                      const LaunchLimits &limits,
                                      int64_t threads) {
  Proposals proposals(problem, limits);
  if (!proposals.isEmpty())
    proposals.addForDevice(threads);
  // Long rows first: of equals the first is taken.
  llvm::stable_sort(proposals.mappings,
                    [](const Mapping &lhs, const Mapping &rhs) {
                      return staticValue(lhs.launch()->block.x) >
                             staticValue(rhs.launch()->block.x);
                    });
  return std::move(proposals.mappings);
}

std::vector<Mapping> coarsen(const Mapping &mapping,
                             const LaunchLimits &limits) {
  std::vector<Mapping> coarser;
  std::optional<int64_t> blockRank = mapping.blockRank();
  if (!blockRank || mapping.serialRank() > 0)
    return coarser;
  int64_t gridRank = mapping.image().rank() - *blockRank;
  for (int64_t dim = gridRank - 1; dim >= std::max<int64_t>(gridRank - 2, 0);
       --dim)
    for (int64_t turns : {2, 4}) {
      MappingBuilder builder(mapping.domain());
      for (const Combinator &combinator : mapping.combinators().drop_back())
        builder.apply(combinator);
      std::optional<int64_t> extent = builder.staticExtent(dim);
      if (!extent || *extent < 2 * turns)
        continue;
      builder.splitAt(dim, Combinator::splitLast(turns));
      builder.move(dim + 1, 0);
      builder.apply(Combinator::serial(1));
      builder.apply(Combinator::gridBlock(*blockRank));
      if (auto kept = llvm::expectedToOptional(builder.finish(limits)))
        coarser.push_back(std::move(*kept));
    }
  return coarser;
}

std::vector<Mapping> proposeForTeam(const MapProblem &problem, int64_t most,
                                    int64_t usual) {
  LaunchLimits limits;
  Proposals proposals(problem, limits);
  if (!proposals.isEmpty())
    proposals.addForTeam(most, usual);
  return std::move(proposals.mappings);
}

} // namespace mlir::tc
