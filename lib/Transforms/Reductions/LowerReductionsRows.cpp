//===- LowerReductionsRows.cpp - Reductions by a thread for each row ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tc.par block that holds a reduction of its block and nothing else: the
// iterations are rows, each of which is reduced or scanned by itself. Rows are
// many and short, so a thread has one. By itself it would read memory at the
// stride of the rows, so that a tile of rows and columns goes through shared
// memory, row by row:
//
//   1. terms to the tile, by all threads: neighbours have neighbouring terms
//   2. thread r combines row r of the tile; a scan keeps each sum
//   3. a scan finishes the terms, as they were loaded
//
// and so on with the next columns, from the sums that each thread has. Rows of
// the tile are an odd number of elements apart, so that the threads of 2. are
// in different banks.
//
//===----------------------------------------------------------------------===//

#include "Nests/Bands.h"
#include "Reductions/Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Columns of a tile at most: a warp reads 128 bytes of floats. And at least:
/// 32 bytes, of which memory gives no part.
static constexpr int64_t kMaxColumns = 32, kMinColumns = 8;
/// Shared memory that a tile may take, but for the gaps.
static constexpr int64_t kMaxBytes = 16 * 1024;
/// Terms that a thread loads before it stores them.
static constexpr int64_t kAtOnce = 4;

namespace {
/// One reduction of each row.
class RowFold {
public:
  template <typename FoldOp>
  RowFold(OpBuilder &builder, FoldOp op, ParOp par)
      : fold(builder, op), builder(builder), par(par),
        rowPositions(par.getBounds()) {
    IndexBuilder math = fold.math();
    numRows = rowPositions.count(math);
    total = fold.count();
    chooseTile();
  }

  /// Emits all; `finishTerm` gets the indices of a term and what a scan found,
  /// `finishRow` what a reduction did. One of them is null.
  void emit(bool exclusive, Region *finishTerm, Region *finishRow);

private:
  using Build = function_ref<SmallVector<Value>()>;

  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }
  /// Has one tile all terms of its rows?
  bool isOneTile() const {
    std::optional<int64_t> known = getConstantIntValue(total);
    return known && *known > 0 && *known <= columns;
  }
  /// Has one tile all rows?
  bool haveOneTile();

  void chooseTile();
  OpFoldResult add(OpFoldResult a, OpFoldResult b);
  /// Has a thread for each row that a tile may have call `body`.
  void forThreads(function_ref<void(Value)> body);
  /// The same, for those rows that there are.
  void forRows(function_ref<void(Value)> body);
  /// Emits what `build` does, for the row of that number.
  SmallVector<Value> ofRow(Value row, Build build);
  /// One term of the tile, by its place there.
  struct Place {
    OpFoldResult inTile;
    Value row, position; ///< the numbers of its row and of the term
    Value isTerm;        ///< are there such a row and such a term? null: yes
  };
  /// That which `thread` has `next` steps after `step`, of the columns from
  /// `base` on.
  Place placeOf(Value thread, Value step, int64_t next, Value base);
  void loadTile(Value base);
  void foldRow(Value row, bool exclusive, Region *finishRow);
  void finishTile(Value base, Region &finishTerm);
  void emitTile(Value base, bool exclusive, Region *finishTerm,
                Region *finishRow);

  Fold fold;
  OpBuilder &builder;
  ParOp par;
  IndexPositions rowPositions;
  /// Rows, and terms of each.
  OpFoldResult numRows, total;
  /// Of a tile, which has a thread for each row.
  int64_t rows = 0, columns = 0;
  Value first;       ///< row of the tile
  OpFoldResult left; ///< rows that the tile has
  std::optional<FoldBuffers> terms, sums;
};
} // namespace

void RowFold::chooseTile() {
  int64_t bytes = 0;
  for (Value init : fold.inits)
    bytes += getBufferBytes(init.getType());
  rows = kRowsOfTile;
  columns = kMaxColumns;
  if (std::optional<int64_t> known = getConstantIntValue(total))
    columns = std::min<int64_t>(
        columns, llvm::PowerOf2Ceil(std::max<int64_t>(*known, 1)));
  while (columns > kMinColumns && rows * columns * bytes > kMaxBytes)
    columns /= 2;
  while (rows > 32 && rows * columns * bytes > kMaxBytes)
    rows /= 2;
}

