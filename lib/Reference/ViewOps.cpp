//===- ViewOps.cpp - Buffers and views of them ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewOps.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mlir::tc::reference {

bool isViewOp(Operation *op) {
  return isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
             memref::CopyOp, memref::CastOp, memref::DimOp, memref::SubViewOp,
             memref::ReinterpretCastOp, memref::TransposeOp, ViewOp,
             tensor::EmptyOp, tensor::CastOp, tensor::DimOp,
             tensor::ExtractSliceOp, memref::CollapseShapeOp,
             memref::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp>(op);
}

/// The most elements of a buffer that a program allocates.
static constexpr int64_t maxElements = int64_t(1) << 30;

namespace {
/// One evaluation; looks operands up and turns index values into integers.
class ViewOps {
public:
  explicit ViewOps(State &state) : state(state) {}

  Error allocate(Operation *op, ShapedType type, ValueRange dynamicSizes) {
    SmallVector<OpFoldResult> mixed;
    size_t next = 0;
    Builder builder(op->getContext());
    for (int64_t extent : type.getShape())
      if (ShapedType::isDynamic(extent))
        mixed.push_back(dynamicSizes[next++]);
      else
        mixed.push_back(builder.getIndexAttr(extent));
    Expected<SmallVector<int64_t>> sizes = integers(mixed);
    if (!sizes)
      return sizes.takeError();
    int64_t count = 1;
    for (int64_t size : *sizes)
      if (size < 0 || MulOverflow(count, size, count) || count > maxElements)
        return createStringError("expected a buffer of fewer than 2^30 "
                                 "elements");
    state.set(op->getResult(0), View::allocate(*sizes));
    return Error::success();
  }

  Error copy(Value source, Value target) {
    Expected<View> from = view(source), to = view(target);
    if (!from || !to)
      return joinErrors(from.takeError(), to.takeError());
    if (from->sizes != to->sizes)
      return createStringError("expected both sides to have the same shape");
    View values = from->clone();
    auto next = values.storage->begin();
    to->forEach([&](int64_t at) { (*to->storage)[at] = *next++; });
    return Error::success();
  }

  Error rename(Value source, Value result) {
    Expected<View> known = view(source);
    if (!known)
      return known.takeError();
    state.set(result, std::move(*known));
    return Error::success();
  }

  Error dim(Value source, OpFoldResult number, Value result) {
    Expected<View> known = view(source);
    Expected<int64_t> dim = integer(number);
    if (!known || !dim)
      return joinErrors(known.takeError(), dim.takeError());
    if (*dim < 0 || *dim >= int64_t(known->sizes.size()))
      return createStringError("expected a dimension of the operand");
    View scalar = View::allocate({});
    scalar.storage->front() = Scalar::ofInteger(known->sizes[*dim]);
    state.set(result, std::move(scalar));
    return Error::success();
  }

  /// subview and extract_slice; dropped unit dimensions are `dropped`.
  Error slice(OffsetSizeAndStrideOpInterface op, Value source,
              const SmallBitVector &dropped, bool copies) {
    Expected<View> base = view(source);
    auto offsets = integers(op.getMixedOffsets());
    auto sizes = integers(op.getMixedSizes());
    auto strides = integers(op.getMixedStrides());
    if (!base || !offsets || !sizes || !strides)
      return joinErrors(joinErrors(base.takeError(), offsets.takeError()),
                        joinErrors(sizes.takeError(), strides.takeError()));
    View result;
    result.storage = base->storage;
    result.offset = base->offset;
    for (size_t dim = 0; dim != base->sizes.size(); ++dim) {
      int64_t last = (*offsets)[dim] + ((*sizes)[dim] - 1) * (*strides)[dim];
      if ((*sizes)[dim] > 0 &&
          (std::min((*offsets)[dim], last) < 0 ||
           std::max((*offsets)[dim], last) >= base->sizes[dim]))
        return createStringError("slice leaves dimension %zu", dim);
      result.offset += (*offsets)[dim] * base->strides[dim];
      if (dropped.test(dim))
        continue;
      result.sizes.push_back((*sizes)[dim]);
      result.strides.push_back((*strides)[dim] * base->strides[dim]);
    }
    state.set(op->getResult(0), copies ? result.clone() : result);
    return Error::success();
  }

  /// A new layout of a storage, which must hold every element of it.
  Error reinterpret(Value source, OpFoldResult offset,
                    ArrayRef<OpFoldResult> mixedSizes,
                    ArrayRef<OpFoldResult> mixedStrides, bool isRelative,
                    Value result) {
    Expected<View> base = view(source);
    auto start = integer(offset);
    auto sizes = integers(mixedSizes);
    auto strides = integers(mixedStrides);
    if (!base || !start || !sizes || !strides)
      return joinErrors(joinErrors(base.takeError(), start.takeError()),
                        joinErrors(sizes.takeError(), strides.takeError()));
    int64_t first = *start + (isRelative ? base->offset : 0);
    View layout{base->storage, first, *sizes, *strides};
    int64_t low = first, high = first;
    for (auto [size, stride] : llvm::zip(layout.sizes, layout.strides)) {
      low += std::min<int64_t>(stride * (size - 1), 0);
      high += std::max<int64_t>(stride * (size - 1), 0);
    }
    if (layout.count() != 0 &&
        (low < 0 || high >= int64_t(base->storage->size())))
      return createStringError("the new layout leaves the buffer");
    state.set(result, std::move(layout));
    return Error::success();
  }

