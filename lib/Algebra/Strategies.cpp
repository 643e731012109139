//===- Strategies.cpp - Choosing a mapping to the axes of a GPU -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategies of the paper, and the linear mappings of grids and tiles.
// FitDevice.cpp has the default.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Strategies.h"

#include "MappingBuilder.h"

namespace mlir::tc {

llvm::Error checkLimits(const Mapping &mapping, const LaunchLimits &limits) {
  std::optional<LaunchExtents> launch = mapping.launch();
  if (!launch)
    return llvm::createStringError(
        "expected a mapping that ends in grid_block");
  struct Check {
    const char *axis;
    AffineExpr extent;
    int64_t limit;
  };
  const Check checks[] = {{"grid x", launch->grid.x, limits.gridX},
                          {"grid y", launch->grid.y, limits.gridY},
                          {"grid z", launch->grid.z, limits.gridZ},
                          {"block x", launch->block.x, limits.blockX},
                          {"block y", launch->block.y, limits.blockY},
                          {"block z", launch->block.z, limits.blockZ},
                          {"threads of a block",
                           launch->block.x * launch->block.y * launch->block.z,
                           limits.blockThreads}};
  for (const Check &check : checks) {
    std::optional<int64_t> extent = staticValue(check.extent);
    if (extent && *extent > check.limit)
      return llvm::createStringError(
          "expected at most " + llvm::Twine(check.limit) + " for " +
          check.axis + ", got " + llvm::Twine(*extent));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The strategies of the paper
//===----------------------------------------------------------------------===//

/// Table 1 of the paper for a space that is zero based and dense.
static void applyJing(MappingBuilder &builder) {
  unsigned rank = builder.rank();
  if (rank > 2)
    return builder.apply(Combinator::gridBlock(2));
  // See Note [The permutation of Jing].
  for (unsigned dim = rank; dim-- > 0;)
    builder.splitAt(dim, Combinator::splitLast(32));
  if (rank == 2)
    builder.permute({0, 2, 1, 3});
  builder.apply(Combinator::gridBlock(rank));
}

llvm::Expected<Mapping> jing(const IndexSpace &space) {
  if (space.rank() > 5)
    return llvm::createStringError("expected an index space of rank 1 to 5, "
                                   "got rank " +
                                   llvm::Twine(space.rank()));
  return jingExt(space);
}

llvm::Expected<Mapping> jingExt(const IndexSpace &space) {
  if (space.rank() < 1)
    return llvm::createStringError("expected an index space of rank 1 to 5, "
                                   "got rank 0");
  MappingBuilder builder(space);
  builder.shift();
  builder.mask();
  while (builder.rank() > 5 && !builder.failed())
    for (unsigned pair = 0, end = builder.rank() / 2; pair < end; ++pair)
      builder.foldAt(pair);
  applyJing(builder);
  return builder.finish();
}

int64_t chooseFoldedBlock(int64_t points, int64_t multiprocessors) {
  int64_t threads = kUsualThreads;
  while (threads > kWarpSize && llvm::divideCeil(uint64_t(points), threads) <
                                    uint64_t(multiprocessors))
    threads -= kWarpSize;
  return threads;
}

llvm::Expected<Mapping> foldAll(const IndexSpace &space,
                                const LaunchLimits &limits, int64_t threads) {
  MappingBuilder builder(space);
  builder.shift();
  builder.compress();
  unsigned blockDims = 0;
  if (space.rank() > 0) {
    builder.foldRange(0, builder.rank());
    int64_t block = std::min({threads, limits.blockX, limits.blockThreads});
    builder.apply(Combinator::splitLast(std::max<int64_t>(block, 1)));
    builder.splitGridAxis(limits);
    blockDims = 1;
  }
  builder.apply(Combinator::gridBlock(blockDims));
  return builder.finish(limits);
}

//===----------------------------------------------------------------------===//
// One level at a time
//===----------------------------------------------------------------------===//

/// The builder of a space that has to be zero based and dense as it is.
static llvm::Expected<MappingBuilder> plainBuilder(const IndexSpace &space) {
  if (!space.isZeroBased() || !space.isDense())
    return llvm::createStringError("expected a zero-based, dense index space");
  MappingBuilder builder(space);
  builder.foldRange(0, builder.rank());
  return builder;
}

llvm::Expected<Mapping> mapToGrid(const IndexSpace &space,
                                  const LaunchLimits &limits) {
  llvm::Expected<MappingBuilder> builder = plainBuilder(space);
  if (!builder)
    return builder.takeError();
  if (space.rank() > 0)
    builder->splitGridAxis(limits);
  llvm::Expected<Mapping> mapping = builder->finish();
  if (!mapping)
    return mapping;
  std::optional<int64_t> z = staticValue(mapping->axes()->z);
  if (z && *z > limits.gridZ)
    return llvm::createStringError("expected at most " +
                                   llvm::Twine(limits.gridZ) +
                                   " for grid z, got " + llvm::Twine(*z));
  return mapping;
}

llvm::Expected<Mapping> mapToThreads(const IndexSpace &space) {
  llvm::Expected<MappingBuilder> builder = plainBuilder(space);
  if (!builder)
    return builder.takeError();
  return builder->finish();
}

// Note [The permutation of Jing]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// For rank 2 the paper writes Permute([0,2,1,3]) after SplitLast, Permute
// ([1,2,0]) and SplitLast, which leaves the outer dimension innermost and on
// x. Its own table 1 has the inner dimension on x, in block and grid, which is
// also what coalescing wants. The table is followed here: both dimensions are
// split in place, to (d0/32, 32, d1/32, 32), and the middle two swapped.

} // namespace mlir::tc
