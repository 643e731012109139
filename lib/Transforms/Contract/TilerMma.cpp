//===- TilerMma.cpp - Nests of warps that compute together ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a tensor instruction the contraction inside is one of a warp: the lanes
// along rows and columns are iterators of it. Accumulators are numbered by
// warps, then by lanes. What a thread does alone, to read and to write results,
// is in a tc.par warp:
//
//   %acc = tc.new init(neutral) threads(4)  : warps x lanes x results of a
//   thread tc.par block (%wa, %wb)
//     tc.contract (lanes, results) ins(views of %x, %y) outs(%acc of the warp)
//   tc.par block (%wa, %wb)
//     tc.par warp (%la, %lb)
//       tc.contract ins(%acc of the thread) sides(...) outs(view of %Z)
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

void Tiler::buildWarps(function_ref<void()> body) {
  SmallVector<OpFoldResult> lower(getRank(), builder.getIndexAttr(0)), upper;
  for (unsigned i : first().dims)
    upper.push_back(builder.getIndexAttr(first().warps(i)));
  SmallVector<int64_t> steps(getRank(), 1);
  ParOp::create(builder, loc, Level::Block, lower, upper, steps,
                [&](OpBuilder &, Location, ValueRange indices) {
                  place = getAsOpFoldResult(indices);
                  for (Summand &summand : summands)
                    for (auto [i, index] :
                         llvm::zip_equal(summand.dims, indices))
                      summand.thread[i] =
                          buildProduct(builder, loc, index, summand.lanes(i));
                  body();
                });
}

void Tiler::buildLanes(function_ref<void()> body) {
  buildWarps([&] {
    unsigned rank = first().laneDims.size();
    SmallVector<OpFoldResult> lower(rank, builder.getIndexAttr(0)), upper;
    for (unsigned i : first().laneDims)
      upper.push_back(builder.getIndexAttr(first().lanes(i)));
    SmallVector<int64_t> steps(rank, 1);
    ParOp::create(
        builder, loc, Level::Warp, lower, upper, steps,
        [&](OpBuilder &, Location, ValueRange indices) {
          llvm::append_range(place, getAsOpFoldResult(indices));
          OpFoldResult one = builder.getIndexAttr(1);
          for (Summand &summand : summands)
            for (auto [i, index] : llvm::zip_equal(summand.laneDims, indices))
              summand.thread[i] = buildSum(
                  builder, loc, {{summand.thread[i], one}, {index, one}});
          body();
        });
  });
}

Value Tiler::buildWarpView(Summand &summand, Value tile, unsigned input) {
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [i, dim] : llvm::zip_equal(summand.tileOrder(input),
                                       summand.staging(input).getStrides())) {
    OpFoldResult stride = builder.getIndexAttr(dim.value);
    if (summand.threads(i) > 1)
      products.push_back({summand.thread[i], stride});
    sizes.push_back(builder.getIndexAttr(getFullCount(summand, i)));
    strides.push_back(buildProduct(builder, loc, stride, summand.threads(i)));
    if (summand.lanes(i) == 1)
      continue;
    sizes.push_back(builder.getIndexAttr(summand.lanes(i)));
    strides.push_back(stride);
  }
  return ViewOp::create(builder, loc, tile, buildSum(builder, loc, products),
                        sizes, strides);
}

/// Names for the lanes along iterators of `op`.
static SmallVector<std::string> nameLanes(ContractOp op,
                                          ArrayRef<unsigned> laneDims) {
  return llvm::map_to_vector(laneDims, [&](unsigned i) {
    std::string name = op.getIterator(i).str();
    do
      name += "_l";
    while (op.findIterator(name));
    return name;
  });
}

/// In `m` and `n` the lanes have names of their own.
static MmaAttr renameLanes(ContractOp op, MmaAttr unit,
                           ArrayRef<unsigned> laneDims,
                           ArrayRef<std::string> names) {
  return unit.mapLists([&](ArrayRef<Factor> factors) {
    return llvm::map_to_vector(factors, [&](Factor factor) {
      unsigned i = *op.findIterator(factor.iterator.getValue());
      for (auto [lane, name] : llvm::zip_equal(laneDims, names))
        if (lane == i)
          factor.iterator = StringAttr::get(op.getContext(), name);
      return factor;
    });
  });
}

ContractArrays Tiler::buildWarpArrays(Summand &summand, ArrayRef<Value> tiles,
                                      ArrayRef<unsigned> iterators) {
  auto find = [&](ArrayRef<unsigned> list, unsigned i) {
    return unsigned(llvm::find(list, i) - list.begin());
  };
  SmallVector<AffineExpr> subscripts;
  auto addPlace = [&](unsigned i) {
    subscripts.push_back(builder.getAffineDimExpr(find(iterators, i)));
  };
  auto addLane = [&](unsigned i) {
    subscripts.push_back(
        builder.getAffineDimExpr(iterators.size() + find(summand.laneDims, i)));
  };
  auto takeMap = [&] {
    return AffineMap::get(iterators.size() + summand.laneDims.size(), 0,
                          std::exchange(subscripts, {}), builder.getContext());
  };
  ContractArrays arrays;
  for (auto [k, tile] : llvm::enumerate(tiles)) {
    for (unsigned i : summand.tileOrder(k)) {
      addPlace(i);
      if (summand.lanes(i) > 1)
        addLane(i);
    }
    arrays.inputs.add(buildWarpView(summand, tile, k), takeMap());
  }
  llvm::for_each(summand.laneDims, addLane);
  llvm::for_each(tiledResults(summand), addPlace);
  arrays.outputs.add(buildAccumulatorTile(accumulators.front()), takeMap());
  return arrays;
}

void Tiler::buildWarpTile(Summand &summand, ArrayRef<Value> tiles) {
  // The results and terms of each lane, then the lanes themselves. Results that
  // only registers hold last: two of them are columns of one instruction.
  SmallVector<unsigned> iterators = summand.dims;
  llvm::stable_sort(iterators, [&](unsigned a, unsigned b) {
    return summand.threads(a) > 1 && summand.threads(b) == 1;
  });
  llvm::append_range(iterators, summand.tiledSteps);
  SmallVector<std::string> lanes = nameLanes(summand.op, summand.laneDims);
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (unsigned i : iterators) {
    names.push_back(summand.op.getIterator(i));
    extents.push_back(builder.getIndexAttr(getFullCount(summand, i)));
  }
  for (auto [i, name] : llvm::zip_equal(summand.laneDims, lanes)) {
    names.push_back(name);
    extents.push_back(builder.getIndexAttr(summand.lanes(i)));
  }
  auto tile = ContractOp::create(builder, loc, names, extents,
                                 buildWarpArrays(summand, tiles, iterators),
                                 /*overwrite=*/false);
  MmaAttr unit =
      renameLanes(summand.op, summand.unit(), summand.laneDims, lanes);
  tile.setScheduleAttr(ScheduleAttr::get(
      builder.getContext(), /*thread=*/{}, /*reg=*/{}, /*step=*/{},
      /*vector=*/{}, /*split=*/{}, /*stages=*/1, /*resident=*/1, Kernel::Mma,
      unit));
  cloneTerms(summand.op, tile);
}
