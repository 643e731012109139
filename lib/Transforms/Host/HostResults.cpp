//===- HostResults.cpp - Register tiles into results ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostResults.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

namespace {
/// One tile on its way.
struct TileWriter {
  HostContraction &code;
  HostBuilder &builder;
  ContractOp op;
  const HostPlan &plan;
  const HostTile &tile;
  ArrayRef<HostResultTables> sides, results;
  const HostTilePlace &place;
  bool adds;

  void storeVector(Value vector, Value index, Value mask);
  SmallVector<Value> findStarts(int64_t length);
  SmallVector<Value> findMasks(int64_t length);
  Value locateRow(Value row);
  void writeVectors(int64_t length);
  void writeSome(int64_t length);
  void writeElements();
  Value locate(const HostResultTables &target, Value row, Value column);
  Value spill();
  Value loadNumber(Value spilled, Value row, Value column);
  void writeElement(Value number, Value row, Value column);
};
} // namespace

/// Stores `vector` at element `index` of the result, or adds it to what is
/// there; of the elements for which `mask` holds, if there is one.
void TileWriter::storeVector(Value vector, Value index, Value mask) {
  auto type = cast<VectorType>(vector.getType());
  Value elements = results.front().operand->base;
  if (adds) {
    Value old =
        mask ? vector::MaskedLoadOp::create(builder, type, elements, index,
                                            mask, createZeros(builder, type))
                   .getResult()
             : vector::LoadOp::create(builder, type, elements, index)
                   .getResult();
    vector = isa<FloatType>(plan.part)
                 ? Value(arith::AddFOp::create(builder, old, vector))
                 : Value(arith::AddIOp::create(builder, old, vector));
  }
  if (mask)
    vector::MaskedStoreOp::create(builder, elements, index, mask, vector);
  else
    vector::StoreOp::create(builder, vector, elements, index);
}

/// Where the columns of a tile begin, a piece of `length` at a time.
SmallVector<Value> TileWriter::findStarts(int64_t length) {
  const HostResultTables &result = results.front();
  SmallVector<Value> starts;
  for (int64_t column = 0; column != plan.columnTile(); column += length) {
    Value start = builder.load(
        result.columns, {place.panel, builder.constant(column / result.step)});
    starts.push_back(builder.add(start, column % result.step));
  }
  return starts;
}

/// Which elements there are of each piece of padded columns; null for others,
/// which are whole.
SmallVector<Value> TileWriter::findMasks(int64_t length) {
  SmallVector<Value> masks(plan.columnTile() / length);
  if (plan.padded != 0)
    for (auto [i, mask] : llvm::enumerate(masks))
      mask = code.buildPaddingMask(builder.add(place.start, i * length));
  return masks;
}

Value TileWriter::locateRow(Value row) {
  return builder.add(results.front().batch,
                     builder.load(results.front().rows, row));
}

/// Whole tiles, a piece of a vector at a time, whose elements are consecutive.
void TileWriter::writeVectors(int64_t length) {
  SmallVector<Value> starts = findStarts(length), masks = findMasks(length);
  for (int64_t row = 0; row != plan.rowTile; ++row) {
    Value base = locateRow(builder.constant(row));
    for (auto [i, start] : llvm::enumerate(starts)) {
      int64_t column = i * length;
      Value vector = tile[row * plan.vectors + column / plan.lanes];
      if (length != plan.lanes)
        vector = vector::ExtractStridedSliceOp::create(
            builder, vector, column % plan.lanes, length, 1);
      storeVector(vector, builder.add(base, start), masks[i]);
    }
  }
}

/// The rows and columns of a tile that there are, in the same pieces.
void TileWriter::writeSome(int64_t length) {
  auto type = VectorType::get(length, plan.part);
  Value spilled = spill();
  SmallVector<Value> starts = findStarts(length), masks = findMasks(length);
  for (auto [i, mask] : llvm::enumerate(masks)) {
    Value some = createMask(builder, place.columns, i * length, length);
    mask = mask ? builder.both(mask, some) : some;
  }
  builder.loop(place.rows, [&](Value row) {
    Value base = locateRow(row);
    for (auto [i, start] : llvm::enumerate(starts)) {
      Value vector = vector::LoadOp::create(
          builder, type, spilled,
          ValueRange{builder.constant(0), row, builder.constant(i * length)});
      storeVector(vector, builder.add(base, start), masks[i]);
    }
  });
}

