//===- Accesses.cpp - Loads and stores of vectors -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of a vector is an access of its own, which has to be inside of
// the buffer unless the op says otherwise.
//
//===----------------------------------------------------------------------===//

#include "Steps/Subscripts.h"
#include "Vectors/Vectors.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;

namespace mlir::tc::reference {

namespace {
/// What is given an element of a vector, by its row-major number, and its place
/// in the storage of the buffer, if it is accessed.
using VisitElement = function_ref<Error(size_t, std::optional<int64_t>)>;

/// Which elements of a buffer a vector has.
class VectorAccess {
public:
  /// From the element at the subscripts on, along the last dimensions.
  template <typename AccessOp>
  VectorAccess(AccessOp op, StringRef verb, Value buffer, ValueRange indices,
               VectorType type, State &state)
      : op(op), verb(verb), subscripts(op, indices, state),
        shape(type.getShape()),
        map(AffineMap::getMinorIdentityMap(
            cast<ShapedType>(buffer.getType()).getRank(), type.getRank(),
            op->getContext())),
        maskMap(AffineMap::getMultiDimIdentityMap(type.getRank(),
                                                  op->getContext())) {}

  VectorAccess masked(Value values) && {
    mask = values;
    return std::move(*this);
  }
  /// Further along the last dimension by these numbers, and not along `map`.
  VectorAccess gathered(Value values) && {
    distances = values;
    map = AffineMap::get(map.getNumDims(), 0, op->getContext());
    return std::move(*this);
  }
  /// Along the dimensions of a transfer, whose mask is of the shape that its
  /// vector has in memory.
  template <typename TransferOp>
  VectorAccess transferred(TransferOp transfer) && {
    map = transfer.getPermutationMap();
    maskMap = inversePermutation(compressUnusedDims(map));
    for (int64_t dim = 0; dim != transfer.getTransferRank(); ++dim)
      mayLeave.push_back(!transfer.isDimInBounds(dim));
    return transfer.getMask() ? std::move(*this).masked(transfer.getMask())
                              : std::move(*this);
  }

  /// Calls `visit` for each element. Fails where one leaves `buffer` that may
  /// not.
  Error forEach(const View &buffer, State &state, VisitElement visit) const;

private:
  Expected<std::optional<int64_t>> find(const View &buffer,
                                        ArrayRef<int64_t> first,
                                        ArrayRef<int64_t> index,
                                        State &state) const;
  bool isMaskedOut(ArrayRef<int64_t> index, State &state) const;

