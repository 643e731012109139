//===- TensorOps.cpp - Values of tensors in the reference -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/BufferOps.h"
#include "Memory/ViewOps.h"
#include "Steps/Steps.h"
#include "Values/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;

namespace mlir::tc::reference {

/// Gives `result` all elements in row-major order; a single one is repeated.
static Error fill(Value result, ArrayRef<Scalar> elements,
                  ArrayRef<int64_t> sizes, State &state) {
  Expected<View> view = View::allocate(
      sizes, elements.empty() ? Scalar::unwritten() : elements.front());
  if (view && elements.size() > 1)
    llvm::copy(elements, view->storage->elements.begin());
  return state.set(result, std::move(view));
}

/// Gives `result` the elements that `source` has now, and a slice of it
/// those of `replacement`.
static Error insertInto(Value source, Value result, const View &replacement,
                        function_ref<Expected<View>(const View &)> slice,
                        State &state) {
  if (Error error = state.set(result, state.viewOf(source).clone()))
    return error;
  Expected<View> place = slice(state.viewOf(result));
  if (!place)
    return place.takeError();
  if (place->count() != replacement.count())
    return createStringError("expected a source of the size of the slice");
  return copyElements(replacement, *place, state);
}

static Error fillWithConstant(Value result, DenseElementsAttr dense,
                              State &state) {
  SmallVector<Scalar> elements;
  for (Attribute attribute : dense.getValues<Attribute>()) {
    std::optional<Scalar> element = findScalar(attribute);
    if (!element)
      return createStringError("expected elements that are numbers");
    elements.push_back(*element);
    if (dense.isSplat())
      break;
  }
  return fill(result, elements, dense.getType().getShape(), state);
}

template <typename ConstantOp>
static Error compileConstant(ConstantOp op, Steps &steps, State &state) {
  if (std::optional<Scalar> constant = findConstant(op)) {
    state.set(op, *constant);
    return Error::success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(Attribute(op.getValue()));
  if (!dense || !isa<RankedTensorType, VectorType>(op.getType()))
    return createNoMeaningError(op);
  if (isa<VectorType>(op.getType())) // which nothing overwrites
    return fillWithConstant(op->getResult(0), dense, state);
  OpTable::appendStep(op, steps, state, [=](State &state) {
    return fillWithConstant(op->getResult(0), dense, state);
  });
  return Error::success();
}

/// A buffer of a constant's elements; nothing writes it.
static Error run(memref::GetGlobalOp op, State &state) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto dense =
      global && global.getConstant()
          ? dyn_cast_if_present<DenseElementsAttr>(global.getInitialValueAttr())
          : DenseElementsAttr();
  if (!dense || !op.getType().getLayout().isIdentity())
    return createNoMeaningError(op);
  return fillWithConstant(op.getResult(), dense, state);
}

static Error run(tensor::FromElementsOp op, State &state) {
  SmallVector<Scalar> elements;
  for (Value value : op.getElements())
    elements.push_back(state.scalarOf(value));
  return fill(op, elements, op.getType().getShape(), state);
}

static Error run(tensor::InsertOp op, State &state) {
  auto offsets = state.integersOf(getAsOpFoldResult(op.getIndices()));
  SmallVector<int64_t> ones(offsets.size(), 1);
  auto slice = [&](const View &view) {
    return sliceView(view, offsets, ones, ones);
  };
  return insertInto(op.getDest(), op, state.viewOf(op.getScalar()), slice,
                    state);
}

static Error run(tensor::InsertSliceOp op, State &state) {
  auto slice = [&](const View &view) {
    return sliceView(view, state.integersOf(op.getMixedOffsets()),
                     state.integersOf(op.getMixedSizes()),
                     state.integersOf(op.getMixedStrides()));
  };
  return insertInto(op.getDest(), op, state.viewOf(op.getSource()), slice,
                    state);
}

/// The inputs one after the other along a dimension.
static Error run(tensor::ConcatOp op, State &state) {
  int64_t total = 0, dim = op.getDim();
  for (Value input : op.getInputs())
    total += state.viewOf(input).sizes[dim];
  SmallVector<int64_t> sizes = state.viewOf(op.getInputs().front()).sizes;
  sizes[dim] = total;
  if (Error error = fill(op, {}, sizes, state))
    return error;
  View result = state.viewOf(op);
  SmallVector<int64_t> offsets(sizes.size(), 0), ones(sizes.size(), 1);
  for (Value value : op.getInputs()) {
    View input = state.viewOf(value);
    Expected<View> place = sliceView(result, offsets, input.sizes, ones);
    if (!place)
      return place.takeError();
    if (Error error = copyElements(input, *place, state))
      return error;
    offsets[dim] += input.sizes[dim];
  }
  return Error::success();
}

/// Of padding that is one number.
static Error run(tensor::PadOp op, State &state) {
  Value padding = op.getConstantPaddingValue();
  Operation *maker = padding ? padding.getDefiningOp() : nullptr;
  std::optional<Scalar> number = maker ? findConstant(maker) : std::nullopt;
  if (!padding ||
      (!number && op.getRegion().isAncestor(padding.getParentRegion())))
    return createNoMeaningError(op);
  View source = state.viewOf(op.getSource());
  SmallVector<int64_t> low = state.integersOf(op.getMixedLowPad()),
                       high = state.integersOf(op.getMixedHighPad());
  SmallVector<int64_t> sizes = source.sizes, ones(sizes.size(), 1);
  for (auto [size, before, after] : llvm::zip_equal(sizes, low, high)) {
    if (before < 0 || after < 0)
      return createStringError("expected a padding of at least 0");
    size += before + after;
  }
  if (Error error =
          fill(op, number ? *number : state.scalarOf(padding), sizes, state))
    return error;
  Expected<View> place = sliceView(state.viewOf(op), low, source.sizes, ones);
  if (!place)
    return place.takeError();
  return copyElements(source, *place, state);
}

static Error run(bufferization::MaterializeInDestinationOp op, State &state) {
  View source = state.viewOf(op.getSource());
  if (op->getNumResults() != 0)
    return state.set(op->getResult(0), source.clone());
  View target = state.viewOf(op.getDest());
  if (source.sizes != target.sizes)
    return createStringError("expected both sides to have the same shape");
  return copyElements(source, target, state);
}

static Error run(bufferization::AllocTensorOp op, State &state) {
  if (Value source = op.getCopy())
    return state.set(op, state.viewOf(source).clone());
  return fill(op, {}, sizesOf(op.getType(), op.getDynamicSizes(), state),
              state);
}

static Error run(tensor::SplatOp op, State &state) {
  return fill(op, state.scalarOf(op.getInput()),
              sizesOf(op.getType(), op.getDynamicSizes(), state), state);
}

/// Each result gets its elements in storage of its own.
void addTensorOps(OpTable &table) {
  table.addSteps<arith::ConstantOp, complex::ConstantOp>(
      [](auto op, Steps &steps, State &state) {
        return compileConstant(op, steps, state);
      });
  table.addStep<bufferization::ToTensorOp, bufferization::ToBufferOp,
                bufferization::CloneOp>([](auto op, State &state) {
    return state.set(op, state.viewOf(op->getOperand(0)).clone());
  });
  table.addStep<memref::GetGlobalOp>(
      [](auto op, State &state) { return run(op, state); });
  table.addStep<bufferization::AllocTensorOp,
                bufferization::MaterializeInDestinationOp, tensor::SplatOp,
                tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp,
                tensor::ConcatOp, tensor::PadOp>(
      [](auto op, State &state) { return run(op, state); });
  table.addStep<tensor::RankOp>([](auto op, State &state) {
    int64_t rank = cast<ShapedType>(op.getTensor().getType()).getRank();
    state.set(op, Scalar::ofInteger(rank));
    return Error::success();
  });
}

} // namespace mlir::tc::reference
