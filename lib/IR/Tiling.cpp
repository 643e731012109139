//===- Tiling.cpp - tc.contract and tc.par, tiled by upstream -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interfaces.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// The part of an operand that a tile reaches: a slice with unit strides, and
/// the operand's subscripts relative to it.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;
  AffineMap map;
};

/// The box of iterations that a tile is.
struct Tile {
  ArrayRef<OpFoldResult> offsets, sizes;
};
} // namespace

/// Evaluates `expr` of the offsets (dimensions 0 to n-1) and sizes (n to 2n-1).
static OpFoldResult evaluate(OpBuilder &b, Location loc, AffineExpr expr,
                             const Tile &tile) {
  SmallVector<OpFoldResult> operands(tile.offsets);
  llvm::append_range(operands, tile.sizes);
  return affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(operands.size(), 0, expr), operands);
}

/// Adds one dimension to `slice`; returns the subscript relative to it. Fails
/// where the subscript would need a constant known at run time only.
static FailureOr<AffineExpr> addDimension(OpBuilder &b, Location loc,
                                          AffineExpr subscript,
                                          const Tile &tile, Slice &slice) {
  MLIRContext *context = b.getContext();
  unsigned n = tile.offsets.size();
  AffineExpr first = subscript; // smallest index the tile reaches
  AffineExpr span = getAffineConstantExpr(1, context);
  AffineExpr local = getAffineConstantExpr(0, context);
  std::optional<LinearForm> form = linearForm(subscript, n);
  for (auto [i, factor] :
       llvm::enumerate(form ? form->factors : SmallVector<int64_t>())) {
    if (factor == 0)
      continue;
    AffineExpr last = getAffineDimExpr(n + i, context) - 1;
    span = span + last * std::abs(factor);
    local = local + getAffineDimExpr(i, context) * factor;
    if (factor > 0)
      continue;
    std::optional<int64_t> size = getConstantIntValue(tile.sizes[i]);
    if (!size)
      return failure();
    first = first + last * factor;
    local = local - (*size - 1) * factor;
  }
  slice.offsets.push_back(evaluate(b, loc, first, tile));
  slice.sizes.push_back(evaluate(b, loc, span, tile));
  return local;
}

static FailureOr<Slice> getSlice(OpBuilder &b, ContractOp op, AffineMap map,
                                 const Tile &tile) {
  Slice slice;
  SmallVector<AffineExpr> subscripts;
  for (AffineExpr subscript : map.getResults()) {
    FailureOr<AffineExpr> local =
        addDimension(b, op.getLoc(), subscript, tile, slice);
    if (failed(local))
      return op.emitOpError("expected tiles of static size where a subscript "
                            "runs backwards, got ")
             << AffineMapAttr::get(map);
    subscripts.push_back(*local);
  }
  slice.map = AffineMap::get(map.getNumDims(), 0, subscripts, b.getContext());
  return slice;
}

static Operation *buildSlice(OpBuilder &b, Location loc, Value operand,
                             const Slice &slice) {
  SmallVector<OpFoldResult> ones(slice.sizes.size(), b.getIndexAttr(1));
  if (isa<TensorType>(operand.getType()))
    return tensor::ExtractSliceOp::create(b, loc, operand, slice.offsets,
                                          slice.sizes, ones);
  return memref::SubViewOp::create(b, loc, operand, slice.offsets, slice.sizes,
                                   ones);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// Would some tile forget what the ones before it have summed up?
static bool forgetsSums(ContractOp op, const Tile &tile) {
  if (!op.getOverwrite())
    return false;
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents()))
    if (op.isContracted(i) &&
        !(isZeroInteger(tile.offsets[i]) &&
          isEqualConstantIntOrValue(tile.sizes[i], extent)))
      return true;
  return false;
}

