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

#include "Contract/Split.h"
#include "Host/HostLoops.h"
#include "Host/HostResults.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  void buildTasks(ArrayRef<Value> counts, bool inParallel,
                  function_ref<void(ValueRange)> body);

  void buildProduct(Value batch);
  void buildSums(Piece rowPiece, Piece sumPiece);
  void packRows(Piece rowPiece, Piece sumPiece);
  void buildTask(Piece rowPiece, Piece sumPiece, Value group, Value block);
  void forEachPanel(Piece columnPiece, function_ref<void(Value, Value)> body);
  void packColumns(Piece columnPiece, Piece sumPiece, Value panels);
  SmallVector<HostResultTables> buildTargets(Piece columnPiece);
  void fillRows(ArrayRef<HostResultTables> targets, Value start);
  void write(const HostTile &tile, ArrayRef<HostResultTables> targets,
             const HostTilePlace &place, Piece sumPiece);

  Value rowCount, columnCount, sumCount;
  SmallVector<Value> batchPlaces; ///< of each operand
  Value rowPanels;                ///< of a block of rows
  std::array<Value, 2> sumTables; ///< of each input
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

void HostNest::build() {
  rowCount = count(plan.rows);
  columnCount = count(plan.columns);
  sumCount = count(plan.sums);
  if (!plan.sharesBatch)
    rowPanels = allocate(
        {plan.rowBlock / plan.rowTile, plan.parts, plan.depth, plan.rowTile},
        plan.part, /*onStack=*/false);
  buildTasks(count(plan.batch), plan.sharesBatch,
             [&](ValueRange batch) { buildProduct(batch.front()); });
  if (!plan.sharesBatch)
    memref::DeallocOp::create(builder, rowPanels);
}

void HostNest::buildProduct(Value batch) {
  batchPlaces = llvm::map_to_vector(operands, [&](const Access &operand) {
    return locate(operand, plan.batch, batch);
  });
  if (plan.sharesBatch)
    rowPanels = allocate(
        {plan.rowBlock / plan.rowTile, plan.parts, plan.depth, plan.rowTile},
        plan.part, /*onStack=*/true);
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
    buildTable(operands[i],
               {plan.sums, sumPiece.start, sumPiece.size, sumCount},
               sumTables[i], {});
  packRows(rowPiece, sumPiece);
  Value groups = builder.divideCeil(rowPiece.size, plan.rowGroup);
  Value blocks = builder.divideCeil(columnCount, plan.columnBlock);
  buildTasks({groups, blocks}, !plan.sharesBatch, [&](ValueRange indices) {
    buildTask(rowPiece, sumPiece, indices[0], indices[1]);
  });
}

void HostNest::packRows(Piece rowPiece, Piece sumPiece) {
  HostSide side{operands[plan.rowInput],
                plan.rows,
                rowCount,
                plan.rowTile,
                rowPanels,
                batchPlaces[plan.rowInput],
                sumTables[plan.rowInput]};
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
  HostSide side{
      operands[plan.columnInput], plan.columns, columnCount,
      plan.columnTile(),          panels,       batchPlaces[plan.columnInput],
      sumTables[plan.columnInput]};
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

void HostNest::buildTask(Piece rowPiece, Piece sumPiece, Value group,
                         Value block) {
  Piece columnPiece = pieceOf(block, plan.columnBlock, columnCount);
  Value columnPanels = allocate({plan.columnBlock / plan.columnTile(),
                                 plan.parts, plan.depth, plan.columnTile()},
                                plan.part, /*onStack=*/true);
  packColumns(columnPiece, sumPiece, columnPanels);
  SmallVector<HostResultTables> targets = buildTargets(columnPiece);
  Piece inGroup = pieceOf(group, plan.rowGroup, rowPiece.size);
  Value firstPanel = builder.multiply(group, plan.rowGroup / plan.rowTile);
  builder.loop(builder.divideCeil(inGroup.size, plan.rowTile), [&](Value row) {
    Piece tileRows = pieceOf(row, plan.rowTile, inGroup.size);
    fillRows(targets, builder.add(rowPiece.start,
                                  builder.add(inGroup.start, tileRows.start)));
    Value rowPanel = builder.add(firstPanel, row);
    Value panels = builder.divideCeil(columnPiece.size, plan.columnTile());
    builder.loop(panels, [&](Value panel) {
      Piece tileColumns = pieceOf(panel, plan.columnTile(), columnPiece.size);
      HostTile tile = multiplyPanels(builder, plan, rowPanels, rowPanel,
                                     columnPanels, panel, sumPiece.size);
      write(tile, targets, {panel, tileRows.size, tileColumns.size}, sumPiece);
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

  LogicalResult tile(ContractOp op, bool isWorthwhile);

  void runOnOperation() override {
    if (vectorBits < 64 || vectorBits % 64 != 0 || vectorRegisters < 8) {
      getOperation().emitError()
          << "expected vectors of a multiple of 64 bits and at least 8 "
             "registers, got "
          << vectorBits.getValue() << " bits and " << vectorRegisters.getValue()
          << " registers";
      return signalPassFailure();
    }
    auto isForHost = [](ContractOp op) {
      return !op->getParentOfType<ParOp>() && !op->getParentOfType<SumOp>() &&
             !op.hasTensorSemantics();
    };
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isForHost))
      if (failed(tile(op, op.hasStaticExtents())))
        return signalPassFailure();
  }
};
} // namespace

/// Are the terms enough for a plan? Also a sum without terms is left to loops.
static Value buildIsWorthwhile(HostBuilder &builder, ContractOp op) {
  Value terms = builder.constant(1);
  for (OpFoldResult extent : op.getMixedExtents())
    terms = builder.multiply(terms, builder.get(extent));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, terms,
                               builder.constant(kHostTerms));
}

/// `isWorthwhile` says that the terms are enough, if anything can be tiled.
LogicalResult TileHostPass::tile(ContractOp op, bool isWorthwhile) {
  FailureOr<StrideTable> table = getStrideTable(op);
  if (failed(table))
    return failure();
  if (op.hasStaticExtents() && !table->hasKnownPoints())
    return success();
  IRRewriter rewriter(op);
  std::optional<HostPlan> plan =
      planForHost(op, *table, {vectorBits, vectorRegisters});
  if (!plan)
    return shareLoops(rewriter, op);
  HostBuilder builder(op.getLoc(), rewriter);
  if (!isWorthwhile) {
    auto branch = scf::IfOp::create(builder, buildIsWorthwhile(builder, op),
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    builder.clone(*op);
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    return tile(op, /*isWorthwhile=*/true);
  }
  if (!isBare(op) && !plan->hasOneDepth) {
    // Sums in several blocks are added up in memory, in their own type.
    FailureOr<ContractParts> parts =
        splitIntoBuffers(rewriter, op, divideByExtents(rewriter, op));
    if (failed(parts) || failed(tile(parts->intoBuffers, isWorthwhile)))
      return failure();
    return tile(parts->fromBuffers.front(), isWorthwhile);
  }
  buildValues(builder, op, *table);
  HostNest(builder, op, *table, *plan).build();
  op.erase();
  return success();
}
