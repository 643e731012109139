//===- AccessSteps.cpp - Loads, stores and atomic updates ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"
#include "Values/ScalarOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::reference {

namespace {
/// The element that an op accesses.
class Element {
public:
  Element(Operation *op, StringRef verb, Value buffer, ValueRange indices,
          State &state)
      : op(op), verb(verb), buffer(state.numberOf(buffer)) {
    for (Value index : indices)
      numbers.push_back(state.numberOf(index));
  }
  Element(Operation *op, StringRef verb, Value buffer, AffineMap map,
          ValueRange operands, State &state)
      : op(op), verb(verb), buffer(state.numberOf(buffer)),
        map(AffineCode(map, operands, state)) {}

  const View &view(State &state) const { return state.view(buffer); }

  /// Sets `place` to where it lies in the storage of the view.
  Error locate(State &state, int64_t &place) const {
    SmallVector<int64_t, 4> subscripts;
    if (map)
      if (Error error = map->run(state, subscripts))
        return error;
    for (unsigned number : numbers) {
      const Scalar &index = state.scalar(number);
      if (index.inherited != 0)
        state.noteUndecided(op);
      subscripts.push_back(index.integer);
    }
    const View &view = state.view(buffer);
    if (!view.storage)
      return createStringError("the buffer has no known value");
    place = view.offset;
    for (auto [dim, index] : llvm::enumerate(subscripts)) {
      if (index < 0 || index >= view.sizes[dim])
        return createStringError(
            formatv("{0} index {1} of dimension {2}, which has extent {3}",
                    verb, index, dim, view.sizes[dim]));
      place += index * view.strides[dim];
    }
    return Error::success();
  }

private:
  Operation *op;
  StringRef verb;
  unsigned buffer;
  SmallVector<unsigned> numbers; ///< of the subscripts, without a map
  std::optional<AffineCode> map;
};
} // namespace

static Expected<bool> appendLoad(Operation *op, Element element, Steps &steps,
                                 State &state) {
  unsigned result = state.numberOf(op->getResult(0));
  steps.append(op, [=, element = std::move(element)](State &state) -> Error {
    int64_t place;
    if (Error error = element.locate(state, place))
      return error;
    const View &view = element.view(state);
    state.scalar(result) = view.at(place);
    return state.recordRead(view, place);
  });
  return true;
}

static Expected<bool> appendStore(Operation *op, Value value, Element element,
                                  Steps &steps, State &state) {
  unsigned number = state.numberOf(value);
  steps.append(op, [=, element = std::move(element)](State &state) -> Error {
    int64_t place;
    if (Error error = element.locate(state, place))
      return error;
    const View &view = element.view(state);
    view.at(place) = state.scalar(number);
    return state.recordWrite(view, place);
  });
  return true;
}

std::optional<ScalarOp> findUpdate(arith::AtomicRMWKind kind, Type type) {
  // The kinds have the names of the ops, but for the `i` of "maxsi".
  std::string name = ("arith." + stringifyAtomicRMWKind(kind)).str();
  if (is_contained({'s', 'u'}, name.back()))
    name += 'i';
  return findScalarOp(name, type);
}

static Expected<bool> appendUpdate(memref::AtomicRMWOp op, Element element,
                                   Steps &steps, State &state) {
  std::optional<ScalarOp> function =
      findUpdate(op.getKind(), op.getResult().getType());
  unsigned value = state.numberOf(op.getValue());
  unsigned result = state.numberOf(op.getResult());
  steps.append(op, [=, element = std::move(element)](State &state) -> Error {
    int64_t place;
    if (Error error = element.locate(state, place))
      return error;
    const View &view = element.view(state);
    if (Error error = state.recordUpdate(view, place))
      return error;
    Scalar arguments[] = {view.at(place), state.scalar(value)};
    view.at(place) = function ? function->apply(arguments) : arguments[1];
    state.scalar(result) = arguments[0];
    return Error::success();
  });
  return true;
}

Expected<bool> compileAccess(Operation *op, Steps &steps, State &state) {
  auto element = [&](StringRef verb, Value buffer, auto... subscripts) {
    return Element(op, verb, buffer, subscripts..., state);
  };
  auto load = [&](Element from) { return appendLoad(op, from, steps, state); };
  auto store = [&](Value value, Element to) {
    return appendStore(op, value, to, steps, state);
  };
  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case([&](memref::LoadOp op) {
        return load(element("reads", op.getMemRef(), op.getIndices()));
      })
      .Case([&](tensor::ExtractOp op) {
        return load(element("reads", op.getTensor(), op.getIndices()));
      })
      .Case([&](affine::AffineLoadOp op) {
        return load(element("reads", op.getMemRef(), op.getAffineMap(),
                            op.getIndices()));
      })
      .Case([&](memref::StoreOp op) {
        return store(op.getValueToStore(),
                     element("writes", op.getMemRef(), op.getIndices()));
      })
      .Case([&](affine::AffineStoreOp op) {
        return store(op.getValueToStore(),
                     element("writes", op.getMemRef(), op.getAffineMap(),
                             op.getIndices()));
      })
      .Case([&](memref::AtomicRMWOp op) {
        return appendUpdate(op,
                            element("updates", op.getMemref(), op.getIndices()),
                            steps, state);
      })
      .Default([](Operation *) -> Expected<bool> { return false; });
}

} // namespace mlir::tc::reference
