//===- LoopNest.cpp - A tc.par or a tc.seq --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SpaceBounds LoopNest::getBounds() const {
  return isPar() ? cast<ParOp>(op).getBounds() : cast<SeqOp>(op).getBounds();
}

ValueRange LoopNest::getIndices() const {
  if (isPar())
    return cast<ParOp>(op).getIndices();
  return cast<SeqOp>(op).getIndices();
}

bool LoopNest::isDense(unsigned d) const {
  SpaceBounds bounds = getBounds();
  std::optional<int64_t> step = getConstantIntValue(bounds.step[d]),
                         width = getConstantIntValue(bounds.width[d]);
  return step && step == width;
}

std::string LoopNest::findObstacle() const {
  if (auto par = dyn_cast<ParOp>(op)) {
    if (par.getLevel() || par.getFull() || par.getMappingAttr())
      return "expected a tc.par without a level, before it is dealt out";
    return "";
  }
  auto seq = cast<SeqOp>(op);
  if (!seq.getInits().empty())
    return "expected a tc.seq that carries no values";
  return findStagesObstacle(seq);
}

std::string mlir::tc::findStagesObstacle(SeqOp loop) {
  if (loop.getStages() != 1 || loop.getUnroll() != 1)
    return "expected a tc.seq without stages and unrolling, which come last";
  return "";
}

std::string LoopNest::findObstacle(int64_t d, bool mayStep) const {
  std::string why = findObstacle();
  if (!why.empty())
    return why;
  if (d < 0 || d >= getRank())
    return ("expected a dimension from 0 to " + Twine(getRank() - 1) +
            ", found " + Twine(d))
        .str();
  SpaceBounds bounds = getBounds();
  if (mayStep && getConstantIntValue(bounds.step[d]) &&
      getConstantIntValue(bounds.width[d]) == 1)
    return "";
  if (!isDense(d))
    return ("expected steps of 1 along dimension " + Twine(d)).str();
  return "";
}

Operation *LoopNest::createLike(OpBuilder &builder,
                                const SpaceBounds &bounds) const {
  if (isPar())
    return ParOp::create(builder, op->getLoc(), bounds,
                         [](OpBuilder &, Location, ValueRange) {});
  return SeqOp::create(builder, op->getLoc(), bounds, ValueRange(),
                       [](OpBuilder &, Location, ValueRange, ValueRange) {
                         return SmallVector<Value>();
                       });
}

template <typename NestOp>
static void setBounds(NestOp nest, const SpaceBounds &bounds) {
  auto set = [](MutableOperandRange values, ArrayRef<OpFoldResult> mixed) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> constants;
    dispatchIndexOpFoldResults(mixed, dynamic, constants);
    values.assign(dynamic);
    return constants;
  };
  nest.setStaticLower(set(nest.getLowerMutable(), bounds.lower));
  nest.setStaticUpper(set(nest.getUpperMutable(), bounds.upper));
  nest.setStaticStep(set(nest.getStepMutable(), bounds.step));
  nest.setStaticWidth(set(nest.getWidthMutable(), bounds.width));
}

void LoopNest::setBounds(RewriterBase &rewriter,
                         const SpaceBounds &bounds) const {
  rewriter.modifyOpInPlace(op, [&] {
    if (auto par = dyn_cast<ParOp>(op))
      ::setBounds(par, bounds);
    else
      ::setBounds(cast<SeqOp>(op), bounds);
  });
}

void LoopNest::moveBody(RewriterBase &rewriter, Operation *target,
                        ArrayRef<Value> indices) const {
  rewriter.eraseOp(getBody().getTerminator());
  rewriter.inlineBlockBefore(
      &getBody(), target->getRegion(0).front().getTerminator(), indices);
}

Operation *mlir::tc::replaceNest(RewriterBase &rewriter, LoopNest nest,
                                 const SpaceBounds &bounds,
                                 BuildIndices build) {
  rewriter.setInsertionPoint(nest.op);
  LoopNest made(nest.createLike(rewriter, bounds));
  rewriter.setInsertionPointToStart(&made.getBody());
  IndexBuilder math(nest.op->getLoc(), rewriter);
  nest.moveBody(rewriter, made.op, build(math, made.getIndices()));
  rewriter.eraseOp(nest.op);
  return made.op;
}

std::string mlir::tc::findSizeObstacle(int64_t number, StringRef what) {
  if (std::abs(double(number)) < kLimit32)
    return "";
  return ("expected a " + what + " of less than 2^31, found " + Twine(number))
      .str();
}

LogicalResult mlir::tc::refuse(Refusal &refusal, StringRef step,
                               const Clash &clash) {
  refusal.clash = clash;
  refusal.why =
      clash.isProven()
          ? (step + " would change the order of two iterations that depend on "
                    "each other")
                .str()
          : ("not proven: " + step +
             " may change the order of iterations "
             "that depend on each other")
                .str();
  return failure();
}

LogicalResult mlir::tc::checkEffects(Operation *nest, Refusal &refusal) {
  if (Operation *op = findUnknownEffect(nest))
    return refuse(refusal, "not proven: it is not known what '" +
                               op->getName().getStringRef() +
                               "' in the nest does");
  return success();
}

/// The dimensions of `indices`, the times made of them, and what is in the way.
static std::optional<Clash> findClash(Operation *nest, ValueRange indices,
                                      BuildTimes build, int64_t factor = 0,
                                      unsigned dim = 0, unsigned by = 0) {
  NestValues values(nest->getContext());
  SmallVector<AffineExpr> dims = llvm::map_to_vector(
      indices, [&](Value index) { return values.getDim(index); });
  dims[dim] = dims[dim] + factor * dims[by];
  return findReordered(nest, indices, build(dims), values);
}

/// Is there a skew after which the step would be legal? In words.
static std::string findSkew(Operation *nest, ValueRange indices,
                            BuildTimes build) {
  for (int64_t factor = 1; factor <= kMaxSkew; ++factor)
    for (unsigned dim = 1; dim < indices.size(); ++dim)
      for (unsigned by = 0; by < dim; ++by)
        if (!findClash(nest, indices, build, factor, dim, by))
          return ("legal after a skew of dimension " + Twine(dim) + " by " +
                  Twine(factor) + " times dimension " + Twine(by))
              .str();
  return "";
}

LogicalResult mlir::tc::checkOrder(Operation *nest, ValueRange indices,
                                   StringRef step, BuildTimes build,
                                   Refusal &refusal, bool maySkew) {
  if (isa<ParOp>(nest))
    return success();
  if (failed(checkEffects(nest, refusal)))
    return failure();
  auto clash = findClash(nest, indices, build);
  if (!clash)
    return success();
  if (maySkew)
    refusal.remedy = findSkew(nest, indices, build);
  return refuse(refusal, step, *clash);
}
