//===- Tile.cpp - Tile scheduled contractions into nests ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/Scalars.h"
#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_TILE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

Tiler::Tiler(RewriterBase &rewriter, ArrayRef<ContractOp> ops,
             ArrayRef<StrideTable> tables)
    : builder(rewriter), loc(ContractOp(ops.front()).getLoc()) {
  for (auto [op, table] : llvm::zip_equal(ops, tables))
    summands.push_back(makeSummand(op, table));
}

Tiler::Summand Tiler::makeSummand(ContractOp op, StrideTable table) {
  Summand summand;
  summand.op = op;
  summand.pads = findPads(op);
  buildValues(builder, op, table);
  summand.table = std::move(table);
  unsigned count = op.getNumIterators();
  summand.origin.assign(count, builder.getIndexAttr(0));
  summand.inside.resize(count);
  summand.thread.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    (op.isContracted(i) ? summand.steps : summand.results).push_back(i);
    if (summand.tile(i) == 1)
      continue;
    if (op.isContracted(i))
      summand.tiledSteps.push_back(i);
    else if (summand.threads(i) == 1)
      summand.dims.push_back(i);
  }
  for (const Factor &factor : summand.schedule().getThread())
    if (factor.value > 1)
      summand.dims.push_back(*op.findIterator(factor.iterator.getValue()));
  if (MmaAttr unit = summand.unit())
    for (const Factor &factor :
         llvm::concat<const Factor>(unit.getM(), unit.getN()))
      summand.laneDims.push_back(*op.findIterator(factor.iterator.getValue()));
  return summand;
}

SmallVector<unsigned> Tiler::tiledResults(Summand &summand) {
  return llvm::filter_to_vector(
      summand.dims, [&](unsigned i) { return !summand.op.isContracted(i); });
}

void Tiler::enter(Summand &summand, ArrayRef<unsigned> iterators,
                  ValueRange indices) {
  for (auto [i, index] : llvm::zip_equal(iterators, indices)) {
    summand.origin[i] = index;
    summand.inside[i] = buildTileSize(
        builder, loc, summand.table.extentValues[i], summand.tile(i), index);
  }
}

AffineMap Tiler::getMap(ArrayRef<unsigned> dims, ArrayRef<unsigned> iterators) {
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims)
    subscripts.push_back(
        builder.getAffineDimExpr(llvm::find(iterators, i) - iterators.begin()));
  return AffineMap::get(iterators.size(), 0, subscripts, builder.getContext());
}

OpFoldResult Tiler::buildThreadCount(Summand &summand, unsigned i) {
  if (summand.threads(i) == 1)
    return summand.inside[i];
  return buildStrideCount(builder, loc, summand.inside[i], summand.thread[i],
                          summand.threads(i));
}

SmallVector<OpFoldResult>
Tiler::buildThreadCounts(Summand &summand, ArrayRef<unsigned> iterators) {
  return llvm::map_to_vector(
      iterators, [&](unsigned i) { return buildThreadCount(summand, i); });
}

ContractOp Tiler::buildContract(Summand &summand, ArrayRef<unsigned> iterators,
                                ArrayRef<OpFoldResult> extents,
                                const ContractArrays &arrays, bool overwrite) {
  SmallVector<StringRef> names;
  for (unsigned i : iterators)
    names.push_back(summand.op.getIterator(i));
  return ContractOp::create(builder, loc, names, extents, arrays, overwrite);
}

static void cloneRegion(Region &from, Region &to) {
  IRMapping mapping;
  from.cloneInto(&to, mapping);
}

void mlir::tc::cloneCombine(ContractOp op, ContractOp tile) {
  tile.setNeutralAttr(op.getNeutralAttr());
  tile.setAssociative(op.getAssociative());
  tile.setCommutative(op.getCommutative());
  cloneRegion(op.getCombine(), tile.getCombine());
}

void mlir::tc::cloneEpilogue(ContractOp op, ContractOp tile) {
  cloneRegion(op.getEpilogue(), tile.getEpilogue());
}

