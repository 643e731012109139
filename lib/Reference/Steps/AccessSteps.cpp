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

static void appendLoad(Operation *op, Element element, Steps &steps,
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
}

static void appendStore(Operation *op, Value value, Element element,
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
}

/// The op that an atomic update applies; none of `assign`.
static StringRef nameOf(arith::AtomicRMWKind kind) {
  using K = arith::AtomicRMWKind;
  switch (kind) {
  case K::addf:
    return "arith.addf";
  case K::addi:
    return "arith.addi";
  case K::andi:
    return "arith.andi";
  case K::assign:
    return "";
  case K::maximumf:
    return "arith.maximumf";
  case K::maxnumf:
    return "arith.maxnumf";
  case K::maxs:
    return "arith.maxsi";
  case K::maxu:
    return "arith.maxui";
  case K::minimumf:
    return "arith.minimumf";
  case K::minnumf:
    return "arith.minnumf";
  case K::mins:
    return "arith.minsi";
  case K::minu:
    return "arith.minui";
  case K::mulf:
    return "arith.mulf";
  case K::muli:
    return "arith.muli";
  case K::ori:
    return "arith.ori";
  case K::xori:
    return "arith.xori";
  }
  llvm_unreachable("closed set");
}

std::optional<ScalarOp> findUpdate(arith::AtomicRMWKind kind, Type type) {
  return findScalarOp(nameOf(kind), type);
}

static void appendUpdate(memref::AtomicRMWOp op, Steps &steps, State &state) {
  std::optional<ScalarOp> function =
      findUpdate(op.getKind(), op.getResult().getType());
  unsigned value = state.numberOf(op.getValue());
  unsigned result = state.numberOf(op.getResult());
  Element element(op, "updates", op.getMemref(), op.getIndices(), state);
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
}

Expected<bool> compileAccess(Operation *op, Steps &steps, State &state) {
  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case([&](memref::LoadOp load) -> Expected<bool> {
        appendLoad(
            op,
            Element(op, "reads", load.getMemRef(), load.getIndices(), state),
            steps, state);
        return true;
      })
      .Case([&](tensor::ExtractOp load) -> Expected<bool> {
        appendLoad(
            op,
            Element(op, "reads", load.getTensor(), load.getIndices(), state),
            steps, state);
        return true;
      })
      .Case([&](affine::AffineLoadOp load) -> Expected<bool> {
        appendLoad(op,
                   Element(op, "reads", load.getMemRef(), load.getAffineMap(),
                           load.getIndices(), state),
                   steps, state);
        return true;
      })
      .Case([&](memref::StoreOp store) -> Expected<bool> {
        appendStore(
            op, store.getValueToStore(),
            Element(op, "writes", store.getMemRef(), store.getIndices(), state),
            steps, state);
        return true;
      })
      .Case([&](affine::AffineStoreOp store) -> Expected<bool> {
        appendStore(op, store.getValueToStore(),
                    Element(op, "writes", store.getMemRef(),
                            store.getAffineMap(), store.getIndices(), state),
                    steps, state);
        return true;
      })
      .Case([&](memref::AtomicRMWOp update) -> Expected<bool> {
        appendUpdate(update, steps, state);
        return true;
      })
      .Default([](Operation *) -> Expected<bool> { return false; });
}

} // namespace mlir::tc::reference