namespace {
struct ContractTiling
    : TilingInterface::ExternalModel<ContractTiling, ContractOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    auto contract = cast<ContractOp>(op);
    SmallVector<utils::IteratorType> types;
    for (unsigned i = 0, e = contract.getNumIterators(); i < e; ++i)
      types.push_back(contract.isContracted(i) ? utils::IteratorType::reduction
                                               : utils::IteratorType::parallel);
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SmallVector<Range> domain;
    for (OpFoldResult extent : cast<ContractOp>(op).getMixedExtents())
      domain.push_back({b.getIndexAttr(0), extent, b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto contract = cast<ContractOp>(op);
    Tile tile{offsets, sizes};
    if (forgetsSums(contract, tile))
      return contract.emitOpError("expected no tiles of a contracted iterator "
                                  "when the result is overwritten");
    TilingResult result;
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (auto [operand, map] :
         llvm::zip_equal(contract.getShapedOperands(), contract.getMaps())) {
      FailureOr<Slice> slice = getSlice(b, contract, map, tile);
      if (failed(slice))
        return failure();
      Operation *view = buildSlice(b, op->getLoc(), operand, *slice);
      result.generatedSlices.push_back(view);
      operands.push_back(view->getResult(0));
      maps.push_back(slice->map);
    }
    ContractOp tiled = contract.cloneWith(b, sizes, operands, maps);
    result.tiledOps.push_back(tiled);
    llvm::append_range(result.tiledValues, tiled->getResults());
    return result;
  }

  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &b, unsigned number,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    auto contract = cast<ContractOp>(op);
    FailureOr<Slice> slice =
        getSlice(b, contract, contract.getOutputMap(number), {offsets, sizes});
    if (failed(slice))
      return failure();
    resultOffsets = slice->offsets;
    resultSizes = slice->sizes;
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &b, unsigned number,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    auto contract = cast<ContractOp>(op);
    AffineMap map = contract.getOutputMap(number);
    if (!map.isProjectedPermutation())
      return failure();
    domainOffsets.assign(contract.getNumIterators(), b.getIndexAttr(0));
    llvm::append_range(domainSizes, contract.getMixedExtents());
    for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
      unsigned i = cast<AffineDimExpr>(subscript).getPosition();
      domainOffsets[i] = offsets[d];
      domainSizes[i] = sizes[d];
    }
    return success();
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(
            op, b, number, offsets, sizes, domainOffsets, domainSizes)))
      return failure();
    return getTiledImplementation(op, b, domainOffsets, domainSizes);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tc.par
//===----------------------------------------------------------------------===//

namespace {
/// Upstream's loops count from 0, so the tiles do, too.
struct ParTiling : TilingInterface::ExternalModel<ParTiling, ParOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return SmallVector<utils::IteratorType>(cast<ParOp>(op).getRank(),
                                            utils::IteratorType::parallel);
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SpaceBounds bounds = cast<ParOp>(op).getBounds();
    AffineExpr lower = b.getAffineDimExpr(0), upper = b.getAffineDimExpr(1);
    SmallVector<Range> domain;
    for (auto [low, high] : llvm::zip_equal(bounds.lower, bounds.upper))
      domain.push_back({b.getIndexAttr(0),
                        affine::makeComposedFoldedAffineApply(
                            b, op->getLoc(), upper - lower, {low, high}),
                        b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto par = cast<ParOp>(op);
    SpaceBounds bounds = par.getBounds();
    if (par.getLevel() || par.getFull() || par.getMappingAttr())
      return par.emitOpError("expected no level, before it is dealt out");
    for (auto [step, width] : llvm::zip_equal(bounds.step, bounds.width))
      if (!isEqualConstantIntOrValue(step, width))
        return par.emitOpError("expected steps of 1");
    AffineExpr low = b.getAffineDimExpr(0), more = b.getAffineDimExpr(1);
    for (auto [lower, upper, offset, size] :
         llvm::zip_equal(bounds.lower, bounds.upper, offsets, sizes)) {
      auto add = [&](OpFoldResult to, OpFoldResult what) {
        return affine::makeComposedFoldedAffineApply(b, op->getLoc(),
                                                     low + more, {to, what});
      };
      lower = add(lower, offset);
      upper = add(lower, size);
    }
    auto tile = ParOp::create(
        b, op->getLoc(), bounds,
        [&](OpBuilder &inner, Location, ValueRange indices) {
          IRMapping mapping;
          mapping.map(par.getIndices(), indices);
          for (Operation &nested : par.getBody()->without_terminator())
            inner.clone(nested, mapping);
        });
    return TilingResult{{tile}, {}, {}};
  }
};
} // namespace

void mlir::tc::attachTiling(MLIRContext &context) {
  ContractOp::attachInterface<ContractTiling>(context);
  ParOp::attachInterface<ParTiling>(context);
}
