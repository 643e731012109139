//===- ComputeAt.cpp - Values where they are needed -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each iteration of the consumer computes the box that it reads. Boxes may
// overlap, so that some elements are computed several times, but each iteration
// has a buffer of its own: nothing is shared that was not shared before.
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"
#include "Nests/BuildExpr.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/AccessBox.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
class Recomputation {
public:
  Recomputation(RewriterBase &rewriter, ParOp producer, Operation *consumer,
                Refusal &refusal)
      : rewriter(rewriter), producer(producer), consumer(consumer),
        refusal(refusal), values(producer.getContext()),
        box(&LoopNest(consumer).getBody().front(), values) {}

  FailureOr<Operation *> run();

private:
  LogicalResult findRoot();
  LogicalResult findBuffer();
  LogicalResult findShifts();
  LogicalResult findLoads();
  LogicalResult checkInputs();
  LogicalResult findBox();
  OpFoldResult buildBound(unsigned d, bool isLower);
  Value buildSubscript(Location loc, AffineExpr subscript, unsigned d);
  void redirect(Operation *op, ArrayRef<AffineExpr> subscripts, Value target);
  Operation *build();

  RewriterBase &rewriter;
  ParOp producer;
  Operation *consumer;
  Refusal &refusal;
  NestValues values;
  AccessBox box;
  Operation *root = nullptr; ///< of the producer's block, round the consumer
  NewOp buffer;
  /// What the producer's own accesses of the buffer add to its indices.
  SmallVector<int64_t> shifts;
  SmallVector<NestAccess> loads; ///< of the consumer
  bool isReadElsewhere = false;
};
} // namespace

LogicalResult Recomputation::findRoot() {
  LoopNest nest(producer);
  if (std::string why = nest.findObstacle(); !why.empty())
    return refuse(refusal, why);
  for (unsigned d = 0; d < nest.getRank(); ++d)
    if (std::string why = nest.findObstacle(d); !why.empty())
      return refuse(refusal, why);
  root = producer->getBlock()->findAncestorOpInBlock(*consumer);
  if (!root || !producer->isBeforeInBlock(root))
    return refuse(refusal, "expected a consumer after the producer, in its "
                           "block or deeper");
  return success();
}

/// The one buffer that the producer writes.
LogicalResult Recomputation::findBuffer() {
  Value written;
  bool isOne = true;
  producer.walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values)) {
      if (!access.writes ||
          producer->isAncestor(access.buffer.getParentRegion()->getParentOp()))
        continue;
      isOne &= !written || written == access.buffer;
      written = access.buffer;
    }
  });
  buffer = written ? written.getDefiningOp<NewOp>() : NewOp();
  if (!isOne || !buffer)
    return refuse(refusal, "expected a producer that writes one buffer, made "
                           "by tc.new");
  return success();
}

/// Each iteration of the producer has one element of the buffer for itself.
LogicalResult Recomputation::findShifts() {
  ValueRange indices = producer.getIndices();
  bool isOwn = true;
  producer.walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values)) {
      if (access.buffer != buffer)
        continue;
      isOwn &= isa<memref::LoadOp, memref::StoreOp>(op) &&
               llvm::is_contained(op->getOperands(), buffer.getResult()) &&
               access.isExact && !access.isLinear &&
               access.subscripts.size() == indices.size();
      if (!isOwn)
        return;
      SmallVector<int64_t> found;
      for (auto [subscript, index] :
           llvm::zip_equal(access.subscripts, indices)) {
        auto shift = staticValue(simplifyAffineExpr(
            subscript - values.getDim(index), values.getNumDims(), 0));
        isOwn &= shift.has_value();
        found.push_back(shift.value_or(0));
      }
      isOwn &= shifts.empty() || shifts == found;
      shifts = found;
    }
  });
  if (!isOwn)
    return refuse(refusal, "expected loads and stores of the buffer at the "
                           "producer's indices, or a constant apart from them");
  return success();
}

LogicalResult Recomputation::findLoads() {
  Operation *obstacle = nullptr;
  producer->getParentOfType<FunctionOpInterface>().walk([&](Operation *op) {
    if (producer->isAncestor(op) || op == buffer)
      return;
    for (NestAccess &access : getAccesses(op, values)) {
      if (areDistinct(access.buffer, buffer))
        continue;
      bool isInside = consumer->isProperAncestor(op);
      isReadElsewhere |= !isInside;
      if (access.writes || (isInside && (!isa<memref::LoadOp>(op) ||
                                         !access.isExact || access.isLinear)))
        obstacle = op;
      else if (isInside)
        loads.push_back(access);
    }
  });
  if (obstacle)
    return refuse(refusal, "expected loads alone of what the producer makes, "
                           "found '" +
                               obstacle->getName().getStringRef() + "'");
  if (loads.empty())
    return refuse(refusal,
                  "expected a consumer that loads what the producer makes");
  return success();
}

