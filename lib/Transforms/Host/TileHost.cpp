//===- TileHost.cpp - The pass tc-tile-host -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops round panels and register tiles. For each product of the batch,
// block of rows and block of sums: rows go into panels, by all threads; then
// each task packs a block of columns, and multiplies a group of the panels of
// rows by it.
//
//===----------------------------------------------------------------------===//

#include "Host/HostLoops.h"
#include "Host/HostResults.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_TILEHOST
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// The nest of one contraction.
class HostNest : HostContraction {
public:
  using HostContraction::HostContraction;
  void build();

private:
  /// A piece of a class of iterators: where it begins, how much there is.
  struct Piece {
    Value start, size;
  };

  Piece pieceOf(Value number, int64_t size, Value total);
  Value allocate(ArrayRef<int64_t> shape, Type type, bool onStack);
  Value allocatePanels(int64_t lines, int64_t width, bool onStack);
  Value allocateRowPanels(bool onStack);
  void buildTasks(ArrayRef<Value> counts, bool inParallel,
                  function_ref<void(ValueRange)> body);

  void buildProduct(Value batch);
  void buildSums(Piece rowPiece, Piece sumPiece);
  HostSide sideOf(unsigned input, int64_t width, Value panels);
  void packRows(Piece rowPiece, Piece sumPiece);
  void buildTask(Piece rowPiece, Piece sumPiece, Value group, Value block);
  void forEachPanel(Piece columnPiece, function_ref<void(Value, Value)> body);
  void packColumns(Piece columnPiece, Piece sumPiece, Value panels);
  HostFactor getRows(Value panel, Value start);
  HostFactor getColumns(Value panels, Value panel, Value start);
  SmallVector<HostResultTables> buildTargets(Piece columnPiece);
  void fillRows(ArrayRef<HostResultTables> targets, Value start);
  void write(const HostTile &tile, ArrayRef<HostResultTables> targets,
             const HostTilePlace &place, Piece sumPiece);

  Value rowCount, columnCount, sumCount;
  SmallVector<Value> batchPlaces; ///< of each operand
  Value rowPanels;                ///< of a block of rows
  std::array<Value, 2> sumTables; ///< of each input
  std::array<Value, 2> denseSums; ///< of each input: 1 where the table is so
};
} // namespace

/// Piece number `number`; the last one may be smaller.
HostNest::Piece HostNest::pieceOf(Value number, int64_t size, Value total) {
  Value start = builder.multiply(number, size);
  Value left = builder.subtract(total, start);
  return {start, builder.smaller(left, builder.constant(size))};
}

Value HostNest::allocate(ArrayRef<int64_t> shape, Type type, bool onStack) {
  auto buffer = MemRefType::get(shape, type);
  auto alignment = builder.getI64IntegerAttr(64);
  if (onStack)
    return memref::AllocaOp::create(builder, buffer, alignment);
  return memref::AllocOp::create(builder, buffer, alignment);
}

