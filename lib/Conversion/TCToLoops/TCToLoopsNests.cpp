//===- TCToLoopsNests.cpp - tc.contract, tc.par and tc.seq as loops -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/NestLoops.h"
#include "TCToLoops/TCToLoops.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// tc.contract
//===----------------------------------------------------------------------===//

namespace {
/// Some of the iterators of a contraction, as loops from 0 by 1.
struct Loops {
  SmallVector<unsigned> iterators;
  SmallVector<Value> lower, upper, step;
};

/// Emits the loops of one contraction.
struct ContractLowering {
  IRRewriter &rewriter;
  ContractOp op;
  Location loc;
  bool vectorizes;
  /// The value of each iterator inside the loops built so far.
  SmallVector<Value> point;

  Loops getLoops(bool contracted);
  SmallVector<Value> getSubscripts(AffineMap map);
  SmallVector<Value> load(OperandRange operands,
                          function_ref<AffineMap(unsigned)> getMap);
  /// The old results, as accumulators.
  SmallVector<Value> loadOld();
  SmallVector<Value> accumulate(ValueRange first);
  void buildResult(bool hasSums);
};
} // namespace

Loops ContractLowering::getLoops(bool contracted) {
  Loops loops;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents())) {
    if (op.isContracted(i) != contracted)
      continue;
    loops.iterators.push_back(i);
    loops.lower.push_back(zero);
    loops.step.push_back(one);
    loops.upper.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, extent));
  }
  return loops;
}

SmallVector<Value> ContractLowering::getSubscripts(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr subscript) {
    return affine::expandAffineExpr(rewriter, loc, subscript, point, {});
  });
}

/// map(in_0[map_0(p)], ...) at the current point.
SmallVector<Value>
ContractLowering::load(OperandRange operands,
                       function_ref<AffineMap(unsigned)> getMap) {
  SmallVector<Value> scalars;
  for (auto [i, operand] : llvm::enumerate(operands))
    scalars.push_back(memref::LoadOp::create(rewriter, loc, operand,
                                             getSubscripts(getMap(i))));
  return scalars;
}

SmallVector<Value> ContractLowering::loadOld() {
  return op.buildOld(rewriter, loc, load(op.getOutputs(), [&](unsigned i) {
                       return op.getOutputMap(i);
                     }));
}

/// Lets LLVM regroup the sum that `value` is, if it is one of floats.
static void allowReassociation(Value value) {
  using Flags = arith::FastMathFlags;
  if (auto sum = value.getDefiningOp<arith::AddFOp>())
    sum.setFastmath(sum.getFastmath() | Flags::reassoc | Flags::contract);
}

/// Leaves the innermost of `loops` whole, for vectors, which LLVM would
/// otherwise make of a loop round it, of elements that are far apart.
static void annotateLoops(ArrayRef<scf::ForOp> loops) {
  if (loops.empty())
    return;
  llvm::for_each(loops.drop_back(), setScalar);
  setWhole(loops.back());
}

/// The accumulators over all contracted points, from `first` on.
SmallVector<Value> ContractLowering::accumulate(ValueRange first) {
  Loops loops = getLoops(/*contracted=*/true);
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, loops.lower, loops.upper, loops.step, first,
      [&](OpBuilder &, Location, ValueRange indices, ValueRange carried) {
        for (auto [iterator, index] : llvm::zip_equal(loops.iterators, indices))
          point[iterator] = index;
        SmallVector<Value> inputs =
            load(op.getInputs(), [&](unsigned i) { return op.getInputMap(i); });
        SmallVector<Value> values = op.buildMap(rewriter, loc, inputs);
        SmallVector<Value> next =
            op.buildCombine(rewriter, loc, carried, values);
        if (vectorizes && op.getCombine().empty())
          llvm::for_each(next, allowReassociation);
        return scf::ValueVector(next.begin(), next.end());
      });
  if (vectorizes)
    annotateLoops(ArrayRef(nest.loops));
  return llvm::to_vector_of<Value>(nest.results);
}

