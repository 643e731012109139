//===- SCFToTC.cpp - Upstream's parallel loops to tc.par ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SCFToTC/SCFToTC.h"

#include "tc/Conversion/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTSCFTOTC
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The level that a mapping attribute of scf.forall asks for.
static std::optional<Level> getLevel(Attribute mapping) {
  return TypeSwitch<Attribute, std::optional<Level>>(mapping)
      .Case<gpu::GPUBlockMappingAttr>([](auto) { return Level::Grid; })
      .Case<gpu::GPUThreadMappingAttr, gpu::GPUWarpMappingAttr,
            gpu::GPUWarpgroupMappingAttr>([](auto) { return Level::Block; })
      .Case<gpu::GPULaneMappingAttr>([](auto) { return Level::Warp; })
      .Default(std::nullopt);
}

/// The level of all dimensions of `op`; none if nothing asks for one.
static FailureOr<std::optional<Level>> getLevel(scf::ForallOp op) {
  std::optional<Level> level;
  if (!op.getMapping())
    return level;
  for (auto [i, attr] : llvm::enumerate(*op.getMapping())) {
    std::optional<Level> own = getLevel(attr);
    if (!own || (i > 0 && own != level))
      return failure();
    level = own;
  }
  return level;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static ParallelLoop describe(scf::ForallOp op) {
  ParallelLoop loop{op, op.getMixedLowerBound(), op.getMixedUpperBound(),
                    op.getMixedStep()};
  auto level = getLevel(op);
  if (op.getNumResults() > 0)
    loop.refusal = "it gives tensors; bufferize first";
  else if (failed(level))
    loop.refusal = "its mapping mixes levels, or names none of a GPU";
  else
    loop.level = *level;
  return loop;
}

static ParallelLoop describe(scf::ParallelOp op) {
  ParallelLoop loop{op, getAsOpFoldResult(op.getLowerBound()),
                    getAsOpFoldResult(op.getUpperBound()),
                    getAsOpFoldResult(op.getStep())};
  if (op.getNumResults() > 0)
    loop.refusal = refuseReduction(op);
  return loop;
}

/// The bounds of an affine.parallel as values before it.
static ParallelLoop describe(affine::AffineParallelOp op) {
  ParallelLoop loop{op, {}, {}, {}};
  if (op.getNumResults() > 0)
    loop.refusal = refuseReduction(op);
  if (!loop.refusal.empty())
    return loop;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  for (unsigned d = 0, e = op.getNumDims(); d < e; ++d) {
    loop.lower.push_back(affine::makeComposedFoldedAffineMax(
        builder, loc, op.getLowerBoundMap(d),
        getAsOpFoldResult(op.getLowerBoundsOperands())));
    loop.upper.push_back(affine::makeComposedFoldedAffineMin(
        builder, loc, op.getUpperBoundMap(d),
        getAsOpFoldResult(op.getUpperBoundsOperands())));
    loop.step.push_back(builder.getIndexAttr(op.getSteps()[d]));
  }
  return loop;
}

bool mlir::tc::isParallel(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp, affine::AffineParallelOp, ParOp,
             ReduceOp, ScanOp>(op);
}

SmallVector<std::pair<Value, Value>>
mlir::tc::countSteps(RewriterBase &rewriter, ParallelLoop &loop, bool all) {
  Location loc = loop.op->getLoc();
  SmallVector<std::pair<Value, Value>> scales(loop.step.size());
  auto materialize = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  for (auto [d, step] : llvm::enumerate(loop.step)) {
    std::optional<int64_t> constant = getConstantIntValue(step);
    if (constant && (!all || constant == 1))
      continue;
    Value lower = materialize(loop.lower[d]), by = materialize(step);
    Value extent = rewriter.createOrFold<arith::SubIOp>(
        loc, materialize(loop.upper[d]), lower);
    scales[d] = {by, lower};
    loop.lower[d] = rewriter.getIndexAttr(0);
    loop.upper[d] = getAsOpFoldResult(
        rewriter.createOrFold<arith::CeilDivSIOp>(loc, extent, by));
    step = rewriter.getIndexAttr(1);
  }
  return scales;
}

SmallVector<Value>
mlir::tc::buildIndices(RewriterBase &rewriter, Location loc, ValueRange counted,
                       ArrayRef<std::pair<Value, Value>> scales) {
  SmallVector<Value> indices(counted);
  for (auto [index, scale] : llvm::zip_equal(indices, scales))
    if (auto [by, lower] = scale; by) {
      index = arith::MulIOp::create(rewriter, loc, index, by);
      index = arith::AddIOp::create(rewriter, loc, index, lower);
    }
  return indices;
}

/// Replaces the loop by a tc.par. A dynamic step becomes a
/// factor of the index.
static void convert(RewriterBase &rewriter, ParallelLoop &loop) {
  Location loc = loop.op->getLoc();
  rewriter.setInsertionPoint(loop.op);
  auto scales = countSteps(rewriter, loop, /*all=*/false);
  SmallVector<int64_t> steps = llvm::map_to_vector(
      loop.step, [](OpFoldResult step) { return *getConstantIntValue(step); });
  auto par = ParOp::create(rewriter, loc, loop.level, loop.lower, loop.upper,
                           steps, [](OpBuilder &, Location, ValueRange) {});
  Block *body = &loop.op->getRegion(0).front();
  rewriter.setInsertionPointToStart(par.getBody());
  SmallVector<Value> indices =
      buildIndices(rewriter, loc, par.getIndices(), scales);
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, par.getBody()->getTerminator(), indices);
  rewriter.eraseOp(loop.op);
}

