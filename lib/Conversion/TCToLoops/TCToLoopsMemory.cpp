//===- TCToLoopsMemory.cpp - tc.view, tc.new and tc.stage on memref -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/TCToLoops.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// tc.view
//===----------------------------------------------------------------------===//

/// A view of a tile beyond the last one is empty. A memref cannot have a
/// negative extent, and constants are folded into its type.
static OpFoldResult makeExtent(OpBuilder &builder, Location loc,
                               OpFoldResult size) {
  if (isa<Attribute>(size))
    return size;
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  return builder.createOrFold<arith::MaxSIOp>(loc, cast<Value>(size), none);
}

void mlir::tc::lowerView(IRRewriter &rewriter, ViewOp op) {
  Location loc = op.getLoc();
  // A view of views is one access of the buffer below them all.
  Value root = op;
  SmallVector<OpFoldResult> offsets;
  while (auto view = root.getDefiningOp<ViewOp>()) {
    offsets.push_back(view.getMixedOffset());
    root = view.getSource();
  }
  int64_t begin = cast<MemRefType>(root.getType()).getStridesAndOffset().second;
  AffineExpr sum = rewriter.getAffineConstantExpr(begin);
  if (ShapedType::isDynamic(begin)) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, root);
    root = metadata.getBaseBuffer();
    offsets.insert(offsets.begin(), metadata.getOffset());
    sum = rewriter.getAffineConstantExpr(0);
  }
  for (size_t i = 0; i < offsets.size(); ++i)
    sum = sum + rewriter.getAffineDimExpr(i);
  SmallVector<OpFoldResult> extents =
      llvm::map_to_vector(op.getMixedSizes(), [&](OpFoldResult size) {
        return makeExtent(rewriter, loc, size);
      });
  // The source may be of another type by now: one of several buffers in a row.
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getLmad().getViewType(cast<MemRefType>(op.getSource().getType())),
      root, affine::makeComposedFoldedAffineApply(rewriter, loc, sum, offsets),
      extents, op.getMixedStrides());
}

//===----------------------------------------------------------------------===//
// tc.new and tc.stage
//===----------------------------------------------------------------------===//

/// Does `value`, through views of any kind, reach the end of its block? Then
/// the buffer outlives the block and is not freed there.
static bool reachesEnd(Value value, Operation *terminator) {
  for (Operation *user : value.getUsers()) {
    if (user == terminator)
      return true;
    if (isa<ViewLikeOpInterface>(user) &&
        llvm::any_of(user->getResults(), [&](Value result) {
          return reachesEnd(result, terminator);
        }))
      return true;
  }
  return false;
}

/// A new buffer for `op`'s result, freed at the end of the block. The layout
/// is made from a flat allocation, since only flat ones lower to LLVM.
static FailureOr<Value> allocate(IRRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || offset < 0 ||
      llvm::any_of(
          strides, [](int64_t s) { return ShapedType::isDynamic(s) || s < 0; }))
    return op->emitOpError("expected a result with a static offset and static "
                           "strides of at least 0, got ")
           << type;
  Value buffer;
  Value result;
  if (type.getLayout().isIdentity()) {
    buffer = result = memref::AllocOp::create(rewriter, loc, type);
  } else {
    std::optional<int64_t> span = countSpan(type);
    int64_t elements;
    if (!span || llvm::AddOverflow(offset, *span, elements))
      return op->emitOpError("expected a result that spans at most 2^63 - 1 "
                             "elements, got ")
             << type;
    buffer = memref::AllocOp::create(
        rewriter, loc, MemRefType::get(elements, type.getElementType()));
    result = memref::ReinterpretCastOp::create(
        rewriter, loc, type, buffer, offset, type.getShape(), strides);
  }
  Operation *terminator = op->getBlock()->getTerminator();
  if (op->getParentRegion()->hasOneBlock() &&
      !reachesEnd(op->getResult(0), terminator)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(terminator);
    memref::DeallocOp::create(rewriter, loc, buffer);
  }
  return result;
}

/// Loops from 0 to `upper` around `body`, which gets the indices.
static void buildLoops(IRRewriter &rewriter, Location loc,
                       ArrayRef<Value> upper,
                       function_ref<void(ValueRange)> body) {
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> lower(upper.size(), zero), step(upper.size(), one);
  scf::buildLoopNest(
      rewriter, loc, lower, upper, step,
      [&](OpBuilder &, Location, ValueRange indices) { body(indices); });
}

static void fill(IRRewriter &rewriter, Location loc, Value buffer,
                 TypedAttr element) {
  Value value = buildNumber(rewriter, loc, element);
  SmallVector<Value> upper;
  for (int64_t size : cast<MemRefType>(buffer.getType()).getShape())
    upper.push_back(arith::ConstantIndexOp::create(rewriter, loc, size));
  buildLoops(rewriter, loc, upper, [&](ValueRange indices) {
    memref::StoreOp::create(rewriter, loc, value, buffer, indices);
  });
}

LogicalResult mlir::tc::lowerNew(IRRewriter &rewriter, NewOp op) {
  FailureOr<Value> buffer = allocate(rewriter, op);
  if (failed(buffer))
    return failure();
  if (op.getInitAttr())
    fill(rewriter, op.getLoc(), *buffer, op.getInitAttr());
  rewriter.replaceOp(op, *buffer);
  return success();
}

/// How much of each dimension of the result the source reaches.
static SmallVector<Value> getCopied(IRRewriter &rewriter, StageOp op) {
  Location loc = op.getLoc();
  auto source = cast<MemRefType>(op.getSource().getType());
  SmallVector<Value> sizes;
  for (auto [i, most] :
       llvm::enumerate(cast<MemRefType>(op.getType()).getShape())) {
    if (!source.isDynamicDim(i)) {
      sizes.push_back(
          arith::ConstantIndexOp::create(rewriter, loc, source.getDimSize(i)));
      continue;
    }
    Value size = memref::DimOp::create(rewriter, loc, op.getSource(), i);
    Value limit = arith::ConstantIndexOp::create(rewriter, loc, most);
    sizes.push_back(arith::MinSIOp::create(rewriter, loc, size, limit));
  }
  return sizes;
}

LogicalResult mlir::tc::lowerStage(IRRewriter &rewriter, StageOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> buffer = allocate(rewriter, op);
  if (failed(buffer))
    return failure();
  auto source = cast<MemRefType>(op.getSource().getType());
  if (source.getShape() != cast<MemRefType>(op.getType()).getShape())
    fill(rewriter, loc, *buffer, op.getPad());
  buildLoops(rewriter, loc, getCopied(rewriter, op), [&](ValueRange indices) {
    Value element =
        memref::LoadOp::create(rewriter, loc, op.getSource(), indices);
    memref::StoreOp::create(rewriter, loc, element, *buffer, indices);
  });
  rewriter.replaceOp(op, *buffer);
  return success();
}