void ContractLowering::buildResult(bool hasSums) {
  // The only term of a result is combined with the old one as it is.
  bool startsFromOld = !op.getOverwrite() && !(op.mayReorder() && hasSums);
  SmallVector<Value> values =
      accumulate(startsFromOld ? loadOld() : op.buildNeutral(rewriter, loc));
  if (!op.getOverwrite() && !startsFromOld)
    values = op.buildCombine(rewriter, loc, loadOld(), values);
  SmallVector<Value> sides =
      load(op.getSides(), [&](unsigned i) { return op.getSideMap(i); });
  SmallVector<Value> elements = op.buildEpilogue(rewriter, loc, values, sides);
  for (auto [o, element] : llvm::enumerate(elements))
    memref::StoreOp::create(rewriter, loc, element, op.getOutput(o),
                            getSubscripts(op.getOutputMap(o)));
}

LogicalResult mlir::tc::lowerContract(IRRewriter &rewriter, ContractOp op,
                                      bool vectorizes) {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs, got tensors: bufferize first");
  ContractLowering lowering{rewriter, op, op.getLoc(), vectorizes, {}};
  // Expressions of a map use only the iterators it varies with.
  lowering.point.assign(op.getNumIterators(), Value());
  Loops loops = lowering.getLoops(/*contracted=*/false);
  bool hasSums = loops.iterators.size() != op.getNumIterators();
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, op.getLoc(), loops.lower, loops.upper, loops.step,
      [&](OpBuilder &, Location, ValueRange indices) {
        for (auto [iterator, index] : llvm::zip_equal(loops.iterators, indices))
          lowering.point[iterator] = index;
        lowering.buildResult(hasSums);
      });
  if (vectorizes && hasSums)
    llvm::for_each(nest.loops, setScalar);
  else if (vectorizes)
    annotateLoops(ArrayRef(nest.loops));
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// tc.par and tc.seq
//===----------------------------------------------------------------------===//

SmallVector<Value> mlir::tc::moveRegion(IRRewriter &rewriter, Region &region,
                                        ValueRange arguments) {
  Operation *yield = region.front().getTerminator();
  rewriter.inlineBlockBefore(&region.front(), rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), arguments);
  SmallVector<Value> yielded(yield->getOperands());
  rewriter.eraseOp(yield);
  return yielded;
}

/// Replaces a nest by loops around its body.
template <typename NestOp>
static void lowerNest(IRRewriter &rewriter, NestOp op, ValueRange inits) {
  Block *outer = op->getBlock(), *inner = outer;
  auto moveBody = [&](ValueRange indices, ValueRange carried) {
    inner = rewriter.getInsertionBlock();
    SmallVector<Value> arguments(indices);
    llvm::append_range(arguments, carried);
    return moveRegion(rewriter, op.getRegion(), arguments);
  };
  SmallVector<Value> results = buildLoops(
      rewriter, op.getLoc(), getLoopSpace(rewriter, op), inits, moveBody);
  // What is known of the nest is known of each of its loops.
  auto independent = TCDialect::IndependentAttrHelper(op->getContext());
  if (independent.isAttrPresent(op))
    for (; inner != outer; inner = inner->getParentOp()->getBlock())
      independent.setAttr(inner->getParentOp(), rewriter.getUnitAttr());
  rewriter.replaceOp(op, results);
}

void mlir::tc::lowerPar(IRRewriter &rewriter, ParOp op) {
  lowerNest(rewriter, op, {});
}

