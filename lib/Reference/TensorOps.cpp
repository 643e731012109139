//===- TensorOps.cpp - Values of tensors in the reference -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOps.h"

#include "Memory/BufferOps.h"
#include "Memory/ViewOps.h"
#include "Values/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mlir::tc::reference {

/// A constant of several elements.
static DenseElementsAttr getDense(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<RankedTensorType>(constant.getType())
             ? dyn_cast<DenseElementsAttr>(constant.getValue())
             : DenseElementsAttr();
}

bool isTensorOp(Operation *op) {
  return getDense(op) ||
         isa<bufferization::ToTensorOp, bufferization::ToBufferOp,
             bufferization::MaterializeInDestinationOp,
             bufferization::AllocTensorOp, bufferization::DeallocTensorOp,
             bufferization::CloneOp, tensor::SplatOp, tensor::FromElementsOp,
             tensor::InsertOp, tensor::InsertSliceOp, tensor::ConcatOp,
             tensor::RankOp>(op);
}

namespace {
/// One evaluation.
class TensorOps {
public:
  explicit TensorOps(State &state) : state(state) {}

  /// The elements that `source` has now.
  Error clone(Value source, Value result) {
    Expected<View> view = state.viewOf(source);
    return view ? state.set(result, view->clone()) : view.takeError();
  }

  /// All elements in row-major order; a single one is repeated.
  Error fill(Value result, ArrayRef<Scalar> elements, ArrayRef<int64_t> sizes) {
    Expected<View> view = View::allocate(
        sizes, elements.empty() ? Scalar::unwritten() : elements.front());
    if (view && elements.size() > 1)
      llvm::copy(elements, view->storage->elements.begin());
    return state.set(result, std::move(view));
  }

  Error constant(Value result, DenseElementsAttr dense) {
    SmallVector<Scalar> elements;
    for (Attribute attribute : dense.getValues<Attribute>()) {
      std::optional<Scalar> element = findScalar(attribute);
      if (!element)
        return createStringError("expected elements that are numbers");
      elements.push_back(*element);
      if (dense.isSplat())
        break;
    }
    return fill(result, elements, dense.getType().getShape());
  }

  Error fromElements(Value result, ValueRange values) {
    SmallVector<Scalar> elements;
    for (Value value : values)
      elements.push_back(state.scalarOf(value));
    return fill(result, elements,
                cast<ShapedType>(result.getType()).getShape());
  }

  /// `destination` with one element replaced.
  Error insert(tensor::InsertOp op) {
    if (Error error = clone(op.getDest(), op.getResult()))
      return error;
    View view = *state.find(op.getResult());
    auto offsets = state.integersOf(getAsOpFoldResult(op.getIndices()));
    SmallVector<int64_t> ones(offsets.size(), 1);
    Expected<View> source = state.viewOf(op.getScalar());
    if (!source)
      return source.takeError();
    Expected<View> place = sliceView(view, offsets, ones, ones);
    if (!place)
      return place.takeError();
    place->sizes.clear();
    place->strides.clear();
    return copyElements(*source, *place, state);
  }

  Error insertSlice(tensor::InsertSliceOp op) {
    if (Error error = clone(op.getDest(), op.getResult()))
      return error;
    Expected<View> source = state.viewOf(op.getSource());
    if (!source)
      return source.takeError();
    Expected<View> place = sliceView(*state.find(op.getResult()),
                                     state.integersOf(op.getMixedOffsets()),
                                     state.integersOf(op.getMixedSizes()),
                                     state.integersOf(op.getMixedStrides()));
    if (!place)
      return place.takeError();
    if (place->count() != source->count())
      return createStringError("expected a source of the size of the slice");
    return copyElements(*source, *place, state);
  }

  /// The inputs one after the other along a dimension.
  Error concatenate(tensor::ConcatOp op) {
    SmallVector<View> inputs;
    int64_t total = 0, dim = op.getDim();
    for (Value input : op.getInputs()) {
      Expected<View> view = state.viewOf(input);
      if (!view)
        return view.takeError();
      total += view->sizes[dim];
      inputs.push_back(std::move(*view));
    }
    SmallVector<int64_t> sizes = inputs.front().sizes;
    sizes[dim] = total;
    if (Error error = fill(op.getResult(), {}, sizes))
      return error;
    View result = *state.find(op.getResult());
    SmallVector<int64_t> offsets(sizes.size(), 0), ones(sizes.size(), 1);
    for (const View &input : inputs) {
      Expected<View> place = sliceView(result, offsets, input.sizes, ones);
      if (!place)
        return place.takeError();
      if (Error error = copyElements(input, *place, state))
        return error;
      offsets[dim] += input.sizes[dim];
    }
    return Error::success();
  }

  Error materialize(bufferization::MaterializeInDestinationOp op) {
    Expected<View> source = state.viewOf(op.getSource());
    if (!source)
      return source.takeError();
    if (op->getNumResults() != 0)
      return state.set(op->getResult(0), source->clone());
    Expected<View> target = state.viewOf(op.getDest());
    if (!target)
      return target.takeError();
    if (source->sizes != target->sizes)
      return createStringError("expected both sides to have the same shape");
    return copyElements(*source, *target, state);
  }

private:
  State &state;
};
} // namespace

Error evaluateTensorOp(Operation *op, State &state) {
  TensorOps ops(state);
  if (DenseElementsAttr dense = getDense(op))
    return ops.constant(op->getResult(0), dense);
  return TypeSwitch<Operation *, Error>(op)
      .Case<bufferization::ToTensorOp, bufferization::ToBufferOp,
            bufferization::CloneOp>([&](auto copy) {
        return ops.clone(copy->getOperand(0), copy->getResult(0));
      })
      .Case([&](bufferization::AllocTensorOp alloc) {
        if (Value source = alloc.getCopy())
          return ops.clone(source, alloc);
        return ops.fill(
            alloc, {},
            sizesOf(alloc.getType(), alloc.getDynamicSizes(), state));
      })
      .Case([&](bufferization::MaterializeInDestinationOp write) {
        return ops.materialize(write);
      })
      .Case([&](tensor::SplatOp splat) {
        return ops.fill(
            splat, state.scalarOf(splat.getInput()),
            sizesOf(splat.getType(), splat.getDynamicSizes(), state));
      })
      .Case([&](tensor::FromElementsOp from) {
        return ops.fromElements(from, from.getElements());
      })
      .Case([&](tensor::InsertOp insert) { return ops.insert(insert); })
      .Case(
          [&](tensor::InsertSliceOp insert) { return ops.insertSlice(insert); })
      .Case([&](tensor::ConcatOp concat) { return ops.concatenate(concat); })
      .Case([&](tensor::RankOp rank) {
        int64_t value = cast<ShapedType>(rank.getTensor().getType()).getRank();
        state.set(rank.getResult(), Scalar::ofInteger(value));
        return Error::success();
      })
      .Default([](Operation *) { return Error::success(); }); // dealloc
}

} // namespace mlir::tc::reference
