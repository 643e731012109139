//===- LowerMma.cpp - Contractions of a warp to tensor instructions -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane holds the results of its own rows and columns, as threads do without
// tensor units. It reads rows at its own place, but of the terms every fourth
// alone; and of the columns those of the group of lanes that shares its row:
// Target/Mma.h has the fragments.
//
//===----------------------------------------------------------------------===//

#include "Contract/LowerMma.h"

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// A value for each iterator that an operand varies with; null for others.
using Point = SmallVector<OpFoldResult>;

/// Emits the code of one contraction.
class MmaKernel {
public:
  MmaKernel(OpBuilder &builder, ContractOp op)
      : builder(builder), op(op), loc(op.getLoc()),
        unit(op.getScheduleAttr().getUnit()), shape(unit.getShape()) {}
  LogicalResult emit();

private:
  /// What iterators do, and how many results and terms of a lane there are.
  LogicalResult sortIterators();
  LogicalResult checkCounts();
  /// All places along `iterators`, the last one fastest.
  SmallVector<Point> enumerate(ArrayRef<unsigned> iterators);
  int64_t getExtent(unsigned i) { return op.getStaticExtents()[i]; }

  void enterLanes(ValueRange indices);
  Value load(unsigned input, ArrayRef<const Point *> places);
  SmallVector<Value> loadFragment(unsigned input, const Point &lanes,
                                  ArrayRef<const Point *> own,
                                  const Point &batch, ArrayRef<Point> terms);
  void emitLane();

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  MmaAttr unit;
  const MmaShape &shape;

  /// The inputs with rows and with columns.
  unsigned rowInput = 0, columnInput = 1;
  /// The iterators of lanes, and those of what a lane holds.
  SmallVector<unsigned> rowLanes, columnLanes;
  SmallVector<unsigned> rows, columns, batches, terms;
  /// Of `terms`, in their order: lanes along each.
  SmallVector<int64_t> termLanes;
  /// Where the lane is: in its own rows and columns, and in the column and the
  /// terms that it reads.
  Point ownRow, readColumn, readTerm;
  /// The second of two columns in a fragment, along the last of `columns`.
  OpFoldResult second;
  /// This lane's results.
  Value results;
};
} // namespace

static bool variesWith(AffineMap map, unsigned i) {
  return map.isFunctionOfDim(i);
}

LogicalResult MmaKernel::sortIterators() {
  auto collect = [&](ArrayRef<Factor> factors) {
    return llvm::map_to_vector(factors, [&](const Factor &factor) {
      return *op.findIterator(factor.iterator.getValue());
    });
  };
  rowLanes = collect(unit.getM());
  columnLanes = collect(unit.getN());
  if (op.getInputs().size() != 2 || op.getOutputs().size() != 1 ||
      !op.isMultiplyAdd())
    return op.emitOpError("expected a sum of products of two inputs for ")
           << unit;
  if (llvm::any_of(op.getStaticExtents(), ShapedType::isDynamic))
    return op.emitOpError("expected static extents of the tile of a warp");
  if (!variesWith(op.getInputMap(0), rowLanes.front()))
    std::swap(rowInput, columnInput);
  AffineMap rowMap = op.getInputMap(rowInput),
            columnMap = op.getInputMap(columnInput);
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    if (llvm::is_contained(rowLanes, i) || llvm::is_contained(columnLanes, i))
      continue;
    bool hasRow = variesWith(rowMap, i), hasColumn = variesWith(columnMap, i);
    if (op.isContracted(i)) {
      terms.push_back(i);
      termLanes.push_back(unit.getTermLanes(op.getIterator(i)));
    } else {
      (hasRow == hasColumn ? batches : hasRow ? rows : columns).push_back(i);
    }
  }
  // Two neighbours along the last one are two columns of a fragment.
  llvm::stable_sort(columns, [&](unsigned a, unsigned b) {
    return getExtent(a) % 2 != 0 && getExtent(b) % 2 == 0;
  });
  return success();
}

LogicalResult MmaKernel::checkCounts() {
  auto count = [&](ArrayRef<unsigned> iterators) {
    int64_t product = 1;
    for (unsigned i : iterators)
      product *= getExtent(i);
    return product;
  };
  if (count(rows) % shape.countRows() != 0)
    return op.emitOpError("expected a multiple of ")
           << shape.countRows() << " rows of each lane for " << unit << ", got "
           << count(rows);
  if (columns.empty() || getExtent(columns.back()) % kMmaColumnsPerLane != 0)
    return op.emitOpError("expected an even number of places along an iterator "
                          "of the columns for ")
           << unit;
  for (auto [i, lanes] : llvm::zip_equal(terms, termLanes))
    if (getExtent(i) % lanes != 0)
      return op.emitOpError("expected a multiple of ")
             << lanes << " terms along '" << op.getIterator(i) << "' for "
             << unit << ", got " << getExtent(i);
  if (count(terms) % shape.k != 0)
    return op.emitOpError("expected a multiple of ")
           << shape.k << " terms for " << unit << ", got " << count(terms);
  return success();
}

