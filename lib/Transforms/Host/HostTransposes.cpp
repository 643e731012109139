//===- HostTransposes.cpp - Tiles of a nest through registers -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of an array that the nest goes through across its neighbours is read
// as vectors of neighbours, transposed in registers, and left in a buffer of
// the stack in the order of the nest; a tile that it writes goes the other way.
// Each line of memory is touched once, and all loops go through neighbours.
// Tiles at the end, that are not whole, stay as they are.
//
//===----------------------------------------------------------------------===//

#include "Host/HostBuilder.h"
#include "Host/HostNests.h"
#include "Loops/LoopNest.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// One tile on its way.
struct TileTransposer {
  HostBuilder &builder;
  ParOp whole;  ///< its nest, of constant extents
  int64_t size; ///< iterations along both dimensions

  SmallVector<SmallVector<Value>> locateVectors(Operation *op);
  void stageLoad(memref::LoadOp load);
  void stageStore(memref::StoreOp store);
  SmallVector<Value> getPlace();
};
} // namespace

/// Has the tile `size` iterations along both dimensions?
static Value buildIsWhole(HostBuilder &builder, ParOp places, int64_t size) {
  SpaceBounds bounds = places.getBounds();
  Value isWhole = builder.always();
  for (auto [lower, upper] : llvm::zip_equal(bounds.lower, bounds.upper)) {
    Value extent = builder.subtract(builder.get(upper), builder.get(lower));
    isWhole = builder.both(isWhole, builder.isEqual(extent, size));
  }
  return isWhole;
}

/// The nest of a tile of constant extents.
static ParOp buildWhole(HostBuilder &builder, ParOp places, int64_t size) {
  SpaceBounds bounds = places.getBounds();
  for (auto [lower, upper] : llvm::zip_equal(bounds.lower, bounds.upper))
    upper = affine::makeComposedFoldedAffineApply(builder, builder.getLoc(),
                                                  builder.d0() + size, {lower});
  auto whole = cast<ParOp>(builder.clone(*places));
  IRRewriter rewriter(builder);
  LoopNest(whole).setBounds(rewriter, bounds);
  return whole;
}

/// `value`, computed in `region`, for other indices, those of `map`.
static Value cloneArithmetic(OpBuilder &builder, Value value, Region &region,
                             IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (map.contains(value) || !op || !region.isAncestor(op->getParentRegion()))
    return map.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    cloneArithmetic(builder, operand, region, map);
  builder.clone(*op, map);
  return map.lookup(value);
}

/// The subscripts of the first element of each vector of neighbours.
SmallVector<SmallVector<Value>> TileTransposer::locateVectors(Operation *op) {
  auto indices = isa<memref::LoadOp>(op)
                     ? cast<memref::LoadOp>(op).getIndices()
                     : cast<memref::StoreOp>(op).getIndices();
  SpaceBounds bounds = whole.getBounds();
  SmallVector<SmallVector<Value>> all;
  for (int64_t k = 0; k != size; ++k) {
    IRMapping map;
    map.map(whole.getIndices()[0], builder.get(bounds.lower[0]));
    map.map(whole.getIndices()[1],
            builder.add(builder.get(bounds.lower[1]), k));
    all.push_back(llvm::map_to_vector(indices, [&](Value subscript) {
      return cloneArithmetic(builder, subscript, whole.getRegion(), map);
    }));
  }
  return all;
}

/// Where an iteration of `whole` has its element in a buffer.
SmallVector<Value> TileTransposer::getPlace() {
  SpaceBounds bounds = whole.getBounds();
  SmallVector<Value> place;
  for (auto [index, lower] : llvm::zip_equal(whole.getIndices(), bounds.lower))
    place.push_back(builder.subtract(index, builder.get(lower)));
  return place;
}

void TileTransposer::stageLoad(memref::LoadOp load) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(whole);
  auto type = VectorType::get(size, load.getType());
  SmallVector<Value> vectors;
  for (ArrayRef<Value> subscripts : locateVectors(load))
    vectors.push_back(
        vector::LoadOp::create(builder, type, load.getMemRef(), subscripts));
  builder.transpose(vectors);
  Value tile = builder.reserve({size, size}, load.getType());
  for (auto [i, vector] : llvm::enumerate(vectors))
    vector::StoreOp::create(
        builder, vector, tile,
        ValueRange{builder.constant(i), builder.constant(0)});
  builder.setInsertionPoint(load);
  load.replaceAllUsesWith(builder.load(tile, getPlace()));
  load.erase();
}

void TileTransposer::stageStore(memref::StoreOp store) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(whole);
  Type element = store.getMemRefType().getElementType();
  Value tile = builder.reserve({size, size}, element);
  builder.setInsertionPointAfter(whole);
  SmallVector<Value> vectors;
  for (int64_t i = 0; i != size; ++i)
    vectors.push_back(vector::LoadOp::create(
        builder, VectorType::get(size, element), tile,
        ValueRange{builder.constant(i), builder.constant(0)}));
  builder.transpose(vectors);
  for (auto [vector, subscripts] :
       llvm::zip_equal(vectors, locateVectors(store)))
    vector::StoreOp::create(builder, vector, store.getMemRef(), subscripts);
  builder.setInsertionPoint(store);
  builder.store(store.getValue(), tile, getPlace());
  store.erase();
}

void mlir::tc::transposeTiles(RewriterBase &rewriter, ParOp places,
                              int64_t size) {
  SmallVector<Operation *> found = findTransposed(places);
  if (found.empty())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(places);
  HostBuilder builder(places.getLoc(), rewriter);
  auto branch = scf::IfOp::create(builder, buildIsWhole(builder, places, size),
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  ParOp whole = buildWhole(builder, places, size);
  TileTransposer transposer{builder, whole, size};
  // The clone has its ops in the same order.
  SmallVector<Operation *> originals, clones;
  places.getBody()->walk([&](Operation *op) { originals.push_back(op); });
  whole.getBody()->walk([&](Operation *op) { clones.push_back(op); });
  for (auto [original, cloned] : llvm::zip_equal(originals, clones)) {
    if (!llvm::is_contained(found, original))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(cloned))
      transposer.stageLoad(load);
    else
      transposer.stageStore(cast<memref::StoreOp>(cloned));
  }
  rewriter.moveOpBefore(places, branch.elseBlock(),
                        branch.elseBlock()->begin());
}
