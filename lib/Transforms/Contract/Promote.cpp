//===- Promote.cpp - Operands to shared memory, results to registers ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Alignment.h"
#include "Contract/Indexing.h"
#include "Nests/PlaceBuffers.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Analysis/Pads.h"
#include "tc/Analysis/Tiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_PROMOTE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// A register-tile contraction and the nest round it.
struct RegisterTile {
  ContractOp contract;
  ParOp threads;
  /// Are there others in the same kernel, whose tiles come and go?
  bool isOneOfSeveral = false;

  /// Tiles of the terms of a sum follow one another in the same memory.
  IntegerAttr getSlot(Builder &builder, unsigned input) const {
    return isOneOfSeveral ? builder.getI64IntegerAttr(input) : IntegerAttr();
  }
};
} // namespace

static Attribute getSpace(Builder &builder, gpu::AddressSpace space) {
  return gpu::AddressSpaceAttr::get(builder.getContext(), space);
}

/// The iterators of the dimensions of input `i`.
static SmallVector<unsigned> getIterators(ContractOp contract, unsigned i) {
  return llvm::map_to_vector(
      contract.getInputMap(i).getResults(), [](AffineExpr subscript) {
        return cast<AffineDimExpr>(subscript).getPosition();
      });
}

/// The dimensions of the tile of the schedule that `contract` reads as input
/// `i`, and has `block` of.
static SmallVector<TileDim> getTileDims(ContractOp contract, unsigned i,
                                        Value block) {
  SmallVector<int64_t> strides =
      cast<MemRefType>(block.getType()).getStridesAndOffset().first;
  SmallVector<TileDim> dims;
  for (auto [iterator, stride] :
       llvm::zip_equal(getIterators(contract, i), strides)) {
    dims.push_back(getTileDim(contract, contract.getScheduleAttr(), iterator));
    dims.back().inputStride = stride;
  }
  return dims;
}

static int64_t getInputBytes(ContractOp contract, unsigned i) {
  return getElementBytes(cast<MemRefType>(contract.getInputs()[i].getType()));
}

/// The block tile that input `i` is a thread's view of. The view of a thread
/// that reads the whole tile may have been folded away.
static FailureOr<Value> findBlockTile(RegisterTile tile, unsigned i) {
  SmallVector<unsigned> iterators = getIterators(tile.contract, i);
  Value input = tile.contract.getInputs()[i];
  auto view = input.getDefiningOp<ViewOp>();
  bool whole = !view || !tile.threads->isProperAncestor(view);
  Value block = whole ? input : view.getSource();
  bool shared = llvm::any_of(iterators, [&](unsigned iterator) {
    return tile.contract.getScheduleAttr().getThread(
               tile.contract.getIterator(iterator)) > 1;
  });
  if ((whole && shared) ||
      tile.threads.getRegion().isAncestor(block.getParentRegion()))
    return tile.contract.emitOpError("expected input ")
           << i << " to be a thread's view of a block tile";
  if (cast<MemRefType>(block.getType()).getRank() != int64_t(iterators.size()))
    return tile.contract.emitOpError("expected the block tile of input ")
           << i << " to be of rank " << iterators.size() << ", got "
           << block.getType();
  return block;
}

/// Elements that one access copies. Rows of numbers narrower than a register
/// are copied with what lies between them, one by one.
static int64_t getStageChunk(RegisterTile tile, Value block,
                             const StageTile &layout) {
  auto type = cast<MemRefType>(block.getType());
  bool isWhole = layout.chunk > 1 && type.getShape().back() == layout.chunk &&
                 getElementBytes(type) >= 4 &&
                 hasVectorRows(block, tile.threads);
  return isWhole ? layout.chunk : 1;
}

/// Points that a thread has along iterator `i` of a full tile.
static int64_t getThreadExtent(ContractOp contract, unsigned i) {
  ScheduleAttr schedule = contract.getScheduleAttr();
  StringRef name = contract.getIterator(i);
  return contract.isContracted(i)
             ? schedule.getStep(name) / schedule.getThread(name)
             : schedule.getRegister(name);
}

/// Stages `block`, the tile that input `i` is a view of, and gives back the
/// same thread's view of the copy, in its full size.
static Value stageInput(RewriterBase &rewriter, RegisterTile tile,
                        const Pads &pads, unsigned i, Value block) {
  ContractOp contract = tile.contract;
  ScheduleAttr schedule = contract.getScheduleAttr();
  SmallVector<unsigned> iterators = getIterators(contract, i);
  StageTile layout =
      getStageTile(getTileDims(contract, i, block), getInputBytes(contract, i),
                   schedule.getNumThreads());
  Location loc = contract.getLoc();
  auto source = cast<MemRefType>(block.getType());
  auto type = MemRefType::get(
      layout.sizes, source.getElementType(),
      StridedLayoutAttr::get(rewriter.getContext(), 0, layout.strides),
      getSpace(rewriter, gpu::AddressSpace::Workgroup));
  rewriter.setInsertionPoint(tile.threads);
  int64_t chunk = getStageChunk(tile, block, layout);
  Value staged = StageOp::create(rewriter, loc, type, block, pads.values[i],
                                 tile.getSlot(rewriter, i),
                                 rewriter.getI64IntegerAttr(chunk));

  rewriter.setInsertionPoint(contract);
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [d, iterator] : llvm::enumerate(iterators)) {
    StringRef name = contract.getIterator(iterator);
    int64_t stride = layout.strides[d];
    // The first iterators are the dimensions of the threads.
    if (schedule.getThread(name) > 1)
      products.push_back(
          {tile.threads.getIndices()[iterator], rewriter.getIndexAttr(stride)});
    sizes.push_back(rewriter.getIndexAttr(getThreadExtent(contract, iterator)));
    strides.push_back(rewriter.getIndexAttr(stride * schedule.getThread(name)));
  }
  return ViewOp::create(rewriter, loc, staged,
                        buildSum(rewriter, loc, products), sizes, strides)
      .getResult();
}

