//===- Reorder.cpp - Steps that count the iterations of a nest anew -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

static std::string findTileObstacle(LoopNest nest, ArrayRef<int64_t> sizes) {
  if (sizes.size() != nest.getRank())
    return ("expected a size for each of " + Twine(nest.getRank()) +
            " dimensions, found " + Twine(sizes.size()))
        .str();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size < 0)
      return ("expected sizes of at least 0, found " + Twine(size)).str();
    if (std::string why = size > 0 ? nest.findObstacle(d) : nest.findObstacle();
        !why.empty())
      return why;
    if (std::string why = findSizeObstacle(size, "size"); !why.empty())
      return why;
  }
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return "expected a size other than 0";
  return "";
}

/// The end of a tile of `size` that begins at `first`. `extent`: of all tiles,
/// where it is constant.
static OpFoldResult endTile(OpBuilder &builder, Location loc, Value first,
                            int64_t size, OpFoldResult upper,
                            std::optional<int64_t> extent) {
  AffineExpr begin = builder.getAffineDimExpr(0),
             end = builder.getAffineDimExpr(1);
  if (extent && *extent % size == 0)
    return affine::makeComposedFoldedAffineApply(builder, loc, begin + size,
                                                 {OpFoldResult(first)});
  return affine::makeComposedFoldedAffineMin(
      builder, loc,
      AffineMap::get(2, 0, {begin + size, end}, builder.getContext()),
      {OpFoldResult(first), upper});
}

FailureOr<TwoNests> mlir::tc::tileNest(RewriterBase &rewriter, Operation *op,
                                       ArrayRef<int64_t> sizes,
                                       Refusal &refusal) {
  LoopNest nest(op);
  if (std::string why = findTileObstacle(nest, sizes); !why.empty())
    return refuse(refusal, why);
  SpaceBounds bounds = nest.getBounds(), tiles, places;
  NestValues values(op->getContext());
  auto getTimes = [&](ArrayRef<AffineExpr> indices) {
    SmallVector<AffineExpr> times;
    // Tiles are counted from the first index.
    for (auto [index, size, lower] :
         llvm::zip_equal(indices, sizes, bounds.lower))
      if (size > 0)
        times.push_back((index - values.trace(lower)).floorDiv(size));
    llvm::append_range(times, indices);
    return times;
  };
  if (failed(checkOrder(op, nest.getIndices(), "tiling", getTimes, refusal)))
    return failure();

  OpFoldResult one = rewriter.getIndexAttr(1);
  auto append = [&](SpaceBounds &space, OpFoldResult lower, OpFoldResult upper,
                    OpFoldResult step, OpFoldResult width) {
    space.lower.push_back(lower);
    space.upper.push_back(upper);
    space.step.push_back(step);
    space.width.push_back(width);
  };
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size > 0)
      append(tiles, bounds.lower[d], bounds.upper[d],
             rewriter.getIndexAttr(size), one);
  rewriter.setInsertionPoint(op);
  LoopNest outer(nest.createLike(rewriter, tiles));
  rewriter.setInsertionPointToStart(&outer.getBody());
  SmallVector<Value> indices(nest.getRank());
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size == 0) {
      append(places, bounds.lower[d], bounds.upper[d], bounds.step[d],
             bounds.width[d]);
      continue;
    }
    unsigned number = llvm::count_if(sizes.take_front(d),
                                     [](int64_t size) { return size > 0; });
    Value first = outer.getIndices()[number];
    if (size == 1)
      indices[d] = first;
    else
      append(places, first,
             endTile(rewriter, op->getLoc(), first, size, bounds.upper[d],
                     values.findExtent(bounds.lower[d], bounds.upper[d])),
             one, one);
  }
  if (places.lower.empty())
    append(places, rewriter.getIndexAttr(0), one, one, one);
  LoopNest inner(nest.createLike(rewriter, places));
  unsigned next = 0;
  for (Value &index : indices)
    if (!index)
      index = inner.getIndices()[next++];
  nest.moveBody(rewriter, inner.op, indices);
  rewriter.eraseOp(op);
  return TwoNests{outer.op, inner.op};
}

//===----------------------------------------------------------------------===//
// Reverse, skew, shift
//===----------------------------------------------------------------------===//