  /// The dimensions in another order.
  Error transpose(Value source, AffineMap permutation, Value result) {
    Expected<View> base = view(source);
    if (!base)
      return base.takeError();
    View permuted = *base;
    for (auto [dim, expr] : llvm::enumerate(permutation.getResults())) {
      unsigned from = cast<AffineDimExpr>(expr).getPosition();
      permuted.sizes[dim] = base->sizes[from];
      permuted.strides[dim] = base->strides[from];
    }
    state.set(result, std::move(permuted));
    return Error::success();
  }

  /// Each group of dimensions becomes one; it must be walked by one stride.
  Error collapse(Value source, ArrayRef<ReassociationIndices> groups,
                 Value result) {
    Expected<View> base = view(source);
    if (!base)
      return base.takeError();
    View merged{base->storage, base->offset, {}, {}};
    for (const ReassociationIndices &group : groups) {
      int64_t size = 1, stride = 1;
      for (int64_t dim : llvm::reverse(group)) {
        if (base->sizes[dim] == 1)
          continue;
        if (size == 1)
          stride = base->strides[dim];
        else if (base->strides[dim] != stride * size)
          return createStringError("expected dimensions of one stride");
        size *= base->sizes[dim];
      }
      merged.sizes.push_back(size);
      merged.strides.push_back(stride);
    }
    state.set(result, std::move(merged));
    return Error::success();
  }

  /// Each dimension becomes a group of the given sizes.
  Error expand(Value source, ArrayRef<ReassociationIndices> groups,
               ArrayRef<OpFoldResult> mixedSizes, Value result) {
    Expected<View> base = view(source);
    auto sizes = integers(mixedSizes);
    if (!base || !sizes)
      return joinErrors(base.takeError(), sizes.takeError());
    View split{base->storage, base->offset, *sizes,
               SmallVector<int64_t>(sizes->size())};
    for (auto [from, group] : llvm::enumerate(groups)) {
      int64_t stride = base->strides[from];
      for (int64_t dim : llvm::reverse(group)) {
        split.strides[dim] = stride;
        stride *= split.sizes[dim];
      }
    }
    if (split.count() != base->count())
      return createStringError("expected as many elements as before");
    state.set(result, std::move(split));
    return Error::success();
  }

private:
  Expected<View> view(Value value) {
    if (const View *known = state.find(value))
      return *known;
    return createStringError("an operand has no known value");
  }

  Expected<int64_t> integer(OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return *constant;
    Expected<View> known = view(cast<Value>(value));
    if (!known)
      return known.takeError();
    return known->front().integer;
  }

  Expected<SmallVector<int64_t>> integers(ArrayRef<OpFoldResult> values) {
    SmallVector<int64_t> result;
    for (OpFoldResult value : values) {
      Expected<int64_t> number = integer(value);
      if (!number)
        return number.takeError();
      result.push_back(*number);
    }
    return result;
  }

  State &state;
};
} // namespace

Error evaluateViewOp(Operation *op, State &state) {
  ViewOps ops(state);
  return TypeSwitch<Operation *, Error>(op)
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) {
        return ops.allocate(alloc, alloc.getType(), alloc.getDynamicSizes());
      })
      .Case([&](tensor::EmptyOp empty) {
        return ops.allocate(empty, empty.getType(), empty.getDynamicSizes());
      })
      .Case([&](memref::DeallocOp) { return Error::success(); })
      .Case([&](memref::CopyOp copy) {
        return ops.copy(copy.getSource(), copy.getTarget());
      })
      .Case<memref::CastOp, tensor::CastOp>([&](auto cast) {
        return ops.rename(cast.getSource(), cast.getResult());
      })
      .Case<memref::DimOp, tensor::DimOp>([&](auto dim) {
        return ops.dim(dim.getSource(), dim.getDimension(), dim.getResult());
      })
      .Case([&](memref::SubViewOp slice) {
        return ops.slice(slice, slice.getSource(), slice.getDroppedDims(),
                         /*copies=*/false);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        return ops.slice(slice, slice.getSource(), slice.getDroppedDims(),
                         /*copies=*/true);
      })
      .Case([&](memref::ReinterpretCastOp cast) {
        return ops.reinterpret(cast.getSource(), cast.getMixedOffsets().front(),
                               cast.getMixedSizes(), cast.getMixedStrides(),
                               /*isRelative=*/false, cast.getResult());
      })
      .Case([&](ViewOp view) {
        return ops.reinterpret(view.getSource(), view.getMixedOffset(),
                               view.getMixedSizes(), view.getMixedStrides(),
                               /*isRelative=*/true, view.getResult());
      })
      .Case([&](memref::TransposeOp transpose) {
        return ops.transpose(transpose.getIn(), transpose.getPermutation(),
                             transpose.getResult());
      })
      .Case<memref::CollapseShapeOp, tensor::CollapseShapeOp>(
          [&](auto reshape) {
            return ops.collapse(reshape.getSrc(),
                                reshape.getReassociationIndices(),
                                reshape.getResult());
          })
      .Case<memref::ExpandShapeOp, tensor::ExpandShapeOp>([&](auto reshape) {
        return ops.expand(reshape.getSrc(), reshape.getReassociationIndices(),
                          getMixedValues(reshape.getStaticOutputShape(),
                                         reshape.getOutputShape(),
                                         reshape.getContext()),
                          reshape.getResult());
      })
      .Default([](Operation *) { return Error::success(); });
}

} // namespace mlir::tc::reference
