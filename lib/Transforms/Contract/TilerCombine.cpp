//===- TilerCombine.cpp - Results that threads gather together ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads along a contracted iterator each have an accumulator for the same
// results. They are combined in rounds, dimension by dimension:
//
//   %partial = tc.new                      : registers x threads
//   tc.par block (%t) = (0) to (64)        : all threads
//     tc.contract ins(own part of %acc) outs(own part of %partial) overwrite
//   tc.par block (%t) = (0) to (64) step (64) width (8)
//     tc.contract ins(%partial of %t + 8, + 16, ...) outs(own part of %acc)
//     tc.contract ins(own part of %acc) outs(own part of %partial) overwrite
//   tc.par block (%t) = (0) to (64) step (64) width (1)
//     tc.contract ins(%partial of 1, 2, ...) outs(own part of %acc)
//
// No thread writes what another one reads in the same round.
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "tc/IR/LoopHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

Value Tiler::buildPartialTile(Value partial, unsigned d, int64_t count,
                              int64_t among) {
  auto own =
      buildPartialTile(partial, tiledResults(first())).getDefiningOp<ViewOp>();
  auto type = cast<MemRefType>(partial.getType());
  size_t dim = tiledResults(first()).size() + d;
  int64_t stride = among * type.getStridesAndOffset().first[dim];
  OpFoldResult one = builder.getIndexAttr(1);
  OpFoldResult offset = buildSum(
      builder, loc,
      {{own.getMixedOffset(), one}, {builder.getIndexAttr(stride), one}});
  SmallVector<OpFoldResult> sizes = own.getMixedSizes(),
                            strides = own.getMixedStrides();
  sizes.push_back(buildStrideCount(builder, loc,
                                   builder.getIndexAttr(count - among),
                                   first().thread[first().dims[d]], among));
  strides.push_back(builder.getIndexAttr(stride));
  builder.eraseOp(own);
  return ViewOp::create(builder, loc, partial, offset, sizes, strides);
}

/// The extents of a tile of all registers.
static SmallVector<OpFoldResult> getSizes(Value tile) {
  return tile.getDefiningOp<ViewOp>().getMixedSizes();
}

void Tiler::buildShare(ArrayRef<Value> partials) {
  SmallVector<unsigned> iterators = tiledResults(first());
  AffineMap map = getMap(iterators, iterators);
  ContractArrays arrays;
  for (auto [accumulator, partial] : llvm::zip_equal(accumulators, partials)) {
    arrays.inputs.add(buildAccumulatorTile(accumulator), map);
    arrays.outputs.add(buildPartialTile(partial, iterators), map);
  }
  ContractOp tile =
      buildContract(first(), iterators, getSizes(arrays.outputs.values.front()),
                    arrays, /*overwrite=*/true);
  takeAccumulators(builder, first().op, tile);
}

void Tiler::buildGather(ArrayRef<Value> partials, unsigned d, int64_t count,
                        int64_t among) {
  SmallVector<unsigned> iterators = tiledResults(first());
  iterators.push_back(first().dims[d]);
  ContractArrays arrays;
  for (Value partial : partials)
    arrays.inputs.add(buildPartialTile(partial, d, count, among),
                      getMap(iterators, iterators));
  addAccumulators(first(), iterators, arrays.outputs);
  ContractOp tile =
      buildContract(first(), iterators, getSizes(arrays.inputs.values.front()),
                    arrays, /*overwrite=*/false);
  cloneCombine(first().op, tile);
  takeAccumulators(builder, first().op, tile);
}

SmallVector<int64_t> Tiler::buildCombine() {
  SmallVector<int64_t> working;
  SmallVector<unsigned> shared;
  for (auto [d, i] : llvm::enumerate(first().dims)) {
    working.push_back(first().threads(i));
    if (first().op.isContracted(i))
      shared.push_back(d);
  }
  if (shared.empty())
    return working;
  // Threads come last, so that lanes are in different banks.
  SmallVector<int64_t> shape = llvm::map_to_vector(
      tiledResults(first()), [&](unsigned i) { return first().registers(i); });
  llvm::append_range(shape, working);
  SmallVector<Value> partials;
  for (Type type : first().op.getAccumulatorTypes())
    partials.push_back(NewOp::create(builder, loc, MemRefType::get(shape, type),
                                     TypedAttr(),
                                     /*threads=*/uint64_t(0),
                                     /*slot=*/IntegerAttr()));
  buildThreads([&] { buildShare(partials); });
  for (unsigned d : shared)
    while (working[d] > 1) {
      int64_t count = working[d];
      working[d] = llvm::divideCeil(count, kGathered);
      bool done = d == shared.back() && working[d] == 1;
      buildThreads(
          [&] {
            buildGather(partials, d, count, working[d]);
            if (!done)
              buildShare(partials);
          },
          working);
    }
  return working;
}