Value TileWriter::locate(const HostResultTables &target, Value row,
                         Value column) {
  Value step = builder.constant(target.step);
  Value entry = builder.divide(column, step);
  Value rest = builder.remainder(column, step);
  Value start = builder.load(target.columns, {place.panel, entry});
  Value base = builder.load(target.rows, row);
  return builder.add(builder.add(target.batch, base), builder.add(start, rest));
}

/// The accumulators as memory: parts, rows, columns.
Value TileWriter::spill() {
  Value memory =
      builder.reserve({plan.parts, plan.rowTile, plan.columnTile()}, plan.part);
  for (auto [i, vector] : llvm::enumerate(tile)) {
    int64_t v = i % plan.vectors, row = i / plan.vectors % plan.rowTile,
            part = i / plan.vectors / plan.rowTile;
    vector::StoreOp::create(builder, vector, memory,
                            ValueRange{builder.constant(part),
                                       builder.constant(row),
                                       builder.constant(v * plan.lanes)});
  }
  return memory;
}

Value TileWriter::loadNumber(Value spilled, Value row, Value column) {
  SmallVector<Value> parts;
  for (int64_t part = 0; part != plan.parts; ++part)
    parts.push_back(
        builder.load(spilled, {builder.constant(part), row, column}));
  if (plan.parts == 1)
    return parts.front();
  return complex::CreateOp::create(builder, op.getAccumulatorTypes().front(),
                                   parts[0], parts[1]);
}

void TileWriter::writeElement(Value number, Value row, Value column) {
  Location loc = builder.getLoc();
  auto load = [&](const HostResultTables &target) -> Value {
    return builder.load(target.operand->base, locate(target, row, column));
  };
  SmallVector<Value> numbers = {number};
  if (adds) {
    SmallVector<Value> old =
        op.buildOld(builder, loc, llvm::map_to_vector(results, load));
    numbers = op.buildCombine(builder, loc, old, numbers);
  }
  SmallVector<Value> elements =
      op.buildEpilogue(builder, loc, numbers, llvm::map_to_vector(sides, load));
  for (auto [result, element] : llvm::zip_equal(results, elements))
    builder.store(element, result.operand->base, locate(result, row, column));
}

void TileWriter::writeElements() {
  Value spilled = spill();
  builder.loop(place.rows, [&](Value row) {
    builder.loop(place.columns, [&](Value column) {
      writeElement(loadNumber(spilled, row, column), row, column);
    });
  });
}

void mlir::tc::writeTile(HostContraction &code, const HostTile &tile,
                         ArrayRef<HostResultTables> targets,
                         const HostTilePlace &place, bool adds) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  size_t sides = code.op.getSides().size();
  TileWriter writer{code,
                    builder,
                    code.op,
                    plan,
                    tile,
                    targets.take_front(sides),
                    targets.drop_front(sides),
                    place,
                    adds};
  auto writeElements = [&] { writer.writeElements(); };
  if (!isBare(code.op) || plan.parts != 1)
    return writeElements();
  const HostResultTables &result = targets.back();
  int64_t piece = std::gcd(result.step, plan.lanes);
  Value isWhole =
      arith::AndIOp::create(builder, builder.isEqual(place.rows, plan.rowTile),
                            builder.isEqual(place.columns, plan.columnTile()));
  auto writeBy = [&](int64_t length) {
    builder.branch(
        isWhole, [&] { writer.writeVectors(length); },
        [&] { writer.writeSome(length); });
  };
  auto writePieces = [&] {
    piece >= 4 || piece == plan.lanes ? writeBy(piece) : writeElements();
  };
  if (piece == plan.lanes)
    return writePieces();
  Value dense = builder.load(result.dense, place.panel);
  builder.branch(
      builder.isEqual(dense, 1), [&] { writeBy(plan.lanes); }, writePieces);
}
