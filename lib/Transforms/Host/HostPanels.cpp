//===- HostPanels.cpp - Packed panels and register tiles ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostPanels.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// One panel on its way.
struct PanelPacker {
  HostBuilder &builder;
  const HostPlan &plan;
  const HostSide &side;
  Type accumulator;
  Value panel, depth, lines;

  Type elementType() {
    return cast<MemRefType>(side.operand.base.getType()).getElementType();
  }
  Value lineOf(int64_t entry) {
    return builder.load(lines, builder.constant(entry));
  }
  Value placeOfSum(Value sum) {
    return builder.add(side.batch, builder.load(side.sums, sum));
  }
  SmallVector<Value> indicesOf(int64_t part, Value sum, Value line) {
    return {panel, builder.constant(part), sum, line};
  }

  void copyVectors(int64_t length, int64_t step);
  void copyElement(Value place, Value sum, Value line);
  void copyAlongLines();
  void copyAlongSums();
};
} // namespace

/// Vectors of `length` elements; there is a line in the table every `step`.
void PanelPacker::copyVectors(int64_t length, int64_t step) {
  SmallVector<Value> starts;
  for (int64_t line = 0; line != side.width; line += length)
    starts.push_back(builder.add(lineOf(line / step), line % step));
  auto type = VectorType::get(length, plan.part);
  builder.loop(depth, [&](Value sum) {
    Value place = placeOfSum(sum);
    for (auto [i, start] : llvm::enumerate(starts)) {
      Value vector = vector::LoadOp::create(builder, type, side.operand.base,
                                            builder.add(start, place));
      vector::StoreOp::create(builder, vector, side.panels,
                              indicesOf(0, sum, builder.constant(i * length)));
    }
  });
}

void PanelPacker::copyElement(Value place, Value sum, Value line) {
  Value element = builder.load(side.operand.base, place);
  Value number = convertNumber(builder, builder.getLoc(), element, accumulator);
  SmallVector<Value> parts = {number};
  if (plan.parts == 2)
    parts = {complex::ReOp::create(builder, number),
             complex::ImOp::create(builder, number)};
  for (auto [i, part] : llvm::enumerate(parts))
    builder.store(part, side.panels, indicesOf(i, sum, line));
}

void PanelPacker::copyAlongLines() {
  SmallVector<Value> starts;
  for (int64_t line = 0; line != side.width; ++line)
    starts.push_back(lineOf(line));
  builder.loop(depth, [&](Value sum) {
    Value place = placeOfSum(sum);
    for (auto [i, start] : llvm::enumerate(starts))
      copyElement(builder.add(start, place), sum, builder.constant(i));
  });
}

void PanelPacker::copyAlongSums() {
  builder.loop(builder.constant(side.width), [&](Value line) {
    Value start = builder.load(lines, line);
    builder.loop(depth, [&](Value sum) {
      copyElement(builder.add(start, placeOfSum(sum)), sum, line);
    });
  });
}

void mlir::tc::packPanel(HostContraction &code, const HostSide &side,
                         Value panel, Value start, Value depth) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  PanelPacker packer{
      builder, plan,  side, code.op.getAccumulatorTypes().front(),
      panel,   depth, {}};
  int64_t run = code.getRun(side.operand, side.iterators);
  int64_t step = std::gcd(run, side.width);
  bool isPlain = packer.elementType() == plan.part;
  if (!isPlain)
    step = 1;
  int64_t entries = side.width / step;
  packer.lines = builder.reserve(entries, builder.getIndexType());
  Value dense = code.buildTable(
      side.operand,
      {side.iterators, start, builder.constant(entries), side.total, step},
      packer.lines, {});
  int64_t lineStride = code.getInnerStride(side.operand, side.iterators);
  auto copyPieces = [&] {
    if (step != 1)
      packer.copyVectors(step, step);
    else if (code.getInnerStride(side.operand, plan.sums) < lineStride)
      packer.copyAlongSums();
    else
      packer.copyAlongLines();
  };
  if (!isPlain || lineStride != 1 || step == side.width)
    return copyPieces();
  Value isDense = builder.isEqual(dense, 1);
  int64_t whole = std::gcd(side.width, plan.lanes);
  builder.branch(isDense, [&] { packer.copyVectors(whole, step); }, copyPieces);
}