void RowFold::forThreads(function_ref<void(Value)> body) {
  ParOp::create(
      builder, fold.loc, Level::Block, index(0), index(rows), {1},
      [&](OpBuilder &, Location, ValueRange thread) { body(thread.front()); });
}

void RowFold::forRows(function_ref<void(Value)> body) {
  forThreads([&](Value row) {
    if (getConstantIntValue(left) == rows)
      return body(row);
    Value isRow = arith::CmpIOp::create(
        builder, fold.loc, arith::CmpIPredicate::slt, row, fold.asValue(left));
    scf::IfOp::create(builder, fold.loc, isRow, [&](OpBuilder &, Location) {
      body(row);
      scf::YieldOp::create(builder, fold.loc);
    });
  });
}

SmallVector<Value> RowFold::ofRow(Value row, Build build) {
  IndexBuilder math = fold.math();
  IRMapping copies =
      copyArithmetic(builder, par, rowPositions.indicesAt(math, row));
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  Operation *last = end == block->begin() ? nullptr : &*std::prev(end);
  SmallVector<Value> values = build();
  Block::iterator begin =
      last ? std::next(last->getIterator()) : block->begin();
  for (Operation &made : llvm::make_range(begin, end))
    useCopies(&made, copies);
  return llvm::map_to_vector(
      values, [&](Value value) { return copies.lookupOrDefault(value); });
}

OpFoldResult RowFold::add(OpFoldResult a, OpFoldResult b) {
  return fold.apply(fold.dim(0) + fold.dim(1), {a, b});
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RowFold::Place RowFold::placeOf(Value thread, Value step, int64_t next,
                                Value base) {
  // Each step takes as many rows as there are threads for the columns.
  int64_t rowsOfStep = rows / columns;
  AffineExpr t = fold.dim(0), k = fold.dim(1);
  AffineExpr row = t.floorDiv(columns) + (k + next) * rowsOfStep;
  AffineExpr column = t % columns;
  OpFoldResult inRows = fold.apply(row, {thread, step});
  Place place;
  place.inTile = fold.apply(row * (columns + 1) + column, {thread, step});
  place.row = fold.asValue(add(first, inRows));
  place.position = fold.asValue(
      fold.apply(fold.dim(0) % columns + fold.dim(1), {thread, base}));
  IndexBuilder math = fold.math();
  std::optional<int64_t> known = getConstantIntValue(total);
  SmallVector<Value> conditions;
  if (getConstantIntValue(left) != rows)
    conditions.push_back(math.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::slt, fold.asValue(inRows), fold.asValue(left)));
  if (!known || *known % columns != 0)
    conditions.push_back(math.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::slt, place.position, fold.asValue(total)));
  for (Value condition : conditions)
    place.isTerm =
        place.isTerm ? math.createOrFold<arith::AndIOp>(place.isTerm, condition)
                     : condition;
  return place;
}

void RowFold::loadTile(Value base) {
  int64_t atOnce = std::min(kAtOnce, columns);
  auto load = [&](const Place &place) {
    return ofRow(place.row, [&] { return fold.map(place.position); });
  };
  auto loadIfTerm = [&](const Place &place) {
    if (!place.isTerm)
      return load(place);
    auto branch = scf::IfOp::create(
        builder, fold.loc, place.isTerm,
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(builder, fold.loc, load(place));
        },
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(builder, fold.loc, fold.inits);
        });
    return llvm::to_vector_of<Value>(branch.getResults());
  };
  forThreads([&](Value thread) {
    SeqOp::create(builder, fold.loc, index(0), index(columns), {atOnce},
                  [&](OpBuilder &, Location, ValueRange step) {
                    SmallVector<std::pair<Place, SmallVector<Value>>> loaded;
                    for (int64_t next : llvm::seq(atOnce)) {
                      Place place = placeOf(thread, step.front(), next, base);
                      loaded.emplace_back(place, loadIfTerm(place));
                    }
                    for (auto &[place, term] : loaded)
                      terms->store(term, place.inTile);
                  });
  });
}

void RowFold::foldRow(Value row, bool exclusive, Region *finishRow) {
  ofRow(fold.asValue(add(first, row)), [&] {
    SmallVector<Value> before = sums ? sums->load(row) : fold.inits;
    auto loop = SeqOp::create(
        builder, fold.loc, index(0), index(columns), {1}, before,
        [&](OpBuilder &, Location, ValueRange column, ValueRange carried) {
          OpFoldResult place = fold.apply(
              fold.dim(0) * (columns + 1) + fold.dim(1), {row, column.front()});
          SmallVector<Value> next = fold.combine(carried, terms->load(place));
          if (!finishRow)
            terms->store(exclusive ? carried : ValueRange(next), place);
          return next;
        });
    if (sums)
      sums->store(loop.getResults(), row);
    else if (finishRow)
      copyRegion(builder, *finishRow, loop.getResults());
    return SmallVector<Value>();
  });
}