/// Is what the producer reads still there when the consumer runs?
LogicalResult Recomputation::checkInputs() {
  for (Operation *op = producer; op != root->getNextNode();
       op = op->getNextNode())
    if (failed(checkEffects(op, refusal)))
      return failure();
  for (Operation *op = producer->getNextNode(); op != root->getNextNode();
       op = op->getNextNode())
    if (auto clash =
            findStale(producer, buffer, op, /*mayFollow=*/op == root, values))
      return refuse(refusal, "computing later", *clash);
  return success();
}

LogicalResult Recomputation::findBox() {
  for (NestAccess &load : loads)
    if (std::optional<BoxObstacle> found = box.extend(load))
      return refuse(refusal,
                    "expected the consumer to read a box, found subscript " +
                        Twine(found->dim) +
                        (found->isApart
                             ? " of two loads not a constant apart"
                             : " not linear in indices of constant extents"));
  return success();
}

/// A bound of the indices that the box needs, inside of the producer's.
OpFoldResult Recomputation::buildBound(unsigned d, bool isLower) {
  Location loc = producer.getLoc();
  SpaceBounds bounds = producer.getBounds();
  AffineExpr needed = box.getFirst(d) - shifts[d];
  if (!isLower)
    needed = needed + box.getSize(d);
  OpFoldResult own = isLower ? bounds.lower[d] : bounds.upper[d];
  AffineExpr apart = needed - values.trace(own);
  OpFoldResult value = buildExpr(rewriter, loc, needed, values);
  if (isNonNegative(isLower ? apart : -apart, values))
    return value;
  AffineExpr a = rewriter.getAffineDimExpr(0), b = rewriter.getAffineDimExpr(1);
  auto map = AffineMap::get(2, 0, {a, b}, rewriter.getContext());
  return isLower ? affine::makeComposedFoldedAffineMax(rewriter, loc, map,
                                                       {value, own})
                 : affine::makeComposedFoldedAffineMin(rewriter, loc, map,
                                                       {value, own});
}

Value Recomputation::buildSubscript(Location loc, AffineExpr subscript,
                                    unsigned d) {
  return getValueOrCreateConstantIndexOp(
      rewriter, loc,
      buildExpr(rewriter, loc, subscript - box.getFirst(d), values));
}

/// Lets `op`, a load or store, reach `target`, which holds the box.
void Recomputation::redirect(Operation *op, ArrayRef<AffineExpr> subscripts,
                             Value target) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> places;
  for (auto [d, subscript] : llvm::enumerate(subscripts))
    places.push_back(buildSubscript(op->getLoc(), subscript, d));
  if (auto store = dyn_cast<memref::StoreOp>(op))
    rewriter.replaceOpWithNewOp<memref::StoreOp>(store, store.getValue(),
                                                 target, places);
  else
    rewriter.replaceOpWithNewOp<memref::LoadOp>(op, target, places);
}

Operation *Recomputation::build() {
  Location loc = producer.getLoc();
  rewriter.setInsertionPointToStart(&LoopNest(consumer).getBody());
  SmallVector<int64_t> shape;
  for (unsigned d = 0; d < box.getRank(); ++d)
    shape.push_back(box.getSize(d));
  auto type = cast<MemRefType>(buffer.getType());
  auto part = NewOp::create(rewriter, loc,
                            MemRefType::get(shape, type.getElementType()),
                            buffer.getInitAttr(), /*threads=*/0,
                            /*slot=*/IntegerAttr());
  SpaceBounds bounds = producer.getBounds();
  for (unsigned d = 0; d < box.getRank(); ++d) {
    bounds.lower[d] = buildBound(d, /*isLower=*/true);
    bounds.upper[d] = buildBound(d, /*isLower=*/false);
  }
  LoopNest old(producer), made(old.createLike(rewriter, bounds));
  IRMapping mapping;
  mapping.map(old.getIndices(), made.getIndices());
  rewriter.setInsertionPoint(made.getBody().getTerminator());
  SmallVector<Operation *> accesses;
  for (Operation &op : old.getBody().without_terminator())
    rewriter.clone(op, mapping)->walk([&](Operation *copy) {
      if (llvm::is_contained(copy->getOperands(), buffer.getResult()))
        accesses.push_back(copy);
    });
  SmallVector<AffineExpr> own;
  for (auto [index, shift] : llvm::zip_equal(made.getIndices(), shifts))
    own.push_back(values.getDim(index) + shift);
  for (Operation *access : accesses)
    redirect(access, own, part);
  for (NestAccess &load : loads)
    redirect(load.op, load.subscripts, part);
  if (!isReadElsewhere) {
    rewriter.eraseOp(producer);
    if (buffer->use_empty())
      rewriter.eraseOp(buffer);
  }
  return made.op;
}

FailureOr<Operation *> Recomputation::run() {
  if (failed(findRoot()) || failed(findBuffer()) || failed(findShifts()) ||
      failed(findLoads()) || failed(checkInputs()) || failed(findBox()))
    return failure();
  return build();
}

FailureOr<Operation *> mlir::tc::computeAt(RewriterBase &rewriter,
                                           ParOp producer, Operation *consumer,
                                           Refusal &refusal) {
  return Recomputation(rewriter, producer, consumer, refusal).run();
}