/// Sums of one type without regions say the type.
static void setAccumulator(ContractOp op, ContractOp tile) {
  if (tile.isMultiplyAdd())
    tile.setAccumulatorAttr(TypeAttr::get(op.getAccumulatorTypes().front()));
}

void mlir::tc::cloneTerms(ContractOp op, ContractOp tile) {
  cloneRegion(op.getMap(), tile.getMap());
  cloneCombine(op, tile);
  setAccumulator(op, tile);
  tile.setPrecisionAttr(op.getPrecisionAttr());
}

/// A map region that yields each input as its accumulator, for several values.
static void buildIdentityMap(OpBuilder &builder, ContractOp tile,
                             ArrayRef<Type> types) {
  if (types.size() == 1)
    return;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = tile.getLoc();
  SmallVector<Type> sources;
  for (Value input : tile.getInputs())
    sources.push_back(getElementTypeOrSelf(input.getType()));
  SmallVector<Location> locations(sources.size(), loc);
  Block *block = builder.createBlock(&tile.getMap(), {}, sources, locations);
  SmallVector<Value> values;
  for (auto [value, type] : llvm::zip_equal(block->getArguments(), types))
    values.push_back(convertNumber(builder, loc, value, type));
  YieldOp::create(builder, loc, values);
}

void mlir::tc::takeAccumulators(OpBuilder &builder, ContractOp op,
                                ContractOp tile) {
  buildIdentityMap(builder, tile, op.getAccumulatorTypes());
  setAccumulator(op, tile);
}

SmallVector<int64_t> Tiler::getAccumulatorShape(Summand &summand) {
  SmallVector<int64_t> shape;
  for (unsigned i : summand.dims)
    shape.push_back(summand.warps(i));
  for (unsigned i : summand.laneDims)
    shape.push_back(summand.lanes(i));
  for (unsigned i : tiledResults(summand))
    shape.push_back(summand.registers(i));
  return shape;
}

void Tiler::buildAccumulators() {
  SmallVector<int64_t> shape = getAccumulatorShape(first());
  for (TypedAttr neutral : first().op.getNeutralElements()) {
    auto type = MemRefType::get(shape, neutral.getType());
    // Old results are read in after this. Places beyond the extents, which have
    // none, are computed with too.
    accumulators.push_back(NewOp::create(builder, loc, type, neutral,
                                         getThreadRank(), IntegerAttr()));
  }
}

void Tiler::buildThreads(function_ref<void()> body, ArrayRef<int64_t> working) {
  if (first().unit())
    return buildLanes(body);
  SmallVector<OpFoldResult> lower(getRank(), builder.getIndexAttr(0)), upper;
  SmallVector<int64_t> steps(getRank(), 1), widths(getRank(), 1);
  for (auto [d, i] : llvm::enumerate(first().dims)) {
    int64_t threads = first().threads(i);
    upper.push_back(builder.getIndexAttr(threads));
    if (working.empty() || working[d] == threads)
      continue;
    steps[d] = threads;
    widths[d] = working[d];
  }
  auto par = ParOp::create(builder, loc, Level::Block, lower, upper, steps,
                           [&](OpBuilder &, Location, ValueRange indices) {
                             place = getAsOpFoldResult(indices);
                             for (Summand &summand : summands)
                               for (auto [i, index] :
                                    llvm::zip_equal(summand.dims, indices))
                                 summand.thread[i] = index;
                             body();
                           });
  par.setStaticWidth(widths);
}

SmallVector<Factor> Tiler::getUnroll(Summand &summand, ContractOp tile) {
  return llvm::filter_to_vector(
      summand.schedule().getUnroll(), [&](const Factor &factor) {
        return tile.findIterator(factor.iterator.getValue()).has_value();
      });
}

