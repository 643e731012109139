//===- FitDevice.cpp - The default mapping to a device --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stays as close to the index space as the limits allow, because recovering an
// index costs divisions where dimensions were folded, and none where not.
//
//===----------------------------------------------------------------------===//

#include "MappingBuilder.h"

#include "tc/Algebra/Strategies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tc {

/// True when cutting `extent` into parts of `part` leaves at most an eighth of
/// the threads idle.
static bool wastesLittle(int64_t extent, int64_t part) {
  int64_t idle = (part - extent % part) % part;
  return idle <= extent / 7;
}

/// The block extent for `extent` indices on x: the greatest multiple of a warp
/// up to `threads` that wastes little; none when all of them waste much.
static std::optional<int64_t> chooseX(int64_t extent, int64_t threads,
                                      int64_t warp) {
  for (int64_t x = threads / warp * warp; x >= warp; x -= warp)
    if (x - warp < extent && wastesLittle(extent, x))
      return x;
  return std::nullopt;
}

/// Makes the innermost dimension one that fills warps, and cuts it to the
/// returned extent. All extents are constants of at least 1.
static int64_t blockOnX(MappingBuilder &builder, int64_t threads,
                        int64_t warp) {
  auto innermost = [&] { return *builder.staticExtent(builder.rank() - 1); };
  std::optional<int64_t> x = chooseX(innermost(), threads, warp);
  while (!x && builder.rank() > 1) {
    builder.foldAt(builder.rank() - 2);
    if (builder.failed())
      return 1;
    x = chooseX(innermost(), threads, warp);
  }
  // All is in one dimension now: whole warps, or less than one.
  int64_t extent = innermost();
  if (!x && extent <= warp)
    x = std::min(extent, threads);
  if (!x)
    x = std::min<int64_t>(llvm::alignTo(extent, warp), threads);
  if (extent > *x)
    builder.splitAt(builder.rank() - 1, Combinator::splitLast(*x));
  else if (extent < *x)
    builder.apply(Combinator::padLast(*x));
  return *x;
}

/// Puts the dimension before x beside it while the block has room; returns how
/// many dimensions the block has.
static unsigned extendOnY(MappingBuilder &builder, int64_t room) {
  if (builder.rank() < 2)
    return 1;
  unsigned dim = builder.rank() - 2;
  int64_t extent = *builder.staticExtent(dim);
  int64_t y = std::min(room, extent);
  while (y > 1 && !wastesLittle(extent, y))
    --y;
  if (y <= 1)
    return 1;
  if (y < extent)
    builder.splitAt(dim, Combinator::splitLast(y));
  return 2;
}

llvm::Expected<Mapping> fitDevice(const IndexSpace &space,
                                  const LaunchLimits &limits, int64_t threads) {
  MappingBuilder builder(space);
  builder.shift();
  builder.compress();
  std::optional<SmallVector<int64_t>> extents = builder.space().staticExtents();
  if (builder.failed() || !extents || llvm::is_contained(*extents, 0) ||
      builder.rank() == 0)
    return foldAll(space, limits, threads);
  threads = std::max<int64_t>(
      std::min({threads, limits.blockX, limits.blockThreads}), 1);
  builder.dropUnits(builder.rank());
  int64_t x = blockOnX(builder, threads, limits.warpSize);
  unsigned blockDims = extendOnY(builder, std::min(threads / x, limits.blockY));
  builder.fitGrid(builder.rank() - blockDims, limits);
  builder.apply(Combinator::gridBlock(blockDims));
  return builder.finish(limits);
}

} // namespace mlir::tc