void RowFold::finishTile(Value base, Region &finishTerm) {
  auto finish = [&](const Place &place) {
    ofRow(place.row, [&] {
      SmallVector<Value> arguments = fold.indicesAt(place.position);
      llvm::append_range(arguments, terms->load(place.inTile));
      copyRegion(builder, finishTerm, arguments);
      return SmallVector<Value>();
    });
  };
  forThreads([&](Value thread) {
    SeqOp::create(builder, fold.loc, index(0), index(columns), {1},
                  [&](OpBuilder &, Location, ValueRange step) {
                    Place place = placeOf(thread, step.front(), 0, base);
                    if (!place.isTerm)
                      return finish(place);
                    scf::IfOp::create(builder, fold.loc, place.isTerm,
                                      [&](OpBuilder &, Location) {
                                        finish(place);
                                        scf::YieldOp::create(builder, fold.loc);
                                      });
                  });
  });
}

void RowFold::emitTile(Value base, bool exclusive, Region *finishTerm,
                       Region *finishRow) {
  loadTile(base);
  forRows([&](Value row) { foldRow(row, exclusive, finishRow); });
  if (finishTerm)
    finishTile(base, *finishTerm);
}

//===----------------------------------------------------------------------===//
// All rows
//===----------------------------------------------------------------------===//

bool RowFold::haveOneTile() {
  int64_t most = 1;
  for (auto [lower, upper] :
       llvm::zip_equal(par.getMixedLower(), par.getMixedUpper())) {
    std::optional<int64_t> from = getConstantIntValue(lower),
                           to = getConstantUpperBound(upper);
    if (!from || !to || llvm::MulOverflow(most, *to - *from, most))
      return false;
  }
  return most <= rows;
}

void RowFold::emit(bool exclusive, Region *finishTerm, Region *finishRow) {
  terms.emplace(FoldBuffers::createShared(fold, rows * (columns + 1)));
  if (!isOneTile())
    sums.emplace(FoldBuffers::createShared(fold, rows));
  auto emitRows = [&](Value from, OpFoldResult count) {
    first = from;
    left = count;
    if (isOneTile())
      return emitTile(fold.asValue(index(0)), exclusive, finishTerm, finishRow);
    forRows([&](Value row) { sums->store(fold.inits, row); });
    SeqOp::create(builder, fold.loc, index(0), total, {columns},
                  [&](OpBuilder &, Location, ValueRange base) {
                    emitTile(base.front(), exclusive, finishTerm, finishRow);
                  });
    if (!finishRow)
      return;
    forRows([&](Value row) {
      ofRow(fold.asValue(add(first, row)), [&] {
        copyRegion(builder, *finishRow, sums->load(row));
        return SmallVector<Value>();
      });
    });
  };
  if (haveOneTile())
    return emitRows(fold.asValue(index(0)), numRows);
  AffineMap rest = AffineMap::get(
      2, 0, {fold.dim(0) - fold.dim(1), builder.getAffineConstantExpr(rows)},
      builder.getContext());
  std::optional<int64_t> known = getConstantIntValue(numRows);
  auto countFrom = [&](Value from) -> OpFoldResult {
    if (known && *known % rows == 0)
      return index(rows);
    return affine::makeComposedFoldedAffineMin(builder, fold.loc, rest,
                                               {numRows, from});
  };
  SeqOp::create(builder, fold.loc, index(0), numRows, {rows},
                [&](OpBuilder &, Location, ValueRange from) {
                  emitRows(from.front(), countFrom(from.front()));
                });
}

void mlir::tc::lowerToRows(RewriterBase &rewriter, ReduceOp op, ParOp rows) {
  RowFold(rewriter, op, rows).emit(false, nullptr, &op.getFinish());
  rewriter.eraseOp(rows);
}

void mlir::tc::lowerToRows(RewriterBase &rewriter, ScanOp op, ParOp rows) {
  RowFold(rewriter, op, rows).emit(op.getExclusive(), &op.getFinish(), nullptr);
  rewriter.eraseOp(rows);
}