void Tiler::buildRegisterTile(Summand &summand, ArrayRef<Value> tiles) {
  SmallVector<unsigned> iterators = summand.dims;
  for (unsigned i : summand.tiledSteps)
    if (!llvm::is_contained(iterators, i))
      iterators.push_back(i);
  ContractArrays arrays;
  for (auto [i, tile] : llvm::enumerate(tiles))
    arrays.inputs.add(buildThreadTile(summand, tile, i),
                      getMap(summand.tileOrder(i), iterators));
  addAccumulators(summand, iterators, arrays.outputs);
  SmallVector<OpFoldResult> extents = llvm::map_to_vector(
      iterators, [&](unsigned i) { return buildComputedCount(summand, i); });
  ContractOp tile = buildContract(summand, iterators, extents, arrays,
                                  /*overwrite=*/false);
  SmallVector<Factor> unroll = getUnroll(summand, tile);
  if (!unroll.empty())
    tile.setScheduleAttr(ScheduleAttr::get(builder.getContext(), /*thread=*/{},
                                           /*reg=*/{}, /*step=*/{},
                                           summand.schedule().getKernel())
                             .withUnroll(unroll));
  // Registers that stick out are not written back.
  if (llvm::any_of(llvm::zip_equal(iterators, extents), [&](auto pair) {
        auto [i, extent] = pair;
        return !summand.op.isContracted(i) && !getConstantIntValue(extent);
      }))
    TCDialect::OverrunAttrHelper(builder.getContext())
        .setAttr(tile, builder.getUnitAttr());
  cloneTerms(summand.op, tile);
  setVectors(tile, iterators, [&](unsigned k, unsigned i, int64_t count) {
    // Longer ones are loops (completeUnrolling).
    return k < tiles.size() && hasAlignedRows(summand, k, i, count) &&
           (!summand.op.isContracted(i) || count <= kMostUnrolledElements);
  });
}

void Tiler::buildStep(Summand &summand) {
  SmallVector<Value> tiles;
  for (unsigned i = 0, e = summand.op.getInputs().size(); i < e; ++i)
    tiles.push_back(buildBlockTile(summand, i));
  for (auto [i, tile] : llvm::enumerate(tiles))
    if (!summand.staging(i).isInPlace())
      tile = buildStage(summand, tile, i);
  if (summand.unit())
    buildWarps([&] { buildWarpTile(summand, tiles); });
  else
    buildThreads([&] { buildRegisterTile(summand, tiles); });
}

void Tiler::buildSteps(Summand &summand) {
  if (summand.steps.empty())
    return buildStep(summand);
  SmallVector<OpFoldResult> lower, upper;
  SmallVector<int64_t> factors;
  for (unsigned i : summand.steps) {
    // Over an empty contracted space results are neutral.
    if (summand.table.extents[i] == 0)
      return;
    lower.push_back(builder.getIndexAttr(0));
    upper.push_back(summand.table.extentValues[i]);
    factors.push_back(summand.tile(i));
  }
  auto steps = SeqOp::create(builder, loc, lower, upper, factors,
                             [&](OpBuilder &, Location, ValueRange indices) {
                               enter(summand, summand.steps, indices);
                               buildStep(summand);
                             });
  steps.setStages(summand.schedule().getStages());
}

void Tiler::buildReadIn() {
  Summand &summand = first();
  SmallVector<unsigned> iterators = tiledResults(summand);
  ContractArrays arrays;
  for (const Access &output : summand.table.outputs)
    addResultTile(summand, output, iterators, arrays.inputs);
  addAccumulators(summand, iterators, arrays.outputs);
  ContractOp tile = buildContract(summand, iterators,
                                  buildThreadCounts(summand, iterators), arrays,
                                  /*overwrite=*/true);
  takeAccumulators(builder, summand.op, tile);
  setVectors(tile, iterators, [&](unsigned o, unsigned i, int64_t count) {
    return o < arrays.inputs.size() &&
           hasAlignedRows(summand, summand.table.outputs[o], i, count);
  });
}

