//===- Fold.cpp - What reductions and scans share -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions/Fold.h"

#include "tc/Analysis/Requests.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

FoldBuffers FoldBuffers::createShared(Fold &fold, int64_t size, bool isPadded) {
  FoldBuffers all(fold);
  auto types = llvm::map_to_vector(
      fold.inits, [](Value init) { return getBufferType(init.getType()); });
  for (ArrayRef<Type> left = types; !left.empty();) {
    Type type = left.front();
    Buffer buffer;
    if (left.size() > 1 && left[1] == type && type.isIntOrFloat())
      buffer.pair = VectorType::get({2}, type);
    int64_t values = buffer.pair ? 2 : 1, bytes = values * getBytes(type);
    SmallVector<int64_t, 2> shape = {size};
    if (isPadded && bytes > 0) {
      buffer.row = std::max<int64_t>(kBanks * kBankBytes / bytes, 1);
      buffer.pad = llvm::divideCeil(kBankBytes, bytes);
      shape.front() += size / buffer.row * buffer.pad;
    }
    if (buffer.pair)
      shape.push_back(2);
    buffer.memory = NewOp::create(
        fold.builder, fold.loc, MemRefType::get(shape, type), TypedAttr(),
        /*threads=*/uint64_t(0), /*slot=*/IntegerAttr());
    all.buffers.push_back(buffer);
    left = left.drop_front(values);
  }
  return all;
}

FoldBuffers FoldBuffers::createGlobal(Fold &fold, OpFoldResult size) {
  FoldBuffers all(fold);
  SmallVector<Value> sizes;
  if (auto value = dyn_cast<Value>(size))
    sizes.push_back(value);
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  for (Value init : fold.inits)
    all.buffers.push_back({memref::AllocOp::create(
        fold.builder, fold.loc,
        MemRefType::get({known}, getBufferType(init.getType())), sizes)});
  return all;
}

void FoldBuffers::dealloc() {
  for (const Buffer &buffer : buffers)
    memref::DeallocOp::create(fold.builder, fold.loc, buffer.memory);
}

Value FoldBuffers::placeOf(const Buffer &buffer, OpFoldResult index) {
  if (buffer.row == 0)
    return fold.asValue(index);
  AffineExpr number = fold.dim(0);
  return fold.asValue(
      fold.apply(number + number.floorDiv(buffer.row) * buffer.pad, {index}));
}

SmallVector<Value> FoldBuffers::load(OpFoldResult index) {
  OpBuilder &builder = fold.builder;
  Location loc = fold.loc;
  SmallVector<Value> values;
  for (const Buffer &buffer : buffers) {
    Value place = placeOf(buffer, index);
    if (VectorType pair = buffer.pair) {
      auto both = vector::LoadOp::create(
          builder, loc, pair, buffer.memory,
          ValueRange{place, fold.math().constant(0)}, /*nontemporal=*/false,
          llvm::MaybeAlign(2 * getBytes(pair.getElementType())));
      for (int64_t k : {0, 1})
        values.push_back(vector::ExtractOp::create(builder, loc, both, k));
    } else {
      values.push_back(
          memref::LoadOp::create(builder, loc, buffer.memory, place));
    }
  }
  for (auto [value, init] : llvm::zip_equal(values, fold.inits))
    if (init.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, init.getType(), value);
  return values;
}

void FoldBuffers::store(ValueRange values, OpFoldResult index) {
  OpBuilder &builder = fold.builder;
  Location loc = fold.loc;
  auto held = llvm::map_to_vector(values, [&](Value value) -> Value {
    Type type = value.getType();
    return type.isIndex() ? arith::IndexCastOp::create(
                                builder, loc, getBufferType(type), value)
                          : value;
  });
  ArrayRef<Value> left = held;
  for (const Buffer &buffer : buffers) {
    Value place = placeOf(buffer, index);
    if (VectorType pair = buffer.pair) {
      auto both = vector::FromElementsOp::create(builder, loc, pair,
                                                 left.take_front(2));
      vector::StoreOp::create(
          builder, loc, both, buffer.memory,
          ValueRange{place, fold.math().constant(0)}, /*nontemporal=*/false,
          llvm::MaybeAlign(2 * getBytes(pair.getElementType())));
      left = left.drop_front(2);
    } else {
      memref::StoreOp::create(builder, loc, left.front(), buffer.memory, place);
      left = left.drop_front();
    }
  }
}
