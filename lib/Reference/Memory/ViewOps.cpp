//===- ViewOps.cpp - Views of buffers          ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/ViewOps.h"

#include "Steps/Steps.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::reference {

static Error createOverflowError() {
  return createStringError("expected a view of fewer than 2^63 elements");
}

Expected<View> sliceView(const View &base, ArrayRef<int64_t> offsets,
                         ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  View result{base.storage, base.offset, to_vector(sizes), {}};
  bool overflows = false;
  for (size_t dim = 0; dim != base.sizes.size(); ++dim) {
    int64_t last = sizes[dim] < 1 ? offsets[dim]
                                  : addProduct(offsets[dim], sizes[dim] - 1,
                                               strides[dim], overflows);
    int64_t low = std::min(offsets[dim], last);
    int64_t high = std::max(offsets[dim], last);
    if (overflows)
      return createOverflowError();
    if (sizes[dim] > 0 && (low < 0 || high >= base.sizes[dim]))
      return createStringError(
          formatv("slice leaves dimension {0}: it has index {1}, where the "
                  "extent is {2}",
                  dim, low < 0 ? low : high, base.sizes[dim]));
    result.offset =
        addProduct(result.offset, offsets[dim], base.strides[dim], overflows);
    result.strides.push_back(
        addProduct(0, strides[dim], base.strides[dim], overflows));
  }
  if (overflows)
    return createOverflowError();
  if (Error error = result.check())
    return std::move(error);
  return result;
}

namespace {
/// One evaluation: the view that `op` gives of `base`, its first operand.
class ViewOps {
public:
  ViewOps(Operation *op, State &state)
      : result(op->getResult(0)), base(state.viewOf(op->getOperand(0))),
        state(state) {}

  Error rename() { return set(base); }

  Error dim(OpFoldResult number) {
    int64_t dim = state.integerOf(number);
    if (dim < 0 || dim >= int64_t(base.sizes.size()))
      return createStringError("expected a dimension of the operand");
    state.set(result, Scalar::ofInteger(base.sizes[dim]));
    return Error::success();
  }

  /// subview and extract_slice; dropped unit dimensions are `dropped`.
  Error slice(OffsetSizeAndStrideOpInterface op, const SmallBitVector &dropped,
              bool copies) {
    Expected<View> slice =
        sliceView(base, state.integersOf(op.getMixedOffsets()),
                  state.integersOf(op.getMixedSizes()),
                  state.integersOf(op.getMixedStrides()));
    if (!slice)
      return slice.takeError();
    View kept{slice->storage, slice->offset, {}, {}};
    for (auto [dim, size] : llvm::enumerate(slice->sizes))
      if (!dropped.test(dim)) {
        kept.sizes.push_back(size);
        kept.strides.push_back(slice->strides[dim]);
      }
    return set(kept, /*overflows=*/false, copies);
  }

  /// A new layout of a storage, which must hold every element of it.
  Error reinterpret(OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides, bool isRelative) {
    bool overflows = false;
    int64_t first =
        addProduct(state.integerOf(offset), base.offset, isRelative, overflows);
    return set(View{base.storage, first, state.integersOf(sizes),
                    state.integersOf(strides)},
               overflows);
  }

  /// The dimensions in another order.
  Error transpose(AffineMap permutation) {
    View permuted = base;
    for (auto [dim, expr] : llvm::enumerate(permutation.getResults())) {
      unsigned from = cast<AffineDimExpr>(expr).getPosition();
      permuted.sizes[dim] = base.sizes[from];
      permuted.strides[dim] = base.strides[from];
    }
    return set(permuted);
  }

  /// Each group of dimensions becomes one; it must be walked by one stride.
  Error collapse(ArrayRef<ReassociationIndices> groups) {
    View merged{base.storage, base.offset, {}, {}};
    bool overflows = false;
    for (const ReassociationIndices &group : groups) {
      int64_t size = 1, stride = 1;
      for (int64_t dim : llvm::reverse(group)) {
        if (base.sizes[dim] == 1)
          continue;
        if (size == 1)
          stride = base.strides[dim];
        else if (base.strides[dim] != addProduct(0, stride, size, overflows) &&
                 base.count() != 0)
          return createStringError("expected dimensions of one stride");
        size = addProduct(0, size, base.sizes[dim], overflows);
      }
      merged.sizes.push_back(size);
      merged.strides.push_back(stride);
    }
    return set(merged, overflows && base.count() != 0);
  }

  /// Each dimension becomes a group of the given sizes.
  Error expand(ArrayRef<ReassociationIndices> groups,
               ArrayRef<OpFoldResult> mixedSizes) {
    SmallVector<int64_t> sizes = state.integersOf(mixedSizes);
    View split{base.storage, base.offset, sizes,
               SmallVector<int64_t>(sizes.size())};
    bool overflows = false;
    for (auto [from, group] : llvm::enumerate(groups)) {
      int64_t stride = base.strides[from];
      for (int64_t dim : llvm::reverse(group)) {
        split.strides[dim] = stride;
        stride = addProduct(0, stride, split.sizes[dim], overflows);
      }
    }
    if (Error error = set(split, overflows && split.count() != 0))
      return error;
    if (split.count() != base.count())
      return createStringError("expected as many elements as before");
    return Error::success();
  }

private:
  /// Sets the result to `view`, or a copy of it, unless it leaves the storage.
  Error set(const View &view, bool overflows = false, bool copies = false) {
    if (overflows)
      return createOverflowError();
    if (Error error = view.check())
      return error;
    return state.set(result, copies ? view.clone() : Expected<View>(view));
  }

  Value result;
  View base;
  State &state;
};
} // namespace

void addViewOps(OpTable &table) {
  table.addStep<memref::AssumeAlignmentOp, memref::CastOp, tensor::CastOp>(
      [](auto op, State &state) { return ViewOps(op, state).rename(); });
  table.addStep<memref::DimOp, tensor::DimOp>([](auto op, State &state) {
    return ViewOps(op, state).dim(op.getDimension());
  });
  table.addStep<memref::SubViewOp, tensor::ExtractSliceOp>(
      [](auto op, State &state) {
        return ViewOps(op, state).slice(op, op.getDroppedDims(),
                                        isa<TensorType>(op.getType()));
      });
  table.addStep<memref::ReinterpretCastOp>([](auto op, State &state) {
    return ViewOps(op, state).reinterpret(
        op.getMixedOffsets().front(), op.getMixedSizes(), op.getMixedStrides(),
        /*isRelative=*/false);
  });
  table.addStep<ViewOp>([](ViewOp op, State &state) {
    return ViewOps(op, state).reinterpret(
        op.getMixedOffset(), op.getMixedSizes(), op.getMixedStrides(),
        /*isRelative=*/true);
  });
  table.addStep<memref::TransposeOp>([](auto op, State &state) {
    return ViewOps(op, state).transpose(op.getPermutation());
  });
  table.addStep<memref::CollapseShapeOp, tensor::CollapseShapeOp>(
      [](auto op, State &state) {
        return ViewOps(op, state).collapse(op.getReassociationIndices());
      });
  table.addStep<memref::ExpandShapeOp, tensor::ExpandShapeOp>([](auto op,
                                                                 State &state) {
    return ViewOps(op, state).expand(op.getReassociationIndices(),
                                     getMixedValues(op.getStaticOutputShape(),
                                                    op.getOutputShape(),
                                                    op.getContext()));
  });
}

} // namespace mlir::tc::reference