SmallVector<Point> MmaKernel::enumerate(ArrayRef<unsigned> iterators) {
  SmallVector<int64_t> counts;
  for (unsigned i : iterators) {
    auto *term = llvm::find(terms, i);
    int64_t lanes = term == terms.end() ? 1 : termLanes[term - terms.begin()];
    counts.push_back(getExtent(i) / lanes);
  }
  SmallVector<int64_t> strides = computeSuffixProduct(counts);
  SmallVector<Point> points;
  for (int64_t n = 0, e = computeProduct(counts); n < e; ++n) {
    Point point(op.getNumIterators());
    for (auto [i, place] : llvm::zip_equal(iterators, delinearize(n, strides)))
      point[i] = builder.getIndexAttr(place);
    points.push_back(std::move(point));
  }
  return points;
}

/// number floordiv divisor mod size, of an index with a bound.
static OpFoldResult buildDigit(OpBuilder &builder, Location loc, Value number,
                               int64_t divisor, int64_t size) {
  AffineExpr digit = builder.getAffineDimExpr(0).floorDiv(divisor) % size;
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(1, 0, digit), {OpFoldResult(number)});
}

void MmaKernel::enterLanes(ValueRange lanes) {
  unsigned count = op.getNumIterators();
  ownRow.assign(count, OpFoldResult());
  readColumn.assign(count, OpFoldResult());
  readTerm.assign(count, OpFoldResult());
  auto linearize = [&](ArrayRef<unsigned> iterators, ValueRange own) -> Value {
    AffineExpr sum = builder.getAffineConstantExpr(0);
    SmallVector<OpFoldResult> operands;
    for (auto [d, i] : llvm::enumerate(iterators)) {
      sum = sum * getExtent(i) + builder.getAffineDimExpr(d);
      operands.push_back(own[d]);
    }
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(
            builder, loc, AffineMap::get(iterators.size(), 0, sum), operands));
  };
  ValueRange alongRows = lanes.take_front(rowLanes.size()),
             alongColumns = lanes.drop_front(rowLanes.size());
  Value row = linearize(rowLanes, alongRows),
        column = linearize(columnLanes, alongColumns);
  for (auto [i, lane] : llvm::zip_equal(rowLanes, alongRows))
    ownRow[i] = lane;
  // The columns of a fragment by the row of the lane: two of each lane.
  second = buildDigit(builder, loc, row, 1, kMmaColumnsPerLane);
  int64_t divisor = kMmaColumnsPerLane;
  for (unsigned i : llvm::reverse(columnLanes)) {
    readColumn[i] = buildDigit(builder, loc, row, divisor, getExtent(i));
    divisor *= getExtent(i);
  }
  divisor = 1;
  for (auto [i, count] : llvm::reverse(llvm::zip_equal(terms, termLanes))) {
    if (count > 1)
      readTerm[i] = buildDigit(builder, loc, column, divisor, count);
    divisor *= count;
  }
}

Value MmaKernel::load(unsigned input, ArrayRef<const Point *> places) {
  SmallVector<Value> subscripts;
  for (AffineExpr expr : op.getInputMap(input).getResults()) {
    unsigned i = cast<AffineDimExpr>(expr).getPosition();
    OpFoldResult sum = builder.getIndexAttr(0);
    for (const Point *place : places)
      if (OpFoldResult part = (*place)[i])
        sum = affine::makeComposedFoldedAffineApply(
            builder, loc,
            AffineMap::get(2, 0,
                           builder.getAffineDimExpr(0) +
                               builder.getAffineDimExpr(1)),
            {sum, part});
    subscripts.push_back(getValueOrCreateConstantIndexOp(builder, loc, sum));
  }
  return memref::LoadOp::create(builder, loc, op.getInputs()[input],
                                subscripts);
}

/// The terms `terms` of the rows or columns `own`, each row of a term in turn.
SmallVector<Value> MmaKernel::loadFragment(unsigned input, const Point &lanes,
                                           ArrayRef<const Point *> own,
                                           const Point &batch,
                                           ArrayRef<Point> terms) {
  SmallVector<Value> fragment;
  for (const Point &term : terms) {
    Point scaled = term;
    for (auto [i, count] : llvm::zip_equal(this->terms, termLanes))
      if (count > 1)
        scaled[i] = builder.getIndexAttr(*getConstantIntValue(term[i]) * count);
    for (const Point *place : own)
      fragment.push_back(
          load(input, {place, &lanes, &batch, &scaled, &readTerm}));
  }
  return fragment;
}

