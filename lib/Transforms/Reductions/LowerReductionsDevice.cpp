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
/// The first position and the one after the last.
using Positions = std::pair<OpFoldResult, OpFoldResult>;

/// Emits one reduction by all blocks.
struct DeviceFold {
  Fold fold;
  OpBuilder &builder;
  OpFoldResult total, chunk;
  int64_t blocks;
  /// The reductions of blocks, which are still to be lowered.
  SmallVector<Operation *> inner;

  template <typename FoldOp>
  DeviceFold(OpBuilder &builder, FoldOp op, MachineAttr machine)
      : fold(builder, op), builder(builder), total(fold.count()),
        blocks(kBlocksPerMultiprocessor * machine.getMultiprocessors()) {
    std::optional<int64_t> known = getConstantIntValue(total);
    if (known)
      blocks = std::clamp<int64_t>(llvm::divideCeil(*known, kLeast), 1, blocks);
    chunk = fold.apply(fold.dim(0).ceilDiv(blocks * kUnit) * kUnit, total);
    if (known && *known > 0)
      blocks = llvm::divideCeil(*known, *getConstantIntValue(chunk));
  }

  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }

  /// A kernel of `count` blocks; `body` gets the number of each.
  ParOp forBlocks(int64_t count, function_ref<void(Value)> body);
  /// The positions of the terms of `block`.
  Positions chunkOf(Value block);
  /// A reduction by the threads of a block. `map` gets the position of a term,
  /// `finish` the arguments of its region.
  void reduce(Positions range, bool commutative, BuildTerm map,
              BuildFinish finish);
  void scan(Positions range, bool exclusive, BuildTerm map, BuildFinish finish);
  /// The kernel that reduces each chunk into `parts`.
  void reduceChunks(bool commutative, FoldBuffers &parts, BuildTerm map);

private:
  template <typename FoldOp>
  void fill(FoldOp op, BuildTerm map, BuildFinish finish);
};
} // namespace

ParOp DeviceFold::forBlocks(int64_t count, function_ref<void(Value)> body) {
  return ParOp::create(
      builder, fold.loc, Level::Grid, index(0), index(count), {1},
      [&](OpBuilder &, Location, ValueRange block) { body(block.front()); });
}

Positions DeviceFold::chunkOf(Value block) {
  Value first = fold.asValue(fold.multiply(block, chunk));
  Value last =
      fold.asValue(fold.apply(fold.dim(0) + fold.dim(1), {first, chunk}));
  last = arith::MinSIOp::create(builder, fold.loc, last, fold.asValue(total));
  return {first, last};
}

template <typename FoldOp>
void DeviceFold::fill(FoldOp op, BuildTerm map, BuildFinish finish) {
  OpBuilder::InsertionGuard guard(builder);
  inner.push_back(op);
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
  fill(ReduceOp::create(builder, fold.loc, Level::Block, range.first,
                        range.second, fold.inits, commutative),
       map, finish);
}

void DeviceFold::scan(Positions range, bool exclusive, BuildTerm map,
                      BuildFinish finish) {
  fill(ScanOp::create(builder, fold.loc, Level::Block, range.first,
                      range.second, fold.inits, exclusive),
       map, finish);
}

void DeviceFold::reduceChunks(bool commutative, FoldBuffers &parts,
                              BuildTerm map) {
  forBlocks(blocks, [&](Value block) {
    reduce(chunkOf(block), commutative, map,
           [&](ValueRange part) { parts.store(part, block); });
  });
}

//===----------------------------------------------------------------------===//
// tc.reduce
//===----------------------------------------------------------------------===//

SmallVector<Operation *> mlir::tc::lowerToDevice(RewriterBase &rewriter,
                                                 ReduceOp op,
                                                 MachineAttr machine) {
  DeviceFold device(rewriter, op, machine);
  Fold &fold = device.fold;
  OpFoldResult count = device.index(device.blocks);
  auto parts = FoldBuffers::createGlobal(fold, count);
  device.reduceChunks(op.getCommutative(), parts,
                      [&](Value position) { return fold.map(position); });
  device.forBlocks(1, [&](Value) {
    device.reduce(
        {device.index(0), count}, op.getCommutative(),
        [&](Value block) { return parts.load(block); },
        [&](ValueRange total) { copyRegion(rewriter, op.getFinish(), total); });
  });
  parts.dealloc();
  rewriter.eraseOp(op);
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

SmallVector<Operation *> mlir::tc::lowerToDevice(RewriterBase &rewriter,
                                                 ScanOp op,
                                                 MachineAttr machine) {
  DeviceFold device(rewriter, op, machine);
  Fold &fold = device.fold;
  OpFoldResult count = device.index(device.blocks);
  auto parts = FoldBuffers::createGlobal(fold, count);
  std::optional<FoldBuffers> terms;
  if (!onlyReads(op.getMap()))
    terms.emplace(FoldBuffers::createGlobal(fold, device.total));
  device.reduceChunks(/*commutative=*/false, parts, [&](Value position) {
    SmallVector<Value> term = fold.map(position);
    if (terms)
      terms->store(term, position);
    return term;
  });
  device.forBlocks(1, [&](Value) {
    device.scan(
        {device.index(0), count}, /*exclusive=*/true,
        [&](Value block) { return parts.load(block); },
        [&](ValueRange arguments) {
          parts.store(arguments.drop_front(), arguments.front());
        });
  });
  device.forBlocks(device.blocks, [&](Value block) {
    SmallVector<Value> before = parts.load(block);
    device.scan(
        device.chunkOf(block), op.getExclusive(),
        [&](Value position) {
          return terms ? terms->load(position) : fold.map(position);
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
  rewriter.eraseOp(op);
  return device.inner;
}
