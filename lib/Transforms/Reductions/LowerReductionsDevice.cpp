//===- LowerReductionsDevice.cpp - Reductions by all blocks ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With chunks of consecutive terms, one a block:
//
//   reduce   %parts[b] = chunk b reduced, for each block b
//            finish(all %parts reduced), by one block
//   scan     %parts[b] = chunk b reduced, for each block b
//            %parts[b] = all %parts before b combined, by one block
//            chunk b scanned, with %parts[b] before its first term
//
// Each line is a kernel, and each reduction in it a tc.reduce or tc.scan of the
// threads of its block. What comes out does not depend on which block is first.
//
// In a tc.par that holds nothing else, its iterations number segments, each of
// which is reduced or scanned by itself ("segred" and "segscan" in the paper
// that NestParts.h names). Each kernel then has as many blocks for each
// segment.
//
//===----------------------------------------------------------------------===//

#include "Reductions/Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Terms that a chunk is a whole multiple of, so that all chunks begin at an
/// address as good as that of the first, and that it has at least.
static constexpr int64_t kUnit = 256, kLeast = 2048;
/// Blocks for each multiprocessor; enough to hide the latency of memory.
static constexpr int64_t kBlocksPerMultiprocessor = 4;

namespace {
using BuildTerm = function_ref<SmallVector<Value>(Value)>;
using BuildFinish = function_ref<void(ValueRange)>;
/// The first position and the one after the last, and how many
/// there are at most, where that is known.
struct Positions {
  OpFoldResult first, end;
  std::optional<int64_t> most = std::nullopt;
};

/// Emits one reduction by all blocks, or one of each iteration of a tc.par.
struct DeviceFold {
  Fold fold;
  OpBuilder &builder;
  /// The iterations are segments; null where there is one.
  ParOp segments;
  IndexPositions segmentPositions;
  /// Segments; terms of each, and of a chunk; chunks of each.
  OpFoldResult numSegments, total, chunk, blocks;
  Value segment; ///< whose kernel is being emitted
  /// The reductions of blocks, which are still to be lowered.
  SmallVector<BlockFold> inner;

  template <typename FoldOp>
  DeviceFold(OpBuilder &builder, FoldOp op, ParOp segments, MachineAttr machine)
      : fold(builder, op), builder(builder), segments(segments),
        segmentPositions(segments ? segments.getBounds() : SpaceBounds()) {
    IndexBuilder math = fold.math();
    numSegments = segmentPositions.count(math);
    total = fold.count();
    chooseChunks(kBlocksPerMultiprocessor * machine.getMultiprocessors());
  }

  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }

  /// Cuts segments into chunks for `all` blocks.
  void chooseChunks(int64_t all);
  /// A kernel of `count` blocks of each segment; `body` gets the number of
  /// each.
  ParOp forBlocks(OpFoldResult count, function_ref<void(Value)> body);
  /// Makes `kernel`, which is of the iterations of `segments`, independent of
  /// it.
  void takeOut(ParOp kernel);
  /// Elements of memory of all segments, `count` of each.
  FoldBuffers createGlobal(OpFoldResult count) {
    return FoldBuffers::createGlobal(fold, fold.multiply(numSegments, count));
  }
  /// Where element `number` is of the `count` of this segment.
  OpFoldResult ofSegment(OpFoldResult number, OpFoldResult count);
  /// The positions of the terms of `block`.
  Positions chunkOf(Value block);
  /// A reduction by the threads of a block. `map` gets the position of a term,
  /// `finish` the arguments of its region.
  void reduce(Positions range, bool commutative, BuildTerm map,
              BuildFinish finish);
  void scan(Positions range, bool exclusive, BuildTerm map, BuildFinish finish);
  /// The kernel that reduces each chunk into `parts`.
  void reduceChunks(bool commutative, FoldBuffers &parts, BuildTerm map);
  /// Removes `op`, and the tc.par that it was all of.
  void erase(RewriterBase &rewriter, Operation *op);

private:
  template <typename FoldOp>
  void fill(FoldOp op, std::optional<int64_t> most, BuildTerm map,
            BuildFinish finish);
};
} // namespace

