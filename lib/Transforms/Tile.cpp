//===- Tile.cpp - Tile scheduled contractions into nests ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Tiler.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_TILE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

void Tiler::splitIterators() {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    (op.isContracted(i) ? steps : results).push_back(i);
    if (op.isContracted(i) && isTiled(i))
      tiledSteps.push_back(i);
    // Results that only registers hold come before the threads.
    if (!op.isContracted(i) && isTiled(i) && getThread(i) == 1)
      tiledResults.push_back(i);
  }
  for (const Factor &factor : schedule.getThread())
    if (factor.value > 1)
      tiledResults.push_back(*op.findIterator(factor.iterator.getValue()));
}

AffineMap Tiler::getMap(ArrayRef<unsigned> dims, ArrayRef<unsigned> iterators) {
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims)
    subscripts.push_back(
        builder.getAffineDimExpr(llvm::find(iterators, i) - iterators.begin()));
  return AffineMap::get(iterators.size(), 0, subscripts, builder.getContext());
}

OpFoldResult Tiler::buildThreadCount(unsigned i) {
  return buildStrideCount(builder, loc, inside[i], thread[i], getThread(i));
}

ContractOp Tiler::buildContract(ArrayRef<unsigned> iterators, ValueRange inputs,
                                Value output, ArrayRef<AffineMap> maps,
                                bool overwrite) {
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (unsigned i : iterators) {
    names.push_back(name(i));
    extents.push_back(op.isContracted(i) ? inside[i] : buildThreadCount(i));
  }
  auto tile = ContractOp::create(builder, loc, names, extents, inputs, output,
                                 maps, overwrite);
  tile.setNeutralAttr(op.getNeutralAttr());
  IRMapping mapping;
  op.getCombine().cloneInto(&tile.getCombine(), mapping);
  return tile;
}

void Tiler::buildAccumulator() {
  SmallVector<int64_t> shape;
  for (unsigned i : tiledResults)
    shape.push_back(getThread(i));
  for (unsigned i : tiledResults)
    shape.push_back(getRegister(i));
  auto type = MemRefType::get(shape, op.getElementType());
  accumulator = NewOp::create(builder, loc, type, op.getNeutralElement(),
                              tiledResults.size());
}

void Tiler::buildThreads(function_ref<void()> body) {
  SmallVector<OpFoldResult> lower(tiledResults.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> upper;
  for (unsigned i : tiledResults)
    upper.push_back(builder.getIndexAttr(getThread(i)));
  SmallVector<int64_t> ones(tiledResults.size(), 1);
  ParOp::create(builder, loc, Level::Block, lower, upper, ones,
                [&](OpBuilder &, Location, ValueRange indices) {
                  for (auto [i, index] : llvm::zip_equal(tiledResults, indices))
                    thread[i] = index;
                  body();
                });
}

void Tiler::buildRegisterTile(ArrayRef<Value> blockTiles) {
  SmallVector<unsigned> iterators(tiledResults);
  iterators.append(tiledSteps);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [i, blockTile] : llvm::enumerate(blockTiles)) {
    inputs.push_back(buildThreadTile(blockTile, i));
    maps.push_back(getMap(tileOrder(i), iterators));
  }
  maps.push_back(getMap(tiledResults, iterators));
  ContractOp tile = buildContract(iterators, inputs, buildAccumulatorTile(),
                                  maps, /*overwrite=*/false);
  // tc-promote makes tiles of the sizes the schedule says.
  tile.setScheduleAttr(schedule);
  IRMapping mapping;
  op.getMap().cloneInto(&tile.getMap(), mapping);
}

void Tiler::buildStep() {
  SmallVector<Value> blockTiles;
  for (unsigned i = 0, e = op.getInputs().size(); i < e; ++i)
    blockTiles.push_back(buildBlockTile(i));
  buildThreads([&] { buildRegisterTile(blockTiles); });
}

void Tiler::buildWriteBack() {
  AffineMap map = getMap(tiledResults, tiledResults);
  buildContract(tiledResults, buildAccumulatorTile(), buildResultTile(),
                {map, map}, op.getOverwrite());
}

void Tiler::run() {
  auto index = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  auto enter = [&](ArrayRef<unsigned> iterators, ValueRange indices) {
    for (auto [i, value] : llvm::zip_equal(iterators, indices)) {
      origin[i] = value;
      inside[i] = buildTileSize(builder, loc, access.extents[i],
                                getTileFactor(op, schedule, i), value);
    }
  };
  auto bounds = [&](ArrayRef<unsigned> iterators) {
    SmallVector<int64_t> extents, factors;
    for (unsigned i : iterators) {
      extents.push_back(access.extents[i]);
      factors.push_back(getTileFactor(op, schedule, i));
    }
    return std::make_pair(extents, factors);
  };
  auto [extents, blocks] = bounds(results);
  SmallVector<int64_t> zeros(results.size(), 0);
  ParOp::create(
      builder, loc, Level::Grid, index(zeros), index(extents), blocks,
      [&](OpBuilder &, Location, ValueRange indices) {
        enter(results, indices);
        buildAccumulator();
        // Over an empty contracted space results are neutral.
        bool isEmpty = llvm::any_of(
            steps, [&](unsigned i) { return access.extents[i] == 0; });
        if (steps.empty()) {
          buildStep();
        } else if (!isEmpty) {
          auto [stepExtents, stepFactors] = bounds(steps);
          SmallVector<int64_t> stepZeros(steps.size(), 0);
          SeqOp::create(builder, loc, index(stepZeros), index(stepExtents),
                        stepFactors,
                        [&](OpBuilder &, Location, ValueRange stepIndices) {
                          enter(steps, stepIndices);
                          buildStep();
                        });
        }
        buildThreads([&] { buildWriteBack(); });
      });
}

LogicalResult mlir::tc::tile(RewriterBase &rewriter, ContractOp op) {
  FailureOr<ContractAccess> access = getContractAccess(op);
  if (failed(access))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Tiler(rewriter, op, std::move(*access)).run();
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct TilePass : tc::impl::TileBase<TilePass> {
  using TileBase::TileBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = findMachine(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    SmallVector<ContractOp> contracts;
    getOperation().walk([&](ContractOp op) {
      if (!op.hasTensorSemantics() && !op->getParentOfType<ParOp>())
        contracts.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (ContractOp op : contracts)
      if (failed(tileFromAnyPhase(rewriter, op, *machine)))
        return signalPassFailure();
  }

  /// Runs the arrows before this one where they have not been run.
  LogicalResult tileFromAnyPhase(RewriterBase &rewriter, ContractOp op,
                                 MachineAttr machine) {
    if (!isNormal(op) || !op.getSchedule()) {
      FailureOr<ContractOp> normal = normalize(rewriter, op);
      if (failed(normal))
        return failure();
      if (!*normal)
        return success();
      op = *normal;
    }
    if (failed(schedule(op, machine)))
      return failure();
    return tile(rewriter, op);
  }
};
} // namespace