void mlir::tc::lowerParToParallel(IRRewriter &rewriter, ParOp op) {
  if (op.getRank() == 0)
    return lowerPar(rewriter, op);
  Location loc = op.getLoc();
  LoopSpace space = getLoopSpace(rewriter, op);
  SmallVector<OpFoldResult> ones(op.getRank(), rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> widths = ones;
  SmallVector<Value> steps;
  for (unsigned d = 0, e = op.getRank(); d != e; ++d) {
    steps.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc, space.isDense(d) ? ones[d] : space.step[d]));
    if (!space.isDense(d))
      widths[d] = space.width[d];
  }
  auto moveBody = [&](ValueRange indices, ValueRange) {
    return moveRegion(rewriter, op.getRegion(), indices);
  };
  auto buildBody = [&](OpBuilder &, Location, ValueRange first) {
    if (areAllConstantIntValue(widths, 1)) {
      moveBody(first, {});
      return;
    }
    LoopSpace inner{SmallVector<Value>(first), {}, ones, ones, {}};
    for (auto [index, width, upper] :
         llvm::zip_equal(first, widths, space.upper)) {
      Value size = getValueOrCreateConstantIndexOp(rewriter, loc, width);
      Value end = arith::AddIOp::create(rewriter, loc, index, size);
      inner.upper.push_back(arith::MinSIOp::create(rewriter, loc, end, upper));
    }
    buildLoops(rewriter, loc, inner, {}, moveBody);
  };
  scf::ParallelOp::create(rewriter, loc, space.lower, space.upper, steps,
                          buildBody);
  rewriter.eraseOp(op);
}

void mlir::tc::lowerSeq(IRRewriter &rewriter, SeqOp op) {
  lowerNest(rewriter, op, op.getInits());
}

/// Is `indices` in `part`?
static Value buildContains(IRRewriter &rewriter, PartitionOp part,
                           ValueRange indices) {
  Location loc = part.getLoc();
  LoopSpace space = getLoopSpace(rewriter, part);
  Value all = arith::ConstantIntOp::create(rewriter, loc, 1, /*width=*/1);
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value holds = rewriter.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
    all = rewriter.createOrFold<arith::AndIOp>(loc, all, holds);
  };
  for (auto [d, index] : llvm::enumerate(indices)) {
    require(arith::CmpIPredicate::sge, index, space.lower[d]);
    require(arith::CmpIPredicate::slt, index, space.upper[d]);
    if (space.isDense(d))
      continue;
    auto get = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, value);
    };
    Value distance =
        rewriter.createOrFold<arith::SubIOp>(loc, index, space.lower[d]);
    require(arith::CmpIPredicate::ult,
            rewriter.createOrFold<arith::RemUIOp>(loc, distance,
                                                  get(space.step[d])),
            get(space.width[d]));
  }
  return all;
}

void mlir::tc::lowerWith(IRRewriter &rewriter, WithOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> ones(op.getRank(), rewriter.getIndexAttr(1));
  LoopSpace whole{{}, {}, ones, ones, {}};
  for (int64_t d = 0, e = op.getRank(); d != e; ++d) {
    whole.lower.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
    whole.upper.push_back(
        rewriter.createOrFold<memref::DimOp>(loc, op.getOutputs().front(), d));
  }
  buildLoops(rewriter, loc, whole, {}, [&](ValueRange indices, ValueRange) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto store = [&](ValueRange elements) {
      for (auto [element, output] : llvm::zip_equal(elements, op.getOutputs()))
        memref::StoreOp::create(rewriter, loc, element, output, indices);
    };
    SmallVector<PartitionOp> parts = op.getPartitions();
    for (PartitionOp part : llvm::reverse(parts)) {
      Value contains = buildContains(rewriter, part, indices);
      auto branch = scf::IfOp::create(rewriter, part.getLoc(), contains,
                                      /*withElseRegion=*/true);
      rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
      store(moveRegion(rewriter, part.getRegion(), indices));
      rewriter.setInsertionPoint(branch.elseBlock()->getTerminator());
    }
    if (!op.getDefaults().empty())
      store(op.getDefaults());
    return SmallVector<Value>();
  });
  rewriter.eraseOp(op);
}
