//===- Bands.cpp - Nests as one index space -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/Bands.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

/// Iterations that are no work for several threads.
static constexpr int64_t kFewIterations = 16;

SpaceBounds mlir::tc::getBounds(Operation *nest) {
  return TypeSwitch<Operation *, SpaceBounds>(nest)
      .Case<ParOp, ReduceOp, ScanOp>([](auto op) { return op.getBounds(); });
}

bool mlir::tc::hasFewIterations(Operation *nest) {
  std::optional<int64_t> count = countIterations(nest);
  return count && *count <= kFewIterations;
}

bool mlir::tc::isTeamOp(Operation *op) {
  return isa<ParOp, ReduceOp, ScanOp>(op) && !hasFewIterations(op);
}

bool mlir::tc::isTeamLoop(Operation *op) {
  auto loop = dyn_cast<SeqOp>(op);
  return loop && llvm::any_of(*loop.getBody(), [](Operation &inner) {
           return isTeamOp(&inner) || isTeamLoop(&inner);
         });
}

static void collectTeamOps(Block &row, SmallVectorImpl<Operation *> &found) {
  for (Operation &op : row) {
    if (isTeamOp(&op))
      found.push_back(&op);
    else if (isTeamLoop(&op))
      collectTeamOps(*cast<SeqOp>(op).getBody(), found);
  }
}

SmallVector<Operation *> mlir::tc::collectTeamOps(Block &row) {
  SmallVector<Operation *> found;
  ::collectTeamOps(row, found);
  return found;
}

bool mlir::tc::isWrittenByHand(Operation *nest) {
  bool isMapped =
      TypeSwitch<Operation *, bool>(nest)
          .Case([](ParOp par) {
            return par.getLevel() || par.getFull() || par.getMappingAttr();
          })
          .Case<ReduceOp, ScanOp>(
              [](auto fold) { return fold.getLevel().has_value(); });
  return isMapped || !nest->getDiscardableAttrDictionary().empty();
}

/// The tc.par that is all that `outer` holds, but for index arithmetic that it
/// does not need for its bounds; null if there is none that may be merged.
static ParOp findOnlyInner(ParOp outer) {
  Block &body = *outer.getBody();
  if (body.without_terminator().empty())
    return {};
  auto inner = dyn_cast<ParOp>(*std::prev(body.getTerminator()->getIterator()));
  if (!inner || outer.getFull() || inner.getFull() || outer.getMappingAttr() ||
      inner.getMappingAttr() || outer.getLevel() != inner.getLevel() ||
      !outer->getDiscardableAttrDictionary().empty() ||
      !inner->getDiscardableAttrDictionary().empty())
    return {};
  for (Operation &op : body.without_terminator())
    if (&op != inner && (!isPure(&op) || op.getNumRegions() != 0))
      return {};
  return hasFixedBounds(inner, outer) ? inner : ParOp();
}

/// Moves the dimensions and the ops of `inner` into `outer`.
static void mergeInto(ParOp outer, ParOp inner) {
  Builder builder(outer.getContext());
  auto append = [&](ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
    SmallVector<int64_t> all(first);
    llvm::append_range(all, second);
    return builder.getDenseI64ArrayAttr(all);
  };
  outer.setStaticLowerAttr(
      append(outer.getStaticLower(), inner.getStaticLower()));
  outer.setStaticUpperAttr(
      append(outer.getStaticUpper(), inner.getStaticUpper()));
  outer.setStaticStepAttr(append(outer.getStaticStep(), inner.getStaticStep()));
  outer.setStaticWidthAttr(
      append(outer.getStaticWidth(), inner.getStaticWidth()));
  outer.getLowerMutable().append(inner.getLower());
  outer.getUpperMutable().append(inner.getUpper());
  outer.getStepMutable().append(inner.getStep());
  outer.getWidthMutable().append(inner.getWidth());
  Block &body = *outer.getBody();
  for (BlockArgument index : inner.getBody()->getArguments())
    index.replaceAllUsesWith(body.addArgument(index.getType(), index.getLoc()));
  Block &nested = *inner.getBody();
  body.getOperations().splice(inner->getIterator(), nested.getOperations(),
                              nested.begin(),
                              nested.getTerminator()->getIterator());
  inner.erase();
}

void mlir::tc::mergeBand(ParOp outer) {
  while (ParOp inner = findOnlyInner(outer))
    mergeInto(outer, inner);
}

void mlir::tc::hoistInvariants(ParOp par) {
  SmallVector<Region *> regions; // of inner loops first
  par.walk([&](SeqOp loop) {
    if (loop->getParentOfType<ParOp>() == par)
      regions.push_back(&loop.getRegion());
  });
  regions.push_back(&par.getRegion());
  moveLoopInvariantCode(
      regions,
      [](Value value, Region *region) {
        return !region->isAncestor(value.getParentRegion());
      },
      [](Operation *op, Region *) {
        // Views and floats are for kernels; the host counts. What gives nothing
        // is a barrier.
        return op->hasTrait<OpTrait::ConstantLike>() ||
               (op->getNumRegions() == 0 && op->getNumResults() != 0 &&
                llvm::all_of(op->getResultTypes(),
                             [](Type type) { return type.isIntOrIndex(); }));
      },
      [](Operation *op, Region *region) {
        op->moveBefore(region->getParentOp());
      });
}

bool mlir::tc::hasFixedBounds(Operation *nest, ParOp par) {
  SpaceBounds bounds = getBounds(nest);
  auto isOutside = [&](OpFoldResult bound) {
    auto value = dyn_cast<Value>(bound);
    return !value || !par.getRegion().isAncestor(value.getParentRegion());
  };
  return llvm::all_of(bounds.lower, isOutside) &&
         llvm::all_of(bounds.upper, isOutside) &&
         llvm::all_of(bounds.step, isOutside) &&
         llvm::all_of(bounds.width, isOutside);
}

std::optional<int64_t> mlir::tc::getConstantUpperBound(OpFoldResult value) {
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, value, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) ? std::optional(*bound) : std::nullopt;
}