void DeviceFold::chooseChunks(int64_t all) {
  IndexBuilder math = fold.math();
  std::optional<int64_t> rows = getConstantIntValue(numSegments),
                         terms = getConstantIntValue(total);
  if (!rows) {
    Value some = math.createOrFold<arith::MaxSIOp>(math.get(numSegments),
                                                   math.constant(1));
    blocks = getAsOpFoldResult(
        math.createOrFold<arith::CeilDivUIOp>(math.constant(all), some));
    Value unit = math.multiply(math.get(blocks), math.constant(kUnit));
    chunk = getAsOpFoldResult(math.multiply(
        math.createOrFold<arith::CeilDivUIOp>(math.get(total), unit),
        math.constant(kUnit)));
    return;
  }
  int64_t most = llvm::divideCeil(all, std::max<int64_t>(*rows, 1));
  if (terms)
    most = std::clamp<int64_t>(llvm::divideCeil(*terms, kLeast), 1, most);
  chunk = fold.apply(fold.dim(0).ceilDiv(most * kUnit) * kUnit, total);
  if (terms && *terms > 0)
    most = llvm::divideCeil(*terms, *getConstantIntValue(chunk));
  blocks = index(most);
}

void DeviceFold::takeOut(ParOp kernel) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel.getBody());
  IndexBuilder math = fold.math();
  useCopies(kernel, copyArithmetic(builder, segments,
                                   segmentPositions.indicesAt(math, segment)));
}

ParOp DeviceFold::forBlocks(OpFoldResult count,
                            function_ref<void(Value)> body) {
  SmallVector<OpFoldResult> lower = {index(0)}, upper = {count};
  SmallVector<int64_t> step = {1};
  if (segments) {
    lower.push_back(index(0));
    upper.insert(upper.begin(), numSegments);
    step.push_back(1);
  }
  auto kernel =
      ParOp::create(builder, fold.loc, Level::Grid, lower, upper, step,
                    [&](OpBuilder &, Location, ValueRange indices) {
                      segment = indices.front();
                      body(indices.back());
                    });
  if (segments)
    takeOut(kernel);
  return kernel;
}

OpFoldResult DeviceFold::ofSegment(OpFoldResult number, OpFoldResult count) {
  if (!segments)
    return number;
  IndexBuilder math = fold.math();
  return getAsOpFoldResult(
      math.add(math.get(fold.multiply(segment, count)), math.get(number)));
}

void DeviceFold::erase(RewriterBase &rewriter, Operation *op) {
  rewriter.eraseOp(op);
  if (segments)
    rewriter.eraseOp(segments);
}

Positions DeviceFold::chunkOf(Value block) {
  Value first = fold.asValue(fold.multiply(block, chunk));
  Value last =
      fold.asValue(fold.apply(fold.dim(0) + fold.dim(1), {first, chunk}));
  last = arith::MinSIOp::create(builder, fold.loc, last, fold.asValue(total));
  return {first, last, getConstantIntValue(chunk)};
}

template <typename FoldOp>
void DeviceFold::fill(FoldOp op, std::optional<int64_t> most, BuildTerm map,
                      BuildFinish finish) {
  OpBuilder::InsertionGuard guard(builder);
  inner.push_back({op, most});
  size_t values = fold.inits.size();
  builder.setInsertionPointToEnd(&op.getMap().front());
  YieldOp::create(builder, fold.loc, map(op.getMap().getArgument(0)));
  builder.setInsertionPointToEnd(&op.getCombine().front());
  ValueRange pair = op.getCombine().getArguments();
  YieldOp::create(
      builder, fold.loc,
      fold.combine(pair.take_front(values), pair.drop_front(values)));
  builder.setInsertionPointToEnd(&op.getFinish().front());
  finish(op.getFinish().getArguments());
  YieldOp::create(builder, fold.loc);
}