void mlir::tc::packTiles(HostContraction &code, const HostSide &side,
                         Value start, Value count, Value depth) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  Type accumulator = code.op.getAccumulatorTypes().front();
  Value inner = builder.constant(plan.resultNeighbours),
        outer = builder.constant(plan.inputNeighbours),
        width = builder.constant(side.width);
  Value tile = builder.multiply(inner, outer);
  auto table = [&] {
    return builder.reserve(plan.inputNeighbours, builder.getIndexType());
  };
  Value panels = table(), lanes = table();
  auto copyLine = [&](Value first) {
    Value line = builder.add(start, first);
    Value base = builder.add(side.batch,
                             code.locate(side.operand, side.iterators, line));
    builder.loop(outer, [&](Value neighbour) {
      Value column = builder.add(first, builder.multiply(neighbour, inner));
      builder.store(builder.divide(column, width), panels, neighbour);
      builder.store(builder.remainder(column, width), lanes, neighbour);
    });
    builder.loop(depth, [&](Value sum) {
      Value place = builder.add(base, builder.load(side.sums, sum));
      builder.loop(outer, [&](Value neighbour) {
        Value element =
            builder.load(side.operand.base, {builder.add(place, neighbour)});
        Value number =
            convertNumber(builder, builder.getLoc(), element, accumulator);
        builder.store(number, side.panels,
                      {builder.load(panels, neighbour), builder.constant(0),
                       sum, builder.load(lanes, neighbour)});
      });
    });
  };
  builder.loop(builder.divide(count, tile), [&](Value number) {
    Value first = builder.multiply(number, tile);
    builder.loop(inner,
                 [&](Value line) { copyLine(builder.add(first, line)); });
  });
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

namespace {
/// Products of vectors, which become fused ones where the CPU has those.
struct VectorMath {
  HostBuilder &builder;
  bool isFloat;

  Value multiply(Value a, Value b) {
    if (!isFloat)
      return arith::MulIOp::create(builder, a, b);
    return arith::MulFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
  Value add(Value a, Value b) {
    if (!isFloat)
      return arith::AddIOp::create(builder, a, b);
    return arith::AddFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
};
} // namespace

HostTile mlir::tc::multiplyPanels(HostBuilder &builder, const HostPlan &plan,
                                  Value rows, Value rowPanel, Value columns,
                                  Value columnPanel, Value depth) {
  VectorMath math{builder, isa<FloatType>(plan.part)};
  auto type = VectorType::get(plan.lanes, plan.part);
  Value zero = arith::ConstantOp::create(
      builder, cast<TypedAttr>(builder.getZeroAttr(type)));
  HostTile zeros(plan.parts * plan.rowTile * plan.vectors, zero);
  auto loop = scf::ForOp::create(builder, builder.constant(0), depth,
                                 builder.constant(1), zeros);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value sum = loop.getInductionVar();
  HostTile tile(loop.getRegionIterArgs());
  auto loadColumns = [&](int64_t part, int64_t v) -> Value {
    return vector::LoadOp::create(builder, type, columns,
                                  ValueRange{columnPanel,
                                             builder.constant(part), sum,
                                             builder.constant(v * plan.lanes)});
  };
  auto loadRow = [&](int64_t part, int64_t row) -> Value {
    Value element = builder.load(
        rows, {rowPanel, builder.constant(part), sum, builder.constant(row)});
    return vector::BroadcastOp::create(builder, type, element);
  };
  SmallVector<Value> right;
  for (int64_t part = 0; part != plan.parts; ++part)
    for (int64_t v = 0; v != plan.vectors; ++v)
      right.push_back(loadColumns(part, v));
  int64_t part = plan.rowTile * plan.vectors;
  for (int64_t row = 0; row != plan.rowTile; ++row) {
    Value left = loadRow(0, row);
    Value imaginary = plan.parts == 2 ? loadRow(1, row) : Value();
    for (int64_t v = 0; v != plan.vectors; ++v) {
      Value &real = tile[row * plan.vectors + v];
      real = math.add(real, math.multiply(left, right[v]));
      if (!imaginary)
        continue;
      Value &other = tile[part + row * plan.vectors + v];
      Value rightImaginary = right[plan.vectors + v];
      real = math.subtract(real, math.multiply(imaginary, rightImaginary));
      other = math.add(other, math.multiply(left, rightImaginary));
      other = math.add(other, math.multiply(imaginary, right[v]));
    }
  }
  scf::YieldOp::create(builder, tile);
  return HostTile(loop.getResults());
}