LogicalResult MmaKernel::emit() {
  if (failed(sortIterators()) || failed(checkCounts()))
    return failure();
  auto warp = op.getOutput().getDefiningOp<memref::SubViewOp>();
  if (!warp)
    return op.emitOpError("expected the results of a warp in a memref.subview "
                          "of accumulators, got ")
           << op.getOutput().getType();
  SmallVector<unsigned> lanes = rowLanes;
  llvm::append_range(lanes, columnLanes);
  SmallVector<OpFoldResult> lower(lanes.size(), builder.getIndexAttr(0)), upper;
  for (unsigned i : lanes)
    upper.push_back(builder.getIndexAttr(getExtent(i)));
  auto par = ParOp::create(
      builder, loc, Level::Warp, lower, upper,
      SmallVector<int64_t>(lanes.size(), 1),
      [&](OpBuilder &, Location, ValueRange indices) {
        enterLanes(indices);
        // The subscripts of the warp, then those of the lane, then the rest.
        SmallVector<OpFoldResult> offsets = warp.getMixedOffsets(),
                                  sizes = warp.getMixedSizes();
        unsigned first =
            warp.getSourceType().getRank() - warp.getType().getRank();
        for (auto [d, index] : llvm::enumerate(indices)) {
          offsets[first + d] = index;
          sizes[first + d] = builder.getIndexAttr(1);
        }
        ArrayRef<int64_t> own =
            warp.getType().getShape().drop_front(lanes.size());
        results = memref::SubViewOp::create(
            builder, loc,
            memref::SubViewOp::inferRankReducedResultType(
                own, warp.getSourceType(), offsets, sizes,
                warp.getMixedStrides()),
            warp.getSource(), offsets, sizes, warp.getMixedStrides());
        emitLane();
      });
  llvm::Expected<Mapping> mapping = mapToThreads(par.getSpace());
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  par.setMappingAttr(
      MapAttr::get(builder.getContext(), mapping->combinators()));
  return success();
}

void MmaKernel::emitLane() {
  SmallVector<Point> rowPoints = enumerate(rows),
                     columnPoints = enumerate(columns),
                     batchPoints = enumerate(batches),
                     termPoints = enumerate(terms);
  Type element = cast<MemRefType>(results.getType()).getElementType();
  unsigned lanes = rowLanes.size() + columnLanes.size();
  auto locate = [&](const Point &row, const Point &column, const Point &batch) {
    SmallVector<Value> subscripts;
    for (AffineExpr expr : op.getOutputMap(0).getResults().drop_front(lanes)) {
      unsigned i = cast<AffineDimExpr>(expr).getPosition();
      OpFoldResult place = row[i] ? row[i] : column[i] ? column[i] : batch[i];
      subscripts.push_back(
          getValueOrCreateConstantIndexOp(builder, loc, place));
    }
    return subscripts;
  };
  int64_t rowCount = shape.countRows(), termCount = shape.countTerms();
  auto tuple = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(shape.countResults(), element));
  for (const Point &batch : batchPoints) {
    // By row and column, as lanes hold them.
    SmallVector<SmallVector<Value>> sums;
    for (const Point &row : rowPoints)
      sums.push_back(
          llvm::map_to_vector(columnPoints, [&](const Point &column) {
            return Value(memref::LoadOp::create(builder, loc, results,
                                                locate(row, column, batch)));
          }));
    for (size_t t = 0; t < termPoints.size(); t += termCount) {
      ArrayRef<Point> terms = ArrayRef(termPoints).slice(t, termCount);
      SmallVector<SmallVector<Value>> left, right;
      for (size_t r = 0; r < rowPoints.size(); r += rowCount) {
        SmallVector<const Point *> own;
        for (int64_t j = 0; j < rowCount; ++j)
          own.push_back(&rowPoints[r + j]);
        left.push_back(loadFragment(rowInput, ownRow, own, batch, terms));
      }
      for (size_t c = 0; c < columnPoints.size(); c += kMmaColumnsPerLane) {
        Point lane = readColumn;
        lane[columns.back()] = second;
        right.push_back(
            loadFragment(columnInput, lane, {&columnPoints[c]}, batch, terms));
      }
      for (auto [r, a] : llvm::enumerate(left))
        for (auto [c, b] : llvm::enumerate(right)) {
          SmallVector<Value> arguments = a;
          llvm::append_range(arguments, b);
          SmallVector<Value *> own;
          for (int64_t j = 0; j < rowCount; ++j)
            for (int64_t e = 0; e < kMmaColumnsPerLane; ++e)
              own.push_back(
                  &sums[r * rowCount + j][c * kMmaColumnsPerLane + e]);
          for (Value *sum : own)
            arguments.push_back(*sum);
          Value all = LLVM::CallIntrinsicOp::create(
                          builder, loc, tuple,
                          builder.getStringAttr(shape.intrinsic), arguments)
                          .getResult(0);
          for (auto [place, sum] : llvm::enumerate(own))
            *sum = LLVM::ExtractValueOp::create(builder, loc, all,
                                                ArrayRef<int64_t>(place));
        }
    }
    for (auto [row, ofRow] : llvm::zip_equal(rowPoints, sums))
      for (auto [column, sum] : llvm::zip_equal(columnPoints, ofRow))
        memref::StoreOp::create(builder, loc, sum, results,
                                locate(row, column, batch));
  }
}

LogicalResult mlir::tc::lowerMma(OpBuilder &builder, ContractOp op) {
  return MmaKernel(builder, op).emit();
}
