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
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

OpFoldResult Fold::apply(AffineExpr expr, ArrayRef<OpFoldResult> values) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(values.size(), 0, expr), values);
}

OpFoldResult Fold::countAlong(unsigned d) {
  // A range that is empty may end before it begins.
  OpFoldResult range =
      apply(dim(0) - dim(1), {bounds.upper[d], bounds.lower[d]});
  if (std::optional<int64_t> known = getConstantIntValue(range))
    range = builder.getIndexAttr(std::max<int64_t>(*known, 0));
  else
    range = arith::MaxSIOp::create(builder, loc, asValue(range),
                                   asValue(builder.getIndexAttr(0)))
                .getResult();
  OpFoldResult step = bounds.step[d], width = bounds.width[d];
  if (isEqualConstantIntOrValue(step, width))
    return range;
  // Neither the extent nor a step is negative. A step of 0 has no meaning, but
  // the host must not trap.
  Value extent = asValue(range);
  Value by = builder.createOrFold<arith::MaxSIOp>(loc, asValue(step),
                                                  math().constant(1));
  if (getConstantIntValue(width) == 1)
    return getAsOpFoldResult(
        builder.createOrFold<arith::CeilDivUIOp>(loc, extent, by));
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, extent, by);
  rest = builder.createOrFold<arith::MinUIOp>(loc, rest, asValue(width));
  Value whole = builder.createOrFold<arith::DivUIOp>(loc, extent, by);
  return getAsOpFoldResult(
      math().add(math().multiply(whole, asValue(width)), rest));
}

Value Fold::distanceOf(unsigned d, Value number) {
  OpFoldResult step = bounds.step[d], width = bounds.width[d];
  if (isEqualConstantIntOrValue(step, width))
    return number;
  if (getConstantIntValue(width) == 1)
    return math().multiply(number, asValue(step));
  Value each = asValue(width);
  Value whole = builder.createOrFold<arith::DivUIOp>(loc, number, each);
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, number, each);
  return math().add(math().multiply(whole, asValue(step)), rest);
}

OpFoldResult Fold::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  // More iterations than 64 bits count never end, no more than that many do.
  int64_t product = 0;
  if (x && y && llvm::MulOverflow(*x, *y, product))
    product = std::numeric_limits<int64_t>::max();
  if (x && y)
    return builder.getIndexAttr(product);
  if (x == 1 || y == 1)
    return x ? b : a;
  return arith::MulIOp::create(builder, loc, asValue(a), asValue(b))
      .getResult();
}

OpFoldResult Fold::count() {
  OpFoldResult total = builder.getIndexAttr(1);
  for (unsigned d = 0, e = bounds.lower.size(); d < e; ++d) {
    extents.push_back(countAlong(d));
    total = multiply(total, extents[d]);
  }
  return total;
}

SmallVector<Value> Fold::indicesAt(Value position) {
  SmallVector<Value> indices(bounds.lower.size());
  for (unsigned d = bounds.lower.size(); d-- > 0;) {
    // Positions are never negative, so that unsigned division will do.
    Value number = position;
    if (d > 0) {
      Value extent = asValue(extents[d]);
      number = builder.createOrFold<arith::RemUIOp>(loc, position, extent);
      position = builder.createOrFold<arith::DivUIOp>(loc, position, extent);
    }
    indices[d] = math().add(asValue(bounds.lower[d]), distanceOf(d, number));
  }
  return indices;
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
