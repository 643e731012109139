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
  FoldBuffers buffers(fold);
  auto types = llvm::map_to_vector(
      fold.inits, [](Value init) { return getBufferType(init.getType()); });
  auto create = [&](ArrayRef<int64_t> shape, Type type) -> Value {
    return NewOp::create(fold.builder, fold.loc, MemRefType::get(shape, type),
                         TypedAttr(), /*threads=*/uint64_t(0),
                         /*slot=*/IntegerAttr());
  };
  for (size_t i = 0; i < types.size(); ++i) {
    if (i + 1 == types.size() || types[i] != types[i + 1]) {
      buffers.places.push_back({create({size}, types[i])});
      continue;
    }
    Value both = create({size, 2}, types[i++]);
    buffers.places.push_back({both, 0});
    buffers.places.push_back({both, 1});
  }
  return buffers;
}

FoldBuffers FoldBuffers::createGlobal(Fold &fold, OpFoldResult size) {
  FoldBuffers buffers(fold);
  SmallVector<Value> sizes;
  if (auto value = dyn_cast<Value>(size))
    sizes.push_back(value);
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  for (Value init : fold.inits)
    buffers.places.push_back({memref::AllocOp::create(
        fold.builder, fold.loc,
        MemRefType::get({known}, getBufferType(init.getType())), sizes)});
  return buffers;
}

void FoldBuffers::dealloc() {
  for (const Place &place : places)
    memref::DeallocOp::create(fold.builder, fold.loc, place.buffer);
}

SmallVector<Value> FoldBuffers::subscripts(const Place &place,
                                           OpFoldResult index) {
  SmallVector<Value> all = {fold.asValue(index)};
  if (place.column)
    all.push_back(fold.math().constant(*place.column));
  return all;
}

SmallVector<Value> FoldBuffers::load(OpFoldResult index) {
  SmallVector<Value> values;
  for (auto [place, init] : llvm::zip_equal(places, fold.inits)) {
    Value value = memref::LoadOp::create(fold.builder, fold.loc, place.buffer,
                                         subscripts(place, index));
    if (init.getType().isIndex())
      value = arith::IndexCastOp::create(fold.builder, fold.loc, init.getType(),
                                         value);
    values.push_back(value);
  }
  return values;
}

void FoldBuffers::store(ValueRange values, OpFoldResult index) {
  for (auto [place, value] : llvm::zip_equal(places, values)) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(fold.builder, fold.loc,
                                         getBufferType(value.getType()), value);
    memref::StoreOp::create(fold.builder, fold.loc, value, place.buffer,
                            subscripts(place, index));
  }
}
