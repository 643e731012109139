//===- Fold.cpp - What reductions and scans share -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions/Fold.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

OpFoldResult Fold::apply(AffineExpr expr, ArrayRef<OpFoldResult> values) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(values.size(), 0, expr), values);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<Value> Fold::combine(ValueRange before, ValueRange after) {
  SmallVector<Value> arguments(before);
  llvm::append_range(arguments, after);
  return copyRegion(builder, combineRegion, arguments);
}

SmallVector<Value> Fold::select(Value condition, ValueRange a, ValueRange b) {
  SmallVector<Value> chosen;
  for (auto [x, y] : llvm::zip_equal(a, b))
    chosen.push_back(
        builder.createOrFold<arith::SelectOp>(loc, condition, x, y));
  return chosen;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

IRMapping mlir::tc::copyArithmetic(OpBuilder &builder, ParOp par,
                                   ValueRange indices) {
  IRMapping copies;
  copies.map(par.getIndices(), indices);
  for (Operation &op : par.getBody()->without_terminator())
    if (op.getNumRegions() == 0)
      builder.clone(op, copies);
  return copies;
}

void mlir::tc::useCopies(Operation *root, const IRMapping &copies) {
  root->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(copies.lookupOrDefault(operand.get()));
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// What a value of `type` is in memory: an index has no size of its own.
static Type getBufferType(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

int64_t mlir::tc::getBufferBytes(Type type) {
  return getBytes(getBufferType(type));
}

FoldBuffers FoldBuffers::createShared(Fold &fold, int64_t size) {
  SmallVector<Value> buffers;
  for (Value init : fold.inits)
    buffers.push_back(NewOp::create(
        fold.builder, fold.loc,
        MemRefType::get({size}, getBufferType(init.getType())), TypedAttr(),
        /*threads=*/uint64_t(0), /*slot=*/IntegerAttr()));
  return FoldBuffers(fold, std::move(buffers));
}

FoldBuffers FoldBuffers::createGlobal(Fold &fold, OpFoldResult size) {
  SmallVector<Value> buffers, sizes;
  if (auto value = dyn_cast<Value>(size))
    sizes.push_back(value);
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  for (Value init : fold.inits)
    buffers.push_back(memref::AllocOp::create(
        fold.builder, fold.loc,
        MemRefType::get({known}, getBufferType(init.getType())), sizes));
  return FoldBuffers(fold, std::move(buffers));
}

void FoldBuffers::dealloc() {
  for (Value buffer : buffers)
    memref::DeallocOp::create(fold.builder, fold.loc, buffer);
}

SmallVector<Value> FoldBuffers::load(OpFoldResult index) {
  SmallVector<Value> values;
  for (auto [buffer, init] : llvm::zip_equal(buffers, fold.inits)) {
    Value value = memref::LoadOp::create(fold.builder, fold.loc, buffer,
                                         fold.asValue(index));
    if (init.getType().isIndex())
      value = arith::IndexCastOp::create(fold.builder, fold.loc, init.getType(),
                                         value);
    values.push_back(value);
  }
  return values;
}

void FoldBuffers::store(ValueRange values, OpFoldResult index) {
  for (auto [buffer, value] : llvm::zip_equal(buffers, values)) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(fold.builder, fold.loc,
                                         getBufferType(value.getType()), value);
    memref::StoreOp::create(fold.builder, fold.loc, value, buffer,
                            fold.asValue(index));
  }
}