FailureOr<Operation *> mlir::tc::reverseNest(RewriterBase &rewriter,
                                             Operation *op, int64_t dim,
                                             Refusal &refusal) {
  LoopNest nest(op);
  // The first indices of steps, from the last one.
  if (std::string why = nest.findObstacle(dim, /*mayStep=*/true); !why.empty())
    return refuse(refusal, why);
  auto getTimes = [&](ArrayRef<AffineExpr> indices) {
    SmallVector<AffineExpr> times(indices);
    times[dim] = -times[dim];
    return times;
  };
  if (failed(checkOrder(op, nest.getIndices(), "reversing", getTimes, refusal,
                        /*maySkew=*/false)))
    return failure();
  SpaceBounds bounds = nest.getBounds();
  int64_t step = *getConstantIntValue(bounds.step[dim]);
  return replaceNest(
      rewriter, nest, bounds, [&](IndexBuilder &math, ValueRange made) {
        SmallVector<Value> indices(made);
        AffineExpr lower = rewriter.getAffineDimExpr(0),
                   upper = rewriter.getAffineDimExpr(1),
                   index = rewriter.getAffineDimExpr(2);
        AffineExpr last = lower + (upper - 1 - lower).floorDiv(step) * step;
        indices[dim] = math.get(affine::makeComposedFoldedAffineApply(
            math, math.getLoc(), lower + last - index,
            {bounds.lower[dim], bounds.upper[dim], OpFoldResult(made[dim])}));
        return indices;
      });
}

/// Bounds of dimension `dim` that are `distance` further on.
static void moveBounds(OpBuilder &builder, Location loc, SpaceBounds &bounds,
                       unsigned dim, OpFoldResult distance, int64_t factor) {
  AffineExpr bound = builder.getAffineDimExpr(0),
             by = builder.getAffineDimExpr(1);
  for (OpFoldResult *side : {&bounds.lower[dim], &bounds.upper[dim]})
    *side = affine::makeComposedFoldedAffineApply(
        builder, loc, bound + factor * by, {*side, distance});
}

FailureOr<Operation *> mlir::tc::shiftNest(RewriterBase &rewriter,
                                           Operation *op, int64_t dim,
                                           int64_t distance, Refusal &refusal) {
  LoopNest nest(op);
  for (const std::string &why :
       {nest.findObstacle(dim), findSizeObstacle(distance, "distance")})
    if (!why.empty())
      return refuse(refusal, why);
  SpaceBounds bounds = nest.getBounds();
  rewriter.setInsertionPoint(op);
  moveBounds(rewriter, op->getLoc(), bounds, dim,
             rewriter.getIndexAttr(distance), 1);
  return replaceNest(
      rewriter, nest, bounds, [&](IndexBuilder &math, ValueRange made) {
        SmallVector<Value> indices(made);
        indices[dim] = math.get(math.apply(math.d0() - distance, indices[dim]));
        return indices;
      });
}

LogicalResult mlir::tc::normalizeNest(RewriterBase &rewriter, Operation *op,
                                      Refusal &refusal) {
  LoopNest nest(op);
  for (unsigned d = 0; d < nest.getRank(); ++d)
    if (std::string why = nest.findObstacle(d, /*mayStep=*/true); !why.empty())
      return refuse(refusal, why);
  SpaceBounds bounds = nest.getBounds(), counted = bounds;
  Location loc = op->getLoc();
  AffineExpr a = rewriter.getAffineDimExpr(0), b = rewriter.getAffineDimExpr(1);
  for (auto [d, index] : llvm::enumerate(nest.getIndices())) {
    int64_t step = *getConstantIntValue(bounds.step[d]);
    rewriter.setInsertionPoint(op);
    counted.lower[d] = rewriter.getIndexAttr(0);
    counted.upper[d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, (b - a).ceilDiv(step),
        {bounds.lower[d], bounds.upper[d]});
    counted.step[d] = counted.width[d] = rewriter.getIndexAttr(1);
    rewriter.setInsertionPointToStart(&nest.getBody());
    auto place = affine::makeComposedAffineApply(
        rewriter, loc, a + b * step, {bounds.lower[d], OpFoldResult(index)});
    rewriter.replaceAllUsesExcept(index, place, place);
  }
  nest.setBounds(rewriter, counted);
  return success();
}

static SpaceBounds slice(const SpaceBounds &bounds, unsigned first,
                         unsigned end) {
  auto take = [&](ArrayRef<OpFoldResult> all) {
    return SmallVector<OpFoldResult>(all.slice(first, end - first));
  };
  return {take(bounds.lower), take(bounds.upper), take(bounds.step),
          take(bounds.width)};
}

