//===- HostPacking.cpp - Copies of rows and columns into panels -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are neighbours in memory are columns, or sums, or columns of
// other panels. The first are copied as vectors; others are transposed, as many
// vectors as each has elements, in registers.
//
//===----------------------------------------------------------------------===//

#include "Host/HostPanels.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Blocks of fewer elements by as many are copied one by one.
static constexpr int64_t kLeastBlock = 4;

int64_t mlir::tc::getCommonBlock(ArrayRef<int64_t> extents) {
  int64_t common = 0;
  for (int64_t extent : extents)
    common = std::gcd(common, extent);
  return common & -common;
}

namespace {
/// One panel on its way.
struct PanelPacker {
  HostContraction &code;
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
  void copyPadded(Value start);
  void copyFirst(Value count, int64_t length);
  void copyElement(Value place, Value sum, Value line);
  void copyAlongLines();
  void copyAlongSums();
  void transposeSums(int64_t block, int64_t spacing);
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

/// Vectors of padded columns, from number `start` on; there is a line in the
/// table for each.
void PanelPacker::copyPadded(Value start) {
  auto type = VectorType::get(plan.lanes, plan.part);
  Value zeros = createZeros(builder, type);
  SmallVector<std::pair<Value, Value>> pieces;
  for (int64_t line = 0; line != side.width; line += plan.lanes)
    pieces.push_back({lineOf(line / plan.lanes),
                      code.buildPaddingMask(builder.add(start, line))});
  builder.loop(depth, [&](Value sum) {
    Value place = placeOfSum(sum);
    for (auto [i, piece] : llvm::enumerate(pieces)) {
      Value vector = vector::MaskedLoadOp::create(
          builder, type, side.operand.base, builder.add(piece.first, place),
          piece.second, zeros);
      vector::StoreOp::create(
          builder, vector, side.panels,
          indicesOf(0, sum, builder.constant(i * plan.lanes)));
    }
  });
}

/// The first `count` lines, fewer than a panel has, which are neighbours.
void PanelPacker::copyFirst(Value count, int64_t length) {
  auto type = VectorType::get(length, plan.part);
  Value start = lineOf(0);
  Value zeros = createZeros(builder, type);
  SmallVector<Value> masks;
  for (int64_t line = 0; line != side.width; line += length)
    masks.push_back(createMask(builder, count, line, length));
  builder.loop(depth, [&](Value sum) {
    Value place = builder.add(start, placeOfSum(sum));
    for (auto [i, mask] : llvm::enumerate(masks)) {
      Value vector = vector::MaskedLoadOp::create(
          builder, type, side.operand.base, builder.add(place, i * length),
          mask, zeros);
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

/// `block` lines by as many sums, which are neighbours, at a time. In the order
/// of sums there are `spacing` from one neighbour to the next. What is left of
/// the sums goes one by one.
void PanelPacker::transposeSums(int64_t block, int64_t spacing) {
  auto type = VectorType::get(block, plan.part);
  Value blocks = builder.divide(depth, block * spacing);
  builder.loop(builder.constant(side.width / block), [&](Value group) {
    Value first = builder.multiply(group, block);
    SmallVector<Value> starts;
    for (int64_t line = 0; line != block; ++line)
      starts.push_back(builder.load(lines, builder.add(first, line)));
    auto copyBlock = [&](Value sum) {
      Value place = placeOfSum(sum);
      SmallVector<Value> vectors;
      for (Value start : starts)
        vectors.push_back(vector::LoadOp::create(
            builder, type, side.operand.base, builder.add(start, place)));
      builder.transpose(vectors);
      for (auto [i, vector] : llvm::enumerate(vectors))
        vector::StoreOp::create(
            builder, vector, side.panels,
            indicesOf(0, builder.add(sum, i * spacing), first));
    };
    builder.loop(blocks, [&](Value number) {
      Value sum = builder.multiply(number, block * spacing);
      if (spacing == 1)
        return copyBlock(sum);
      builder.loop(builder.constant(spacing),
                   [&](Value inner) { copyBlock(builder.add(sum, inner)); });
    });
    Value done = builder.multiply(blocks, block * spacing);
    builder.loop(builder.subtract(depth, done), [&](Value rest) {
      Value sum = builder.add(done, rest);
      for (auto [i, start] : llvm::enumerate(starts))
        copyElement(builder.add(start, placeOfSum(sum)), sum,
                    builder.add(first, i));
    });
  });
}

/// Neighbours of `operand` along the sums of a block: how many there are in a
/// run, which begins at a multiple of that number, and how many sums apart they
/// are. 1 where there are none, or not in every block.
static std::pair<int64_t, int64_t> findSumRuns(HostContraction &code,
                                               const Access &operand) {
  const HostPlan &plan = code.plan;
  int64_t run = code.getRun(operand, plan.sums);
  if (run != 1)
    return {std::gcd(run, plan.depth), 1};
  int64_t spacing = 1;
  for (unsigned i : llvm::reverse(plan.sums)) {
    int64_t extent = code.table.extents[i];
    if (ShapedType::isDynamic(extent) || spacing > plan.depth)
      break;
    if (operand.strides[i] == 1 && plan.depth % (spacing * extent) == 0)
      return {extent, spacing};
    spacing *= extent;
  }
  return {1, 1};
}

void mlir::tc::packPanel(HostContraction &code, const HostSide &side,
                         Value panel, Value start, Value depth) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  if (plan.dot != 1)
    return packPairs(code, side, panel, start, depth);
  PanelPacker packer{
      code,  builder, plan, side, code.op.getAccumulatorTypes().front(),
      panel, depth,   {}};
  int64_t run = code.getRun(side.operand, side.iterators);
  int64_t step = std::gcd(run, side.width);
  bool isPlain = packer.elementType() == plan.part;
  bool isPadded = code.isPadded(side.iterators.back());
  if (!isPlain)
    step = 1;
  int64_t entries = side.width / step;
  packer.lines = builder.reserve(entries, builder.getIndexType());
  Value dense = code.buildTable(
      side.operand,
      {side.iterators, start, builder.constant(entries), side.total, step},
      packer.lines, {});
  int64_t lineStride = code.getInnerStride(side.operand, side.iterators);
  int64_t sumStride = code.getInnerStride(side.operand, plan.sums);
  auto copyElements = [&] {
    sumStride < lineStride ? packer.copyAlongSums() : packer.copyAlongLines();
  };
  int64_t widest = getCommonBlock({side.width, plan.lanes});
  auto [runOfSums, spacing] = findSumRuns(code, side.operand);
  int64_t block = getCommonBlock({widest, runOfSums});
  auto copyPieces = [&, spacing = spacing] {
    if (step != 1)
      return isPadded ? packer.copyPadded(start)
                      : packer.copyVectors(step, step);
    if (isPlain && block >= kLeastBlock)
      return packer.transposeSums(block, spacing);
    if (!isPlain || sumStride != 1 || widest < kLeastBlock)
      return copyElements();
    builder.branch(
        builder.isEqual(side.denseSums, 1),
        [&] { packer.transposeSums(widest, /*spacing=*/1); }, copyElements);
  };
  if (!isPlain || lineStride != 1 || step == side.width || isPadded)
    return copyPieces();
  Value left = builder.subtract(side.total, start);
  Value isWhole = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                        left, builder.constant(side.width));
  auto copyLines = [&] {
    builder.branch(
        isWhole, [&] { packer.copyVectors(widest, step); },
        [&] { packer.copyFirst(left, widest); });
  };
  builder.branch(builder.isEqual(dense, 1), copyLines, copyPieces);
}

//===----------------------------------------------------------------------===//
// Tiles of columns
//===----------------------------------------------------------------------===//

namespace {
/// Columns that are neighbours in the input, by columns that are in the result.
struct TilePacker {
  HostContraction &code;
  HostBuilder &builder;
  const HostPlan &plan;
  const HostSide &side;
  Value start, depth;

  Value locate(Value column) {
    return builder.add(side.batch, code.locate(side.operand, side.iterators,
                                               builder.add(start, column)));
  }
  /// Where column `column` of the block lies in the panels.
  SmallVector<Value> indicesOf(Value column, Value sum) {
    return {builder.divide(column, side.width), builder.constant(0), sum,
            builder.remainder(column, side.width)};
  }

  void copyLine(Value first);
  void transposeColumns(Value first, int64_t block);
};
} // namespace

/// The neighbours of column `first` in the input, one by one.
void TilePacker::copyLine(Value first) {
  Type accumulator = code.op.getAccumulatorTypes().front();
  Value base = locate(first);
  builder.loop(depth, [&](Value sum) {
    Value place = builder.add(base, builder.load(side.sums, sum));
    builder.loop(builder.constant(plan.inputNeighbours), [&](Value neighbour) {
      Value element =
          builder.load(side.operand.base, {builder.add(place, neighbour)});
      Value column = builder.add(
          first, builder.multiply(neighbour, plan.resultNeighbours));
      builder.store(
          convertNumber(builder, builder.getLoc(), element, accumulator),
          side.panels, indicesOf(column, sum));
    });
  });
}

/// `block` columns from `first` on, by all of their neighbours in the input:
/// blocks of as many, and at last of fewer.
void TilePacker::transposeColumns(Value first, int64_t block) {
  auto type = VectorType::get(block, plan.part);
  SmallVector<Value> bases;
  for (int64_t i = 0; i != block; ++i)
    bases.push_back(locate(builder.add(first, i)));
  auto transposeBlock = [&](Value neighbour, int64_t count) {
    SmallVector<SmallVector<Value>> places;
    for (int64_t i = 0; i != count; ++i)
      places.push_back(indicesOf(
          builder.add(first, builder.multiply(builder.add(neighbour, i),
                                              plan.resultNeighbours)),
          builder.constant(0)));
    Value zeros = createZeros(builder, type);
    Value mask = createMask(builder, builder.constant(count), 0, block);
    builder.loop(depth, [&](Value sum) {
      Value place = builder.add(neighbour, builder.load(side.sums, sum));
      SmallVector<Value> vectors;
      for (Value base : bases) {
        Value from = builder.add(base, place);
        vectors.push_back(
            count == block
                ? vector::LoadOp::create(builder, type, side.operand.base, from)
                      .getResult()
                : vector::MaskedLoadOp::create(builder, type, side.operand.base,
                                               from, mask, zeros)
                      .getResult());
      }
      builder.transpose(vectors);
      for (auto [place, vector] :
           llvm::zip_equal(places, ArrayRef(vectors).take_front(count))) {
        place[2] = sum;
        vector::StoreOp::create(builder, vector, side.panels, place);
      }
    });
  };
  builder.loop(builder.constant(plan.inputNeighbours / block), [&](Value part) {
    transposeBlock(builder.multiply(part, block), block);
  });
  int64_t rest = plan.inputNeighbours % block;
  if (rest != 0)
    transposeBlock(builder.constant(plan.inputNeighbours - rest), rest);
}

void mlir::tc::packTiles(HostContraction &code, const HostSide &side,
                         Value start, Value count, Value depth) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  TilePacker packer{code, builder, plan, side, start, depth};
  bool isPlain =
      cast<MemRefType>(side.operand.base.getType()).getElementType() ==
      plan.part;
  int64_t block =
      getCommonBlock({plan.resultNeighbours, plan.lanes, side.width});
  int64_t lines = isPlain && block >= kLeastBlock ? block : 1;
  int64_t tile = plan.inputNeighbours * plan.resultNeighbours;
  builder.loop(builder.divide(count, tile), [&](Value number) {
    Value begin = builder.multiply(number, tile);
    builder.loop(
        builder.constant(plan.resultNeighbours / lines), [&](Value group) {
          Value first = builder.add(begin, builder.multiply(group, lines));
          if (lines == 1)
            packer.copyLine(first);
          else
            packer.transposeColumns(first, block);
        });
  });
}
