//===- HostPanels.cpp - Packed panels and register tiles ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostPanels.h"

#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

void mlir::tc::buildFor(ImplicitLocOpBuilder &builder, Value upper,
                        function_ref<void(Value)> body) {
  auto loop =
      scf::ForOp::create(builder, arith::ConstantIndexOp::create(builder, 0),
                         upper, arith::ConstantIndexOp::create(builder, 1));
  setScalar(loop); // vectors are written out; others would gather and scatter
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void mlir::tc::buildIf(ImplicitLocOpBuilder &builder, Value condition,
                       function_ref<void()> then,
                       function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(builder, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// One panel on its way.
struct PanelPacker {
  ImplicitLocOpBuilder &builder;
  const HostPlan &plan;
  const HostSide &side;
  Type accumulator;
  Value panel, depth, lines;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(a, b);
  }
  Type elementType() {
    return cast<MemRefType>(side.operand.elements.getType()).getElementType();
  }
  Value lineOf(int64_t entry) {
    return memref::LoadOp::create(builder, lines, constant(entry));
  }
  Value placeOfSum(Value sum) {
    return add(side.batch, memref::LoadOp::create(builder, side.sums, sum));
  }
  SmallVector<Value> indicesOf(int64_t part, Value sum, Value line) {
    return {panel, constant(part), sum, line};
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
    starts.push_back(add(lineOf(line / step), constant(line % step)));
  auto type = VectorType::get(length, plan.part);
  buildFor(builder, depth, [&](Value sum) {
    Value place = placeOfSum(sum);
    for (auto [i, start] : llvm::enumerate(starts)) {
      Value vector = vector::LoadOp::create(
          builder, type, side.operand.elements, add(start, place));
      vector::StoreOp::create(builder, vector, side.panels,
                              indicesOf(0, sum, constant(i * length)));
    }
  });
}

void PanelPacker::copyElement(Value place, Value sum, Value line) {
  Value element = memref::LoadOp::create(builder, side.operand.elements, place);
  Value number = convertNumber(builder, builder.getLoc(), element, accumulator);
  SmallVector<Value> parts = {number};
  if (plan.parts == 2)
    parts = {complex::ReOp::create(builder, number),
             complex::ImOp::create(builder, number)};
  for (auto [i, part] : llvm::enumerate(parts))
    memref::StoreOp::create(builder, part, side.panels,
                            indicesOf(i, sum, line));
}

void PanelPacker::copyAlongLines() {
  SmallVector<Value> starts;
  for (int64_t line = 0; line != side.width; ++line)
    starts.push_back(lineOf(line));
  buildFor(builder, depth, [&](Value sum) {
    Value place = placeOfSum(sum);
    for (auto [i, start] : llvm::enumerate(starts))
      copyElement(add(start, place), sum, constant(i));
  });
}

void PanelPacker::copyAlongSums() {
  buildFor(builder, constant(side.width), [&](Value line) {
    Value start = memref::LoadOp::create(builder, lines, line);
    buildFor(builder, depth, [&](Value sum) {
      copyElement(add(start, placeOfSum(sum)), sum, line);
    });
  });
}

/// The stride of the innermost of `iterators`; the largest where there is none.
static int64_t getInnerStride(ArrayRef<unsigned> iterators,
                              const HostOperand &operand) {
  if (iterators.empty() ||
      ShapedType::isDynamic(operand.known[iterators.back()]))
    return INT64_MAX;
  return std::abs(operand.known[iterators.back()]);
}

void mlir::tc::packPanel(ImplicitLocOpBuilder &builder, ContractOp op,
                         HostPlaces &places, const HostPlan &plan,
                         const HostSide &side, ArrayRef<int64_t> extents,
                         Value panel, Value start, Value depth) {
  PanelPacker packer{builder, plan,  side, op.getAccumulatorTypes().front(),
                     panel,   depth, {}};
  int64_t run = getRun(side.iterators, side.operand.known, extents);
  int64_t step = std::gcd(run, side.width);
  bool isPlain = packer.elementType() == plan.part;
  if (!isPlain)
    step = 1;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  int64_t entries = side.width / step;
  packer.lines = memref::AllocaOp::create(
      builder, MemRefType::get(entries, builder.getIndexType()));
  Value dense =
      buildTable(builder, places, side.operand,
                 {side.iterators, start, constant(entries), side.total, step},
                 packer.lines, {});
  int64_t lineStride = getInnerStride(side.iterators, side.operand);
  auto copyPieces = [&] {
    if (step != 1)
      packer.copyVectors(step, step);
    else if (getInnerStride(plan.sums, side.operand) < lineStride)
      packer.copyAlongSums();
    else
      packer.copyAlongLines();
  };
  if (!isPlain || lineStride != 1 || step == side.width)
    return copyPieces();
  Value isDense = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        dense, constant(1));
  int64_t whole = std::gcd(side.width, plan.lanes);
  buildIf(
      builder, isDense, [&] { packer.copyVectors(whole, step); }, copyPieces);
}

void mlir::tc::packTiles(ImplicitLocOpBuilder &builder, ContractOp op,
                         HostPlaces &places, const HostPlan &plan,
                         const HostSide &side, Value start, Value count,
                         Value depth) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Type accumulator = op.getAccumulatorTypes().front();
  Value inner = constant(plan.resultNeighbours),
        outer = constant(plan.inputNeighbours), width = constant(side.width);
  Value tile = arith::MulIOp::create(builder, inner, outer);
  auto table = [&] {
    return memref::AllocaOp::create(
        builder, MemRefType::get(plan.inputNeighbours, builder.getIndexType()));
  };
  Value panels = table(), lanes = table();
  auto copyLine = [&](Value first) {
    Value line = arith::AddIOp::create(builder, start, first);
    Value base = builder.createOrFold<arith::AddIOp>(
        side.batch, places.locate(side.operand, side.iterators, line));
    buildFor(builder, outer, [&](Value neighbour) {
      Value column = arith::AddIOp::create(
          builder, first, arith::MulIOp::create(builder, neighbour, inner));
      memref::StoreOp::create(builder,
                              arith::DivUIOp::create(builder, column, width),
                              panels, neighbour);
      memref::StoreOp::create(builder,
                              arith::RemUIOp::create(builder, column, width),
                              lanes, neighbour);
    });
    buildFor(builder, depth, [&](Value sum) {
      Value place = arith::AddIOp::create(
          builder, base, memref::LoadOp::create(builder, side.sums, sum));
      buildFor(builder, outer, [&](Value neighbour) {
        Value element = memref::LoadOp::create(
            builder, side.operand.elements,
            ValueRange{arith::AddIOp::create(builder, place, neighbour)});
        Value number =
            convertNumber(builder, builder.getLoc(), element, accumulator);
        memref::StoreOp::create(
            builder, number, side.panels,
            ValueRange{memref::LoadOp::create(builder, panels, neighbour),
                       constant(0), sum,
                       memref::LoadOp::create(builder, lanes, neighbour)});
      });
    });
  };
  buildFor(builder, arith::DivUIOp::create(builder, count, tile),
           [&](Value number) {
             Value first = arith::MulIOp::create(builder, number, tile);
             buildFor(builder, inner, [&](Value line) {
               copyLine(arith::AddIOp::create(builder, first, line));
             });
           });
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

namespace {
/// Products of vectors, which become fused ones where the CPU has those.
struct VectorMath {
  ImplicitLocOpBuilder &builder;
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

HostTile mlir::tc::multiplyPanels(ImplicitLocOpBuilder &builder,
                                  const HostPlan &plan, Value rows,
                                  Value rowPanel, Value columns,
                                  Value columnPanel, Value depth) {
  VectorMath math{builder, isa<FloatType>(plan.part)};
  auto type = VectorType::get(plan.lanes, plan.part);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value zero = arith::ConstantOp::create(
      builder, cast<TypedAttr>(builder.getZeroAttr(type)));
  HostTile zeros(plan.parts * plan.rowTile * plan.vectors, zero);
  auto loop =
      scf::ForOp::create(builder, constant(0), depth, constant(1), zeros);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value sum = loop.getInductionVar();
  HostTile tile(loop.getRegionIterArgs());
  auto loadColumns = [&](int64_t part, int64_t v) -> Value {
    return vector::LoadOp::create(
        builder, type, columns,
        ValueRange{columnPanel, constant(part), sum, constant(v * plan.lanes)});
  };
  auto loadRow = [&](int64_t part, int64_t row) -> Value {
    Value element = memref::LoadOp::create(
        builder, rows,
        ValueRange{rowPanel, constant(part), sum, constant(row)});
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