/// Reports a contraction that tc-tile would not have made.
static LogicalResult verifyTile(RegisterTile tile) {
  ContractOp contract = tile.contract;
  if (!llvm::all_of(contract.getMaps(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return contract.emitOpError("expected a register tile whose subscripts are "
                                "single iterators");
  SmallVector<int64_t> factors;
  for (unsigned i = 0, e = contract.getNumIterators(); i < e; ++i)
    if (i < tile.threads.getRank() || !contract.isContracted(i))
      factors.push_back(
          contract.getScheduleAttr().getThread(contract.getIterator(i)));
  SmallVector<int64_t> zeros(factors.size(), 0), ones(factors.size(), 1);
  if (tile.threads.getStaticLower() != ArrayRef(zeros) ||
      tile.threads.getStaticUpper() != ArrayRef(factors) ||
      tile.threads.getStep() != ArrayRef(ones))
    return contract.emitOpError("expected a tc.par block of ")
           << factors << " threads, as the schedule says, got ("
           << tile.threads.getStaticLower() << ") to ("
           << tile.threads.getStaticUpper() << ")";
  return success();
}

/// Says that steps along an iterator are not filled up.
static void explainGuard(ContractOp contract, StringRef iterator) {
  remark::missed(
      contract.getLoc(),
      remark::RemarkOpts::name("GuardedSteps").category("tc-promote"))
      << remark::reason(
             "the last step along '{0}' is guarded: no fill values of the "
             "inputs make the map neutral",
             iterator);
}

/// Replaces the contraction by one of full tiles over staged inputs.
static LogicalResult stageInputs(RewriterBase &rewriter, RegisterTile tile) {
  if (failed(verifyTile(tile)))
    return failure();
  ContractOp contract = tile.contract;
  SmallVector<Value> operands;
  SmallVector<unsigned> unstaged;
  Pads pads = findPads(contract);
  for (unsigned i = 0, e = contract.getInputs().size(); i < e; ++i) {
    Value given = contract.getInputs()[i];
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
            cast<MemRefType>(given.getType()))) {
      operands.push_back(given);
      continue;
    }
    FailureOr<Value> block = findBlockTile(tile, i);
    if (failed(block))
      return failure();
    if (isReadInPlace(getTileDims(contract, i, *block),
                      getInputBytes(contract, i),
                      contract.getScheduleAttr().getNumThreads())) {
      unstaged.push_back(i);
      operands.push_back(given);
      continue;
    }
    operands.push_back(stageInput(rewriter, tile, pads, i, *block));
  }
  llvm::append_range(operands, contract.getOutputs());
  SmallVector<OpFoldResult> extents = contract.getMixedExtents();
  for (unsigned i = 0, e = extents.size(); i < e; ++i) {
    OpFoldResult &extent = extents[i];
    int64_t full = getThreadExtent(contract, i);
    // What is not staged ends where the array does, and without a fill that
    // adds nothing so does a step.
    if (llvm::any_of(unstaged, [&](unsigned input) {
          return contract.getInputMap(input).isFunctionOfDim(i);
        }))
      continue;
    if (pads.covers[i])
      extent = rewriter.getIndexAttr(full);
    else if (getConstantIntValue(extent) != full)
      explainGuard(contract, contract.getIterator(i));
  }
  rewriter.setInsertionPoint(contract);
  ContractOp full =
      contract.cloneWith(rewriter, extents, operands, contract.getMaps());
  SmallVector<Value> views(contract.getInputs());
  rewriter.replaceOp(contract, full);
  for (Value view : views)
    if (auto unused = view.getDefiningOp<ViewOp>();
        unused && unused->use_empty())
      rewriter.eraseOp(unused);
  return success();
}

namespace {
struct PromotePass : tc::impl::PromoteBase<PromotePass> {
  void runOnOperation() override {
    SmallVector<RegisterTile> tiles;
    getOperation().walk([&](Operation *op) {
      auto contract = dyn_cast<ContractOp>(op);
      // The schedule marks the contractions that read block tiles.
      if (contract && contract.getSchedule())
        if (auto threads = op->getParentOfType<ParOp>())
          if (threads.getLevel() == Level::Block)
            tiles.push_back({contract, threads});
    });
    DenseMap<ParOp, unsigned> tilesOfGrid;
    for (RegisterTile &tile : tiles)
      ++tilesOfGrid[tile.threads->getParentOfType<ParOp>()];
    IRRewriter rewriter(&getContext());
    for (RegisterTile &tile : tiles) {
      ParOp grid = tile.threads->getParentOfType<ParOp>();
      tile.isOneOfSeveral = tilesOfGrid.lookup(grid) > 1;
    }
    for (RegisterTile tile : tiles)
      if (failed(stageInputs(rewriter, tile)))
        return signalPassFailure();
    if (failed(placeBuffers(getOperation())))
      return signalPassFailure();
  }
};
} // namespace