void DeviceFold::reduce(Positions range, bool commutative, BuildTerm map,
                        BuildFinish finish) {
  fill(ReduceOp::create(builder, fold.loc, Level::Block, range.first, range.end,
                        fold.inits, commutative),
       range.most, map, finish);
}

void DeviceFold::scan(Positions range, bool exclusive, BuildTerm map,
                      BuildFinish finish) {
  fill(ScanOp::create(builder, fold.loc, Level::Block, range.first, range.end,
                      fold.inits, exclusive),
       range.most, map, finish);
}

void DeviceFold::reduceChunks(bool commutative, FoldBuffers &parts,
                              BuildTerm map) {
  forBlocks(blocks, [&](Value block) {
    reduce(chunkOf(block), commutative, map, [&](ValueRange part) {
      parts.store(part, ofSegment(block, blocks));
    });
  });
}

//===----------------------------------------------------------------------===//
// tc.reduce
//===----------------------------------------------------------------------===//

SmallVector<BlockFold> mlir::tc::lowerToDevice(RewriterBase &rewriter,
                                               ReduceOp op, ParOp segments,
                                               MachineAttr machine) {
  DeviceFold device(rewriter, op, segments, machine);
  Fold &fold = device.fold;
  FoldBuffers parts = device.createGlobal(device.blocks);
  device.reduceChunks(op.getCommutative(), parts,
                      [&](Value position) { return fold.map(position); });
  device.forBlocks(device.index(1), [&](Value) {
    device.reduce(
        {device.index(0), device.blocks}, op.getCommutative(),
        [&](Value block) {
          return parts.load(device.ofSegment(block, device.blocks));
        },
        [&](ValueRange total) { copyRegion(rewriter, op.getFinish(), total); });
  });
  parts.dealloc();
  device.erase(rewriter, op);
  return device.inner;
}

//===----------------------------------------------------------------------===//
// tc.scan
//===----------------------------------------------------------------------===//

/// Does `op`, or an op in it, do more than read?
static bool mayWrite(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return !effects.onlyHasEffect<MemoryEffects::Read>() &&
           !effects.hasNoEffect();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// May terms be computed twice?
static bool onlyReads(Region &region) {
  return !containsOp(
      region, [](Operation *op) { return !isa<YieldOp>(op) && mayWrite(op); });
}

SmallVector<BlockFold> mlir::tc::lowerToDevice(RewriterBase &rewriter,
                                               ScanOp op, ParOp segments,
                                               MachineAttr machine) {
  DeviceFold device(rewriter, op, segments, machine);
  Fold &fold = device.fold;
  FoldBuffers parts = device.createGlobal(device.blocks);
  auto partOf = [&](Value block) {
    return device.ofSegment(block, device.blocks);
  };
  std::optional<FoldBuffers> terms;
  if (!onlyReads(op.getMap()))
    terms.emplace(device.createGlobal(device.total));
  device.reduceChunks(/*commutative=*/false, parts, [&](Value position) {
    SmallVector<Value> term = fold.map(position);
    if (terms)
      terms->store(term, device.ofSegment(position, device.total));
    return term;
  });
  device.forBlocks(device.index(1), [&](Value) {
    device.scan(
        {device.index(0), device.blocks},
        /*exclusive=*/true,
        [&](Value block) { return parts.load(partOf(block)); },
        [&](ValueRange arguments) {
          parts.store(arguments.drop_front(), partOf(arguments.front()));
        });
  });
  device.forBlocks(device.blocks, [&](Value block) {
    SmallVector<Value> before = parts.load(partOf(block));
    device.scan(
        device.chunkOf(block), op.getExclusive(),
        [&](Value position) {
          return terms ? terms->load(device.ofSegment(position, device.total))
                       : fold.map(position);
        },
        [&](ValueRange arguments) {
          SmallVector<Value> all = fold.indicesAt(arguments.front());
          llvm::append_range(all, fold.combine(before, arguments.drop_front()));
          copyRegion(rewriter, op.getFinish(), all);
        });
  });
  if (terms)
    terms->dealloc();
  parts.dealloc();
  device.erase(rewriter, op);
  return device.inner;
}
