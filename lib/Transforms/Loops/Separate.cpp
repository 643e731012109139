//===- Separate.cpp - Two nests of one, one of two ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Distribute
//===----------------------------------------------------------------------===//

/// May both nests compute what `op` does?
static bool isArithmetic(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// A value of the body before `cut` that the rest needs and cannot compute.
static Value findCrossing(Block &body, Operation *cut) {
  for (Operation &op : llvm::make_range(body.begin(), cut->getIterator())) {
    if (isArithmetic(&op))
      continue;
    for (Value result : op.getResults())
      for (Operation *user : result.getUsers()) {
        Operation *stands = body.findAncestorOpInBlock(*user);
        if (stands == cut || cut->isBeforeInBlock(stands))
          return result;
      }
  }
  return {};
}

FailureOr<TwoNests> mlir::tc::distributeNest(RewriterBase &rewriter,
                                             Operation *op, Operation *cut,
                                             Refusal &refusal) {
  LoopNest nest(op);
  if (std::string why = nest.findObstacle(); !why.empty())
    return refuse(refusal, why);
  Block &body = nest.getBody();
  if (cut->getBlock() != &body || cut == body.getTerminator())
    return refuse(refusal, "expected to cut before an op of the nest's body");
  if (Value value = findCrossing(body, cut))
    return refuse(refusal, "expected no value but arithmetic that both parts "
                           "need, found one of '" +
                               value.getDefiningOp()->getName().getStringRef() +
                               "'");
  if (!nest.isPar()) {
    if (failed(checkEffects(op, refusal)))
      return failure();
    NestValues values(op->getContext());
    if (auto clash = findCutThrough(op, cut, values))
      return refuse(refusal, "distributing", *clash);
  }
  // The first nest keeps the ops before the cut; those that the second one
  // needs, too, are copied.
  SmallVector<Operation *> before;
  for (Operation &other : llvm::make_range(body.begin(), cut->getIterator()))
    before.push_back(&other);
  rewriter.setInsertionPoint(op);
  LoopNest first(nest.createLike(rewriter, nest.getBounds()));
  IRMapping mapping;
  mapping.map(nest.getIndices(), first.getIndices());
  rewriter.setInsertionPoint(first.getBody().getTerminator());
  for (Operation *part : before)
    rewriter.clone(*part, mapping);
  rewriter.setInsertionPoint(op);
  LoopNest second(nest.createLike(rewriter, nest.getBounds()));
  for (Operation *part : llvm::reverse(before))
    if (!isArithmetic(part) || part->use_empty())
      rewriter.eraseOp(part);
  nest.moveBody(rewriter, second.op,
                llvm::to_vector_of<Value>(second.getIndices()));
  rewriter.eraseOp(op);
  return TwoNests{first.op, second.op};
}

//===----------------------------------------------------------------------===//
// Fuse
//===----------------------------------------------------------------------===//

static bool haveOneSpace(const SpaceBounds &a, const SpaceBounds &b) {
  return a.lower == b.lower && a.upper == b.upper && a.step == b.step &&
         a.width == b.width;
}

/// What stands between two nests; the first op that cannot be put before both
/// is `obstacle`.
static SmallVector<Operation *> findBetween(Operation *first, Operation *second,
                                            Operation *&obstacle) {
  SmallVector<Operation *> between;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    between.push_back(op);
    if (!isPure(op) && !obstacle)
      obstacle = op;
  }
  return between;
}

FailureOr<Operation *> mlir::tc::fuseNests(RewriterBase &rewriter,
                                           Operation *first, Operation *second,
                                           Refusal &refusal) {
  if (first->getName() != second->getName() ||
      first->getBlock() != second->getBlock() ||
      !first->isBeforeInBlock(second))
    return refuse(refusal, "expected two tc.par or two tc.seq of one block, "
                           "the first before the second");
  LoopNest a(first), b(second);
  for (LoopNest nest : {a, b})
    if (std::string why = nest.findObstacle(); !why.empty())
      return refuse(refusal, why);
  if (!haveOneSpace(a.getBounds(), b.getBounds()))
    return refuse(refusal, "expected nests over one space");
  Operation *obstacle = nullptr;
  SmallVector<Operation *> between = findBetween(first, second, obstacle);
  if (obstacle)
    return refuse(refusal, "expected nothing that touches memory between the "
                           "nests, found '" +
                               obstacle->getName().getStringRef() + "'");
  for (Operation *nest : {first, second})
    if (failed(checkEffects(nest, refusal)))
      return failure();
  NestValues values(first->getContext());
  if (auto clash = findOvertaken(first, second, !a.isPar(), values))
    return refuse(refusal, "fusing", *clash);

  for (Operation *op : between)
    rewriter.moveOpBefore(op, first);
  rewriter.setInsertionPoint(second);
  LoopNest made(a.createLike(rewriter, a.getBounds()));
  for (LoopNest nest : {a, b}) {
    nest.moveBody(rewriter, made.op,
                  llvm::to_vector_of<Value>(made.getIndices()));
    rewriter.eraseOp(nest.op);
  }
  return made.op;
}
