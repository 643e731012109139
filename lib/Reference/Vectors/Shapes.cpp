//===- Shapes.cpp - Vectors made of the elements of others ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/BufferOps.h"
#include "Memory/ViewOps.h"
#include "Steps/Steps.h"
#include "Values/Rounding.h"
#include "Vectors/Vectors.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;

namespace mlir::tc::reference {

static ArrayRef<int64_t> shapeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

static SmallVector<Scalar> elementsOf(Value vector, State &state) {
  View view = state.viewOf(vector);
  SmallVector<Scalar> elements;
  view.forEach([&](int64_t at) { elements.push_back(view.at(at)); });
  return elements;
}

/// Gives `result` the elements that `next` gives, in row-major order.
static Error fill(Value result, function_ref<Scalar()> next, State &state) {
  Expected<View> view = View::allocate(shapeOf(result));
  if (view)
    for (Scalar &element : view->storage->elements)
      element = next();
  return setVector(result, std::move(view), state);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Dimensions that the source lacks, and those of extent 1, are repeated.
static Error run(vector::BroadcastOp op, State &state) {
  View source = state.viewOf(op.getSource());
  ArrayRef<int64_t> shape = shapeOf(op);
  View result{source.storage, source.offset, to_vector(shape),
              SmallVector<int64_t>(shape.size(), 0)};
  for (auto [dim, size] : enumerate(reverse(source.sizes)))
    if (size != 1)
      result.strides[shape.size() - 1 - dim] =
          source.strides[source.strides.size() - 1 - dim];
  return setVector(op, result, state);
}

static Error run(vector::TransposeOp op, State &state) {
  auto permutation =
      AffineMap::getPermutationMap(op.getPermutation(), op.getContext());
  return setVector(op,
                   project(state.viewOf(op.getVector()),
                           inversePermutation(permutation), shapeOf(op)),
                   state);
}

static Error run(vector::ShapeCastOp op, State &state) {
  Expected<View> elements = state.viewOf(op.getSource()).clone();
  if (elements) {
    elements->sizes = to_vector(shapeOf(op));
    elements->strides = computeStrides(shapeOf(op));
  }
  return setVector(op, std::move(elements), state);
}

/// What is at a position of the first dimensions of a vector.
static Expected<View> viewAt(const View &base, ArrayRef<OpFoldResult> position,
                             State &state) {
  SmallVector<int64_t> offsets = state.integersOf(position);
  size_t count = offsets.size();
  SmallVector<int64_t> sizes(count, 1), ones(base.sizes.size(), 1);
  append_range(sizes, ArrayRef(base.sizes).drop_front(count));
  offsets.resize(base.sizes.size(), 0);
  Expected<View> slice = sliceView(base, offsets, sizes, ones);
  if (slice) {
    slice->sizes.erase(slice->sizes.begin(), slice->sizes.begin() + count);
    slice->strides.erase(slice->strides.begin(),
                         slice->strides.begin() + count);
  }
  return slice;
}

static Error run(vector::ExtractOp op, State &state) {
  return setVector(
      op, viewAt(state.viewOf(op.getSource()), op.getMixedPosition(), state),
      state);
}

static SmallVector<int64_t> integersOf(ArrayAttr array) {
  return map_to_vector(array.getAsValueRange<IntegerAttr>(),
                       [](const APInt &i) { return i.getSExtValue(); });
}

/// All of the dimensions that offsets, sizes and strides leave out.
static Error run(vector::ExtractStridedSliceOp op, State &state) {
  SmallVector<int64_t> offsets = integersOf(op.getOffsets()),
                       strides = integersOf(op.getStrides());
  offsets.resize(shapeOf(op).size(), 0);
  strides.resize(shapeOf(op).size(), 1);
  return setVector(
      op,
      sliceView(state.viewOf(op.getSource()), offsets, shapeOf(op), strides),
      state);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Gives `result` the elements of `base`, and those of `replacement` to the
/// slice of it that `slice` gives.
static Error insertInto(Value base, Value result, Value replacement,
                        function_ref<Expected<View>(const View &)> slice,
                        State &state) {
  Expected<View> all = state.viewOf(base).clone();
  if (!all)
    return all.takeError();
  Expected<View> place = slice(*all);
  if (!place)
    return place.takeError();
  SmallVector<Scalar> elements = elementsOf(replacement, state);
  auto next = elements.begin();
  place->forEach([&](int64_t at) { place->at(at) = *next++; });
  return setVector(result, std::move(all), state);
}

static Error run(vector::InsertOp op, State &state) {
  auto slice = [&](const View &all) {
    return viewAt(all, op.getMixedPosition(), state);
  };
  return insertInto(op.getDest(), op, op.getValueToStore(), slice, state);
}

/// The source may have fewer dimensions: they are the last ones.
static Error run(vector::InsertStridedSliceOp op, State &state) {
  ArrayRef<int64_t> shape = shapeOf(op.getValueToStore());
  SmallVector<int64_t> offsets = integersOf(op.getOffsets());
  SmallVector<int64_t> sizes(offsets.size() - shape.size(), 1), strides = sizes;
  append_range(sizes, shape);
  append_range(strides, integersOf(op.getStrides()));
  auto slice = [&](const View &all) {
    return sliceView(all, offsets, sizes, strides);
  };
  return insertInto(op.getDest(), op, op.getValueToStore(), slice, state);
}

/// The parts of both operands along their first dimension, in the order of the
/// mask.
static Error run(vector::ShuffleOp op, State &state) {
  SmallVector<Scalar> given = elementsOf(op.getV1(), state);
  append_range(given, elementsOf(op.getV2(), state));
  int64_t part =
      op.getResultVectorType().getNumElements() / int64_t(op.getMask().size());
  int64_t number = 0;
  return fill(
      op,
      [&] {
        int64_t from = op.getMask()[number / part], at = number++ % part;
        return from == vector::ShuffleOp::kPoisonIndex
                   ? unknownNumber()
                   : given[from * part + at];
      },
      state);
}

/// Of both operands in turn, along the last dimension.
static Error run(vector::InterleaveOp op, State &state) {
  SmallVector<Scalar> parts[] = {elementsOf(op.getLhs(), state),
                                 elementsOf(op.getRhs(), state)};
  int64_t number = -1;
  return fill(
      op, [&] { return ++number, parts[number % 2][number / 2]; }, state);
}

static Error run(vector::DeinterleaveOp op, State &state) {
  SmallVector<Scalar> given = elementsOf(op.getSource(), state);
  size_t first = 0;
  for (Value result : op->getResults()) {
    size_t at = first++;
    auto take = [&] { return given[std::exchange(at, at + 2)]; };
    if (Error error = fill(result, take, state))
      return error;
  }
  return Error::success();
}

static Error run(vector::FromElementsOp op, State &state) {
  auto next = op.getElements().begin();
  return fill(op, [&] { return state.scalarOf(*next++); }, state);
}

static Error run(vector::ToElementsOp op, State &state) {
  for (auto [result, element] :
       zip_equal(op.getElements(), elementsOf(op.getSource(), state)))
    state.set(result, element);
  return Error::success();
}

static Error run(vector::StepOp op, State &state) {
  int64_t number = 0;
  return fill(op, [&] { return Scalar::ofInteger(number++); }, state);
}

/// Truth values that hold in the first elements of each dimension.
static Error setMask(Operation *op, ArrayRef<int64_t> firsts, State &state) {
  Value result = op->getResult(0);
  SmallVector<int64_t> strides = computeStrides(shapeOf(result));
  int64_t number = 0;
  return fill(
      result,
      [&] {
        SmallVector<int64_t> index = delinearize(number++, strides);
        return Scalar::ofInteger(all_of(zip(index, firsts), [](auto pair) {
          return std::get<0>(pair) < std::get<1>(pair);
        }));
      },
      state);
}

void addVectorShapeOps(OpTable &table) {
  table.addStep<vector::BroadcastOp, vector::DeinterleaveOp, vector::ExtractOp,
                vector::ExtractStridedSliceOp, vector::FromElementsOp,
                vector::InsertOp, vector::InsertStridedSliceOp,
                vector::InterleaveOp, vector::ShapeCastOp, vector::ShuffleOp,
                vector::StepOp, vector::ToElementsOp, vector::TransposeOp>(
      [](auto op, State &state) { return run(op, state); });
  table.addStep<vector::ConstantMaskOp>([](auto op, State &state) {
    return setMask(op, op.getMaskDimSizes(), state);
  });
  table.addStep<vector::CreateMaskOp>([](auto op, State &state) {
    return setMask(op, state.integersOf(getAsOpFoldResult(op.getOperands())),
                   state);
  });
  table.addStep<ub::PoisonOp>([](ub::PoisonOp op, State &state) -> Error {
    if (isa<VectorType>(op.getType()))
      return fill(op, unknownNumber, state);
    state.set(op, unknownNumber());
    return Error::success();
  });
}

} // namespace mlir::tc::reference
