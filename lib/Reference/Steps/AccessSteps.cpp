//===- AccessSteps.cpp - Loads, stores and atomic updates ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Subscripts.h"
#include "Values/ScalarOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::reference {

Error Subscripts::run(State &state, SmallVectorImpl<int64_t> &result) const {
  if (map)
    if (Error error = map->run(state, result))
      return error;
  for (unsigned number : numbers) {
    const Scalar &index = state.scalar(number);
    if (index.inherited != 0)
      state.noteUndecided(op);
    result.push_back(index.integer);
  }
  return Error::success();
}

Error locate(const View &view, ArrayRef<int64_t> subscripts, StringRef verb,
             int64_t &place) {
  place = view.offset;
  for (auto [dim, index] : llvm::enumerate(subscripts)) {
    if (index < 0 || index >= view.sizes[dim])
      return createStringError(
          formatv("{0} index {1} of dimension {2}, which has extent {3}", verb,
                  index, dim, view.sizes[dim]));
    place += index * view.strides[dim];
  }
  return Error::success();
}

namespace {
/// The element that an op accesses.
class Element {
public:
  template <typename AccessOp>
  Element(AccessOp op, StringRef verb, Value buffer, State &state)
      : verb(verb), buffer(state.numberOf(buffer)),
        subscripts(op, op.getIndices(), state) {}

  const View &view(State &state) const { return state.view(buffer); }

  /// Sets `place` to where it lies in the storage of the view.
  Error find(State &state, int64_t &place) const {
    SmallVector<int64_t, 4> indices;
    if (Error error = subscripts.run(state, indices))
      return error;
    const View &view = state.view(buffer);
    if (!view.storage)
      return createStringError("the buffer has no known value");
    return locate(view, indices, verb, place);
  }

private:
  StringRef verb;
  unsigned buffer;
  Subscripts subscripts;
};
} // namespace

/// Appends a step that does `access` with the element's view and its place.
static Error
append(Operation *op, Element element, Steps &steps,
       unique_function<Error(State &, const View &, int64_t)> access) {
  steps.append(op,
               [element = std::move(element),
                access = std::move(access)](State &state) mutable -> Error {
                 int64_t place;
                 if (Error error = element.find(state, place))
                   return error;
                 return access(state, element.view(state), place);
               });
  return Error::success();
}

template <typename LoadOp>
static Error compileLoad(LoadOp op, Steps &steps, State &state) {
  unsigned result = state.numberOf(op.getResult());
  Value buffer = op->getOperand(0);
  return append(op, Element(op, "reads", buffer, state), steps,
                [=](State &state, const View &view, int64_t place) {
                  state.scalar(result) = view.at(place);
                  return state.record(view, place, Independence::read);
                });
}

template <typename StoreOp>
static Error compileStore(StoreOp op, Steps &steps, State &state) {
  unsigned number = state.numberOf(op.getValueToStore());
  return append(op, Element(op, "writes", op.getMemRef(), state), steps,
                [=](State &state, const View &view, int64_t place) {
                  view.at(place) = state.scalar(number);
                  return state.record(view, place, Independence::write);
                });
}

std::optional<ScalarOp> findUpdate(arith::AtomicRMWKind kind, Type type) {
  // The kinds have the names of the ops, but for the `i` of "maxsi".
  std::string name = ("arith." + stringifyAtomicRMWKind(kind)).str();
  if (is_contained({'s', 'u'}, name.back()))
    name += 'i';
  return findScalarOp(name, type);
}

static Error compileUpdate(memref::AtomicRMWOp op, Steps &steps, State &state) {
  std::optional<ScalarOp> function =
      findUpdate(op.getKind(), op.getResult().getType());
  unsigned value = state.numberOf(op.getValue());
  unsigned result = state.numberOf(op.getResult());
  return append(
      op, Element(op, "updates", op.getMemref(), state), steps,
      [=](State &state, const View &view, int64_t place) -> Error {
        if (Error error = state.record(view, place, Independence::update))
          return error;
        Scalar arguments[] = {view.at(place), state.scalar(value)};
        view.at(place) = function ? function->apply(arguments) : arguments[1];
        state.scalar(result) = arguments[0];
        return Error::success();
      });
}

void addAccessSteps(OpTable &table) {
  table.addSteps<memref::LoadOp, tensor::ExtractOp, affine::AffineLoadOp>(
      [](auto op, Steps &steps, State &state) {
        return compileLoad(op, steps, state);
      });
  table.addSteps<memref::StoreOp, affine::AffineStoreOp>(
      [](auto op, Steps &steps, State &state) {
        return compileStore(op, steps, state);
      });
  table.addSteps<memref::AtomicRMWOp>(compileUpdate);
}

} // namespace mlir::tc::reference