/// Iterations in any order, by several threads where that is asked for.
void HostNest::buildTasks(ArrayRef<Value> counts, bool inParallel,
                          function_ref<void(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (!inParallel) {
    SmallVector<Value> zeros(counts.size(), builder.constant(0)),
        ones(counts.size(), builder.constant(1));
    scf::LoopNest nest =
        scf::buildLoopNest(builder, builder.getLoc(), zeros, counts, ones);
    builder.setInsertionPointToStart(nest.loops.back().getBody());
    return body(llvm::map_to_vector(nest.loops, [](scf::ForOp loop) -> Value {
      return loop.getInductionVar();
    }));
  }
  scf::ParallelOp parallel = builder.parallel(counts);
  markDistinct(parallel, !op.getSides().empty());
  builder.setInsertionPointToStart(parallel.getBody());
  body(parallel.getInductionVars());
}

/// Panels of `width` rows or columns each for `lines` of them.
Value HostNest::allocatePanels(int64_t lines, int64_t width, bool onStack) {
  SmallVector<int64_t> shape = {lines / width};
  llvm::append_range(shape, plan.shapeOfPanel(width));
  return allocate(shape, plan.number, onStack);
}

Value HostNest::allocateRowPanels(bool onStack) {
  return allocatePanels(plan.rowBlock, plan.rowTile, onStack);
}

void HostNest::build() {
  rowCount = count(plan.rows);
  columnCount = count(plan.columns);
  sumCount = count(plan.sums);
  bool isShared = !plan.readsRows && !plan.sharesBatch;
  if (isShared)
    rowPanels = allocateRowPanels(/*onStack=*/false);
  buildTasks(count(plan.batch), plan.sharesBatch,
             [&](ValueRange batch) { buildProduct(batch.front()); });
  if (isShared)
    memref::DeallocOp::create(builder, rowPanels);
}

void HostNest::buildProduct(Value batch) {
  batchPlaces = llvm::map_to_vector(operands, [&](const Access &operand) {
    return locate(operand, plan.batch, batch);
  });
  if (!plan.readsRows && plan.sharesBatch)
    rowPanels = allocateRowPanels(/*onStack=*/true);
  for (Value &table : sumTables)
    table = allocate(plan.depth, builder.getIndexType(), /*onStack=*/true);
  builder.loop(builder.divideCeil(rowCount, plan.rowBlock), [&](Value block) {
    Piece rowPiece = pieceOf(block, plan.rowBlock, rowCount);
    builder.loop(builder.divideCeil(sumCount, plan.depth), [&](Value step) {
      buildSums(rowPiece, pieceOf(step, plan.depth, sumCount));
    });
  });
}

void HostNest::buildSums(Piece rowPiece, Piece sumPiece) {
  for (unsigned i = 0; i != 2; ++i)
    denseSums[i] = buildTable(
        operands[i], {plan.sums, sumPiece.start, sumPiece.size, sumCount},
        sumTables[i], {});
  if (!plan.readsRows)
    packRows(rowPiece, sumPiece);
  Value groups = builder.divideCeil(rowPiece.size, plan.rowGroup);
  Value blocks = builder.divideCeil(columnCount, plan.columnBlock);
  buildTasks({groups, blocks}, !plan.sharesBatch, [&](ValueRange indices) {
    buildTask(rowPiece, sumPiece, indices[0], indices[1]);
  });
}

HostSide HostNest::sideOf(unsigned input, int64_t width, Value panels) {
  bool ofRows = input == plan.rowInput;
  return {operands[input],
          ofRows ? plan.rows : plan.columns,
          ofRows ? rowCount : columnCount,
          width,
          panels,
          batchPlaces[input],
          sumTables[input],
          denseSums[input]};
}

void HostNest::packRows(Piece rowPiece, Piece sumPiece) {
  HostSide side = sideOf(plan.rowInput, plan.rowTile, rowPanels);
  buildTasks(builder.divideCeil(rowPiece.size, plan.rowTile), !plan.sharesBatch,
             [&](ValueRange panel) {
               Value start =
                   builder.add(rowPiece.start,
                               builder.multiply(panel.front(), plan.rowTile));
               packPanel(*this, side, panel.front(), start, sumPiece.size);
             });
}

/// Loops over the panels of a block of columns: `body` gets the number of each,
/// and its first column.
void HostNest::forEachPanel(Piece columnPiece,
                            function_ref<void(Value, Value)> body) {
  Value panels = builder.divideCeil(columnPiece.size, plan.columnTile());
  builder.loop(panels, [&](Value panel) {
    Value ahead = builder.multiply(panel, plan.columnTile());
    body(panel, builder.add(columnPiece.start, ahead));
  });
}

/// Packs the block of columns that belongs to a task; gives its panels.
void HostNest::packColumns(Piece columnPiece, Piece sumPiece, Value panels) {
  HostSide side = sideOf(plan.columnInput, plan.columnTile(), panels);
  if (plan.inputNeighbours != 1)
    return packTiles(*this, side, columnPiece.start, columnPiece.size,
                     sumPiece.size);
  forEachPanel(columnPiece, [&](Value panel, Value start) {
    packPanel(*this, side, panel, start, sumPiece.size);
  });
}

/// The places of all sides and results for a block of columns.
SmallVector<HostResultTables> HostNest::buildTargets(Piece columnPiece) {
  int64_t panels = plan.columnBlock / plan.columnTile();
  SmallVector<HostResultTables> targets;
  for (unsigned i = op.getInputs().size(), e = operands.size(); i != e; ++i) {
    HostResultTables target;
    target.operand = &operands[i];
    target.batch = batchPlaces[i];
    int64_t run = getRun(*target.operand, plan.columns);
    target.step = std::gcd(run, plan.columnTile());
    int64_t entries = plan.columnTile() / target.step;
    Type index = builder.getIndexType();
    target.rows = allocate(plan.rowTile, index, /*onStack=*/true);
    target.columns = allocate({panels, entries}, index, /*onStack=*/true);
    target.dense = allocate(panels, index, /*onStack=*/true);
    forEachPanel(columnPiece, [&](Value panel, Value start) {
      Value dense = buildTable(*target.operand,
                               {plan.columns, start, builder.constant(entries),
                                columnCount, target.step},
                               target.columns, panel);
      builder.store(dense, target.dense, panel);
    });
    targets.push_back(target);
  }
  return targets;
}

void HostNest::fillRows(ArrayRef<HostResultTables> targets, Value start) {
  for (const HostResultTables &target : targets)
    buildTable(*target.operand,
               {plan.rows, start, builder.constant(plan.rowTile), rowCount},
               target.rows, {});
}

/// What a register tile reads of the rows from number `start` on.
HostFactor HostNest::getRows(Value panel, Value start) {
  if (!plan.readsRows)
    return {rowPanels, panel, {}, {}};
  unsigned input = plan.rowInput;
  Value table = builder.reserve(plan.rowTile, builder.getIndexType());
  buildTable(operands[input],
             {plan.rows, start, builder.constant(plan.rowTile), rowCount},
             table, {});
  return {{},
          {},
          viewLines(builder, operands[input], batchPlaces[input], table,
                    plan.rowTile),
          sumTables[input]};
}

/// The same of the columns from number `start` on.
HostFactor HostNest::getColumns(Value panels, Value panel, Value start) {
  if (!plan.readsColumns)
    return {panels, panel, {}, {}};
  unsigned input = plan.columnInput;
  Value table = builder.reserve(plan.vectors, builder.getIndexType());
  buildTable(operands[input],
             {plan.columns, start, builder.constant(plan.vectors), columnCount,
              plan.lanes},
             table, {});
  return {{},
          {},
          viewLines(builder, operands[input], batchPlaces[input], table,
                    plan.vectors),
          sumTables[input]};
}

void HostNest::buildTask(Piece rowPiece, Piece sumPiece, Value group,
                         Value block) {
  Piece columnPiece = pieceOf(block, plan.columnBlock, columnCount);
  Value columnPanels;
  if (!plan.readsColumns) {
    columnPanels =
        allocatePanels(plan.columnBlock, plan.columnTile(), /*onStack=*/true);
    packColumns(columnPiece, sumPiece, columnPanels);
  }
  SmallVector<HostResultTables> targets = buildTargets(columnPiece);
  Piece inGroup = pieceOf(group, plan.rowGroup, rowPiece.size);
  Value firstPanel = builder.multiply(group, plan.rowGroup / plan.rowTile);
  builder.loop(builder.divideCeil(inGroup.size, plan.rowTile), [&](Value row) {
    Piece tileRows = pieceOf(row, plan.rowTile, inGroup.size);
    Value start =
        builder.add(rowPiece.start, builder.add(inGroup.start, tileRows.start));
    fillRows(targets, start);
    HostFactor rows = getRows(builder.add(firstPanel, row), start);
    forEachPanel(columnPiece, [&](Value panel, Value first) {
      Piece tileColumns = pieceOf(panel, plan.columnTile(), columnPiece.size);
      HostTile tile =
          multiplyPanels(builder, plan, rows,
                         getColumns(columnPanels, panel, first), sumPiece.size);
      write(tile, targets, {panel, first, tileRows.size, tileColumns.size},
            sumPiece);
    });
  });
}

/// The first block of sums overwrites where the contraction does; others add.
void HostNest::write(const HostTile &tile, ArrayRef<HostResultTables> targets,
                     const HostTilePlace &place, Piece sumPiece) {
  auto writeAs = [&](bool adds) {
    writeTile(*this, tile, targets, place, adds);
  };
  if (!op.getOverwrite())
    return writeAs(true);
  Value isFirst = builder.isEqual(sumPiece.start, 0);
  builder.branch(isFirst, [&] { writeAs(false); }, [&] { writeAs(true); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct TileHostPass : tc::impl::TileHostBase<TileHostPass> {
  using TileHostBase::TileHostBase;

  void runOnOperation() override {
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isOfHost))
      if (failed(tile(op)))
        return signalPassFailure();
  }

  LogicalResult tile(ContractOp op);
};
} // namespace

LogicalResult TileHostPass::tile(ContractOp op) {
  FailureOr<StrideTable> table = getStrideTable(op);
  if (failed(table))
    return failure();
  if (op.hasStaticExtents() && !table->hasKnownPoints())
    return success();
  IRRewriter rewriter(op);
  HostScheduleAttr schedule =
      TCDialect::HostScheduleAttrHelper(op.getContext()).getAttr(op);
  if (!schedule)
    return shareLoops(rewriter, op);
  if (auto problem =
          findHostScheduleProblem(op, *table, schedule, {bf16Dot, i16Dot}))
    return op.emitError() << "tc.host_schedule: " << *problem;
  HostBuilder builder(op.getLoc(), rewriter);
  buildValues(builder, op, *table);
  HostNest(builder, op, *table, schedule).build();
  op.erase();
  return success();
}
