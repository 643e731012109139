//===- TCToGPUViews.cpp - Views in a kernel -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Are the first subscripts of `part` the number of the thread itself in the
/// tc.par block round it?
static bool isOwnPart(memref::SubViewOp part, unsigned threads) {
  auto par = part->getParentOfType<ParOp>();
  while (par && par.getLevel() == Level::Thread)
    par = par->getParentOfType<ParOp>();
  if (!par || par.getLevel() != Level::Block || par.getRank() != threads)
    return false;
  for (auto [d, index] : llvm::enumerate(par.getIndices())) {
    OpFoldResult offset = part.getMixedOffsets()[d];
    bool isOnly = part.getSourceType().getDimSize(d) == 1 &&
                  isConstantIntValue(offset, 0);
    if (part.getStaticSize(d) != 1 ||
        (offset != OpFoldResult(Value(index)) && !isOnly))
      return false;
  }
  return true;
}

bool KernelBuilder::isOfThreads(Operation *op) {
  auto part = dyn_cast<memref::SubViewOp>(op);
  auto buffer = part ? part.getSource().getDefiningOp<NewOp>() : NewOp();
  return buffer && isPrivate(buffer) && buffer.getThreads() > 0;
}

LogicalResult KernelBuilder::emitPart(memref::SubViewOp op) {
  unsigned threads = op.getSource().getDefiningOp<NewOp>().getThreads();
  if (!isOwnPart(op, threads))
    return op.emitOpError("expected each thread to view its own part of the "
                          "buffer");
  auto drop = [&](ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(values.drop_front(threads),
                               [&](OpFoldResult value) -> OpFoldResult {
                                 if (auto dynamic = dyn_cast<Value>(value))
                                   return mapping.lookupOrDefault(dynamic);
                                 return value;
                               });
  };
  Value buffer = mapping.lookupOrDefault(op.getSource());
  SmallVector<OpFoldResult> offsets = drop(op.getMixedOffsets()),
                            sizes = drop(op.getMixedSizes()),
                            steps = drop(op.getMixedStrides());
  auto type = memref::SubViewOp::inferRankReducedResultType(
      op.getType().getShape(), cast<MemRefType>(buffer.getType()), offsets,
      sizes, steps);
  mapping.map(op.getResult(),
              memref::SubViewOp::create(builder, op.getLoc(), type, buffer,
                                        offsets, sizes, steps)
                  .getResult());
  return success();
}

LogicalResult KernelBuilder::emitView(ViewOp op) {
  Location loc = op.getLoc();
  // A view of views is one access of the buffer below them all.
  Value root = op.getSource();
  SmallVector<OpFoldResult> offsets = {op.getMixedOffset()};
  while (auto inner = root.getDefiningOp<ViewOp>()) {
    offsets.push_back(inner.getMixedOffset());
    root = inner.getSource();
  }
  Value base = mapping.lookupOrDefault(root);
  auto rootType = cast<MemRefType>(base.getType());
  AffineExpr sum = builder.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> terms;
  int64_t rootOffset = rootType.getStridesAndOffset().second;
  if (ShapedType::isDynamic(rootOffset)) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, base);
    base = metadata.getBaseBuffer();
    sum = builder.getAffineDimExpr(0);
    terms.push_back(metadata.getOffset());
  } else {
    sum = builder.getAffineConstantExpr(rootOffset);
  }
  auto inKernel = [&](OpFoldResult value) -> OpFoldResult {
    if (auto dynamic = dyn_cast<Value>(value))
      return mapping.lookupOrDefault(dynamic);
    return value;
  };
  for (OpFoldResult offset : offsets) {
    sum = sum + builder.getAffineDimExpr(terms.size());
    terms.push_back(inKernel(offset));
  }
  OpFoldResult offset = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(terms.size(), 0, sum), terms);
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(op.getMixedSizes(), inKernel);
  SmallVector<OpFoldResult> strides =
      llvm::map_to_vector(op.getMixedStrides(), inKernel);
  int64_t staticOffset =
      getConstantIntValue(offset).value_or(ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(builder.getContext(), staticOffset,
                                       op.getLmad().getStrides());
  auto type =
      MemRefType::get(op.getLmad().getSizes(), rootType.getElementType(),
                      layout, rootType.getMemorySpace());
  mapping.map(op.getResult(),
              memref::ReinterpretCastOp::create(builder, loc, type, base,
                                                offset, sizes, strides)
                  .getResult());
  return success();
}