/// Has the loop nests inside, in a nest? As a loop of nests it can be taken
/// out.
static bool isLoopOfNests(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && loop.getInductionVar().getType().isIndex() &&
         !loop.getUnsignedCmp() && loop->getParentOfType<ParOp>() &&
         containsOp(*loop.getBody(), llvm::IsaPred<ParOp, ReduceOp, ScanOp>);
}

/// Replaces the loop by a tc.seq.
static void convert(RewriterBase &rewriter, scf::ForOp op) {
  ParallelLoop loop{op, *op.getLoopLowerBounds(), *op.getLoopUpperBounds(),
                    *op.getLoopSteps()};
  rewriter.setInsertionPoint(op);
  auto scales = countSteps(rewriter, loop, /*all=*/false);
  auto seq = SeqOp::create(
      rewriter, op.getLoc(), loop.lower, loop.upper,
      {*getConstantIntValue(loop.step.front())}, op.getInitArgs(),
      [&](OpBuilder &, Location loc, ValueRange indices, ValueRange carried) {
        IRMapping mapping;
        mapping.map(op.getInductionVar(),
                    buildIndices(rewriter, loc, indices, scales).front());
        mapping.map(op.getRegionIterArgs(), carried);
        for (Operation &inner : op.getBody()->without_terminator())
          rewriter.clone(inner, mapping);
        return llvm::map_to_vector(
            op.getBody()->getTerminator()->getOperands(),
            [&](Value value) { return mapping.lookupOrDefault(value); });
      });
  rewriter.replaceOp(op, seq.getResults());
}

/// Turns accesses and loops of affine into those of memref and scf: a tc.par is
/// no loop of affine, so its indices may not stand in them.
static LogicalResult leaveAffine(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  bool isNeeded = containsOp(function, llvm::IsaPred<affine::AffineParallelOp>);
  if (!isNeeded)
    return success();
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<affine::AffineForOp, affine::AffineIfOp,
                      affine::AffineLoadOp, affine::AffineStoreOp>();
  target.addDynamicallyLegalOp<affine::AffineYieldOp>([](Operation *op) {
    return isa<affine::AffineParallelOp>(op->getParentOp());
  });
  return applyPartialConversion(function, target, std::move(patterns));
}

namespace {
struct ConvertSCFToTCPass : tc::impl::ConvertSCFToTCBase<ConvertSCFToTCPass> {
  void runOnOperation() override {
    if (failed(leaveAffine(getOperation())))
      return signalPassFailure();
    auto isParallel =
        llvm::IsaPred<scf::ForallOp, scf::ParallelOp, affine::AffineParallelOp>;
    IRRewriter rewriter(&getContext());
    for (Operation *op : collectOps<Operation *>(getOperation(), isParallel)) {
      ParallelLoop loop =
          TypeSwitch<Operation *, ParallelLoop>(op)
              .Case<scf::ForallOp, scf::ParallelOp, affine::AffineParallelOp>(
                  [](auto op) { return describe(op); });
      if (!loop.refusal.empty())
        remark::missed(op->getLoc(), remark::RemarkOpts::name("NotConverted")
                                         .category("convert-scf-to-tc"))
            << remark::reason("the loop stays as it is: {0}", loop.refusal);
      else if (op->getNumResults() > 0)
        convertReduction(rewriter, loop);
      else
        convert(rewriter, loop);
    }
    // Inner ones first: what is cloned is converted.
    for (Operation *op : collectOps<Operation *>(getOperation(), isLoopOfNests))
      convert(rewriter, cast<scf::ForOp>(op));
  }
};
} // namespace
