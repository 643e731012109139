//===- Tile.cpp - Tile scheduled contractions into nests ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest, for result iterators a, b and a contracted iterator q:
//
//   tc.par grid (%a, %b) step (block of a, block of b)
//     %acc = tc.new init(neutral)        : threads x results of a thread
//     tc.seq (%q) step (step of q)
//       %x = tc.view %X ...              : block tile, what is inside of it
//       tc.par block (%ta, %tb)
//         tc.contract (results of a thread) ins(views of %x, %y) outs(%acc)
//     tc.par block (%ta, %tb)
//       tc.contract ins(view of %acc) outs(view of %Z)
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Analysis/Access.h"
#include "tc/Analysis/Tiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_TILE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// Builds the nest of one contraction.
class Tiler {
public:
  Tiler(RewriterBase &rewriter, ContractOp op, ContractAccess access)
      : builder(rewriter), op(op), loc(op.getLoc()),
        schedule(op.getScheduleAttr()), access(std::move(access)),
        origin(op.getNumIterators(), builder.getIndexAttr(0)),
        inside(op.getNumIterators()), thread(op.getNumIterators()) {
    splitIterators();
  }
  void run();

private:
  void splitIterators();
  /// Creates the accumulator of a block, thread dimensions first.
  void buildAccumulator();
  /// One step: views of the block tiles, and the threads' contractions.
  void buildStep();
  void buildRegisterTile(ArrayRef<Value> blockTiles);
  void buildWriteBack();
  /// Calls `body` in a tc.par block, with `thread` set.
  void buildThreads(function_ref<void()> body);

  /// The block tile of input `i`, and its dimensions.
  Value buildBlockTile(unsigned i);
  /// What one thread reads of a block tile.
  Value buildThreadTile(Value blockTile, unsigned i);
  Value buildAccumulatorTile();
  Value buildResultTile();

  /// Results of the thread along `i` that are inside.
  OpFoldResult buildThreadCount(unsigned i);
  bool isTiled(unsigned i) { return getTileFactor(op, schedule, i) > 1; }
  int64_t getThread(unsigned i) { return schedule.getThread(name(i)); }
  int64_t getRegister(unsigned i) { return schedule.getRegister(name(i)); }
  StringRef name(unsigned i) { return op.getIterator(i); }
  AffineMap getMap(ArrayRef<unsigned> dims, ArrayRef<unsigned> iterators);
  /// A contraction over `iterators`, with this op's regions.
  ContractOp buildContract(ArrayRef<unsigned> iterators, ValueRange inputs,
                           Value output, ArrayRef<AffineMap> maps,
                           bool overwrite);

  RewriterBase &builder;
  ContractOp op;
  Location loc;
  ScheduleAttr schedule;
  ContractAccess access;

  /// All result and contracted iterators; those whose tile is above 1, result
  /// iterators in the order of the thread number, the fastest last.
  SmallVector<unsigned> results, steps, tiledResults, tiledSteps;
  SmallVector<unsigned> tileOrder(unsigned input) {
    return getTileOrder(op, schedule, access.inputs[input].strides);
  }

  /// Per iterator: where the block tile begins, how much of it is inside, and
  /// the thread's number.
  SmallVector<OpFoldResult> origin, inside, thread;
  Value accumulator;
};
} // namespace

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

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value Tiler::buildBlockTile(unsigned input) {
  ArrayRef<int64_t> strides = access.inputs[input].strides;
  SmallVector<Term> terms;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (strides[i] != 0)
      terms.push_back({origin[i], strides[i]});
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tileOrder(input)) {
    sizes.push_back(inside[i]);
    viewStrides.push_back(builder.getIndexAttr(strides[i]));
  }
  return ViewOp::create(builder, loc, op.getInputs()[input],
                        buildSum(builder, loc, terms), sizes, viewStrides);
}

Value Tiler::buildThreadTile(Value blockTile, unsigned input) {
  ArrayRef<int64_t> strides = access.inputs[input].strides;
  SmallVector<Term> terms;
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tileOrder(input)) {
    bool contracted = op.isContracted(i);
    if (!contracted && getThread(i) > 1)
      terms.push_back({thread[i], strides[i]});
    sizes.push_back(contracted ? inside[i] : buildThreadCount(i));
    viewStrides.push_back(builder.getIndexAttr(
        contracted ? strides[i] : strides[i] * getThread(i)));
  }
  return ViewOp::create(builder, loc, blockTile, buildSum(builder, loc, terms),
                        sizes, viewStrides);
}

Value Tiler::buildAccumulatorTile() {
  auto type = cast<MemRefType>(accumulator.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  SmallVector<Term> terms;
  SmallVector<OpFoldResult> sizes, viewStrides;
  size_t rank = tiledResults.size();
  for (auto [d, i] : llvm::enumerate(tiledResults)) {
    if (getThread(i) > 1)
      terms.push_back({thread[i], strides[d]});
    sizes.push_back(builder.getIndexAttr(getRegister(i)));
    viewStrides.push_back(builder.getIndexAttr(strides[rank + d]));
  }
  return ViewOp::create(builder, loc, accumulator,
                        buildSum(builder, loc, terms), sizes, viewStrides);
}

Value Tiler::buildResultTile() {
  ArrayRef<int64_t> strides = access.output.strides;
  SmallVector<Term> terms;
  for (unsigned i : results)
    terms.push_back({origin[i], strides[i]});
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tiledResults) {
    if (getThread(i) > 1)
      terms.push_back({thread[i], strides[i]});
    sizes.push_back(buildThreadCount(i));
    viewStrides.push_back(builder.getIndexAttr(strides[i] * getThread(i)));
  }
  return ViewOp::create(builder, loc, op.getOutput(),
                        buildSum(builder, loc, terms), sizes, viewStrides);
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

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
