//===- BufferOps.cpp - Buffers of a reference evaluation ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/BufferOps.h"

#include "Steps/Steps.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;

namespace mlir::tc::reference {

SmallVector<int64_t> sizesOf(ShapedType type, ValueRange dynamicSizes,
                             State &state) {
  return state.integersOf(
      getMixedValues(type.getShape(), dynamicSizes, type.getContext()));
}

Expected<View> allocate(Type type, ArrayRef<int64_t> sizes, Scalar element) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return View::allocate(sizes, element);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return createStringError("expected a memref with strides");
  return View::allocate(sizes, strides,
                        ShapedType::isDynamic(offset) ? 0 : offset, element);
}

Error copyElements(const View &source, const View &target, State &state) {
  Expected<View> values = source.clone(); // the two may overlap
  if (!values)
    return values.takeError();
  Error error = Error::success();
  if (state.independence)
    source.forEach([&](int64_t place) {
      if (!error && source.at(place).isWritten())
        error = state.record(source, place, Independence::read);
    });
  auto next = values->storage->elements.begin();
  target.forEach([&](int64_t place) {
    if (!error)
      error = state.record(target, place, Independence::write);
    target.at(place) = *next++;
  });
  return error;
}

static Error checkWritten(const View &view) {
  bool isWritten = true;
  view.forEach([&](int64_t place) { isWritten &= view.at(place).isWritten(); });
  return isWritten
             ? Error::success()
             : createStringError("copies an element that nobody has written");
}

static Error run(memref::CopyOp op, State &state) {
  View from = state.viewOf(op.getSource()), to = state.viewOf(op.getTarget());
  if (from.sizes != to.sizes)
    return createStringError("expected both sides to have the same shape");
  if (Error error = state.copiesRead ? checkWritten(from) : Error::success())
    return error;
  return copyElements(from, to, state);
}

/// Sets `result` to a buffer of its type.
static Error create(Value result, ValueRange dynamicSizes, Scalar element,
                    State &state) {
  auto type = cast<ShapedType>(result.getType());
  if (auto memref = dyn_cast<MemRefType>(type);
      memref && !memref.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(memref.getStridesAndOffset(strides, offset)) || offset < 0 ||
        llvm::any_of(strides, [](int64_t s) { return s < 0; }))
      return createStringError(
          "expected a buffer with static strides of at least 0");
  }
  return state.set(result,
                   allocate(type, sizesOf(type, dynamicSizes, state), element));
}

static Error run(NewOp op, State &state) {
  Scalar element = Scalar::unwritten();
  if (Attribute init = op.getInitAttr()) {
    std::optional<Scalar> number = findScalar(init);
    if (!number)
      return createStringError("expected to start from a number");
    element = *number;
  }
  return create(op.getResult(), {}, element, state);
}

/// What of the source is there, and the pad around it.
static Error run(StageOp op, State &state) {
  View source = state.viewOf(op.getSource());
  std::optional<Scalar> pad = findScalar(op.getPad());
  if (!pad)
    return createStringError("expected the pad to be a number");
  if (Error error = create(op.getResult(), {}, *pad, state))
    return error;
  View inner = *state.find(op.getResult());
  for (auto [own, given] : llvm::zip_equal(inner.sizes, source.sizes))
    own = given = std::min(own, given);
  return copyElements(source, inner, state);
}

void addBufferOps(OpTable &table) {
  table.addStep<memref::AllocOp, memref::AllocaOp, tensor::EmptyOp>(
      [](auto op, State &state) {
        return create(op, op.getDynamicSizes(), Scalar::unwritten(), state);
      });
  table.addStep<memref::CopyOp, NewOp, StageOp>(
      [](auto op, State &state) { return run(op, state); });
}

} // namespace mlir::tc::reference