  Operation *op;
  StringRef verb;
  Subscripts subscripts;
  ArrayRef<int64_t> shape;
  /// From the dimensions of the buffer to those of the vector. A 0 stands for a
  /// dimension along which elements are repeated.
  AffineMap map;
  AffineMap maskMap; ///< from the index of an element to that in the mask
  Value mask, distances;
  SmallVector<bool> mayLeave; ///< by dimension of the vector; or none
};
} // namespace

static const Scalar &elementAt(const View &view, ArrayRef<int64_t> index) {
  int64_t place = view.offset;
  for (auto [i, stride] : zip(index, view.strides)) // a mask has a dimension
    place += i * stride;
  return view.at(place);
}

bool VectorAccess::isMaskedOut(ArrayRef<int64_t> index, State &state) const {
  if (!mask)
    return false;
  const Scalar &isOn = elementAt(*state.find(mask), maskMap.compose(index));
  if (isOn.inherited != 0)
    state.noteUndecided(op);
  return isOn.integer == 0;
}

/// The place of the element at `index`, if it is accessed.
Expected<std::optional<int64_t>> VectorAccess::find(const View &buffer,
                                                    ArrayRef<int64_t> first,
                                                    ArrayRef<int64_t> index,
                                                    State &state) const {
  if (isMaskedOut(index, state))
    return std::nullopt;
  SmallVector<int64_t, 4> at(first);
  if (distances && !at.empty()) {
    const Scalar &distance = elementAt(*state.find(distances), index);
    if (distance.inherited != 0)
      state.noteUndecided(op);
    at.back() += distance.integer;
  }
  for (auto [dim, expr] : enumerate(map.getResults()))
    if (auto along = dyn_cast<AffineDimExpr>(expr)) {
      int64_t &subscript = at[along.getPosition()];
      subscript += index[dim];
      if (!mayLeave.empty() && mayLeave[dim] &&
          subscript >= buffer.sizes[along.getPosition()])
        return std::nullopt;
    }
  int64_t place;
  if (Error error = locate(buffer, at, verb, place))
    return std::move(error);
  return place;
}

Error VectorAccess::forEach(const View &buffer, State &state,
                            VisitElement visit) const {
  SmallVector<int64_t, 4> first;
  if (Error error = subscripts.run(state, first))
    return error;
  SmallVector<int64_t> strides = computeStrides(shape);
  for (size_t number = 0, count = computeProduct(shape); number != count;
       ++number) {
    auto place = find(buffer, first, delinearize(number, strides), state);
    if (!place)
      return place.takeError();
    if (Error error = visit(number, *place))
      return error;
  }
  return Error::success();
}

/// What is not accessed is `other`: a number, those of a vector, or nothing.
static Error appendLoad(Operation *op, Value buffer, VectorAccess access,
                        Value other, Steps &steps, State &state) {
  OpTable::appendStep(
      op, steps, state, [=, access = std::move(access)](State &state) -> Error {
        View source = state.viewOf(buffer);
        auto type = cast<VectorType>(op->getResult(0).getType());
        Expected<View> result = View::allocate(type.getShape());
        if (!result)
          return result.takeError();
        if (other) {
          View given = state.viewOf(other);
          if (given.sizes.empty())
            fill(result->storage->elements, given.at(given.offset));
          else
            result = given.clone();
        }
        if (!result)
          return result.takeError();
        Error error = access.forEach(
            source, state,
            [&](size_t number, std::optional<int64_t> place) -> Error {
              if (!place)
                return Error::success();
              result->storage->elements[number] = source.at(*place);
              return state.record(source, *place, Independence::read);
            });
        if (error)
          return error;
        return setVector(op->getResult(0), std::move(result), state);
      });
  return Error::success();
}

/// A tensor is not changed: the result is a copy with the elements of `vector`.
static Error appendStore(Operation *op, Value buffer, VectorAccess access,
                         Value vector, Steps &steps, State &state) {
  OpTable::appendStep(
      op, steps, state, [=, access = std::move(access)](State &state) -> Error {
        Expected<View> values = state.viewOf(vector).clone();
        Expected<View> target = state.viewOf(buffer);
        if (!values)
          return values.takeError();
        if (op->getNumResults() != 0)
          target = target->clone();
        if (!target)
          return target.takeError();
        Error error = access.forEach(
            *target, state,
            [&](size_t number, std::optional<int64_t> place) -> Error {
              if (!place)
                return Error::success();
              target->at(*place) = values->storage->elements[number];
              return state.record(*target, *place, Independence::write);
            });
        if (error || op->getNumResults() == 0)
          return error;
        return state.set(op->getResult(0), std::move(target));
      });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

static constexpr StringLiteral reads = "reads", writes = "writes";

/// Of ops of affine upstream does not verify it.
static Error checkRank(Value buffer, VectorType vector) {
  int64_t rank = cast<ShapedType>(buffer.getType()).getRank();
  if (vector.getRank() <= rank)
    return Error::success();
  return createStringError("expected a vector of at most " + Twine(rank) +
                           " dimensions, as the buffer has, got " +
                           Twine(vector.getRank()));
}

template <typename LoadOp>
static Error compileLoad(LoadOp op, Steps &steps, State &state) {
  Value buffer = op->getOperand(0);
  if (Error error = checkRank(buffer, op.getVectorType()))
    return error;
  VectorAccess access(op, reads, buffer, op.getIndices(), op.getVectorType(),
                      state);
  return appendLoad(op, buffer, std::move(access), /*other=*/nullptr, steps,
                    state);
}
static Error compileLoad(vector::MaskedLoadOp op, Steps &steps, State &state) {
  VectorAccess access(op, reads, op.getBase(), op.getIndices(),
                      op.getVectorType(), state);
  return appendLoad(op, op.getBase(), std::move(access).masked(op.getMask()),
                    op.getPassThru(), steps, state);
}
static Error compileLoad(vector::GatherOp op, Steps &steps, State &state) {
  VectorAccess access(op, reads, op.getBase(), op.getOffsets(),
                      op.getVectorType(), state);
  return appendLoad(
      op, op.getBase(),
      std::move(access).gathered(op.getIndices()).masked(op.getMask()),
      op.getPassThru(), steps, state);
}
static Error compileLoad(vector::TransferReadOp op, Steps &steps,
                         State &state) {
  VectorAccess access(op, reads, op.getBase(), op.getIndices(),
                      op.getVectorType(), state);
  return appendLoad(op, op.getBase(), std::move(access).transferred(op),
                    op.getPadding(), steps, state);
}

template <typename StoreOp>
static Error compileStore(StoreOp op, Steps &steps, State &state) {
  Value vector = op->getOperand(0), buffer = op->getOperand(1);
  if (Error error = checkRank(buffer, op.getVectorType()))
    return error;
  VectorAccess access(op, writes, buffer, op.getIndices(), op.getVectorType(),
                      state);
  return appendStore(op, buffer, std::move(access), vector, steps, state);
}
static Error compileStore(vector::MaskedStoreOp op, Steps &steps,
                          State &state) {
  VectorAccess access(op, writes, op.getBase(), op.getIndices(),
                      op.getVectorType(), state);
  return appendStore(op, op.getBase(), std::move(access).masked(op.getMask()),
                     op.getValueToStore(), steps, state);
}
static Error compileStore(vector::ScatterOp op, Steps &steps, State &state) {
  VectorAccess access(op, writes, op.getBase(), op.getOffsets(),
                      op.getVectorType(), state);
  return appendStore(
      op, op.getBase(),
      std::move(access).gathered(op.getIndices()).masked(op.getMask()),
      op.getValueToStore(), steps, state);
}
static Error compileStore(vector::TransferWriteOp op, Steps &steps,
                          State &state) {
  VectorAccess access(op, writes, op.getBase(), op.getIndices(),
                      op.getVectorType(), state);
  return appendStore(op, op.getBase(), std::move(access).transferred(op),
                     op.getValueToStore(), steps, state);
}

void addVectorAccesses(OpTable &table) {
  table.addSteps<vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp,
                 vector::TransferReadOp, affine::AffineVectorLoadOp>(
      [](auto op, Steps &steps, State &state) {
        return compileLoad(op, steps, state);
      });
  table.addSteps<vector::StoreOp, vector::MaskedStoreOp, vector::ScatterOp,
                 vector::TransferWriteOp, affine::AffineVectorStoreOp>(
      [](auto op, Steps &steps, State &state) {
        return compileStore(op, steps, state);
      });
}

} // namespace mlir::tc::reference