FailureOr<TwoNests> mlir::tc::skewNest(RewriterBase &rewriter, Operation *op,
                                       int64_t dim, int64_t by, int64_t factor,
                                       Refusal &refusal) {
  LoopNest nest(op);
  for (int64_t d : {dim, by})
    if (std::string why = nest.findObstacle(d); !why.empty())
      return refuse(refusal, why);
  if (std::string why = findSizeObstacle(factor, "factor"); !why.empty())
    return refuse(refusal, why);
  if (by >= dim)
    return refuse(refusal, "expected a skew by a dimension before " +
                               Twine(dim) + ", found " + Twine(by));
  SpaceBounds bounds = nest.getBounds();
  rewriter.setInsertionPoint(op);
  LoopNest outer(nest.createLike(rewriter, slice(bounds, 0, dim)));
  rewriter.setInsertionPointToStart(&outer.getBody());
  SmallVector<Value> indices(outer.getIndices());
  moveBounds(rewriter, op->getLoc(), bounds, dim, indices[by], factor);
  LoopNest inner(nest.createLike(rewriter, slice(bounds, dim, nest.getRank())));
  rewriter.setInsertionPointToStart(&inner.getBody());
  llvm::append_range(indices, inner.getIndices());
  AffineExpr index = rewriter.getAffineDimExpr(0),
             other = rewriter.getAffineDimExpr(1);
  IndexBuilder math(op->getLoc(), rewriter);
  indices[dim] = math.get(affine::makeComposedFoldedAffineApply(
      rewriter, op->getLoc(), index - factor * other,
      {OpFoldResult(indices[dim]), OpFoldResult(indices[by])}));
  nest.moveBody(rewriter, inner.op, indices);
  rewriter.eraseOp(op);
  return TwoNests{outer.op, inner.op};
}

//===----------------------------------------------------------------------===//
// Parallelize and serialize
//===----------------------------------------------------------------------===//

/// Which iterations of a tc.seq may run in parallel, if not all: those along
/// one dimension, or those of a diagonal. In words.
static std::string findParallel(LoopNest nest) {
  unsigned rank = nest.getRank();
  auto mayRun = [&](unsigned dim, unsigned by, int64_t factor) {
    NestValues values(nest.op->getContext());
    SmallVector<AffineExpr> times;
    for (auto [d, index] : llvm::enumerate(nest.getIndices()))
      if (d != dim)
        times.push_back(values.getDim(index));
    // Along a diagonal of two dimensions their sum is the same.
    if (factor > 0)
      times[by] = times[by] * factor + values.getDim(nest.getIndices()[dim]);
    return !findReordered(nest.op, nest.getIndices(), times, values);
  };
  for (unsigned d = 0; d < rank && rank > 1; ++d)
    if (mayRun(d, 0, 0))
      return ("legal for dimension " + Twine(d) + " alone, as the innermost")
          .str();
  for (unsigned dim = 1; dim < rank; ++dim)
    for (unsigned by = 0; by < dim; ++by)
      for (int64_t factor = 1; factor <= kMaxSkew; ++factor)
        if (mayRun(dim, by, factor))
          return ("legal for dimension " + Twine(by) + " after a skew of " +
                  "dimension " + Twine(dim) + " by " + Twine(factor) +
                  " times dimension " + Twine(by) +
                  ", and an interchange of both")
              .str();
  return "";
}

FailureOr<Operation *> mlir::tc::parallelizeNest(RewriterBase &rewriter,
                                                 SeqOp op, Refusal &refusal) {
  LoopNest nest(op);
  if (std::string why = nest.findObstacle(); !why.empty())
    return refuse(refusal, why);
  auto concurrent = [](ArrayRef<AffineExpr>) {
    return SmallVector<AffineExpr>();
  };
  if (failed(checkOrder(op, nest.getIndices(), "running in parallel",
                        concurrent, refusal,
                        /*maySkew=*/false))) {
    if (refusal.clash)
      refusal.remedy = findParallel(nest);
    return failure();
  }
  rewriter.setInsertionPoint(op);
  auto par = ParOp::create(rewriter, op.getLoc(), op.getBounds(),
                           [](OpBuilder &, Location, ValueRange) {});
  nest.moveBody(rewriter, par, llvm::to_vector_of<Value>(par.getIndices()));
  rewriter.eraseOp(op);
  return par.getOperation();
}

FailureOr<Operation *> mlir::tc::serializeNest(RewriterBase &rewriter, ParOp op,
                                               Refusal &refusal) {
  LoopNest nest(op);
  if (std::string why = nest.findObstacle(); !why.empty())
    return refuse(refusal, why);
  rewriter.setInsertionPoint(op);
  auto seq = SeqOp::create(rewriter, op.getLoc(), op.getBounds(), ValueRange(),
                           [](OpBuilder &, Location, ValueRange, ValueRange) {
                             return SmallVector<Value>();
                           });
  nest.moveBody(rewriter, seq, llvm::to_vector_of<Value>(seq.getIndices()));
  rewriter.eraseOp(op);
  return seq.getOperation();
}
