//===- ThreadParts.cpp - The part of a buffer that a thread has -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/ThreadParts.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

/// The shape of what each thread has.
static ArrayRef<int64_t> getOwnShape(NewOp buffer) {
  return cast<MemRefType>(buffer.getType())
      .getShape()
      .drop_front(buffer.getThreads());
}

/// The part of the thread that runs `user`, before it.
static Value buildPart(RewriterBase &rewriter, NewOp buffer, Operation *user) {
  rewriter.setInsertionPoint(user);
  SmallVector<OpFoldResult> offsets, sizes,
      ones(cast<MemRefType>(buffer.getType()).getRank(),
           rewriter.getIndexAttr(1));
  llvm::append_range(offsets, getThreadIndices(user));
  sizes.assign(offsets.size(), rewriter.getIndexAttr(1));
  for (int64_t size : getOwnShape(buffer)) {
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(rewriter.getIndexAttr(size));
  }
  auto type = memref::SubViewOp::inferRankReducedResultType(
      getOwnShape(buffer), cast<MemRefType>(buffer.getType()), offsets, sizes,
      ones);
  return memref::SubViewOp::create(rewriter, buffer.getLoc(), type,
                                   buffer.getResult(), offsets, sizes, ones);
}

/// Are the first of `subscripts` the indices of the thread of `user`?
static bool isOwnElement(NewOp buffer, Operation *user, ValueRange subscripts) {
  return llvm::equal(subscripts.take_front(buffer.getThreads()),
                     getThreadIndices(user));
}

/// How far from the thread's part a static view begins, if it is a constant and
/// all of the view is in the part.
static std::optional<int64_t> findOwnOffset(NewOp buffer, ViewOp view) {
  auto type = cast<MemRefType>(view.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (!type.hasStaticShape() || !ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  SmallVector<Value> indices = getThreadIndices(view);
  if (indices.size() != buffer.getThreads())
    return std::nullopt;
  NestValues values(buffer.getContext());
  SmallVector<AffineExpr> subscripts =
      llvm::map_to_vector(indices, [&](Value i) { return values.trace(i); });
  ArrayRef<int64_t> own = getOwnShape(buffer);
  subscripts.append(own.size(), getAffineConstantExpr(0, view.getContext()));
  AffineExpr begin =
      getDistance(cast<MemRefType>(buffer.getType()), subscripts);
  if (!begin)
    return std::nullopt;
  auto first = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(values.trace(view.getMixedOffset()) - begin,
                         values.getNumDims(), /*numSymbols=*/0));
  if (!first)
    return std::nullopt;
  int64_t low = first.getValue(), high = low;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    (stride < 0 ? low : high) += (size - 1) * stride;
  bool isInside = low >= 0 && high < ShapedType::getNumElements(own);
  return isInside ? std::optional(first.getValue()) : std::nullopt;
}

void mlir::tc::takeThreadParts(RewriterBase &rewriter, NewOp buffer) {
  if (!cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
    return;
  unsigned threads = buffer.getThreads();
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
    TypeSwitch<Operation *>(user)
        .Case([&](memref::LoadOp load) {
          if (!isOwnElement(buffer, load, load.getIndices()))
            return;
          Value part = buildPart(rewriter, buffer, load);
          rewriter.replaceOpWithNewOp<memref::LoadOp>(
              load, part, load.getIndices().drop_front(threads));
        })
        .Case([&](memref::StoreOp store) {
          if (!isOwnElement(buffer, store, store.getIndices()) ||
              store.getValueToStore() == buffer.getResult())
            return;
          Value part = buildPart(rewriter, buffer, store);
          rewriter.replaceOpWithNewOp<memref::StoreOp>(
              store, store.getValueToStore(), part,
              store.getIndices().drop_front(threads));
        })
        .Case([&](ViewOp view) {
          std::optional<int64_t> offset = findOwnOffset(buffer, view);
          if (!offset)
            return;
          Value part = buildPart(rewriter, buffer, view);
          // A value, so that the type stays one of dynamic offset.
          Value begin =
              arith::ConstantIndexOp::create(rewriter, view.getLoc(), *offset);
          rewriter.replaceOpWithNewOp<ViewOp>(view, part, OpFoldResult(begin),
                                              view.getMixedSizes(),
                                              view.getMixedStrides());
        });
}
