//===- BufferOps.cpp - Buffers of a reference evaluation ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/BufferOps.h"

#include "Values/ScalarOps.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mlir::tc::reference {

bool isBufferOp(Operation *op) {
  return isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
             memref::CopyOp, tensor::EmptyOp, NewOp, StageOp>(op);
}

SmallVector<int64_t> sizesOf(ShapedType type, ValueRange dynamicSizes,
                             State &state) {
  SmallVector<int64_t> sizes(type.getShape());
  size_t next = 0;
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = state.integerOf(dynamicSizes[next++]);
  return sizes;
}

/// A buffer of `type`; a dynamic stride is that of row-major order.
static Expected<View> allocate(ShapedType type, ValueRange dynamicSizes,
                               Scalar element, State &state) {
  SmallVector<int64_t> sizes = sizesOf(type, dynamicSizes, state);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return View::allocate(sizes, element);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memref.getStridesAndOffset(strides, offset)) || offset < 0 ||
      llvm::any_of(strides, [](int64_t s) { return s < 0; }))
    return createStringError(
        "expected a buffer with static strides of at least 0");
  return View::allocate(sizes, strides, offset, element);
}

Error copyElements(const View &source, const View &target, State &state) {
  Expected<View> values = source.clone(); // the two may overlap
  if (!values)
    return values.takeError();
  Error error = Error::success();
  if (state.independence)
    source.forEach([&](int64_t place) {
      if (!error && source.at(place).isWritten())
        error = state.recordRead(source, place);
    });
  auto next = values->storage->elements.begin();
  target.forEach([&](int64_t place) {
    if (!error)
      error = state.recordWrite(target, place);
    target.at(place) = *next++;
  });
  return error;
}

static Error evaluateCopy(memref::CopyOp op, State &state) {
  Expected<View> from = state.viewOf(op.getSource());
  Expected<View> to = state.viewOf(op.getTarget());
  if (!from || !to)
    return joinErrors(from.takeError(), to.takeError());
  if (from->sizes != to->sizes)
    return createStringError("expected both sides to have the same shape");
  return copyElements(*from, *to, state);
}

/// Sets `result` to a buffer of its type.
static Error create(Value result, ValueRange dynamicSizes, Scalar element,
                    State &state) {
  return state.set(result, allocate(cast<ShapedType>(result.getType()),
                                    dynamicSizes, element, state));
}

static Error evaluateNew(NewOp op, State &state) {
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
static Error evaluateStage(StageOp op, State &state) {
  Expected<View> source = state.viewOf(op.getSource());
  if (!source)
    return source.takeError();
  std::optional<Scalar> pad = findScalar(op.getPad());
  if (!pad)
    return createStringError("expected the pad to be a number");
  if (Error error = create(op.getResult(), {}, *pad, state))
    return error;
  View inner = *state.find(op.getResult());
  for (auto [own, given] : llvm::zip_equal(inner.sizes, source->sizes))
    own = given = std::min(own, given);
  return copyElements(*source, inner, state);
}

Error evaluateBufferOp(Operation *op, State &state) {
  return TypeSwitch<Operation *, Error>(op)
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) {
        return create(alloc, alloc.getDynamicSizes(), Scalar::unwritten(),
                      state);
      })
      .Case([&](tensor::EmptyOp empty) {
        return create(empty, empty.getDynamicSizes(), Scalar::unwritten(),
                      state);
      })
      .Case([&](memref::CopyOp copy) { return evaluateCopy(copy, state); })
      .Case([&](NewOp op) { return evaluateNew(op, state); })
      .Case([&](StageOp op) { return evaluateStage(op, state); })
      .Default([](Operation *) { return Error::success(); }); // dealloc
}

} // namespace mlir::tc::reference
