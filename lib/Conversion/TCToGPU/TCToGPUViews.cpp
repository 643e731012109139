//===- TCToGPUViews.cpp - Views in a kernel -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Is `offset` the place of the thread itself in a buffer whose first
/// dimensions, `strides` apart, number the threads of a tc.par block?
static bool isOwnPart(OpFoldResult offset, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides) {
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    return getConstantIntValue(offset) == 0;
  auto value = dyn_cast<Value>(offset);
  if (!value)
    return false;
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  AffineMap map =
      apply ? apply.getAffineMap()
            : AffineMap::getMultiDimIdentityMap(1, value.getContext());
  SmallVector<Value> operands = apply
                                    ? SmallVector<Value>(apply.getMapOperands())
                                    : SmallVector<Value>{value};
  auto form = map.getNumSymbols() == 0
                  ? linearForm(map.getResult(0), map.getNumDims())
                  : std::nullopt;
  if (!form || staticValue(form->constant) != 0)
    return false;
  // Each thread index times the stride of its dimension, and nothing else.
  unsigned matched = 0;
  for (auto [operand, factor] : llvm::zip_equal(operands, form->factors)) {
    auto index = dyn_cast<BlockArgument>(operand);
    auto par =
        index ? dyn_cast<ParOp>(index.getOwner()->getParentOp()) : ParOp();
    unsigned d = index ? index.getArgNumber() : 0;
    if (!par || par.getLevel() != Level::Block || d >= strides.size() ||
        factor != strides[d])
      return false;
    ++matched;
  }
  return matched == llvm::count_if(sizes, [](int64_t s) { return s > 1; });
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
  if (auto buffer = root.getDefiningOp<NewOp>();
      buffer && buffer.getThreads() > 0) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides = type.getStridesAndOffset().first;
    size_t threads = buffer.getThreads();
    if (offsets.size() != 1 ||
        !isOwnPart(offsets.front(), type.getShape().take_front(threads),
                   ArrayRef(strides).take_front(threads)))
      return op.emitOpError("expected each thread to view its own part of the "
                            "buffer");
    offsets = {builder.getIndexAttr(0)};
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