void Tiler::buildWriteBack() {
  Summand &summand = last();
  SmallVector<unsigned> iterators = tiledResults(summand);
  ContractArrays arrays;
  addAccumulators(summand, iterators, arrays.inputs);
  for (const Access &side : summand.table.sides)
    addResultTile(summand, side, iterators, arrays.sides);
  for (const Access &output : summand.table.outputs)
    addResultTile(summand, output, iterators, arrays.outputs);
  bool overwrite = first().op.getOverwrite() || startsFromOld();
  ContractOp tile =
      buildContract(summand, iterators, buildThreadCounts(summand, iterators),
                    arrays, overwrite);
  if (!overwrite)
    cloneCombine(summand.op, tile);
  takeAccumulators(builder, summand.op, tile);
  cloneEpilogue(summand.op, tile);
  SmallVector<const Access *> written(accumulators.size());
  for (const Access &array :
       llvm::concat<const Access>(summand.table.sides, summand.table.outputs))
    written.push_back(&array);
  setVectors(tile, iterators, [&](unsigned o, unsigned i, int64_t count) {
    return written[o] && hasAlignedRows(summand, *written[o], i, count);
  });
}

ParOp Tiler::run() {
  SmallVector<OpFoldResult> lower, upper;
  SmallVector<int64_t> blocks;
  for (unsigned i : first().results) {
    lower.push_back(builder.getIndexAttr(0));
    upper.push_back(first().table.extentValues[i]);
    blocks.push_back(first().tile(i));
  }
  auto grid = ParOp::create(builder, loc, Level::Grid, lower, upper, blocks,
                            [&](OpBuilder &, Location, ValueRange indices) {
                              for (Summand &summand : summands)
                                enter(summand, summand.results, indices);
                              buildAccumulators();
                              if (startsFromOld())
                                buildThreads([&] { buildReadIn(); });
                              for (Summand &summand : summands) {
                                moveAccumulators(summand);
                                buildSteps(summand);
                              }
                              SmallVector<int64_t> owners = buildCombine();
                              buildThreads([&] { buildWriteBack(); }, owners);
                            });
  auto variants = TCDialect::VariantAttrHelper(builder.getContext());
  if (VariantAttr variant = variants.getAttr(first().op))
    variants.setAttr(grid, variant);
  // Registers are shared by all that the block works on.
  int64_t resident = first().schedule().getResident();
  if (resident > 1)
    TCDialect::ResidentAttrHelper(builder.getContext())
        .setAttr(grid, builder.getI32IntegerAttr(int32_t(resident)));
  return grid;
}

FailureOr<ParOp> mlir::tc::tile(RewriterBase &rewriter,
                                ContractGroup scheduled) {
  FailureOr<ContractGroup> mined = stripMine(rewriter, scheduled);
  if (failed(mined))
    return failure();
  ContractGroup &ops = *mined;
  SmallVector<StrideTable, 1> tables;
  for (ContractOp op : ops) {
    FailureOr<StrideTable> table = getStrideTable(op);
    if (failed(table))
      return failure();
    op.setScheduleAttr(completeSchedule(op, *table, op.getScheduleAttr()));
    tables.push_back(std::move(*table));
  }
  Operation *outer = getOuter(ops);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(outer);
  ParOp grid = Tiler(rewriter, ops, tables).run();
  rewriter.eraseOp(outer);
  return grid;
}

/// Runs the arrows before this one where they have not been run.
static LogicalResult tileFromAnyPhase(RewriterBase &rewriter, ContractGroup ops,
                                      MachineAttr machine) {
  if (!llvm::all_of(ops, [](ContractOp op) {
        return isNormal(op) && op.getSchedule();
      })) {
    FailureOr<ContractGroup> normal = normalize(rewriter, ops);
    if (failed(normal))
      return failure();
    if (normal->empty())
      return success();
    ops = *normal;
  }
  if (failed(schedule(ops, machine)))
    return failure();
  FailureOr<SmallVector<ContractGroup>> parts = split(rewriter, ops, machine);
  if (failed(parts))
    return failure();
  for (ContractGroup &group : *parts)
    for (ContractGroup &kernel : makeVariants(rewriter, group))
      if (failed(tile(rewriter, kernel)))
        return failure();
  return success();
}

namespace {
struct TilePass : tc::impl::TileBase<TilePass> {
  using TileBase::TileBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (failed(tileFromAnyPhase(rewriter, ops, *machine)))
        return signalPassFailure();
  }
};
} // namespace
